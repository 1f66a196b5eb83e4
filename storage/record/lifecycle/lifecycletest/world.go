package lifecycletest

import "mooring/placements"

// How much of everything a world has at most.
const (
	MaxRuns    = 3
	MaxPlaces  = 2
	MaxWorkers = 3
)

// WorkerKind is who works on a run.
type WorkerKind uint8

// The kinds.
const (
	Agents WorkerKind = iota // agents, which find it in the queue
	Held                     // the process that asked for it, as long as it lives
	Client                   // an add-in, as long as its lease lasts; then an agent ends it
)

// RunPlan is a run that a scenario makes.
type RunPlan struct {
	Kind   WorkerKind
	Places uint8 // what it refreshes, a bit each
	Group  uint8 // the target, or the schedule, of which one run at a time queries or writes
	Lines  bool  // it waits for the run before of its group; else a tick is skipped, and other runs are refused
	Tick   bool  // a schedule makes it
	Sure   bool  // its documents can be written at once
	Asks   bool  // a user requested something with it that another run would not do
	Worker uint8 // who has it, unless agents have
}

// Budget is how often something may happen in a scenario.
type Budget struct {
	Attempts uint8 // the last attempt that may wait
	Crashes  uint8 // of workers
	Stops    uint8 // by users
	Lapses   uint8 // of leases whose holders live
	Losses   uint8 // of answers to the end of an attempt
	Drops    uint8 // of placements
	Releases uint8 // by agents that shut down
	Restores uint8 // of a backup
	Faults   uint8 // for which a run fails as a whole
	Joins    uint8 // of word that the data has changed
}

// Scenario is a world as it begins: runs are made in their order.
type Scenario struct {
	Name   string
	Runs   []RunPlan
	Places int
	Agents int // the first of the workers
	Budget Budget
}

// State is a placements.RunState in little space.
type State uint8

// The states.
const (
	None State = iota
	Queued
	Running
	Succeeded
	Failed
	Skipped
	Stopped
	Superseded
)

var names = [...]placements.RunState{
	"", placements.RunQueued, placements.RunRunning, placements.RunSucceeded, placements.RunFailed, placements.RunSkipped, placements.RunStopped,
	placements.RunSuperseded,
}

// Of returns the State of a placements.RunState.
func Of(state placements.RunState) State {
	for i, name := range names {
		if name == state {
			return State(i)
		}
	}
	panic("lifecycletest: state " + string(state))
}

// Name is the placements.RunState of a State.
func (s State) Name() placements.RunState { return names[s] }

func (s State) String() string { return string(names[s]) }

// Ended reports whether a run or placement in that state goes on no more.
func (s State) Ended() bool { return s > Running }

// open reports whether a run has been made and has not ended.
func (r *Run) open() bool { return r.State == Queued || r.State == Running }

// The owners of an entry of the queue; those from HeldBy on are workers, HeldBy the first of them.
const (
	NoEntry = iota
	InQueue
	OfDead // whose worker has crashed
	HeldBy
)

// The ages of a lease.
const (
	noLease = iota
	agedLease
	freshLease
)

// Run is a run as the storage has it.
type Run struct {
	State   State
	Fence   uint8
	Stop    bool
	Due     bool  // it stands in the due set
	Lease   uint8 // of its holder, or its add-in
	Lock    bool  // its add-in has the document
	Held    bool  // its holder looks after it
	Lined   bool  // it waits for the run before of its schedule
	Active  bool  // of its target or schedule
	Waited  bool  // it has hindered no other since
	Entries [3]uint8
	Said    [MaxPlaces]State
	Taken   [MaxPlaces]uint8 // by run, from 1
}

// PlacementState is a placement, alone in its document, as the storage has it.
type PlacementState struct {
	Gone   bool
	Wanted uint8 // by run, from 1
	Shown  uint8 // its last run, from 1
	Shows  State
}

// The phases of a worker.
const (
	idle    = iota
	took    // an entry
	begun   // an attempt
	claimed // what it is to refresh
	ending  // decided how its attempt ends
	sent    // the end, without an answer
)

// What a worker has to do at a placement.
const (
	nothing = iota
	toDo
	beside // toDo, while another run wants it
)

// How an attempt ends that is not stopped.
const (
	goesOn    = iota // it does not
	isDone           // with what it was to refresh now
	shutsDown        // with its agent
	fails            // as a whole
)

// Worker is an agent, the holder of a run, or an add-in.
type Worker struct {
	Run   uint8 // from 1
	Phase uint8
	Entry uint8 // of the run's, from 1: under which it works
	Fence uint8
	Stop  bool  // it knows that the run is to stop
	Ends  uint8 // how its attempt does, once it has decided that
	End   State
	Said  [MaxPlaces]State
	Todo  [MaxPlaces]uint8
	Known [MaxPlaces]uint8 // of the run's Taken
	Seen  [MaxPlaces]uint8 // by which run what is to wait was wanted when it decided
}

// World is everything, at one moment.
type World struct {
	Runs    [MaxRuns]Run
	Places  [MaxPlaces]PlacementState
	Workers [MaxWorkers]Worker
	Left    Budget
}

// Begin is the world in which a scenario begins.
func (s *Scenario) Begin() World {
	w := World{Left: s.Budget}
	for p := s.Places; p < MaxPlaces; p++ {
		w.Places[p].Gone = true
	}
	return w
}
