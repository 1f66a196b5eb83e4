package storage

import (
	"context"
	"crypto/rand"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// A run that is held is worked on by the process that asked for it. It is in no queue: agents keep off. It stands in the due set, at the
// moment when its holder's lease ends, and every renewal moves that on; a holder that dies leaves it to be found there, as a run whose next
// attempt has come.

// holdLease is how long a held run is left alone after its holder was last heard of.
const holdLease = 10 * time.Second

// dueAfter is the part of a script that makes something due some ms from now.
const dueAfter = `
local function dueAfter(due, ms, member)
  local t = redis.call('TIME')
  redis.call('ZADD', due, t[1] * 1000 + math.floor(t[2] / 1000) + ms, member)
end
`

// holdScript makes a run that its caller holds.
//
//	KEYS   run, runs of the report twice, report, due, active runs of the report, events
//	ARGV   run JSON, run id, due member, lease ms, target, prefix of run keys, report id, event data
//	result "", the id of a run on that target which has not ended, or 0 when there is no such report
var holdScript = redis.NewScript(recordRun + dueAfter + `
if redis.call('EXISTS', KEYS[4]) == 0 then return 0 end
local active = redis.call('HGET', KEYS[6], ARGV[5])
if alive(ARGV[6], active) then return active end
recordRun(1, ARGV[6], ARGV[1], ARGV[2], 'QUEUED', ARGV[7])
redis.call('HSET', KEYS[6], ARGV[5], ARGV[2])
publish(KEYS[7], 'run.queued', ARGV[7], ARGV[8])
dueAfter(KEYS[5], ARGV[4], ARGV[3])
return ''`)

// Hold makes a manual run that the caller works on itself: see BeginHeld. Its id and fire time are set here. Errors are those of Enqueue.
func (s *Store) Hold(ctx context.Context, d Deployment, run *record.Run) error {
	k := s.deployment(d)
	now, err := s.Clock(ctx)
	if err != nil {
		return err
	}
	run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), record.TriggerManual, placements.RunQueued, placements.Time(now)
	made, err := recordOf(run)
	if err != nil {
		return err
	}
	runs := k.reportRuns(run.ReportID)
	out, err := holdScript.Run(ctx, s.rdb,
		[]string{k.run(run.ID), runs, runs, k.report(run.ReportID), k.due(), k.activeRuns(run.ReportID), k.events()},
		made.run, run.ID, k.dueRun(run.ID), holdLease.Milliseconds(), run.Target().Field(), k.run(""), run.ReportID, made.event).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	return notEnqueued(out)
}

// beginHeldScript starts an attempt of a held run, unless its holder has lost it.
//
//	KEYS   run, due
//	ARGV   fence of the attempt before, due member, lease ms, prefix of report keys
//	result as of beginRunScript
var beginHeldScript = redis.NewScript(dueAfter + `
local run = redis.call('HMGET', KEYS[1], 'state', 'run', 'fence', 'startedAt', 'stop', 'report')
if run[1] ~= 'QUEUED' or run[3] ~= ARGV[1] then return {} end
local t = redis.call('TIME')
local now = tostring(t[1] * 1000 + math.floor(t[2] / 1000))
local started, fence = run[4] or now, run[3] + 1
redis.call('HSET', KEYS[1], 'state', 'RUNNING', 'fence', fence, 'startedAt', started)
dueAfter(KEYS[2], ARGV[3], ARGV[2])
local report = ARGV[4] .. run[6]
return {
  run[2], fence, now, started, run[5] and 1 or 0,
  redis.call('HGETALL', report), redis.call('HGETALL', report .. ':placements'),
}`)

// BeginHeld starts the next attempt of a run that the caller holds: the first one after Hold, when run.Attempt is 0, or the one that
// follows an attempt which the caller has settled. ErrEnded: the run has ended, or an agent has taken it over.
func (s *Store) BeginHeld(ctx context.Context, d Deployment, run *record.Run) (*RunAttempt, error) {
	k := s.deployment(d)
	out, err := beginHeldScript.Run(ctx, s.hot, []string{k.run(run.ID), k.due()},
		run.Attempt, k.dueRun(run.ID), holdLease.Milliseconds(), k.reportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return s.newAttempt(k, "", Entry{Deployment: d, RunID: run.ID, stream: k.queue()}, out)
}

// Held reports whether the run is worked on by who asked for it, and is no agent's.
func (a *RunAttempt) Held() bool { return a.entry.id == "" }
