package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
	"mooring/storage/standing"
)

// Outcome is what an attempt leaves beside its run.
type Outcome struct {
	Placements []PlacementOutcome
	Refreshed  *record.User // stamps the report as refreshed by them; nil leaves the stamp
	queue.Ending
}

// PlacementOutcome is what a run leaves on one placement.
type PlacementOutcome struct {
	// Placement as it is after the run: address corrected, checksums and refresh stamps set when it was written.
	Placement placements.Placement
	// Before is the placement as the run loaded it. Of one that was moved meanwhile, or that an add-in wrote, if it is believed, only LastRun
	// is kept: the block is elsewhere, and the add-in knows better what stands there.
	Before  Placed
	LastRun placements.LastRun
	// Untried: the run did nothing there in the end. LastRun is shown only if the run is shown there still, and Newer instead, if it is set, as
	// long as that run has not ended.
	Untried bool
	Newer   *placements.LastRun
	Written bool   // the block now holds the run's result
	Rows    []byte // fingerprints of the block's rows, when Written
	// Change is what the run changed in the block. nil: nothing.
	Change *record.BlockChange
	// Edits that stand after the write, by row, then column, when Written. A new one needs no ID and no SeenAt: Complete and Record set
	// both.
	Edits []record.Edit
}

// completion runs the transactions that end an attempt.
var completion = redis.NewTxnScript(redis.NowLua + queue.Lua("publish", "lists", "target", "complete") + lua("echo", "instead") +
	"functions.publish, functions.echo, functions.instead = publish, echo, instead\n" + standing.Lua() + standing.Functions() + changes.Lua())

// Complete ends an attempt in one step: the run's record and queue entry, for every placement its checksum, address, fingerprints and last
// run, the next attempt or the schedule's next run. The same end sent again, since its answer was lost, succeeds and changes nothing.
// ErrLockLost: a later attempt has begun; queue.ErrTaken, of a run that is to wait: a newer run has taken over something. Nothing was changed
// then.
func (w *Work) Complete(ctx context.Context, a *queue.Attempt, o Outcome) error {
	return untilCommitted(func() error { return w.complete(ctx, a, o) })
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

func (w *Work) complete(ctx context.Context, a *queue.Attempt, o Outcome) error {
	h, todo, err := w.outcomeChanges(ctx, a, o)
	if err != nil {
		return fmt.Errorf("complete run %s: %w", a.Run.ID, err)
	}
	defer w.unlock(ctx, h)
	if err = errors.Join(a.End(&todo.Txn, o.Ending), todo.err); err != nil {
		return err
	}
	err = w.commitAttempt(ctx, completion, a, h, &todo, !o.Again.IsZero())
	if errors.Is(err, ErrLockLost) {
		repeats, unread := w.Repeats(ctx, a)
		if repeats || unread != nil {
			return unread
		}
	}
	return err
}

// commitAttempt runs what an attempt leaves, if the attempt is its run's latest and the locks are held; with untaken, if nothing more was taken
// over from the run and the same runs want what waits in it, too.
func (w *Work) commitAttempt(ctx context.Context, script redis.TxnScript, a *queue.Attempt, h held, todo *txn, untaken bool) error {
	own, same := a.Guard(&todo.Txn), 0
	if untaken {
		same = a.Same(&todo.Txn)
	}
	h.guard(todo)
	_, err := script.Run(ctx, w.hot, &todo.Txn)
	failed, refused := errors.AsType[redis.Unmet](err)
	switch {
	case refused && int(failed) < own:
		return ErrLockLost
	case refused && int(failed) < own+same:
		return queue.ErrTaken
	case refused:
		return errReportLock
	case err != nil:
		return fmt.Errorf("run %s: %w", a.Run.ID, err)
	}
	h.released()
	return nil
}

// Record stores, in one step, what an attempt has left in a document when it has more to write to: the placements, their fingerprints, and
// the run's record, which tells the next attempt what is done. It ends nothing. ErrLockLost: a later attempt has begun, and nothing was
// changed.
func (w *Work) Record(ctx context.Context, a *queue.Attempt, o Outcome) error {
	return untilCommitted(func() error { return w.record(ctx, a, o) })
}

func (w *Work) record(ctx context.Context, a *queue.Attempt, o Outcome) error {
	h, todo, err := w.outcomeChanges(ctx, a, o)
	if err != nil {
		return fmt.Errorf("record run %s: %w", a.Run.ID, err)
	}
	defer w.unlock(ctx, h)
	if err = errors.Join(a.StoreRun(&todo.Txn), todo.err); err != nil {
		return err
	}
	return w.commitAttempt(ctx, transactions, a, h, &todo, false)
}

// outcomeChanges adds what the run leaves on its report and placements, under the report's lock. Without any, no lock is taken.
func (w *Work) outcomeChanges(ctx context.Context, a *queue.Attempt, o Outcome) (h held, todo txn, err error) {
	k := w.deployment(a.Deployment)
	if len(o.Placements) == 0 && o.Refreshed == nil {
		return hold(), txn{}, nil
	}
	h, r, err := w.records.lockReport(ctx, k, a.Run.ReportID)
	if errors.Is(err, ErrNotFound) {
		return hold(), txn{}, nil
	}
	if err != nil {
		return held{}, txn{}, err
	}
	earlier, err := w.records.earlierEdits(ctx, k, r, o.Placements)
	if err != nil {
		w.unlock(ctx, h)
		return held{}, txn{}, err
	}
	now := w.timestamp()
	for _, one := range o.Placements {
		addOutcome(&todo, k, r, one, earlier[one.Placement.ID], now)
	}
	if o.Refreshed != nil {
		r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = w.timestamp(), o.Refreshed.ID, o.Refreshed
		todo.storeRefresh(k, r)
	}
	return h, todo, nil
}

// addOutcome adds what the run leaves on a placement.
func addOutcome(todo *txn, k deploymentKeys, r *Report, one PlacementOutcome, earlier earlierEdits, now string) {
	p := one.Placement
	index := slices.IndexFunc(r.Placements, func(now Placed) bool { return now.ID == p.ID })
	if index < 0 {
		return
	}
	key, takes := k.Placements(r.ID), p.AddressKey()
	moved := r.Placements[index].AddressKey() != one.Before.AddressKey()
	if moved || one.Untried {
		todo.instead(k, r, one, !moved && one.Before.LastRun == nil)
	} else {
		todo.set(key, lastRunField+p.ID, one.LastRun)
	}
	// Two blocks of the report cannot stand on one spot: the one that was put there by name keeps it.
	if moved || !one.Written || !r.Placements[index].isStill(one.Before) || takes != one.Before.AddressKey() && r.standsAt(takes) {
		todo.stand(k, r, &r.Placements[index])
		return
	}
	if now := r.Placements[index]; now.Target != "" {
		p.Spreadsheets = now.Spreadsheets
	}
	p.Linked = r.Placements[index].Linked // which a run does not change
	p.Edits = record.Summarize(one.Edits, now)
	rewritePlacement(todo, k, r, index, p)
	if p.Edits != nil {
		keepEdits(todo, k, r.ID, &p, one.Edits, earlier, now)
	}
	todo.Then("SET", k.Rows(r.ID, p.ID), one.Rows)
	todo.Then("DEL", k.WriteAheadRows(r.ID, p.ID))
	if one.Change != nil {
		todo.fails(changes.Keep(&todo.Txn, k.DeploymentKeys, r.ID, p.ID, *one.Change))
	}
}

// instead adds what the run leaves on a placement, which is shown only where the run is shown still, or where none is if the placement is new
// to all runs.
func (t *txn) instead(k deploymentKeys, r *Report, one PlacementOutcome, isNew bool) {
	newerKey, newer, mark := "", "", ""
	if isNew {
		mark = "1"
	}
	if n := one.Newer; n != nil {
		newerKey, newer = k.Run(n.RunID), t.encode(lastRunField, n)
	}
	last := t.encode(lastRunField, one.LastRun)
	t.Then("instead", k.Placements(r.ID), one.Placement.ID, one.LastRun.RunID, last, newerKey, newer, mark)
}

// isStill reports whether p is as it was before: what clients tell that are not believed does not count.
func (p *Placed) isStill(before Placed) bool {
	return p.Rev == before.Rev || placements.OnlyTold(before.Placement, p.Placement)
}
