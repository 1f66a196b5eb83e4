package refresh

import (
	"errors"
	"fmt"
	"io/fs"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/record"
)

// faultOfTask is why a block was not written, as its placement is told. Only an add-in may say that it has written a file that was never
// there.
func (a *ledger) faultOfTask(o *document.Receipt) *placements.Fault {
	f := a.faults.unopened(o, fault.Of(o.Err))
	if o.Opened && errors.Is(f, fs.ErrNotExist) {
		return a.awaitFile(o.Recorded(), f)
	}
	return fault.OfDocument(f)
}

// awaitFile is what f means for a placement whose file is missing that an agent has written before: it may be there for another agent, may be
// just being replaced, or be on a disk that is not mounted now. It is waited for, by whichever agent takes the run next, until waitingLimit
// after the first try that missed it; later it is looked for once by each run. A run that is worked on here alone fails.
func (a *ledger) awaitFile(p storage.Placed, f *placements.Fault) *placements.Fault {
	missing := *f
	missing.Reason = placements.ReasonMissing
	until := a.since(p, placements.ReasonMissing).Add(fault.WaitingLimit)
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

// await lets a placement wait that f keeps from being refreshed now, if it may pass by itself and has not waited for too long.
func (a *ledger) await(p storage.Placed, o *record.RunPlacement, f *placements.Fault) {
	reason := f.Reason
	if reason == "" && f.Class == placements.Quota {
		reason = placements.ReasonQuota
	}
	since := a.since(p, reason)
	at, again := fault.NextTry(f, fault.Wait{Since: since, Began: a.faultBegan(p.ID, fault.Brief(f))}, a.now(), a.jitter)
	if !again {
		return
	}
	o.State, o.Reason = placements.RunQueued, reason
	o.Since, o.NextAttemptAt = placements.Time(since), placements.Time(at)
	if reason == placements.ReasonHeld {
		o.ErrorClass = "" // it is no failure
	}
}
