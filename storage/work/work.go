package work

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/changes"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// PopDue leases up to limit due things of every partition, and reads the schedules among them. now is the storage's clock, by which they
// were due; next is when the next one will be, zero when nothing is known. list is valid even with an error: what it lacks is due again
// when its lease ends.
func (w *Work) PopDue(ctx context.Context, limit int, lease time.Duration) (list []record.Due, now, next time.Time, err error) {
	list, now, next, err = w.Queue.Ticks.Lease(ctx, limit, lease)
	list, unread := w.readSchedules(ctx, list)
	return list, now, next, redis.Join(err, unread)
}

// readSchedules reads the schedules that list names, in one round trip. With an error the list that it returns has none of them.
func (w *Work) readSchedules(ctx context.Context, list []record.Due) ([]record.Due, error) {
	p := w.db.Redis.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(list))
	for i, d := range list {
		if d.IsSchedule() {
			hashes[i] = p.HGetAll(ctx, w.db.Deployment(d.Deployment).Schedule(d.ScheduleID))
		}
	}
	if _, err := p.Exec(ctx); err != nil {
		return slices.DeleteFunc(list, func(d record.Due) bool { return d.IsSchedule() }), redis.Unavailable(err)
	}
	for i := range list {
		if d := &list[i]; d.IsSchedule() {
			d.Schedule, d.Err = layout.ReadSchedule(w.db.Deployment(d.Deployment), d.ScheduleID, hashes[i].Val())
			if errors.Is(d.Err, record.ErrNotFound) {
				d.Err = nil
			}
		}
	}
	return list, nil
}

// Load returns the report that an attempt refreshes, as it was when the attempt began, and has its run know its Home. Every placement that the run is to refresh has an
// id: marker, fingerprints, last run and history go by it, so one that was recorded before ids existed gets one here, and keeps it
// whatever becomes of the run. Errors: record.ErrNotFound; engine.ErrBusy and redis.ErrLockLost when no id could be stored.
//
// An attempt that another one has overtaken may still store ids: they are the ids that the other one finds, or it finds those of the other.
func (w *Work) Load(ctx context.Context, a *queue.Attempt) (*layout.Report, error) {
	target := a.Run.Target()
	if target.ExternalWorkbookID != "" {
		at, err := layout.ReadSite(target.ExternalWorkbookID, a.Site)
		if err != nil {
			return nil, err
		}
		target.Home = at.Home()
		a.Run.Home = target.Home
	}
	k := w.db.Deployment(a.Deployment)
	r, err := w.reader.Report(k, target.ReportID, a.Report, a.Placements)
	if err != nil || !slices.ContainsFunc(r.Placements, func(p layout.Placed) bool { return needsID(target, p) }) {
		return r, err
	}
	if r, err = w.GiveIDs(ctx, k, target); err != nil {
		return nil, fmt.Errorf("ids for placements of report %d: %w", target.ReportID, err)
	}
	return r, nil
}

// TakeQuota takes n requests out of the perMinute of an account with another service, which all that use this storage share, and returns 0;
// or takes none and returns how long to wait until it could. A minute's requests may be made at once; more than that at once count as that.
// It makes w what package host calls a Limiter.
func (w *Work) TakeQuota(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	cost := float64(time.Minute.Microseconds()) / float64(perMinute)
	wait, _, err := redis.TakeTokens(ctx, w.db.Redis, quotaKey(account), cost*float64(min(n, perMinute)), float64(time.Minute.Microseconds()))
	return wait, err
}

// Move says that a write has moved a block on which no run was at work, or a cell of it elsewhere: cells were shifted above.
type Move struct {
	Before           layout.Placed
	Now              placements.Placement
	Completed, Begun []byte // in the place of its Rows; nil: they stay
}

// Move records it, unless the placement has changed since it was read, or another one of its report stands there.
func (w *Work) Move(ctx context.Context, d record.Deployment, report int64, m Move) error {
	k := w.db.Deployment(d)
	return w.reader.Change(ctx, k, report, record.Actor{}, nil, func(to *layout.Recorder, r *layout.Report) error {
		index := slices.IndexFunc(r.Placements, func(p layout.Placed) bool { return p.Rev == m.Before.Rev })
		takes := m.Now.AddressKey()
		if index < 0 || takes != m.Before.AddressKey() && r.StandsAt(takes) {
			return nil
		}
		p := r.Placements[index].Placement
		p.AnchorCell, p.EndResultCell, p.ResultLocation = m.Now.AnchorCell, m.Now.EndResultCell, m.Now.ResultLocation
		p.StatusCell, p.Parameters, p.Marks = m.Now.StatusCell, m.Now.Parameters, m.Now.Marks
		to.Rewrite(r, index, p)
		if m.Completed != nil {
			to.Tx.Then("SET", k.Blocks().Rows(r.ID, p.ID), m.Completed)
		}
		if m.Begun != nil {
			to.Tx.Then("SET", k.Blocks().WriteAheadRows(r.ID, p.ID), m.Begun, "PX", writeAheadAge.Milliseconds())
		}
		return nil
	})
}

func quotaKey(account string) string {
	sum := sha256.Sum256([]byte(account)) // an account's name may say more than keys should
	return keys.Quota(hex.EncodeToString(sum[:16]))
}

// QuotasUsed returns, of accounts with other services, which part of a minute's requests cannot be made now, from 0 to 1.
func (w *Work) QuotasUsed(ctx context.Context, accounts ...string) ([]float64, error) {
	buckets := make([]string, len(accounts))
	for i, account := range accounts {
		buckets[i] = quotaKey(account)
	}
	full, err := redis.UntilFull(ctx, w.db.Redis, buckets)
	used := make([]float64, len(full))
	for i, wait := range full {
		used[i] = min(1, wait.Minutes())
	}
	return used, err
}

// writeAheadAge is how long a write-ahead record counts whose attempt was never completed.
const writeAheadAge = 30 * 24 * time.Hour

// WriteAhead is what an attempt is about to write to the block of a placement.
type WriteAhead struct {
	Attempt     *queue.Attempt
	PlacementID string
	Rows        []byte // the fingerprints; Rows.Begun of the next attempt
}

// writeAheadScript notes what attempts are about to write, if they still may.
//
//	KEYS   lock of the document, then for each: run, rows begun
//	ARGV   token, age ms, then for each: fence, rows
//	result for each 1, or 0 when another attempt has begun; {} when the lock was lost
var writeAheadScript = redis.NewScript(lifecycle.Lua(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return {} end
local out = {}
for i = 1, (#KEYS - 1) / 2 do
  local run = redis.call('HMGET', KEYS[2 * i], 'state', 'fence')
  if mayWrite(run[1], run[2], ARGV[2 * i + 1]) then
    redis.call('SET', KEYS[2 * i + 1], ARGV[2 * i + 2], 'PX', ARGV[2])
    out[i] = 1
  else
    out[i] = 0
  end
end
return out`))

// WriteAhead records, right before a write, what attempts are about to leave in a document. If this process dies before they are completed,
// the next attempt knows the rows for Mooring's own. lease is that of LockDocument, or ClientLease. noted is as long as list: what is not noted
// must not be written, since another attempt of its run has begun. redis.ErrLockLost: nothing must be written any more.
func (w *Work) WriteAhead(ctx context.Context, lease DocumentLease, list []WriteAhead) (noted []bool, err error) {
	if lease.lock.None() {
		return nil, redis.ErrLockLost
	}
	for some := range slices.Chunk(list, scriptBlocks) {
		more, err := w.writeAhead(ctx, lease.lock, some)
		if err != nil {
			return nil, err
		}
		noted = append(noted, more...)
	}
	return noted, nil
}

func (w *Work) writeAhead(ctx context.Context, h engine.Locks, list []WriteAhead) ([]bool, error) {
	cmd := redis.Command(h.Keys[0])
	for _, i := range list {
		k := w.db.Deployment(i.Attempt.Deployment)
		cmd = append(cmd, k.Runs().Record(i.Attempt.Run.ID), k.Blocks().WriteAheadRows(i.Attempt.Run.ReportID, i.PlacementID))
	}
	cmd = append(redis.EndKeys(cmd), h.Token, writeAheadAge.Milliseconds())
	for _, i := range list {
		cmd = append(cmd, i.Attempt.Fence, i.Rows)
	}
	out, err := redis.RunScript(ctx, w.db.Redis, writeAheadScript, cmd)
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	reply, _ := out.([]any)
	if len(reply) != len(list) {
		return nil, redis.ErrLockLost
	}
	noted := make([]bool, len(list))
	for i := range list {
		noted[i] = reply[i] == int64(1)
	}
	w.db.LeaveWitness(ctx, w.db.Tenant(list[0].Attempt.Deployment.Tenant).Partition)
	return noted, nil
}

// DocumentLease is the right to write to a document; the zero value is none.
type DocumentLease struct{ lock engine.Locks }

// longestPoll is the longest pause between two looks at a document's lock.
const longestPoll = 100 * time.Millisecond

// LockDocument makes the caller the only writer to a spreadsheet until it calls release, waiting for others as long as ctx lasts: then
// ctx's error. While it waits for an add-in, no add-in takes the spreadsheet before it. The lock is renewed meanwhile; held is cancelled,
// with the cause redis.ErrLockLost, as soon as that may have failed, and the caller must write nothing from then on.
func (w *Work) LockDocument(
	ctx context.Context, tenant, document string,
) (held context.Context, lease DocumentLease, release func(), err error) {
	h := engine.NewLocks(w.db.Tenant(tenant).DocumentLock(document))
	h.Token += keys.LockOwner + holder()
	if err := w.takeDocument(ctx, h, w.db.Tenant(tenant).DocumentTurn(document)); err != nil {
		return nil, DocumentLease{}, nil, err
	}
	held, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.renew(held, h, cancel)
	}()
	return held, DocumentLease{h}, func() {
		cancel(context.Canceled)
		<-done
		w.db.Unlock(ctx, h)
	}, nil
}

// takeDocument takes h, the lock of a document, with jittered pauses between its tries.
func (w *Work) takeDocument(ctx context.Context, h engine.Locks, turn string) error {
	for d := time.Millisecond; ; d = min(2*d, longestPoll) {
		taken, err := w.Queue.TryDocument(ctx, queue.Lock{Key: h.Keys[0], Token: h.Token}, turn, w.db.LockTTL)
		if err != nil {
			w.db.UnlockUnsure(ctx, h)
		}
		if taken || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(engine.Pause(h.Token, d)):
		}
	}
}

// holder names this process to agents that wait for a lock of it.
func holder() string {
	name, err := os.Hostname()
	if err != nil {
		name = "?"
	}
	return fmt.Sprintf("another agent (%s, process %d)", name, os.Getpid())
}

// DocumentWriter names who holds the lock of a spreadsheet: an agent with its host and process id, or an add-in with its run. It is empty
// when none does.
func (w *Work) DocumentWriter(ctx context.Context, tenant, document string) (string, error) {
	token, err := w.db.Redis.Get(ctx, w.db.Tenant(tenant).DocumentLock(document)).Result()
	if errors.Is(err, redis.Nil) {
		return "", nil
	}
	_, name, _ := strings.Cut(token, keys.LockOwner)
	return name, redis.Unavailable(err)
}

// renew prolongs h three times per lifetime until held ends, and cancels held when h may have run out.
func (w *Work) renew(held context.Context, h engine.Locks, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(w.db.LockTTL / 3)
	defer ticker.Stop()
	renewed := w.db.Now()
	for {
		select {
		case <-held.Done():
			return
		case <-ticker.C:
		}
		asked := w.db.Now()
		n, err := engine.RenewScript.Run(held, w.db.Redis, h.Keys, h.Token, w.db.LockTTL.Milliseconds()).Int()
		switch {
		case err == nil && n == 1:
			renewed = asked
		case err == nil, w.db.Now().Sub(renewed) > 2*w.db.LockTTL/3:
			cancel(redis.ErrLockLost)
			return
		}
	}
}

// needsID reports whether a run on t needs an id for p.
func needsID(t record.RunTarget, p layout.Placed) bool { return p.ID == "" && t.Has(p.Placement) }

// GiveIDs assigns an id to the placements of t that have none, all of them or none, and loads the report.
func (w *Work) GiveIDs(ctx context.Context, k keys.DeploymentKeys, t record.RunTarget) (report *layout.Report, err error) {
	err = w.reader.Change(ctx, k, t.ReportID, record.Actor{}, nil, func(to *layout.Recorder, r *layout.Report) error {
		report = r
		for i, p := range r.Placements {
			if needsID(t, p) {
				p.ID = rand.Text()
				to.Rewrite(r, i, p.Placement)
			}
		}
		return nil
	})
	return report, err
}

// Work is what agents use: the queue, the reports and blocks of spreadsheets that its runs refresh, who may write them, and what an attempt
// leaves. It is safe for concurrent use.
type Work struct {
	Queue   *queue.Queue
	Sites   *layout.Sites
	History *changes.History
	db      *engine.DB
	reader  *layout.Reader
	commits *redis.Together[*redis.Txn, any]
}

// New returns what agents use of a storage.
func New(db *engine.DB, reader *layout.Reader, sites *layout.Sites, queue *queue.Queue) *Work {
	return &Work{Queue: queue, Sites: sites, History: changes.New(db.Redis, db.Partitions), db: db, reader: reader, commits: newCommits(db)}
}
