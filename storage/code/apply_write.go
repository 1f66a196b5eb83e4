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
	"mooring/storage/standing"
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
	a.managedAs(a.k.Report(r.ID), w.Held.ManagedBy)
	var changed []string
	if r.StoredPublicID == "" {
		changed = append(changed, "/publicId")
		a.free(a.k.PublicIDLock(w.Ref))
		a.tx.If("", "HGET", a.k.PublicIDs(), w.Ref)
		a.tx.If(1, "SISMEMBER", a.k.Synthesized(r.SynthesizedID), r.ID) // none is stored
		layout.Adopt(&a.tx, a.k, r, w.Ref)
	} else {
		a.tx.If(a.k.Owner(r.ID), "HGET", a.k.PublicIDs(), w.Ref)
	}
	verb, old := journal.Adopt, r.Definition
	if w.Action == portable.ActionUpdate {
		r.Definition, verb = w.Definition, journal.Update
		layout.NextVersion(a.db, &a.tx, a.k, r, &old, a.who)
		standing.Restand(&a.tx.Txn, a.k, r.ID, r.CurrentChecksum)
	}
	a.note(verb, journal.OfReport(r.ID, r.Name), r.Version, append(changed, journal.ReportPointers(&old, &r.Definition)...))
	a.setManaged(a.k.Report(r.ID))
	a.done(&w.AssetWrite, r.ID, r.Version)
}

func (a *applier) createReport(w *portable.ReportWrite) {
	a.free(a.k.PublicIDLock(w.Ref))
	a.tx.If("", "HGET", a.k.PublicIDs(), w.Ref)
	a.tx.If(0, "SCARD", a.k.Synthesized(w.Ref))
	r := &layout.Report{ReportHead: layout.NewHead(a.k, a.takeID("report"), w.Ref, "")}
	r.Definition, r.UserID = w.Definition, a.who.ID
	layout.EnterReport(&a.tx, a.k, r)
	a.note(journal.Create, journal.OfReport(r.ID, r.Name), r.Version, nil)
	a.asked[a.k.Report(r.ID)], a.asked[a.k.Locks().Reference(r.ID)] = true, true // there is none yet
	a.setManaged(a.k.Report(r.ID))
	a.reports[w.Ref] = r
	a.done(&w.AssetWrite, r.ID, r.Version)
}

// reportAsRead adds the conditions that a report has the version that was read and that no other writer holds its lock.
func (a *applier) reportAsRead(r *layout.Report) {
	if a.once(a.k.Report(r.ID)) {
		a.free(a.k.Locks().Report(r.ID))
		a.tx.If(r.Version, "HGET", a.k.Report(r.ID), layout.FieldVersion)
	}
}

// dropReport deletes a report with what is placed of it.
func (a *applier) dropReport(w *portable.ReportWrite) {
	r := a.reports[w.Ref]
	a.reportAsRead(r)
	a.managedAs(a.k.Report(r.ID), w.Held.ManagedBy)
	a.tx.If(a.references.Token, "GET", a.k.Locks().Reference(r.ID))
	spots := 0
	for i := range r.Placements {
		spots += len(r.Placements[i].Position().SpotMembers())
	}
	a.tx.If(spots, "ZCARD", a.k.Spots(r.ID))
	for i := range r.Placements {
		a.placementAsRead(r, i)
	}
	layout.DropReport(&a.tx, a.k, r)
	a.note(journal.Delete, journal.OfReport(r.ID, r.Name), 0, nil)
	a.done(&w.AssetWrite, r.ID, 0)
}

// placementAsRead adds the condition that a placement was not written since it was read.
func (a *applier) placementAsRead(r *layout.Report, index int) {
	p := &r.Placements[index]
	if at := p.Position(); a.once(a.k.Placements(r.ID) + at.AddressKey) {
		a.tx.If(layout.AddressValue(at.Slot, p.Rev), "HGET", a.k.Placements(r.ID), layout.AddressField+at.AddressKey)
	}
}

// siteAsRead adds the condition that the document of a placement is where it was.
func (a *applier) siteAsRead(w *portable.PlacementWrite) {
	for _, named := range a.plan.Assets[w.Asset].Documents {
		if at, known := a.h.sites[named]; known && a.once(a.k.Sites()+at.ID) {
			at.Need(&a.tx, a.k.TenantKeys)
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
		a.disconnect(from, p)
		a.done(&w.AssetWrite, p.ID, 0)
		return
	case w.From.PublicID != w.Report:
		a.disconnect(from, p)
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
			a.tx.If("", "HGET", a.k.Placements(from.ID), layout.AddressField+at.AddressKey)
		}
		a.note(journal.Update, journal.OfPlacement(from.ID, &next), 0, journal.PlacementPointers(&p.Placement, &next))
		layout.RecordConnect(a.db, &a.tx, a.k, from, placements.Change{Placement: next, Index: index}, true, a.who)
	}
	a.done(&w.AssetWrite, next.ID, 0)
	a.remember(next)
}

// keepPlacement makes a placement the project's, and says who placed it, and else leaves it as it is: it does not claim its cells anew.
func (a *applier) keepPlacement(w *portable.PlacementWrite, verb string, r *layout.Report, index int) {
	before := &r.Placements[index].Placement
	next := *before
	next.Placer, next.ManagedBy = w.Placement.Placer, &a.by
	a.note(verb, journal.OfPlacement(r.ID, &next), 0, journal.PlacementPointers(before, &next))
	layout.RewritePlacement(&a.tx, a.k, r, index, next)
	a.done(&w.AssetWrite, next.ID, 0)
	a.remember(next)
}

func (a *applier) disconnect(r *layout.Report, p *layout.Placed) {
	slot := p.Position().Slot
	layout.DropPlacement(&a.tx, a.k, r.ID, p)
	layout.Unecho(&a.tx, a.k, r.ID, slot)
	a.tx.Publish(a.k, record.EventPlacementDisconnected, r.ID, &p.Placement)
	a.note(journal.Disconnect, journal.OfPlacement(r.ID, &p.Placement), 0, nil)
}

// place places a report where it does not stand yet.
func (a *applier) place(w *portable.PlacementWrite, next placements.Placement) {
	r := a.reports[w.Report]
	a.reportAsRead(r)
	a.tx.If("", "HGET", a.k.Placements(r.ID), layout.AddressField+next.AddressKey())
	next.ID = rand.Text()
	a.note(journal.Connect, journal.OfPlacement(r.ID, &next), 0, nil)
	layout.RecordConnect(a.db, &a.tx, a.k, r, placements.Change{Placement: next, Index: -1, Created: true}, true, a.who)
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

func (a *applier) createSchedule(w *portable.ScheduleWrite, room *record.ScheduleCount) error {
	a.free(a.k.Locks().ScheduleKey(w.Ref))
	a.tx.If("", "HGET", a.k.ScheduleKeys(), w.Ref)
	now := a.result.AppliedAt
	c := &record.Schedule{
		ID: a.takeID("schedule"), DeploymentID: a.k.ID, ScheduleSpec: w.Spec, CreatedAt: now, UpdatedAt: now,
		CreatedBy: a.who.ID, UpdatedBy: new(a.who.User()), Version: 1, Owner: a.who, ManagedBy: &a.by,
	}
	c.Key = w.Ref
	a.tx.Then("HSET", a.k.ScheduleKeys(), c.Key, a.k.Owner(c.ID))
	a.note(journal.Create, journal.OfSchedule(c), c.Version, nil)
	return a.storeSchedule(w, c, nil, room)
}

func (a *applier) writeSchedule(w *portable.ScheduleWrite, room *record.ScheduleCount) error {
	key := a.k.Schedule(w.Held.ID)
	a.free(a.k.Locks().Schedule(w.Held.ID))
	a.judgedOn(a.h.PublicIDs[w.Held.Target.ReportID])
	a.tx.If(a.h.schedules[w.Held.ID], "HGET", key, layout.FieldSpec) // it holds the version
	a.done(&w.AssetWrite, w.Held.ID, w.Held.Version)
	switch w.Action {
	case portable.ActionDelete:
		a.done(&w.AssetWrite, w.Held.ID, 0)
		layout.DropSchedule(&a.tx, a.k, w.Held)
		a.note(journal.Delete, journal.OfSchedule(w.Held), 0, nil)
		return nil
	case portable.ActionAdopt:
		c, err := record.ReadSchedule(a.h.schedules[w.Held.ID]) // as stored, whatever the service paused since
		if err != nil {
			return err
		}
		c.ManagedBy = &a.by
		a.note(journal.Adopt, journal.OfSchedule(w.Held), c.Version, nil)
		a.tx.Set(key, layout.FieldSpec, record.KeepSchedule(c))
		return nil
	}
	c := new(*w.Held)
	c.ScheduleSpec, c.ManagedBy, c.UpdatedAt, c.Version = w.Spec, &a.by, a.result.AppliedAt, w.Held.Version+1
	c.UpdatedBy = new(a.who.User())
	if !c.Paused {
		c.PausedReason, c.Failures = "", 0
		a.tx.Then("HDEL", key, layout.FieldFailures)
	}
	if err := a.storeSchedule(w, c, w.Held, room); err != nil {
		return err
	}
	a.tx.Note(a.k, journal.ScheduleChange(a.who, w.Held, c))
	return nil
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
	if before == nil || c.Target != before.Target || before.Paused && !c.Paused || a.who.Is(before.Owner.ID) {
		c.Owner = a.who
	}
	tick, err := a.next(c, before)
	if err != nil {
		return err
	}
	if room != nil {
		if err := room.Admit(a.limits, a.k.Owner(c.ID), c); err != nil {
			return err
		}
	}
	layout.WriteSchedule(&a.tx, a.k, c, before, tick)
	a.done(&w.AssetWrite, c.ID, c.Version)
	return nil
}
