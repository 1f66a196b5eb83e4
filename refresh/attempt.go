package refresh

import (
	"context"
	"errors"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
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
	results     *room           // where its results are
	patience    time.Duration   // how long it waits for room there; 0: as long as it goes on
	member      *member
	limit       *limit
	report      *storage.Report
	waited      map[string]bool                // the placements that waited in the run when the attempt began
	newer       map[string]*placements.LastRun // what the newer run shows to which the attempt leaves a placement
	claiming    map[string]bool                // what the attempt has claimed, or tried to
	inherited   map[string]string              // since when a placement waits that was taken over
	asked       []storage.Placed               // what the attempt is to refresh
	askings     []*asking                      // of the source, one for each on whose behalf there is something to refresh
	total       record.Tally                   // of all queries
	held        *job                           // in the document that is locked until the attempt is completed, nil without one
	completions []work.PlacementOutcome
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

// job is what an attempt has to do in one document. It belongs to the attempt, and between join and the close of done to its batch.
type job struct {
	attempt *attempt
	ctx     context.Context // the attempt's
	blocks  []*block
	batch   *batch
	joined  time.Time     // the batch, or one before it
	state   jobState      // under documents.mu
	done    chan struct{} // closed when the blocks are written, or are not going to be
	err     error         // why nothing of the job was written
}

type jobState int

// What becomes of a job.
const (
	jobWaits    jobState = iota // it may withdraw: nothing of it is written
	jobWritten                  // it is part of the write, and cannot withdraw any more
	jobAbandons                 // its attempt has ended since; the write goes on if others want it
	jobGone                     // it has withdrawn, or has left
)

// block is the work on one placement in a batch: make the block in its document show the table. It goes through wanted, found, plan,
// patch and writeAhead, and refreshed, as long as err is nil. Everything before the write is read-only and the write is idempotent, so that
// it may be done again after any crash.
type block struct {
	job       *job
	known     storage.Placed // as the attempt loaded it
	table     *result        // on behalf of who placed it
	now       storage.Placed // as it is recorded since the document is locked
	kept      work.Rows
	left      bool       // it is not for this batch any more: see load
	where     host.Block // it stands by its record
	last      plan.Last
	behind    string // see plan.Input
	proof     proof
	unproven  bool // nothing is remembered of it: a marker in the document may be an old one
	opened    bool // see remembered
	view      host.View
	status    *statusCell // nil: the placement has none
	plan      plan.Changes
	foreign   bool                       // see remembered
	unwritten bool                       // see remembered
	beside    bool                       // see origin
	newer     []record.DocumentPlacement // see checkNewer
	shifting  bool                       // rows of cells may be inserted and deleted
	at        placements.Anchor          // where it stands: see moved
	follow    *host.Follow               // what follows the shifts; nil when it was not asked
	moves     string                     // what the plan shifts, in words; empty for nothing
	strayed   []string                   // of a plan that was forgotten, as plan.Changes says it
	change    *record.Change             // what the plan, or a write of an earlier attempt, changes; nil for nothing
	shows     checksum.Extent            // of the block afterwards
	written   host.Written
	calls     int
	took      time.Duration // the whole batch; only the first block of a job says so
	sent      bool          // it was given to the host, which has not refused it: the document may hold it
	done      bool          // it shows the table
	err       error
}

// asking is one query of an attempt: that on behalf of one person or, where the source shows all the same, of all.
type asking struct {
	behalf string
	table  *result
	err    error
}

// statusCell is the work on the status cell of a placement (faces.md §3). To a host it is a block of one cell with a marker of its own,
// which is read and written together with the placement's.
type statusCell struct {
	where host.Block
	found host.Found
	text  string            // to write; empty: it is left alone
	note  string            // why it is left alone although the block is written
	at    placements.Anchor // where it stands: see batch.moved
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

// recorded is the placement as it is recorded, or was when the document could not be locked.
func (b *block) recorded() storage.Placed {
	if b.now.ID == "" {
		return b.known
	}
	return b.now
}

// level is what a person may do with the report as the attempt loaded it.
func (a *attempt) level(who record.Actor) record.Level {
	return who.OnReport(a.report.CreatedBy, a.report.RolesWithAccess)
}

// blockRef names a block over all deployments of a tenant.
type blockRef struct {
	deployment, report int64
	placement          string
}

func (b *block) ref() blockRef {
	return blockRef{b.job.attempt.d.ID, b.job.attempt.run.ReportID, b.known.ID}
}
