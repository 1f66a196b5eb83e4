package refresh

import (
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// Observer is told what agents of this process do, for metrics. Its methods must be quick and safe for concurrent use.
type Observer interface {
	// Began: the first attempt of a run that a tick made began so long after the run was due.
	Began(tenant string, late time.Duration)
	// Ticked counts n ticks of schedules with an outcome.
	Ticked(tenant string, outcome record.TickOutcome, ticks int)
	// Attempted: an attempt of a run has left it in that state; QUEUED is a run that waits for its next attempt. class is empty without a
	// fault.
	Attempted(tenant string, state placements.RunState, class placements.Class, took time.Duration, rowsWritten int)
	// WaitsForQuota: a run waits so long for its next attempt, since a quota is used up.
	WaitsForQuota(tenant string, wait time.Duration)
	// KeptEdits: a run left so many cells as people had typed them.
	KeptEdits(tenant string, cells int)
	// Hangs: so many more calls of hosts or sources, or fewer, are left behind in the system, from which they have not come back.
	Hangs(tenant string, n int)
	// Delivered: an event was sent to a webhook, which took it: "delivered"; or did not, and gets it again: "failed"; or not: "given_up".
	Delivered(outcome string)
}

// silent is the Observer of an engine that has none.
type silent struct{}

func (silent) Began(string, time.Duration)                                                 {}
func (silent) Ticked(string, record.TickOutcome, int)                                      {}
func (silent) Attempted(string, placements.RunState, placements.Class, time.Duration, int) {}
func (silent) WaitsForQuota(string, time.Duration)                                         {}
func (silent) KeptEdits(string, int)                                                       {}
func (silent) Hangs(string, int)                                                           {}
func (silent) Delivered(string)                                                            {}

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
func (a *attempt) observeSuperseded() {
	superseded := func(p record.RunPlacement) bool { return p.State == placements.RunSuperseded }
	if run := a.run; !run.Due.IsZero() && run.EndedAt != "" && slices.ContainsFunc(run.Placements, superseded) {
		a.observe.Ticked(a.d.Tenant, record.TickSuperseded, 1)
	}
}

// observeEnd tells the observer of an attempt that was completed with an outcome.
func (a *attempt) observeEnd(o storage.Outcome, took time.Duration, rowsWritten int) {
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
