package refresh

import (
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// observeBegin tells the observer of an attempt that has begun.
func (e *Engine) observeBegin(a *queue.Attempt) {
	if a.Run.Attempt == 1 && !a.Run.Due.IsZero() {
		e.observe.Began(a.Deployment.Tenant, a.Begun.Sub(a.Run.Due))
	}
}

// observeTicks reports to the observer the ticks that a firing of this process decided.
func (e *Engine) observeTicks(f record.Firing) {
	tenant := f.Deployment.Tenant
	if f.Missed > 0 {
		e.observe.Ticked(tenant, record.TickMissed, f.Missed)
	}
	switch {
	case f.Missed > f.Run.MissedFires: // the run's own tick is one of them
	case f.Run.State == placements.RunSkipped:
		e.observe.Ticked(tenant, record.TickSkipped, 1)
	default:
		e.observe.Ticked(tenant, record.TickFired, 1)
	}
}

// observeSuperseded reports to the observer a tick's run that has ended, if a newer run refreshes what it waited for.
func (a *ending) observeSuperseded() {
	superseded := func(p record.RunPlacement) bool { return p.State == placements.RunSuperseded }
	if run := a.run; !run.Due.IsZero() && run.EndedAt != "" && slices.ContainsFunc(run.Placements, superseded) {
		a.observe.Ticked(a.d.Tenant, record.TickSuperseded, 1)
	}
}

// observeEnd tells the observer of an attempt that was completed with an outcome.
func (a *ending) observeEnd(o work.Outcome, took time.Duration, rowsWritten int) {
	run, tenant := a.claim.Run, a.d.Tenant
	a.observe.Attempted(tenant, run.State, run.ErrorClass, took, rowsWritten)
	a.observeSuperseded()
	if run.State == placements.RunQueued && run.ErrorClass == placements.Quota {
		a.observe.WaitsForQuota(tenant, o.Again.Sub(a.now()))
	}
	kept := 0
	for _, p := range o.Placements {
		kept += len(p.Edits)
	}
	a.observe.KeptEdits(tenant, kept)
}
