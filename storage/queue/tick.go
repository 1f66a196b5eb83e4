package queue

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// leaseDueScript leases what is due: its taker must deal with it within the lease, else it is due again.
//
//	KEYS   due
//	ARGV   limit, lease ms
//	result {now ms, score of the first that is left or "", members…}
var leaseDueScript = redis.NewScript(redis.NowLua + `
local due, limit, lease, at = KEYS[1], ARGV[1], ARGV[2], now()
local out = {tostring(at), ''}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, limit)) do
  redis.call('ZADD', due, at + lease, member)
  out[#out + 1] = member
end
local first = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
if first[2] then out[2] = first[2] end
return out`)

// Lease leases up to limit due things of every partition; the schedules among them are named, not read. now is the storage's clock, by
// which they were due; next is when the next one will be, zero when nothing is known. list is valid even with an error: what it lacks is
// due again when its lease ends.
func (q *Ticks) Lease(ctx context.Context, limit int, lease time.Duration) (list []record.Due, now, next time.Time, err error) {
	calls := make([]redis.ScriptCall, q.db.partitions)
	for n := range q.db.partitions {
		calls[n] = redis.ScriptCall{Keys: []string{keys.At(n).Due()}, Args: []any{limit, lease.Milliseconds()}}
	}
	var errs []error
	for _, cmd := range redis.CallAll(ctx, q.db.rdb, leaseDueScript, calls) {
		out, err := cmd.StringSlice()
		if err != nil {
			errs = append(errs, redis.Unavailable(err))
			continue
		}
		now = unixMilli(out[0])
		if at := unixMilli(out[1]); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
		list = append(list, parseMembers(q.db, out[2:])...)
	}
	return list, now, next, redis.Join(errs...)
}

// unixMilli reads a time in ms as a script replies it; the zero time for an empty text.
func unixMilli(text string) time.Time {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// parseMembers reads members of a due set. One that is none of ours is logged and left out.
func parseMembers(db *connection, members []string) (list []record.Due) {
	for _, member := range members {
		d, err := parseDue(member)
		if err != nil {
			db.log.Error("due set has a member that is not ours", "member", member, "error", err)
			continue
		}
		list = append(list, d)
	}
	return list
}

func parseDue(member string) (record.Due, error) {
	part := strings.SplitN(member, ":", 4)
	if len(part) != 4 {
		return record.Due{}, fmt.Errorf("due set: member %q", member)
	}
	tenant, err := url.QueryUnescape(part[1])
	deployment, err2 := strconv.ParseInt(part[2], 10, 64)
	d := record.Due{Deployment: record.Deployment{Tenant: tenant, ID: deployment}}
	if part[0] == "r" {
		d.RunID = part[3]
		return d, errors.Join(err, err2)
	}
	if part[0] == "l" {
		d.Identity = part[3]
		return d, errors.Join(err, err2)
	}
	d.ScheduleID, err = strconv.ParseInt(part[3], 10, 64)
	return d, errors.Join(err, err2)
}

// forgetScript takes a schedule off the due set, unless it has a tick again.
//
//	KEYS   schedule, due
//	ARGV   member
//	result 1, or 0 when it has a tick
var forgetScript = redis.NewScript(`
local next = redis.call('HGET', KEYS[1], 'next')
if next and next ~= '' then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])`)

// Forget takes schedules off the due set that do not exist any more or have no tick.
func (q *Ticks) Forget(ctx context.Context, list []record.Due) error {
	p := q.db.rdb.Pipeline()
	for _, d := range list {
		k := q.db.deployment(d.Deployment)
		forgetScript.Eval(ctx, p, []string{k.Schedule(d.ScheduleID), k.Due()}, k.DueSchedule(d.ScheduleID))
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}

// requeueScript puts a run whose next attempt has come into the queue, and one that is held and whose holder has died: that one is RUNNING.
//
//	KEYS   run, due, queue
//	ARGV   member, tenant, deployment, run id
//	result 1, or 0 when the run does not wait any more
var requeueScript = redis.NewScript(Lua("offer") + lifecycle.Lua(`
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
if not mayRequeue(redis.call('HGET', KEYS[1], 'state')) then return 0 end
offer(KEYS[3], KEYS[1], ARGV[2], ARGV[3], ARGV[4])
return 1`))

// Requeue puts runs that waited for their next attempts into their queues.
func (q *Ticks) Requeue(ctx context.Context, list []record.Due) error {
	p := q.db.rdb.Pipeline()
	for _, d := range list {
		k := q.db.deployment(d.Deployment)
		requeueScript.Eval(ctx, p, []string{k.Runs().Record(d.RunID), k.Due(), k.Queue()},
			k.Runs().DueRun(d.RunID), d.Deployment.Tenant, d.Deployment.ID, d.RunID)
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}

// fireScript turns ticks into their runs, each once: only the caller that still finds the tick it read moves the schedule on.
var fireScript = redis.NewScript(redis.NowLua + Lua("publish", "lists", "target", "listing", "unlist", "run", "offer", "fire"))

// fireSkipped is what fireScript returns for a tick whose run it recorded as skipped.
const fireSkipped = 3

// Fire carries out firings, each of them at most once in the life of the storage, in one round trip and those of a partition in one step.
// made, as long as list, reports which of them this call made a run of, skipped or not; the run of a firing is then as it was made.
func (q *Ticks) Fire(ctx context.Context, list []record.Firing) (made []bool, err error) {
	made = make([]bool, len(list))
	calls, members, err := q.firings(list)
	if err != nil {
		return made, err
	}
	var errs []error
	for n, cmd := range redis.CallAll(ctx, q.db.rdb, fireScript, calls) {
		out, err := cmd.Int64Slice()
		errs = append(errs, redis.Unavailable(err))
		for i, result := range out {
			f := list[members[n][i]]
			if made[members[n][i]] = result > 0; result == fireSkipped {
				*f.Run = *skippedRun(*f.Run)
			}
		}
	}
	return made, redis.Join(errs...)
}

// firings returns a call of fireScript for each partition, and the indexes in list of what it fires.
func (q *Ticks) firings(list []record.Firing) (calls []redis.ScriptCall, members [][]int, err error) {
	at := map[int]int{} // where the call of a partition is
	for i, f := range list {
		names, argv, err := q.firing(f)
		if err != nil {
			return nil, nil, err
		}
		n := keys.Number(f.Deployment.Tenant, q.db.partitions)
		c, found := at[n]
		if !found {
			c, at[n] = len(calls), len(calls)
			calls, members = append(calls, redis.ScriptCall{}), append(members, nil)
		}
		calls[c].Keys, calls[c].Args = append(calls[c].Keys, names...), append(calls[c].Args, argv...)
		members[c] = append(members[c], i)
	}
	return calls, members, nil
}

func (q *Ticks) firing(f record.Firing) (keys []string, argv []any, err error) {
	d, c := f.Deployment, f.Schedule
	k := q.db.deployment(d)
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
		k.Runs().Record(run.ID), k.Runs().OfReport(c.Target.ReportID), k.Runs().OfSchedule(c.ID), k.Schedule(c.ID),
		k.Due(), k.Queue(), k.Runs().ScheduleWaiting(c.ID), k.Events(),
	}
	argv = []any{
		redis.Milliseconds(c.Next), redis.Milliseconds(f.Next.At), f.Next.Due.UnixMilli(), k.DueSchedule(c.ID),
		run.ID, queued.run, skipped.run, queue, d.Tenant, d.ID, k.Runs().Record(""), c.Target.ReportID, queued.event, skipped.event,
		run.RequestedBy.ID, run.Target().Field(),
	}
	return keys, argv, nil
}

// skippedRun is a run that was not made. One without a reason met an earlier one of its schedule.
func skippedRun(run record.Run) *record.Run {
	run.State = placements.RunSkipped
	run.EndedAt = run.FireTime
	if run.Error == "" {
		run.Error = "the schedule's earlier run had not ended when this one was due"
	}
	return &run
}

// Clock is now by the store's clock: the one that all agents share.
func (q *Queue) Clock(ctx context.Context) (time.Time, error) { return q.db.clock(ctx) }
