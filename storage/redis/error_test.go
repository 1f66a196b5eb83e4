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

func TestARefusalSaysItsCause(t *testing.T) {
	tests := map[string]struct {
		reply string
		want  *Refusal
	}{
		"no room":                      {"OOM command not allowed when used memory > 'maxmemory'.", ErrFull},
		"no room for a script":         {"OOM command not allowed when used memory > 'maxmemory'. script: 1f, on @user_script:1.", ErrFull},
		"no room for a script, in 6":   {"ERR Error running script (call to f_1f): @user_script:1: @user_script: 1: -OOM command not allowed", ErrFull},
		"a replica, in a script of 6":  {"ERR Error running script (call to f_1f): @user_script:1: -READONLY You can't write", ErrReadOnly},
		"no save":                      {"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", ErrNotSaving},
		"a replica":                    {"READONLY You can't write against a read only replica.", ErrReadOnly},
		"a replica that lost its data": {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", ErrReadOnly},
		"too few replicas":             {"NOREPLICAS Not enough good replicas to write.", ErrFewReplicas},
		"a start":                      {"LOADING Redis is loading the dataset in memory", ErrLoading},
		"a slot without a node":        {"CLUSTERDOWN Hash slot not served", ErrClusterDown},
		"no login":                     {"NOAUTH Authentication required.", ErrDenied},
		"a wrong password":             {"WRONGPASS invalid username-password pair or user is disabled.", ErrDenied},
		"a command that is forbidden":  {"NOPERM User guest has no permissions to run the 'set' command", ErrDenied},
		"one in a script":              {"ERR ACL failure in script: User guest has no permissions to run the 'set' command script: 1f", ErrDenied},
		"protected mode":               {"DENIED Redis is running in protected mode", ErrDenied},
		"a text of ours that names it": {"ERR no such thing: OOM READONLY", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Unavailable(reply(tt.reply))
			var refusal *Refusal
			if errors.As(got, &refusal) != (tt.want != nil) || refusal != tt.want || errors.Is(got, ErrUnavailable) != (tt.want != nil) {
				t.Errorf("it became %v", got)
			}
		})
	}
}
