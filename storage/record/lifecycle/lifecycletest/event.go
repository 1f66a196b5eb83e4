package lifecycletest

import (
	"fmt"

	"mooring/storage/record/lifecycle"
)

// Other is what happens that no rule decides.
type Other uint8

// The others. The zero value says that a rule was followed.
const (
	ByRule   Other = iota
	Take           // a worker takes an entry of the queue
	Orphan         // a worker takes the entry of one that is silent
	Refused        // a worker finds nothing to do for its entry
	GiveUp         // a worker finds that it has lost its attempt
	Learn          // an attempt reads what was taken over from its run, and decides again
	Start          // an attempt begins its work without a claim
	Wait           // a document cannot be reached now
	Fail           // a document cannot be written permanently
	Decide         // an attempt decides how it ends
	Abort          // the whole run fails
	ShutDown       // an agent shuts down
	Stopping       // an attempt that knows that it is to stop decides so
	Crash          // a worker dies
	Age            // of a lease
	Lapse          // of a lease
	Drop           // a placement goes
	Restore        // a backup is restored
)

var others = [...]string{
	"", "take", "orphan", "refused", "give up", "learn", "start", "wait", "fail", "decide", "abort", "shut down", "stopping", "crash", "age", "lapse", "drop",
	"restore",
}

// Event is one step of a world. Run, Worker and Place are -1 where they say nothing.
type Event struct {
	Other  Other
	Rule   lifecycle.Rule
	Run    int
	Worker int
	Place  int
	To     State
	Lost   bool   // the answer is lost
	Wrong  string // what must not happen, and has
}

// asked reports whether a user asks for it, or a tick: without them it does not happen. What a budget bounds says so there.
func (e Event) asked() bool {
	return e.Other == ByRule && (len(e.Rule.Step().From) == 0 || e.Rule == lifecycle.Abandon)
}

func (e Event) String() string {
	text := others[e.Other]
	if e.Other == ByRule {
		text = e.Rule.String()
	}
	for _, of := range []struct {
		name string
		i    int
	}{{"run", e.Run}, {"worker", e.Worker}, {"place", e.Place}} {
		if of.i >= 0 {
			text += fmt.Sprintf(" %s %d", of.name, of.i)
		}
	}
	if e.To != None {
		text += " -> " + e.To.String()
	}
	if e.Lost {
		text += ", answer lost"
	}
	return text
}
