package refresh

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/parameter"
	"mooring/refresh/result"
	"mooring/refresh/site"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// refresh queries and writes placements, in several rounds when the tables of all do not fit in memory together, or when a placement moved
// meanwhile. It leaves the last document locked, until the attempt is completed. An error ends the attempt before it has tried all of them.
func (a *attempt) refresh(ctx context.Context, todo []storage.Placed) error {
	for len(todo) > 0 {
		todo = a.cells.read(ctx, todo)
		have, later := a.asker.query(ctx, todo)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(have) == 0 {
			a.member.Ready()
		}
		again, err := a.write(ctx, have)
		if err != nil {
			return err
		}
		a.asker.drop()
		if todo = append(later, a.gate.allowed(ctx, again)...); len(todo) == 0 {
			return nil
		}
		if err := a.release(ctx); err != nil {
			return err
		}
	}
	return nil
}

// write writes the placements, one document after the other: those to which other runs write at last. again are those that turned out to stand
// in another document, or to be placed by another person, and are to be queried and written yet.
func (a *attempt) write(ctx context.Context, todo []storage.Placed) (again []storage.Placed, err error) {
	var busy [][]storage.Placed
	refs, in := a.sites.ByDocument(a.ledger.d.Tenant, todo)
	for _, ref := range refs {
		here := in[ref]
		left, err := a.writeDocument(ctx, ref, here, site.HeldBriefly)
		if errors.Is(err, document.ErrHeld) {
			busy = append(busy, here)
			continue
		}
		if err != nil {
			return nil, err
		}
		again = append(again, left...)
	}
	left, err := a.writeBusy(ctx, busy)
	return append(again, left...), err
}

// writeBusy writes placements, by document, to which other runs write. Once it has waited long enough for all of them together, the rest wait
// without the attempt.
func (a *attempt) writeBusy(ctx context.Context, documents [][]storage.Placed) (again []storage.Placed, err error) {
	until := time.Now().Add(site.HeldPatience)
	for _, here := range documents {
		ref := a.sites.Of(a.ledger.d.Tenant, here[0].Placement)
		left, err := a.writeDocument(ctx, ref, here, max(site.HeldBriefly, time.Until(until)))
		if errors.Is(err, document.ErrHeld) {
			fault := fault.Of(a.sites.Held(ctx, ref.Tenant, a.sites.LockName(ref)))
			for _, p := range here {
				a.ledger.failed(p, fault)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		again = append(again, left...)
	}
	return again, nil
}

// writeDocument writes placements of one document together with what other attempts want there. again is write's. document.ErrHeld: for so long the
// document was another run's, and nothing was done.
func (a *attempt) writeDocument(
	ctx context.Context, ref site.Ref, list []storage.Placed, patience time.Duration,
) (again []storage.Placed, err error) {
	if err := a.release(ctx); err != nil {
		return nil, err
	}
	ctx, span := trace.Start(ctx, "document")
	defer span.End()
	span.Text("mooring.document", ref.ID)
	tasks := make([]*document.Task, len(list))
	for i, p := range list {
		tasks[i] = a.task(p, a.asker.asking(p).table)
	}
	a.asker.limit.Pause()
	a.held = a.gathering.Join(ctx, ref, a.member, tasks)
	a.member.Ready()
	outs, err := a.held.Wait(patience)
	a.asker.limit.Resume()
	if err != nil {
		return nil, err
	}
	for i := range outs {
		if err := outs[i].Ended(ctx); err != nil {
			return nil, err
		}
		if p, left := a.note(&outs[i]); left {
			again = append(again, p)
		}
	}
	return again, nil
}

// task is what is to be written at a placement.
func (a *attempt) task(p storage.Placed, t *result.Answer) *document.Task {
	o := &document.Task{
		Deployment: a.ledger.d, Report: a.ledger.report, Placement: p, Table: t, Claim: a.ledger.claim, Personal: a.ledger.personal, Location: a.location,
		Clock: document.Clock{Begun: a.ledger.begun, Started: a.ledger.started}, Limit: a.asker.limit, Progress: a.ledger.progress,
		Kept: a.ledger.kept,
	}
	o.Feeds = parameter.Feeds(&p.Placement, a.ledger.report.Parameters)
	o.Reading = a.ledger.readings.Of(&p.Placement)
	return o
}

// release stores what the attempt has left in the document that it has locked, and unlocks it. ErrLockLost: another attempt has
// begun. What could not be stored is stored when the attempt completes.
func (a *attempt) release(ctx context.Context) error {
	if a.held == nil {
		return nil
	}
	defer a.leave()
	var o work.Outcome
	written := func(s work.PlacementOutcome) bool { return s.Written }
	for _, s := range a.ending.completed() {
		if written(s) {
			o.Placements = append(o.Placements, s)
		}
	}
	if len(o.Placements) == 0 {
		return nil
	}
	o.Refreshed = a.ledger.requester()
	err := persist(ctx, func(ctx context.Context) error { return a.ledger.queue.Record(ctx, a.ledger.claim, o) })
	if err == nil {
		a.ledger.completions = slices.DeleteFunc(a.ledger.completions, written)
	}
	if errors.Is(err, storage.ErrLockLost) {
		return err
	}
	return nil
}

// leave unlocks the document that the attempt has locked.
func (a *attempt) leave() {
	if a.held != nil {
		a.held.Leave()
		a.held = nil
	}
}

// note says in the run what came of a block. again is true for a placement that was moved or taken over meanwhile and is to be refreshed
// there.
func (a *attempt) note(o *document.Receipt) (p storage.Placed, again bool) {
	known := o.Task.Placement
	switch asked := a.ledger.run.Target(); {
	case !o.Left:
		a.tried(o)
	case o.Asks:
		return o.Now, a.cells.changed(o)
	case o.Now.ID != "" && asked.Has(o.Now.Placement):
		return o.Now, true
	case asked.PlacementID != "":
		a.ledger.failed(known, disconnected())
	case o.Now.ID != "", a.ledger.waited[known.ID]: // else the run says nothing of it
		a.ledger.gone(known.ID)
	}
	return storage.Placed{}, false
}

// available leaves out what waits still, where the attempt would refresh nothing but what waits for its documents: the source is not asked
// for rows that cannot be written.
func (a *attempt) available(ctx context.Context, list []storage.Placed) (may []storage.Placed) {
	if slices.ContainsFunc(list, func(p storage.Placed) bool { return !waitsForDocument(p) }) {
		return list
	}
	refs, in := a.sites.ByDocument(a.ledger.d.Tenant, list)
	for _, ref := range refs {
		here := in[ref]
		err := a.look(ctx, ref, here[0])
		if ctx.Err() != nil {
			return nil // the caller knows why
		}
		for _, p := range here {
			if !a.stillWaits(p, err) {
				may = append(may, p)
			}
		}
	}
	return may
}

// completion is what the attempt leaves on a placement whose block shows the table.
func (a *attempt) completion(o *document.Receipt) work.PlacementOutcome {
	one := work.PlacementOutcome{Placement: o.Now.Placement, Before: o.Now}
	stamp := placements.Stamp{Now: a.ledger.now(), By: placements.RunAs{UID: a.ledger.run.RequestedBy.ID}, QueryChecksum: a.ledger.report.CurrentChecksum}
	if with, err := a.ledger.arguments(o.Task.Placement); err == nil {
		stamp.Used = with.Keys()
	}
	if p, rows, err := o.Refreshed(stamp); err == nil {
		one.Placement, one.Rows, one.Edits, one.Written = p, rows, o.Edits(), true
		if one.Change = o.Change(); one.Change != nil {
			one.Change.At = p.RefreshedAt
		}
	}
	return one
}

// tried says in the run what came of a task in the document where its block was looked for.
func (a *attempt) tried(out *document.Receipt) {
	o := a.ledger.outcomeOf(out.Task.Placement)
	o.State = placements.RunSucceeded
	o.RowsWritten, o.CellsWritten, o.HostCalls, o.WriteMs = out.Written.Rows, out.Written.Cells, out.Calls, out.Took.Milliseconds()
	if out.Err == nil {
		plan := out.Changes()
		o.MovedRows, o.ReturnedRows = plan.Moved, plan.Returned
		if a.ledger.kept != nil {
			put := record.PutBack(plan.PutBack)
			o.PutBack = &put
		}
		o.EditedRows = plan.EditedRows[:min(len(plan.EditedRows), maxEditedRows)]
		if c := out.Change(); c != nil {
			o.ChangedRows = c.Counts.Changed + c.Counts.Added + c.Counts.Removed
		}
	}
	if out.Err == nil || out.Sent {
		o.Overwritten = out.Replaced()
		o.OthersValues = len(o.Overwritten) > 0 && out.OthersValues()
	}
	a.ledger.run.RowsWritten += o.RowsWritten
	a.ledger.run.CellsWritten += o.CellsWritten
	a.ledger.run.HostCalls += o.HostCalls
	a.ledger.run.WriteMs += o.WriteMs
	a.ledger.run.MovedRows += o.MovedRows
	a.ledger.run.ReturnedRows += o.ReturnedRows
	if out.Err != nil {
		a.ledger.fail(out.Recorded(), o, a.ledger.faultOfTask(out))
		return
	}
	a.ledger.faults.answered(a.ledger.faults.ofDocument(out.Now.Placement))
	o.Note = strings.Join(out.Notes(), "; ")
	a.ledger.setOutcome(o)
	a.ledger.completions = append(a.ledger.completions, a.completion(out))
	a.ledger.progress(describe(out.Now.Placement, o, out.Words()))
}

// stillWaits reports whether a placement waits on, because of what was seen at its document, and says so in the run. Any other fault is left
// to the refresh, which knows what is to be told of it.
func (a *attempt) stillWaits(p storage.Placed, seen error) bool {
	if seen == nil {
		return false
	}
	f := fault.Of(seen)
	if p.LastRun.Reason == placements.ReasonMissing && errors.Is(f, fs.ErrNotExist) {
		f = a.ledger.awaitFile(p, f)
	}
	f = fault.OfDocument(f)
	if !fault.Retryable(f) {
		return false
	}
	a.ledger.failed(p, f)
	return true
}
