package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
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
	Before  layout.Placed
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

// Complete ends an attempt in one step: the run's record and queue entry, for every placement its checksum, address, fingerprints and last
// run, the next attempt or the schedule's next run. The same end sent again, since its answer was lost, succeeds and changes nothing.
// redis.ErrLockLost: a later attempt has begun; queue.ErrTaken, of a run that is to wait: a newer run has taken over something. Nothing was changed
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
	defer w.db.Unlock(ctx, h)
	if err = errors.Join(a.End(&todo.Txn, o.Ending), todo.Err); err != nil {
		return err
	}
	err = w.commitAttempt(ctx, a, h, todo, !o.Again.IsZero())
	if errors.Is(err, redis.ErrLockLost) {
		repeats, unread := w.Queue.Repeats(ctx, a)
		if repeats || unread != nil {
			return unread
		}
	}
	return err
}

// commitAttempt runs what an attempt leaves, if the attempt is its run's latest and the locks are held; with untaken, if nothing more was taken
// over from the run and the same runs want what waits in it, too.
func (w *Work) commitAttempt(ctx context.Context, a *queue.Attempt, h engine.Locks, todo *engine.Transaction, untaken bool) error {
	own, same := a.Guard(&todo.Txn), 0
	if untaken {
		same = a.Same(&todo.Txn)
	}
	h.Guard(todo)
	err := w.commit(ctx, a, &todo.Txn)
	failed, refused := errors.AsType[redis.Unmet](err)
	switch {
	case refused && int(failed) < own:
		return redis.ErrLockLost
	case refused && int(failed) < own+same:
		return queue.ErrTaken
	case refused:
		return errReportLock
	case err != nil:
		return fmt.Errorf("run %s: %w", a.Run.ID, err)
	}
	h.Released()
	return nil
}

// commit runs what an attempt leaves, together with what others leave in the same partition at that moment.
func (w *Work) commit(ctx context.Context, a *queue.Attempt, tx *redis.Txn) error {
	if err := tx.Err(); err != nil {
		return err
	}
	outcome, err := w.commits.One(ctx, w.db.Tenant(a.Deployment.Tenant).Queue(), tx)
	if err == nil {
		_, err = redis.Replies(outcome)
	}
	return err
}

// Record stores, in one step, what an attempt has left in a document when it has more to write to: the placements, their fingerprints, and
// the run's record, which tells the next attempt what is done. It ends nothing. redis.ErrLockLost: a later attempt has begun, and nothing was
// changed.
func (w *Work) Record(ctx context.Context, a *queue.Attempt, o Outcome) error {
	return untilCommitted(func() error { return w.record(ctx, a, o) })
}

func (w *Work) record(ctx context.Context, a *queue.Attempt, o Outcome) error {
	h, todo, err := w.outcomeChanges(ctx, a, o)
	if err != nil {
		return fmt.Errorf("record run %s: %w", a.Run.ID, err)
	}
	defer w.db.Unlock(ctx, h)
	if err = errors.Join(a.StoreRun(&todo.Txn), todo.Err); err != nil {
		return err
	}
	return w.commitAttempt(ctx, a, h, todo, false)
}

// outcomeChanges adds what the run leaves on its report and placements, under the report's lock. Without any, no lock is taken.
func (w *Work) outcomeChanges(ctx context.Context, a *queue.Attempt, o Outcome) (h engine.Locks, todo *engine.Transaction, err error) {
	k, todo := w.db.Deployment(a.Deployment), new(engine.Transaction)
	if len(o.Placements) == 0 && o.Refreshed == nil {
		return engine.NewLocks(), todo, nil
	}
	h, r, err := w.lockPlaced(ctx, k, a.Run.ReportID, o.Placements)
	if errors.Is(err, record.ErrNotFound) {
		return engine.NewLocks(), todo, nil
	}
	if err != nil {
		return engine.Locks{}, nil, err
	}
	earlier, err := w.earlierEdits(ctx, k, r, o.Placements)
	if err != nil {
		w.db.Unlock(ctx, h)
		return engine.Locks{}, nil, err
	}
	to := layout.NewRecorder(w.db, todo, k, record.Actor{})
	for _, one := range o.Placements {
		addOutcome(to, r, one, earlier[one.Placement.ID])
	}
	for _, one := range o.Placements {
		noteRestored(to, r, one, a.Run.RequestedBy)
	}
	if o.Refreshed != nil {
		r.RefreshedAt, r.RefreshedBy, r.RefreshedByUser = to.Timestamp(), o.Refreshed.ID, o.Refreshed
		to.StoreRefresh(r)
	}
	return h, todo, nil
}

// lockPlaced loads those placements of a report that the outcomes are of: a run over many documents does not read all of them for each. Where a
// block was found elsewhere, all are loaded, since another one may stand there.
func (w *Work) lockPlaced(ctx context.Context, k keys.DeploymentKeys, report int64, outcomes []PlacementOutcome) (engine.Locks, *layout.Report, error) {
	var of []*layout.Position
	for i := range outcomes {
		before, p := &outcomes[i].Before, &outcomes[i].Placement
		if p.ID == "" || p.ID != before.ID || p.AddressKey() != before.AddressKey() {
			return w.reader.Lock(ctx, k, report)
		}
		of = append(of, before.Position())
	}
	return w.reader.LockPart(ctx, k, report, of)
}

// addOutcome records what the run leaves on a placement.
func addOutcome(to *layout.Recorder, r *layout.Report, one PlacementOutcome, earlier earlierEdits) {
	p := one.Placement
	index := slices.IndexFunc(r.Placements, func(now layout.Placed) bool { return now.ID == p.ID })
	if index < 0 {
		return
	}
	takes := p.AddressKey()
	moved := r.Placements[index].AddressKey() != one.Before.AddressKey()
	if moved || one.Untried {
		showInstead(to, r, one, !moved && one.Before.LastRun == nil)
	} else {
		to.StoreLastRun(r.ID, p.ID, &one.LastRun)
	}
	if !moved && !one.Written && !one.Untried {
		noteLost(to, r, index, one)
	}
	// Two blocks of the report cannot stand on one spot: the one that was put there by name keeps it.
	if moved || !one.Written || !isStill(&r.Placements[index], one.Before) || takes != one.Before.AddressKey() && r.StandsAt(takes) {
		to.ListPlacement(r, &r.Placements[index])
		return
	}
	if now := r.Placements[index]; now.Target != "" {
		p.Spreadsheets = now.Spreadsheets
	}
	p.Linked = r.Placements[index].Linked // which a run does not change
	p.Edits = record.Summarize(one.Edits, to.Timestamp())
	to.Rewrite(r, index, p)
	if p.Edits != nil {
		keepEdits(to, r.ID, &p, one.Edits, earlier)
	}
	to.Tx.Then("SET", to.Keys.Blocks().Rows(r.ID, p.ID), one.Rows)
	to.Tx.Then("DEL", to.Keys.Blocks().WriteAheadRows(r.ID, p.ID))
	if one.Change != nil {
		to.Tx.Fails(changes.Keep(&to.Tx.Txn, to.Keys, r.ID, p.ID, *one.Change))
	}
}

// noteLost records which cells of parameters the run found deleted that wrote nothing, unless something else was said of them meanwhile.
func noteLost(to *layout.Recorder, r *layout.Report, index int, one PlacementOutcome) {
	now, lost := r.Placements[index].Placement, one.Placement.Marks
	if placements.EqualMarks(now.Marks, one.Before.Marks) && !placements.EqualMarks(now.Marks, lost) {
		now.Marks = lost
		to.Rewrite(r, index, now)
	}
}

// noteRestored adds to the audit that a run has put back what an earlier one had changed, for whom.
func noteRestored(to *layout.Recorder, r *layout.Report, one PlacementOutcome, by record.Actor) {
	if !one.Written || one.Change == nil || one.Change.Restores == "" {
		return
	}
	by.Via.Address = journal.Agent
	who := *to
	who.Who = by
	who.Note(journal.Restore, journal.OfPlacement(r.ID, &one.Placement), 0)
}

// showInstead adds what the run leaves on a placement, which is shown only where the run is shown still, or where none is if the placement is new
// to all runs.
func showInstead(to *layout.Recorder, r *layout.Report, one PlacementOutcome, isNew bool) {
	newerKey, newer, mark := "", "", ""
	if isNew {
		mark = "1"
	}
	if n := one.Newer; n != nil {
		newerKey, newer = to.Keys.Runs().Record(n.RunID), to.Tx.Encode(layout.LastRunField, n)
	}
	last := to.Tx.Encode(layout.LastRunField, one.LastRun)
	to.Tx.Then("instead", to.Keys.Placements(r.ID), one.Placement.ID, one.LastRun.RunID, last, newerKey, newer, mark)
}

// isStill reports whether p is as it was before: what clients tell that are not believed does not count.
func isStill(p *layout.Placed, before layout.Placed) bool {
	return p.Rev == before.Rev || placements.OnlyTold(before.Placement, p.Placement)
}
