package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// scheduleRoom counts schedules against the limits of their tenant.
type scheduleRoom struct {
	tenant int
	ticks  map[int64]map[string]int // by maker and schedule
}

// writeSchedules creates, changes, adopts and deletes schedules.
func (a *applier) writeSchedules(ctx context.Context) error {
	room, err := a.room(ctx)
	if err != nil {
		return err
	}
	for i := range a.writes.Schedules {
		w := &a.writes.Schedules[i]
		switch {
		case w.Held == nil:
			err = a.createSchedule(w, room)
		default:
			err = a.writeSchedule(w, room)
		}
		if err != nil {
			return fmt.Errorf("schedule %s: %w", w.Ref, err)
		}
	}
	return nil
}

func (a *applier) createSchedule(w *portable.ScheduleWrite, room *scheduleRoom) error {
	a.free(a.k.ScheduleKeyLock(w.Ref))
	a.tx.If("", "HGET", a.k.ScheduleKeys(), w.Ref)
	now := a.result.AppliedAt
	c := &record.Schedule{
		ID: a.takeID("schedule"), DeploymentID: a.k.ID, ScheduleSpec: w.Spec, CreatedAt: now, UpdatedAt: now,
		CreatedBy: a.who.ID, Version: 1, Owner: a.who, ManagedBy: &a.by,
	}
	c.Key = w.Ref
	a.tx.Then("HSET", a.k.ScheduleKeys(), c.Key, a.k.Owner(c.ID))
	a.tx.Then("ZADD", a.k.Schedules(), c.ID, c.ID)
	return a.storeSchedule(w, c, nil, room)
}

func (a *applier) writeSchedule(w *portable.ScheduleWrite, room *scheduleRoom) error {
	key := a.k.Schedule(w.Held.ID)
	a.free(a.k.ScheduleLock(w.Held.ID))
	a.tx.If(a.h.schedules[w.Held.ID], "HGET", key, fieldSpec) // it holds the version
	a.done(&w.Write, w.Held.ID, w.Held.Version)
	switch w.Action {
	case portable.ActionDelete:
		a.done(&w.Write, w.Held.ID, 0)
		a.k.dropSchedule(&a.tx, w.Held)
		return nil
	case portable.ActionAdopt:
		c := new(record.Schedule) // as stored, whatever the service paused since
		if err := json.Unmarshal([]byte(a.h.schedules[w.Held.ID]), c); err != nil {
			return err
		}
		c.ManagedBy = &a.by
		a.tx.set(key, fieldSpec, c)
		return nil
	}
	c := new(*w.Held)
	c.ScheduleSpec, c.ManagedBy, c.UpdatedAt, c.Version = w.Spec, &a.by, a.result.AppliedAt, w.Held.Version+1
	if !c.Paused {
		c.PausedReason, c.Failures = "", 0
		a.tx.Then("HDEL", key, fieldFailures)
	}
	return a.storeSchedule(w, c, w.Held, room)
}

// storeSchedule stores c in place of before, nil for none. Its runs are its owner's: who makes it, aims it elsewhere or ends a pause.
func (a *applier) storeSchedule(w *portable.ScheduleWrite, c, before *record.Schedule, room *scheduleRoom) (err error) {
	if c.Target, err = a.target(w.Target); err != nil {
		return err
	}
	if before == nil || c.Target != before.Target || before.Paused && !c.Paused || a.who.Is(before.Owner.ID) {
		c.Owner = a.who
	}
	tick, err := a.next(c, before)
	if err != nil {
		return err
	}
	if err := room.admit(a.s.schedules, a.k.Owner(c.ID), c); err != nil {
		return err
	}
	a.k.writeSchedule(&a.tx, c, tick)
	a.done(&w.Write, c.ID, c.Version)
	return nil
}

// room reads what the limits count; nil without limits, or without a schedule to count.
func (a *applier) room(ctx context.Context) (*scheduleRoom, error) {
	if len(a.writes.Schedules) == 0 || a.s.schedules == (record.ScheduleLimits{}) {
		return nil, nil
	}
	makers := map[int64]*redis.ZSliceCmd{a.who.ID: nil}
	for _, w := range a.writes.Schedules {
		if w.Held != nil {
			makers[w.Held.CreatedBy] = nil
		}
	}
	p := a.s.rdb.Pipeline()
	tenant := p.ZCard(ctx, a.k.SchedulesOfTenant())
	for maker := range makers {
		makers[maker] = p.ZRangeWithScores(ctx, a.k.SchedulesOf(maker), 0, -1)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	room := &scheduleRoom{tenant: int(tenant.Val()), ticks: map[int64]map[string]int{}}
	for maker, list := range makers {
		room.ticks[maker] = map[string]int{}
		for _, one := range list.Val() {
			name, _ := one.Member.(string)
			room.ticks[maker][name] = int(one.Score)
		}
		a.tx.If(len(list.Val()), "ZCARD", a.k.SchedulesOf(maker))
	}
	a.free(a.k.SchedulesLock())
	a.tx.If(room.tenant, "ZCARD", a.k.SchedulesOfTenant())
	return room, nil
}

// admit counts c, see ScheduleLimits.Admit.
func (r *scheduleRoom) admit(limits record.ScheduleLimits, name string, c *record.Schedule) error {
	if r == nil {
		return nil
	}
	mine := r.ticks[c.CreatedBy]
	before, listed := mine[name]
	if !listed {
		before = c.PerHour
	}
	var others []int
	for other, ticks := range mine {
		if other != name {
			others = append(others, ticks)
		}
	}
	if err := limits.Admit(c, before, others, r.tenant); err != nil {
		return err
	}
	if !listed {
		r.tenant++
	}
	mine[name] = c.PerHour
	return nil
}

// scheduleLocks are the locks that a write of a schedule takes: with limits also the one under which schedules are counted, so that of
// writers at the same time none counts without the others.
func (s *Store) scheduleLocks(k deploymentKeys, id int64) []string {
	if s.schedules == (record.ScheduleLimits{}) {
		return []string{k.ScheduleLock(id)}
	}
	return []string{k.ScheduleLock(id), k.SchedulesLock()}
}

// roomFor checks that c, new or changed, is within the limits, see Admit; the caller holds the scheduleLocks.
func (s *Store) roomFor(ctx context.Context, k deploymentKeys, c *record.Schedule) error {
	if s.schedules == (record.ScheduleLimits{}) {
		return nil
	}
	p := s.rdb.Pipeline()
	tenant, user := p.ZCard(ctx, k.SchedulesOfTenant()), p.ZRangeWithScores(ctx, k.SchedulesOf(c.CreatedBy), 0, -1)
	if _, err := p.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	before, others := c.PerHour, []int(nil) // one that is not listed was stored when there were no limits
	for _, one := range user.Val() {
		if one.Member == k.Owner(c.ID) {
			before = int(one.Score)
		} else {
			others = append(others, int(one.Score))
		}
	}
	return s.schedules.Admit(c, before, others, int(tenant.Val()))
}
