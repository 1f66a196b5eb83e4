package refresh

import (
	"context"
	"errors"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/result"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// attempt is the work of one attempt of a run.
type attempt struct {
	*Engine
	d           record.Deployment
	run         *record.Run
	claim       *queue.Attempt
	alone       bool            // no agent may take the run over
	begun       time.Time       // by the store's clock
	started     time.Time       // the same moment by our own
	traces      context.Context // of its lines in the log: the trace that it is part of
	progress    func(string)    // a line for the observers of the run
	room        *result.Room    // where its results are
	patience    time.Duration   // how long it waits for room there; 0: as long as it goes on
	member      *document.Member
	limit       *fault.Limit
	report      *storage.Report
	waited      map[string]bool                // the placements that waited in the run when the attempt began
	newer       map[string]*placements.LastRun // what the newer run shows to which the attempt leaves a placement
	claiming    map[string]bool                // what the attempt has claimed, or tried to
	inherited   map[string]string              // since when a placement waits that was taken over
	asked       []storage.Placed               // what the attempt is to refresh
	askings     []*asking                      // of the source, one for each on whose behalf there is something to refresh
	total       record.Tally                   // of all queries
	held        *document.Job                  // in the document that is locked until the attempt is completed, nil without one
	completions []storage.PlacementOutcome
	jitter      float64           // of its waits: placements that begin to wait together are tried again together
	fault       *placements.Fault // the first of a placement
	faults      []*loggedFault    // not yet in the log
}

// client reports whether an add-in works on the run, in the document that it has open.
func (a *attempt) client() bool { return a.run.Executor == record.ExecutorClient }

// How an attempt can be ended from outside.
var (
	errStopped  = errors.New("stopped by request")
	errRunLimit = errors.New("run limit reached")
)

// completeLimit bounds how long the end of an attempt waits for a storage that does not answer. Another agent has long begun again by then.
const completeLimit = time.Minute

// now is the present by the store's clock, which all agents share.
func (a *attempt) now() time.Time { return a.begun.Add(time.Since(a.started)) }

// asking is one query of an attempt: that on behalf of one person or, where the source shows all the same, of all.
type asking struct {
	behalf string
	table  *result.Table
	err    error
}

// loggedFault is a fault of an attempt, and the placements that failed with it.
type loggedFault struct {
	*placements.Fault
	placements []placements.Placement
	cause      string
}

// placed is a placement of the report, as far as that is there.
func (a *attempt) placed(placementID string) (p storage.Placed, found bool) {
	if a.report == nil {
		return p, false
	}
	return a.report.Find(placementID)
}

// level is what a person may do with the report as the attempt loaded it.
func (a *attempt) level(who record.Actor) record.Level {
	return who.OnReport(a.report.CreatedBy, a.report.RolesWithAccess)
}
