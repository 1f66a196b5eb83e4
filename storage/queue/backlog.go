package queue

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// reporterLease is how long a process that reports for all keeps others from it after it was last asked: one that dies is replaced within a
// minute where processes are asked every 15 s.
const reporterLease = 40 * time.Second

// reportScript makes a process the one that reports for all, unless another one is.
//
//	KEYS   reporter
//	ARGV   process, lease ms
//	result 1, or 0 when another process is
var reportScript = redis.NewScript(`
local reporter = redis.call('GET', KEYS[1])
if reporter and reporter ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

// Report returns what is the same for all processes that use the storage, to exactly one of them: to a process that asked within the last
// reporterLease, else to the one that asks next. process is a name that no other one has. It returns nil to the others. Active and paused
// schedules are counted in those deployments, all else over all tenants.
func (q *Agents) Report(ctx context.Context, process string, list []record.Deployment) (*record.Backlog, error) {
	chosen, err := reportScript.Run(ctx, q.db.rdb, []string{keys.Reporter}, process, reporterLease.Milliseconds()).Int()
	if err != nil || chosen == 0 {
		return nil, redis.Unavailable(err)
	}
	return q.Backlog(ctx, list)
}

// endReportScript lets another process report.
//
//	KEYS   reporter
//	ARGV   process
var endReportScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`)

// EndReports notes that a process will not ask for a Report again.
func (q *Agents) EndReports(ctx context.Context, process string) error {
	return redis.Unavailable(endReportScript.Run(ctx, q.db.rdb, []string{keys.Reporter}, process).Err())
}

// Backlog counts what waits for agents, the agents, and the schedules, see Report.
func (q *Agents) Backlog(ctx context.Context, list []record.Deployment) (*record.Backlog, error) {
	depth, err := q.db.depth(ctx)
	if err != nil {
		return nil, err
	}
	b := &record.Backlog{Depth: depth}
	if b.Late, err = q.countLate(ctx); err != nil {
		return nil, err
	}
	if err := q.countSchedules(ctx, b, list); err != nil {
		return nil, err
	}
	agents, err := q.List(ctx)
	for _, a := range agents {
		if a.State == record.AgentAlive {
			b.Agents++
		}
	}
	return b, err
}

// countSchedules adds the schedules of some deployments.
func (q *Agents) countSchedules(ctx context.Context, b *record.Backlog, list []record.Deployment) error {
	if len(list) == 0 {
		return nil
	}
	p := q.db.rdb.Pipeline()
	all, paused := make([]*redis.IntCmd, len(list)), make([]*redis.IntCmd, len(list))
	for i, d := range list {
		k := q.db.deployment(d)
		all[i], paused[i] = p.ZCard(ctx, k.Schedules()), p.ZCard(ctx, k.PausedSchedules())
	}
	_, err := p.Exec(ctx)
	for i := range list {
		b.Paused += paused[i].Val()
		b.Active += all[i].Val() - paused[i].Val()
	}
	return redis.Unavailable(err)
}

// How Backlog finds late schedules.
const (
	lateAfter    = time.Minute      // a tick that has not fired for so long is late
	leaseLooked  = 10 * time.Second // the longest lease of LeaseDue that it knows of
	leasesLooked = 500              // the most leased schedules of a partition that it looks at
)

// lateScript counts the schedules of a partition that no agent has looked at since they were due for long. Those that an agent has leased,
// and may lease again and again without firing them, stand later in the list, among what is due soon: it names them.
//
//	KEYS   due
//	ARGV   ms after which a schedule is late, ms that a lease lasts, most leased ones
//	result {late schedules, members that may be leased…}
var lateScript = redis.NewScript(redis.NowLua + `
local due, late, lease, most, at = KEYS[1], ARGV[1], ARGV[2], ARGV[3], now()
local out = {0}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', at - late)) do
  if member:sub(1, 2) == 's:' then out[1] = out[1] + 1 end
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '(' .. at - late, at + lease, 'LIMIT', 0, most)) do
  if member:sub(1, 2) == 's:' then out[#out + 1] = member end
end
return out`)

// countLate counts the schedules, of all tenants, that were due for long and have not fired.
func (q *Agents) countLate(ctx context.Context) (late int64, err error) {
	p := q.db.rdb.Pipeline()
	clock := p.Time(ctx)
	cmds := make([]*redis.Cmd, q.db.partitions)
	for n := range q.db.partitions {
		cmds[n] = lateScript.Eval(ctx, p, []string{keys.At(n).Due()}, lateAfter.Milliseconds(), leaseLooked.Milliseconds(), leasesLooked)
	}
	if _, err := p.Exec(ctx); err != nil {
		return 0, redis.Unavailable(err)
	}
	var leased []record.Due
	for _, cmd := range cmds {
		out, err := cmd.Slice()
		if err != nil {
			return 0, redis.Unavailable(err)
		}
		count, _ := out[0].(int64)
		late += count
		leased = append(leased, parseMembers(q.db, redis.List(out[1:]))...)
	}
	more, err := q.lateOf(ctx, leased, clock.Val())
	return late + more, err
}

// lateOf is how many schedules have a tick that was due for long at now.
func (q *Agents) lateOf(ctx context.Context, list []record.Due, now time.Time) (late int64, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	p := q.db.rdb.Pipeline()
	cmds := make([]*redis.SliceCmd, len(list))
	for i, d := range list {
		cmds[i] = p.HMGet(ctx, q.db.deployment(d.Deployment).Schedule(d.ScheduleID), "next", "definition")
	}
	if _, err := p.Exec(ctx); err != nil {
		return 0, redis.Unavailable(err)
	}
	for _, cmd := range cmds {
		values := cmd.Val()
		next, err := strconv.ParseInt(redis.Text(values[0]), 10, 64)
		if err != nil {
			continue // it is gone, or has no tick
		}
		var spec struct {
			JitterSeconds int64 `json:"jitterSeconds"`
		}
		_ = json.Unmarshal([]byte(redis.Text(values[1])), &spec) // one that cannot be read never fires
		if now.Sub(time.UnixMilli(next)) > lateAfter+time.Duration(spec.JitterSeconds)*time.Second {
			late++
		}
	}
	return late, nil
}
