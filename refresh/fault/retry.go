package fault

import (
	"fmt"
	"hash/fnv"
	"time"

	"mooring/placements"
)

// The bounds of repeated attempts (DESIGN.md §5): transient faults are retried for retryHorizon, quotas and documents are waited for.
const (
	firstDelay   = 4 * time.Second  // the longest at first
	longestDelay = 2 * time.Minute  // and at last
	missingDelay = 10 * time.Minute // for a file that is missing
	heldDelay    = 30 * time.Second // for a document to which another run writes
	RetryHorizon = 15 * time.Minute
	WaitingLimit = 24 * time.Hour // for a quota, and for a document that is locked, missing or held
)

// Wait is how a placement waits that a fault keeps from being refreshed.
type Wait struct {
	Since time.Time // its first try that found that it had to wait, perhaps one of an older run
	Began time.Time // when the present fault began, in its run, if it is brief
}

// NextTry is when a placement, or a run, that failed with f at now should be tried again; false when it should not. jitter is in [0,1). The
// wait is drawn from the upper half of a bound that grows as what has been waited, never below what the other side asked for.
func NextTry(f *placements.Fault, w Wait, now time.Time, jitter float64) (time.Time, bool) {
	if !Retryable(f) {
		return time.Time{}, false
	}
	longest, horizon := bounds(f)
	from := w.Since
	if Brief(f) {
		from = w.Began
	}
	bound := min(longest, max(firstDelay, 2*now.Sub(w.Since)))
	at := now.Add(max(bound/2+time.Duration(jitter*float64(bound/2)), f.RetryAfter))
	return at, at.Sub(from) <= max(horizon, f.RetryAfter)
}

// bounds are the longest wait between two tries of what fails with f, and for how long it is tried.
func bounds(f *placements.Fault) (longest, horizon time.Duration) {
	switch {
	case MissesFile(f):
		return missingDelay, WaitingLimit
	case f.Reason == placements.ReasonHeld:
		return heldDelay, WaitingLimit
	case f.Reason == placements.ReasonLocked, f.Class == placements.Quota:
		return longestDelay, WaitingLimit
	}
	return longestDelay, RetryHorizon
}

// Brief reports whether f may pass by itself and is waited for only for retryHorizon.
func Brief(f *placements.Fault) bool {
	_, horizon := bounds(f)
	return Retryable(f) && horizon == RetryHorizon
}

// Jitter is that of the waits of an attempt: in [0,1), and another one for each.
func Jitter(run string, fence int64) float64 {
	sum := fnv.New64a()
	fmt.Fprint(sum, run, "#", fence)
	return float64(mix(sum.Sum64())>>11) / (1 << 53)
}

// mix spreads the bits of a sum whose texts differ in their ends only.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}
