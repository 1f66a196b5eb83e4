package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/redis/go-redis/v9"
)

// reply is an error that a Redis server answered.
type reply string

func (r reply) Error() string { return string(r) }
func (reply) RedisError()     {}

func TestWhichErrorsAreOutages(t *testing.T) {
	tests := map[string]struct {
		err    error
		outage bool
	}{
		"a broken connection":                {io.ErrUnexpectedEOF, true},
		"a deadline":                         {context.DeadlineExceeded, true},
		"a caller that left":                 {context.Canceled, false},
		"no such key":                        {redis.Nil, false},
		"a server that starts":               {reply("LOADING Redis is loading the dataset in memory"), true},
		"a replica":                          {reply("READONLY You can't write against a read only replica."), true},
		"a cluster without a node":           {reply("CLUSTERDOWN Hash slot not served"), true},
		"a server without room":              {reply("OOM command not allowed when used memory > 'maxmemory'."), true},
		"a server that cannot save":          {reply("MISCONF Redis is configured to save RDB snapshots"), true},
		"a server that asks for a password":  {reply("NOAUTH Authentication required."), true},
		"a command that is wrong":            {reply("ERR wrong number of arguments"), false},
		"a key of another type":              {reply("WRONGTYPE Operation against a key holding the wrong kind of value"), false},
		"a wrapped reply of a server":        {fmt.Errorf("run: %w", reply("LOADING")), true},
		"a script that touches another slot": {reply("CROSSSLOT Keys in request don't hash to the same slot"), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Unavailable(tt.err)
			if errors.Is(got, ErrUnavailable) != tt.outage || !errors.Is(got, tt.err) {
				t.Errorf("%v became %v", tt.err, got)
			}
		})
	}
	if Unavailable(nil) != nil {
		t.Error("no error became one")
	}
}
