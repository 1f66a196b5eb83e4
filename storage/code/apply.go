package code

import (
	"bytes"
	"context"
	"encoding/json"

	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// NextTick says when a schedule fires next that is to replace before, nil for one that is new, and sets its PerHour.
type NextTick func(c, before *record.Schedule) (record.Tick, error)

// Apply does on behalf of who exactly what a plan says, all of it in one step or nothing, and only once: applied again, it returns
// what the first time did. timezone is the deployment's. Errors are *placements.Error: CodePlanExpired, CodePlanConflicts, CodePlanStale
// with what moved since it was made, and those of Plan.
func (s *Plans) Apply(
	ctx context.Context, d record.Deployment, id string, who record.Actor, timezone string, next NextTick,
) (result *portable.PlanResult, err error) {
	who.Via.Plan = id
	o := applyOrder{k: s.db.Deployment(d), id: id, who: who, timezone: timezone, next: next}
	err = engine.Optimistic(func(on engine.Basis) error {
		if on == engine.OnMemory {
			return engine.ErrOvertaken
		}
		result, err = s.tryApply(ctx, o, on)
		return err
	})
	return result, err
}

// applyOrder says which plan is to be applied, and for whom.
type applyOrder struct {
	k        keys.DeploymentKeys
	id       string
	who      record.Actor
	timezone string
	next     NextTick
}

// tryApply is one try of ApplyPlan.
func (s *Plans) tryApply(ctx context.Context, o applyOrder, on engine.Basis) (*portable.PlanResult, error) {
	kept, err := s.readPlan(ctx, o.k, o.id)
	if err != nil {
		return nil, err
	}
	if kept.result != nil {
		visible, err := s.visible(ctx, o.k, kept, o.who)
		if err != nil {
			return nil, err
		}
		return kept.result.For(visible), nil
	}
	if err := kept.Applicable(); err != nil {
		return nil, err
	}
	a, err := s.prepare(ctx, o, kept, engine.Locks{}, engine.Locks{})
	if err != nil {
		return nil, err
	}
	// The uses of a report that is deleted are looked for under its reference lock. The last try holds all locks.
	references, locks := engine.NewLocks(a.deleted()...), engine.Locks{}
	if on == engine.OnLock {
		locks = engine.NewLocks(a.locks...)
	}
	if references.None() && locks.None() {
		return s.runApply(ctx, a)
	}
	for _, h := range []engine.Locks{references, locks} {
		if err := s.db.LockAll(ctx, h); err != nil {
			return nil, err
		}
		defer s.db.Unlock(ctx, h)
	}
	if a, err = s.prepare(ctx, o, kept, references, locks); err != nil {
		return nil, err
	}
	a.held = []engine.Locks{references, locks}
	return s.runApply(ctx, a)
}

// runApply runs what was prepared.
func (s *Plans) runApply(ctx context.Context, a *applier) (*portable.PlanResult, error) {
	if err := s.db.RunLarge(ctx, a.to.Tx, a.held...); engine.IsUnmet(err) {
		return nil, engine.ErrOvertaken
	} else if err != nil {
		return nil, err
	}
	for _, r := range a.reports {
		s.memory.Forget(a.to.Keys, r.ID)
	}
	return &a.result, nil
}

// prepare plans again, and makes one transaction of what the plan writes if it does what kept does. references are the reference locks of
// the reports that it deletes, locks those of all that it writes, or none where they must be free.
func (s *Plans) prepare(ctx context.Context, o applyOrder, kept *keptPlan, references, locks engine.Locks) (*applier, error) {
	h, err := s.loadHoldings(ctx, o.k, &kept.bundle)
	if err != nil {
		return nil, err
	}
	plan, writes, err := s.planOn(o.k, h, &kept.bundle, o.who, o.timezone)
	if err != nil {
		return nil, err
	}
	if err := kept.Stale(plan); err != nil {
		return nil, s.unlessApplied(ctx, o, err)
	}
	a := &applier{
		db: s.db, to: layout.NewRecorder(s.db, new(engine.Transaction), o.k, o.who), h: h, writes: writes, next: o.next, limits: s.limits,
		references: references, lockedBy: locks.Token, reports: map[string]*layout.Report{}, asked: map[string]bool{},
	}
	for publicID, held := range h.Reports {
		a.reports[publicID] = h.reports[held.ID]
	}
	if err := a.makeIDs(ctx); err != nil {
		return nil, err
	}
	a.begin(kept, plan)
	return a, a.write(ctx, kept)
}

// unlessApplied returns err, that a plan is stale, or engine.ErrOvertaken if the plan was applied since it was read, or is not kept any more and may
// have been: then the server may have changed by that. redis.ErrUnavailable: it is not known which of both is so.
func (s *Plans) unlessApplied(ctx context.Context, o applyOrder, err error) error {
	now, readErr := s.db.Redis.HMGet(ctx, o.k.Plan(o.id), fieldPlan, fieldResult).Result()
	if readErr != nil {
		return redis.Unavailable(readErr) // it may have been applied
	}
	if kept, applied := now[0] != nil, now[1] != nil; applied || !kept {
		return engine.ErrOvertaken
	}
	return err
}

// writeWorkbook creates a workbook, changes it, only makes it the project's, or deletes it.
func (a *applier) writeWorkbook(w *portable.WorkbookWrite) error {
	if w.Held == nil {
		return a.createWorkbook(w)
	}
	key := a.to.Keys.Workbook(w.Held.ID)
	a.free(a.to.Keys.Locks().Workbook(w.Held.ID))
	a.to.Tx.If(a.h.workbooks[w.Held.ID], "HGET", key, layout.FieldDefinition) // it holds the version
	a.managedAs(key, w.Held.ManagedBy)
	if w.Action == portable.ActionDelete {
		a.to.DropWorkbook(w.Held)
		a.done(&w.AssetWrite, w.Held.ID, 0)
		return nil
	}
	version := w.Held.Version
	if w.Action == portable.ActionUpdate {
		after := w.Workbook
		if err := a.draw(&after, w.Held.DashboardDraft); err != nil {
			return err
		}
		version = a.to.ReplaceWorkbook(w.Held, &after, journal.Update).Version
	} else {
		a.to.Note(journal.Adopt, journal.OfWorkbook(w.Held), version)
	}
	a.setManaged(key)
	a.done(&w.AssetWrite, w.Held.ID, version)
	return nil
}

func (a *applier) createWorkbook(w *portable.WorkbookWrite) error {
	a.free(a.to.Keys.Locks().Slug(w.Ref))
	a.to.Tx.If("", "HGET", a.to.Keys.Slugs(), w.Ref)
	after, now, user := w.Workbook, a.result.AppliedAt, a.to.Who.User()
	if err := a.draw(&after, nil); err != nil {
		return err
	}
	after.ID = a.takeID("workbook")
	after.Slug, after.CreatedAt, after.UpdatedAt, after.CreatedBy, after.User, after.UpdatedBy = w.Ref, now, now, user.ID, user, &user
	after.Version = 1
	a.to.EnterWorkbook(&after)
	a.setManaged(a.to.Keys.Workbook(after.ID))
	a.done(&w.AssetWrite, after.ID, after.Version)
	return nil
}

// draw makes the charts of a draft that is new name their reports by id.
func (a *applier) draw(w *record.Workbook, before json.RawMessage) error {
	if len(w.DashboardDraft) == 0 || bytes.Equal(w.DashboardDraft, before) {
		return nil
	}
	ids := map[string]int64{}
	for _, publicID := range portable.ChartPublicIDs(w.DashboardDraft) {
		if err := a.refersTo(publicID); err != nil {
			return err
		}
		ids[publicID] = a.reports[publicID].ID
	}
	draft, err := portable.WithReportIDs(w.DashboardDraft, ids)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]json.RawMessage{record.FieldDraft: draft})
	if err != nil {
		return err
	}
	meta, err := record.MergedMeta(w.Meta, patch)
	if err != nil {
		return err
	}
	return w.SetMeta(meta)
}
