package storage

import (
	"context"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// ScheduleLimits bounds the schedules of a tenant. A zero field is no limit.
type ScheduleLimits struct {
	PerUser   int // that a user may have made, and ticksPerSchedule as many ticks an hour of all of them
	PerTenant int
}

// ticksPerSchedule is how often an hour the schedules of a user may fire on average when the user has as many as allowed: fewer may fire
// more often.
const ticksPerSchedule = 12

// scheduleLocks are the locks that a write of a schedule takes: with limits also the one under which schedules are counted, so that of
// writers at the same time none counts without the others.
func (s *Store) scheduleLocks(k deploymentKeys, id int64) []string {
	if s.schedules == (ScheduleLimits{}) {
		return []string{k.scheduleLock(id)}
	}
	return []string{k.scheduleLock(id), k.schedulesLock()}
}

// roomFor checks that c, new or changed, is within the limits; the caller holds the scheduleLocks. A schedule that neither is new nor fires
// more often than before is, even if a limit was lowered since. Else the *placements.Error CodeScheduleLimit.
func (s *Store) roomFor(ctx context.Context, k deploymentKeys, c *record.Schedule) error {
	if s.schedules == (ScheduleLimits{}) {
		return nil
	}
	p := s.rdb.Pipeline()
	tenant, user := p.ZCard(ctx, k.schedulesOfTenant()), p.ZRangeWithScores(ctx, k.schedulesOf(c.CreatedBy), 0, -1)
	if _, err := p.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	return s.schedules.admit(c, k.owner(c.ID), int(tenant.Val()), user.Val())
}

// admit is roomFor for a tenant with so many schedules, of which those of c's maker are mine, by name with their ticks an hour.
func (l ScheduleLimits) admit(c *record.Schedule, name string, tenant int, mine []redis.Z) error {
	created, most := c.Version == 1, l.PerUser*ticksPerSchedule
	ticks, before, others := c.PerHour, c.PerHour, 0 // one that is not listed was stored when there were no limits
	for _, one := range mine {
		if one.Member == name {
			before = int(one.Score)
			continue
		}
		others++
		ticks += int(one.Score)
	}
	switch {
	case created && l.PerUser > 0 && others >= l.PerUser:
		return scheduleLimit("you have made %d schedules, which is all that a user may have here: delete one that is not needed, "+
			"or have limits.schedulesPerUser raised", others)
	case created && l.PerTenant > 0 && tenant >= l.PerTenant:
		return scheduleLimit("the tenant has %d schedules, which is all that it may have here: delete one that is not needed, "+
			"or have limits.schedulesPerTenant raised", tenant)
	case l.PerUser > 0 && ticks > most && (created || c.PerHour > before):
		return scheduleLimit("with this one the schedules of their maker would fire up to %d times an hour, and %d are allowed: "+
			"give some of them longer intervals, or have limits.schedulesPerUser raised", ticks, most)
	}
	return nil
}

func scheduleLimit(format string, args ...any) error {
	return placements.Errorf(placements.CodeScheduleLimit, format, args...)
}
