package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage"
)

// attempt is the work of one attempt of a run.
type attempt struct {
	*Engine
	d        storage.Deployment
	run      *storage.Run
	claim    *storage.RunAttempt
	alone    bool         // no agent may take the run over
	begun    time.Time    // by the store's clock
	since    time.Time    // the same moment by our own
	progress func(string) // a line for whoever watches
	member   *member
	limit    *limit
	report   *storage.Report
	asked    []storage.Placed // what the attempt is to refresh
	askings  []*asking        // of the source, one for each on whose behalf there is something to refresh
	total    storage.Tally    // of all queries
	held     *job             // in the document that is locked until the attempt is settled, nil without one
	settled  []storage.Settlement
	// retryAfter is the longest that a source or host asked to wait.
	retryAfter time.Duration
	// missing: a file that was written before is not there, and is waited for.
	missing bool
}

// work refreshes every placement that the run asks for and that it has not refreshed yet. What came of it is in the run and in
// settled. It returns the fault that decides how the run goes on: why it did not end, else the first one that passes by itself, else
// the first one, nil without any.
func (a *attempt) work(ctx context.Context) *placements.Fault {
	if fault := a.load(ctx); fault != nil {
		return fault
	}
	if fault := a.mayGoOn(); fault != nil {
		return fault
	}
	if a.asked = a.targets(); len(a.asked) == 0 {
		return a.nothingToDo()
	}
	if a.asked = a.reached(a.asked); len(a.asked) == 0 {
		return a.worst()
	}
	if err := a.store.MarkRunning(ctx, a.d, a.run, ids(a.asked)); err != nil {
		return asFault(err)
	}
	a.member.announce(a.documentsOf(a.asked))
	if err := a.refresh(ctx, a.asked); err != nil {
		return asFault(err)
	}
	return a.worst()
}

// refresh queries and writes placements, in several rounds when the tables of all do not fit in memory together, or when a placement moved
// meanwhile. It leaves the last document locked, until the attempt is settled. An error ends the attempt before it has tried all of them.
func (a *attempt) refresh(ctx context.Context, todo []storage.Placed) error {
	for len(todo) > 0 {
		have, later := a.query(ctx, todo)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(have) == 0 {
			a.member.ready()
		}
		again, err := a.write(ctx, have)
		if err != nil {
			return err
		}
		a.drop()
		if todo = append(later, a.reached(again)...); len(todo) == 0 {
			return nil
		}
		if err := a.release(ctx); err != nil {
			return err
		}
	}
	return nil
}

// now is the present by the store's clock, which all agents share.
func (a *attempt) now() time.Time { return a.begun.Add(time.Since(a.since)) }

// worst is the fault, over all placements of the run, that decides how it goes on.
func (a *attempt) worst() (worst *placements.Fault) {
	for _, o := range a.run.Placements {
		if o.State != placements.RunFailed {
			continue
		}
		f := &placements.Fault{Class: o.ErrorClass, Message: o.Error, RetryAfter: a.retryAfter}
		if a.missing {
			f.Err = fs.ErrNotExist
		}
		if worst == nil || !passes(worst) && passes(f) {
			worst = f
		}
	}
	return worst
}

// passes tells whether another attempt may fare better.
func passes(f *placements.Fault) bool {
	return f.Class == placements.Transient || f.Class == placements.Quota
}

func (a *attempt) load(ctx context.Context) *placements.Fault {
	r, err := a.store.Load(ctx, a.claim)
	if errors.Is(err, storage.ErrNotFound) {
		return &placements.Fault{Class: placements.Structure, Message: "the report does not exist any more"}
	}
	if err != nil {
		return asFault(err)
	}
	a.report = r
	return nil
}

// targets are the placements to refresh, without those that an earlier attempt of this run is done with: document by document, in an order
// that all runs share, so that they meet.
func (a *attempt) targets() []storage.Placed {
	var targets []storage.Placed
	for _, p := range a.report.Placements {
		if a.run.Target().Has(p.Placement) && !a.done(p.ID) {
			targets = append(targets, p)
		}
	}
	slices.SortStableFunc(targets, func(p, q storage.Placed) int {
		return cmp.Or(cmp.Compare(p.Host, q.Host), cmp.Compare(p.WorkbookID, q.WorkbookID))
	})
	return targets
}

// done tells whether an earlier attempt of this run came to an end with a placement, good or bad.
func (a *attempt) done(placementID string) bool {
	o := a.placementOutcome(placementID)
	return o.State == placements.RunSucceeded ||
		o.State == placements.RunFailed && !passes(&placements.Fault{Class: o.ErrorClass})
}

func ids(list []storage.Placed) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.ID
	}
	return out
}

// nothingToDo is a fault when the run asked for a placement that is gone; a report without placements is refreshed already.
func (a *attempt) nothingToDo() *placements.Fault {
	if a.run.PlacementID == "" || a.done(a.run.PlacementID) {
		return a.worst()
	}
	return disconnected()
}

func disconnected() *placements.Fault {
	return &placements.Fault{Class: placements.Structure, Message: "the placement was disconnected: there is nothing to refresh"}
}

// placementOutcome is what the run says of a placement so far.
func (a *attempt) placementOutcome(placementID string) storage.RunPlacement {
	for _, o := range a.run.Placements {
		if o.PlacementID == placementID {
			return o
		}
	}
	return storage.RunPlacement{PlacementID: placementID}
}

// outcomeOf is the beginning of what the run says of a placement: on whose behalf it was queried, and the result, if there is one.
func (a *attempt) outcomeOf(p storage.Placed) storage.RunPlacement {
	o := storage.RunPlacement{PlacementID: p.ID, RunAsUserID: p.Behalf().UID}
	if q := a.asking(p); q != nil && q.table != nil {
		o.Tally = q.table.tally()
	}
	return o
}

func (a *attempt) setOutcome(o storage.RunPlacement) {
	i := slices.IndexFunc(a.run.Placements, func(old storage.RunPlacement) bool { return old.PlacementID == o.PlacementID })
	if i < 0 {
		a.run.Placements = append(a.run.Placements, o)
		return
	}
	a.run.Placements[i] = o
}

// documentsOf lists the documents of placements, in their order.
func (a *attempt) documentsOf(list []storage.Placed) []documentRef {
	var refs []documentRef
	for _, p := range list {
		if ref := documentOf(a.d.Tenant, p); !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}

// write writes the placements, one document after the other. again are those that turned out to stand in another document, or to be placed by
// another person, and are to be queried and written yet.
func (a *attempt) write(ctx context.Context, todo []storage.Placed) (again []storage.Placed, err error) {
	for len(todo) > 0 {
		if err := a.release(ctx); err != nil {
			return nil, err
		}
		ref := documentOf(a.d.Tenant, todo[0])
		var here, rest []storage.Placed
		for _, p := range todo {
			if documentOf(a.d.Tenant, p) == ref {
				here = append(here, p)
			} else {
				rest = append(rest, p)
			}
		}
		left, err := a.writeDocument(ctx, ref, here)
		if err != nil {
			return nil, err
		}
		todo, again = rest, append(again, left...)
	}
	return again, nil
}

// writeDocument writes placements of one document together with what other attempts want there. again is write's.
func (a *attempt) writeDocument(ctx context.Context, ref documentRef, list []storage.Placed) (again []storage.Placed, err error) {
	if _, fault := a.host(ref.tenant, ref.host); fault != nil {
		for _, p := range list {
			a.failed(p, fault)
		}
		return nil, nil
	}
	j := &job{attempt: a, ctx: ctx, done: make(chan struct{})}
	for _, p := range list {
		j.blocks = append(j.blocks, &block{job: j, known: p, table: a.asking(p).table})
	}
	a.limit.pause()
	a.join(ref, j)
	a.held = j
	a.member.ready()
	if err := j.wait(); err != nil {
		return nil, err
	}
	for _, b := range j.blocks {
		if err := b.ended(ctx); err != nil {
			return nil, err
		}
		if p, left := a.note(b); left {
			again = append(again, p)
		}
	}
	return again, nil
}

// note says in the run what came of a block. again is true for a placement that was moved or taken over meanwhile and is to be refreshed
// there.
func (a *attempt) note(b *block) (p storage.Placed, again bool) {
	switch asked := a.run.Target(); {
	case !b.left:
		a.tried(b)
	case b.now.ID != "" && asked.Has(b.now.Placement):
		return b.now, true
	case asked.PlacementID != "":
		a.failed(b.known, disconnected())
	}
	return storage.Placed{}, false
}

// maxEditedRows bounds the edited rows that a run names.
const maxEditedRows = 1000

// tried says in the run what came of a block in the document where it was looked for.
func (a *attempt) tried(b *block) {
	o := a.outcomeOf(b.known)
	o.State = placements.RunSucceeded
	o.RowsWritten, o.CellsWritten, o.HostCalls, o.WriteMs = b.written.Rows, b.written.Cells, b.calls, b.took.Milliseconds()
	o.MovedRows, o.ReturnedRows = b.plan.Moved, b.plan.Returned
	o.EditedRows, o.Overwritten = b.plan.EditedRows[:min(len(b.plan.EditedRows), maxEditedRows)], b.plan.Overwritten
	a.run.RowsWritten += o.RowsWritten
	a.run.CellsWritten += o.CellsWritten
	a.run.HostCalls += o.HostCalls
	a.run.WriteMs += o.WriteMs
	a.run.MovedRows += o.MovedRows
	a.run.ReturnedRows += o.ReturnedRows
	if b.err != nil {
		a.fail(b.recorded(), o, a.released(b.recorded().Placement, asFault(b.err)))
		return
	}
	a.setOutcome(o)
	a.settled = append(a.settled, a.settlement(b))
	a.progress(describe(b.now.Placement, o, b.plan.words(b.view)))
}

// failed says in the run why nothing was done to a placement.
func (a *attempt) failed(p storage.Placed, fault *placements.Fault) { a.fail(p, a.outcomeOf(p), fault) }

// fail is failed for what was done so far.
func (a *attempt) fail(p storage.Placed, o storage.RunPlacement, fault *placements.Fault) {
	o.State, o.ErrorClass, o.Error = placements.RunFailed, fault.Class, fault.Message
	a.retryAfter = max(a.retryAfter, fault.RetryAfter)
	a.missing = a.missing || fault.Class == placements.Transient && errors.Is(fault, fs.ErrNotExist)
	a.logFault(fault)
	a.setOutcome(o)
	a.settled = append(a.settled, storage.Settlement{Placement: p.Placement, Before: p})
	a.progress(describe(p.Placement, o, nil))
}

// settlement is what the attempt leaves on a placement whose block shows the table.
func (a *attempt) settlement(b *block) storage.Settlement {
	one := storage.Settlement{Placement: b.now.Placement, Before: b.now}
	stamp := placements.Stamp{Now: a.now(), By: placements.RunAs{UID: a.run.RequestedBy.ID}, QueryChecksum: a.report.CurrentChecksum}
	if p, rows, err := b.settled(stamp); err == nil {
		one.Placement, one.Rows, one.Edits, one.Written = p, rows, b.plan.Edits, true
	}
	return one
}

func (a *attempt) logFault(f *placements.Fault) {
	a.log.Warn("refresh failed", "tenant", a.d.Tenant, "deployment", a.d.ID, "run", a.run.ID,
		"class", f.Class, "message", f.Message, "cause", f.Err)
}

// describe is the line that says what happened to a placement, and what people had done to its block.
func describe(p placements.Placement, o storage.RunPlacement, found []string) string {
	where := fmt.Sprintf("%s in %s", p.ResultLocation, p.WorkbookID)
	switch {
	case o.State != placements.RunSucceeded:
		return fmt.Sprintf("%s: %s: %s", where, o.ErrorClass, o.Error)
	case o.RowsWritten == 0:
		where += ": nothing to write"
	default:
		where += fmt.Sprintf(": %d %s written (%d %s)",
			o.RowsWritten, plural(o.RowsWritten, "row", "rows"), o.CellsWritten, plural(o.CellsWritten, "cell", "cells"))
	}
	return strings.Join(append([]string{where}, found...), "; ")
}
