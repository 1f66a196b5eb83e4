package keep

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"mooring/placements"
	"mooring/storage/backup"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// restorer restores a file.
type restorer struct {
	keeper   *Keeper
	options  RestoreOptions
	contents *backup.Contents
	found    []string // tenants of which the storage has something
	layout   int      // of the storage, if it has tenants
	at       time.Time
	devices  int
	stopped  atomic.Int64 // runs: nodes of a cluster are walked at once
}

// settle makes what was loaded one with the time: runs that had not ended are stopped, placements are marked, schedules fire next after
// now, and the indexes are made.
func (r *restorer) settle(ctx context.Context) error {
	ours := map[string]bool{}
	for _, name := range r.contents.Tenants {
		ours[name] = true
	}
	steps := []struct {
		form *regexp.Regexp
		do   func(context.Context, keys.DeploymentKeys, []string) error
	}{
		{runKey, r.settleRuns},
		{placementsKey, r.settlePlacements},
		{scheduleKey, r.settleSchedules},
	}
	return redis.EachKey(ctx, r.keeper.db.Redis, "mooring:{p*}:t:*:d:*", "hash", func(names []string) error {
		for _, step := range steps {
			found := map[record.Deployment][]string{}
			for _, name := range names {
				part := step.form.FindStringSubmatch(name)
				if part == nil {
					continue
				}
				if d, err := deploymentOf(part); err != nil {
					return err
				} else if ours[d.Tenant] {
					found[d] = append(found[d], part[3])
				}
			}
			for d, ids := range found {
				if err := step.do(ctx, r.keeper.db.Deployment(d), ids); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (r *restorer) settleRuns(ctx context.Context, k keys.DeploymentKeys, ids []string) error {
	stopped, err := r.keeper.queue.Runs.Settle(ctx, k.At(), ids, r.at, func(err error) {
		r.keeper.db.Log.ErrorContext(ctx, "restored run cannot be read", "tenant", k.Name, "deployment", k.ID, "error", err)
	})
	r.stopped.Add(int64(stopped))
	return err
}

func (r *restorer) settlePlacements(ctx context.Context, k keys.DeploymentKeys, ids []string) error {
	for _, id := range ids {
		report, err := layout.ParseID(id)
		if err != nil {
			return err
		}
		if err := r.keeper.changePlacements(ctx, k, report, r.mark); err != nil {
			return err
		}
	}
	return nil
}

// mark adds that a restored placement may hold rows that were written after the backup, so that their age is not known, and that no run is at
// work on it. What was never written holds none.
func (r *restorer) mark(to *layout.Recorder, report *layout.Report, p *layout.Placed) {
	if p.ResultChecksum != nil || p.QueryChecksum != "" {
		p.RestoredAt, p.AsOf = placements.Time(r.at), ""
		p.Position()
		to.StorePlacement(report.ID, p)
	}
	if run := p.LastRun; run != nil && (run.State == placements.RunRunning || run.State == placements.RunQueued) {
		run.State, run.Error, run.ErrorClass = placements.RunStopped, queue.Interrupted, ""
		run.EndedAt, run.NextAttemptAt, run.Reason, run.Since = placements.Time(r.at), "", "", ""
		to.StoreLastRun(report.ID, p.Position().Slot, run)
	}
	to.Tx.Then("HDEL", to.Keys.Placements(report.ID), queue.FieldWanted+p.Position().Slot)
}

// settleSchedules sets when schedules fire next, after now: what they missed since the backup is skipped.
func (r *restorer) settleSchedules(ctx context.Context, k keys.DeploymentKeys, ids []string) error {
	for some := range slices.Chunk(ids, 100) {
		p := r.keeper.db.Redis.Pipeline()
		stored := make([]*redis.MapStringStringCmd, len(some))
		numbers := make([]int64, len(some))
		for i, id := range some {
			numbers[i], _ = strconv.ParseInt(id, 10, 64) // as its form says
			stored[i] = p.HGetAll(ctx, k.Schedule(numbers[i]))
		}
		if _, err := p.Exec(ctx); err != nil {
			return redis.Unavailable(err)
		}
		p = r.keeper.db.Redis.Pipeline()
		for i, id := range numbers {
			r.fireNext(ctx, p, k, id, stored[i].Val())
		}
		if _, err := p.Exec(ctx); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}

// fireNext adds when a schedule fires next. One that cannot be read, or whose times cannot, fires no more until it is changed.
func (r *restorer) fireNext(ctx context.Context, p redis.Pipeliner, k keys.DeploymentKeys, id int64, hash map[string]string) {
	c, err := layout.ReadSchedule(k, id, hash)
	var next record.Tick
	if err == nil {
		next, err = r.options.Next(c, r.at)
	}
	if err != nil {
		r.keeper.db.Log.ErrorContext(ctx, "restored schedule does not fire", "tenant", k.Name, "deployment", k.ID, "schedule", id, "error", err)
	}
	p.HDel(ctx, k.Schedule(id), layout.FieldActive)
	p.HSet(ctx, k.Schedule(id), layout.FieldNext, redis.Milliseconds(next.At))
	if next.At.IsZero() {
		p.ZRem(ctx, k.Due(), k.DueSchedule(id))
		return
	}
	p.ZAdd(ctx, k.Due(), redis.Z{Score: float64(cmp.Or(next.Due, next.At).UnixMilli()), Member: k.DueSchedule(id)})
}

// RestoreOptions says how a backup is restored.
type RestoreOptions struct {
	Replace  bool // take the tenants of the backup out of the storage first
	Who      record.Actor
	Process  record.Process // that restores
	Progress func(tenant string, c backup.Counts)
	// Next says when a schedule fires next after a time. What was missed before stays missed.
	Next func(c *record.Schedule, after time.Time) (record.Tick, error)
}
