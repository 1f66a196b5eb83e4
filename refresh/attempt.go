package refresh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/refresh/trace"
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

// newAttempt returns the work of an attempt that has begun.
func (e *Engine) newAttempt(ctx context.Context, d record.Deployment, begun *queue.Attempt, m *member) *attempt {
	a := &attempt{
		Engine: e, traces: context.WithoutCancel(ctx), d: d, run: begun.Run, begun: begun.Begun, claim: begun,
		alone: begun.Held(), started: time.Now(), jitter: jitter(begun.Run.ID, begun.Fence),
		progress: e.progress(begun.Run), member: m, results: e.rooms.runs,
		waited: map[string]bool{}, claiming: map[string]bool{}, inherited: map[string]string{}, newer: map[string]*placements.LastRun{},
	}
	for _, o := range begun.Run.Placements {
		if o.State == placements.RunQueued {
			a.waited[o.PlacementID] = true
		}
	}
	for id := range begun.Run.Carried { // the claim with which it was to be taken over may not have been made
		if begun.Wanted(id) != begun.Run.ID {
			delete(begun.Run.Carried, id)
		}
	}
	return a
}

// begin works on an entry.
func (a *agent) begin(ctx context.Context, entry queue.Entry, m *member) {
	defer m.ready()
	asked := time.Now()
	begun, err := a.queue.Begin(ctx, a.name, entry)
	if errors.Is(err, queue.ErrEnded) {
		return
	}
	if err != nil {
		a.notBegun(entry, err)
		return
	}
	a.observeBegin(begun)
	defer a.present.begin(entry.Deployment, begun.Run)()
	a.perform(ctx, entry.Deployment, begun, asked, m)
	a.rooms.runs.collect()
}

// perform works on an attempt that was asked for at a time and has begun, while renewing its claim, and completes it. completed is false
// when that was left to another attempt; wait is how long the run waits for its next one, when it has not ended.
func (e *Engine) perform(
	ctx context.Context, d record.Deployment, begun *queue.Attempt, asked time.Time, m *member,
) (wait time.Duration, completed bool) {
	ctx, span := e.traced(ctx, d, begun, asked)
	defer span.End()
	work := e.newAttempt(ctx, d, begun, m)
	before := begun.Run.RowsWritten
	defer work.drop()
	defer work.leave()
	fault, cause := e.guarded(ctx, work, begun)
	if errors.Is(cause, storage.ErrLockLost) {
		e.log.WarnContext(ctx, "attempt given up: another agent has begun one", "run", begun.Run.ID)
		work.giveUp(ctx)
		return 0, false
	}
	o, completed := work.complete(ctx, fault, cause)
	work.logFaults()
	if completed {
		work.observeEnd(o, time.Since(work.started), begun.Run.RowsWritten-before)
		work.logEnd(span)
	}
	return o.Again.Sub(work.now()), completed
}

// guarded works under the run's limit and renews the claim meanwhile. cause is why the work was ended from outside, nil when it was not.
func (e *Engine) guarded(ctx context.Context, work *attempt, begun *queue.Attempt) (fault *placements.Fault, cause error) {
	switch {
	case begun.Run.Executor == record.ExecutorClient:
		return work.abandoned(ctx)
	case begun.Stopped:
		if fault = work.load(ctx); fault != nil && passing(fault) {
			return fault, nil // its placements are to be settled too; those of a report that is gone are with it
		}
		return nil, errStopped
	}
	ctx, end := context.WithCancelCause(ctx)
	work.limit = newLimit(e.runLimit, func() { end(errRunLimit) })
	defer work.limit.stop()
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		e.renew(ctx, begun, end)
	}()
	fault = work.safely(ctx)
	if fault != nil || work.firstTry() != nil { // else there was nothing left to end
		cause = context.Cause(ctx)
	}
	end(nil)
	<-renewed
	return fault, cause
}

// safely turns a panic of a source into a fault: one bad run must not end the agent.
func (a *attempt) safely(ctx context.Context) (fault *placements.Fault) {
	defer func() {
		if p := recover(); p != nil {
			a.log.ErrorContext(ctx, "run panicked", "run", a.run.ID, "panic", p)
			fault = asFault(fmt.Errorf("panic: %v", p))
		}
	}()
	return a.work(ctx)
}

// renew says every renewEvery that the attempt lives, until ctx ends. It ends the work when the run is to stop or another attempt has
// begun, and when it could not say so for so long that one may have.
func (e *Engine) renew(ctx context.Context, begun *queue.Attempt, end context.CancelCauseFunc) {
	last := time.Now()
	for sleep(ctx, renewEvery) == nil {
		asked := time.Now()
		stop, err := e.queue.Renew(ctx, begun)
		switch {
		case errors.Is(err, storage.ErrLockLost):
			end(err)
			return
		case stop:
			end(errStopped)
			return
		case err == nil:
			last = asked
		case time.Since(last) > orphanAfter-2*renewEvery:
			end(storage.ErrLockLost)
			return
		}
	}
}

// work refreshes every placement that the run asks for, that it is not done with, and that is due. What came of each is in the run and in
// completions. It returns why that could not be tried at all, or not to the end; nil when what came of the placements decides how the run
// goes on.
func (a *attempt) work(ctx context.Context) *placements.Fault {
	if fault := a.load(ctx); fault != nil {
		return fault
	}
	if fault := a.mayGoOn(); fault != nil {
		return fault
	}
	a.settleGone()
	targets := a.targets()
	if len(targets) == 0 {
		return a.nothingToDo()
	}
	var err error
	if a.asked, err = a.claimed(ctx, a.allowed(ctx, a.due(targets))); err != nil {
		return asFault(err)
	}
	todo := a.available(ctx, a.asked)
	if ctx.Err() != nil {
		return asFault(context.Cause(ctx))
	}
	if len(todo) == 0 {
		return nil
	}
	refs, _ := a.byDocument(todo)
	a.member.announce(refs)
	return faultOf(a.refresh(ctx, todo))
}

// allowed leaves out the placements that an agent, the service, or who asked for the run may not refresh, and says so in the run.
func (a *attempt) allowed(ctx context.Context, list []storage.Placed) []storage.Placed {
	return a.admitted(a.sited(ctx, a.reached(a.byAgents(list))))
}

// faultOf is asFault for an error that may be nil.
func faultOf(err error) *placements.Fault {
	if err == nil {
		return nil
	}
	return asFault(err)
}

func (a *attempt) load(ctx context.Context) *placements.Fault {
	ctx, span := trace.Start(ctx, "load")
	defer span.End()
	r, err := a.queue.Load(ctx, a.claim)
	if errors.Is(err, storage.ErrNotFound) {
		return &placements.Fault{Class: placements.Structure, Message: "the report does not exist any more"}
	}
	if err != nil {
		return asFault(err)
	}
	a.report = r
	return nil
}

// targets are the placements to refresh, without those that this run is done with: document by document, in an order that all runs share, so
// that they meet; those that wait already come last, so that no other waits with them.
func (a *attempt) targets() []storage.Placed {
	var targets []storage.Placed
	for _, p := range a.report.Placements {
		if a.run.Target().Has(p.Placement) && !a.done(p.ID) {
			targets = append(targets, p)
		}
	}
	slices.SortStableFunc(targets, func(p, q storage.Placed) int {
		return cmp.Or(compareBools(waits(p), waits(q)), cmp.Compare(p.Host, q.Host), cmp.Compare(p.WorkbookID, q.WorkbookID))
	})
	return targets
}

// now is the present by the store's clock, which all agents share.
func (a *attempt) now() time.Time { return a.begun.Add(time.Since(a.started)) }

// tooLong is why an attempt was ended that took too long.
func (a *attempt) tooLong() *placements.Fault {
	return &placements.Fault{
		Class: placements.Transient, Err: errRunLimit, Message: fmt.Sprintf("the run took longer than %s and was ended", a.runLimit),
	}
}

// complete decides and stores the outcome of the attempt, see outcome, and reports whether that is done. When a newer run takes over meanwhile
// what this one is to wait for, it is decided again.
func (a *attempt) complete(ctx context.Context, fault *placements.Fault, cause error) (o storage.Outcome, done bool) {
	ctx, span := trace.Start(ctx, "complete")
	defer span.End()
	if errors.Is(cause, errRunLimit) {
		fault, cause = a.tooLong(), nil
	}
	if fault != nil && cause == nil {
		a.logFault(fault)
		if a.report == nil { // what is left to refresh was not known yet
			if err := a.persist(ctx, a.readAgain); passing(err) {
				return o, a.notStored(ctx, err) == nil
			}
		}
	}
	for {
		if !errors.Is(cause, errStopped) {
			if err := a.persist(ctx, a.reclaim); err != nil {
				return o, a.notStored(ctx, err) == nil
			}
		}
		o = a.outcome(fault, cause)
		err := a.store(ctx, o)
		if errors.Is(err, queue.ErrTaken) {
			if err = a.persist(ctx, a.readAgain); err == nil {
				continue
			}
		}
		return o, err == nil
	}
}

// readAgain reads what was taken over from the run, and what is left to wait for.
func (a *attempt) readAgain(ctx context.Context) error {
	if err := a.queue.ReadAgain(ctx, a.claim); err != nil {
		return err
	}
	r, err := a.queue.Load(ctx, a.claim)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		a.report = nil
	case err != nil:
		return err
	default:
		a.report = r
	}
	a.settleTaken()
	a.settleMoved()
	return nil
}

// giveUp leaves the run to the attempt that has begun since.
func (a *attempt) giveUp(ctx context.Context) {
	if err := a.persist(ctx, func(ctx context.Context) error { return a.queue.GiveUp(ctx, a.claim) }); err != nil {
		a.log.WarnContext(ctx, "entry of an attempt that was given up is still in the queue", "run", a.run.ID, "error", err)
	}
}

// store stores the outcome of the attempt.
func (a *attempt) store(ctx context.Context, o storage.Outcome) error {
	return a.notStored(ctx, a.persist(ctx, func(ctx context.Context) error { return a.queue.Complete(ctx, a.claim, o) }))
}

// notStored logs why the outcome was not stored, if it was not, and returns it.
func (a *attempt) notStored(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, storage.ErrLockLost):
		a.log.WarnContext(ctx, "attempt not completed: another agent has begun one", "run", a.run.ID)
		a.giveUp(ctx)
	case err != nil && !errors.Is(err, queue.ErrTaken):
		a.log.Log(ctx, a.outage.level(a.log, err), "attempt not completed, another one will be made", "run", a.run.ID, "error", err)
	}
	return err
}

// passing reports whether the storage may answer when it is asked again.
func passing(err error) bool {
	return errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrBusy)
}

// persist calls store until the storage answers, for at most completeLimit, even when ctx ends.
func (a *attempt) persist(ctx context.Context, store func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), completeLimit)
	defer cancel()
	for {
		err := store(ctx)
		if !passing(err) || sleep(ctx, backOff) != nil {
			return err
		}
	}
}
