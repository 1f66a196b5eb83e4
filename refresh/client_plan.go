package refresh

import (
	"context"
	"errors"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/work"
)

// Plan plans what the add-in of a client run is to write where it read sheet, notes it as an agent does before a write, and keeps
// what the run will leave. It may be called again; the last plan counts. The caller closes the plan.
//
// Errors are a *NeedError; a *placements.Fault, which has ended the run unless it is transient; and those of Renew.
func (c *ClientRuns) Plan(ctx context.Context, s ClientStep, sheet Sheet) (*ClientPlan, error) {
	a, err := c.resume(ctx, s)
	if err != nil {
		return nil, c.lost(ctx, s, err)
	}
	plan, err := a.heldPlan(ctx, sheet)
	if err == nil {
		return plan, nil
	}
	a.asker.drop()
	if f, ok := errors.AsType[*placements.Fault](err); ok && !fault.Retryable(f) && !a.conclusion(ctx, f, nil) {
		err = c.notConcluded(ctx, s)
	}
	if errors.Is(err, errDisconnected) {
		err = errors.Join(storage.ErrLockLost, err)
	}
	return nil, c.lost(ctx, s, err)
}

// notConcluded is why a plan did not end its run: that has ended by itself meanwhile, or the storage did not answer.
func (c *ClientRuns) notConcluded(ctx context.Context, s ClientStep) error {
	if _, err := c.resume(ctx, s); err != nil {
		return err
	}
	return storage.ErrUnavailable
}

// heldPlan plans the one block of a client run and keeps the plan. The time that this takes is not the add-in's, which has as long again to
// ask for the next plan after one that it does not get.
func (a *attempt) heldPlan(ctx context.Context, sheet Sheet) (plan *ClientPlan, err error) {
	a.asker.limit = fault.NewLimit(a.runLimit, func() {})
	defer a.asker.limit.Stop()
	if err := a.ledger.queue.Queue.Clients.PlanWithin(ctx, a.ledger.claim, a.runLimit); err != nil {
		return nil, err
	}
	defer a.planLater(ctx)
	ctx, cancel := a.whileHeld(ctx)
	defer cancel()
	if plan, err = a.planClient(ctx, sheet); err != nil {
		return nil, err
	}
	o := a.ending.outcome(nil, nil)
	return plan, a.ledger.queue.KeepClientPlan(ctx, a.ledger.claim, o, digestOf(plan.Checksum))
}

// planLater lets the add-in ask for another plan, unless it has one.
func (a *attempt) planLater(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), beginLimit)
	defer cancel()
	if err := a.ledger.queue.Queue.Clients.PlanWithin(ctx, a.ledger.claim, queue.ClientLease); err != nil {
		a.ending.log.DebugContext(ctx, "a client run without a plan may be held longer", "run", a.ledger.run.ID, "error", err)
	}
}

// whileHeld returns ctx with the end of the run's limit, when no lease goes on.
func (a *attempt) whileHeld(ctx context.Context) (context.Context, context.CancelFunc) {
	left := a.runLimit
	if began, err := time.Parse(time.RFC3339, a.ledger.run.StartedAt); err == nil {
		left -= a.ledger.begun.Sub(began)
	}
	return context.WithTimeoutCause(ctx, left, storage.ErrLockLost)
}

// planClient plans the one block of a client run.
func (a *attempt) planClient(ctx context.Context, sheet Sheet) (*ClientPlan, error) {
	defer a.ledger.faults.logFaults()
	if a.ledger.asked = a.ledger.targets(); len(a.ledger.asked) == 0 {
		return nil, disconnected()
	}
	if f := a.ledger.loadKept(ctx); f != nil {
		return nil, f
	}
	if err := a.cells.readSheet(a.ledger.asked[0], sheet); err != nil {
		return nil, err
	}
	have, _ := a.asker.query(ctx, a.gate.admitted(a.ledger.asked))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, err := a.ledger.arguments(a.ledger.asked[0]); err != nil {
		return nil, fault.Of(err)
	}
	if len(have) == 0 {
		if q := a.asker.asking(a.ledger.asked[0]); q != nil {
			return nil, fault.Of(q.err) // which knows when to ask again
		}
		return nil, fault.Of(a.gate.refusal(a.ledger.asked[0]))
	}
	out, plan, err := a.writeSheet(ctx, have[0], sheet)
	if err != nil {
		return nil, err
	}
	if _, elsewhere := a.note(out); elsewhere {
		a.ledger.failed(out.Task.Placement, disconnected())
	}
	if out.Left {
		return nil, disconnected()
	}
	if a.ledger.fault != nil {
		return nil, a.ledger.fault
	}
	return plan, nil
}

// writeSheet makes a block show its table as an agent does, in the sheet that an add-in sent: what it would write, the add-in does. The error
// concerns the add-in; the block has its own.
func (a *attempt) writeSheet(ctx context.Context, p storage.Placed, sheet Sheet) (*document.Receipt, *ClientPlan, error) {
	o := a.task(p, a.asker.asking(p).table)
	lease := document.Lease{Context: ctx, Document: work.ClientLease(a.ledger.claim)}
	out, plan := a.documents.PlanSheet(lease, a.sites.Of(a.ledger.d.Tenant, p.Placement), sheet, o)
	switch need, ok := errors.AsType[*NeedError](out.Err); {
	case ok:
		a.asker.keep(p, o.Table)
		return nil, nil, need
	case errors.Is(out.Err, document.ErrOvertaken) || errors.Is(out.Err, storage.ErrLockLost):
		return nil, nil, storage.ErrLockLost
	}
	return out, plan, out.Ended(ctx)
}
