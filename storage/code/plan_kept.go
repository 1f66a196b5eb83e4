package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// How much the plans of one user take together, in bytes, and those of all users of a tenant. The bounds are approximate: plans that are
// kept at the same time do not count each other, and the next one makes room for all of them.
const (
	MaxPlanBytes       = 48 << 20 // five of the largest or so
	MaxTenantPlanBytes = 512 << 20
)

// keptSize is a plan that is kept, as a tenant's list of them has it.
type keptSize struct {
	Bytes      int
	Deployment int64
	User       int64
	ID         string
}

func (k keptSize) String() string {
	return fmt.Sprintf("%d %d %d %s", k.Bytes, k.Deployment, k.User, k.ID)
}

// tooMuch returns the plans that go to make room for a new one, of plans in the order that they were made in: the user's oldest while theirs
// take too much, then the oldest of whoever has most while all do.
func tooMuch(kept []keptSize, fresh keptSize) (gone []keptSize) {
	of, all := map[int64]int{fresh.User: fresh.Bytes}, fresh.Bytes
	for _, k := range kept {
		of[k.User] += k.Bytes
		all += k.Bytes
	}
	drop := func(user int64) bool {
		i := slices.IndexFunc(kept, func(k keptSize) bool { return k.User == user })
		if i < 0 {
			return false
		}
		gone = append(gone, kept[i])
		of[user], all = of[user]-kept[i].Bytes, all-kept[i].Bytes
		kept = slices.Delete(slices.Clone(kept), i, i+1)
		return true
	}
	for of[fresh.User] > MaxPlanBytes && drop(fresh.User) {
	}
	for all > MaxTenantPlanBytes && len(kept) > 0 {
		most := slices.MaxFunc(kept, func(a, b keptSize) int { return cmp.Compare(of[a.User], of[b.User]) }) // of equal ones the first
		drop(most.User)
	}
	return gone
}

// makeRoom adds to a transaction that keeps a plan what goes for it, and that it is kept. older are other plans that go with it.
func (s *Plans) makeRoom(ctx context.Context, tx *engine.Transaction, k keys.DeploymentKeys, fresh keptSize, older []string, now time.Time) error {
	list := k.TenantKeys.PlansKept()
	members, err := s.db.Redis.ZRange(ctx, list, 0, -1).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	var kept []keptSize
	for _, member := range members {
		var one keptSize
		_, err := fmt.Sscanf(member, "%d %d %d %s", &one.Bytes, &one.Deployment, &one.User, &one.ID)
		switch {
		case err != nil, one.ID == fresh.ID, one.Deployment == k.ID && slices.Contains(older, one.ID):
			tx.Then("ZREM", list, member)
		default:
			kept = append(kept, one)
		}
	}
	for _, one := range tooMuch(kept, fresh) {
		of := s.db.Deployment(record.Deployment{Tenant: k.Name, ID: one.Deployment})
		tx.Then("ZREM", list, one.String())
		tx.Then("ZREM", of.PlansOf(one.User), one.ID)
		tx.Then("DEL", of.Plan(one.ID))
	}
	tx.Then("ZREMRANGEBYSCORE", list, "-inf", now.Add(-PlanLifetime).UnixMilli())
	tx.Then("ZADD", list, now.UnixMilli(), fresh.String())
	tx.Then("PEXPIRE", list, PlanLifetime.Milliseconds())
	return nil
}
