package fault

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
	// CallGrace is how long a call may go on after its context has ended before it is left behind.
	CallGrace = 5 * time.Second
	// HungMost bounds the calls of a tenant to one host or source that are left behind: each keeps a thread of the system.
	HungMost = 64
)

// Callee is what a call is about.
type Callee struct {
	Tenant string
	Within string // a host or a source, in words
	Name   string // a document of the host, in words; empty for a source
}

func (s Callee) String() string { return cmp.Or(s.Name, s.Within) }

// Calls makes calls that may hang. It is safe for concurrent use.
type Calls struct {
	Log     *slog.Logger
	Observe hanging
	Grace   time.Duration // callGrace
	mu      sync.Mutex
	hung    map[Callee]hung
}

// hanging is told how many more calls of a tenant, or fewer, are left behind.
type hanging interface{ Hangs(tenant string, n int) }

// hung is how many calls about a subject are left behind, and since when the first of them was made.
type hung struct {
	calls int
	since time.Time
}

// LeftError says that a call was left behind. It unwraps to why its context had ended.
type LeftError struct {
	About Callee
	cause error
	Back  <-chan struct{} // closed when the call has come back
}

func (e *LeftError) Error() string {
	return fmt.Sprintf("a call to %s is left behind: %v", e.About, e.cause)
}
func (e *LeftError) Unwrap() error { return e.cause }

// Call makes a call about of. When ctx ends and the call goes on for c.grace, it is left behind: a *leftError. While it hangs, any other
// call about the same is refused with a Transient fault.
func Call[T any](ctx context.Context, c *Calls, of Callee, do func() (T, error)) (value T, err error) {
	if fault := c.refusal(of); fault != nil {
		return value, fault
	}
	return Detached(ctx, c, of, do)
}

// Detached is call for what is to be done even while another call hangs.
func Detached[T any](ctx context.Context, c *Calls, of Callee, do func() (T, error)) (value T, err error) {
	began, back := time.Now(), make(chan struct{})
	var panicked any
	var result T
	var failure error
	go func() {
		defer close(back)
		defer func() {
			if panicked = recover(); panicked != nil { // here, where its stack is: the caller may have left
				c.Log.Error("a call panicked", "tenant", of.Tenant, "call", of.String(), "panic", panicked, "stack", string(debug.Stack()))
			}
		}()
		result, failure = do()
	}()
	if !c.returned(ctx, back) {
		c.leave(of, began, back)
		return value, &LeftError{of, context.Cause(ctx), back}
	}
	if panicked != nil {
		panic(panicked) // as if there were no goroutine between
	}
	return result, failure
}

// returned waits for back until ctx has ended for c.grace, and reports whether it was closed.
func (c *Calls) returned(ctx context.Context, back <-chan struct{}) bool {
	select {
	case <-back:
		return true
	case <-ctx.Done():
	}
	grace := time.NewTimer(c.Grace)
	defer grace.Stop()
	select {
	case <-back:
		return true
	case <-grace.C:
		return false
	}
}

// leave notes a call that is left behind, until it comes back.
func (c *Calls) leave(of Callee, began time.Time, back <-chan struct{}) {
	c.note(of, began, 1)
	c.Log.Error("a call hangs and is left behind: check the disk or the network drive", "tenant", of.Tenant, "call", of.String())
	go func() {
		<-back
		c.note(of, began, -1)
		c.Log.Info("a call that hung has come back", "tenant", of.Tenant, "call", of.String(), "after", time.Since(began))
	}()
}

func (c *Calls) note(of Callee, began time.Time, n int) {
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
			c.hung = map[Callee]hung{}
		}
		c.hung[of] = h
	}
	c.Observe.Hangs(of.Tenant, n)
}

// refusal is why no call about of is to be made now, nil when one may be: each that hangs keeps a thread of the system.
func (c *Calls) refusal(of Callee) *placements.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, hangs := c.hung[of]; hangs {
		return &placements.Fault{Class: placements.Transient, Message: fmt.Sprintf(
			"%s does not answer: a call to it has not come back from the system for %s. Check the disk or the network drive that it is on; "+
				"it is tried again by itself.", of, time.Since(h.since).Round(time.Second))}
	}
	total := 0
	for other, h := range c.hung {
		if other.Tenant == of.Tenant && other.Within == of.Within {
			total += h.calls
		}
	}
	if total < HungMost {
		return nil
	}
	return &placements.Fault{Class: placements.Transient, Message: fmt.Sprintf(
		"%s is left alone: %d calls to %s have not come back from the system. Check the disk or the network drive that they are on; it is "+
			"tried again by itself.", of, total, of.Within)}
}
