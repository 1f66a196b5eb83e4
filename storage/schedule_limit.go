package storage

import (
	"context"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// scheduleLocks are the locks that a write of a schedule takes: with limits also the one under which schedules are counted, so that of
// writers at the same time none counts without the others.
func (s *Store) scheduleLocks(k deploymentKeys, id int64) []string {
	if s.schedules == (record.ScheduleLimits{}) {
		return []string{k.scheduleLock(id)}
	}
	return []string{k.scheduleLock(id), k.schedulesLock()}
}

// roomFor checks that c, new or changed, is within the limits, see Admit; the caller holds the scheduleLocks.
func (s *Store) roomFor(ctx context.Context, k deploymentKeys, c *record.Schedule) error {
	if s.schedules == (record.ScheduleLimits{}) {
		return nil
	}
	p := s.rdb.Pipeline()
	tenant, user := p.ZCard(ctx, k.schedulesOfTenant()), p.ZRangeWithScores(ctx, k.schedulesOf(c.CreatedBy), 0, -1)
	if _, err := p.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	before, others := c.PerHour, []int(nil) // one that is not listed was stored when there were no limits
	for _, one := range user.Val() {
		if one.Member == k.owner(c.ID) {
			before = int(one.Score)
		} else {
			others = append(others, int(one.Score))
		}
	}
	return s.schedules.Admit(c, before, others, int(tenant.Val()))
}
