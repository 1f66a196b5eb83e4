package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// streamEvents sends the deployment's events as they happen (server-sent events), those about reports that the caller may read.
// Last-Event-ID resumes after that event; a subscriber that missed events that are not kept any more is told so by the event "gap" and
// should read anew.
func (s *Server) streamEvents(c *gin.Context) error {
	r := current(c)
	after, err := s.resumeAt(c)
	if err != nil {
		return err
	}
	c.Header("Content-Type", "text/event-stream")
	c.Header("X-Accel-Buffering", "no")
	c.Status(http.StatusOK)
	if c.Request.Method == http.MethodHead {
		c.Writer.WriteHeaderNow()
		return nil
	}
	s.flights.streams.Add(1) // before the client can know that it is open
	out, err := openStream(c)
	if err != nil {
		s.flights.streams.Add(-1)
		return err
	}
	r.streams = true
	sub := subscriber{s: s, guard: s.apart(c), at: r.deployment(), out: out, after: after, readable: map[int64]bool{}}
	go sub.run(sub.guard.c.Request.Context(), r.Caller.Expires)
	return nil
}

// apart returns a guard of the request that outlives its handler, with whose end the request's own context ends.
func (s *Server) apart(c *gin.Context) *guard {
	own, r := c.Copy(), *current(c)
	r.guard, r.release = nil, nil // they are the handler's, and the first keeps the buffers of the connection
	own.Request = c.Request.WithContext(context.WithoutCancel(c.Request.Context()))
	own.Set(requestKey, &r)
	return &guard{s: s, c: own, scope: inDeployment, checked: s.now()}
}

// resumeAt is the id after which a subscriber wants events: that of Last-Event-ID, as header or parameter, or else the latest.
func (s *Server) resumeAt(c *gin.Context) (string, error) {
	after := c.GetHeader("Last-Event-ID")
	if after == "" {
		after = c.Query("lastEventId")
	}
	if after == "" {
		return s.store.Queue().Events.Last(c.Request.Context(), current(c).deployment())
	}
	if !record.ValidEventID(after) {
		return "", placements.Errorf(placements.CodeParameter,
			"Last-Event-ID is not the id of an event: send one that you received, or none.")
	}
	return after, nil
}

// subscriber is one open stream.
type subscriber struct {
	s        *Server
	guard    *guard
	at       record.Deployment
	out      *eventStream
	after    string
	sent     time.Time      // when something was sent last
	readable map[int64]bool // by report, as found since asked
	asked    time.Time
}

// run sends events until the subscriber leaves, or the token ends: its bearer must show a new one. It is no part of the handler, which would
// keep what it needed to answer, several times the memory of an idle stream.
func (u *subscriber) run(ctx context.Context, expires time.Time) {
	defer u.s.flights.end()
	defer u.s.flights.streams.Add(-1)
	ctx, cancel := context.WithDeadline(ctx, expires)
	defer cancel()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		u.out.await()
		cancel()
	}()
	wake, leave := u.s.events.watch(u.at)
	defer leave()
	if u.send(": connected\n\n") == nil {
		u.follow(ctx, wake)
	}
	u.out.close(u.guard.err == nil)
	<-gone
}

// follow sends events until ctx ends, the server drains, or there is an error: the subscriber is gone, has lost its rights, or resumes when
// the storage answers.
func (u *subscriber) follow(ctx context.Context, wake <-chan struct{}) {
	idle := time.NewTicker(recheck)
	defer idle.Stop()
	for u.inPassing(func() error { return u.catchUp(ctx) }) == nil {
		select {
		case <-ctx.Done():
			return
		case <-u.s.flights.closing:
			return
		case <-wake:
		case <-idle.C:
			if u.rest() != nil {
				return
			}
		}
	}
}

// inPassing calls do on a stack of its own: what checks rights and reads the storage needs a deep one, which every open stream would keep.
func (u *subscriber) inPassing(do func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("a panic")
		defer func() {
			if p := recover(); p != nil {
				u.s.log.Error("event stream panicked", "panic", p, "stack", string(debug.Stack()))
			}
			done <- err
		}()
		err = do()
	}()
	return <-done
}

// catchUp sends every event that the subscriber has not had, until the server drains.
func (u *subscriber) catchUp(ctx context.Context) error {
	for !u.s.flights.draining() {
		if err := u.guard.check(); err != nil {
			return err
		}
		clear(u.readable)
		events, err := u.s.store.Queue().Events.After(ctx, u.at, u.after, eventBatch)
		if errors.Is(err, queue.ErrGap) {
			err = u.send("event: gap\ndata: {\"message\":\"events since the last one were dropped: read anew\"}\n\n")
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := u.event(ctx, e); err != nil {
				return err
			}
			u.after = e.ID
		}
		if len(events) < eventBatch {
			break
		}
	}
	return nil
}

func (u *subscriber) event(ctx context.Context, e record.Event) error {
	granted, err := u.mayRead(ctx, e.ReportID)
	if err != nil || !granted {
		return err
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return u.send(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Type, data))
}

// mayRead reports whether the subscriber may read a report now. It asks once a batch of events, which is often about few reports, and
// again when a slow reader makes the batch last.
func (u *subscriber) mayRead(ctx context.Context, report int64) (bool, error) {
	if now := u.s.now(); now.Sub(u.asked) >= recheck {
		clear(u.readable)
		u.asked = now
	}
	if granted, known := u.readable[report]; known {
		return granted, nil
	}
	def, err := u.s.store.Reports().Definition(ctx, u.at, report)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, err
	}
	granted := err == nil && current(u.guard.c).Caller.OnReport(def.CreatedBy, def.RolesWithAccess) >= mayRead
	u.readable[report] = granted
	return granted, nil
}

// rest sends a comment when nothing was sent for a while.
func (u *subscriber) rest() error {
	if u.s.now().Sub(u.sent) < heartbeat {
		return nil
	}
	return u.send(": still here\n\n")
}

func (u *subscriber) send(text string) error {
	u.sent = u.s.now()
	return u.out.send(text)
}
