package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
)

// look reports why a document cannot be refreshed now, nil if it can as far as can be seen at the first cell of a placement.
func (a *attempt) look(ctx context.Context, ref documentRef, p storage.Placed) error {
	at, ok := p.Address()
	if !ok {
		return nil
	}
	h, fault := a.hostOf(ref)
	if fault != nil {
		return fault
	}
	lease, release, err := a.lockSoon(ctx, ref)
	if err != nil {
		return err
	}
	defer release()
	s, err := a.open(lease, h, ref)
	if err != nil {
		return err
	}
	cell := host.Block{Document: ref.id, SheetID: p.SheetID, Sheet: at.Sheet, Anchor: at.Anchor}
	_, err = s.Read(lease, []host.Wanted{{Block: cell, Extent: checksum.Extent{Rows: 1, Columns: 1}}})
	return errors.Join(err, s.Close())
}

// lockSoon locks a document, unless another run has it for longer than briefly: then it is the fault held.
func (e *Engine) lockSoon(ctx context.Context, ref documentRef) (lease context.Context, release func(), err error) {
	return e.lockSoonAs(ctx, ref.tenant, e.lockOf(ref))
}

// lockSoonAs is lockSoon of the document whose lock has that name.
func (e *Engine) lockSoonAs(ctx context.Context, tenant, name string) (lease context.Context, release func(), err error) {
	waiting, stop := context.WithCancel(ctx)
	tooLong := time.AfterFunc(heldBriefly, stop)
	lease, free, err := e.queue.LockDocument(waiting, tenant, name)
	if !tooLong.Stop() && err == nil {
		free()
		err = context.Canceled
	}
	if err == nil {
		return lease, func() { free(); stop() }, nil
	}
	stop()
	if ctx.Err() == nil && errors.Is(err, context.Canceled) {
		err = e.held(ctx, tenant, name)
	}
	return nil, nil, err
}

// How long an attempt waits for a document to which another run writes, before it goes on with others, and once none is left.
const (
	heldBriefly  = 250 * time.Millisecond
	heldPatience = 10 * time.Second
)

// held is why a document cannot be written now: another run has it.
func (e *Engine) held(ctx context.Context, tenant, name string) error {
	who, err := e.queue.DocumentWriter(ctx, tenant, name)
	if err != nil {
		return err
	}
	return &placements.Fault{
		Class: placements.Transient, Reason: placements.ReasonHeld,
		Message: fmt.Sprintf("another refresh writes to the spreadsheet %q (%s): this one goes on when it is free", name, cmp.Or(who, "another run")),
	}
}
