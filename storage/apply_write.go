package storage

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// writeReport creates a report, changes it, or only makes it the project's.
func (a *applier) writeReport(w *record.ReportWrite) {
	if w.Held == nil {
		a.createReport(w)
		return
	}
	r := a.reports[w.Ref]
	a.reportAsRead(r)
	a.managedAs(a.k.report(r.ID), w.Held.ManagedBy)
	if r.StoredPublicID == "" {
		a.free(a.k.publicIDLock(w.Ref))
		a.tx.If("", "HGET", a.k.publicIDs(), w.Ref)
		a.tx.If(1, "SISMEMBER", a.k.synthesized(w.Ref), r.ID)
		adopt(&a.tx, a.k, r, w.Ref)
	} else {
		a.tx.If(a.k.owner(r.ID), "HGET", a.k.publicIDs(), w.Ref)
	}
	if w.Action == record.ActionUpdate {
		r.Definition = w.Definition
		a.s.nextVersion(&a.tx, a.k, r, a.who.User())
	}
	a.setManaged(a.k.report(r.ID))
	a.done(&w.Write, r.ID, r.Version)
}

func (a *applier) createReport(w *record.ReportWrite) {
	a.free(a.k.publicIDLock(w.Ref))
	a.tx.If("", "HGET", a.k.publicIDs(), w.Ref)
	a.tx.If(0, "SCARD", a.k.synthesized(w.Ref))
	r := &Report{ReportHead: newHead(a.k, a.takeID("report"), w.Ref, "")}
	r.Definition, r.UserID = w.Definition, a.who.ID
	a.tx.enter(a.k, r)
	a.conditioned[a.k.report(r.ID)], a.conditioned[a.k.referenceLock(r.ID)] = true, true // there is none yet
	a.setManaged(a.k.report(r.ID))
	a.reports[w.Ref] = r
	a.done(&w.Write, r.ID, r.Version)
}

// reportAsRead adds the conditions that a report has the version that was read and that nobody is about to change it.
func (a *applier) reportAsRead(r *Report) {
	if a.once(a.k.report(r.ID)) {
		a.free(a.k.reportLock(r.ID))
		a.tx.If(r.Version, "HGET", a.k.report(r.ID), fieldVersion)
	}
}

// dropReport deletes a report with what is placed of it.
func (a *applier) dropReport(w *record.ReportWrite) {
	r := a.reports[w.Ref]
	a.reportAsRead(r)
	a.managedAs(a.k.report(r.ID), w.Held.ManagedBy)
	a.tx.If(a.references.token, "GET", a.k.referenceLock(r.ID))
	spots := 0
	for i := range r.Placements {
		spots += len(r.Placements[i].position().spotMembers())
	}
	a.tx.If(spots, "ZCARD", a.k.spots(r.ID))
	for i := range r.Placements {
		a.placementAsRead(r, i)
	}
	a.k.dropReport(&a.tx, r)
	a.done(&w.Write, r.ID, 0)
}

// placementAsRead adds the condition that a placement was not written since it was read.
func (a *applier) placementAsRead(r *Report, index int) {
	p := &r.Placements[index]
	if at := p.position(); a.once(a.k.placements(r.ID) + at.key) {
		a.tx.If(addressValue(at.slot, p.Rev), "HGET", a.k.placements(r.ID), addressField+at.key)
	}
}

// writePlacement places a report, changes a placement, only makes it the project's, or disconnects it.
func (a *applier) writePlacement(w *record.PlacementWrite) {
	next := w.Placement
	next.ManagedBy = &a.by
	if w.Held == nil {
		a.place(w, next)
		return
	}
	from, index := a.reports[w.From.PublicID], indexOf(w.From.Placements, w.Held)
	a.reportAsRead(from)
	a.placementAsRead(from, index)
	p := &from.Placements[index]
	switch {
	case w.Action == record.ActionDelete:
		a.disconnect(from, p)
		a.done(&w.Write, p.ID, 0)
		return
	case w.From.PublicID != w.Report:
		a.disconnect(from, p)
		next.ID = ""
		a.place(w, next)
		return
	case w.Action == record.ActionAdopt:
		next = p.Placement
		next.ManagedBy = &a.by
		rewritePlacement(&a.tx, a.k, from, index, next)
	default:
		if at := positionOf(next); at.key != p.position().key {
			a.tx.If("", "HGET", a.k.placements(from.ID), addressField+at.key)
		}
		a.s.connected(&a.tx, a.k, from, placements.Change{Placement: next, Index: index}, true, a.who)
	}
	a.done(&w.Write, next.ID, 0)
	a.remember(next)
}

// indexOf is where p, one of list, stands in it.
func indexOf(list []placements.Placement, p *placements.Placement) int {
	for i := range list {
		if &list[i] == p {
			return i
		}
	}
	return -1
}

func (a *applier) disconnect(r *Report, p *Placed) {
	slot := p.position().slot
	dropPlacement(&a.tx, a.k, r.ID, p)
	a.tx.unecho(a.k, r.ID, slot)
	a.tx.publish(a.k, record.EventPlacementDisconnected, r.ID, &p.Placement)
}

// place places a report where it does not stand yet.
func (a *applier) place(w *record.PlacementWrite, next placements.Placement) {
	r := a.reports[w.Report]
	a.reportAsRead(r)
	a.tx.If("", "HGET", a.k.placements(r.ID), addressField+next.AddressKey())
	next.ID = rand.Text()
	a.s.connected(&a.tx, a.k, r, placements.Change{Placement: next, Index: -1, Created: true}, true, a.who)
	a.done(&w.Write, next.ID, 0)
	a.remember(next)
}

// remember notes the id of a placement with what the project has applied of it.
func (a *applier) remember(p placements.Placement) {
	at, _ := p.Address()
	for _, one := range a.writes.Applied {
		if one.Kind == record.KindPlacement && one.Key() == record.PlacementKey(at) {
			one.PlacementID = p.ID
		}
	}
}

// writeWorkbook creates a workbook, changes it, only makes it the project's, or deletes it.
func (a *applier) writeWorkbook(w *record.WorkbookWrite) error {
	if w.Held == nil {
		return a.createWorkbook(w)
	}
	key := a.k.workbook(w.Held.ID)
	a.free(a.k.workbookLock(w.Held.ID))
	a.tx.If(a.h.workbooks[w.Held.ID], "HGET", key, fieldDefinition) // it holds the version
	a.managedAs(key, w.Held.ManagedBy)
	if w.Action == record.ActionDelete {
		a.k.dropWorkbook(&a.tx, w.Held)
		a.done(&w.Write, w.Held.ID, 0)
		return nil
	}
	version := w.Held.Version
	if w.Action == record.ActionUpdate {
		after := w.Workbook
		if err := a.draw(&after, w.Held.DashboardDraft); err != nil {
			return err
		}
		version = a.s.replaceWorkbook(&a.tx, a.k, w.Held, &after, a.who.User()).Version
	}
	a.setManaged(key)
	a.done(&w.Write, w.Held.ID, version)
	return nil
}

func (a *applier) createWorkbook(w *record.WorkbookWrite) error {
	a.free(a.k.slugLock(w.Ref))
	a.tx.If("", "HGET", a.k.slugs(), w.Ref)
	after, now, user := w.Workbook, a.result.AppliedAt, a.who.User()
	if err := a.draw(&after, nil); err != nil {
		return err
	}
	after.ID = a.takeID("workbook")
	after.Slug, after.CreatedAt, after.UpdatedAt, after.CreatedBy, after.User, after.UpdatedBy = w.Ref, now, now, user.ID, user, &user
	after.Version = 1
	a.tx.enterWorkbook(a.k, &after)
	a.setManaged(a.k.workbook(after.ID))
	a.done(&w.Write, after.ID, after.Version)
	return nil
}

// draw makes the charts of a draft that is new name their reports by id.
func (a *applier) draw(w *record.Workbook, before json.RawMessage) error {
	if len(w.DashboardDraft) == 0 || bytes.Equal(w.DashboardDraft, before) {
		return nil
	}
	ids := map[string]int64{}
	for _, publicID := range record.ChartPublicIDs(w.DashboardDraft) {
		if err := a.refersTo(publicID); err != nil {
			return err
		}
		ids[publicID] = a.reports[publicID].ID
	}
	draft, err := record.WithReportIDs(w.DashboardDraft, ids)
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

func (a *applier) createSchedule(w *record.ScheduleWrite, room *scheduleRoom) error {
	a.free(a.k.scheduleKeyLock(w.Ref))
	a.tx.If("", "HGET", a.k.scheduleKeys(), w.Ref)
	now := a.result.AppliedAt
	c := &record.Schedule{
		ID: a.takeID("schedule"), DeploymentID: a.k.deployment, ScheduleSpec: w.Spec, CreatedAt: now, UpdatedAt: now,
		CreatedBy: a.who.ID, Version: 1, Owner: a.who, ManagedBy: &a.by,
	}
	c.Key = w.Ref
	a.tx.Then("HSET", a.k.scheduleKeys(), c.Key, a.k.owner(c.ID))
	a.tx.Then("ZADD", a.k.schedules(), c.ID, c.ID)
	return a.storeSchedule(w, c, nil, room)
}

func (a *applier) writeSchedule(w *record.ScheduleWrite, room *scheduleRoom) error {
	key := a.k.schedule(w.Held.ID)
	a.free(a.k.scheduleLock(w.Held.ID))
	a.tx.If(a.h.schedules[w.Held.ID], "HGET", key, fieldSpec) // it holds the version
	a.done(&w.Write, w.Held.ID, w.Held.Version)
	switch w.Action {
	case record.ActionDelete:
		a.done(&w.Write, w.Held.ID, 0)
		a.k.dropSchedule(&a.tx, w.Held)
		return nil
	case record.ActionAdopt:
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
func (a *applier) storeSchedule(w *record.ScheduleWrite, c, before *record.Schedule, room *scheduleRoom) (err error) {
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
	if err := room.admit(a.s.schedules, a.k.owner(c.ID), c); err != nil {
		return err
	}
	a.k.writeSchedule(&a.tx, c, tick)
	a.done(&w.Write, c.ID, c.Version)
	return nil
}

// scheduleRoom counts schedules against the limits of their tenant.
type scheduleRoom struct {
	tenant int
	ticks  map[int64]map[string]int // by maker and schedule
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
	tenant := p.ZCard(ctx, a.k.schedulesOfTenant())
	for maker := range makers {
		makers[maker] = p.ZRangeWithScores(ctx, a.k.schedulesOf(maker), 0, -1)
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
		a.tx.If(len(list.Val()), "ZCARD", a.k.schedulesOf(maker))
	}
	a.free(a.k.schedulesLock())
	a.tx.If(room.tenant, "ZCARD", a.k.schedulesOfTenant())
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
