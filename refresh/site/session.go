package site

import (
	"context"
	"errors"
	"slices"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/trace"
)

// session is an open document whose calls may hang. After one was left behind no other is made.
type session struct {
	host.Session
	calls *fault.Calls
	of    fault.Callee
	left  *fault.LeftError // nil: none
}

// follower is a session of a host.Follower.
type follower struct{ *session }

var _ host.Follower = follower{}

// Open opens a document.
func (s *Locator) Open(ctx context.Context, h host.Driver, ref Ref) (host.Session, error) {
	ctx, span := trace.Start(ctx, "open")
	defer span.End()
	of := ref.Subject()
	opened, err := fault.Call(ctx, s.Calls, of, func() (host.Session, error) { return openNow(ctx, h, ref.ID) })
	fault.Mark(span, err)
	if err != nil {
		return nil, err
	}
	one := &session{Session: opened, calls: s.Calls, of: of}
	if _, ok := opened.(host.Follower); ok {
		return follower{one}, nil
	}
	return one, nil
}

// openNow opens a document, but not for a caller that may be gone.
func openNow(ctx context.Context, h host.Driver, document string) (host.Session, error) {
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

// ReadParameters is host.ParameterReader's. A host that reads no cells of parameters says so of each.
func (s *session) ReadParameters(
	ctx context.Context, wanted []host.Wanted, cells []host.ParameterCells,
) ([]host.Found, []host.FoundParameter, error) {
	of, can := s.Session.(host.ParameterReader)
	if !can {
		found, err := s.Read(ctx, wanted)
		return found, slices.Repeat([]host.FoundParameter{{Err: errNoParameters}}, len(cells)), err
	}
	type answer struct {
		found      []host.Found
		parameters []host.FoundParameter
	}
	got, err := sessionCall(ctx, s, func() (a answer, err error) {
		a.found, a.parameters, err = of.ReadParameters(ctx, wanted, cells)
		return a, err
	})
	return got.found, got.parameters, err
}

var errNoParameters = &placements.Fault{
	Class: placements.Permanent, Message: "this kind of spreadsheet gives no values of cells to parameters: send their values",
}

// Write is host.Session's.
func (s *session) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	return sessionCall(ctx, s, func() ([]host.Written, error) { return s.Session.Write(ctx, patches) })
}

// Follows is host.Follower's.
func (s follower) Follows(ctx context.Context, patches []host.Patch) (host.Follow, error) {
	return sessionCall(ctx, s.session, func() (host.Follow, error) { return s.Session.(host.Follower).Follows(ctx, patches) })
}

// Identity is what the document says of itself. errors.ErrUnsupported: its host keeps no such thing.
func (s *session) Identity(ctx context.Context) (host.Identity, error) {
	of, can := s.Session.(host.Identified)
	if !can {
		return host.Identity{}, errors.ErrUnsupported
	}
	return sessionCall(ctx, s, func() (host.Identity, error) { return of.Identity(ctx) })
}

// Identify is host.Identified's.
func (s *session) Identify(i host.Identity) { s.Session.(host.Identified).Identify(i) }

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
