package refresh

import (
	"context"
	"sync"
	"time"
)

// contact is since when the storage has answered an agent without a break, by the storage's clock. An agent that was away itself, or whose
// storage was, finds everybody silent: it judges others only once they have had the time to say that they live. It is safe for concurrent use.
type contact struct {
	longest     time.Duration // of a pause that is no break
	mu          sync.Mutex
	since, last time.Time
}

// answered notes that the storage answered at a time.
func (c *contact) answered(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.Before(c.last) || at.Sub(c.last) > c.longest {
		c.since = at
	}
	c.last = at
}

// judges reports whether the agent may take what others were silent about, and until when.
func (c *contact) judges() (until time.Time, may bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last.Add(c.longest), c.last.Sub(c.since) >= orphanAfter
}

// listen asks whether the storage is there.
func (a *agent) listen(ctx context.Context) error {
	at, err := a.engine.queue.Queue.Clock(ctx)
	if err == nil {
		a.contact.answered(at)
	}
	return err
}
