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

// Meet decides what becomes of a placement that another run wants, which has not ended and is in that state after so many attempts. newer says
// that the other one was accepted later, asks that a user requested something of the placement with the run that claims it, and apart that what
// was requested of both does not go together.
func Meet(other placements.RunState, attempts int, newer, asks, apart bool) Meeting {
	switch {
	case newer && other == placements.RunQueued && attempts > 0 && !asks:
		return Leaves
	case newer, apart:
		return Beside
	}
	return TakesOver
}

// Yields reports whether a placement that is to wait in a run is left to another run that wants it: a newer one, unless a user requested something
// of it with the run.
func Yields(newer, asks bool) bool { return newer && !asks }
