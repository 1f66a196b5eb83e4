package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// ErrEnded: the run has ended, or is not this agent's any more; there is nothing to do.
var ErrEnded = errors.New("run ended or taken by another agent")

// RunAttempt is an agent's right to work on a run. Each attempt has a higher fence than the ones before: what an older one still tries to
// leave is refused.
type RunAttempt struct {
	Run     *record.Run
	Begun   time.Time // by the store's clock
	Stopped bool      // a client asked to stop the run: complete it without working
	agent   string    // who has the entry; empty: the run is held, see Hold
	entry   Entry
	fence   int64
	report  *Report // see Load
	err     error   // why there is no report
}

// beginRunScript starts an attempt and loads the report that it refreshes.
//
//	KEYS   run, queue
//	ARGV   group, agent, entry id, prefix of report keys
//	result {run JSON, fence, now ms, started ms, stop 0/1, fields of the report, fields of its placements}; {} when there is nothing to do
var beginRunScript = redis.NewScript(lua("now", "begin") + `
local run, queue = KEYS[1], KEYS[2]
local group, agent, entry, reports = unpack(ARGV)
if #redis.call('XPENDING', queue, group, entry, entry, 1, agent) == 0 then return {} end
local fields = redis.call('HMGET', run, unpack(beginFields))
if fields[1] ~= 'QUEUED' and fields[1] ~= 'RUNNING' then
  redis.call('XACK', queue, group, entry)
  redis.call('XDEL', queue, entry)
  return {}
end
return startAttempt(run, fields, reports)`)

// Begin starts an attempt of the entry's run; ErrEnded when another agent has the entry now or the run has ended.
func (q *Queue) Begin(ctx context.Context, agent string, e Entry) (*RunAttempt, error) {
	k := q.deployment(e.Deployment)
	out, err := beginRunScript.Run(ctx, q.hot, []string{k.run(e.RunID), e.stream}, group, agent, e.id, k.reportPrefix()).Slice()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(out) == 0 {
		return nil, ErrEnded
	}
	return q.newAttempt(k, agent, e, out)
}

func (q *Queue) newAttempt(k deploymentKeys, agent string, e Entry, out []any) (*RunAttempt, error) {
	run, err := readRun(e.RunID, redis.Text(out[0]))
	if err != nil {
		return nil, err
	}
	a := &RunAttempt{Run: run, agent: agent, entry: e, Begun: unixMilli(redis.Text(out[2])), Stopped: out[4] == int64(1)}
	a.fence, _ = out[1].(int64)
	run.State = placements.RunRunning
	run.StartedAt = placements.Time(unixMilli(redis.Text(out[3])))
	run.Attempt = int(a.fence)
	run.NextAttemptAt = ""
	a.report, a.err = q.records.readReport(k, run.ReportID, redis.Pairs(out[5]), redis.Pairs(out[6]))
	return a, nil
}

// Load returns the report that an attempt refreshes, as it was when the attempt began. Every placement that the run is to refresh has an
// id: marker, fingerprints, last run and history go by it, so one that was recorded before ids existed gets one here, and keeps it
// whatever becomes of the run. Errors: ErrNotFound; ErrBusy and ErrLockLost when no id could be stored.
//
// An attempt that another one has overtaken may still store ids: they are the ids that the other one finds, or it finds those of the other.
func (q *Queue) Load(ctx context.Context, a *RunAttempt) (*Report, error) {
	target := a.Run.Target()
	if a.err != nil || !slices.ContainsFunc(a.report.Placements, func(p Placed) bool { return needsID(target, p) }) {
		return a.report, a.err
	}
	r, err := q.records.giveIDs(ctx, q.deployment(a.entry.Deployment), target)
	if err != nil {
		return nil, fmt.Errorf("ids for placements of report %d: %w", target.ReportID, err)
	}
	return r, nil
}

// renewAttemptScript keeps an attempt alive.
//
//	KEYS   run, queue, due
//	ARGV   fence, group, agent, entry id or "" for a run that is held, due member, lease of a held run in ms
//	result 1; 0 when another attempt has begun; 2 when a client asked to stop the run
var renewAttemptScript = redis.NewScript(lua("now") + `
local run, queue, due = KEYS[1], KEYS[2], KEYS[3]
local fence, group, agent, entry, member, lease = unpack(ARGV)
if redis.call('HGET', run, 'fence') ~= fence then return 0 end
if entry == '' then
  redis.call('ZADD', due, now() + lease, member)
else
  redis.call('XCLAIM', queue, group, agent, 0, entry, 'JUSTID')
end
if redis.call('HEXISTS', run, 'stop') == 1 then return 2 end
return 1`)

// Renew keeps the claim on the attempt. stop reports that a stop was requested; ErrLockLost that another attempt has begun.
func (q *Queue) Renew(ctx context.Context, a *RunAttempt) (stop bool, err error) {
	k := q.deployment(a.entry.Deployment)
	n, err := renewAttemptScript.Run(ctx, q.hot, []string{k.run(a.Run.ID), a.entry.stream, k.due()},
		strconv.FormatInt(a.fence, 10), group, a.agent, a.entry.id, k.dueRun(a.Run.ID), holdLease.Milliseconds()).Int()
	switch {
	case err != nil:
		return false, redis.Unavailable(err)
	case n == 0:
		return false, ErrLockLost
	}
	return n == 2, nil
}

// markRunningScript shows placements as being refreshed, and publishes that a run has started.
//
//	KEYS   placements of the report, events
//	ARGV   LastRun JSON, report id, event data, placement ids…
var markRunningScript = redis.NewScript(lua("publish") + `
publish(KEYS[2], 'run.started', ARGV[2], ARGV[3])
for i = 4, #ARGV do
  if redis.call('HEXISTS', KEYS[1], 'p:' .. ARGV[i]) == 1 then
    redis.call('HSET', KEYS[1], 'r:' .. ARGV[i], ARGV[1])
  end
end
return 1`)

// MarkRunning shows the placements as being refreshed by the run, until the attempt is completed. One that is not
// there any more is left out.
func (q *Queue) MarkRunning(ctx context.Context, d Deployment, run *record.Run, placementIDs []string) error {
	text, err := record.Encode(placements.LastRun{
		RunID: run.ID, State: placements.RunRunning, Attempt: run.Attempt, StartedAt: run.StartedAt,
	})
	event, err2 := runEvent(run)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	argv := []any{text, run.ReportID, event}
	for _, id := range placementIDs {
		argv = append(argv, id)
	}
	k := q.deployment(d)
	err = markRunningScript.Run(ctx, q.hot, []string{k.placements(run.ReportID), k.events()}, argv...).Err()
	return redis.Unavailable(err)
}
