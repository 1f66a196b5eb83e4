package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
)

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
	begun, err := a.queue.Queue.Begin(ctx, a.name, entry)
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
	if completed && cause == nil && fault != nil && unclassified(fault) {
		work.logFault(fault) // where its users are told to look
	}
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
		stop, err := e.queue.Queue.Renew(ctx, begun)
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

// tooLong is why an attempt was ended that took too long.
func (a *attempt) tooLong() *placements.Fault {
	return &placements.Fault{
		Class: placements.Transient, Err: errRunLimit, Message: fmt.Sprintf("the run took longer than %s and was ended", a.runLimit),
	}
}
