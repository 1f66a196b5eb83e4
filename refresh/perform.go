package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/storage"
)

// How an attempt can be ended from outside.
var (
	errStopped  = errors.New("stopped by request")
	errRunLimit = errors.New("run limit reached")
)

// settleLimit bounds how long the end of an attempt waits for a storage that does not answer. Another agent has long begun again by then.
const settleLimit = time.Minute

// attempt works on an entry: begin, work while renewing the claim, settle.
func (a *agent) attempt(ctx context.Context, entry storage.Entry) {
	begun, err := a.store.Begin(ctx, a.name, entry)
	if errors.Is(err, storage.ErrEnded) {
		return
	}
	if err != nil {
		a.log.Error("attempt not begun, another one will be", "run", entry.RunID, "error", err)
		return
	}
	work := &attempt{Engine: a.Engine, d: entry.Deployment, run: begun.Run, begun: begun.Begun, claim: begun, since: time.Now(), progress: a.progress(begun.Run)}
	before := begun.Run.RowsWritten
	fault, cause := a.guarded(ctx, work, begun)
	if errors.Is(cause, storage.ErrLockLost) {
		a.log.Warn("attempt given up: another agent has begun one", "run", begun.Run.ID)
		return
	}
	o := work.outcome(fault, cause)
	a.settle(ctx, begun, o)
	a.observe.Attempted(entry.Deployment.Tenant, begun.Run.State, begun.Run.ErrorClass, time.Since(work.since), begun.Run.RowsWritten-before)
}

// guarded works under the run's limit and renews the claim meanwhile. cause is why the work was ended from outside, nil when it was not.
func (a *agent) guarded(ctx context.Context, work *attempt, begun *storage.RunAttempt) (fault *placements.Fault, cause error) {
	if begun.Stopped {
		return nil, errStopped
	}
	ctx, end := context.WithCancelCause(ctx)
	limited, cancel := context.WithTimeoutCause(ctx, a.runLimit, errRunLimit)
	defer cancel()
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		a.renew(ctx, begun, end)
	}()
	fault = work.safely(limited)
	if fault != nil {
		cause = context.Cause(limited)
	}
	end(nil)
	<-renewed
	return fault, cause
}

// safely turns a panic of a source or host into a fault: one bad run must not end the agent.
func (a *attempt) safely(ctx context.Context) (fault *placements.Fault) {
	defer func() {
		if p := recover(); p != nil {
			a.log.Error("run panicked", "run", a.run.ID, "panic", p)
			fault = asFault(fmt.Errorf("panic: %v", p))
		}
	}()
	return a.work(ctx)
}

// renew says every renewEvery that the attempt lives, until ctx ends. It ends the work when the run is to stop or another attempt has begun, and
// when it could not say so for so long that one may have.
func (a *agent) renew(ctx context.Context, begun *storage.RunAttempt, end context.CancelCauseFunc) {
	last := time.Now()
	for sleep(ctx, renewEvery) == nil {
		asked := time.Now()
		stop, err := a.store.Renew(ctx, a.name, begun)
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

// settle stores what the attempt came to, and tries again while the storage does not answer.
func (a *agent) settle(ctx context.Context, begun *storage.RunAttempt, o storage.Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	for {
		err := a.store.Settle(ctx, begun, o)
		switch {
		case err == nil:
			return
		case errors.Is(err, storage.ErrLockLost):
			a.log.Warn("attempt not settled: another agent has begun one", "run", begun.Run.ID)
			return
		case !errors.Is(err, storage.ErrUnavailable) && !errors.Is(err, storage.ErrBusy), ctx.Err() != nil:
			a.log.Error("attempt not settled, another one will be made", "run", begun.Run.ID, "error", err)
			return
		}
		if sleep(ctx, backOff) != nil {
			return
		}
	}
}

// outcome is what the attempt comes to, with fault deciding and cause, if any, why it was ended from outside.
func (a *attempt) outcome(fault *placements.Fault, cause error) storage.Outcome {
	var o storage.Outcome
	run, now := a.run, a.now()
	switch {
	case errors.Is(cause, errStopped):
		run.State, run.EndedAt = placements.RunStopped, placements.Time(now)
		run.ErrorClass, run.Error = "", ""
	case errors.Is(cause, errDraining):
		run.State, o.Again = placements.RunQueued, now
		run.ErrorClass, run.Error = "", ""
	case errors.Is(cause, errRunLimit):
		fault = &placements.Fault{
			Class: placements.Transient, Err: cause,
			Message: fmt.Sprintf("the run took longer than %s and was ended", a.runLimit),
		}
		a.conclude(&o, fault, now)
	default:
		a.conclude(&o, fault, now)
	}
	o.Settled = a.settlements()
	for _, s := range o.Settled {
		if s.Written {
			o.Refreshed = &storage.User{ID: run.RequestedBy.ID, Email: run.RequestedBy.Email}
		}
	}
	return o
}

// conclude ends the run, or lets it wait for its next attempt.
func (a *attempt) conclude(o *storage.Outcome, fault *placements.Fault, now time.Time) {
	run := a.run
	if fault == nil {
		run.State, run.EndedAt, run.ErrorClass, run.Error = placements.RunSucceeded, placements.Time(now), "", ""
		return
	}
	run.ErrorClass, run.Error = fault.Class, fault.Message
	first, err := time.Parse(time.RFC3339, run.StartedAt)
	if err != nil {
		first = now
	}
	if at, again := nextAttempt(fault, first, now, run.Attempt, jitter()); again {
		run.State, run.NextAttemptAt, o.Again = placements.RunQueued, placements.Time(at), at
		return
	}
	run.State, run.EndedAt = placements.RunFailed, placements.Time(now)
	o.Failure = !passes(fault) && fault.Class != placements.Conflict
}

// settlements says of every placement that the attempt came to what its last run is.
func (a *attempt) settlements() []storage.Settlement {
	for i := range a.settled {
		s := &a.settled[i]
		o := a.placementOutcome(s.Placement.ID)
		s.LastRun = placements.LastRun{
			RunID: a.run.ID, State: o.State, Attempt: a.run.Attempt, ErrorClass: o.ErrorClass, Error: o.Error,
			StartedAt: a.run.StartedAt, EndedAt: a.run.EndedAt, NextAttemptAt: a.run.NextAttemptAt,
		}
		if o.State == placements.RunFailed && a.run.State != placements.RunFailed {
			s.LastRun.State = a.run.State
		}
		if o.State == placements.RunSucceeded {
			s.LastRun.EndedAt, s.LastRun.NextAttemptAt = s.Placement.RefreshedAt, ""
		}
	}
	return a.settled
}
