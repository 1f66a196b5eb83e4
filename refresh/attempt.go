package refresh

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"time"

	"mooring/placements"
)

// The bounds of repeated attempts (DESIGN.md §5): transient trouble is tried again for retryHorizon, quotas and files are waited for.
const (
	firstDelay   = 2 * time.Second
	longestDelay = 2 * time.Minute
	missingDelay = 10 * time.Minute // the longest for a file that is missing
	retryHorizon = 15 * time.Minute
	quotaHorizon = 24 * time.Hour
)

// roomRetry is when to ask again for a result that there was no room for.
const roomRetry = 5 * time.Second

// nextAttempt is when a run that failed with f at now should be tried again; false when it should not. first is when its
// first attempt started, attempt counts from one, jitter is in [0,1). The wait is drawn from zero to an exponential bound ("full jitter"),
// never below what the other side asked for.
func nextAttempt(f *placements.Fault, first, now time.Time, attempt int, jitter float64) (time.Time, bool) {
	if f.Class != placements.Transient && f.Class != placements.Quota {
		return time.Time{}, false
	}
	longest, horizon := longestDelay, retryHorizon
	switch {
	case f.Class == placements.Quota:
		horizon = quotaHorizon
	case errors.Is(f, fs.ErrNotExist):
		longest, horizon = missingDelay, missingHorizon
	}
	bound := longest
	if attempt < 9 {
		bound = min(longest, firstDelay<<attempt)
	}
	at := now.Add(max(time.Duration(jitter*float64(bound)), f.RetryAfter))
	return at, at.Sub(first) <= max(horizon, f.RetryAfter)
}

func jitter() float64 { return rand.Float64() }

// asFault gives every error a class: what nobody classified is our own doing, tried again like any passing trouble
// and shown without its text, which may hold what a client must not see.
func asFault(err error) *placements.Fault {
	if f, ok := errors.AsType[*placements.Fault](err); ok {
		return f
	}
	return &placements.Fault{
		Class:   placements.Transient,
		Message: "the run failed inside Mooring: it is tried again; the log has the cause under the run's id",
		Err:     err,
	}
}
