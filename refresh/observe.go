package refresh

import (
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/work"
)

// observeSuperseded reports to the observer a tick's run that has ended, if a newer run refreshes what it waited for.
func (a *ending) observeSuperseded() {
	superseded := func(p record.RunPlacement) bool { return p.State == placements.RunSuperseded }
	if run := a.ledger.run; !run.Due.IsZero() && run.EndedAt != "" && slices.ContainsFunc(run.Placements, superseded) {
		a.observe.Ticked(a.ledger.d.Tenant, record.TickSuperseded, 1)
	}
}

// observeEnd tells the observer of an attempt that was completed with an outcome.
func (a *ending) observeEnd(o work.Outcome, took time.Duration, rowsWritten int) {
	run, tenant := a.ledger.claim.Run, a.ledger.d.Tenant
	a.observe.Attempted(tenant, run.State, run.ErrorClass, took, rowsWritten)
	a.observeSuperseded()
	if run.State == placements.RunQueued && run.ErrorClass == placements.Quota {
		a.observe.WaitsForQuota(tenant, o.Again.Sub(a.ledger.now()))
	}
	kept := 0
	for _, p := range o.Placements {
		kept += len(p.Edits)
	}
	a.observe.KeptEdits(tenant, kept)
}
