package refresh

import (
	"context"
	"sync"
	"time"

	"mooring/placements"
	"mooring/refresh/source"
)

// turns bounds how many of something go on at one time for each of some keys. The zero value is empty.
type turns[K comparable] struct {
	mu  sync.Mutex
	all map[K]*turn
}

// turn is what goes on, or waits to, for one key.
type turn struct {
	slots source.Slots
	users int
}

// take waits until fewer than most go on for a key, and returns what ends the turn. Its error is that of ctx.
func (t *turns[K]) take(ctx context.Context, key K, most int) (end func(), err error) {
	one := t.join(key, most)
	if err := one.slots.Take(ctx); err != nil {
		t.leave(key, one)
		return nil, context.Cause(ctx)
	}
	return func() {
		one.slots.Give()
		t.leave(key, one)
	}, nil
}

func (t *turns[K]) join(key K, most int) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.all[key]
	if one == nil {
		if t.all == nil {
			t.all = map[K]*turn{}
		}
		one = &turn{slots: make(source.Slots, most)}
		t.all[key] = one
	}
	one.users++
	return one
}

func (t *turns[K]) leave(key K, one *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(t.all, key)
	}
}

// What bounds trials of queries.
const (
	trialsAtOnce = 4 // of one person
	trialWait    = 10 * time.Second
	trialRetry   = 5 * time.Second
)

// trialsBusy is the refusal of a trial that has waited long enough.
func trialsBusy(message string) error {
	e := placements.Errorf(placements.CodePreviewBusy, "%s", message)
	e.RetryAfter = trialRetry
	return e
}
