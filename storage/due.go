package storage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Due is something that must be looked at now: a schedule whose tick has come, or a run whose next attempt has.
type Due struct {
	Deployment Deployment
	ScheduleID int64  // 0 for a run
	RunID      string // empty for a schedule
}

// popDueScript leases what is due: its taker must deal with it within the lease, else it is due again.
//
//	KEYS   due
//	ARGV   limit, lease ms
//	result {now ms, score of the first that is left or "", members…}
var popDueScript = redis.NewScript(lua("now") + `
local due, limit, lease, at = KEYS[1], ARGV[1], ARGV[2], now()
local out = {tostring(at), ''}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', at, 'LIMIT', 0, limit)) do
  redis.call('ZADD', due, at + lease, member)
  out[#out + 1] = member
end
local first = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
if first[2] then out[2] = first[2] end
return out`)

// PopDue leases up to limit due things of every partition. now is the store's clock, by which they were due; next is when the
// next one will be, zero when nothing is known. What was popped is good even with an error, which some of the partitions had.
func (s *Store) PopDue(ctx context.Context, limit int, lease time.Duration) (list []Due, now, next time.Time, err error) {
	p := s.rdb.Pipeline()
	cmds := make([]*redis.Cmd, s.partitions)
	for n := range s.partitions {
		cmds[n] = popDueScript.Eval(ctx, p, []string{partitionKeys(n).due()}, limit, lease.Milliseconds())
	}
	_, _ = p.Exec(ctx) // each command's own error says more
	var errs []error
	for _, cmd := range cmds {
		out, err := cmd.StringSlice()
		if err != nil {
			errs = append(errs, redis.Unavailable(err))
			continue
		}
		now = unixMilli(out[0])
		if at := unixMilli(out[1]); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
		for _, member := range out[2:] {
			d, err := parseDue(member)
			if err != nil {
				s.log.Error("due set has a member that is not ours", "member", member, "error", err)
				continue
			}
			list = append(list, d)
		}
	}
	return list, now, next, errors.Join(errs...)
}

// unixMilli reads a time in ms as a script gave it; the zero time for an empty text.
func unixMilli(text string) time.Time {
	ms, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func parseDue(member string) (Due, error) {
	part := strings.SplitN(member, ":", 4)
	if len(part) != 4 {
		return Due{}, fmt.Errorf("due set: member %q", member)
	}
	tenant, err := url.QueryUnescape(part[1])
	deployment, err2 := parseID(part[2])
	d := Due{Deployment: Deployment{tenant, deployment}}
	if part[0] == "r" {
		d.RunID = part[3]
		return d, errors.Join(err, err2)
	}
	d.ScheduleID, err = parseID(part[3])
	return d, errors.Join(err, err2)
}

// forgetScript takes a schedule off the due set, unless it was given a tick meanwhile.
//
//	KEYS   schedule, due
//	ARGV   member
//	result 1, or 0 when it has a tick
var forgetScript = redis.NewScript(`
local next = redis.call('HGET', KEYS[1], 'next')
if next and next ~= '' then return 0 end
return redis.call('ZREM', KEYS[2], ARGV[1])`)

// Forget takes schedules off the due set that do not exist any more or have no tick.
func (s *Store) Forget(ctx context.Context, list []Due) error {
	p := s.rdb.Pipeline()
	for _, d := range list {
		k := s.deployment(d.Deployment)
		forgetScript.Eval(ctx, p, []string{k.schedule(d.ScheduleID), k.due()}, k.dueSchedule(d.ScheduleID))
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}

// DueSchedule is a due thing and the schedule that it names.
type DueSchedule struct {
	Due
	Schedule *record.Schedule // nil when it is gone or cannot be read
	Err      error            // it is there but cannot be read
}

// DueSchedules reads the schedules that list names in one round trip.
func (s *Store) DueSchedules(ctx context.Context, list []Due) ([]DueSchedule, error) {
	p := s.rdb.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(list))
	for i, d := range list {
		hashes[i] = p.HGetAll(ctx, s.deployment(d.Deployment).schedule(d.ScheduleID))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	schedules := make([]DueSchedule, len(list))
	for i, d := range list {
		c, err := readSchedule(s.deployment(d.Deployment), d.ScheduleID, hashes[i].Val())
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		schedules[i] = DueSchedule{d, c, err}
	}
	return schedules, nil
}

// requeueScript puts a run whose next attempt has come into the queue, and one that is held and whose holder has died: that one is RUNNING.
//
//	KEYS   run, due, queue
//	ARGV   member, tenant, deployment, run id
//	result 1, or 0 when the run does not wait any more
var requeueScript = redis.NewScript(`
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
local state = redis.call('HGET', KEYS[1], 'state')
if state ~= 'QUEUED' and state ~= 'RUNNING' then return 0 end
redis.call('XADD', KEYS[3], '*', 't', ARGV[2], 'd', ARGV[3], 'r', ARGV[4])
return 1`)

// Requeue gives runs that waited their next attempts.
func (s *Store) Requeue(ctx context.Context, list []Due) error {
	p := s.rdb.Pipeline()
	for _, d := range list {
		k := s.deployment(d.Deployment)
		requeueScript.Eval(ctx, p, []string{k.run(d.RunID), k.due(), k.queue()}, k.dueRun(d.RunID), d.Deployment.Tenant, d.Deployment.ID, d.RunID)
	}
	_, err := p.Exec(ctx)
	return redis.Unavailable(err)
}

// Clock is now by the store's clock: the one that all agents share.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	now, err := s.rdb.Time(ctx).Result()
	return now.UTC(), redis.Unavailable(err)
}
