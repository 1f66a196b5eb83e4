package refresh

import (
	"context"
	"sync"
)

// cohort is the attempts that an agent took from the queues together. They were made together, for example by a refresh of a whole
// document, so each document waits for those of them that will write to it, and is written once.
type cohort struct {
	mu      sync.Mutex
	loading int                 // members that have not said where they will write
	coming  map[documentRef]int // members that will write there, and still query
	changed chan struct{}       // closed at the next change
}

// member is one attempt's part in its cohort. Its methods are for one goroutine.
type member struct {
	cohort *cohort
	loaded bool
	will   []documentRef // write there
}

// newCohort returns the n members of a cohort.
func newCohort(n int) []*member {
	c := &cohort{loading: n, coming: map[documentRef]int{}, changed: make(chan struct{})}
	members := make([]*member, n)
	for i := range members {
		members[i] = &member{cohort: c}
	}
	return members
}

// announce says where the member will write once it has queried.
func (m *member) announce(documents []documentRef) {
	m.change(func(c *cohort) {
		m.will = documents
		for _, ref := range documents {
			c.coming[ref]++
		}
	})
}

// ready says that no other member needs to wait for this one any more: it has joined the batch of the document that it writes first, or it
// has ended.
func (m *member) ready() {
	m.change(func(c *cohort) {
		for _, ref := range m.will {
			c.coming[ref]--
		}
		m.will = nil
	})
}

func (m *member) change(do func(*cohort)) {
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
func (c *cohort) gathered(ctx context.Context, ref documentRef) {
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
