package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// How long a run is remembered, and the rank of the youngest one too many in the history of a report or schedule (decisions.md §7): 90 days
// in ms, and 100 runs.
const (
	historyAge  = "7776000000"
	historyRank = "-101"
)

// recordRun is the part of the scripts that make runs. alive reports whether a run has not ended. recordRun stores the record at KEYS[k]
// and lists it in the histories at the two keys after that, which drop their oldest entries. A run that has ended is forgotten when no
// history lists it any more: a schedule of every minute would leave 130,000 records else.
const recordRun = publishScript + `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function alive(prefix, id)
  local state = id and redis.call('HGET', prefix .. id, 'state')
  return state == 'QUEUED' or state == 'RUNNING'
end
local function forget(prefix, id)
  if redis.call('EXISTS', prefix .. id) == 0 or redis.call('HINCRBY', prefix .. id, 'listed', -1) > 0 then return end
  if not alive(prefix, id) then redis.call('DEL', prefix .. id) end
end
local function recordRun(k, prefix, run, id, state, report)
  local histories = KEYS[k + 1] == KEYS[k + 2] and 1 or 2
  redis.call('HSET', KEYS[k], 'run', run, 'state', state, 'fence', 0, 'report', report, 'listed', histories)
  redis.call('PEXPIRE', KEYS[k], ` + historyAge + `)
  for i = k + 1, k + histories do
    redis.call('ZADD', KEYS[i], now, id)
    for _, old in ipairs(redis.call('ZRANGE', KEYS[i], 0, ` + historyRank + `)) do
      redis.call('ZREM', KEYS[i], old)
      forget(prefix, old)
    end
    redis.call('PEXPIRE', KEYS[i], ` + historyAge + `)
  end
end
`

// enqueueScript makes runs that were asked for. An agent takes what it adds to the queue together.
//
//	KEYS   for each: run, runs of the report, runs of the schedule (or those of the report again), report, queue, active runs of the report,
//	       events, schedule
//	ARGV   for each: run JSON, run id, tenant, deployment, target, prefix of run keys, report id, event data
//	result for each: "", the id of a run on that target that has not ended, or 0 when there is no such report
var enqueueScript = redis.NewScript(recordRun + `
local function enqueue(k, a)
  local target, id, report = ARGV[a + 4], ARGV[a + 1], ARGV[a + 6]
  if redis.call('EXISTS', KEYS[k + 3]) == 0 then return 0 end
  local active = redis.call('HGET', KEYS[k + 5], target)
  if alive(ARGV[a + 5], active) then return active end
  recordRun(k, ARGV[a + 5], ARGV[a], id, 'QUEUED', report)
  if redis.call('EXISTS', KEYS[k + 7]) == 1 then redis.call('HSET', KEYS[k + 7], '` + fieldLastRun + `', id) end
  redis.call('HSET', KEYS[k + 5], target, id)
  publish(KEYS[k + 6], 'run.queued', report, ARGV[a + 7])
  redis.call('XADD', KEYS[k + 4], '*', 't', ARGV[a + 2], 'd', ARGV[a + 3], 'r', id)
  return ''
end
local out = {}
for i = 0, #KEYS / 8 - 1 do out[i + 1] = enqueue(8 * i + 1, 8 * i + 1) end
return out`)

// Order asks for a manual run in a deployment of a tenant.
type Order struct {
	DeploymentID int64
	Run          *record.Run // gets its id and fire time when it is made
}

// Enqueue makes one manual run; its errors are those of EnqueueAll.
func (s *Store) Enqueue(ctx context.Context, d Deployment, run *record.Run) error {
	refused, err := s.EnqueueAll(ctx, d.Tenant, []Order{{d.ID, run}})
	if err != nil {
		return err
	}
	return refused[0]
}

// EnqueueAll makes manual runs of a tenant in one step, so that agents find them in the queue together. refused is as long as list and
// says why there is no run: a *placements.Error, CodeRunning, that names the manual run that is refreshing the target already, or
// ErrNotFound, there is no such report. With err it is unknown which runs were made.
func (s *Store) EnqueueAll(ctx context.Context, tenant string, list []Order) (refused []error, err error) {
	now, err := s.Clock(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var keys []string
	var argv []any
	for _, o := range list {
		k, run := s.deployment(Deployment{tenant, o.DeploymentID}), o.Run
		run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), record.TriggerManual, placements.RunQueued, placements.Time(now)
		made, err := recordOf(run)
		if err != nil {
			return nil, err
		}
		history := k.reportRuns(run.ReportID)
		if run.ScheduleID != 0 {
			history = k.scheduleRuns(run.ScheduleID)
		}
		keys = append(keys, k.run(run.ID), k.reportRuns(run.ReportID), history,
			k.report(run.ReportID), k.queue(), k.activeRuns(run.ReportID), k.events(), k.schedule(run.ScheduleID))
		argv = append(argv, made.run, run.ID, tenant, o.DeploymentID, run.Target().Field(), k.run(""), run.ReportID, made.event)
	}
	out, err := enqueueScript.Run(ctx, s.rdb, keys, argv...).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	refused = make([]error, len(list))
	for i, active := range out {
		refused[i] = notEnqueued(active)
	}
	return refused, nil
}

// notEnqueued is why enqueueScript made no run; nil when it did.
func notEnqueued(active any) error {
	id, exists := active.(string)
	switch {
	case !exists:
		return ErrNotFound
	case id == "":
		return nil
	}
	busy := placements.Errorf(placements.CodeRunning, "Run %s refreshes the same placements and has not ended: wait for it or stop it.", id)
	busy.Details = []placements.Detail{{Code: busy.Code, Message: busy.Message, RunID: id}}
	return busy
}

// Firing is what a tick of a schedule comes to.
type Firing struct {
	Deployment Deployment
	Schedule   *record.Schedule
	Next       record.Tick // what comes after it
	Run        *record.Run // nil: the tick makes no run
	Queue      bool        // wait for the schedule's active run; else a run that meets one is recorded as SKIPPED
}

// fireScript turns ticks into their runs, each once: only the caller that still finds the tick it read moves the schedule on. What it
// gives to the queue an agent takes together.
//
//	KEYS   for each: run, runs of the report, runs of the schedule, schedule, due, queue, waiting runs of the schedule, events
//	ARGV   for each: tick ms, next tick ms or "", next due ms, due member, run id or "", run JSON, run JSON when skipped, queue 0/1,
//	       tenant, deployment, prefix of run keys, report id, event data, event data when skipped
//	result for each: 1 enqueued, 2 waiting, 3 skipped, 0 another caller was first
var fireScript = redis.NewScript(recordRun + `
local function fire(k, a)
  local schedule, id, prefix, report = KEYS[k + 3], ARGV[a + 4], ARGV[a + 10], ARGV[a + 11]
  if redis.call('HGET', schedule, 'next') ~= ARGV[a] then return 0 end
  redis.call('HSET', schedule, 'next', ARGV[a + 1])
  if ARGV[a + 1] == '' then
    redis.call('ZREM', KEYS[k + 4], ARGV[a + 3])
  else
    redis.call('ZADD', KEYS[k + 4], ARGV[a + 2], ARGV[a + 3])
  end
  if id == '' or redis.call('EXISTS', KEYS[k]) == 1 then return 0 end
  redis.call('HSET', schedule, 'lastRun', id)
  local busy = alive(prefix, redis.call('HGET', schedule, 'active'))
  if ARGV[a + 5] == '' or (ARGV[a + 7] == '0' and busy) then
    recordRun(k, prefix, ARGV[a + 6], id, 'SKIPPED', report)
    publish(KEYS[k + 7], 'run.skipped', report, ARGV[a + 13])
    return 3
  end
  recordRun(k, prefix, ARGV[a + 5], id, 'QUEUED', report)
  publish(KEYS[k + 7], 'run.queued', report, ARGV[a + 12])
  if busy then
    redis.call('RPUSH', KEYS[k + 6], id)
    return 2
  end
  redis.call('HSET', schedule, 'active', id)
  redis.call('XADD', KEYS[k + 5], '*', 't', ARGV[a + 8], 'd', ARGV[a + 9], 'r', id)
  return 1
end
local out = {}
for i = 0, #KEYS / 8 - 1 do out[i + 1] = fire(8 * i + 1, 14 * i + 1) end
return out`)

// Fire carries out firings, each of them at most once in the life of the storage, in one round trip and those of a partition in one step.
// It tells which of them this call made a run of, skipped or not; made is as long as list.
func (s *Store) Fire(ctx context.Context, list []Firing) (made []bool, err error) {
	made = make([]bool, len(list))
	members := map[int][]int{} // partition -> indexes in list
	for i, f := range list {
		n := s.partition(f.Deployment.Tenant)
		members[n] = append(members[n], i)
	}
	p := s.rdb.Pipeline()
	cmds := make(map[int]*redis.Cmd, len(members))
	for n, indexes := range members {
		if cmds[n], err = s.firePartition(ctx, p, list, indexes); err != nil {
			return made, err
		}
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	var errs []error
	for n, cmd := range cmds {
		out, err := cmd.Int64Slice()
		errs = append(errs, redis.Unavailable(err))
		for i, result := range out {
			made[members[n][i]] = result > 0
		}
	}
	return made, errors.Join(errs...)
}

// firePartition adds the firings at those indexes, which are of one partition.
func (s *Store) firePartition(ctx context.Context, p redis.Pipeliner, list []Firing, indexes []int) (*redis.Cmd, error) {
	var keys []string
	var argv []any
	for _, i := range indexes {
		k, a, err := s.firing(list[i])
		if err != nil {
			return nil, err
		}
		keys, argv = append(keys, k...), append(argv, a...)
	}
	return fireScript.Eval(ctx, p, keys, argv...), nil // a pipeline cannot load a script that is missing
}

func (s *Store) firing(f Firing) (keys []string, argv []any, err error) {
	d, c := f.Deployment, f.Schedule
	k := s.deployment(d)
	run, queued, skipped := &record.Run{}, runRecord{}, runRecord{}
	if f.Run != nil {
		run = f.Run
		var err2 error
		skipped, err = recordOf(skippedRun(*run))
		if run.State != placements.RunSkipped {
			queued, err2 = recordOf(run)
		}
		if err = errors.Join(err, err2); err != nil {
			return nil, nil, err
		}
	}
	queue := 0
	if f.Queue {
		queue = 1
	}
	keys = []string{
		k.run(run.ID), k.reportRuns(c.Target.ReportID), k.scheduleRuns(c.ID), k.schedule(c.ID), k.due(), k.queue(), k.scheduleWaiting(c.ID), k.events(),
	}
	argv = []any{
		milliseconds(c.Next), milliseconds(f.Next.At), f.Next.Due.UnixMilli(), k.dueSchedule(c.ID), run.ID, queued.run, skipped.run, queue,
		d.Tenant, d.ID, k.run(""), c.Target.ReportID, queued.event, skipped.event,
	}
	return keys, argv, nil
}

// runRecord is a run as its hash holds it, and the data of the event that tells of it.
type runRecord struct{ run, event string }

func recordOf(run *record.Run) (r runRecord, err error) {
	var err2 error
	r.run, err = encodeRun(run)
	r.event, err2 = runEvent(run)
	return r, errors.Join(err, err2)
}

// skippedRun is a run that was not made. One that gives no reason met an earlier one of its schedule.
func skippedRun(run record.Run) *record.Run {
	run.State = placements.RunSkipped
	run.EndedAt = run.FireTime
	if run.Error == "" {
		run.Error = "the schedule's earlier run had not ended when this one was due"
	}
	return &run
}

// RunID names the one run of a schedule's tick.
func RunID(schedule int64, tick time.Time) string {
	return strconv.FormatInt(schedule, 10) + ":" + milliseconds(tick)
}
