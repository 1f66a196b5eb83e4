package refresh

import (
	"context"

	"mooring/placements"
	"mooring/storage/queue"
	"mooring/storage/record"
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

// logSkipped writes the line of a tick's run that was skipped.
func (e *Engine) logSkipped(ctx context.Context, f record.Firing) {
	if f.Run.State == placements.RunSkipped {
		logRun(ctx, e.log, f.Deployment, f.Run, nil)
	}
}
