package code

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strconv"
	"time"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/record/portable"
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

// Plans keeps plans of what it takes to make a deployment's assets what a bundle wants, and applies them.
type Plans struct {
	db     *engine.DB
	reader *layout.Reader
	sites  *layout.Sites
	memory *layout.Memory
	limits record.ScheduleLimits
}

// NewPlans returns the plans of a storage.
func NewPlans(db *engine.DB, reader *layout.Reader, sites *layout.Sites, memory *layout.Memory, limits record.ScheduleLimits) *Plans {
	return &Plans{db, reader, sites, memory, limits}
}

// Make plans what it takes to make the deployment's assets what the bundle wants, on behalf of who. Nothing is kept, see Keep. timezone
// is the deployment's. Errors are those of record.Planning.
func (s *Plans) Make(
	ctx context.Context, d record.Deployment, b *portable.Bundle, who record.Actor, timezone string,
) (*portable.ApplyPlan, *portable.Writes, error) {
	if err := b.Check(); err != nil {
		return nil, nil, err
	}
	k := s.db.Deployment(d)
	h, err := s.loadHoldings(ctx, k, b)
	if err != nil {
		return nil, nil, err
	}
	return s.planOn(k, h, b, who, timezone)
}

// Faults returns what is wrong with a bundle that only the server can tell, see portable.Planning.Faults.
func (s *Plans) Faults(
	ctx context.Context, d record.Deployment, b *portable.Bundle, who record.Actor,
) ([]placements.Detail, error) {
	h, err := s.loadWanted(ctx, s.db.Deployment(d), b, nil)
	if err != nil {
		return nil, err
	}
	p := portable.Planning{Bundle: b, Held: &h.Holdings, Who: who}
	return p.Faults(), nil
}

// planOn is Plan on what was loaded.
func (s *Plans) planOn(
	k keys.DeploymentKeys, h *holdings, b *portable.Bundle, who record.Actor, timezone string,
) (*portable.ApplyPlan, *portable.Writes, error) {
	p := portable.Planning{
		Deployment: k.ID, Bundle: b, Held: &h.Holdings, Applied: h.project.Applied, Who: who, Now: s.db.Now(), Timezone: timezone,
		Documents: s.sites.Documents[k.At()],
	}
	return p.Make()
}

// Keep keeps a plan with its bundle for PlanLifetime, and sets its id and times. Of the plans of one user the latest MaxPlans are kept, as
// far as they take no more than MaxPlanBytes, and those of a tenant MaxTenantPlanBytes; one that is made again before it was applied is kept
// once, so that a pipeline which runs many times at once leaves one plan.
func (s *Plans) Keep(ctx context.Context, d record.Deployment, p *portable.ApplyPlan, b *portable.Bundle, who record.Actor) error {
	k, now := s.db.Deployment(d), s.db.Now()
	bundle, err := record.Encode(b)
	if err != nil {
		return err
	}
	mine := k.PlansOf(who.ID)
	p.ID, p.CreatedAt, p.ExpiresAt = planID(p, bundle, who), placements.Time(now), placements.Time(now.Add(PlanLifetime))
	pipe := s.db.Redis.Pipeline()
	older, applied := pipe.ZRevRange(ctx, mine, MaxPlans-1, -1), pipe.HExists(ctx, k.Plan(p.ID), fieldResult)
	if _, err := pipe.Exec(ctx); err != nil {
		return redis.Unavailable(err)
	}
	if applied.Val() { // and taken back since: it is another plan that only looks the same
		p.ID = rand.Text()
	}
	text, err := record.Encode(p)
	if err != nil {
		return err
	}
	var tx engine.Transaction
	tx.Then("HSET", k.Plan(p.ID), fieldPlan, text, fieldBundle, bundle, fieldMaker, who.ID)
	tx.Then("PEXPIRE", k.Plan(p.ID), PlanLifetime.Milliseconds())
	tx.Then("ZADD", mine, now.UnixMilli(), p.ID)
	tx.Then("PEXPIRE", mine, PlanLifetime.Milliseconds())
	for _, id := range older.Val() {
		if id != p.ID {
			tx.Then("ZREM", mine, id)
			tx.Then("DEL", k.Plan(id))
		}
	}
	fresh := keptSize{Bytes: len(bundle) + len(text), Deployment: d.ID, User: who.ID, ID: p.ID}
	if err := s.makeRoom(ctx, &tx, k, fresh, older.Val(), now); err != nil {
		return err
	}
	return s.db.RunLarge(ctx, &tx)
}

// planID is the id of what a user has planned with a bundle.
func planID(p *portable.ApplyPlan, bundle string, who record.Actor) string {
	sum := sha256.Sum256([]byte(strconv.FormatInt(who.ID, 10) + "\n" + p.Hash + "\n" + bundle))
	return base32.StdEncoding.EncodeToString(sum[:])[:planIDLength]
}

// planIDLength is as long as a text of crypto/rand.
const planIDLength = 26

// keptPlan is a plan as it is kept.
type keptPlan struct {
	portable.ApplyPlan
	bundle portable.Bundle
	maker  int64
	result *portable.PlanResult // nil: not applied
}

func expired() error {
	return placements.Errorf(placements.CodePlanExpired, "There is no such plan, or no longer: plans are kept for 24 hours. Plan again.")
}

// readPlan reads a plan. The *placements.Error CodePlanExpired for one that there is not.
func (s *Plans) readPlan(ctx context.Context, k keys.DeploymentKeys, id string) (*keptPlan, error) {
	hash, err := s.db.Redis.HGetAll(ctx, k.Plan(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	if len(hash) == 0 {
		return nil, expired()
	}
	p := new(keptPlan)
	if err := record.Decode(hash[fieldPlan], &p.ApplyPlan); err != nil {
		return nil, fmt.Errorf("plan %s: %w", id, err)
	}
	if err := record.Decode(hash[fieldBundle], &p.bundle); err != nil {
		return nil, fmt.Errorf("bundle of plan %s: %w", id, err)
	}
	if text := hash[fieldResult]; text != "" {
		p.result = new(portable.PlanResult)
		if err := record.Decode(text, p.result); err != nil {
			return nil, fmt.Errorf("result of plan %s: %w", id, err)
		}
		p.AppliedAt = p.result.AppliedAt
	}
	p.maker, err = strconv.ParseInt(hash[fieldMaker], 10, 64)
	return p, err
}

// Get returns a plan as who may see it, see Plan.For. The *placements.Error CodePlanExpired for one that there is not, or of whose
// assets who may see none.
func (s *Plans) Get(ctx context.Context, d record.Deployment, id string, who record.Actor) (*portable.ApplyPlan, error) {
	k := s.db.Deployment(d)
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
func (s *Plans) visible(ctx context.Context, k keys.DeploymentKeys, p *keptPlan, who record.Actor) (*portable.ApplyPlan, error) {
	h, err := s.loadHoldings(ctx, k, &p.bundle)
	if err != nil {
		return nil, err
	}
	return p.For(who, p.maker, &h.Holdings), nil
}

func (s *Plans) project(ctx context.Context, k keys.DeploymentKeys, name string) (portable.Project, error) {
	hash, err := s.db.Redis.HGetAll(ctx, k.Project(name)).Result()
	if err != nil {
		return portable.Project{}, redis.Unavailable(err)
	}
	return portable.ReadProject(hash)
}

// Managed lists the assets that a project has applied in the deployment, for who may read them, and those that were deleted by hand since.
func (s *Plans) Managed(ctx context.Context, d record.Deployment, project string, who record.Actor) ([]portable.ManagedAsset, error) {
	k := s.db.Deployment(d)
	p, err := s.project(ctx, k, project)
	if err != nil {
		return nil, err
	}
	h, err := s.loadWanted(ctx, k, &portable.Bundle{Project: project}, p.Applied)
	if err != nil {
		return nil, err
	}
	return h.Managed(project, p.Applied, who)
}

// Unmanaged lists the assets of the deployment that no project manages, for who may read them. A schedule without a key is listed under one
// that is made for it; a workbook without a slug has no portable name and is left out.
func (s *Plans) Unmanaged(ctx context.Context, d record.Deployment, who record.Actor) ([]portable.ManagedAsset, error) {
	k := s.db.Deployment(d)
	h := newHoldings()
	ids, err := s.allIDs(ctx, k)
	if err != nil {
		return nil, err
	}
	if err := s.makeKeys(ctx, k, h, ids.schedules); err != nil {
		return nil, err
	}
	if _, err := s.loadNaming(ctx, k, h, ids); err != nil {
		return nil, err
	}
	if err := s.loadReports(ctx, k, h, ids.reports); err != nil {
		return nil, err
	}
	delete(h.Workbooks, "")
	delete(h.Schedules, "") // made meanwhile
	return h.Unmanaged(who)
}

// allIDs are the ids of all assets of a deployment.
func (s *Plans) allIDs(ctx context.Context, k keys.DeploymentKeys) (ids found, err error) {
	for _, kind := range []struct {
		index string
		into  *[]int64
	}{{k.Reports(), &ids.reports}, {k.Workbooks(), &ids.workbooks}, {k.Schedules(), &ids.schedules}} {
		members, err := s.db.Redis.ZRange(ctx, kind.index, 0, -1).Result()
		if err != nil {
			return ids, redis.Unavailable(err)
		}
		for _, member := range members {
			id, err := layout.ParseID(member)
			if err != nil {
				return ids, err
			}
			*kind.into = append(*kind.into, id)
		}
	}
	return ids, nil
}

// loadHoldings reads what a plan of the bundle is made on, in a few round trips whatever its size.
func (s *Plans) loadHoldings(ctx context.Context, k keys.DeploymentKeys, b *portable.Bundle) (*holdings, error) {
	p, err := s.project(ctx, k, b.Project)
	if err != nil {
		return nil, err
	}
	h, err := s.loadWanted(ctx, k, b, p.Applied)
	if err != nil {
		return nil, err
	}
	h.project = p
	if b.Prune != nil {
		err = s.loadUses(ctx, k, h, deletable(b, p.Applied))
	}
	return h, err
}
