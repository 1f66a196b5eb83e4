package refresh

import (
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// AgentObserver is told what agents of this process do, for metrics. Its methods must be quick and safe for concurrent use.
type AgentObserver interface {
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

// silent is the AgentObserver of an engine that has none.
type silent struct{}

func (silent) Began(string, time.Duration)                                                 {}
func (silent) Ticked(string, record.TickOutcome, int)                                      {}
func (silent) Attempted(string, placements.RunState, placements.Class, time.Duration, int) {}
func (silent) WaitsForQuota(string, time.Duration)                                         {}
func (silent) KeptEdits(string, int)                                                       {}
func (silent) Hangs(string, int)                                                           {}
func (silent) Delivered(string)                                                            {}
