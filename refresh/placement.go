package refresh

import (
	"fmt"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// What a run says of each of its placements. It is final as soon as the placement's own outcome is.

// maxEditedRows bounds the edited rows that a run names.
const maxEditedRows = 1000

// failed says in the run why nothing was done to a placement.
func (a *ledger) failed(p storage.Placed, fault *placements.Fault) { a.fail(p, a.outcomeOf(p), fault) }

// fail is failed for what was done so far. What may pass by itself waits in the run, and is tried again; the run of an add-in is told.
func (a *ledger) fail(p storage.Placed, o record.RunPlacement, f *placements.Fault) {
	if a.fault == nil {
		a.fault = f
	}
	o.State, o.ErrorClass, o.Error, o.Clash = placements.RunFailed, f.Class, f.Message, f.Clash
	if fault.MissesFile(f) {
		o.Reason, o.Since = f.Reason, placements.Time(a.since(p, f.Reason))
	}
	if !a.client() {
		a.await(p, &o, f)
	}
	a.faults.logPlacementFault(p.Placement, f)
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
func (a *ledger) leaves(p storage.Placed) {
	if !slices.ContainsFunc(a.completions, func(s work.PlacementOutcome) bool { return s.Placement.ID == p.ID }) {
		one := work.PlacementOutcome{Placement: p.Placement, Before: p}
		if said := a.readings.Of(&p.Placement); said != nil {
			for _, name := range said.Lost {
				one.Placement.Lose(name)
			}
		}
		a.completions = append(a.completions, one)
	}
}
