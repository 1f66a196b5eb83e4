package refresh

import (
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
)

// firstTry is the placement that waits and is tried again first; nil when none waits.
func (a *ledger) firstTry() (first *record.RunPlacement) {
	for i := range a.run.Placements {
		o := &a.run.Placements[i]
		if lifecycle.Waits(o.State) && (first == nil || o.NextAttemptAt < first.NextAttemptAt) {
			first = o
		}
	}
	return first
}

// end ends the run in the state that its placements say, with the error of the first placement in it; a run without any as without says.
func (a *ledger) end(without placements.RunState) {
	run := a.run
	states := make([]placements.RunState, len(run.Placements))
	for i, o := range run.Placements {
		states[i] = o.State
	}
	_, state := lifecycle.End(states, without)
	run.ErrorClass, run.Error = "", ""
	if i := slices.Index(states, state); i >= 0 {
		run.ErrorClass, run.Error = run.Placements[i].ErrorClass, run.Placements[i].Error
	}
	a.endAs(state)
}

func (a *ledger) endAs(state placements.RunState) {
	a.run.State, a.run.EndedAt, a.run.NextAttemptAt = state, placements.Time(a.now()), ""
}

// failure is why and where a run that has ended failed, if it is one of those after which its schedule pauses: it refreshed nothing, waited for
// nothing, and each placement failed permanently. What is left out does not count. A conflict does not: it is for a user to decide.
func (a *ledger) failure(f *placements.Fault) string {
	permanent := func(class placements.Class) bool {
		return !fault.Retryable(&placements.Fault{Class: class}) && class != placements.Conflict
	}
	var first *record.RunPlacement
	for i := range a.run.Placements {
		o := &a.run.Placements[i]
		switch {
		case o.State == placements.RunSkipped:
			continue
		case o.State != placements.RunFailed || !permanent(o.ErrorClass):
			return ""
		case first == nil:
			first = o
		}
	}
	switch {
	case len(a.waited) > 0:
		return ""
	case f != nil && permanent(f.Class):
		return f.Message
	case f == nil && first != nil:
		return a.whereabouts(first.PlacementID) + first.Error
	}
	return ""
}

// whereabouts says where a placement stands, before what is said of it.
func (a *ledger) whereabouts(placementID string) string {
	p, found := a.placed(placementID)
	if !found {
		return ""
	}
	return fmt.Sprintf("%s in %s: ", p.ResultLocation, p.WorkbookID)
}

// requester is who is shown as having refreshed.
func (a *ledger) requester() *record.User {
	return &record.User{ID: a.run.RequestedBy.ID, Email: a.run.RequestedBy.Email}
}

// nothingToDo is a fault when the run asked for a placement that is gone; a report without placements is refreshed already.
func (a *ledger) nothingToDo() *placements.Fault {
	if a.run.PlacementID == "" || a.done(a.run.PlacementID) {
		return nil
	}
	return disconnected()
}

// documentsNamed are those where the placements of the run stand, the first of them.
func (a *ledger) documentsNamed() (list []string) {
	if a.run.ExternalWorkbookID != "" {
		return []string{a.run.ExternalWorkbookID}
	}
	if a.report == nil {
		return nil
	}
	named := placementsNamed(a.run)
	for _, p := range a.report.Placements {
		if slices.Contains(named, p.ID) && !slices.Contains(list, p.WorkbookID) {
			list = append(list, p.WorkbookID)
		}
	}
	return list
}
