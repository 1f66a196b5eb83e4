package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Outcome is what an attempt leaves beside its run.
type Outcome struct {
	Placements []PlacementOutcome
	Refreshed  *record.User // stamps the report as refreshed by them; nil leaves the stamp
	Again      time.Time    // when the next attempt is due; zero: the run has ended
	Failure    bool         // it failed permanently, which counts towards pausing its schedule
}

// PlacementOutcome is what a run leaves on one placement.
type PlacementOutcome struct {
	// Placement as it is after the run: address corrected, checksums and refresh stamps set when it was written.
	Placement placements.Placement
	// Before is the placement as the run loaded it. One that was moved or disconnected meanwhile is left alone; of one that an add-in wrote
	// meanwhile only LastRun is kept, since the add-in knows better what stands there.
	Before  Placed
	LastRun placements.LastRun
	Written bool   // the block now holds the run's result
	Rows    []byte // fingerprints of the block's rows, when Written
	// Edits that stand after the write, by row, then column, when Written. A new one needs no ID and no SeenAt: Complete and Record set
	// both.
	Edits []record.Edit
}

// pauseAfter is how many runs of a schedule in a row may fail permanently.
const pauseAfter = 5

// completion runs the transactions that end an attempt.
var completion = redis.NewTxnScript(lua("publish", "echo", "complete") + "functions.publish, functions.echo = publish, echo\n")

// Complete ends an attempt in one step: the run's record and queue entry, for every placement its checksum, address, fingerprints and last
// run, the next attempt or the schedule's next run. ErrLockLost: a later attempt has begun, and nothing was changed.
func (q *Queue) Complete(ctx context.Context, a *Attempt, o Outcome) error {
	return untilCommitted(func() error { return q.complete(ctx, a, o) })
}

// untilCommitted calls write until the report's lock does not run out meanwhile.
func untilCommitted(write func() error) error {
	for {
		if err := write(); !errors.Is(err, errReportLock) {
			return err
		}
	}
}

// errReportLock: the report's lock ran out during the write, which must be decided again.
var errReportLock = errors.New("report lock lost")

func (q *Queue) complete(ctx context.Context, a *Attempt, o Outcome) error {
	d, run := a.entry.Deployment, a.Run
	k := q.deployment(d)
	h, todo, err := q.outcomeChanges(ctx, k, run, o)
	if err != nil {
		return fmt.Errorf("complete run %s: %w", run.ID, err)
	}
	defer q.unlock(ctx, h)
	made, err := recordOf(run)
	if err = errors.Join(err, todo.err); err != nil {
		return err
	}
	todo.Then("complete",
		k.run(run.ID), a.entry.stream, k.due(), k.schedule(run.ScheduleID), k.scheduleWaiting(run.ScheduleID), k.activeRuns(run.ReportID),
		k.events(), k.failing(run.ReportID),
		group, a.entry.id, run.ID, string(run.State), made.run, d.Tenant, d.ID, k.run(""), k.dueRun(run.ID), milliseconds(a.due(o.Again)),
		run.Target().Field(), run.ScheduleID, failure(o, run), pauseReason(run.Error), k.dueSchedule(run.ScheduleID), pauseAfter,
		string(endEvent(run.State)), run.ReportID, made.event,
	)
	return q.commitAttempt(ctx, completion, a, h, &todo)
}

// commitAttempt runs what an attempt leaves, if the attempt is its run's latest and the locks are held.
func (q *Queue) commitAttempt(ctx context.Context, script redis.TxnScript, a *Attempt, h held, todo *txn) error {
	own := redis.Unmet(2) // conditions of the attempt itself
	k := q.deployment(a.entry.Deployment)
	run := k.run(a.Run.ID)
	todo.If(a.fence, "HGET", run, "fence")
	todo.If(string(placements.RunRunning), "HGET", run, "state")
	if !a.document.none() {
		own++
		a.document.guard(todo)
		todo.Then("DEL", k.clientPlan(a.Run.ID))
	}
	h.guard(todo)
	_, err := script.Run(ctx, q.hot, &todo.Txn)
	failed, refused := errors.AsType[redis.Unmet](err)
	switch {
	case refused && failed < own:
		return ErrLockLost
	case refused:
		return errReportLock
	case err != nil:
		return fmt.Errorf("run %s: %w", a.Run.ID, err)
	}
	h.released()
	return nil
}

// due is when others are to give a run the attempt that is due at next: its holder goes first.
func (a *Attempt) due(next time.Time) time.Time {
	if a.agent != "" || next.IsZero() {
		return next
	}
	return next.Add(holdLease)
}

// Record stores, in one step, what an attempt has left in a document when it has more to write to: the placements, their fingerprints, and
// the run's record, which tells the next attempt what is done. It ends nothing. ErrLockLost: a later attempt has begun, and nothing was
// changed.
func (q *Queue) Record(ctx context.Context, a *Attempt, o Outcome) error {
	return untilCommitted(func() error { return q.record(ctx, a, o) })
}

func (q *Queue) record(ctx context.Context, a *Attempt, o Outcome) error {
	run := a.Run
	k := q.deployment(a.entry.Deployment)
	h, todo, err := q.outcomeChanges(ctx, k, run, o)
	if err != nil {
		return fmt.Errorf("record run %s: %w", run.ID, err)
	}
	defer q.unlock(ctx, h)
	text, err := encodeRun(run)
	if err = errors.Join(err, todo.err); err != nil {
		return err
	}
	todo.Then("HSET", k.run(run.ID), "run", text)
	return q.commitAttempt(ctx, transactions, a, h, &todo)
}

// endEvent is the event of an attempt that leaves its run in that state.
func endEvent(state placements.RunState) record.EventType {
	switch state {
	case placements.RunSucceeded:
		return record.EventRunSucceeded
	case placements.RunFailed:
		return record.EventRunFailed
	case placements.RunSkipped:
		return record.EventRunSkipped
	case placements.RunStopped:
		return record.EventRunStopped
	}
	return record.EventRunWaiting
}

// failure is how the run's end counts for its schedule. A conflict or an outage counts neither way.
func failure(o Outcome, run *record.Run) int {
	switch {
	case o.Failure:
		return 1
	case run.State == placements.RunSucceeded:
		return -1
	}
	return 0
}

func pauseReason(last string) string {
	return "paused after " + strconv.Itoa(pauseAfter) + " runs in a row failed for good, the last one because: " + last
}

// outcomeChanges adds what the run leaves on its report and placements, under the report's lock. Without any, no lock is taken.
func (q *Queue) outcomeChanges(ctx context.Context, k deploymentKeys, run *record.Run, o Outcome) (h held, todo txn, err error) {
	if len(o.Placements) == 0 && o.Refreshed == nil {
		return hold(), txn{}, nil
	}
	h, r, err := q.records.lockReport(ctx, k, run.ReportID)
	if errors.Is(err, ErrNotFound) {
		return hold(), txn{}, nil
	}
	if err != nil {
		return held{}, txn{}, err
	}
	earlier, err := q.records.earlierEdits(ctx, k, r, o.Placements)
	if err != nil {
		q.unlock(ctx, h)
		return held{}, txn{}, err
	}
	now := q.timestamp()
	for _, one := range o.Placements {
		addOutcome(&todo, k, r, one, earlier[one.Placement.ID], now)
	}
	if o.Refreshed != nil {
		r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = q.timestamp(), o.Refreshed.ID, o.Refreshed
		todo.storeRefresh(k, r)
	}
	return h, todo, nil
}

// addOutcome adds what the run leaves on a placement that still stands where the run found it.
func addOutcome(todo *txn, k deploymentKeys, r *Report, one PlacementOutcome, earlier earlierEdits, now string) {
	p := one.Placement
	index := slices.IndexFunc(r.Placements, func(now Placed) bool { return now.ID == p.ID })
	if index < 0 || r.Placements[index].AddressKey() != one.Before.AddressKey() {
		return
	}
	key, takes := k.placements(r.ID), p.AddressKey()
	todo.set(key, lastRunField+p.ID, one.LastRun)
	// Two blocks of the report cannot stand on one spot: the one that was put there by name keeps it.
	if !one.Written || r.Placements[index].Rev != one.Before.Rev || takes != one.Before.AddressKey() && r.standsAt(takes) {
		return
	}
	p.Edits = record.Summarize(one.Edits, now)
	rewritePlacement(todo, k, r, index, p)
	if p.Edits != nil {
		keepEdits(todo, k, r.ID, &p, one.Edits, earlier, now)
	}
	todo.Then("SET", k.rows(r.ID, p.ID), one.Rows)
	todo.Then("DEL", k.writeAheadRows(r.ID, p.ID))
}
