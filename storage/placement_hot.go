package storage

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// errNeedsLock: the script has left the request to the path under the report's lock, and changed nothing.
var errNeedsLock = errors.New("needs the lock")

// runHot runs a script that begins with readerScript until no other writer is in its way. The commands of concurrent requests share round trips.
func (s *Store) runHot(ctx context.Context, script *redis.Script, keys []string, args []any) (out []any, err error) {
	err = s.untilLocked(ctx, func() (bool, error) {
		reply, err := script.Run(ctx, s.hot, keys, args...).Slice()
		if err != nil {
			return false, unavailable(err)
		}
		out = reply
		switch text(out[0]) {
		case "busy":
			return false, nil
		case "absent":
			return false, ErrNotFound
		case "locked":
			return false, errNeedsLock
		case "taken":
			return false, addressTaken()
		}
		return true, nil
	})
	return out, err
}

// newHot gives the client of the scripts that every request needs: one that sends what waits in one batch. The embedded server's pipes hold
// one command at a time.
func newHot(rdb redis.UniversalClient, embedded bool) (redis.Scripter, error) {
	if embedded {
		return rdb, nil
	}
	return rdb.AutoPipeline()
}

// text is a bulk string of a script's reply, empty for nil.
func text(v any) string {
	s, _ := v.(string)
	return s
}

// list is an array of bulk strings of a script's reply.
func list(v any) []string {
	values, _ := v.([]any)
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = text(value)
	}
	return texts
}
