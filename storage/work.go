package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

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
// It makes s what package host calls a Limiter.
func (w *Work) TakeQuota(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	sum := sha256.Sum256([]byte(account)) // an account's name may say more than keys should
	cost := float64(time.Minute.Microseconds()) / float64(perMinute)
	key := quotaKey(hex.EncodeToString(sum[:16]))
	wait, _, err := redis.TakeTokens(ctx, w.rdb, key, cost*float64(min(n, perMinute)), float64(time.Minute.Microseconds()))
	return wait, err
}
