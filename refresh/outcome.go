package refresh

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/work"
)

// firstTry is the placement that waits and is tried again first; nil when none waits.
func (a *attempt) firstTry() (first *record.RunPlacement) {
	for i := range a.run.Placements {
		o := &a.run.Placements[i]
		if lifecycle.Waits(o.State) && (first == nil || o.NextAttemptAt < first.NextAttemptAt) {
			first = o
		}
	}
	return first
}

// end ends the run in the state that its placements say, with the error of the first placement in it; a run without any as without says.
func (a *attempt) end(without placements.RunState) {
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

func (a *attempt) endAs(state placements.RunState) {
	a.run.State, a.run.EndedAt, a.run.NextAttemptAt = state, placements.Time(a.now()), ""
}

// failure is why and where a run that has ended failed, if it is one of those after which its schedule pauses: it refreshed nothing, waited for
// nothing, and each placement failed permanently. What is left out does not count. A conflict does not: it is for a user to decide.
func (a *attempt) failure(fault *placements.Fault) string {
	permanent := func(class placements.Class) bool {
		return !retryable(&placements.Fault{Class: class}) && class != placements.Conflict
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
	case fault != nil && permanent(fault.Class):
		return fault.Message
	case fault == nil && first != nil:
		return a.whereabouts(first.PlacementID) + first.Error
	}
	return ""
}

// whereabouts says where a placement stands, before what is said of it.
func (a *attempt) whereabouts(placementID string) string {
	p, found := a.placed(placementID)
	if !found {
		return ""
	}
	return fmt.Sprintf("%s in %s: ", p.ResultLocation, p.WorkbookID)
}

// requester is who is shown as having refreshed.
func (a *attempt) requester() *record.User {
	return &record.User{ID: a.run.RequestedBy.ID, Email: a.run.RequestedBy.Email}
}

// addShown adds the placements that are shown as being refreshed by the run, or as waiting in it, and are not in the end.
func (a *attempt) addShown() {
	if a.report == nil {
		return // they are gone with it
	}
	left, asked := map[string]bool{}, map[string]bool{}
	for _, s := range a.completions {
		left[s.Placement.ID] = true
	}
	for _, p := range a.asked {
		asked[p.ID] = true
		if !left[p.ID] && a.placementOutcome(p.ID).State != placements.RunSucceeded {
			a.leaves(p)
		}
	}
	for _, p := range a.report.Placements {
		if !left[p.ID] && !asked[p.ID] && a.showsWrong(p) {
			a.completions = append(a.completions, work.PlacementOutcome{Placement: p.Placement, Before: p, Untried: true})
		}
	}
}

// showsWrong reports whether a placement may be shown as being refreshed by the run, or as waiting in it, which is not so any more.
func (a *attempt) showsWrong(p storage.Placed) bool {
	last := p.LastRun
	own := last != nil && last.RunID == a.run.ID
	running := a.claiming[p.ID] || own && last.State == placements.RunRunning
	switch a.placementOutcome(p.ID).State {
	case placements.RunSucceeded: // it was stored with what was written
		return false
	case placements.RunQueued:
		return running
	}
	return running || a.waited[p.ID] || own && last.State == placements.RunQueued
}

// completed returns the completions, each with the last run that its placement shows.
func (a *attempt) completed() (list []work.PlacementOutcome) {
	for _, s := range a.completions {
		o := a.placementOutcome(s.Placement.ID)
		s.LastRun = lastRunOf(a.run, o)
		s.Untried = s.Untried || !s.Written && a.claim.Taken(o.PlacementID) != ""
		switch o.State {
		case "": // the attempt ended before it tried this one
			s.LastRun.State, s.LastRun.ErrorClass, s.LastRun.Error = a.run.State, a.run.ErrorClass, a.run.Error
			s.LastRun.EndedAt, s.LastRun.NextAttemptAt = a.run.EndedAt, a.run.NextAttemptAt
		case placements.RunQueued:
		case placements.RunSucceeded:
			s.LastRun.EndedAt = s.Placement.RefreshedAt
		case placements.RunSuperseded, placements.RunSkipped:
			s.Untried, s.Newer = true, a.newer[o.PlacementID]
			s.LastRun.EndedAt = placements.Time(a.now())
		default:
			s.LastRun.EndedAt = placements.Time(a.now())
		}
		list = append(list, s)
	}
	return list
}

// lastRunOf is what a placement shows of a run that has not tried it to the end, and says o of it.
func lastRunOf(run *record.Run, o record.RunPlacement) placements.LastRun {
	return placements.LastRun{
		RunID: run.ID, State: o.State, Attempt: run.Attempt, ErrorClass: o.ErrorClass, Error: o.Error, Reason: o.Reason, Since: o.Since,
		StartedAt: run.StartedAt, NextAttemptAt: o.NextAttemptAt,
	}
}

// nothingToDo is a fault when the run asked for a placement that is gone; a report without placements is refreshed already.
func (a *attempt) nothingToDo() *placements.Fault {
	if a.run.PlacementID == "" || a.done(a.run.PlacementID) {
		return nil
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

// instant reads a time of the wire; other if it says none.
func instant(text string, other time.Time) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return other
	}
	return at
}

// firstAttempt is when the first attempt of the run began.
func (a *attempt) firstAttempt() time.Time { return instant(a.run.StartedAt, a.begun) }
