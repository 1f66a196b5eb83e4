package refresh

import (
	"cmp"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
)

// What waits is the document, never the run (decisions.md §7b): each placement that cannot be refreshed now waits by itself, and the newest
// run of agents that wants it takes it over.

// faultBegan is when the fault began that keeps a placement, or, without one, the run, from being refreshed and is waited for briefly; there
// is none now if it does not last.
func (a *ledger) faultBegan(placementID string, lasts bool) time.Time {
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
func (a *ledger) since(p storage.Placed, reason placements.Reason) time.Time {
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
func (a *ledger) lastRun(p storage.Placed) *placements.LastRun {
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
func (a *ledger) due(list []storage.Placed) []storage.Placed {
	now := a.now()
	return slices.DeleteFunc(list, func(p storage.Placed) bool {
		return instant(a.placementOutcome(p.ID).NextAttemptAt, now).After(now)
	})
}

// settle says of every placement that waits how it ends; when the run was stopped, also of those that it has not tried.
func (a *ledger) settle(end record.RunPlacement) {
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

// settleMoved says of what waits that there is nothing to do, if it is not there any more or stands elsewhere than the run is to refresh.
func (a *ledger) settleMoved() {
	for _, o := range a.run.Placements {
		if !lifecycle.Waits(o.State) {
			continue
		}
		if p, found := a.placed(o.PlacementID); !found || !a.run.Target().Has(p.Placement) {
			a.gone(o.PlacementID)
		}
	}
}

// gone says that there is nothing to do at a placement that is not there any more, or stands elsewhere than the run is to refresh.
func (a *ledger) gone(placementID string) {
	end := record.RunPlacement{State: placements.RunSkipped, Error: disconnected().Message}
	a.setOutcome(ended(a.placementOutcome(placementID), end))
}

// targets are the placements to refresh, without those that this run is done with: document by document, in an order that all runs share, so
// that they meet; those that wait already come last, so that no other waits with them.
func (a *ledger) targets() []storage.Placed {
	var targets []storage.Placed
	for _, p := range a.report.Placements {
		if a.run.Target().Has(p.Placement) && !a.done(p.ID) {
			targets = append(targets, p)
		}
	}
	slices.SortStableFunc(targets, func(p, q storage.Placed) int {
		return cmp.Or(compareBools(waits(p), waits(q)), cmp.Compare(p.Host, q.Host), cmp.Compare(p.WorkbookID, q.WorkbookID))
	})
	return targets
}

// waitsForDocument reports whether a placement waits for something that can be seen without rows to write.
func waitsForDocument(p storage.Placed) bool {
	return waits(p) && p.LastRun.Reason != placements.ReasonSource && p.LastRun.Reason != placements.ReasonQuota
}
