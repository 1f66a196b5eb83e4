package refresh

import (
	"context"
	"errors"
	"fmt"
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
	begun    time.Time    // by the store's clock
	since    time.Time    // the same moment by our own
	progress func(string) // a line for whoever watches
	report   *storage.Report
	table    *result
	settled  []storage.Settlement
	// retryAfter is the longest that a source or host asked to wait.
	retryAfter time.Duration
}

// work refreshes every placement that the run asks for and that it has not refreshed yet. What came of it is in the run and in settled.
// It returns the fault that decides how the run goes on: the first one that passes by itself, else the first one, nil without any.
func (a *attempt) work(ctx context.Context) *placements.Fault {
	if fault := a.load(ctx); fault != nil {
		return fault
	}
	targets := a.targets()
	if len(targets) == 0 {
		return a.nothingToDo()
	}
	if err := a.store.MarkRunning(ctx, a.d, a.run, ids(targets)); err != nil {
		return asFault(err)
	}
	fault := a.query(ctx)
	for _, p := range targets {
		a.place(ctx, p, fault)
	}
	return a.worst()
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

// targets are the placements to refresh, without those that an earlier attempt of this run is done with.
func (a *attempt) targets() []storage.Placed {
	var targets []storage.Placed
	for _, p := range a.report.Placements {
		if a.run.Target().Has(p) && !a.done(p.ID) {
			targets = append(targets, p)
		}
	}
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

func (a *attempt) setOutcome(o storage.RunPlacement) {
	i := slices.IndexFunc(a.run.Placements, func(old storage.RunPlacement) bool { return old.PlacementID == o.PlacementID })
	if i < 0 {
		a.run.Placements = append(a.run.Placements, o)
		return
	}
	a.run.Placements[i] = o
}

// query runs the report's query, or joins one that runs already.
func (a *attempt) query(ctx context.Context) *placements.Fault {
	dep, fault := a.source(a.d)
	if fault != nil {
		return fault
	}
	a.progress("querying the source")
	user := userOf(a.d, a.run.RequestedBy)
	key := queryKey{a.d, a.report.CurrentChecksum, fmt.Sprint(user)}
	asked, err := time.Parse(time.RFC3339, a.run.FireTime)
	if err != nil {
		return asFault(fmt.Errorf("fire time %q: %w", a.run.FireTime, err))
	}
	report := a.report
	a.table, err = a.queries.do(ctx, key, asked, a.begun, func(ctx context.Context) (*result, error) {
		return table(ctx, dep.Source, report, user, dep.Location)
	})
	if err != nil {
		return asFault(err)
	}
	a.run.Rows, a.run.Columns, a.run.QueryMs = a.table.grid.Rows(), a.table.grid.Columns(), a.table.took.Milliseconds()
	a.progress(fmt.Sprintf("the result has %d rows and %d columns", a.run.Rows, a.run.Columns))
	return nil
}

// place refreshes one placement; earlier is the fault that befell the query.
func (a *attempt) place(ctx context.Context, p storage.Placed, earlier *placements.Fault) {
	var done blockDone
	var err error
	if earlier != nil {
		err = earlier
	} else {
		done, err = a.block(ctx, p)
	}
	o := storage.RunPlacement{PlacementID: p.ID, State: placements.RunSucceeded}
	o.Tally = a.tally(done)
	o.EditedRows, o.Overwritten = done.plan.EditedRows, done.plan.Overwritten
	if err != nil {
		fault := a.released(p.Placement, asFault(err))
		o.State, o.ErrorClass, o.Error = placements.RunFailed, fault.Class, fault.Message
		a.retryAfter = max(a.retryAfter, fault.RetryAfter)
		a.logFault(ctx, fault)
	}
	a.setOutcome(o)
	a.settle(p, done, err == nil)
	a.progress(describe(p.Placement, o))
}

// block does the work on one placement's document, alone of all agents.
func (a *attempt) block(ctx context.Context, p storage.Placed) (blockDone, error) {
	h, fault := a.host(a.d.Tenant, p.Host)
	if fault != nil {
		return blockDone{}, fault
	}
	lease, release, err := a.store.LockDocument(ctx, a.d.Tenant, p.WorkbookID)
	if errors.Is(err, storage.ErrBusy) {
		return blockDone{}, &placements.Fault{
			Class: placements.Transient, Message: "another run writes to the same spreadsheet: this one waits for it", Err: err,
		}
	}
	if err != nil {
		return blockDone{}, err
	}
	defer release()
	if err := a.owned(lease, p); err != nil {
		return blockDone{}, err
	}
	kept, err := a.store.Rows(lease, a.d, a.report.ID, p.ID)
	if err != nil {
		return blockDone{}, err
	}
	job := blockJob{
		host: h, placement: p.Placement, kept: kept, table: a.table,
		intend: func(blob []byte) error { return a.store.Intend(lease, a.claim, p.ID, blob) },
		onEdit: OnEdit(a.run.OnEdit), shift: a.run.ShiftRows,
	}
	return job.refresh(lease)
}

// owned refuses to write where another placement has claimed cells since: whoever wrote last owns them (decisions.md §6).
func (a *attempt) owned(ctx context.Context, p storage.Placed) error {
	at, ok := p.Address()
	if !ok {
		return nil // block says so
	}
	size := a.table.grid.Extent()
	newer, err := a.store.NewerOwners(ctx, a.d, a.report.ID, p, placements.Rect{
		Top: at.Anchor.Row, Left: at.Anchor.Column,
		Bottom: at.Anchor.Row + size.Rows - 1, Right: at.Anchor.Column + size.Columns - 1,
	})
	if err != nil || len(newer) == 0 {
		return err
	}
	return conflict("report %d was placed at %s after this one and now owns those cells: move or disconnect one of the two, or connect this one again",
		newer[0].ReportID, newer[0].Placement.ResultLocation)
}

// settle notes what the attempt leaves on a placement.
func (a *attempt) settle(p storage.Placed, done blockDone, ok bool) {
	one := storage.Settlement{Placement: p.Placement, Before: p}
	if ok {
		stamp := placements.Stamp{Now: a.now(), UserID: a.run.RequestedBy.ID, QueryChecksum: a.report.CurrentChecksum}
		if p, rows, err := settled(p.Placement, done, a.table, stamp); err == nil {
			one.Placement, one.Rows, one.Written = p, rows, true
		}
	}
	a.settled = append(a.settled, one)
}

func (a *attempt) tally(done blockDone) storage.Tally {
	t := storage.Tally{
		RowsWritten: done.written.Rows, CellsWritten: done.written.Cells,
		HostCalls: done.calls, WriteMs: done.took.Milliseconds(),
	}
	a.run.RowsWritten += t.RowsWritten
	a.run.CellsWritten += t.CellsWritten
	a.run.HostCalls += t.HostCalls
	a.run.WriteMs += t.WriteMs
	if a.table != nil {
		t.Rows, t.Columns, t.QueryMs = a.run.Rows, a.run.Columns, a.run.QueryMs
	}
	return t
}

func (a *attempt) logFault(ctx context.Context, f *placements.Fault) {
	a.log.WarnContext(ctx, "refresh failed", "tenant", a.d.Tenant, "deployment", a.d.ID, "run", a.run.ID,
		"class", f.Class, "message", f.Message, "cause", f.Err)
}

// describe is the line that tells what happened to a placement.
func describe(p placements.Placement, o storage.RunPlacement) string {
	where := fmt.Sprintf("%s in %s", p.ResultLocation, p.WorkbookID)
	switch {
	case o.State != placements.RunSucceeded:
		return fmt.Sprintf("%s: %s: %s", where, o.ErrorClass, o.Error)
	case o.RowsWritten == 0:
		where += ": unchanged, nothing written"
	default:
		where += fmt.Sprintf(": %d rows written (%d cells)", o.RowsWritten, o.CellsWritten)
	}
	if len(o.EditedRows) > 0 {
		where += fmt.Sprintf("; edited by hand: rows %s of the block", strings.Trim(fmt.Sprint(o.EditedRows), "[]"))
	}
	return where
}
