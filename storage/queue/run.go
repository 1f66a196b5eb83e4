package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// enqueueScript makes runs that were asked for.
var enqueueScript = redis.NewScript(redis.NowLua + Lua("publish", "lists", "target", "listing", "unlist", "run", "offer", "once", "enqueue"))

// onceKept is how long it is known which runs were made under an Idempotency-Key (decisions.md §1).
const onceKept = 24 * time.Hour

// Enqueue makes manual runs of a tenant in one step, so that agents find them in the queue together. refused is as long as list and
// says why there is no run: a *placements.Error, CodeRunning, that names the manual run that is refreshing the target already, or
// record.ErrNotFound, there is no such report. Under an Idempotency-Key, that of the first's RequestedBy, a run is made once: one that an earlier
// request made is no reason for none. With err it is unknown which runs were made; redis.ErrLockLost: none, as another request has the key.
func (q *Runs) Enqueue(ctx context.Context, tenant string, list ...record.Order) (refused []error, err error) {
	now, err := q.db.clock(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var keys []string
	var argv []any
	once := list[0].Run.RequestedBy.Via.Once
	for _, o := range list {
		k, run := q.db.deployment(record.Deployment{Tenant: tenant, ID: o.DeploymentID}), o.Run
		run.ID = once.RunID(fmt.Sprint(o.DeploymentID, " ", run.ReportID, " ", run.Target().Field()))
		run.Trigger, run.State, run.FireTime = record.TriggerManual, placements.RunQueued, placements.Time(now)
		made, err := recordOf(run)
		if err != nil {
			return nil, err
		}
		history := k.Runs().OfReport(run.ReportID)
		if run.ScheduleID != 0 {
			history = k.Runs().OfSchedule(run.ScheduleID)
		}
		keys = append(keys, k.Runs().Record(run.ID), k.Runs().OfReport(run.ReportID), history,
			k.Report(run.ReportID), k.Queue(), k.Runs().ActiveRuns(run.ReportID), k.Events(), k.Schedule(run.ScheduleID))
		argv = append(argv, made.run, run.ID, tenant, o.DeploymentID, run.Target().Field(), k.Runs().Record(""), run.ReportID, made.event, run.RequestedBy.ID)
	}
	keys, argv = onceOf(once, keys, argv)
	out, err := enqueueScript.Run(ctx, q.db.rdb, keys, argv...).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, redis.ErrLockLost
	}
	refused = make([]error, len(list))
	for i, active := range out {
		refused[i] = notEnqueued(active)
	}
	return refused, nil
}

// onceOf adds the key and the arguments of once.lua to those of a script, unless there is no Idempotency-Key.
func onceOf(o record.Once, keys []string, argv []any) ([]string, []any) {
	if o.Record == "" {
		return keys, argv
	}
	return append(keys, o.Record), append(argv, o.Token, o.Seed(), onceKept.Milliseconds())
}

// notEnqueued is why enqueueScript made no run; nil when it did.
func notEnqueued(active any) error {
	id, exists := active.(string)
	switch {
	case !exists:
		return record.ErrNotFound
	case id == "":
		return nil
	}
	return runningError(id, "Run %s refreshes the same placements and has not ended: wait for it or stop it.")
}

// stopScript asks a run to stop.
//
//	KEYS   run, due, queue
//	ARGV   run id, due member, tenant, deployment, prefix of the keys of documents' locks
//	result 1; 0 when the run has ended; -1 when there is none
var stopScript = redis.NewScript(Lua("offer", "stop") + lifecycle.Lua(`
local run, due, queue = unpack(KEYS)
local id, member, tenant, deployment, locks = unpack(ARGV)
local state, told = readRun(run)
if not state then return -1 end
if not isOpen(state) then return 0 end
stopRun(run, id, state, told, due, queue, member, tenant, deployment, locks)
return 1`))

// Stop asks a run to stop: it will be STOPPED unless it ends by itself before. ErrEnded, record.ErrNotFound.
func (q *Runs) Stop(ctx context.Context, d record.Deployment, runID string) error {
	k := q.db.deployment(d)
	n, err := stopScript.Run(ctx, q.db.rdb, []string{k.Runs().Record(runID), k.Due(), k.Queue()},
		runID, k.Runs().DueRun(runID), d.Tenant, d.ID, k.DocumentLock("")).Int()
	switch {
	case err != nil:
		return redis.Unavailable(err)
	case n < 0:
		return record.ErrNotFound
	case n == 0:
		return ErrEnded
	}
	return nil
}

// StopReport adds that the runs of a report that goes are asked to stop, and that the add-ins among them have their documents no more. The
// script of tx needs the function stop, see Lua.
func StopReport(tx *redis.Txn, k keys.DeploymentKeys, report int64) { stopRuns(tx, k, report, "", "") }

// StopPlacement is StopReport for the runs of one placement, of that id, that goes.
func StopPlacement(tx *redis.Txn, k keys.DeploymentKeys, report int64, placementID string) {
	if placementID != "" { // no run names one without
		stopRuns(tx, k, report, placementID, "")
	}
}

// StopClients is StopPlacement for the runs of add-ins alone, of a placement that is not any more where, or whose, they were begun on.
func StopClients(tx *redis.Txn, k keys.DeploymentKeys, report int64, placementID string) {
	if placementID != "" {
		stopRuns(tx, k, report, placementID, record.ExecutorClient)
	}
}

// WakePlacement adds that the run that waits for a placement, of that slot, which goes or is moved, goes to an agent, which settles what is left of
// it. The script of tx needs the function wake, see Lua.
func WakePlacement(tx *redis.Txn, k keys.DeploymentKeys, report int64, slot string) {
	tx.Then("wake", k.Placements(report), slot, k.Due(), k.Queue(), k.Runs().Record(""), k.Runs().DueRun(""), k.Name, k.ID)
}

func stopRuns(tx *redis.Txn, k keys.DeploymentKeys, report int64, placementID string, by record.Executor) {
	tx.Then("stop", k.Runs().List(record.ReportFacet(report)), k.Runs().List(record.FacetOpen), k.Due(), k.Queue(),
		k.Runs().Record(""), k.Runs().DueRun(""), k.Name, k.ID, k.DocumentLock(""), placementID, string(by))
}

// Get returns a run; record.ErrNotFound.
func (q *Runs) Get(ctx context.Context, d record.Deployment, id string) (*record.Run, error) {
	hash, err := q.db.rdb.HGetAll(ctx, q.db.deployment(d).Runs().Record(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return liveRun(id, hash)
}

// OfReport lists the runs of a report, the latest first.
func (q *Runs) OfReport(ctx context.Context, d record.Deployment, reportID int64) ([]*record.Run, error) {
	k := q.db.deployment(d)
	return q.history(ctx, k, k.Runs().OfReport(reportID), 0)
}

// OfSchedule lists the runs of a schedule, the latest first. They outlive it.
func (q *Runs) OfSchedule(ctx context.Context, d record.Deployment, scheduleID int64) ([]*record.Run, error) {
	k := q.db.deployment(d)
	return q.history(ctx, k, k.Runs().OfSchedule(scheduleID), 0)
}

// LatestOfSchedule lists the latest runs of a schedule, so many of them at most.
func (q *Runs) LatestOfSchedule(ctx context.Context, d record.Deployment, scheduleID int64, most int) ([]*record.Run, error) {
	k := q.db.deployment(d)
	return q.history(ctx, k, k.Runs().OfSchedule(scheduleID), most)
}

// history reads the latest runs that a history lists, all of them when most is 0; those that are forgotten already are left out.
func (q *Runs) history(ctx context.Context, k keys.DeploymentKeys, key string, most int) ([]*record.Run, error) {
	ids, err := q.db.rdb.ZRevRange(ctx, key, 0, int64(most-1)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	p := q.db.rdb.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(ids))
	for i, id := range ids {
		hashes[i] = p.HGetAll(ctx, k.Runs().Record(id))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	runs := make([]*record.Run, 0, len(ids))
	for i, hash := range hashes {
		run, err := liveRun(ids[i], hash.Val())
		if errors.Is(err, record.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// The fields of a run's hash beside its JSON. The scripts write them; they say more than the JSON while the run has not ended.
const (
	fieldState   = "state"
	fieldFence   = "fence"
	fieldStarted = "startedAt"
)

// fieldRun is the field of a run's hash that holds its JSON.
const fieldRun = "run"

// liveRun is a run as it stands now.
func liveRun(id string, hash map[string]string) (*record.Run, error) {
	if len(hash) == 0 {
		return nil, record.ErrNotFound
	}
	run, err := record.ReadRun(id, hash[fieldRun])
	if err != nil || run.EndedAt != "" {
		return run, err
	}
	run.State = placements.RunState(hash[fieldState])
	fence, _ := strconv.ParseInt(hash[fieldFence], 10, 64)
	run.Attempt = attemptsOf(run, fence)
	if at := unixMilli(hash[fieldStarted]); !at.IsZero() {
		run.StartedAt = placements.Time(at)
	}
	return run, nil
}

// runRecord is a run as its hash holds it, and the data of the event about it.
type runRecord struct{ run, event string }

func recordOf(run *record.Run) (r runRecord, err error) {
	var err2 error
	r.run, err = record.EncodeRun(run)
	r.event, err2 = runEvent(run)
	return r, errors.Join(err, err2)
}
