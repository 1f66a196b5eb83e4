package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// How long a plan is kept, and how many of one user.
const (
	PlanLifetime = 24 * time.Hour
	MaxPlans     = 20
)

// The fields of a plan's hash.
const (
	fieldBundle = "bundle"
	fieldPlan   = "plan"
	fieldMaker  = "maker"  // id of the user
	fieldResult = "result" // of its apply; absent before
)

// Plan plans what it takes to make the deployment's assets what the bundle wants, on behalf of who. Nothing is kept, see KeepPlan. timezone
// is the deployment's. Errors are those of record.Planning.
func (s *Store) Plan(
	ctx context.Context, d record.Deployment, b *record.Bundle, who record.Actor, timezone string,
) (*record.Plan, *record.Writes, error) {
	if err := b.Check(); err != nil {
		return nil, nil, err
	}
	k := s.deployment(d)
	h, err := s.loadHoldings(ctx, k, b)
	if err != nil {
		return nil, nil, err
	}
	return s.planOn(k, h, b, who, timezone)
}

// planOn is Plan on what was loaded.
func (s *Store) planOn(
	k deploymentKeys, h *holdings, b *record.Bundle, who record.Actor, timezone string,
) (*record.Plan, *record.Writes, error) {
	p := record.Planning{
		Deployment: k.deployment, Bundle: b, Held: &h.Holdings, Applied: h.project.applied, Who: who, Now: s.now(), Timezone: timezone,
		Documents: s.documents[k.at()],
	}
	return p.Make()
}

// KeepPlan keeps a plan with its bundle for PlanLifetime, and sets its id and times. Of the plans of one user the latest MaxPlans are
// kept.
func (s *Store) KeepPlan(ctx context.Context, d record.Deployment, p *record.Plan, b *record.Bundle, who record.Actor) error {
	k, now := s.deployment(d), s.now()
	p.ID, p.CreatedAt, p.ExpiresAt = rand.Text(), placements.Time(now), placements.Time(now.Add(PlanLifetime))
	mine := k.plansOf(who.ID)
	older, err := s.rdb.ZRevRange(ctx, mine, MaxPlans-1, -1).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	var tx txn
	tx.set(k.plan(p.ID), fieldBundle, b)
	tx.set(k.plan(p.ID), fieldPlan, p)
	tx.Then("HSET", k.plan(p.ID), fieldMaker, who.ID)
	tx.Then("PEXPIRE", k.plan(p.ID), PlanLifetime.Milliseconds())
	tx.Then("ZADD", mine, now.UnixMilli(), p.ID)
	tx.Then("PEXPIRE", mine, PlanLifetime.Milliseconds())
	for _, id := range older {
		tx.Then("ZREM", mine, id)
		tx.Then("DEL", k.plan(id))
	}
	_, err = s.runLarge(ctx, &tx)
	return err
}

// runLarge is run for a transaction that may take long: small ones of others are not to wait for it.
func (e *engine) runLarge(ctx context.Context, t *txn) ([]any, error) {
	if t.err != nil {
		return nil, t.err
	}
	return transactions.Run(ctx, e.rdb, &t.Txn)
}

// keptPlan is a plan as it is kept.
type keptPlan struct {
	record.Plan
	bundle record.Bundle
	maker  int64
	result *record.PlanResult // nil: not applied
}

func expired() error {
	return placements.Errorf(placements.CodePlanExpired, "There is no such plan, or no longer: plans are kept for 24 hours. Plan again.")
}

// readPlan reads a plan. The *placements.Error CodePlanExpired for one that there is not.
func (s *Store) readPlan(ctx context.Context, k deploymentKeys, id string) (*keptPlan, error) {
	hash, err := s.rdb.HGetAll(ctx, k.plan(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(hash) == 0 {
		return nil, expired()
	}
	p := new(keptPlan)
	if err := record.Decode(hash[fieldPlan], &p.Plan); err != nil {
		return nil, fmt.Errorf("plan %s: %w", id, err)
	}
	if err := record.Decode(hash[fieldBundle], &p.bundle); err != nil {
		return nil, fmt.Errorf("bundle of plan %s: %w", id, err)
	}
	if text := hash[fieldResult]; text != "" {
		p.result = new(record.PlanResult)
		if err := record.Decode(text, p.result); err != nil {
			return nil, fmt.Errorf("result of plan %s: %w", id, err)
		}
		p.AppliedAt = p.result.AppliedAt
	}
	p.maker, err = strconv.ParseInt(hash[fieldMaker], 10, 64)
	return p, err
}

// KeptPlan returns a plan as who may see it, see Plan.For. The *placements.Error CodePlanExpired for one that there is not, or of whose
// assets who may see none.
func (s *Store) KeptPlan(ctx context.Context, d record.Deployment, id string, who record.Actor) (*record.Plan, error) {
	k := s.deployment(d)
	p, err := s.readPlan(ctx, k, id)
	if err != nil {
		return nil, err
	}
	shown, err := s.visible(ctx, k, p, who)
	if err == nil && len(shown.Assets) == 0 && len(p.Assets) > 0 {
		return nil, expired()
	}
	return shown, err
}

// visible is a plan as who may see it.
func (s *Store) visible(ctx context.Context, k deploymentKeys, p *keptPlan, who record.Actor) (*record.Plan, error) {
	h, err := s.loadHoldings(ctx, k, &p.bundle)
	if err != nil {
		return nil, err
	}
	return p.For(who, p.maker, &h.Holdings), nil
}
