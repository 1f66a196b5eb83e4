package storage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Due is something that must be looked at now: a schedule whose tick has come, or a run whose next attempt has.
type Due struct {
	Deployment Deployment
	ScheduleID int64  // 0 for a run
	RunID      string // empty for a schedule
}

// popDueScript leases what is due: whoever pops it must deal with it within the lease, else it is due again.
//
//	KEYS   due
//	ARGV   limit, lease ms
//	result {now ms, score of the first that is left or "", members…}
var popDueScript = redis.NewScript(`
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local out = {tostring(now), ''}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])) do
  redis.call('ZADD', KEYS[1], now + ARGV[2], member)
  out[#out + 1] = member
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then out[2] = first[2] end
return out`)

// PopDue leases up to limit due things of every partition. now is the store's clock, by which they were due; next is when the
// next one will be, zero when nothing is known.
func (s *Store) PopDue(ctx context.Context, limit int, lease time.Duration) (list []Due, now, next time.Time, err error) {
	p := s.rdb.Pipeline()
	cmds := make([]*redis.Cmd, s.partitions)
	for n := range s.partitions {
		cmds[n] = popDueScript.Eval(ctx, p, []string{partitionKeys(n).due()}, limit, lease.Milliseconds())
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, now, next, unavailable(err)
	}
	for _, cmd := range cmds {
		out, err := cmd.StringSlice()
		if err != nil {
			return nil, now, next, unavailable(err)
		}
		now = unixMilli(out[0])
		if at := unixMilli(out[1]); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
		for _, member := range out[2:] {
			d, err := parseDue(member)
			if err != nil {
				return nil, now, next, err
			}
			list = append(list, d)
		}
	}
	return list, now, next, nil
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

// Forget takes something off the due set that does not exist any more.
func (s *Store) Forget(ctx context.Context, d Due) error {
	k := s.deployment(d.Deployment)
	member := k.dueRun(d.RunID)
	if d.RunID == "" {
		member = k.dueSchedule(d.ScheduleID)
	}
	return unavailable(s.rdb.ZRem(ctx, k.due(), member).Err())
}

// DueSchedules reads the schedules among list in one round trip. One that is gone is nil.
func (s *Store) DueSchedules(ctx context.Context, list []Due) ([]*Schedule, error) {
	p := s.rdb.Pipeline()
	hashes := make([]*redis.MapStringStringCmd, len(list))
	for i, d := range list {
		hashes[i] = p.HGetAll(ctx, s.deployment(d.Deployment).schedule(d.ScheduleID))
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, unavailable(err)
	}
	schedules := make([]*Schedule, len(list))
	for i, d := range list {
		c, err := readSchedule(s.deployment(d.Deployment), d.ScheduleID, hashes[i].Val())
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		schedules[i] = c
	}
	return schedules, nil
}

// requeueScript puts a run whose next attempt has come into the queue.
//
//	KEYS   run, due, queue
//	ARGV   member, tenant, deployment, run id
//	result 1, or 0 when the run does not wait any more
var requeueScript = redis.NewScript(`
if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then return 0 end
if redis.call('HGET', KEYS[1], 'state') ~= 'QUEUED' then return 0 end
redis.call('XADD', KEYS[3], '*', 't', ARGV[2], 'd', ARGV[3], 'r', ARGV[4])
return 1`)

// Requeue gives a run that waited its next attempt.
func (s *Store) Requeue(ctx context.Context, d Deployment, runID string) error {
	k := s.deployment(d)
	err := requeueScript.Run(ctx, s.rdb, []string{k.run(runID), k.due(), k.queue()},
		k.dueRun(runID), d.Tenant, d.ID, runID).Err()
	return unavailable(err)
}

// Clock is now by the store's clock: the one that all agents share.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	now, err := s.rdb.Time(ctx).Result()
	return now.UTC(), unavailable(err)
}
