package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// applier makes the transaction that applies a plan.
type applier struct {
	db         *engine.DB
	to         *layout.Recorder
	h          *holdings
	writes     *portable.Writes
	next       NextTick
	limits     record.ScheduleLimits
	references engine.Locks   // the reference locks of reports that are deleted
	lockedBy   string         // token of the locks; empty: they are free
	held       []engine.Locks // the locks, to be renewed while the transaction is sent

	plan    *portable.ApplyPlan
	locks   []string        // that must be free, or held
	asked   map[string]bool // keys that conditions ask about already
	by      record.ManagedBy
	reports map[string]*layout.Report // by publicId, those that are created as well
	ids     map[string][]int64        // for what is created, by kind
	result  portable.PlanResult
}

func created(action portable.Action) int {
	if action == portable.ActionCreate {
		return 1
	}
	return 0
}

// makeIDs makes the ids of all that is created.
func (a *applier) makeIDs(ctx context.Context) error {
	counts := map[string]int{}
	for _, w := range a.writes.Reports {
		counts["report"] += created(w.Action)
	}
	for _, w := range a.writes.Workbooks {
		counts["workbook"] += created(w.Action)
	}
	for _, w := range a.writes.Schedules {
		counts["schedule"] += created(w.Action)
	}
	a.ids = map[string][]int64{}
	for kind, n := range counts {
		if n == 0 {
			continue
		}
		last, err := a.db.Redis.HIncrBy(ctx, a.to.Keys.IDs(), kind, int64(n)).Result()
		if err != nil {
			return redis.Unavailable(err)
		}
		for id := last - int64(n) + 1; id <= last; id++ {
			a.ids[kind] = append(a.ids[kind], id)
		}
	}
	return nil
}

// takeID takes one of the ids that were made.
func (a *applier) takeID(kind string) int64 {
	id := a.ids[kind][0]
	a.ids[kind] = a.ids[kind][1:]
	return id
}

// begin makes the result that the writes complete, and the conditions that the plan was not applied and its project did nothing else.
func (a *applier) begin(kept *keptPlan, plan *portable.ApplyPlan) {
	a.plan = plan
	now := a.to.Timestamp()
	revision, _ := strconv.ParseInt(a.h.project.Revision, 10, 64)
	a.by = record.ManagedBy{Project: kept.Project, AppliedAt: now, Revision: revision + 1}
	a.result = portable.PlanResult{
		ID: kept.ID, AppliedAt: now, Summary: plan.Summary, Assets: make([]portable.AppliedAsset, len(plan.Assets)),
	}
	for i := range plan.Assets {
		one := &plan.Assets[i]
		a.result.Assets[i] = portable.AppliedAsset{Kind: one.Kind, Ref: one.Ref, Action: one.Action}
		switch one.Action {
		case portable.ActionUnchanged, portable.ActionKept, portable.ActionUpdate: // what is written says more below
			a.result.Assets[i].ID, a.result.Assets[i].Version = a.h.identify(one)
		}
	}
	a.to.Tx.If(1, "EXISTS", a.to.Keys.Plan(kept.ID))
	a.to.Tx.If("", "HGET", a.to.Keys.Plan(kept.ID), fieldResult)
	a.to.Tx.If(a.h.project.Revision, "HGET", a.to.Keys.Project(kept.Project), portable.RevisionField)
}

// identify returns the id and the version of an asset that stays as it is. A placement has neither here.
func (h *holdings) identify(a *portable.PlannedAsset) (id any, version int64) {
	switch a.Kind {
	case portable.KindReport:
		if r := h.Reports[a.Ref]; r != nil {
			return r.ID, r.Version
		}
	case portable.KindWorkbook:
		if w := h.Workbooks[a.Ref]; w != nil {
			return w.ID, w.Version
		}
	case portable.KindSchedule:
		if c := h.Schedules[a.Ref]; c != nil {
			return c.ID, c.Version
		}
	}
	return nil, 0
}

// write makes all changes: what others refer to first.
func (a *applier) write(ctx context.Context, kept *keptPlan) error {
	for i := range a.writes.Reports {
		if w := &a.writes.Reports[i]; w.Action != portable.ActionDelete {
			a.writeReport(w)
		}
	}
	for i := range a.writes.Placements {
		a.writePlacement(&a.writes.Placements[i])
	}
	for i := range a.writes.Workbooks {
		if err := a.writeWorkbook(&a.writes.Workbooks[i]); err != nil {
			return err
		}
	}
	if err := a.writeSchedules(ctx); err != nil {
		return err
	}
	for i := range a.writes.Reports {
		if w := &a.writes.Reports[i]; w.Action == portable.ActionDelete {
			a.dropReport(w)
		}
	}
	a.writeProject(kept.Project)
	a.to.Tx.Set(a.to.Keys.Plan(kept.ID), fieldResult, &a.result)
	return a.to.Tx.Err
}

// writeProject makes the changes of what the project has applied.
func (a *applier) writeProject(name string) {
	key := a.to.Keys.Project(name)
	var gone []any
	for _, asset := range a.writes.Forgotten {
		gone = append(gone, asset.AppliedField(), a.h.project.Applied[asset].DeletedField())
	}
	for _, one := range a.writes.Applied {
		if before := a.h.project.Applied[one.Key()]; before != nil {
			gone = append(gone, before.DeletedField())
		}
	}
	for some := range slices.Chunk(gone, engine.MaxUnpacked) {
		a.to.Tx.Then("HDEL", key, some...)
	}
	for _, one := range a.writes.Applied {
		a.to.Tx.Set(key, one.Key().AppliedField(), one)
	}
	a.noteProtection()
	w := a.writes
	if len(w.Reports)+len(w.Workbooks)+len(w.Placements)+len(w.Schedules)+len(w.Applied)+len(w.Forgotten) > 0 {
		a.to.Tx.Then("HSET", key, portable.RevisionField, a.by.Revision)
	}
}

// noteProtection adds to the audit which assets are protected from now on, or no longer, although nothing of them was written.
func (a *applier) noteProtection() {
	for i := range a.plan.Assets {
		one := &a.plan.Assets[i]
		if !one.Protects() {
			continue
		}
		a.judgedOn(cmp.Or(one.Report, one.Ref))
		asset, version := a.h.assetOf(one)
		a.to.Note(journal.Update, asset, version, one.Changes[0].Pointer)
	}
}

// assetOf names an asset that stays as it is for the audit, with its version.
func (h *holdings) assetOf(one *portable.PlannedAsset) (asset journal.Asset, version int64) {
	switch one.Kind {
	case portable.KindReport:
		r := h.Reports[one.Ref]
		return journal.OfReport(r.ID, r.Name), r.Version
	case portable.KindWorkbook:
		w := h.Workbooks[one.Ref]
		return journal.OfWorkbook(w), w.Version
	case portable.KindSchedule:
		c := h.Schedules[one.Ref]
		return journal.OfSchedule(c), c.Version
	}
	r := h.Reports[one.Report]
	for i := range r.Placements {
		if portable.HasRef(&r.Placements[i], one.Ref) {
			asset = journal.OfPlacement(r.ID, &r.Placements[i])
		}
	}
	return asset, 0
}

// free adds the condition that no other writer holds a lock.
func (a *applier) free(lock string) {
	if a.once(lock) {
		a.locks = append(a.locks, lock)
		a.to.Tx.If(a.lockedBy, "GET", lock)
	}
}

// once reports whether a key is asked about for the first time.
func (a *applier) once(key string) bool {
	seen := a.asked[key]
	a.asked[key] = true
	return !seen
}

// deleted are the reference locks of the reports that are deleted.
func (a *applier) deleted() (locks []string) {
	for i := range a.writes.Reports {
		if w := &a.writes.Reports[i]; w.Action == portable.ActionDelete {
			locks = append(locks, a.to.Keys.Locks().Reference(w.Held.ID))
		}
	}
	return locks
}

// done completes the result of an asset that was written.
func (a *applier) done(w *portable.AssetWrite, id any, version int64) {
	a.result.Assets[w.Asset].ID, a.result.Assets[w.Asset].Version = id, version
}

// setManaged stores that the project manages the asset at key.
func (a *applier) setManaged(key string) { a.to.Tx.Set(key, layout.FieldManaged, &a.by) }

// managedAs adds the condition that the asset at key is managed as it was read.
func (a *applier) managedAs(key string, by *record.ManagedBy) {
	text := ""
	if by != nil {
		text = a.to.Tx.Encode(layout.FieldManaged, by)
	}
	a.to.Tx.If(text, "HGET", key, layout.FieldManaged)
}

// refersTo adds the conditions that a report is still there, unless it is created here, and is not being deleted.
func (a *applier) refersTo(publicID string) error {
	r := a.reports[publicID]
	if r == nil {
		return fmt.Errorf("report %s was not loaded", publicID)
	}
	if lock := a.to.Keys.Locks().Reference(r.ID); !a.asked[lock] {
		a.free(lock)
		a.to.Tx.If(1, "EXISTS", a.to.Keys.Report(r.ID))
	}
	return nil
}

// target is the target of a schedule in this deployment, once its report and placement are written.
func (a *applier) target(t portable.ScheduleTarget) (record.RunTarget, error) {
	if err := a.refersTo(t.PublicID); err != nil {
		return record.RunTarget{}, err
	}
	r := a.reports[t.PublicID]
	local, ok := t.Local(r.ID, r.Places(), cmp.Or(a.h.Whereabouts[t.Document].Document, t.Document))
	if !ok {
		return local, placements.Errorf(placements.CodeAddress,
			"No placement of report %s stands at %s: place it there first.", t.PublicID, t.Address)
	}
	return local, nil
}

// room reads what the limits count; nil without limits, or without a schedule to count.
func (a *applier) room(ctx context.Context) (*record.ScheduleCount, error) {
	if len(a.writes.Schedules) == 0 || a.limits == (record.ScheduleLimits{}) {
		return nil, nil
	}
	makers := map[int64]*redis.ZSliceCmd{a.to.Who.ID: nil}
	for _, w := range a.writes.Schedules {
		if w.Held != nil {
			makers[w.Held.CreatedBy] = nil
		}
	}
	p := a.db.Redis.Pipeline()
	tenant := p.ZCard(ctx, a.to.Keys.SchedulesOfTenant())
	for maker := range makers {
		makers[maker] = p.ZRangeWithScores(ctx, a.to.Keys.SchedulesOf(maker), 0, -1)
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	room := &record.ScheduleCount{Tenant: int(tenant.Val()), Ticks: map[int64]map[string]int{}}
	for maker, list := range makers {
		room.Ticks[maker] = map[string]int{}
		for _, one := range list.Val() {
			name, _ := one.Member.(string)
			room.Ticks[maker][name] = int(one.Score)
		}
		a.to.Tx.If(len(list.Val()), "ZCARD", a.to.Keys.SchedulesOf(maker))
	}
	a.free(a.to.Keys.SchedulesLock())
	a.to.Tx.If(room.Tenant, "ZCARD", a.to.Keys.SchedulesOfTenant())
	return room, nil
}
