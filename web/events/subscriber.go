package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/web/request"
)

// subscribe sends the deployment's events as they happen (server-sent events), those about reports that the caller may read.
// Last-Event-ID resumes after that event; a subscriber that missed events that are not kept any more is told so by the event "gap" and
// should read anew.
func (a *API) subscribe(c *request.Call) error {
	after, err := a.resumeAt(c)
	if err != nil {
		return err
	}
	c.Set("Content-Type", "text/event-stream")
	c.Set("X-Accel-Buffering", "no")
	c.Status(http.StatusOK)
	if c.Request.Method == http.MethodHead {
		return nil
	}
	a.flights.Stream(1) // before the client can know that it is open
	out, err := openStream(c)
	if err != nil {
		a.flights.Stream(-1)
		return err
	}
	c.Detach()
	sub := subscriber{api: a, rights: c.Apart(), at: c.At, out: out, after: after, readable: map[int64]bool{}}
	go sub.run(sub.rights.Context(), c.Caller.Expires)
	return nil
}

// resumeAt is the id after which a subscriber wants events: that of Last-Event-ID, as header or parameter, or else the latest.
func (a *API) resumeAt(c *request.Call) (string, error) {
	after := c.Header("Last-Event-ID")
	if after == "" {
		after = c.Query("lastEventId")
	}
	if after == "" {
		return a.store.Queue().Events.Last(c.Request.Context(), c.At)
	}
	if !record.ValidEventID(after) {
		return "", placements.Errorf(placements.CodeParameter,
			"Last-Event-ID is not the id of an event: send one that you received, or none.")
	}
	return after, nil
}

// subscriber is one open stream.
type subscriber struct {
	api      *API
	rights   *request.Rights
	at       record.Deployment
	out      *stream
	after    string
	sent     time.Time      // when something was sent last
	readable map[int64]bool // by report, as found since asked
	asked    time.Time
}

// run sends events until the subscriber leaves, or the token ends: its bearer must show a new one. It is no part of the handler, which would
// keep what it needed to answer, several times the memory of an idle stream.
func (u *subscriber) run(ctx context.Context, expires time.Time) {
	defer u.api.flights.End()
	defer u.api.flights.Stream(-1)
	ctx, cancel := context.WithDeadline(ctx, expires)
	defer cancel()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		u.out.await()
		cancel()
	}()
	wake, leave := u.api.feeds.watch(u.at)
	defer leave()
	if u.send(": connected\n\n") == nil {
		u.follow(ctx, wake)
	}
	u.out.close(!u.rights.Lost())
	<-gone
}

// follow sends events until ctx ends, the server drains, or there is an error: the subscriber is gone, has lost its rights, or resumes when
// the storage answers.
func (u *subscriber) follow(ctx context.Context, wake <-chan struct{}) {
	idle := time.NewTicker(request.Recheck)
	defer idle.Stop()
	for u.inPassing(func() error { return u.catchUp(ctx) }) == nil {
		select {
		case <-ctx.Done():
			return
		case <-u.api.flights.Closing():
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
				u.api.log.Error("event stream panicked", "panic", p, "stack", string(debug.Stack()))
			}
			done <- err
		}()
		err = do()
	}()
	return <-done
}

// catchUp sends every event that the subscriber has not had, until the server drains.
func (u *subscriber) catchUp(ctx context.Context) error {
	for !u.api.flights.Draining() {
		if err := u.rights.Check(); err != nil {
			return err
		}
		clear(u.readable)
		events, err := u.api.store.Queue().Events.After(ctx, u.at, u.after, batch)
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
		if len(events) < batch {
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
	if now := u.api.now(); now.Sub(u.asked) >= request.Recheck {
		clear(u.readable)
		u.asked = now
	}
	if granted, known := u.readable[report]; known {
		return granted, nil
	}
	def, err := u.api.store.Reports().Definition(ctx, u.at, report)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return false, err
	}
	granted := err == nil && u.rights.Caller().OnReport(def.CreatedBy, def.RolesWithAccess) >= record.MayRead
	u.readable[report] = granted
	return granted, nil
}

// rest sends a comment when nothing was sent for a while.
func (u *subscriber) rest() error {
	if u.api.now().Sub(u.sent) < heartbeat {
		return nil
	}
	return u.send(": still here\n\n")
}

func (u *subscriber) send(text string) error {
	u.sent = u.api.now()
	return u.out.send(text)
}
