package queue

import (
	"context"
	"errors"
	"time"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/record/lifecycle"
	"mooring/storage/redis"
)

// Interrupted is why a run is STOPPED that had not ended when its backup was made.
const Interrupted = "a backup was restored that was made while this run had not ended: run it again"

// relistScript lists a run that knows its place.
//
//	KEYS   run
//	ARGV   class of its error
//	result 1
var relistScript = redis.NewScript(redis.NowLua + Lua("lists", "target", "listing", "unlist") + `
local fields = redis.call('HMGET', KEYS[1], 'place', 'state', 'facets')
local place, state = fields[1], fields[2]
if not place or not state then return 1 end
local root = deploymentOf(KEYS[1], idOf(place)) .. 'runs:'
for _, facet in ipairs(split(fields[3])) do
  redis.call('ZADD', root .. facet, 0, place)
  redis.call('PEXPIRE', root .. facet, listedFor)
end
redis.call('ZADD', root .. 'all', 0, place)
enter(root, place, state, ARGV[1])
return 1`)

// Settle ends runs of a deployment, as they were restored at a time, that had not ended, and lists all of them. unreadable is called with
// why one cannot be read. It returns how many it ended.
func (q *Runs) Settle(
	ctx context.Context, d record.Deployment, ids []string, at time.Time, unreadable func(error),
) (ended int, err error) {
	k, p := q.db.deployment(d), q.db.rdb.Pipeline()
	stored := make([]*redis.SliceCmd, len(ids))
	for i, id := range ids {
		stored[i] = p.HMGet(ctx, k.Runs().Record(id), fieldRun, fieldState)
	}
	if _, err := p.Exec(ctx); err != nil {
		return ended, redis.Unavailable(err)
	}
	p = q.db.rdb.Pipeline()
	for i, cmd := range stored {
		text, state := redis.Text(cmd.Val()[0]), placements.RunState(redis.Text(cmd.Val()[1]))
		run, err := record.ReadRun(ids[i], text)
		if err != nil {
			unreadable(err)
			continue
		}
		if lifecycle.Interrupt.Allows(state, 0) {
			ended++
			if err := q.interrupt(ctx, p, k, run, at); err != nil {
				return ended, err
			}
		}
		relistScript.Eval(ctx, p, []string{k.Runs().Record(ids[i])}, string(run.ErrorClass))
	}
	if p.Len() == 0 {
		return ended, nil
	}
	_, err = p.Exec(ctx)
	return ended, redis.Unavailable(err)
}

// interrupt adds that a run was stopped, and what waited in it too.
func (q *Runs) interrupt(ctx context.Context, p redis.Pipeliner, k keys.DeploymentKeys, run *record.Run, at time.Time) error {
	run.State, run.Error, run.ErrorClass = placements.RunStopped, Interrupted, ""
	run.EndedAt, run.NextAttemptAt = placements.Time(at), ""
	for i := range run.Placements {
		if o := &run.Placements[i]; lifecycle.Waits(o.State) {
			o.State, o.Error, o.ErrorClass = placements.RunStopped, Interrupted, ""
			o.Reason, o.Since, o.NextAttemptAt = "", "", ""
		}
	}
	text, err := record.EncodeRun(run)
	p.HSet(ctx, k.Runs().Record(run.ID), fieldRun, text, fieldState, string(run.State))
	return err
}

// ForgetTenants takes what is due for tenants, and their runs that wait, out of the partitions.
func (q *Queue) ForgetTenants(ctx context.Context, tenants map[string]bool) error {
	for n := range q.db.partitions {
		if err := errors.Join(q.forgetDue(ctx, keys.At(n), tenants), q.forgetQueued(ctx, keys.At(n).Queue(), tenants), q.forgetQueued(ctx, keys.At(n).Crowd(), tenants)); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) forgetDue(ctx context.Context, k keys.Partition, tenants map[string]bool) error {
	members, err := q.db.rdb.ZRange(ctx, k.Due(), 0, -1).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	for _, member := range members {
		if due, err := parseDue(member); err != nil || !tenants[due.Deployment.Tenant] {
			continue
		}
		if err := q.db.rdb.ZRem(ctx, k.Due(), member).Err(); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}

func (q *Queue) forgetQueued(ctx context.Context, stream string, tenants map[string]bool) error {
	list, err := q.db.rdb.XRange(ctx, stream, "-", "+").Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	for _, e := range messages(stream, list) {
		if !tenants[e.Deployment.Tenant] {
			continue
		}
		p := q.db.rdb.Pipeline()
		p.XAck(ctx, stream, group, e.id)
		p.XDel(ctx, stream, e.id)
		if _, err := p.Exec(ctx); err != nil {
			return redis.Unavailable(err)
		}
	}
	return nil
}
