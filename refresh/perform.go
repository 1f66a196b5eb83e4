package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// attempt works on an entry.
func (a *agent) attempt(ctx context.Context, entry storage.Entry, m *member) {
	defer m.ready()
	begun, err := a.store.Begin(ctx, a.name, entry)
	if errors.Is(err, storage.ErrEnded) {
		return
	}
	if err != nil {
		a.log.Error("attempt not begun, another one will be", "run", entry.RunID, "error", err)
		return
	}
	a.perform(ctx, entry.Deployment, begun, m)
	a.rooms.runs.collect()
}

// perform works on an attempt that has begun, while renewing its claim, and settles it. settled is false when that was left to another
// attempt; wait is how long the run waits for its next one, when it has not ended.
func (e *Engine) perform(
	ctx context.Context, d storage.Deployment, begun *storage.RunAttempt, m *member,
) (wait time.Duration, settled bool) {
	work := &attempt{
		Engine: e, d: d, run: begun.Run, begun: begun.Begun, claim: begun, alone: begun.Held(), since: time.Now(),
		progress: e.progress(begun.Run), member: m,
	}
	before := begun.Run.RowsWritten
	defer work.drop()
	defer work.leave()
	fault, cause := e.guarded(ctx, work, begun)
	if errors.Is(cause, storage.ErrLockLost) {
		e.log.Warn("attempt given up: another agent has begun one", "run", begun.Run.ID)
		return 0, false
	}
	o := work.outcome(fault, cause)
	settled = work.settle(ctx, o)
	e.observe.Attempted(d.Tenant, begun.Run.State, begun.Run.ErrorClass, time.Since(work.since), begun.Run.RowsWritten-before)
	return o.Again.Sub(work.now()), settled
}

// guarded works under the run's limit and renews the claim meanwhile. cause is why the work was ended from outside, nil when it was not.
func (e *Engine) guarded(ctx context.Context, work *attempt, begun *storage.RunAttempt) (fault *placements.Fault, cause error) {
	if begun.Stopped {
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
	if fault != nil {
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
			a.log.Error("run panicked", "run", a.run.ID, "panic", p)
			fault = asFault(fmt.Errorf("panic: %v", p))
		}
	}()
	return a.work(ctx)
}

// renew says every renewEvery that the attempt lives, until ctx ends. It ends the work when the run is to stop or another attempt has
// begun, and when it could not say so for so long that one may have.
func (e *Engine) renew(ctx context.Context, begun *storage.RunAttempt, end context.CancelCauseFunc) {
	last := time.Now()
	for sleep(ctx, renewEvery) == nil {
		asked := time.Now()
		stop, err := e.store.Renew(ctx, begun)
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

// release stores what the attempt has left in the document that it has locked, and unlocks it. ErrLockLost: another attempt has
// begun. What could not be stored is settled at the end.
func (a *attempt) release(ctx context.Context) error {
	if a.held == nil {
		return nil
	}
	defer a.leave()
	var o storage.Outcome
	written := func(s storage.Settlement) bool { return s.Written }
	for _, s := range a.settlements() {
		if written(s) {
			o.Settled = append(o.Settled, s)
		}
	}
	if len(o.Settled) == 0 {
		return nil
	}
	o.Refreshed = a.requester()
	err := a.persist(ctx, func(ctx context.Context) error { return a.store.Record(ctx, a.claim, o) })
	if err == nil {
		a.settled = slices.DeleteFunc(a.settled, written)
	}
	if errors.Is(err, storage.ErrLockLost) {
		return err
	}
	return nil
}

// leave unlocks the document that the attempt has locked.
func (a *attempt) leave() {
	if a.held != nil {
		a.held.leave()
		a.held = nil
	}
}

// settle stores what the attempt came to, and reports whether that is done.
func (a *attempt) settle(ctx context.Context, o storage.Outcome) bool {
	err := a.persist(ctx, func(ctx context.Context) error { return a.store.Settle(ctx, a.claim, o) })
	switch {
	case errors.Is(err, storage.ErrLockLost):
		a.log.Warn("attempt not settled: another agent has begun one", "run", a.run.ID)
	case err != nil:
		a.log.Error("attempt not settled, another one will be made", "run", a.run.ID, "error", err)
	}
	return err == nil
}

// persist calls store until the storage answers, for at most settleLimit, even when ctx ends.
func (a *attempt) persist(ctx context.Context, store func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	for {
		err := store(ctx)
		passing := errors.Is(err, storage.ErrUnavailable) || errors.Is(err, storage.ErrBusy)
		if !passing || sleep(ctx, backOff) != nil {
			return err
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
		a.logFault(fault)
		a.conclude(&o, fault, now)
	default:
		a.conclude(&o, fault, now)
	}
	a.settleRest()
	o.Settled = a.settlements()
	for _, s := range o.Settled {
		if s.Written {
			o.Refreshed = a.requester()
		}
	}
	return o
}

// requester is who is shown as having refreshed.
func (a *attempt) requester() *storage.User {
	return &storage.User{ID: a.run.RequestedBy.ID, Email: a.run.RequestedBy.Email}
}

// settleRest adds the placements that the attempt had to leave untried: they are shown as being refreshed.
func (a *attempt) settleRest() {
	for _, p := range a.asked {
		told := func(s storage.Settlement) bool { return s.Placement.ID == p.ID }
		if a.placementOutcome(p.ID).State != placements.RunSucceeded && !slices.ContainsFunc(a.settled, told) {
			a.settled = append(a.settled, storage.Settlement{Placement: p.Placement, Before: p})
		}
	}
}

// conclude ends the run, or lets it wait for its next attempt.
func (a *attempt) conclude(o *storage.Outcome, fault *placements.Fault, now time.Time) {
	run := a.run
	if fault == nil {
		run.State, run.EndedAt, run.ErrorClass, run.Error = placements.RunSucceeded, placements.Time(now), "", ""
		done := func(o storage.RunPlacement) bool { return o.State != placements.RunSkipped }
		if len(run.Placements) > 0 && !slices.ContainsFunc(run.Placements, done) {
			run.State, run.Error = placements.RunSkipped, run.Placements[0].Error
		}
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
	o.Failure = a.counts(fault)
}

// counts reports whether a run that fault ends counts towards pausing its schedule. One where access was refused to some placements only does
// not: a person who lost it must not end the refreshes of all others.
func (a *attempt) counts(fault *placements.Fault) bool {
	refused, refreshed := fault.Class == placements.Auth, false
	for _, o := range a.run.Placements {
		refreshed = refreshed || o.State == placements.RunSucceeded
		refused = refused && (o.State != placements.RunFailed || o.ErrorClass == placements.Auth || o.ErrorClass == placements.Conflict)
	}
	return !passes(fault) && fault.Class != placements.Conflict && !(refused && refreshed)
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
		switch {
		case o.State == "": // the attempt ended before it came to this one
			s.LastRun.State, s.LastRun.ErrorClass, s.LastRun.Error = a.run.State, a.run.ErrorClass, a.run.Error
		case o.State == placements.RunFailed && a.run.State != placements.RunFailed:
			s.LastRun.State = a.run.State
		}
		if o.State == placements.RunSucceeded {
			s.LastRun.EndedAt, s.LastRun.NextAttemptAt = s.Placement.RefreshedAt, ""
		}
	}
	return a.settled
}
