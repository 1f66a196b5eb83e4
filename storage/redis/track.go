package redis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// Tracker learns from the server which keys any client changes, by the client tracking of RESP3: every write of a key that begins
// with a prefix is told to the tracker's connection. It is for one goroutine.
type Tracker struct {
	conn    *rawConn
	names   map[string]bool // of the keys that were written
	emptied bool            // all keys were flushed
}

// errFlushed: all keys are gone.
var errFlushed = errors.New("the server was flushed meanwhile")

// Track begins to track the keys with a prefix that has a hash tag.
func Track(ctx context.Context, rdb UniversalClient, prefix string) (*Tracker, error) {
	node, err := nodeOf(ctx, rdb, prefix)
	if err != nil {
		return nil, err
	}
	t := &Tracker{names: map[string]bool{}}
	if t.conn, err = dialRaw(ctx, node.Options(), t.told); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if _, err := t.conn.ask("CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", prefix); err != nil {
		return nil, errors.Join(fmt.Errorf("client tracking: %w", err), t.Close())
	}
	return t, nil
}

// told notes the keys of a message; no keys are all keys.
func (t *Tracker) told(message []any) {
	if len(message) != 2 || message[0] != "invalidate" {
		return
	}
	names, _ := message[1].([]any)
	for _, name := range names {
		t.names[Text(name)] = true
	}
	t.emptied = t.emptied || names == nil
}

// Changed returns the keys that were written since the last call, or since Track. What was written before it was called is among them: the
// server tells of a write after the step in which it was made, and so before it answers what it is asked in the next one.
func (t *Tracker) Changed() ([]string, error) {
	for range 2 {
		if _, err := t.conn.ask("PING"); err != nil {
			return nil, fmt.Errorf("%w: the connection that tells what changes: %w", ErrUnavailable, err)
		}
	}
	if t.emptied {
		return nil, errFlushed
	}
	names := slices.Sorted(maps.Keys(t.names))
	clear(t.names)
	return names, nil
}

// Hold makes the server hold back all writes, of whatever keys, for at most that long; Release ends it. A user of the server that may not
// do that gets an error.
func (t *Tracker) Hold(most time.Duration) error {
	_, err := t.conn.ask("CLIENT", "PAUSE", strconv.FormatInt(most.Milliseconds(), 10), "WRITE")
	return err
}

// Release lets the server go on with writes.
func (t *Tracker) Release() error {
	_, err := t.conn.ask("CLIENT", "UNPAUSE")
	return err
}

// Close ends the tracking.
func (t *Tracker) Close() error { return t.conn.Close() }
