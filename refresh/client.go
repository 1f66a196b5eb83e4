package refresh

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/site"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// A client run is worked on by an add-in, which reads and writes the sheet itself: start → plan → write → complete, its lease renewed
// meanwhile. A plan is an attempt as an agent makes it, on the cells that the add-in sent instead of a session with a host; what it would
// leave is kept until the add-in says that it has written.

// What an add-in sends of its sheet, and gets to write.
type (
	Sheet          = document.Sheet
	SheetRows      = document.SheetRows
	SheetFormulas  = document.SheetFormulas
	SheetStatus    = document.SheetStatus
	SheetParameter = document.SheetParameter
	NeedError      = document.NeedError
	ClientPlan     = document.SheetPlan
	ClientStatus   = document.ClientStatus
	ClientFormulas = document.ClientFormulas
	Uncovered      = document.Uncovered
)

// ClientLease is an add-in's hold on a client run and its document.
type ClientLease struct {
	RunID string
	Fence int64
	Until time.Time
}

// ClientStep is a request of an add-in about its run.
type ClientStep struct {
	Deployment record.Deployment
	Run        *record.Run
	Fence      int64
	By         record.Actor
}

// ClientRuns are the runs that add-ins work on.
type ClientRuns struct {
	queue    *work.Work
	records  *storage.Store
	sites    *site.Locator
	attempts *attempts
}

// Start makes a run of p, a placement of the target's report, that the add-in of r.By works on. Errors are those of
// storage.Queue.StartClient, and the *placements.Error CodeNotPlacer.
func (c *ClientRuns) Start(ctx context.Context, d record.Deployment, r Request, p placements.Placement) (ClientLease, error) {
	if err := placedFor(p, r.By); err != nil {
		return ClientLease{}, err
	}
	run := r.run(ctx, 0)
	run.ExternalWorkbookID = p.WorkbookID
	run.Document = c.sites.LockName(c.heldBy(ctx, d, p))
	begun, until, err := c.queue.StartClient(ctx, d, run, c.attempts.runLimit)
	if placements.CodeOf(err) == placements.CodeRunning && c.endAbandoned(ctx, d, placements.DetailsOf(err)[0].RunID) {
		begun, until, err = c.queue.StartClient(ctx, d, run, c.attempts.runLimit)
	}
	if err != nil {
		return ClientLease{}, err
	}
	err = c.queue.Queue.MarkRunning(ctx, d, begun.Run, []string{p.ID})
	return ClientLease{RunID: begun.Run.ID, Fence: int64(begun.Run.Attempt), Until: until}, err
}

// LeaseOf returns the hold on a client run that was begun. Of one whose add-in has it no more, it ended when the run did, or now.
func (c *ClientRuns) LeaseOf(ctx context.Context, d record.Deployment, run *record.Run) (ClientLease, error) {
	until, err := c.queue.Queue.Clients.Until(ctx, d, run)
	return ClientLease{RunID: run.ID, Fence: queue.ClientFence, Until: until}, err
}

// heldBy is the document of p as an agent would find it; as far as p says, where none would.
func (c *ClientRuns) heldBy(ctx context.Context, d record.Deployment, p placements.Placement) site.Ref {
	ref := c.sites.Of(d.Tenant, p)
	if ref.Host != nil || c.sites.AddinOnly(d.Tenant, p) {
		return ref
	}
	if found, err := c.sites.Find(ctx, d, p); err == nil {
		ref = found
	}
	return ref
}

// placedFor refuses a client run of who would see another person's rows.
func placedFor(p placements.Placement, by record.Actor) error {
	if p.PlacedFor(by.ID) {
		return nil
	}
	return placements.Errorf(placements.CodeNotPlacer,
		"The block at %.80s was placed by another person, whose rows it shows: have it refreshed by an agent, or connect the report again.",
		p.ResultLocation)
}

// endAbandoned ends a client run whose lease has ended, so that no caller need wait for an agent to do so. It reports whether it did.
func (c *ClientRuns) endAbandoned(ctx context.Context, d record.Deployment, runID string) bool {
	run, err := c.queue.Queue.Runs.Get(ctx, d, runID)
	if err != nil || run.Executor != record.ExecutorClient {
		return false
	}
	begun, err := c.queue.Queue.Clients.Take(ctx, d, run, false)
	if err != nil {
		return false
	}
	return c.end(ctx, d, begun)
}

// Renew prolongs the lease of a client run. Errors are the *placements.Error CodeForbidden, of another user; CodeNotPlacer, when the
// placement is another person's since the run was begun; and CodeLeaseLost. The last two say that the run has ended.
func (c *ClientRuns) Renew(ctx context.Context, s ClientStep) (ClientLease, error) {
	if _, err := c.resume(ctx, s); err != nil {
		return ClientLease{}, c.lost(ctx, s, err)
	}
	until, err := c.queue.Queue.Clients.Renew(ctx, s.Deployment, s.Run, s.Fence, c.attempts.runLimit)
	return ClientLease{RunID: s.Run.ID, Fence: s.Fence, Until: until}, c.lost(ctx, s, err)
}

// Complete settles a client run once the add-in has written what was planned last, the result of that digest, and returns it. The
// same call again returns the same. Errors are those of Renew, and the *placements.Error CodeDigest.
func (c *ClientRuns) Complete(ctx context.Context, s ClientStep, wrote checksum.ResultChecksum, u Uncovered) (*record.Run, error) {
	digest, err := c.queue.Queue.Clients.PlannedDigest(ctx, s.Deployment, s.Run.ID)
	if err != nil {
		return nil, err
	}
	planned := digest == digestOf(wrote)
	err = c.settle(ctx, s, digest, planned, u)
	if err != nil && !(planned && errors.Is(err, storage.ErrLockLost)) {
		return nil, c.lost(ctx, s, err)
	}
	run, err2 := c.queue.Queue.Runs.Get(ctx, s.Deployment, s.Run.ID)
	if err2 != nil {
		return nil, err2 // it is not known whether it is lost
	}
	if settledBy(run, s.Fence) {
		return run, nil // by this call, or an earlier one
	}
	return run, c.lost(ctx, s, err)
}

// settledBy reports whether an add-in has settled a run under that fence.
func settledBy(run *record.Run, fence int64) bool {
	return run.Executor == record.ExecutorClient && run.State == placements.RunSucceeded && int64(run.Attempt) == fence
}

// settle stores what was planned last, of that digest, as what the run left, if planned says that this is what the add-in has written. Errors are
// those of resume, and CodeDigest.
func (c *ClientRuns) settle(ctx context.Context, s ClientStep, digest string, planned bool, u Uncovered) error {
	a, err := c.resume(ctx, s)
	if err != nil {
		return err
	}
	begun := a.ledger.claim
	if !planned {
		return notPlanned(s)
	}
	o, err := c.queue.ClientPlan(ctx, begun, digest)
	if errors.Is(err, work.ErrOtherPlan) {
		return notPlanned(s)
	}
	if errors.Is(err, storage.ErrNotFound) { // an earlier call has settled it since
		return errors.Join(storage.ErrLockLost, err)
	}
	if err != nil {
		return err
	}
	begun.Run.EndedAt = placements.Time(a.ledger.now())
	for i := range begun.Run.Placements {
		p := &begun.Run.Placements[i]
		p.Note = document.Sentence(append([]string{p.Note}, u.Notes()...))
	}
	a.ledger.run = begun.Run
	err = c.queue.Complete(ctx, begun, o)
	if errors.Is(err, storage.ErrLockLost) {
		if now, err := c.queue.Queue.Clients.PlannedDigest(ctx, s.Deployment, s.Run.ID); err == nil && now != digest {
			return notPlanned(s)
		}
	}
	if err == nil {
		a.observed(o)
	}
	return err
}

// notPlanned refuses to settle a run by another plan than its last.
func notPlanned(s ClientStep) error {
	return placements.Errorf(placements.CodeDigest,
		"resultChecksum is not that of the plan which was made last for run %s: plan again, write that plan and send its checksum.", s.Run.ID)
}

// stop ends a client run at once.
func (c *ClientRuns) stop(ctx context.Context, d record.Deployment, run *record.Run) error {
	begun, err := c.queue.Queue.Clients.Take(ctx, d, run, true)
	if err == nil {
		c.end(ctx, d, begun)
	}
	return err
}

// end ends a client run without its add-in, and reports whether it is ended.
func (c *ClientRuns) end(ctx context.Context, d record.Deployment, begun *queue.Attempt) bool {
	a := c.clientAttempt(ctx, d, begun)
	fault, cause := a.ending.abandoned(ctx)
	return a.conclusion(ctx, fault, cause)
}

// conclusion completes a client run that fault or cause ends, and reports whether that is done.
func (a *attempt) conclusion(ctx context.Context, fault *placements.Fault, cause error) bool {
	o, done := a.ending.complete(ctx, fault, cause)
	a.ledger.faults.logFaults()
	if done {
		a.observed(o)
	}
	return done
}

// observed tells the observer, and the log, of a client run that has ended with an outcome.
func (a *attempt) observed(o work.Outcome) {
	logRun(a.ledger.faults.traces, a.ending.log, a.ledger.d, a.ledger.run, a.ledger.documentsNamed())
	if began, err := time.Parse(time.RFC3339, a.ledger.claim.Run.StartedAt); err == nil {
		a.ending.observeEnd(o, a.ledger.now().Sub(began), a.ledger.claim.Run.RowsWritten)
	}
}

// resume returns the attempt of a client run for another step of its add-in, with its report. The placement may be another person's since
// the run was begun: whoever takes it over, or moves it, ends the run, unless it began meanwhile. Errors are the *placements.Error
// CodeForbidden, of another user, and CodeNotPlacer, and storage.ErrLockLost: see lost.
func (c *ClientRuns) resume(ctx context.Context, s ClientStep) (*attempt, error) {
	if err := s.allowed(); err != nil {
		return nil, err
	}
	begun, err := c.queue.Queue.Clients.Resume(ctx, s.Deployment, s.Run, s.Fence)
	if err != nil {
		return nil, err
	}
	a := c.clientAttempt(ctx, s.Deployment, begun)
	a.ledger.report, err = c.queue.Load(ctx, begun)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, errors.Join(storage.ErrLockLost, err) // the run has ended with its report
	}
	if err != nil {
		return nil, err
	}
	for _, p := range a.ledger.targets() {
		if err := placedFor(p.Placement, s.By); err != nil {
			return nil, errors.Join(err, c.stop(ctx, s.Deployment, s.Run))
		}
	}
	return a, nil
}

// allowed refuses a step of who did not begin the run.
func (s ClientStep) allowed() error {
	if s.By.Is(s.Run.RequestedBy.ID) {
		return nil
	}
	return placements.Errorf(placements.CodeForbidden,
		"Another user began run %s: only they may go on with it; start a refresh of your own.", s.Run.ID)
}

// lost is err, as the add-in is told that its lease has ended: CodeNotPlacer when the placement is another person's now, else CodeLeaseLost.
// It ends the run.
func (c *ClientRuns) lost(ctx context.Context, s ClientStep, err error) error {
	if !errors.Is(err, storage.ErrLockLost) {
		return err
	}
	if run, err := c.queue.Queue.Runs.Get(ctx, s.Deployment, s.Run.ID); err == nil && settledBy(run, s.Fence) {
		return placements.Errorf(placements.CodeLeaseLost, "Run %s has ended, and what was written was settled: there is nothing left to do.", s.Run.ID)
	}
	c.endAbandoned(ctx, s.Deployment, s.Run.ID)
	if refused := c.takenOver(ctx, s); refused != nil {
		return refused
	}
	return placements.Errorf(placements.CodeLeaseLost,
		"Run %s has ended, since its block was moved or its time was over, or is not held under fence %d any more, and nothing was settled: "+
			"start another refresh.", s.Run.ID, s.Fence).Because(err)
}

// takenOver refuses a step on a placement that is another person's now.
func (c *ClientRuns) takenOver(ctx context.Context, s ClientStep) error {
	if s.Run.Executor != record.ExecutorClient {
		return nil
	}
	r, err := c.records.Reports().Get(ctx, s.Deployment, s.Run.ReportID)
	if err != nil {
		return nil //nolint:nilerr // the lease is lost, whatever the placement is
	}
	p, found := r.Find(s.Run.PlacementID)
	if !found {
		return nil
	}
	return placedFor(p.Placement, s.By)
}

// clientAttempt returns the attempt of a client run.
func (c *ClientRuns) clientAttempt(ctx context.Context, d record.Deployment, begun *queue.Attempt) *attempt {
	a := c.attempts.newAttempt(ctx, d, begun, document.NewCohort(1)[0])
	a.ledger.alone, a.asker.room, a.asker.patience = true, c.attempts.results.Clients, c.attempts.roomWait
	return a
}

// digestOf names a result by its checksum.
func digestOf(of checksum.ResultChecksum) string {
	text, _ := json.Marshal(of) // numbers and texts always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
