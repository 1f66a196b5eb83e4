package refresh

import (
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
)

// What waits is the document, never the run (decisions.md §7b): each placement that cannot be refreshed now waits by itself, and the newest
// run of agents that wants it takes it over.

// await lets a placement wait that fault keeps from being refreshed now, if it may pass by itself and has not waited for too long.
func (a *attempt) await(p storage.Placed, o *record.RunPlacement, fault *placements.Fault) {
	reason := fault.Reason
	if reason == "" && fault.Class == placements.Quota {
		reason = placements.ReasonQuota
	}
	since := a.since(p, reason)
	at, again := nextTry(fault, waited{since, a.faultBegan(p.ID, brief(fault))}, a.now(), a.jitter)
	if !again {
		return
	}
	o.State, o.Reason = placements.RunQueued, reason
	o.Since, o.NextAttemptAt = placements.Time(since), placements.Time(at)
	if reason == placements.ReasonHeld {
		o.ErrorClass = "" // it is no failure
	}
}

// faultBegan is when the fault began that keeps a placement, or, without one, the run, from being refreshed and is waited for briefly; there
// is none now if it does not last.
func (a *attempt) faultBegan(placementID string, lasts bool) time.Time {
	if !lasts {
		delete(a.run.Faults, placementID)
		return a.now()
	}
	if began := a.run.Faults[placementID]; began != "" {
		return instant(began, a.now())
	}
	began := a.firstAttempt()
	if a.waited[placementID] || placementID == "" && len(a.waited) > 0 {
		began = a.now() // something else was waited for until now
	}
	if a.run.Faults == nil {
		a.run.Faults = map[string]string{}
	}
	a.run.Faults[placementID] = placements.Time(began)
	return began
}

// since is when a placement that waits, for that reason, began to: at its first try, perhaps one of an older run. Of a file that was missed
// for so long that the run before failed it is when that began.
func (a *attempt) since(p storage.Placed, reason placements.Reason) time.Time {
	if known, found := a.report.Find(p.ID); found && (known.Host != p.Host || known.Home() != p.Home()) {
		return a.now() // it was moved during the attempt
	}
	last, here := a.lastRun(p), a.placementOutcome(p.ID).Since
	switch {
	case a.inherited[p.ID] != "":
		return instant(a.inherited[p.ID], a.now())
	case last != nil && !last.State.Ended() && (last.RunID == a.run.ID || here == ""): // without, if it was placed elsewhere since
		return instant(last.Since, a.now())
	case here != "":
		return instant(here, a.now())
	case last != nil && last.State == placements.RunFailed && last.Reason == placements.ReasonMissing && reason == last.Reason:
		return instant(last.Since, a.now())
	}
	return a.now()
}

// lastRun is the last run on a placement as it was when the attempt began; nil: none. p may have been read since.
func (a *attempt) lastRun(p storage.Placed) *placements.LastRun {
	if known, found := a.report.Find(p.ID); found {
		return known.LastRun
	}
	return p.LastRun
}

// waits reports whether a placement waits, in whatever run.
func waits(p storage.Placed) bool {
	return p.LastRun != nil && p.LastRun.State == placements.RunQueued && p.LastRun.Reason != ""
}

func compareBools(p, q bool) int {
	switch {
	case p == q:
		return 0
	case q:
		return -1
	}
	return 1
}

// due leaves out the placements that wait for a later attempt.
func (a *attempt) due(list []storage.Placed) []storage.Placed {
	now := a.now()
	return slices.DeleteFunc(list, func(p storage.Placed) bool {
		return instant(a.placementOutcome(p.ID).NextAttemptAt, now).After(now)
	})
}

// settle says of every placement that waits how it ends; when the run was stopped, also of those that it has not tried.
func (a *attempt) settle(end record.RunPlacement) {
	if end.State == placements.RunStopped && a.report != nil { // else they are gone with it
		for _, p := range a.targets() {
			if a.placementOutcome(p.ID).State == "" {
				o := a.outcomeOf(p)
				o.State = placements.RunQueued
				a.setOutcome(o)
			}
		}
	}
	for _, o := range a.run.Placements {
		if lifecycle.Waits(o.State) {
			a.setOutcome(ended(o, end))
		}
	}
}

// ended is o as end says, which has waited for the last time.
func ended(o, end record.RunPlacement) record.RunPlacement {
	o.State, o.ErrorClass, o.Error, o.SupersededBy = end.State, end.ErrorClass, end.Error, end.SupersededBy
	o.Reason, o.Since, o.NextAttemptAt = "", "", ""
	return o
}

// settleGone says of what waits and is not there any more, or stands elsewhere than the run is to refresh, that there is nothing to do.
func (a *attempt) settleGone() {
	a.settleTaken()
	if a.run.PlacementID != "" {
		return // see nothingToDo
	}
	a.settleMoved()
}

// settleMoved says of what waits that there is nothing to do, if it is not there any more or stands elsewhere than the run is to refresh.
func (a *attempt) settleMoved() {
	for _, o := range a.run.Placements {
		if !lifecycle.Waits(o.State) {
			continue
		}
		if p, found := a.placed(o.PlacementID); !found || !a.run.Target().Has(p.Placement) {
			a.gone(o.PlacementID)
		}
	}
}

// placed is a placement of the report, as far as that is there.
func (a *attempt) placed(placementID string) (p storage.Placed, found bool) {
	if a.report == nil {
		return p, false
	}
	return a.report.Find(placementID)
}

// gone says that there is nothing to do at a placement that is not there any more, or stands elsewhere than the run is to refresh.
func (a *attempt) gone(placementID string) {
	end := record.RunPlacement{State: placements.RunSkipped, Error: disconnected().Message}
	a.setOutcome(ended(a.placementOutcome(placementID), end))
}
