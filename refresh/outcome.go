package refresh

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
)

// outcome returns what completes the attempt: fault decides how the run goes on, unless cause says why it was ended from outside.
func (a *attempt) outcome(fault *placements.Fault, cause error) storage.Outcome {
	var o storage.Outcome
	run, now := a.run, a.now()
	switch {
	case errors.Is(cause, errStopped):
		run.State, run.EndedAt = placements.RunStopped, placements.Time(now)
		run.ErrorClass, run.Error = "", ""
	case errors.Is(cause, errDraining):
		run.State, o.Again = placements.RunQueued, now
		run.ErrorClass, run.Error = "", ""
	case errors.Is(cause, errRunLimit):
		fault = &placements.Fault{
			Class: placements.Transient, Err: cause,
			Message: fmt.Sprintf("the run took longer than %s and was ended", a.runLimit),
		}
		a.logFault(fault)
		a.conclude(&o, fault, now)
	default:
		a.conclude(&o, fault, now)
	}
	a.addUntried()
	o.Placements = a.completed()
	for _, s := range o.Placements {
		if s.Written {
			o.Refreshed = a.requester()
		}
	}
	return o
}

// conclude ends the run, or lets it wait for its next attempt.
func (a *attempt) conclude(o *storage.Outcome, fault *placements.Fault, now time.Time) {
	run := a.run
	if fault == nil {
		run.State, run.EndedAt, run.ErrorClass, run.Error = placements.RunSucceeded, placements.Time(now), "", ""
		done := func(o record.RunPlacement) bool { return o.State != placements.RunSkipped }
		if len(run.Placements) > 0 && !slices.ContainsFunc(run.Placements, done) {
			run.State, run.Error = placements.RunSkipped, run.Placements[0].Error
		}
		return
	}
	run.ErrorClass, run.Error = fault.Class, fault.Message
	first, err := time.Parse(time.RFC3339, run.StartedAt)
	if err != nil {
		first = now
	}
	if at, again := nextAttempt(fault, first, now, run.Attempt, jitter()); again {
		run.State, run.NextAttemptAt, o.Again = placements.RunQueued, placements.Time(at), at
		return
	}
	run.State, run.EndedAt = placements.RunFailed, placements.Time(now)
	o.Failure = a.counts(fault)
}

// counts reports whether a run that fault ends counts towards pausing its schedule. One where access was refused to some placements only
// does not: a person who lost it must not end the refreshes of all others.
func (a *attempt) counts(fault *placements.Fault) bool {
	refused, refreshed := fault.Class == placements.Auth, false
	for _, o := range a.run.Placements {
		refreshed = refreshed || o.State == placements.RunSucceeded
		refused = refused && (o.State != placements.RunFailed || o.ErrorClass == placements.Auth || o.ErrorClass == placements.Conflict)
	}
	return !retryable(fault) && fault.Class != placements.Conflict && !(refused && refreshed)
}

// requester is who is shown as having refreshed.
func (a *attempt) requester() *record.User {
	return &record.User{ID: a.run.RequestedBy.ID, Email: a.run.RequestedBy.Email}
}

// addUntried adds the placements that the attempt had to leave untried: they are shown as being refreshed.
func (a *attempt) addUntried() {
	for _, p := range a.asked {
		told := func(s storage.PlacementOutcome) bool { return s.Placement.ID == p.ID }
		if a.placementOutcome(p.ID).State != placements.RunSucceeded && !slices.ContainsFunc(a.completions, told) {
			a.completions = append(a.completions, storage.PlacementOutcome{Placement: p.Placement, Before: p})
		}
	}
}

// completed returns the completions, each with the last run that its placement shows.
func (a *attempt) completed() []storage.PlacementOutcome {
	for i := range a.completions {
		s := &a.completions[i]
		o := a.placementOutcome(s.Placement.ID)
		s.LastRun = placements.LastRun{
			RunID: a.run.ID, State: o.State, Attempt: a.run.Attempt, ErrorClass: o.ErrorClass, Error: o.Error,
			StartedAt: a.run.StartedAt, EndedAt: a.run.EndedAt, NextAttemptAt: a.run.NextAttemptAt,
		}
		switch {
		case o.State == "": // the attempt ended before it tried this one
			s.LastRun.State, s.LastRun.ErrorClass, s.LastRun.Error = a.run.State, a.run.ErrorClass, a.run.Error
		case o.State == placements.RunFailed && a.run.State != placements.RunFailed:
			s.LastRun.State = a.run.State
		}
		if o.State == placements.RunSucceeded {
			s.LastRun.EndedAt, s.LastRun.NextAttemptAt = s.Placement.RefreshedAt, ""
		}
	}
	return a.completions
}

// completion is what the attempt leaves on a placement whose block shows the table.
func (a *attempt) completion(b *block) storage.PlacementOutcome {
	one := storage.PlacementOutcome{Placement: b.now.Placement, Before: b.now}
	stamp := placements.Stamp{Now: a.now(), By: placements.RunAs{UID: a.run.RequestedBy.ID}, QueryChecksum: a.report.CurrentChecksum}
	if p, rows, err := b.refreshed(stamp); err == nil {
		one.Placement, one.Rows, one.Edits, one.Written = p, rows, converted(b.plan.Edits, storageEdit), true
		if one.Change = b.change; one.Change != nil {
			one.Change.At = p.RefreshedAt
		}
	}
	return one
}

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
		if worst == nil || !retryable(worst) && retryable(f) {
			worst = f
		}
	}
	return worst
}

// nothingToDo is a fault when the run asked for a placement that is gone; a report without placements is refreshed already.
func (a *attempt) nothingToDo() *placements.Fault {
	if a.run.PlacementID == "" || a.done(a.run.PlacementID) {
		return a.worst()
	}
	return disconnected()
}

func disconnected() *placements.Fault {
	return &placements.Fault{
		Class: placements.Structure, Message: "the placement was disconnected: there is nothing to refresh", Err: errDisconnected,
	}
}

// errDisconnected: the placement is not there any more, or not where the run was to refresh it.
var errDisconnected = errors.New("placement disconnected")

// done reports whether an earlier attempt of this run has refreshed a placement, or failed with it permanently.
func (a *attempt) done(placementID string) bool {
	o := a.placementOutcome(placementID)
	return o.State == placements.RunSucceeded ||
		o.State == placements.RunFailed && !retryable(&placements.Fault{Class: o.ErrorClass})
}

// placementOutcome is what the run says of a placement so far.
func (a *attempt) placementOutcome(placementID string) record.RunPlacement {
	for _, o := range a.run.Placements {
		if o.PlacementID == placementID {
			return o
		}
	}
	return record.RunPlacement{PlacementID: placementID}
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
		o.Overwritten = converted(b.plan.Overwritten, storageRow)
		o.OthersValues = len(o.Overwritten) > 0 && b.othersValues()
	}
	a.run.RowsWritten += o.RowsWritten
	a.run.CellsWritten += o.CellsWritten
	a.run.HostCalls += o.HostCalls
	a.run.WriteMs += o.WriteMs
	a.run.MovedRows += o.MovedRows
	a.run.ReturnedRows += o.ReturnedRows
	if b.err != nil {
		a.fail(b.recorded(), o, a.awaitFile(b, b.unopened(asFault(b.err))))
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

// fail is failed for what was done so far.
func (a *attempt) fail(p storage.Placed, o record.RunPlacement, fault *placements.Fault) {
	o.State, o.ErrorClass, o.Error = placements.RunFailed, fault.Class, fault.Message
	a.retryAfter = max(a.retryAfter, fault.RetryAfter)
	a.missing = a.missing || fault.Class == placements.Transient && errors.Is(fault, fs.ErrNotExist)
	a.logPlacementFault(p.Placement, fault)
	a.setOutcome(o)
	a.completions = append(a.completions, storage.PlacementOutcome{Placement: p.Placement, Before: p})
	a.progress(describe(p.Placement, o, nil))
}

// describe is the line that says what happened to a placement, and what people had done to its block.
func describe(p placements.Placement, o record.RunPlacement, found []string) string {
	where := fmt.Sprintf("%s in %s", p.ResultLocation, p.WorkbookID)
	switch {
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
