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

// holdScript makes a run that its caller holds.
//
//	KEYS   run, runs of the report twice, report, due, active runs of the report, events
//	ARGV   run JSON, run id, due member, lease ms, target, prefix of run keys, report id, event data
//	result "", the id of a run on that target which has not ended, or 0 when there is no such report
var holdScript = redis.NewScript(lua("now", "publish", "run") + `
local run, histories, report, due, active, events = KEYS[1], {KEYS[2], KEYS[3]}, KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local json, id, member, lease, target, prefix, reportID, event = unpack(ARGV)
if redis.call('EXISTS', report) == 0 then return 0 end
local before = redis.call('HGET', active, target)
if alive(prefix, before) then return before end
recordRun(run, histories, prefix, json, id, 'QUEUED', reportID)
redis.call('HSET', active, target, id)
publish(events, 'run.queued', reportID, event)
redis.call('ZADD', due, now() + lease, member)
return ''`)

// Hold makes a manual run that the caller works on itself: see BeginHeld. Its id and fire time are set here. Errors are those of Enqueue.
func (q *Queue) Hold(ctx context.Context, d Deployment, run *record.Run) error {
	k := q.deployment(d)
	now, err := q.Clock(ctx)
	if err != nil {
		return err
	}
	run.ID, run.Trigger, run.State, run.FireTime = rand.Text(), record.TriggerManual, placements.RunQueued, placements.Time(now)
	made, err := recordOf(run)
	if err != nil {
		return err
	}
	runs := k.reportRuns(run.ReportID)
	out, err := holdScript.Run(ctx, q.rdb,
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
var beginHeldScript = redis.NewScript(lua("now", "begin") + `
local run, due = KEYS[1], KEYS[2]
local before, member, lease, reports = unpack(ARGV)
local fields = redis.call('HMGET', run, unpack(beginFields))
if fields[1] ~= 'QUEUED' or fields[3] ~= before then return {} end
redis.call('ZADD', due, now() + lease, member)
return startAttempt(run, fields, reports)`)

// BeginHeld starts the next attempt of a run that the caller holds: the first one after Hold, when run.Attempt is 0, or the one that
// follows an attempt which the caller has completed. ErrEnded: the run has ended, or an agent has taken it over.
func (q *Queue) BeginHeld(ctx context.Context, d Deployment, run *record.Run) (*RunAttempt, error) {
	k := q.deployment(d)
	out, err := beginHeldScript.Run(ctx, q.hot, []string{k.run(run.ID), k.due()},
		run.Attempt, k.dueRun(run.ID), holdLease.Milliseconds(), k.reportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return q.newAttempt(k, "", Entry{Deployment: d, RunID: run.ID, stream: k.queue()}, out)
}

// Held reports whether the run is worked on by who asked for it, and is no agent's.
func (a *RunAttempt) Held() bool { return a.entry.id == "" }
