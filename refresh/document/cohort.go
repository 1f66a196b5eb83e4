package document

import (
	"context"
	"sync"

	"mooring/refresh/site"
)

// Peer is one attempt's part in its cohort. Its methods are for one goroutine.
type Peer struct {
	cohort *cohort
	loaded bool
	will   []site.Ref // write there
}

// cohort is the attempts that an agent took from the queues together. They were made together, for example by a refresh of a whole
// document, so each document waits for those of them that will write to it, and is written once.
type cohort struct {
	mu      sync.Mutex
	loading int              // members that have not said where they will write
	coming  map[site.Ref]int // members that will write there, and still query
	changed chan struct{}    // closed at the next change
}

// NewCohort returns the n members of a cohort.
func NewCohort(n int) []*Peer {
	c := &cohort{loading: n, coming: map[site.Ref]int{}, changed: make(chan struct{})}
	members := make([]*Peer, n)
	for i := range members {
		members[i] = &Peer{cohort: c}
	}
	return members
}

// Announce says where the member will write once it has queried.
func (m *Peer) Announce(documents []site.Ref) {
	m.change(func(c *cohort) {
		m.will = documents
		for _, ref := range documents {
			c.coming[ref]++
		}
	})
}

// Ready says that no other member needs to wait for this one any more: it has joined the batch of the document that it writes first, or it
// has ended.
func (m *Peer) Ready() {
	m.change(func(c *cohort) {
		for _, ref := range m.will {
			c.coming[ref]--
		}
		m.will = nil
	})
}

func (m *Peer) change(do func(*cohort)) {
	c := m.cohort
	c.mu.Lock()
	defer c.mu.Unlock()
	if !m.loaded {
		m.loaded = true
		c.loading--
	}
	do(c)
	close(c.changed)
	c.changed = make(chan struct{})
}

// gathered waits until no member can join the batch of that document any more, or until ctx ends.
func (c *cohort) gathered(ctx context.Context, ref site.Ref) {
	for {
		c.mu.Lock()
		complete, changed := c.loading == 0 && c.coming[ref] == 0, c.changed
		c.mu.Unlock()
		if complete {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
