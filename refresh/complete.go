package refresh

import (
	"context"
	"errors"

	"mooring/placements"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// complete decides and stores the outcome of the attempt, see outcome, and reports whether that is done. When a newer run takes over meanwhile
// what this one is to wait for, it is decided again.
func (a *attempt) complete(ctx context.Context, fault *placements.Fault, cause error) (o work.Outcome, done bool) {
	ctx, span := trace.Start(ctx, "complete")
	defer span.End()
	if errors.Is(cause, errRunLimit) {
		fault, cause = a.tooLong(), nil
		a.logFault(fault)
	}
	if fault != nil && cause == nil && a.report == nil && !a.claim.Stopped { // it failed before it knew what is left to refresh
		err := a.persist(ctx, func(ctx context.Context) error {
			if err := a.queue.Queue.ReadAgain(ctx, a.claim); err != nil {
				return err
			}
			if fault := a.load(ctx); fault != nil {
				return fault
			}
			return nil
		})
		if passing(err) {
			return o, a.notStored(ctx, err) == nil
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
	if err := a.queue.Queue.ReadAgain(ctx, a.claim); err != nil {
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
	if err := a.persist(ctx, func(ctx context.Context) error { return a.queue.Queue.GiveUp(ctx, a.claim) }); err != nil {
		a.log.WarnContext(ctx, "entry of an attempt that was given up is still in the queue", "run", a.run.ID, "error", err)
	}
}

// store stores the outcome of the attempt.
func (a *attempt) store(ctx context.Context, o work.Outcome) error {
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

// outcome returns what completes the attempt. fault is why it was not made to the end, nil if it was; cause is why it was ended from outside.
// Made again, it returns what completes the attempt now: a newer run may have taken over what waits.
func (a *attempt) outcome(fault *placements.Fault, cause error) work.Outcome {
	var o work.Outcome
	a.settleTaken()
	switch {
	case errors.Is(cause, errStopped):
		a.settle(record.RunPlacement{State: placements.RunStopped})
		a.end(placements.RunStopped)
		o.Stopped = true
	case errors.Is(cause, errDraining):
		a.run.State, a.run.ErrorClass, a.run.Error = placements.RunQueued, "", ""
		o.Again = a.now()
	default:
		o.Ending = a.conclude(fault)
	}
	a.addShown()
	o.Placements = a.completed()
	for _, s := range o.Placements {
		if s.Written {
			o.Refreshed = a.requester()
		}
	}
	return o
}

// conclude ends the run, or lets it wait for its next attempt: for what is left of it after fault, or for the first of the placements that
// wait.
func (a *attempt) conclude(fault *placements.Fault) queue.Ending {
	next := a.firstTry()
	began := a.faultBegan("", fault != nil)
	left := a.report == nil || len(a.run.Placements) == 0 || len(a.targets()) > 0 || a.nothingToDo() != nil // or it may be
	if fault != nil && left {
		at, again := nextTry(fault, waited{began, began}, a.now(), a.jitter)
		if passes := next != nil && retryable(fault); !again && (!passes || a.now().Sub(a.firstAttempt()) > waitingLimit) {
			a.settle(record.RunPlacement{State: placements.RunFailed, ErrorClass: fault.Class, Error: fault.Message})
			a.run.ErrorClass, a.run.Error = fault.Class, fault.Message
			a.endAs(placements.RunFailed)
			return queue.Ending{Failure: a.failure(fault)}
		}
		next = &record.RunPlacement{ErrorClass: fault.Class, Error: fault.Message, NextAttemptAt: placements.Time(at)}
	}
	if next == nil {
		a.end(placements.RunSucceeded)
		return queue.Ending{Failure: a.failure(nil)}
	}
	run := a.run
	run.State, run.ErrorClass, run.Error, run.NextAttemptAt = placements.RunQueued, next.ErrorClass, next.Error, next.NextAttemptAt
	return queue.Ending{Again: instant(next.NextAttemptAt, a.now()), Waits: true}
}
