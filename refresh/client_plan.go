package refresh

import (
	"context"
	"errors"
	"strings"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/work"
)

// ClientPlan is what an add-in is to write to make a block show its table. It takes memory until it is closed.
type ClientPlan struct {
	Marker   string // the name that is to stand on the block
	Patch    host.Patch
	Beside   int                     // columns from the block's first that the shifts reach over, if the block has fewer; 0 without shifts
	Formulas []ClientFormulas        // around the block, to write behind the patch's own cells
	Status   *ClientStatus           // nil: the status cell is left alone, or there is none
	Checksum checksum.ResultChecksum // of the table
	// EditedRows and EditedCells count what stands in the block afterwards and is a person's.
	EditedRows, EditedCells int
	MovedRows               int
	Message                 string // what people had done to the block, and why its status cell is left alone; empty for nothing

	attempt *attempt
}

// ClientStatus is what an add-in is to write into the status cell of a placement.
type ClientStatus struct {
	Cell   string // of the block's sheet, as it stands before the patch: shifts move it
	Text   string
	Marker string // the name that is to stand on it
}

// Close releases the plan's memory. Nothing of its patch may be used afterwards.
func (p *ClientPlan) Close() {
	p.Patch.Grid = nil
	p.attempt.drop()
	p.attempt.results.collect()
}

// PlanClient plans what the add-in of a client run is to write where it read sheet, notes it as an agent does before a write, and keeps
// what the run will leave. It may be called again; the last plan counts. The caller closes the plan.
//
// Errors are a *NeedError; a *placements.Fault, which has ended the run unless it is transient; and those of RenewClient.
func (e *Engine) PlanClient(ctx context.Context, s ClientStep, sheet Sheet) (*ClientPlan, error) {
	a, err := e.resume(ctx, s)
	if err != nil {
		return nil, e.lost(ctx, s, err)
	}
	plan, err := a.heldPlan(ctx, sheet)
	if err == nil {
		return plan, nil
	}
	a.drop()
	if fault, ok := errors.AsType[*placements.Fault](err); ok && !retryable(fault) && !a.conclusion(ctx, fault, nil) {
		err = e.notConcluded(ctx, s)
	}
	if errors.Is(err, errDisconnected) {
		err = errors.Join(storage.ErrLockLost, err)
	}
	return nil, e.lost(ctx, s, err)
}

// notConcluded is why a plan did not end its run: that has ended by itself meanwhile, or the storage did not answer.
func (e *Engine) notConcluded(ctx context.Context, s ClientStep) error {
	if _, err := e.resume(ctx, s); err != nil {
		return err
	}
	return storage.ErrUnavailable
}

// heldPlan plans the one block of a client run and keeps the plan. The time that this takes is not the add-in's, which has as long again to
// ask for the next plan after one that it does not get.
func (a *attempt) heldPlan(ctx context.Context, sheet Sheet) (plan *ClientPlan, err error) {
	a.limit = newLimit(a.runLimit, func() {})
	defer a.limit.stop()
	if err := a.queue.Queue.Clients.PlanWithin(ctx, a.claim, a.runLimit); err != nil {
		return nil, err
	}
	defer a.planLater(ctx)
	ctx, cancel := a.whileHeld(ctx)
	defer cancel()
	if plan, err = a.planClient(ctx, sheet); err != nil {
		return nil, err
	}
	o := a.outcome(nil, nil)
	return plan, a.queue.KeepClientPlan(ctx, a.claim, o, digestOf(plan.Checksum))
}

// planLater lets the add-in ask for another plan, unless it has one.
func (a *attempt) planLater(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginLimit)
	defer cancel()
	if err := a.queue.Queue.Clients.PlanWithin(ctx, a.claim, queue.ClientLease); err != nil {
		a.log.DebugContext(ctx, "a client run without a plan may be held longer", "run", a.run.ID, "error", err)
	}
}

// whileHeld returns ctx with the end of the run's limit, when no lease goes on.
func (a *attempt) whileHeld(ctx context.Context) (context.Context, context.CancelFunc) {
	left := a.runLimit
	if began, err := time.Parse(time.RFC3339, a.run.StartedAt); err == nil {
		left -= a.begun.Sub(began)
	}
	return context.WithTimeoutCause(ctx, left, storage.ErrLockLost)
}

// planClient plans the one block of a client run.
func (a *attempt) planClient(ctx context.Context, sheet Sheet) (*ClientPlan, error) {
	defer a.logFaults()
	if a.asked = a.targets(); len(a.asked) == 0 {
		return nil, disconnected()
	}
	have, _ := a.query(ctx, a.admitted(a.asked))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(have) == 0 {
		if q := a.asking(a.asked[0]); q != nil {
			return nil, asFault(q.err) // which knows when to ask again
		}
		return nil, asFault(a.refusal(a.asked[0]))
	}
	one, patch, formulas, err := a.writeSheet(ctx, have[0], sheet)
	if err != nil {
		return nil, err
	}
	if _, elsewhere := a.note(one); elsewhere {
		a.failed(one.known, disconnected())
	}
	if one.left {
		return nil, disconnected()
	}
	if a.fault != nil {
		return nil, a.fault
	}
	beside := 0
	if len(patch.Shifts) > 0 {
		beside = one.goesAlong()
	}
	return &ClientPlan{
		Marker: host.MarkerName(one.now.ID), Patch: patch, Beside: beside, Formulas: formulas, Status: one.clientStatus(), Checksum: one.table.grid.Checksum(),
		EditedRows: len(one.plan.EditedRows), EditedCells: len(one.plan.Edits), MovedRows: one.plan.Moved,
		Message: strings.Join(one.words(), "; "), attempt: a,
	}, nil
}

// clientStatus is what an add-in is to write into the status cell, nil for nothing.
func (b *block) clientStatus() *ClientStatus {
	if !b.writesStatus() {
		return nil
	}
	return &ClientStatus{
		Cell: b.status.found.View.Anchor.String(), Text: b.status.text, Marker: host.MarkerName(host.StatusID(b.now.ID)),
	}
}

// clientShifts bounds what a plan of an add-in shifts: each is an operation of its own in the program that the add-in runs in, which shows
// nothing else meanwhile.
const clientShifts = 256

// writeSheet makes a block show its table as an agent does, in a session with the sheet that an add-in sent. patch is what it would write:
// the add-in does, and formulas around the block too. The error concerns the add-in; the block has its own.
func (a *attempt) writeSheet(
	ctx context.Context, p storage.Placed, sheet Sheet,
) (one *block, patch host.Patch, formulas []ClientFormulas, err error) {
	start := time.Now()
	j := &job{attempt: a, ctx: ctx, done: make(chan struct{})}
	one = &block{job: j, known: p, table: a.asking(p).table}
	j.blocks = []*block{one}
	b := newBatch(a.Engine, a.documentOf(a.d.Tenant, p.Placement), ctx)
	defer b.cancel()
	session, lease := &sheetSession{sheet: sheet, block: one}, work.ClientLease(ctx, a.claim)
	blocks, err := b.load(lease, []*job{j})
	if sheet.Status == nil {
		one.status = nil
	}
	if err == nil {
		err = b.writeParts(lease, session, blocks, checksum.Means{Shifts: clientShifts})
	}
	one.took = time.Since(start)
	if need, ok := errors.AsType[*NeedError](err); ok {
		a.kept.put(a.run.ID, a.queryKey(p), one.table)
		return nil, host.Patch{}, nil, need
	}
	if err != nil {
		j.fail(err)
	}
	if errors.Is(one.err, errOvertaken) || errors.Is(one.err, storage.ErrLockLost) {
		return nil, host.Patch{}, nil, storage.ErrLockLost
	}
	if patch = session.patch; patch.Grid == nil {
		patch = host.Patch{Block: one.where, Extent: one.shows}
		patch.Block.PlacementID, patch.Block.Sheet, patch.Block.Anchor = one.now.ID, one.view.Sheet, one.view.Anchor
	}
	return one, patch, session.formulas, one.ended(ctx)
}
