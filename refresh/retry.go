package refresh

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"time"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/record"
)

// The bounds of repeated attempts (DESIGN.md §5): transient faults are retried for retryHorizon, quotas and documents are waited for.
const (
	firstDelay   = 4 * time.Second  // the longest at first
	longestDelay = 2 * time.Minute  // and at last
	missingDelay = 10 * time.Minute // for a file that is missing
	heldDelay    = 30 * time.Second // for a document to which another run writes
	retryHorizon = 15 * time.Minute
	waitingLimit = 24 * time.Hour // for a quota, and for a document that is locked, missing or held
)

// waited is how a placement waits that a fault keeps from being refreshed.
type waited struct {
	since time.Time // its first try that found that it had to wait, perhaps one of an older run
	fault time.Time // when the present fault began, in its run, if it is brief
}

// nextTry is when a placement, or a run, that failed with f at now should be tried again; false when it should not. jitter is in [0,1). The
// wait is drawn from the upper half of a bound that grows as what has been waited, never below what the other side asked for.
func nextTry(f *placements.Fault, w waited, now time.Time, jitter float64) (time.Time, bool) {
	if !retryable(f) {
		return time.Time{}, false
	}
	longest, horizon := bounds(f)
	from := w.since
	if brief(f) {
		from = w.fault
	}
	bound := min(longest, max(firstDelay, 2*now.Sub(w.since)))
	at := now.Add(max(bound/2+time.Duration(jitter*float64(bound/2)), f.RetryAfter))
	return at, at.Sub(from) <= max(horizon, f.RetryAfter)
}

// bounds are the longest wait between two tries of what fails with f, and for how long it is tried.
func bounds(f *placements.Fault) (longest, horizon time.Duration) {
	switch {
	case missesFile(f):
		return missingDelay, waitingLimit
	case f.Reason == placements.ReasonHeld:
		return heldDelay, waitingLimit
	case f.Reason == placements.ReasonLocked, f.Class == placements.Quota:
		return longestDelay, waitingLimit
	}
	return longestDelay, retryHorizon
}

// brief reports whether f may pass by itself and is waited for only for retryHorizon.
func brief(f *placements.Fault) bool {
	_, horizon := bounds(f)
	return retryable(f) && horizon == retryHorizon
}

// jitter is that of the waits of an attempt: in [0,1), and another one for each.
func jitter(run string, fence int64) float64 {
	sum := fnv.New64a()
	fmt.Fprint(sum, run, "#", fence)
	return float64(mix(sum.Sum64())>>11) / (1 << 53)
}

// mix spreads the bits of a sum whose texts differ in their ends only.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}

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

// fault is why the block was not written, as its placement is told. Only an add-in may say that it has written a file that was never there.
func (b *block) fault() *placements.Fault {
	f := b.unopened(asFault(b.err))
	if b.opened && errors.Is(f, fs.ErrNotExist) {
		return b.job.attempt.awaitFile(b.recorded(), f)
	}
	return ofDocument(f)
}

// awaitFile is what f means for a placement whose file is missing that an agent has written before: it may be there for another agent, may be
// just being replaced, or be on a disk that is not mounted now. It is waited for, by whichever agent takes the run next, until waitingLimit
// after the first try that missed it; later it is looked for once by each run. A run that is worked on here alone fails.
func (a *attempt) awaitFile(p storage.Placed, f *placements.Fault) *placements.Fault {
	missing := *f
	missing.Reason = placements.ReasonMissing
	until := a.since(p, placements.ReasonMissing).Add(waitingLimit)
	if a.alone || !a.now().Before(until) {
		return &missing
	}
	return &placements.Fault{
		Class: placements.Transient, Reason: placements.ReasonMissing, Err: f,
		Message: fmt.Sprintf("The spreadsheet %q, which was written before, is not in the folder of this agent, or the folder is missing: "+
			"it is looked for again until %s, by any agent. Put the file back, or give all agents the same folder.",
			p.WorkbookID, until.UTC().Format("2006-01-02 15:04 UTC")),
	}
}

// await lets a placement wait that fault keeps from being refreshed now, if it may pass by itself and has not waited for too long.
func (a *attempt) await(p storage.Placed, o *record.RunPlacement, fault *placements.Fault) {
	reason := fault.Reason
	if reason == "" && fault.Class == placements.Quota {
		reason = placements.ReasonQuota
	}
	since := a.since(p, reason)
	at, again := nextTry(fault, waited{since, a.faultBegan(p.ID, brief(fault))}, a.now(), a.jitter)
	if !again {
		return
	}
	o.State, o.Reason = placements.RunQueued, reason
	o.Since, o.NextAttemptAt = placements.Time(since), placements.Time(at)
	if reason == placements.ReasonHeld {
		o.ErrorClass = "" // it is no failure
	}
}
