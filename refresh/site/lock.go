package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
)

// LockSoon locks a document, unless another run has it for longer than briefly: then it is the fault Held.
func (s *Locator) LockSoon(ctx context.Context, ref Ref) (held context.Context, release func(), err error) {
	return s.LockSoonAs(ctx, ref.Tenant, s.LockName(ref))
}

// LockSoonAs is LockSoon of the document whose lock has that name.
func (s *Locator) LockSoonAs(ctx context.Context, tenant, name string) (held context.Context, release func(), err error) {
	waiting, stop := context.WithCancel(ctx)
	tooLong := time.AfterFunc(HeldBriefly, stop)
	held, _, free, err := s.Queue.LockDocument(waiting, tenant, name)
	if !tooLong.Stop() && err == nil {
		free()
		err = context.Canceled
	}
	if err == nil {
		return held, func() { free(); stop() }, nil
	}
	stop()
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		err = s.Held(ctx, tenant, name)
	}
	return nil, nil, err
}

// How long an attempt waits for a document to which another run writes, before it goes on with others, and once none is left.
const (
	HeldBriefly  = 250 * time.Millisecond
	HeldPatience = 10 * time.Second
)

// Held is why a document cannot be written now: another run has it.
func (s *Locator) Held(ctx context.Context, tenant, name string) error {
	who, err := s.Queue.DocumentWriter(ctx, tenant, name)
	if err != nil {
		return err
	}
	return &placements.Fault{
		Class: placements.Transient, Reason: placements.ReasonHeld,
		Message: fmt.Sprintf("another refresh writes to the spreadsheet %q (%s): this one goes on when it is free", name, cmp.Or(who, "another run")),
	}
}
