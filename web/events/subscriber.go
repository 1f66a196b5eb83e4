package events

import (
	"errors"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"mooring/placements"
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
	sub := &subscriber{api: a, rights: c.Apart(), at: c.At, out: out, after: after, expires: c.Caller.Expires}
	go sub.run()
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
	api     *API
	rights  *request.Rights
	at      record.Deployment
	out     *stream
	after   string    // the id of the last event that it was sent, or may not be
	sent    time.Time // when something was sent last
	expires time.Time // its token
}

// run sends events until the subscriber leaves, or the token ends: its bearer must show a new one. It is no part of the handler, which would
// keep what it needed to answer, several times the memory of an idle stream.
func (u *subscriber) run() {
	defer u.api.flights.End()
	defer u.api.flights.Stream(-1)
	whole := false
	defer func() { u.out.close(whole) }()
	f := u.api.feeds.join(u.at, u.out)
	defer u.api.feeds.leave(f, u.out)
	defer u.recoverPanic()
	if u.say(": connected\n\n") == nil {
		u.follow(f)
	}
	whole = !u.rights.Lost()
}

// recoverPanic ends this stream alone.
func (u *subscriber) recoverPanic() {
	if p := recover(); p != nil {
		u.api.log.Error("event stream panicked", "panic", p, "stack", string(debug.Stack()))
	}
}

// follow sends events until the token ends, the server drains, or there is an error: the subscriber is gone, has lost its rights, or resumes
// when the storage answers.
func (u *subscriber) follow(f *feed) {
	for u.catchUp(f) == nil && !u.api.flights.Draining() {
		now := u.api.now()
		if now.Sub(u.sent) >= heartbeat && u.say(": still here\n\n") != nil {
			return
		}
		left := u.expires.Sub(now)
		if left <= 0 || u.out.rest(min(left, request.Recheck)) != nil {
			return
		}
	}
}

// catchUp sends every event that the subscriber has not had, until the server drains.
func (u *subscriber) catchUp(f *feed) error {
	for !u.api.flights.Draining() {
		if err := u.check(); err != nil {
			return err
		}
		p, err := u.next(f)
		if err != nil || p == nil || p.last == u.after {
			return err
		}
		if err := u.send(p); err != nil {
			return err
		}
	}
	return nil
}

// check checks the rights when that is due.
func (u *subscriber) check() error {
	if !u.rights.Due() {
		return nil
	}
	return u.inPassing(u.rights.Check)
}

// next returns the page that the subscriber is to be sent; nil: there is none. One that the feed does not have is read for the subscriber alone.
func (u *subscriber) next(f *feed) (p *page, err error) {
	now := u.api.now()
	if p, known := f.after(u.after, now); known {
		return p, nil
	}
	err = u.inPassing(func() error {
		p, err = readPage(u.rights.Context(), u.api.store, u.at, u.after, now)
		return err
	})
	return p, err
}

// inPassing calls do on a stack of its own: what checks rights and reads the storage needs a deep one, which every open stream would keep.
func (u *subscriber) inPassing(do func() error) error {
	done := make(chan error, 1)
	go func() {
		err := errors.New("a panic")
		defer func() { done <- err }()
		defer u.recoverPanic()
		err = do()
	}()
	return <-done
}

// piece is how many bytes are gathered until they are sent, about: a subscriber who does not read keeps them for as long as it may take.
const piece = 4 << 10

// buffers are for the pieces that are being sent.
var buffers = sync.Pool{New: func() any { return new([piece]byte) }}

// send sends what the subscriber may read of a page, up to where it is not known any more who may, since the subscriber reads slowly.
func (u *subscriber) send(p *page) error {
	buffer := buffers.Get().(*[piece]byte)
	defer buffers.Put(buffer)
	text := buffer[:headRoom]
	if p.gap {
		text = append(text, gap...)
	}
	for _, m := range p.messages {
		if len(text)+len(m.text) > piece-headRoom && len(text) > headRoom {
			if err := u.flush(text); err != nil || !p.fresh(u.sent) {
				return err
			}
			text = text[:headRoom]
		}
		if m.report != nil && u.rights.Caller().Level(m.report) >= record.MayRead {
			text = append(text, m.text...)
		}
		u.after = m.id
	}
	return u.flush(text)
}

// gap tells a subscriber that events are missing.
const gap = "event: gap\ndata: {\"message\":\"events since the last one were dropped: read anew\"}\n\n"

// say sends a text.
func (u *subscriber) say(text string) error { return u.flush(append(make([]byte, headRoom), text...)) }

// flush sends what stands behind the first headRoom bytes of b, if anything does.
func (u *subscriber) flush(b []byte) error {
	if len(b) == headRoom {
		return nil
	}
	err := u.out.send(b)
	u.sent = u.api.now()
	return err
}
