package events

import (
	"context"
	"sync"
	"time"

	"mooring/storage"
	"mooring/storage/record"
)

// broadcaster wakes the subscribers of deployments. One goroutine follows a deployment as long as it has a subscriber, however many it has.
type broadcaster struct {
	store *storage.Store
	mu    sync.Mutex
	open  map[record.Deployment]*feed
}

type feed struct {
	watchers map[chan struct{}]struct{}
	end      context.CancelFunc
}

// feedWait is how long the storage waits for an event at a time.
const feedWait = 2 * time.Second

// watch returns a channel that receives when there may be new events, and a function to call in the end.
func (b *broadcaster) watch(d record.Deployment) (wake <-chan struct{}, leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.open[d]
	if one == nil {
		ctx, end := context.WithCancel(context.Background())
		one = &feed{watchers: map[chan struct{}]struct{}{}, end: end}
		b.open[d] = one
		go b.follow(ctx, d, one)
	}
	ch := make(chan struct{}, 1)
	one.watchers[ch] = struct{}{}
	return ch, func() { b.leave(d, one, ch) }
}

func (b *broadcaster) leave(d record.Deployment, one *feed, ch chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(one.watchers, ch)
	if len(one.watchers) == 0 {
		one.end()
		delete(b.open, d)
	}
}

// follow wakes the watchers whenever the deployment has a new event.
func (b *broadcaster) follow(ctx context.Context, d record.Deployment, one *feed) {
	seen := ""
	for ctx.Err() == nil {
		latest, err := b.store.Queue().Events.Last(ctx, d)
		if err == nil {
			if latest != seen {
				b.wake(one)
			}
			seen = latest
			err = b.store.Queue().Events.Await(ctx, d, latest, feedWait)
		}
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
	}
}

func (b *broadcaster) wake(one *feed) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ch := range one.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
