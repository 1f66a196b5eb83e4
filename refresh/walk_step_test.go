package refresh

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/record/lifecycle/lifecycletest"
	"mooring/storage/work"
)

// do has the storage do what the model did.
func (w *walk) do(e lifecycletest.Event, before *lifecycletest.World) error {
	if e.Other != lifecycletest.ByRule {
		return w.doOther(e, before)
	}
	switch e.Rule {
	case lifecycle.Enqueue, lifecycle.Await, lifecycle.Skip:
		return w.make(e)
	case lifecycle.Hold:
		run := w.request(e.Run)
		err := w.engine.queue.Queue.Hold(w.Context(), deskDeployment, run)
		w.runs[e.Run], w.workers[e.Worker].held = run.ID, run
		return err
	case lifecycle.StartClient:
		return w.startClient(e.Run, e.Worker)
	case lifecycle.Requeue:
		return w.engine.queue.Queue.Ticks.Requeue(w.Context(), []record.Due{{Deployment: deskDeployment, RunID: w.runs[e.Run]}})
	case lifecycle.Stop, lifecycle.StopWaiting, lifecycle.StopClient:
		return w.store.Queue().Runs.Stop(w.Context(), deskDeployment, w.runs[e.Run])
	case lifecycle.Abandon, lifecycle.EndClient:
		return w.takeClient(e.Run, e.Worker, e.Rule == lifecycle.EndClient)
	case lifecycle.Begin, lifecycle.TakeOver:
		return w.begin(e.Worker)
	case lifecycle.BeginHeld:
		return w.beginHeld(e.Worker)
	}
	return w.doAttempt(e)
}

// doAttempt is do for a rule that an attempt follows.
func (w *walk) doAttempt(e lifecycletest.Event) error {
	k := &w.workers[e.Worker]
	switch e.Rule {
	case lifecycle.Renew:
		r := w.engine.queue.Queue.Renew(w.Context(), k.work.ledger.claim.Pulse())[0]
		if r.Err == nil && r.Stop != w.world.Runs[e.Run].Stop {
			r.Err = fmt.Errorf("it is to stop: %t", r.Stop)
		}
		return r.Err
	case lifecycle.RenewClient:
		_, err := w.engine.queue.Queue.Clients.Renew(w.Context(), deskDeployment, k.work.ledger.run, k.work.ledger.claim.Fence, time.Hour)
		return errors.Join(err, w.keepLock(e.Run))
	case lifecycle.Resume:
		_, err := w.engine.queue.Queue.Clients.Resume(w.Context(), deskDeployment, k.work.ledger.run, k.work.ledger.claim.Fence)
		k.work.ledger.setOutcome(record.RunPlacement{PlacementID: w.places[e.Place], State: placements.RunSucceeded})
		return err
	case lifecycle.Claim:
		return w.claim(k)
	case lifecycle.Write:
		return w.write(k, e.Place)
	case lifecycle.Record:
		return w.record(k)
	case lifecycle.Retry, lifecycle.Release, lifecycle.Complete:
		return w.end(e)
	case lifecycle.Repeat:
		err := w.engine.queue.Complete(w.Context(), k.work.ledger.claim, *k.sent)
		w.over(e.Run, e.Worker)
		return err
	}
	return fmt.Errorf("%s is not known", e.Rule)
}

// doOther is do for what no rule decides.
func (w *walk) doOther(e lifecycletest.Event, before *lifecycletest.World) error {
	k := &walker{}
	if e.Worker >= 0 {
		k = &w.workers[e.Worker]
	}
	switch e.Other {
	case lifecycletest.Take:
		list, err := w.engine.queue.Queue.Take(w.Context(), k.name, 1, -1)
		return w.take(k, e.Run, list, err)
	case lifecycletest.Orphan:
		list, err := w.orphan(k, w.entries[e.Run][w.world.Workers[e.Worker].Entry-1])
		return w.take(k, e.Run, list, err)
	case lifecycletest.Refused:
		_, err := w.engine.queue.Queue.Begin(w.Context(), k.name, k.entry)
		k.taken = false
		return want(err, queue.ErrEnded)
	case lifecycletest.GiveUp:
		return w.giveUp(e.Run, e.Worker)
	case lifecycletest.Learn:
		return w.learn(e.Run, e.Worker)
	case lifecycletest.Start:
		return w.start(e.Run, e.Worker)
	case lifecycletest.Wait, lifecycletest.Fail:
		w.fails(k, e.Place, e.Other == lifecycletest.Wait)
		return nil
	case lifecycletest.Decide, lifecycletest.Abort, lifecycletest.ShutDown, lifecycletest.Stopping:
		return w.decide(e, before)
	case lifecycletest.Crash:
		w.crash(e.Worker)
		return nil
	case lifecycletest.Age:
		return nil
	case lifecycletest.Lapse:
		if w.model.Scenario.Runs[e.Run].Kind == lifecycletest.Client {
			return w.rdb.Del(w.Context(), w.lock(e.Run)).Err()
		}
		return nil
	case lifecycletest.Drop:
		target := placements.Target{PlacementID: w.places[e.Place], ExternalWorkbookID: w.document(e.Place)}
		_, _, err := w.store.Placements().Disconnect(w.Context(), deskDeployment, w.report, target, placer, nil, true)
		return err
	}
	return fmt.Errorf("%s is not known", e)
}

// want is an error unless err is the one that is wanted.
func want(err, wanted error) error {
	if errors.Is(err, wanted) {
		return nil
	}
	return fmt.Errorf("it says %v, want %w", err, wanted)
}

// make makes a run that agents find.
func (w *walk) make(e lifecycletest.Event) error {
	if w.scheduled(e.Run) {
		state, err := w.fire(e.Run)
		if wants := w.world.Runs[e.Run].State.Name(); err == nil && state != wants {
			err = fmt.Errorf("a run is made that is %s", state)
		}
		return err
	}
	run := w.request(e.Run)
	refused, err := w.engine.queue.Queue.Runs.Enqueue(w.Context(), deskDeployment.Tenant, record.Order{DeploymentID: deskDeployment.ID, Run: run})
	w.runs[e.Run] = run.ID
	return errors.Join(append(refused, err)...)
}

// take keeps the entry that a worker has taken.
func (w *walk) take(k *walker, r int, list []queue.Entry, err error) error {
	if err != nil || len(list) != 1 || list[0].RunID != w.runs[r] {
		return fmt.Errorf("%v is taken, want run %s: %w", list, w.runs[r], err)
	}
	k.entry, k.taken = list[0], true
	return nil
}

// orphan takes an entry that no worker renews.
func (w *walk) orphan(k *walker, id string) ([]queue.Entry, error) {
	const silent = time.Hour
	err := w.rdb.Do(w.Context(), "XCLAIM", w.queueKey(), "agents", w.owner(id), 0, id, "IDLE", silent.Milliseconds(), "JUSTID").Err()
	if err != nil {
		return nil, err
	}
	return w.engine.queue.Queue.Orphans(w.Context(), k.name, silent, time.Now().Add(time.Hour), 2)
}

// begin begins the attempt of the entry that a worker has.
func (w *walk) begin(k int) error {
	worker := &w.workers[k]
	begun, err := w.engine.queue.Queue.Begin(w.Context(), worker.name, worker.entry)
	if err != nil {
		return err
	}
	worker.taken = false
	return w.begun(k, begun)
}

// begun loads what an attempt is to refresh.
func (w *walk) begun(k int, begun *queue.Attempt) error {
	work := w.engine.attempts.newAttempt(w.Context(), deskDeployment, begun, document.NewCohort(1)[0])
	w.workers[k].work, w.workers[k].first = work, false
	if fault := work.ledger.load(w.Context()); fault != nil {
		return fault
	}
	return nil
}

// beginHeld begins an attempt of a run that a worker holds.
func (w *walk) beginHeld(k int) error {
	worker := &w.workers[k]
	begun, err := w.engine.queue.Queue.BeginHeld(w.Context(), deskDeployment, worker.held)
	if err != nil {
		return err
	}
	worker.held = nil
	return w.begun(k, begun)
}

// startClient makes the run of an add-in.
func (w *walk) startClient(r, k int) error {
	run := w.request(r)
	begun, _, err := w.engine.queue.Queue.Clients.Try(w.Context(), deskDeployment, run, time.Hour)
	if err != nil {
		return err
	}
	if begun == nil {
		return errors.New("an agent has the document")
	}
	w.runs[r] = run.ID
	err = w.engine.queue.Queue.MarkRunning(w.Context(), deskDeployment, begun.Run, []string{run.PlacementID})
	return errors.Join(err, w.engine.queue.Queue.Clients.PlanWithin(w.Context(), begun, time.Hour), w.keepLock(r), w.begun(k, begun))
}

// keepLock keeps the lease of an add-in until the model ends it.
func (w *walk) keepLock(r int) error { return w.rdb.Persist(w.Context(), w.lock(r)).Err() }

// takeClient takes a run from its add-in, to end it.
func (w *walk) takeClient(r, k int, stop bool) error {
	begun, err := w.engine.queue.Queue.Clients.Take(w.Context(), deskDeployment, w.run(w.runs[r]), stop)
	if err != nil {
		return err
	}
	return w.begun(k, begun)
}

// claim claims what an attempt is to refresh, or what is to wait in it.
func (w *walk) claim(k *walker) (err error) {
	if k.first {
		return k.work.claims.reclaim(w.Context())
	}
	k.first = true
	k.work.ledger.settleGone()
	k.work.ledger.asked, err = k.work.claims.claimed(w.Context(), k.work.ledger.due(k.work.ledger.targets()))
	return err
}

// start begins the work of an attempt that has nothing to claim.
func (w *walk) start(r, k int) error {
	if w.own(r, k) {
		return nil
	}
	if err := w.claim(&w.workers[k]); err != nil {
		return err
	}
	for _, p := range w.workers[k].work.ledger.asked {
		for i, id := range w.places {
			if id == p.ID && !w.world.Places[i].Gone {
				return fmt.Errorf("it refreshes placement %d", i)
			}
		}
	}
	return nil
}

// own reports whether a worker is the add-in of a run.
func (w *walk) own(r, k int) bool {
	plan := &w.model.Scenario.Runs[r]
	return plan.Kind == lifecycletest.Client && int(plan.Worker) == k
}

// write writes to a placement.
func (w *walk) write(k *walker, p int) error {
	held, lease, release, err := w.engine.queue.LockDocument(w.Context(), deskDeployment.Tenant, w.document(p))
	if err != nil {
		return err
	}
	defer release()
	noted, err := w.engine.queue.WriteAhead(held, lease, []work.WriteAhead{{Attempt: k.work.ledger.claim, PlacementID: w.places[p], Rows: []byte("rows")}})
	if err != nil || !noted[0] {
		return fmt.Errorf("it is not to write: %w", err)
	}
	placed, found := k.work.ledger.placed(w.places[p])
	if !found {
		return errors.New("there is no such placement")
	}
	k.work.ledger.setOutcome(record.RunPlacement{PlacementID: placed.ID, State: placements.RunSucceeded})
	k.work.ledger.completions = append(k.work.ledger.completions, work.PlacementOutcome{
		Placement: placed.Placement, Before: placed, Rows: []byte("rows"), Written: true,
	})
	return nil
}

// fails has a placement wait, or fail permanently.
func (w *walk) fails(k *walker, p int, waits bool) {
	placed, _ := k.work.ledger.placed(w.places[p])
	placed.ID = w.places[p]
	if !waits {
		k.work.ledger.failed(placed, &placements.Fault{Class: placements.Permanent, Message: "it cannot be written"})
		return
	}
	k.work.ledger.failed(placed, &placements.Fault{Class: placements.Transient, Reason: placements.ReasonLocked, Message: "it is locked"})
	o := k.work.ledger.placementOutcome(placed.ID)
	o.NextAttemptAt = w.past()
	k.work.ledger.setOutcome(o)
}

// record stores what was written.
func (w *walk) record(k *walker) error {
	var o work.Outcome
	for _, one := range k.work.ending.completed() {
		if one.Written {
			o.Placements = append(o.Placements, one)
		}
	}
	return w.engine.queue.Record(w.Context(), k.work.ledger.claim, o)
}

// decide keeps how an attempt is to end.
func (w *walk) decide(e lifecycletest.Event, before *lifecycletest.World) error {
	k := &w.workers[e.Worker]
	k.first = true
	switch stop := before.Workers[e.Worker].Stop; {
	case e.Other == lifecycletest.ShutDown:
		k.cause = errDraining
	case e.Other == lifecycletest.Stopping, e.Other == lifecycletest.Abort && stop:
		k.cause, k.ends = errStopped, true
	case e.Other == lifecycletest.Abort && k.work.ledger.client():
		k.fault, k.cause = k.work.ending.abandoned(w.Context())
		k.ends = true
	case e.Other == lifecycletest.Abort:
		k.fault = &placements.Fault{Class: placements.Permanent, Message: "it fails as a whole"}
	case !w.own(e.Run, e.Worker):
		k.ends = true
		return k.work.claims.reclaim(w.Context())
	}
	return nil
}

// end ends an attempt.
func (w *walk) end(e lifecycletest.Event) error {
	k := &w.workers[e.Worker]
	if w.own(e.Run, e.Worker) {
		return w.endClient(e)
	}
	o := k.work.ending.outcome(k.fault, k.cause)
	err := w.engine.queue.Complete(w.Context(), k.work.ledger.claim, o)
	if errors.Is(err, queue.ErrTaken) { // of which the model knew when the attempt decided
		err = errors.Join(k.work.ending.readAgain(w.Context()), k.work.claims.reclaim(w.Context()))
		o = k.work.ending.outcome(k.fault, k.cause)
		err = errors.Join(err, w.engine.queue.Complete(w.Context(), k.work.ledger.claim, o))
	}
	if err != nil {
		return err
	}
	if e.Lost {
		k.sent = &o
		return nil
	}
	w.over(e.Run, e.Worker)
	return nil
}

// endClient ends the run of an add-in as the add-in does.
func (w *walk) endClient(e lifecycletest.Event) error {
	k := &w.workers[e.Worker]
	k.work.ledger.end(placements.RunSucceeded)
	o := work.Outcome{}
	err := w.engine.queue.Complete(w.Context(), k.work.ledger.claim, o)
	if e.Lost {
		k.sent = &o
		return err
	}
	w.over(e.Run, e.Worker)
	return err
}

// over has a worker be done with its attempt; a holder has its run still, as long as that goes on.
func (w *walk) over(r, k int) {
	worker := &w.workers[k]
	run := worker.work.ledger.run
	*worker = walker{name: worker.name, lives: worker.lives}
	if w.world.Workers[k].Run != 0 {
		worker.held = run
	}
}

// learn is told that the end of an attempt is to be decided again, and reads why. What an attempt is to claim is decided again by itself.
func (w *walk) learn(r, k int) error {
	worker := &w.workers[k]
	if !worker.ends {
		return nil
	}
	worker.ends = false
	o := worker.work.ending.outcome(worker.fault, worker.cause)
	if err := want(w.engine.queue.Complete(w.Context(), worker.work.ledger.claim, o), queue.ErrTaken); err != nil {
		return err
	}
	return worker.work.ending.readAgain(w.Context())
}

// giveUp finds that an attempt is lost.
func (w *walk) giveUp(r, k int) error {
	worker := &w.workers[k]
	defer func() { *worker = walker{name: worker.name, lives: worker.lives} }()
	if worker.held != nil {
		_, err := w.engine.queue.Queue.BeginHeld(w.Context(), deskDeployment, worker.held)
		return want(err, queue.ErrEnded)
	}
	if err := want(w.lost(worker, w.own(r, k)), storage.ErrLockLost); err != nil {
		return err
	}
	return w.engine.queue.Queue.GiveUp(w.Context(), worker.work.ledger.claim)
}

// lost asks for what an attempt may do no more.
func (w *walk) lost(k *walker, own bool) (err error) {
	ctx, claim := context.WithoutCancel(w.Context()), k.work.ledger.claim
	switch {
	case k.sent != nil:
		err = w.engine.queue.Complete(ctx, claim, *k.sent)
	case own:
		_, err = w.engine.queue.Queue.Clients.Resume(ctx, deskDeployment, k.work.ledger.run, claim.Fence)
	default:
		err = w.engine.queue.Queue.Renew(ctx, claim.Pulse())[0].Err
	}
	return err
}
