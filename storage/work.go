package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Work is what agents use: the queue, the reports and blocks of spreadsheets that its runs refresh, who may write them, and what an attempt
// leaves. It is safe for concurrent use.
type Work struct {
	*queue.Queue
	*engine
	records *Store
}

// PopDue leases up to limit due things of every partition, and reads the schedules among them. now is the storage's clock, by which they
// were due; next is when the next one will be, zero when nothing is known. list is valid even with an error: what it lacks is due again
// when its lease ends.
func (w *Work) PopDue(ctx context.Context, limit int, lease time.Duration) (list []record.Due, now, next time.Time, err error) {
	list, now, next, err = w.LeaseDue(ctx, limit, lease)
	list, unread := w.readSchedules(ctx, list)
	return list, now, next, errors.Join(err, unread)
}

// readSchedules reads the schedules that list names, in one round trip. With an error the list that it returns has none of them.
func (w *Work) readSchedules(ctx context.Context, list []record.Due) ([]record.Due, error) {
	p := w.rdb.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(list))
	for i, d := range list {
		if d.RunID == "" {
			hashes[i] = p.HGetAll(ctx, w.deployment(d.Deployment).Schedule(d.ScheduleID))
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		return slices.DeleteFunc(list, func(d record.Due) bool { return d.RunID == "" }), redis.Unavailable(err)
	}
	for i := range list {
		if d := &list[i]; d.RunID == "" {
			d.Schedule, d.Err = readSchedule(w.deployment(d.Deployment), d.ScheduleID, hashes[i].Val())
			if errors.Is(d.Err, ErrNotFound) {
				d.Err = nil
			}
		}
	}
	return list, nil
}

// Load returns the report that an attempt refreshes, as it was when the attempt began. Every placement that the run is to refresh has an
// id: marker, fingerprints, last run and history go by it, so one that was recorded before ids existed gets one here, and keeps it
// whatever becomes of the run. Errors: ErrNotFound; ErrBusy and ErrLockLost when no id could be stored.
//
// An attempt that another one has overtaken may still store ids: they are the ids that the other one finds, or it finds those of the other.
func (w *Work) Load(ctx context.Context, a *queue.Attempt) (*Report, error) {
	k, target := w.deployment(a.Deployment), a.Run.Target()
	r, err := w.records.readReport(k, target.ReportID, a.Report, a.Placements)
	if err != nil || !slices.ContainsFunc(r.Placements, func(p Placed) bool { return needsID(target, p) }) {
		return r, err
	}
	if r, err = w.records.giveIDs(ctx, k, target); err != nil {
		return nil, fmt.Errorf("ids for placements of report %d: %w", target.ReportID, err)
	}
	return r, nil
}

// TakeQuota takes n requests out of the perMinute of an account with another service, which all that use this storage share, and returns 0;
// or takes none and returns how long to wait until it could. A minute's requests may be made at once; more than that at once count as that.
// It makes w what package host calls a Limiter.
func (w *Work) TakeQuota(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	sum := sha256.Sum256([]byte(account)) // an account's name may say more than keys should
	cost := float64(time.Minute.Microseconds()) / float64(perMinute)
	key := keys.Quota(hex.EncodeToString(sum[:16]))
	wait, _, err := redis.TakeTokens(ctx, w.rdb, key, cost*float64(min(n, perMinute)), float64(time.Minute.Microseconds()))
	return wait, err
}

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

// completion runs the transactions that end an attempt.
var completion = redis.NewTxnScript(queue.Lua("publish", "complete") + lua("echo") + "functions.publish, functions.echo = publish, echo\n")

// Complete ends an attempt in one step: the run's record and queue entry, for every placement its checksum, address, fingerprints and last
// run, the next attempt or the schedule's next run. ErrLockLost: a later attempt has begun, and nothing was changed.
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
	if err = errors.Join(a.End(&todo.Txn, o.Again, o.Failure), todo.err); err != nil {
		return err
	}
	return w.commitAttempt(ctx, completion, a, h, &todo)
}

// commitAttempt runs what an attempt leaves, if the attempt is its run's latest and the locks are held.
func (w *Work) commitAttempt(ctx context.Context, script redis.TxnScript, a *queue.Attempt, h held, todo *txn) error {
	own := a.Guard(&todo.Txn)
	h.guard(todo)
	_, err := script.Run(ctx, w.hot, &todo.Txn)
	failed, refused := errors.AsType[redis.Unmet](err)
	switch {
	case refused && int(failed) < own:
		return ErrLockLost
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
	return w.commitAttempt(ctx, transactions, a, h, &todo)
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

// addOutcome adds what the run leaves on a placement that still stands where the run found it.
func addOutcome(todo *txn, k deploymentKeys, r *Report, one PlacementOutcome, earlier earlierEdits, now string) {
	p := one.Placement
	index := slices.IndexFunc(r.Placements, func(now Placed) bool { return now.ID == p.ID })
	if index < 0 || r.Placements[index].AddressKey() != one.Before.AddressKey() {
		return
	}
	key, takes := k.Placements(r.ID), p.AddressKey()
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
	todo.Then("SET", k.Rows(r.ID, p.ID), one.Rows)
	todo.Then("DEL", k.WriteAheadRows(r.ID, p.ID))
}
