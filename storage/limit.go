package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"time"

	"mooring/storage/record"
	"mooring/storage/redis"
)

// Quotas shares the request quotas of accounts with other services out among everything that uses this storage. It is what package host
// calls a Limiter.
type Quotas struct{ store *Store }

// Quotas returns the quotas kept here.
func (s *Store) Quotas() Quotas { return Quotas{s} }

// Take takes n requests out of the account's perMinute, and returns 0; or takes none and returns how long to wait until it could. A
// minute's requests may be made at once; more than that at once count as that.
func (q Quotas) Take(ctx context.Context, account string, perMinute, n int) (time.Duration, error) {
	sum := sha256.Sum256([]byte(account)) // an account's name may say more than keys should
	cost := float64(time.Minute.Microseconds()) / float64(perMinute)
	key := quotaKey(hex.EncodeToString(sum[:16]))
	wait, _, err := redis.TakeTokens(ctx, q.store.rdb, key, cost*float64(min(n, perMinute)), float64(time.Minute.Microseconds()))
	return wait, err
}

// TakeRequest counts a request of a bearer token (by its id) against rate.
func (s *Store) TakeRequest(ctx context.Context, tenant, token string, rate record.Rate) (record.Taken, error) {
	cost := 1e6 / rate.PerSecond
	wait, full, err := redis.TakeTokens(ctx, s.rdb, s.tenant(tenant).rate(token), cost, cost*float64(rate.Burst))
	if err != nil {
		return record.Taken{}, err
	}
	return record.Taken{Wait: wait, Left: max(0, rate.Burst-int(math.Ceil(float64(full.Microseconds())/cost))), Full: full}, nil
}

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
