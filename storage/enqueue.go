package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
)

// How long a run is remembered, and the rank of the youngest one too many in the history of a report or schedule (decisions.md §7): 90 days in
// ms, and 100 runs.
const (
	historyAge  = "7776000000"
	historyRank = "-101"
)

// recordRun is the part of the scripts that make a run. alive tells whether a run has not ended. recordRun stores the record and lists it in the histories at KEYS[2] and KEYS[3], which
// drop their oldest entries. A run that has ended is forgotten when no history lists it any more: a schedule of every minute would leave 130,000
// records else.
const recordRun = publishScript + `
local function alive(prefix, id)
  local state = id and redis.call('HGET', prefix .. id, 'state')
  return state == 'QUEUED' or state == 'RUNNING'
end
local function forget(prefix, id)
  if redis.call('EXISTS', prefix .. id) == 0 or redis.call('HINCRBY', prefix .. id, 'listed', -1) > 0 then return end
  if not alive(prefix, id) then redis.call('DEL', prefix .. id) end
end
local function recordRun(prefix, run, id, state, report, now)
  redis.call('HSET', KEYS[1], 'run', run, 'state', state, 'fence', 0, 'report', report, 'listed', KEYS[2] == KEYS[3] and 1 or 2)
  redis.call('PEXPIRE', KEYS[1], ` + historyAge + `)
  for i = 2, 3 do
    redis.call('ZADD', KEYS[i], now, id)
    for _, old in ipairs(redis.call('ZRANGE', KEYS[i], 0, ` + historyRank + `)) do
      redis.call('ZREM', KEYS[i], old)
      forget(prefix, old)
    end
    redis.call('PEXPIRE', KEYS[i], ` + historyAge + `)
  end
end
`

// enqueueScript makes a run that somebody asked for.
//
//	KEYS   run, runs of the report, runs of the schedule (or those of the report again), report, queue, active runs of the report,
//	       events
//	ARGV   run JSON, run id, tenant, deployment, target, prefix of run keys, report id, event data
//	result {1, now ms}; {0, run id} when a run on that target has not ended; {-1} when there is no such report
var enqueueScript = redis.NewScript(recordRun + `
if redis.call('EXISTS', KEYS[4]) == 0 then return {-1} end
local active = redis.call('HGET', KEYS[6], ARGV[5])
if alive(ARGV[6], active) then return {0, active} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
recordRun(ARGV[6], ARGV[1], ARGV[2], 'QUEUED', ARGV[7], now)
redis.call('HSET', KEYS[6], ARGV[5], ARGV[2])
publish(KEYS[7], 'run.queued', ARGV[7], ARGV[8])
redis.call('XADD', KEYS[5], '*', 't', ARGV[3], 'd', ARGV[4], 'r', ARGV[2])
return {1, now}`)

// Enqueue makes a manual run: its id and fire time are set here. A target that a manual run is refreshing already is a *Conflict,
// run_in_progress, that names that run. ErrNotFound: there is no such report.
func (s *Store) Enqueue(ctx context.Context, d Deployment, run *Run) error {
	k := s.deployment(d)
	now, err := s.Clock(ctx)
	if err != nil {
		return err
	}
	run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), TriggerManual, placements.RunQueued, placements.Time(now)
	made, err := recordOf(run)
	if err != nil {
		return err
	}
	history := k.reportRuns(run.ReportID)
	if run.ScheduleID != 0 {
		history = k.scheduleRuns(run.ScheduleID)
	}
	out, err := enqueueScript.Run(ctx, s.rdb,
		[]string{k.run(run.ID), k.reportRuns(run.ReportID), history, k.report(run.ReportID), k.queue(), k.activeRuns(run.ReportID), k.events()},
		made.run, run.ID, d.Tenant, d.ID, run.Target().field(), k.run(""), run.ReportID, made.event).Slice()
	if err != nil {
		return unavailable(err)
	}
	return madeRun(out)
}

// madeRun reads what enqueueScript and holdScript reply.
func madeRun(out []any) error {
	switch out[0] {
	case int64(-1):
		return ErrNotFound
	case int64(0):
		return &Conflict{
			Code: CodeRunInProgress, Retryable: true,
			Message: fmt.Sprintf("run %v refreshes the same placements and has not ended: wait for it or stop it", out[1]),
		}
	}
	return nil
}

// Target is what the run refreshes.
func (r *Run) Target() RunTarget {
	return RunTarget{ReportID: r.ReportID, PlacementID: r.PlacementID, ExternalWorkbookID: r.ExternalWorkbookID}
}

// Has tells whether p, a placement of the target's report, is one of those to refresh.
func (t RunTarget) Has(p Placed) bool {
	return (t.PlacementID == "" || p.ID == t.PlacementID) && (t.ExternalWorkbookID == "" || p.WorkbookID == t.ExternalWorkbookID)
}

// field names the target among those of its report.
func (t RunTarget) field() string {
	switch {
	case t.PlacementID != "":
		return "p:" + t.PlacementID
	case t.ExternalWorkbookID != "":
		return "d:" + t.ExternalWorkbookID
	}
	return "all"
}

// Firing is what a tick of a schedule comes to.
type Firing struct {
	Deployment Deployment
	Schedule   *Schedule
	Next       Tick // what comes after it
	Run        *Run // nil: the tick makes no run
	Queue      bool // wait for the schedule's active run; else a run that meets one is recorded as SKIPPED
}

// fireScript turns a tick into its run, once: only the caller that still finds the tick it read moves the schedule on.
//
//	KEYS   run, runs of the report, runs of the schedule, schedule, due, queue, waiting runs of the schedule, events
//	ARGV   tick ms, next tick ms or "", next due ms, due member, run id or "", run JSON, run JSON when skipped, queue 0/1,
//	       tenant, deployment, prefix of run keys, report id, event data, event data when skipped
//	result 1 enqueued, 2 waiting, 3 skipped, 0 somebody else was first
var fireScript = redis.NewScript(recordRun + `
if redis.call('HGET', KEYS[4], 'next') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[4], 'next', ARGV[2])
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[5], ARGV[4])
else
  redis.call('ZADD', KEYS[5], ARGV[3], ARGV[4])
end
local id = ARGV[5]
if id == '' or redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HSET', KEYS[4], 'lastRun', id)
local busy = alive(ARGV[11], redis.call('HGET', KEYS[4], 'active'))
if ARGV[6] == '' or (ARGV[8] == '0' and busy) then
  recordRun(ARGV[11], ARGV[7], id, 'SKIPPED', ARGV[12], now)
  publish(KEYS[8], 'run.skipped', ARGV[12], ARGV[14])
  return 3
end
recordRun(ARGV[11], ARGV[6], id, 'QUEUED', ARGV[12], now)
publish(KEYS[8], 'run.queued', ARGV[12], ARGV[13])
if busy then
  redis.call('RPUSH', KEYS[7], id)
  return 2
end
redis.call('HSET', KEYS[4], 'active', id)
redis.call('XADD', KEYS[6], '*', 't', ARGV[9], 'd', ARGV[10], 'r', id)
return 1`)

// Fire carries out firings, each of them at most once in the life of the storage, in one round trip. It tells which of them this call made a
// run of, skipped or not; made is as long as list.
func (s *Store) Fire(ctx context.Context, list []Firing) (made []bool, err error) {
	p := s.rdb.Pipeline()
	cmds := make([]*redis.Cmd, len(list))
	for i, f := range list {
		keys, argv, err := s.firing(f)
		if err != nil {
			return make([]bool, len(list)), err
		}
		cmds[i] = fireScript.EvalSha(ctx, p, keys, argv...)
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	made = make([]bool, len(list))
	for i, cmd := range cmds {
		n, err := cmd.Int()
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			n, err = s.fireOne(ctx, list[i])
		}
		if err != nil {
			return made, unavailable(err)
		}
		made[i] = n > 0
	}
	return made, nil
}

// fireOne loads the script where a server does not know it.
func (s *Store) fireOne(ctx context.Context, f Firing) (int, error) {
	keys, argv, err := s.firing(f)
	if err != nil {
		return 0, err
	}
	return fireScript.Run(ctx, s.rdb, keys, argv...).Int()
}

func (s *Store) firing(f Firing) (keys []string, argv []any, err error) {
	d, c := f.Deployment, f.Schedule
	k := s.deployment(d)
	run, queued, skipped := &Run{}, runRecord{}, runRecord{}
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

func recordOf(run *Run) (r runRecord, err error) {
	var err2 error
	r.run, err = encode(run)
	r.event, err2 = runEvent(run)
	return r, errors.Join(err, err2)
}

// skippedRun is a run that was not made. One that gives no reason met an earlier one of its schedule.
func skippedRun(run Run) *Run {
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
