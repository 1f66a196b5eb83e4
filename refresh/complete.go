package refresh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// ending completes an attempt.
type ending struct {
	ledger   *ledger
	claims   *takeover
	log      *slog.Logger
	outage   *fault.Outage
	observe  AgentObserver
	runLimit time.Duration
}

// complete decides and stores the outcome of the attempt, see outcome, and reports whether that is done. When a newer run takes over meanwhile
// what this one is to wait for, it is decided again.
func (a *ending) complete(ctx context.Context, f *placements.Fault, cause error) (o work.Outcome, done bool) {
	ctx, span := trace.Start(ctx, "complete")
	defer span.End()
	if errors.Is(cause, errRunLimit) {
		f, cause = a.tooLong(), nil
		a.ledger.faults.logFault(f)
	}
	if f != nil && cause == nil && a.ledger.report == nil && !a.ledger.claim.Stopped { // it failed before it knew what is left to refresh
		err := persist(ctx, func(ctx context.Context) error {
			if err := a.ledger.queue.Queue.ReadAgain(ctx, a.ledger.claim); err != nil {
				return err
			}
			if f := a.ledger.load(ctx); f != nil {
				return f
			}
			return nil
		})
		if fault.Passing(err) {
			return o, a.notStored(ctx, err) == nil
		}
	}
	for {
		if !errors.Is(cause, errStopped) {
			if err := persist(ctx, a.claims.reclaim); err != nil {
				return o, a.notStored(ctx, err) == nil
			}
		}
		o = a.outcome(f, cause)
		err := a.store(ctx, o)
		if errors.Is(err, queue.ErrTaken) {
			if err = persist(ctx, a.readAgain); err == nil {
				continue
			}
		}
		return o, err == nil
	}
}

// readAgain reads what was taken over from the run, and what is left to wait for.
func (a *ending) readAgain(ctx context.Context) error {
	if err := a.ledger.queue.Queue.ReadAgain(ctx, a.ledger.claim); err != nil {
		return err
	}
	r, err := a.ledger.queue.Load(ctx, a.ledger.claim)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		a.ledger.report = nil
	case err != nil:
		return err
	default:
		a.ledger.report = r
	}
	a.ledger.settleTaken()
	a.ledger.settleMoved()
	return nil
}

// giveUp leaves the run to the attempt that has begun since.
func (a *ending) giveUp(ctx context.Context) {
	if err := persist(ctx, func(ctx context.Context) error { return a.ledger.queue.Queue.GiveUp(ctx, a.ledger.claim) }); err != nil {
		a.log.WarnContext(ctx, "entry of an attempt that was given up is still in the queue", "run", a.ledger.run.ID, "error", err)
	}
}

// store stores the outcome of the attempt.
func (a *ending) store(ctx context.Context, o work.Outcome) error {
	return a.notStored(ctx, persist(ctx, func(ctx context.Context) error { return a.ledger.queue.Complete(ctx, a.ledger.claim, o) }))
}

// notStored logs why the outcome was not stored, if it was not, and returns it.
func (a *ending) notStored(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, storage.ErrLockLost):
		a.log.WarnContext(ctx, "attempt not completed: another agent has begun one", "run", a.ledger.run.ID)
		a.giveUp(ctx)
	case err != nil && !errors.Is(err, queue.ErrTaken):
		a.log.Log(ctx, a.outage.Level(a.log, err), "attempt not completed, another one will be made", "run", a.ledger.run.ID, "error", err)
	}
	return err
}

// outcome returns what completes the attempt. f is why it was not made to the end, nil if it was; cause is why it was ended from outside.
// Made again, it returns what completes the attempt now: a newer run may have taken over what waits.
func (a *ending) outcome(fault *placements.Fault, cause error) work.Outcome {
	var o work.Outcome
	a.ledger.settleTaken()
	switch {
	case errors.Is(cause, errStopped):
		a.ledger.settle(record.RunPlacement{State: placements.RunStopped})
		a.ledger.end(placements.RunStopped)
		o.Stopped = true
	case errors.Is(cause, errDraining):
		a.ledger.run.State, a.ledger.run.ErrorClass, a.ledger.run.Error = placements.RunQueued, "", ""
		o.Again = a.ledger.now()
	default:
		o.Ending = a.conclude(fault)
	}
	a.addShown()
	o.Placements = a.completed()
	for _, s := range o.Placements {
		if s.Written {
			o.Refreshed = a.ledger.requester()
		}
	}
	return o
}

// conclude ends the run, or lets it wait for its next attempt: for what is left of it after f, or for the first of the placements that
// wait.
func (a *ending) conclude(f *placements.Fault) queue.Ending {
	next := a.ledger.firstTry()
	began := a.ledger.faultBegan("", f != nil)
	left := a.ledger.report == nil || len(a.ledger.run.Placements) == 0 || len(a.ledger.targets()) > 0 || a.ledger.nothingToDo() != nil // or it may be
	if f != nil && left {
		at, again := fault.NextTry(f, fault.Wait{Since: began, Began: began}, a.ledger.now(), a.ledger.jitter)
		if passes := next != nil && fault.Retryable(f); !again && (!passes || a.ledger.now().Sub(a.ledger.firstAttempt()) > fault.WaitingLimit) {
			a.ledger.settle(record.RunPlacement{State: placements.RunFailed, ErrorClass: f.Class, Error: f.Message})
			a.ledger.run.ErrorClass, a.ledger.run.Error = f.Class, f.Message
			a.ledger.endAs(placements.RunFailed)
			return queue.Ending{Failure: a.ledger.failure(f)}
		}
		next = &record.RunPlacement{ErrorClass: f.Class, Error: f.Message, NextAttemptAt: placements.Time(at)}
	}
	if next == nil {
		a.ledger.end(placements.RunSucceeded)
		return queue.Ending{Failure: a.ledger.failure(nil)}
	}
	run := a.ledger.run
	run.State, run.ErrorClass, run.Error, run.NextAttemptAt = placements.RunQueued, next.ErrorClass, next.Error, next.NextAttemptAt
	return queue.Ending{Again: instant(next.NextAttemptAt, a.ledger.now()), Waits: true}
}

// tooLong is why an attempt was ended that took too long.
func (a *ending) tooLong() *placements.Fault {
	return &placements.Fault{
		Class: placements.Transient, Err: errRunLimit, Message: fmt.Sprintf("the run took longer than %s and was ended", a.runLimit),
	}
}

// addShown adds the placements that are shown as being refreshed by the run, or as waiting in it, and are not in the end.
func (a *ending) addShown() {
	if a.ledger.report == nil {
		return // they are gone with it
	}
	left, asked := map[string]bool{}, map[string]bool{}
	for _, s := range a.ledger.completions {
		left[s.Placement.ID] = true
	}
	for _, p := range a.ledger.asked {
		asked[p.ID] = true
		if !left[p.ID] && a.ledger.placementOutcome(p.ID).State != placements.RunSucceeded {
			a.ledger.leaves(p)
		}
	}
	for _, p := range a.ledger.report.Placements {
		if !left[p.ID] && !asked[p.ID] && a.showsWrong(p) {
			a.ledger.completions = append(a.ledger.completions, work.PlacementOutcome{Placement: p.Placement, Before: p, Untried: true})
		}
	}
}

// showsWrong reports whether a placement may be shown as being refreshed by the run, or as waiting in it, which is not so any more.
func (a *ending) showsWrong(p storage.Placed) bool {
	last := p.LastRun
	own := last != nil && last.RunID == a.ledger.run.ID
	running := a.ledger.claiming[p.ID] || own && last.State == placements.RunRunning
	switch a.ledger.placementOutcome(p.ID).State {
	case placements.RunSucceeded: // it was stored with what was written
		return false
	case placements.RunQueued:
		return running
	}
	return running || a.ledger.waited[p.ID] || own && last.State == placements.RunQueued
}

// completed returns the completions, each with the last run that its placement shows.
func (a *ending) completed() (list []work.PlacementOutcome) {
	for _, s := range a.ledger.completions {
		o := a.ledger.placementOutcome(s.Placement.ID)
		s.LastRun = lastRunOf(a.ledger.run, o)
		s.Untried = s.Untried || !s.Written && a.ledger.claim.Taken(o.PlacementID) != ""
		switch o.State {
		case "": // the attempt ended before it tried this one
			s.LastRun.State, s.LastRun.ErrorClass, s.LastRun.Error = a.ledger.run.State, a.ledger.run.ErrorClass, a.ledger.run.Error
			s.LastRun.EndedAt, s.LastRun.NextAttemptAt = a.ledger.run.EndedAt, a.ledger.run.NextAttemptAt
		case placements.RunQueued:
		case placements.RunSucceeded:
			s.LastRun.EndedAt = s.Placement.RefreshedAt
		case placements.RunSuperseded, placements.RunSkipped:
			s.Untried, s.Newer = true, a.ledger.newer[o.PlacementID]
			s.LastRun.EndedAt = placements.Time(a.ledger.now())
		default:
			s.LastRun.EndedAt = placements.Time(a.ledger.now())
		}
		list = append(list, s)
	}
	return list
}

// abandoned loads what a client run was to refresh and returns why it ends without its add-in: it is to stop, or its lease has ended.
func (a *ending) abandoned(ctx context.Context) (fault *placements.Fault, cause error) {
	if fault = a.ledger.load(ctx); fault == nil {
		a.ledger.asked = a.ledger.targets()
	}
	if a.ledger.claim.Stopped {
		a.replaced(ctx, record.RunPlacement{State: placements.RunStopped})
		return nil, errStopped
	}
	fault = &placements.Fault{
		Class: placements.Permanent,
		Message: fmt.Sprintf("the add-in that made the refresh was not heard of for %s, or took longer than %s: refresh again, and leave it "+
			"open meanwhile", queue.ClientLease, a.runLimit),
	}
	a.replaced(ctx, record.RunPlacement{State: placements.RunFailed, ErrorClass: fault.Class, Error: fault.Message})
	return fault, nil
}

// replaced says in a run that ends without its add-in what the add-in may have replaced: it may have written what was planned last, all of
// it or a part, and no other run knows what stood there before. end is how the run ends for the placement.
func (a *ending) replaced(ctx context.Context, end record.RunPlacement) {
	planned, err := a.ledger.queue.PlannedRun(ctx, a.ledger.d, a.ledger.run.ID)
	if err != nil {
		if !errors.Is(err, storage.ErrNotFound) {
			a.log.ErrorContext(ctx, "what a client run has replaced is not known", "tenant", a.ledger.d.Tenant, "run", a.ledger.run.ID, "error", err)
		}
		return
	}
	for _, p := range planned.Placements {
		if len(p.Overwritten) > 0 {
			end.PlacementID, end.RunAsUserID, end.Overwritten, end.OthersValues = p.PlacementID, p.RunAsUserID, p.Overwritten, p.OthersValues
			a.ledger.setOutcome(end)
		}
	}
}
