package events

import (
	"context"
	"slices"
	"sync"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/request"
)

// broadcaster has what happens in deployments for their subscribers. One goroutine follows a deployment as long as it has a subscriber, however
// many it has.
type broadcaster struct {
	store   *storage.Store
	flights *request.Flights
	now     func() time.Time

	mu   sync.Mutex
	open map[record.Deployment]*feed
}

// feed has the latest pages of a deployment.
type feed struct {
	at      record.Deployment
	end     context.CancelFunc
	joined  sync.Mutex
	streams map[*stream]struct{}

	mu     sync.RWMutex
	latest string  // the id of the last event of the pages
	pages  []*page // each follows the one before
}

const (
	feedWait  = 2 * time.Second       // how long the storage waits for an event at a time
	feedRest  = 50 * time.Millisecond // between two pages: events that come faster are sent together
	feedRetry = time.Second           // when the storage does not answer
)

// join makes s one of the streams that the feed of a deployment wakes, until it leaves.
func (b *broadcaster) join(d record.Deployment, s *stream) *feed {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.open[d]
	if f == nil {
		ctx, end := context.WithCancel(context.Background())
		f = &feed{at: d, end: end, streams: map[*stream]struct{}{}}
		b.open[d] = f
		go b.follow(ctx, f)
		go b.drain(ctx, f)
	}
	f.joined.Lock()
	defer f.joined.Unlock()
	f.streams[s] = struct{}{}
	return f
}

func (b *broadcaster) leave(f *feed, s *stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f.joined.Lock()
	defer f.joined.Unlock()
	delete(f.streams, s)
	if len(f.streams) == 0 {
		f.end()
		delete(b.open, f.at)
	}
}

// follow adds the pages of a deployment to its feed as its events happen.
func (b *broadcaster) follow(ctx context.Context, f *feed) {
	for ctx.Err() == nil {
		rest := feedRest
		if err := b.advance(ctx, f); err != nil {
			rest = feedRetry
		}
		select {
		case <-ctx.Done():
		case <-time.After(rest):
		}
	}
}

// advance waits for the next page. The first time it finds where the deployment is: who joined before may have missed events.
func (b *broadcaster) advance(ctx context.Context, f *feed) error {
	events := b.store.Queue().Events
	if f.latest == "" {
		latest, err := events.Last(ctx, f.at)
		if err == nil {
			f.add(&page{last: latest, read: b.now()})
		}
		return err
	}
	if err := events.Await(ctx, f.at, f.latest, feedWait); err != nil {
		return err
	}
	p, err := readPage(ctx, b.store, f.at, f.latest, b.now())
	if err == nil && len(p.messages) > 0 {
		f.add(p)
	}
	return err
}

// drain wakes the streams when the server drains.
func (b *broadcaster) drain(ctx context.Context, f *feed) {
	select {
	case <-ctx.Done():
	case <-b.flights.Closing():
		f.wake()
	}
}

// add adds a page and wakes the streams. Pages that are too old to be sent as they are go.
func (f *feed) add(p *page) {
	f.mu.Lock()
	f.pages = append(slices.DeleteFunc(f.pages, func(old *page) bool { return !old.fresh(p.read) }), p)
	f.latest = p.last
	f.mu.Unlock()
	f.wake()
}

func (f *feed) wake() {
	f.joined.Lock()
	defer f.joined.Unlock()
	for s := range f.streams {
		s.wake()
	}
}

// after returns the page that follows an event. known: the feed has it, or nothing follows, and then it is nil.
func (f *feed) after(id string, now time.Time) (p *page, known bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if id == f.latest {
		return nil, true
	}
	for _, p := range slices.Backward(f.pages) {
		if p.from == id && p.fresh(now) {
			return p, true
		}
	}
	return nil, false
}
