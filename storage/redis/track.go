package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/push"
)

// Tracker learns from the server which keys change, whoever writes them, by the client tracking of RESP3: every write of a key that begins
// with a prefix is told to the tracker's connection. It is for one goroutine.
type Tracker struct {
	client  *redis.Client // with one connection
	changes *invalidations
}

// invalidations collects what the server tells.
type invalidations struct {
	mu      sync.Mutex
	names   map[string]bool
	starts  int  // of the connection: what happened between two is not known
	emptied bool // all keys were flushed
}

// HandlePushNotification notes the keys of an invalidate message; no keys at all are all keys.
func (i *invalidations) HandlePushNotification(_ context.Context, _ push.NotificationHandlerContext, message []any) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(message) < 2 || message[1] == nil {
		i.emptied = true
		return nil
	}
	names, _ := message[1].([]any)
	for _, name := range names {
		i.names[Text(name)] = true
	}
	return nil
}

// errTrackingLost: the tracker missed what changed for a while.
var errTrackingLost = errors.New("the connection that tells what changes was lost")

// Track begins to track the keys with a prefix that has a hash tag.
func Track(ctx context.Context, rdb redis.UniversalClient, prefix string) (*Tracker, error) {
	node, err := nodeOf(ctx, rdb, prefix)
	if err != nil {
		return nil, err
	}
	t := &Tracker{changes: &invalidations{names: map[string]bool{}}}
	o := *node.Options()
	o.Protocol, o.PoolSize, o.MinIdleConns, o.MaxIdleConns, o.MaxActiveConns = 3, 1, 0, 0, 1
	o.ConnMaxIdleTime, o.ConnMaxLifetime, o.PushNotificationProcessor = -1, -1, nil
	o.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
		t.changes.mu.Lock()
		t.changes.starts++
		t.changes.mu.Unlock()
		return conn.Do(ctx, "CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", prefix).Err()
	}
	t.client = redis.NewClient(&o)
	err = t.client.RegisterPushNotificationHandler("invalidate", t.changes, false)
	if err == nil {
		err = t.client.Ping(ctx).Err()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("client tracking: %w", err), t.client.Close())
	}
	return t, nil
}

// Changed returns the keys that were written since the last call, or since Track. What was written before it was called is among them: the
// server tells of a write after the step in which it was made, and so before it answers what it is asked in the next one.
func (t *Tracker) Changed(ctx context.Context) ([]string, error) {
	for range 2 {
		if err := t.client.Ping(ctx).Err(); err != nil {
			return nil, Unavailable(err)
		}
	}
	t.changes.mu.Lock()
	defer t.changes.mu.Unlock()
	if t.changes.starts != 1 || t.changes.emptied {
		return nil, errTrackingLost
	}
	names := slices.Sorted(maps.Keys(t.changes.names))
	clear(t.changes.names)
	return names, nil
}

// Hold makes the server hold back all writes, of whatever keys, for at most that long; Release ends it. A user of the server that may not
// do that gets an error.
func (t *Tracker) Hold(ctx context.Context, most time.Duration) error {
	return t.client.Do(ctx, "CLIENT", "PAUSE", most.Milliseconds(), "WRITE").Err()
}

// Release lets the server go on with writes.
func (t *Tracker) Release(ctx context.Context) error {
	return t.client.Do(ctx, "CLIENT", "UNPAUSE").Err()
}

// Close ends the tracking.
func (t *Tracker) Close() error { return t.client.Close() }
