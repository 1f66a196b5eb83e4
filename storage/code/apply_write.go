package code

import (
	"context"
	"crypto/rand"
	"fmt"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// indexOf is where p, one of list, stands in it.
func indexOf(list []placements.Placement, p *placements.Placement) int {
	for i := range list {
		if &list[i] == p {
			return i
		}
	}
	return -1
}

// writeReport creates a report, changes it, or only makes it the project's.
func (a *applier) writeReport(w *portable.ReportWrite) {
	if w.Held == nil {
		a.createReport(w)
		return
	}
	r := a.reports[w.Ref]
	a.reportAsRead(r)
	a.managedAs(a.to.Keys.Report(r.ID), w.Held.ManagedBy)
	var changed []string
	if r.StoredPublicID == "" {
		changed = append(changed, "/publicId")
		a.free(a.to.Keys.PublicIDLock(w.Ref))
		a.to.Tx.If("", "HGET", a.to.Keys.PublicIDs(), w.Ref)
		a.to.Tx.If(1, "SISMEMBER", a.to.Keys.Synthesized(r.SynthesizedID), r.ID) // none is stored
		a.to.Adopt(r, w.Ref)
	} else {
		a.to.Tx.If(a.to.Keys.Owner(r.ID), "HGET", a.to.Keys.PublicIDs(), w.Ref)
	}
	verb, old := journal.Adopt, r.Definition
	if w.Action == portable.ActionUpdate {
		r.Definition, verb = w.Definition, journal.Update
		a.to.NextVersion(r, &old)
	}
	a.to.Note(verb, journal.OfReport(r.ID, r.Name), r.Version, append(changed, journal.ReportPointers(&old, &r.Definition)...)...)
	a.setManaged(a.to.Keys.Report(r.ID))
	a.done(&w.AssetWrite, r.ID, r.Version)
}

func (a *applier) createReport(w *portable.ReportWrite) {
	a.free(a.to.Keys.PublicIDLock(w.Ref))
	a.to.Tx.If("", "HGET", a.to.Keys.PublicIDs(), w.Ref)
	a.to.Tx.If(0, "SCARD", a.to.Keys.Synthesized(w.Ref))
	r := &layout.Report{ReportHead: layout.NewHead(a.to.Keys, a.takeID("report"), w.Ref, "")}
	r.Definition, r.UserID = w.Definition, a.to.Who.ID
	a.to.EnterReport(r)
	a.asked[a.to.Keys.Report(r.ID)], a.asked[a.to.Keys.Locks().Reference(r.ID)] = true, true // there is none yet
	a.setManaged(a.to.Keys.Report(r.ID))
	a.reports[w.Ref] = r
	a.done(&w.AssetWrite, r.ID, r.Version)
}

// reportAsRead adds the conditions that a report has the version that was read and that no other writer holds its lock.
func (a *applier) reportAsRead(r *layout.Report) {
	if a.once(a.to.Keys.Report(r.ID)) {
		a.free(a.to.Keys.Locks().Report(r.ID))
		a.to.Tx.If(r.Version, "HGET", a.to.Keys.Report(r.ID), layout.FieldVersion)
	}
}

// dropReport deletes a report with what is placed of it.
func (a *applier) dropReport(w *portable.ReportWrite) {
	r := a.reports[w.Ref]
	a.reportAsRead(r)
	a.managedAs(a.to.Keys.Report(r.ID), w.Held.ManagedBy)
	a.to.Tx.If(a.references.Token, "GET", a.to.Keys.Locks().Reference(r.ID))
	spots := 0
	for i := range r.Placements {
		spots += len(r.Placements[i].Position().SpotMembers())
	}
	a.to.Tx.If(spots, "ZCARD", a.to.Keys.Spots(r.ID))
	for i := range r.Placements {
		a.placementAsRead(r, i)
	}
	a.to.DropReport(r)
	a.done(&w.AssetWrite, r.ID, 0)
}

// placementAsRead adds the condition that a placement was not written since it was read.
func (a *applier) placementAsRead(r *layout.Report, index int) {
	p := &r.Placements[index]
	if at := p.Position(); a.once(a.to.Keys.Placements(r.ID) + at.AddressKey) {
		a.to.Tx.If(layout.AddressValue(at.Slot, p.Rev), "HGET", a.to.Keys.Placements(r.ID), layout.AddressField+at.AddressKey)
	}
}

// siteAsRead adds the condition that the document of a placement is where it was.
func (a *applier) siteAsRead(w *portable.PlacementWrite) {
	for _, named := range a.plan.Assets[w.Asset].Documents {
		if at, known := a.h.sites[named]; known && a.once(a.to.Keys.Sites()+at.ID) {
			at.Need(a.to.Tx, a.to.Keys.TenantKeys)
		}
	}
}

// writePlacement places a report, changes a placement, only makes it the project's, or disconnects it.
func (a *applier) writePlacement(w *portable.PlacementWrite) {
	next := w.Placement
	next.ManagedBy = &a.by
	a.siteAsRead(w)
	if w.Held == nil {
		a.place(w, next)
		return
	}
	from, index := a.reports[w.From.PublicID], indexOf(w.From.Placements, w.Held)
	a.reportAsRead(from)
	a.placementAsRead(from, index)
	p := &from.Placements[index]
	switch {
	case w.Action == portable.ActionDelete:
		a.to.RecordDisconnect(from.ID, p)
		a.done(&w.AssetWrite, p.ID, 0)
		return
	case w.From.PublicID != w.Report:
		a.to.RecordDisconnect(from.ID, p)
		next.ID = ""
		a.place(w, next)
		return
	case w.Action == portable.ActionAdopt:
		a.keepPlacement(w, journal.Adopt, from, index)
		return
	case a.plan.Assets[w.Asset].Vouches():
		a.keepPlacement(w, journal.Update, from, index)
		return
	default:
		if at := layout.PositionOf(next); at.AddressKey != p.Position().AddressKey {
			a.to.Tx.If("", "HGET", a.to.Keys.Placements(from.ID), layout.AddressField+at.AddressKey)
		}
		a.to.RecordConnect(from, placements.Change{Placement: next, Index: index}, true)
	}
	a.done(&w.AssetWrite, next.ID, 0)
	a.remember(next)
}

// keepPlacement makes a placement the project's, and says who placed it, and else leaves it as it is: it does not claim its cells anew.
func (a *applier) keepPlacement(w *portable.PlacementWrite, verb string, r *layout.Report, index int) {
	before := &r.Placements[index].Placement
	next := *before
	next.Placer, next.ManagedBy = w.Placement.Placer, &a.by
	a.to.Note(verb, journal.OfPlacement(r.ID, &next), 0, journal.PlacementPointers(before, &next)...)
	a.to.Rewrite(r, index, next)
	a.done(&w.AssetWrite, next.ID, 0)
	a.remember(next)
}

// place places a report where it does not stand yet.
func (a *applier) place(w *portable.PlacementWrite, next placements.Placement) {
	r := a.reports[w.Report]
	a.reportAsRead(r)
	a.to.Tx.If("", "HGET", a.to.Keys.Placements(r.ID), layout.AddressField+next.AddressKey())
	next.ID = rand.Text()
	a.to.RecordConnect(r, placements.Change{Placement: next, Index: -1, Created: true}, true)
	a.done(&w.AssetWrite, next.ID, 0)
	a.remember(next)
}

// remember notes the id of a placement with what the project has applied of it.
func (a *applier) remember(p placements.Placement) {
	at, _ := p.Recorded()
	for _, one := range a.writes.Applied {
		if one.Kind == portable.KindPlacement && one.Key() == portable.PlacementKey(at) {
			one.PlacementID = p.ID
		}
	}
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

// takeKey gives a schedule a key that none has.
func (a *applier) takeKey(key string, schedule int64) {
	a.free(a.to.Keys.Locks().ScheduleKey(key))
	a.to.Tx.If("", "HGET", a.to.Keys.ScheduleKeys(), key)
	a.to.Tx.Then("HSET", a.to.Keys.ScheduleKeys(), key, a.to.Keys.Owner(schedule))
}

func (a *applier) createSchedule(w *portable.ScheduleWrite, room *record.ScheduleCount) error {
	now := a.result.AppliedAt
	c := &record.Schedule{
		ID: a.takeID("schedule"), DeploymentID: a.to.Keys.ID, ScheduleSpec: w.Spec, CreatedAt: now, UpdatedAt: now,
		CreatedBy: a.to.Who.ID, UpdatedBy: new(a.to.Who.User()), Version: 1, Owner: a.to.Who, ManagedBy: &a.by,
	}
	c.Key = w.Ref
	a.takeKey(c.Key, c.ID)
	return a.storeSchedule(w, c, nil, room)
}

func (a *applier) writeSchedule(w *portable.ScheduleWrite, room *record.ScheduleCount) error {
	key := a.to.Keys.Schedule(w.Held.ID)
	a.free(a.to.Keys.Locks().Schedule(w.Held.ID))
	a.judgedOn(a.h.PublicIDs[w.Held.Target.ReportID])
	a.to.Tx.If(a.h.schedules[w.Held.ID], "HGET", key, layout.FieldSpec) // it holds the version
	a.done(&w.AssetWrite, w.Held.ID, w.Held.Version)
	if w.Held.Key == "" {
		a.takeKey(w.Ref, w.Held.ID)
	}
	switch w.Action {
	case portable.ActionDelete:
		a.done(&w.AssetWrite, w.Held.ID, 0)
		a.to.DropSchedule(w.Held)
		return nil
	case portable.ActionAdopt:
		c, err := record.ReadSchedule(a.h.schedules[w.Held.ID]) // as stored, whatever the service paused since
		if err != nil {
			return err
		}
		c.ManagedBy, c.Key = &a.by, w.Ref
		a.to.Note(journal.Adopt, journal.OfSchedule(w.Held), c.Version)
		a.to.Tx.Set(key, layout.FieldSpec, record.KeepSchedule(c))
		return nil
	}
	c := new(*w.Held)
	c.ScheduleSpec, c.ManagedBy, c.UpdatedAt, c.Version = w.Spec, &a.by, a.result.AppliedAt, w.Held.Version+1
	c.Key = w.Ref
	c.UpdatedBy = new(a.to.Who.User())
	if !c.Paused {
		c.PausedReason, c.Failures = "", 0
		a.to.Tx.Then("HDEL", key, layout.FieldFailures)
	}
	return a.storeSchedule(w, c, w.Held, room)
}

// judgedOn adds the conditions that the report by which an asset was judged is as it was read, if there is one: it says who may edit it.
func (a *applier) judgedOn(publicID string) {
	if r := a.reports[publicID]; r != nil {
		a.reportAsRead(r)
	}
}

// storeSchedule stores c in place of before, nil for none. Its runs are its owner's: who makes it, aims it elsewhere or ends a pause.
func (a *applier) storeSchedule(w *portable.ScheduleWrite, c, before *record.Schedule, room *record.ScheduleCount) (err error) {
	a.judgedOn(w.Target.PublicID)
	if c.Target, err = a.target(w.Target); err != nil {
		return err
	}
	if before == nil || c.Target != before.Target || before.Paused && !c.Paused || a.to.Who.Is(before.Owner.ID) {
		c.Owner = a.to.Who
	}
	tick, err := a.next(c, before)
	if err != nil {
		return err
	}
	if room != nil {
		if err := room.Admit(a.limits, a.to.Keys.Owner(c.ID), c); err != nil {
			return err
		}
	}
	a.to.WriteSchedule(c, before, tick)
	a.done(&w.AssetWrite, c.ID, c.Version)
	return nil
}
