package refresh

import (
	"context"
	"errors"

	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/trace"
)

// session is an open document whose calls may hang. After one was left behind no other is made.
type session struct {
	host.Session
	calls *fault.Calls
	of    fault.Subject
	left  *fault.LeftError // nil: none
}

// follower is a session of a host.Follower.
type follower struct{ *session }

var _ host.Follower = follower{}

// open opens a document.
func (e *Engine) open(ctx context.Context, h host.Host, ref documentRef) (host.Session, error) {
	ctx, span := trace.Start(ctx, "open")
	defer span.End()
	of := ref.subject()
	opened, err := fault.Call(ctx, &e.calls, of, func() (host.Session, error) { return openNow(ctx, h, ref.id) })
	fault.Mark(span, err)
	if err != nil {
		return nil, err
	}
	s := &session{Session: opened, calls: &e.calls, of: of}
	if _, ok := opened.(host.Follower); ok {
		return follower{s}, nil
	}
	return s, nil
}

// openNow opens a document, but not for a caller that may be gone.
func openNow(ctx context.Context, h host.Host, document string) (host.Session, error) {
	s, err := h.Open(ctx, document)
	if err == nil && ctx.Err() != nil {
		s.Close()
		return nil, context.Cause(ctx)
	}
	return s, err
}

// sessionCall makes a call of s.
func sessionCall[T any](ctx context.Context, s *session, do func() (T, error)) (value T, err error) {
	if s.left != nil {
		return value, s.left
	}
	value, err = fault.Call(ctx, s.calls, s.of, do)
	s.left, _ = errors.AsType[*fault.LeftError](err)
	return value, err
}

// Read is host.Session's.
func (s *session) Read(ctx context.Context, wanted []host.Wanted) ([]host.Found, error) {
	return sessionCall(ctx, s, func() ([]host.Found, error) { return s.Session.Read(ctx, wanted) })
}

// Write is host.Session's.
func (s *session) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	return sessionCall(ctx, s, func() ([]host.Written, error) { return s.Session.Write(ctx, patches) })
}

// Follows is host.Follower's.
func (s follower) Follows(ctx context.Context, patches []host.Patch) (host.Follow, error) {
	return sessionCall(ctx, s.session, func() (host.Follow, error) { return s.Session.(host.Follower).Follows(ctx, patches) })
}

// Close closes the document; one with a call that was left behind once that has come back.
func (s *session) Close() error {
	if s.left != nil {
		go func() {
			<-s.left.Back
			_ = s.close()
		}()
		return nil
	}
	return s.close()
}

// close gives the host the grace of a call whose context has ended.
func (s *session) close() error {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := fault.Detached(ended, s.calls, s.of, func() (struct{}, error) { return struct{}{}, s.Session.Close() })
	return err
}
