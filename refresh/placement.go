package refresh

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
)

// What a run says of each of its placements. It is final as soon as the placement's own outcome is.

// done reports whether the run is done with a placement: what came of it is final.
func (a *attempt) done(placementID string) bool {
	return lifecycle.Final(a.placementOutcome(placementID).State)
}

// placementOutcome is what the run says of a placement so far.
func (a *attempt) placementOutcome(placementID string) record.RunPlacement {
	return saidOf(a.run, placementID)
}

// saidOf is what a run says of a placement so far.
func saidOf(run *record.Run, placementID string) (o record.RunPlacement) {
	i := slices.IndexFunc(run.Placements, func(o record.RunPlacement) bool { return o.PlacementID == placementID })
	if i < 0 {
		return record.RunPlacement{PlacementID: placementID}
	}
	return run.Placements[i]
}

// completion is what the attempt leaves on a placement whose block shows the table.
func (a *attempt) completion(o *document.Outcome) storage.PlacementOutcome {
	one := storage.PlacementOutcome{Placement: o.Now.Placement, Before: o.Now}
	stamp := placements.Stamp{Now: a.now(), By: placements.RunAs{UID: a.run.RequestedBy.ID}, QueryChecksum: a.report.CurrentChecksum}
	if p, rows, err := o.Refreshed(stamp); err == nil {
		one.Placement, one.Rows, one.Edits, one.Written = p, rows, o.Edits(), true
		if one.Change = o.Change(); one.Change != nil {
			one.Change.At = p.RefreshedAt
		}
	}
	return one
}

// outcomeOf is the beginning of what the run says of a placement: on whose behalf it was queried, and the result, if there is one.
func (a *attempt) outcomeOf(p storage.Placed) record.RunPlacement {
	o := record.RunPlacement{PlacementID: p.ID, RunAsUserID: p.Behalf().UID}
	if q := a.asking(p); q != nil && q.table != nil {
		o.Tally = q.table.Tally()
	}
	return o
}

func (a *attempt) setOutcome(o record.RunPlacement) {
	i := slices.IndexFunc(a.run.Placements, func(old record.RunPlacement) bool { return old.PlacementID == o.PlacementID })
	if i < 0 {
		a.run.Placements = append(a.run.Placements, o)
		return
	}
	a.run.Placements[i] = o
}

// maxEditedRows bounds the edited rows that a run names.
const maxEditedRows = 1000

// tried says in the run what came of an order in the document where its block was looked for.
func (a *attempt) tried(out *document.Outcome) {
	o := a.outcomeOf(out.Order.Placement)
	o.State = placements.RunSucceeded
	o.RowsWritten, o.CellsWritten, o.HostCalls, o.WriteMs = out.Written.Rows, out.Written.Cells, out.Calls, out.Took.Milliseconds()
	if out.Err == nil {
		plan := out.Changes()
		o.MovedRows, o.ReturnedRows = plan.Moved, plan.Returned
		o.EditedRows = plan.EditedRows[:min(len(plan.EditedRows), maxEditedRows)]
	}
	if out.Err == nil || out.Sent {
		o.Overwritten = out.Replaced()
		o.OthersValues = len(o.Overwritten) > 0 && out.OthersValues()
	}
	a.run.RowsWritten += o.RowsWritten
	a.run.CellsWritten += o.CellsWritten
	a.run.HostCalls += o.HostCalls
	a.run.WriteMs += o.WriteMs
	a.run.MovedRows += o.MovedRows
	a.run.ReturnedRows += o.ReturnedRows
	if out.Err != nil {
		a.fail(out.Recorded(), o, a.faultOfOrder(out))
		return
	}
	o.Note = strings.Join(out.Notes(), "; ")
	a.setOutcome(o)
	a.completions = append(a.completions, a.completion(out))
	a.progress(describe(out.Now.Placement, o, out.Words()))
}

// failed says in the run why nothing was done to a placement.
func (a *attempt) failed(p storage.Placed, fault *placements.Fault) { a.fail(p, a.outcomeOf(p), fault) }

// fail is failed for what was done so far. What may pass by itself waits in the run, and is tried again; the run of an add-in is told.
func (a *attempt) fail(p storage.Placed, o record.RunPlacement, f *placements.Fault) {
	if a.fault == nil {
		a.fault = f
	}
	o.State, o.ErrorClass, o.Error = placements.RunFailed, f.Class, f.Message
	if fault.MissesFile(f) {
		o.Reason, o.Since = f.Reason, placements.Time(a.since(p, f.Reason))
	}
	if !a.client() {
		a.await(p, &o, f)
	}
	a.logPlacementFault(p.Placement, f)
	a.setOutcome(o)
	a.leaves(p)
	a.progress(describe(p.Placement, o, nil))
}

// describe is the line that says what happened to a placement, and what people had done to its block.
func describe(p placements.Placement, o record.RunPlacement, found []string) string {
	where := fmt.Sprintf("%s in %s", p.ResultLocation, p.WorkbookID)
	switch {
	case o.Reason == placements.ReasonHeld:
		return fmt.Sprintf("%s: %s", where, o.Error)
	case o.State != placements.RunSucceeded:
		return fmt.Sprintf("%s: %s: %s", where, o.ErrorClass, o.Error)
	case o.RowsWritten == 0:
		where += ": nothing to write"
	default:
		where += fmt.Sprintf(": %d %s written (%d %s)",
			o.RowsWritten, plan.Plural(o.RowsWritten, "row", "rows"), o.CellsWritten, plan.Plural(o.CellsWritten, "cell", "cells"))
	}
	return strings.Join(append([]string{where}, found...), "; ")
}

// leaves adds that the run leaves something on a placement, beside what it wrote there.
func (a *attempt) leaves(p storage.Placed) {
	if !slices.ContainsFunc(a.completions, func(s storage.PlacementOutcome) bool { return s.Placement.ID == p.ID }) {
		a.completions = append(a.completions, storage.PlacementOutcome{Placement: p.Placement, Before: p})
	}
}

// stillWaits reports whether a placement waits on, because of what was seen at its document, and says so in the run. Any other fault is left
// to the refresh, which knows what is to be told of it.
func (a *attempt) stillWaits(p storage.Placed, seen error) bool {
	if seen == nil {
		return false
	}
	f := fault.Of(seen)
	if p.LastRun.Reason == placements.ReasonMissing && errors.Is(f, fs.ErrNotExist) {
		f = a.awaitFile(p, f)
	}
	f = fault.OfDocument(f)
	if !fault.Retryable(f) {
		return false
	}
	a.failed(p, f)
	return true
}
