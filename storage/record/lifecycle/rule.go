package lifecycle

import (
	"slices"
	"strings"

	"mooring/placements"
)

// Rule is one of the steps that a run may take.
type Rule int

// The rules. An attempt is what works on a run under a fence: an agent, the process that holds the run, or an add-in.
const (
	Enqueue     Rule = iota // a run is made that agents find in the queue
	Await                   // a tick makes a run that waits for the one before
	Skip                    // a tick makes no run, since the one before has not ended
	Join                    // word of new data makes no run: this one will query it
	Hold                    // a process makes a run that it works on itself
	StartClient             // an add-in makes a run, and begins its only attempt
	Begin                   // an agent begins an attempt
	TakeOver                // an agent begins an attempt of a run whose attempt went silent
	BeginHeld               // the process that holds a run begins an attempt
	Renew                   // an attempt of an agent, or of a process that holds the run, says that it lives
	RenewClient             // the add-in says that it lives
	Resume                  // the add-in goes on
	Claim                   // an attempt says that it refreshes placements from now on
	Write                   // an attempt is about to write to a document
	Record                  // an attempt stores what came of its placements so far, and goes on
	Retry                   // an attempt ends, and what is left of its run waits
	Release                 // an agent that shuts down gives its run back
	Complete                // an attempt ends, and its run with it
	Repeat                  // the end of an attempt is sent again, since its answer was lost
	Stop                    // a run on which an agent works is asked to stop
	StopWaiting             // a run on which nobody works is asked to stop
	StopClient              // the run of an add-in is asked to stop
	Abandon                 // the run of an add-in is taken from it, since its lease has ended
	EndClient               // the run of an add-in is taken from it at once
	Requeue                 // the next attempt has come, or a holder has died
	Wake                    // what a run waits for was taken over, or is gone
	Follow                  // the run before has ended
	Interrupt               // a backup was restored
	rules
)

// Condition is what must hold for a rule, as a set.
type Condition uint16

// The conditions.
const (
	Latest    Condition = 1 << iota // the attempt is the run's latest
	Leased                          // who asks has the run: its entry of the queue, or the lock of the document
	Unleased                        // no process or add-in has the run
	Idle                            // no other run of the target, or of the schedule, queries or writes
	Busy                            // one does
	Unbegun                         // no attempt has begun
	Unstopped                       // no stop was asked for
	Unheld                          // no process that holds the run will look after it
	Untaken                         // no newer run has taken over more than the attempt knows
	Foremost                        // the run is the one that wants what is to wait, unless users' demands keep another apart
	Waiting                         // the run stands in the due set
	Same                            // the run is as the attempt wants to leave it
)

// Effect is what a rule does beside the state of the run, as a set.
type Effect uint16

// The effects.
const (
	Fences   Effect = 1 << iota // the attempt is the latest one from now on
	Leases                      // who asks has the run until its lease ends
	Frees                       // the attempt has the run no more
	Queues                      // the run is in the queue, and not in the due set
	Defers                      // the run is in the due set
	Recalls                     // the run is in the due set no more
	Occupies                    // no other run of its target, or of its schedule, is made
	Vacates                     // others may be made, and what waits for the run goes on
	Wants                       // the run is the one that wants its placements
	Takes                       // older runs are told what was taken over from them, and those that wait are woken
	Unwants                     // the run wants none of its placements any more
	Settles                     // what still waits in the run ends with it
	Stops                       // the run is to end
)

var conditions = [...]string{
	"Latest", "Leased", "Unleased", "Idle", "Busy", "Unbegun", "Unstopped", "Unheld", "Untaken", "Foremost", "Waiting", "Same",
}

var effects = [...]string{
	"Fences", "Leases", "Frees", "Queues", "Defers", "Recalls", "Occupies", "Vacates", "Wants", "Takes", "Unwants", "Settles", "Stops",
}

func (c Condition) String() string { return namesOf(uint16(c), conditions[:]) }

func (e Effect) String() string { return namesOf(uint16(e), effects[:]) }

func namesOf(set uint16, names []string) string {
	var list []string
	for i, name := range names {
		if set&(1<<i) != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, "|")
}

// Step is what a rule says.
type Step struct {
	Name  string
	From  []placements.RunState // none: there is no such run
	Needs Condition
	To    []placements.RunState // none: the state stays
	Does  Effect
}

// Steps has the step of each rule.
type Steps [rules]Step

// The states of runs, as sets of them.
var (
	queued  = []placements.RunState{placements.RunQueued}
	running = []placements.RunState{placements.RunRunning}
	open    = []placements.RunState{placements.RunQueued, placements.RunRunning}
)

// Rules returns the table.
func Rules() Steps { return table }

var table = Steps{
	Enqueue:     {"Enqueue", nil, Idle, queued, Queues | Occupies},
	Await:       {"Await", nil, Busy, queued, 0},
	Skip:        {"Skip", nil, Busy, []placements.RunState{placements.RunSkipped}, 0},
	Join:        {"Join", queued, Unbegun | Unstopped, nil, 0},
	Hold:        {"Hold", nil, Idle, queued, Leases | Occupies},
	StartClient: {"StartClient", nil, Idle | Unleased, running, Fences | Leases | Occupies},
	Begin:       {"Begin", queued, Leased, running, Fences | Recalls},
	TakeOver:    {"TakeOver", running, Leased | Unleased, running, Fences},
	BeginHeld:   {"BeginHeld", queued, Latest, running, Fences | Leases},
	Renew:       {"Renew", running, Latest, nil, Leases},
	RenewClient: {"RenewClient", running, Latest | Leased, nil, Leases},
	Resume:      {"Resume", running, Latest | Leased, nil, 0},
	Claim:       {"Claim", running, Latest | Untaken, nil, Wants | Takes},
	Write:       {"Write", running, Latest, nil, 0},
	Record:      {"Record", running, Latest, nil, 0},
	Retry:       {"Retry", running, Latest | Untaken | Foremost, queued, Frees | Defers | Vacates | Unwants},
	Release:     {"Release", running, Latest | Untaken | Foremost, queued, Frees | Defers | Unwants},
	Complete:    {"Complete", running, Latest, ends, Frees | Vacates | Unwants},
	Repeat:      {"Repeat", append([]placements.RunState{placements.RunQueued}, ends...), Latest | Same, nil, 0},
	Stop:        {"Stop", running, 0, nil, Stops},
	StopWaiting: {"StopWaiting", queued, Unstopped, nil, Stops | Queues},
	StopClient:  {"StopClient", running, Unstopped, nil, Stops | Frees | Queues},
	Abandon:     {"Abandon", running, Unleased, nil, Fences | Leases},
	EndClient:   {"EndClient", running, 0, nil, Fences | Leases | Stops},
	Requeue:     {"Requeue", open, Waiting, nil, Queues},
	Wake:        {"Wake", queued, Waiting | Unheld, nil, Queues},
	Follow:      {"Follow", queued, Idle, nil, Queues | Occupies},
	Interrupt:   {"Interrupt", open, 0, []placements.RunState{placements.RunStopped}, Vacates | Unwants | Settles},
}

// Step returns what the table says of a rule.
func (r Rule) Step() *Step { return &table[r] }

func (r Rule) String() string { return table[r].Name }

// Count is how many rules there are.
const Count = int(rules)

// Leads reports whether the rule leads from a state, "" that of no run.
func (s *Step) Leads(from placements.RunState) bool {
	if from == "" {
		return len(s.From) == 0
	}
	return slices.Contains(s.From, from)
}

// Allows reports whether a run in that state, of which the conditions hold, may take the step.
func (s *Step) Allows(from placements.RunState, holds Condition) bool {
	return s.Leads(from) && s.Needs&^holds == 0
}

// Allows reports whether a run in that state, of which the conditions hold, may take the step of the rule.
func (r Rule) Allows(from placements.RunState, holds Condition) bool {
	return r.Step().Allows(from, holds)
}

// From is the only state from which the rule leads. It panics if there are several.
func (r Rule) From() placements.RunState {
	if len(r.Step().From) != 1 {
		panic("lifecycle: " + r.String() + " leads from several states")
	}
	return r.Step().From[0]
}

// Open lists the states in which a run has not ended: those that a rule leads from to another one.
func Open() []placements.RunState { return open }
