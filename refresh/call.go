package refresh

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"mooring/placements"
)

// A call of a host or a source may go into the system and never come back: the server of a network drive is gone, a disk fails. Nothing in
// this process can end such a call. Its caller does not wait for it: once its context has ended for a while, the call is left behind. What
// it still does concerns nobody: its result is dropped, and a host writes nothing under a context that has ended.

const (
	// callGrace is how long a call may go on after its context has ended before it is left behind.
	callGrace = 5 * time.Second
	// hungMost bounds the calls of a tenant to one host or source that are left behind: each keeps a thread of the system.
	hungMost = 64
)

// subject is what a call is about.
type subject struct {
	tenant string
	within string // a host or a source, in words
	name   string // a document of the host, in words; empty for a source
}

func (s subject) String() string { return cmp.Or(s.name, s.within) }

// calls makes calls that may hang. It is safe for concurrent use.
type calls struct {
	log     *slog.Logger
	observe Observer
	grace   time.Duration // callGrace
	mu      sync.Mutex
	hung    map[subject]hung
}

// hung is how many calls about a subject are left behind, and since when the first of them was made.
type hung struct {
	calls int
	since time.Time
}

// leftError: a call was left behind. It unwraps to why its context had ended.
type leftError struct {
	of    subject
	cause error
	back  <-chan struct{} // closed when the call has come back
}

func (e *leftError) Error() string {
	return fmt.Sprintf("a call to %s is left behind: %v", e.of, e.cause)
}
func (e *leftError) Unwrap() error { return e.cause }

// call makes a call about of. When ctx ends and the call goes on for c.grace, it is left behind: a *leftError. While it hangs, any other
// call about the same is refused with a Transient fault.
func call[T any](ctx context.Context, c *calls, of subject, do func() (T, error)) (value T, err error) {
	if fault := c.refusal(of); fault != nil {
		return value, fault
	}
	return detached(ctx, c, of, do)
}

// detached is call for what is to be done even while another call hangs.
func detached[T any](ctx context.Context, c *calls, of subject, do func() (T, error)) (value T, err error) {
	began, back := time.Now(), make(chan struct{})
	var panicked any
	var result T
	var failure error
	go func() {
		defer close(back)
		defer func() {
			if panicked = recover(); panicked != nil { // here, where its stack is: the caller may have left
				c.log.Error("a call panicked", "tenant", of.tenant, "call", of.String(), "panic", panicked, "stack", string(debug.Stack()))
			}
		}()
		result, failure = do()
	}()
	if !c.returned(ctx, back) {
		c.leave(of, began, back)
		return value, &leftError{of, context.Cause(ctx), back}
	}
	if panicked != nil {
		panic(panicked) // as if there were no goroutine between
	}
	return result, failure
}

// returned waits for back until ctx has ended for c.grace, and reports whether it was closed.
func (c *calls) returned(ctx context.Context, back <-chan struct{}) bool {
	select {
	case <-back:
		return true
	case <-ctx.Done():
	}
	grace := time.NewTimer(c.grace)
	defer grace.Stop()
	select {
	case <-back:
		return true
	case <-grace.C:
		return false
	}
}

// leave notes a call that is left behind, until it comes back.
func (c *calls) leave(of subject, began time.Time, back <-chan struct{}) {
	c.note(of, began, 1)
	c.log.Error("a call hangs and is left behind: check the disk or the network drive", "tenant", of.tenant, "call", of.String())
	go func() {
		<-back
		c.note(of, began, -1)
		c.log.Info("a call that hung has come back", "tenant", of.tenant, "call", of.String(), "after", time.Since(began))
	}()
}

func (c *calls) note(of subject, began time.Time, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hung[of]
	if h.calls == 0 {
		h.since = began
	}
	if h.calls += n; h.calls == 0 {
		delete(c.hung, of)
	} else {
		if c.hung == nil {
			c.hung = map[subject]hung{}
		}
		c.hung[of] = h
	}
	c.observe.Hangs(of.tenant, n)
}

// refusal is why no call about of is to be made now, nil when one may be: each that hangs keeps a thread of the system.
func (c *calls) refusal(of subject) *placements.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, hangs := c.hung[of]; hangs {
		return &placements.Fault{Class: placements.Transient, Message: fmt.Sprintf(
			"%s does not answer: a call to it has not come back from the system for %s. Check the disk or the network drive that it is on; "+
				"it is tried again by itself.", of, time.Since(h.since).Round(time.Second))}
	}
	total := 0
	for other, h := range c.hung {
		if other.tenant == of.tenant && other.within == of.within {
			total += h.calls
		}
	}
	if total < hungMost {
		return nil
	}
	return &placements.Fault{Class: placements.Transient, Message: fmt.Sprintf(
		"%s is left alone: %d calls to %s have not come back from the system. Check the disk or the network drive that they are on; it is "+
			"tried again by itself.", of, total, of.within)}
}
