package lifecycle

import (
	"slices"

	"mooring/placements"
)

// ends are the states in which runs end, each before those that it hides (decisions.md §7b).
var ends = []placements.RunState{
	placements.RunFailed, placements.RunSucceeded, placements.RunSuperseded, placements.RunStopped, placements.RunSkipped,
}

// Waits reports whether a placement of that state in its run waits there. "" is one that was not tried.
func Waits(placement placements.RunState) bool { return placement == placements.RunQueued }

// Final reports whether a placement of that state in its run stays so.
func Final(placement placements.RunState) bool { return placement != "" && !Waits(placement) }

// End returns the rule by which an attempt ends that leaves placements in those states, and the state of the run afterwards: it waits as long as
// one of them does, else it ends as they say; without any as without says.
func End(placed []placements.RunState, without placements.RunState) (Rule, placements.RunState) {
	if slices.ContainsFunc(placed, Waits) {
		return Retry, placements.RunQueued
	}
	for _, end := range ends {
		if slices.Contains(placed, end) {
			return Complete, end
		}
	}
	return Complete, without
}

// Meeting is what becomes of a placement that two runs want.
type Meeting int

// The meetings, as the run sees them whose attempt claims the placement.
const (
	TakesOver Meeting = iota // it takes the placement over from the other run
	Beside                   // each refreshes the placement by itself
	Leaves                   // it leaves the placement to the other run
)

// Rival is the other run that wants a placement, which has not ended, as the run sees it whose attempt claims the placement.
type Rival struct {
	State    placements.RunState
	Attempts int  // how many have begun
	Newer    bool // it was accepted later
	Apart    bool // what users requested of both does not go together
}

// Meet decides what becomes of a placement. waits says that it is to wait in the run, too, and asks that a user requested something of it with the
// run.
func (r Rival) Meet(waits, asks bool) Meeting {
	waited := waits || r.State == placements.RunQueued && r.Attempts > 0
	switch {
	case r.Newer && waited && !asks:
		return Leaves
	case r.Newer, r.Apart:
		return Beside
	}
	return TakesOver
}
