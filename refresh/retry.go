package refresh

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
)

// The bounds of repeated attempts (DESIGN.md §5): transient faults are retried for retryHorizon, quotas and files are waited for.
const (
	firstDelay   = 2 * time.Second
	longestDelay = 2 * time.Minute
	missingDelay = 10 * time.Minute // the longest for a file that is missing
	retryHorizon = 15 * time.Minute
	quotaHorizon = 24 * time.Hour
)

// roomRetry is when to ask again for a result that there was no room for.
const roomRetry = 5 * time.Second

// missingHorizon is how long a file that was written before is waited for.
const missingHorizon = 24 * time.Hour

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

// retryable reports whether another attempt may fare better.
func retryable(f *placements.Fault) bool {
	return f.Class == placements.Transient || f.Class == placements.Quota
}

// asFault returns any error as a fault: one that no driver classified is a defect of ours, retried like any transient fault
// and shown without its text, which may hold what a client must not see.
func asFault(err error) *placements.Fault {
	if f, ok := errors.AsType[*placements.Fault](err); ok {
		return f
	}
	return &placements.Fault{
		Class:   placements.Transient,
		Message: "the run failed inside Mooring: it is tried again; the log has the cause under the run's id",
		Err:     defect{err},
	}
}

// defect is an error that no driver classified.
type defect struct{ error }

func (d defect) Unwrap() error { return d.error }

// unopened is f, or what users are told instead of it where no agent ever wrote the block: any user may place a report in a document of any
// name, and has edit access to a report of their own, but must not learn which files a folder has. The log has the fault itself.
func (b *block) unopened(f *placements.Fault) *placements.Fault {
	if b.opened || !errors.Is(f, host.ErrUnopened) {
		return f
	}
	b.job.attempt.logUnopened(b.recorded(), f)
	return &placements.Fault{
		Class: placements.Structure,
		Message: fmt.Sprintf("The spreadsheet %q cannot be opened: there is none, it is no sound .xlsx file, or the service may not read and write it. "+
			"Check its name, and save it as .xlsx without a password; or ask who runs the service: the log says what it is.", b.recorded().WorkbookID),
	}
}

// awaitFile is what f means for a block: a file that an agent has written before, and this one does not see, or whose folder it does
// not see, may be there for another agent, may be just being replaced, or be on a disk that is not mounted now. The run goes back to the
// queue, for whichever agent takes it next, until missingHorizon after its first attempt. One that is worked on here alone fails, and so does
// one that only an add-in says it has written: that file may never have been there.
func (a *attempt) awaitFile(b *block, f *placements.Fault) *placements.Fault {
	first, err := time.Parse(time.RFC3339, a.run.StartedAt)
	if err != nil || a.alone || a.now().Sub(first) > missingHorizon || !b.opened || !errors.Is(f, fs.ErrNotExist) {
		return f
	}
	return &placements.Fault{
		Class: placements.Transient, Err: f,
		Message: fmt.Sprintf("The spreadsheet %q, which was written before, is not in the folder of this agent, or the folder is missing: "+
			"it is looked for again until %s, by any agent. Put the file back, or give all agents the same folder.",
			b.recorded().WorkbookID, placements.Time(first.Add(missingHorizon))),
	}
}
