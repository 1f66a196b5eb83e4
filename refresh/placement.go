package refresh

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/work"
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
func (a *attempt) completion(b *block) work.PlacementOutcome {
	one := work.PlacementOutcome{Placement: b.now.Placement, Before: b.now}
	stamp := placements.Stamp{Now: a.now(), By: placements.RunAs{UID: a.run.RequestedBy.ID}, QueryChecksum: a.report.CurrentChecksum}
	if p, rows, err := b.refreshed(stamp); err == nil {
		one.Placement, one.Rows, one.Edits, one.Written = p, rows, converted(b.plan.Edits, storageEdit), true
		if one.Change = b.change; one.Change != nil {
			one.Change.At = p.RefreshedAt
		}
	}
	return one
}

// outcomeOf is the beginning of what the run says of a placement: on whose behalf it was queried, and the result, if there is one.
func (a *attempt) outcomeOf(p storage.Placed) record.RunPlacement {
	o := record.RunPlacement{PlacementID: p.ID, RunAsUserID: p.Behalf().UID}
	if q := a.asking(p); q != nil && q.table != nil {
		o.Tally = q.table.tally()
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

// tried says in the run what came of a block in the document where it was looked for.
func (a *attempt) tried(b *block) {
	o := a.outcomeOf(b.known)
	o.State = placements.RunSucceeded
	o.RowsWritten, o.CellsWritten, o.HostCalls, o.WriteMs = b.written.Rows, b.written.Cells, b.calls, b.took.Milliseconds()
	if b.err == nil {
		o.MovedRows, o.ReturnedRows = b.plan.Moved, b.plan.Returned
		o.EditedRows = b.plan.EditedRows[:min(len(b.plan.EditedRows), maxEditedRows)]
	}
	if b.err == nil || b.sent {
		o.Overwritten = converted(b.plan.Replaced(), storageRow)
		o.OthersValues = len(o.Overwritten) > 0 && b.othersValues()
	}
	a.run.RowsWritten += o.RowsWritten
	a.run.CellsWritten += o.CellsWritten
	a.run.HostCalls += o.HostCalls
	a.run.WriteMs += o.WriteMs
	a.run.MovedRows += o.MovedRows
	a.run.ReturnedRows += o.ReturnedRows
	if b.err != nil {
		a.fail(b.recorded(), o, b.fault())
		return
	}
	o.Note = strings.Join(b.notes(), "; ")
	a.setOutcome(o)
	a.completions = append(a.completions, a.completion(b))
	a.progress(describe(b.now.Placement, o, b.words()))
}

// words are what the plan shifts, what follows that, what people had done to the block, and why its status cell was left alone.
func (b *block) words() (list []string) {
	if b.moves != "" {
		list = append(list, b.moves)
	}
	switch f := b.follow; {
	case f == nil:
	case f.Formulas == 0:
		list = append(list, "no formula follows")
	default:
		list = append(list, fmt.Sprintf("%d %s in %d %s %s", f.Formulas, plan.Plural(f.Formulas, "formula", "formulas"),
			f.Sheets, plan.Plural(f.Sheets, "sheet", "sheets"), plan.Plural(f.Formulas, "follows", "follow")))
	}
	list = append(list, b.plan.Words(b.view.Anchor)...)
	return append(list, b.notes()...)
}

// notes say what of the sheet could not stay with its record, which hidden rows are shown now, and why the status cell was left alone.
func (b *block) notes() (list []string) {
	list = append(list, b.strayed...)
	list = append(list, b.plan.Strayed(b.at)...)
	list = append(list, uncoveredNotes(b.written.Shown, b.written.Vanished)...)
	if note := b.statusNote(); note != "" {
		list = append(list, note)
	}
	return list
}

// failed says in the run why nothing was done to a placement.
func (a *attempt) failed(p storage.Placed, fault *placements.Fault) { a.fail(p, a.outcomeOf(p), fault) }

// fail is failed for what was done so far. What may pass by itself waits in the run, and is tried again; the run of an add-in is told.
func (a *attempt) fail(p storage.Placed, o record.RunPlacement, fault *placements.Fault) {
	if a.fault == nil {
		a.fault = fault
	}
	o.State, o.ErrorClass, o.Error = placements.RunFailed, fault.Class, fault.Message
	if missesFile(fault) {
		o.Reason, o.Since = fault.Reason, placements.Time(a.since(p, fault.Reason))
	}
	if !a.client() {
		a.await(p, &o, fault)
	}
	a.logPlacementFault(p.Placement, fault)
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
	if !slices.ContainsFunc(a.completions, func(s work.PlacementOutcome) bool { return s.Placement.ID == p.ID }) {
		a.completions = append(a.completions, work.PlacementOutcome{Placement: p.Placement, Before: p})
	}
}

// stillWaits reports whether a placement waits on, because of what was seen at its document, and says so in the run. Any other fault is left
// to the refresh, which knows what is to be told of it.
func (a *attempt) stillWaits(p storage.Placed, seen error) bool {
	if seen == nil {
		return false
	}
	fault := asFault(seen)
	if p.LastRun.Reason == placements.ReasonMissing && errors.Is(fault, fs.ErrNotExist) {
		fault = a.awaitFile(p, fault)
	}
	fault = ofDocument(fault)
	if !retryable(fault) {
		return false
	}
	a.failed(p, fault)
	return true
}

// statusNote says why the status cell was left alone; empty if it was not, or nothing was written.
func (b *block) statusNote() string {
	if b.status == nil {
		return ""
	}
	return b.status.note
}
