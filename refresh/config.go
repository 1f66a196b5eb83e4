package refresh

import (
	"cmp"
	"log/slog"
	"time"

	"mooring/refresh/source"
	"mooring/refresh/trace"
	"mooring/storage"
)

// Config is what an engine works with.
type Config struct {
	Store   *storage.Store
	Tenants map[string]Tenant
	Log     *slog.Logger // nil: slog.Default()
	Tracer  *trace.Tracer

	Workers    int           // runs at work at once; 0: DefaultWorkers
	RunLimit   time.Duration // how long an attempt may query and write; 0: DefaultRunLimit
	DrainLimit time.Duration // how long a shutdown waits for the runs at work; 0: DefaultDrainLimit

	ResultsInMemory source.Size   // all results at one time, encoded; 0: DefaultResultsInMemory
	RoomWait        time.Duration // how long Result waits for room among them; 0: DefaultRoomWait

	Rhythm Rhythm // of agents

	Observer AgentObserver // nil: none
	Version  string        // of the program, which agents tell

	// Progress, when set, is told what a run at work does, a line at a time.
	Progress func(runID, line string)
}

// The limits of a Config that sets none.
const (
	DefaultWorkers    = 32
	DefaultRunLimit   = 15 * time.Minute
	DefaultDrainLimit = 20 * time.Second

	DefaultResultsInMemory = 1 << 30
	DefaultRoomWait        = 10 * time.Second
)

// Rhythm is how often an agent that has nothing to do looks for something. A zero field takes that of DefaultRhythm.
type Rhythm struct {
	Take  time.Duration // how long one look into the queues waits
	Due   time.Duration // how long a new due time may go unnoticed
	Sweep time.Duration // how often the entries of dead agents are looked for, and whether the storage is there
	Beat  time.Duration // how often an agent tells that it is there
}

// DefaultRhythm returns the rhythm of a Config that sets none.
func DefaultRhythm() Rhythm {
	return Rhythm{Take: 500 * time.Millisecond, Due: 100 * time.Millisecond, Sweep: 200 * time.Millisecond, Beat: 2 * time.Second}
}

// withDefaults returns r without zero fields.
func (r Rhythm) withDefaults() Rhythm {
	d := DefaultRhythm()
	return Rhythm{
		Take: cmp.Or(r.Take, d.Take), Due: cmp.Or(r.Due, d.Due), Sweep: cmp.Or(r.Sweep, d.Sweep), Beat: cmp.Or(r.Beat, d.Beat),
	}
}
