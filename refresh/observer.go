package refresh

import (
	"time"

	"mooring/placements"
)

// Observer is told what agents of this process do, for metrics. Its methods must be quick and safe for concurrent use.
type Observer interface {
	// Fired: a tick was turned into its run, so long after it was due.
	Fired(tenant string, late time.Duration)
	// Attempted: an attempt of a run came to that state; QUEUED is one that waits for its next attempt. class is empty without a fault.
	Attempted(tenant string, state placements.RunState, class placements.Class, took time.Duration, rowsWritten int)
}

// silent is the Observer of an engine that has none.
type silent struct{}

func (silent) Fired(string, time.Duration)                                                 {}
func (silent) Attempted(string, placements.RunState, placements.Class, time.Duration, int) {}
