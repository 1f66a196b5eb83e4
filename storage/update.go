package storage

import (
	"context"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// Update sets the fields of a report that were sent. allow sees the report as stored, so it may also check If-Match and expectedVersion, and
// may be asked again; its error is returned as it is. What changes nothing leaves version and updatedAt alone.
//
// A publicId sent to a report that stores none is assigned permanently, also the synthesized one that the report shows, unless the body was
// read back. Errors: ErrNotFound, *placements.Error.
func (s *Reports) Update(
	ctx context.Context, d record.Deployment, id int64, in record.ReportInput, who record.Actor, allow func(*layout.Report) error,
) (*layout.Report, error) {
	k := s.db.Deployment(d)
	var more []string
	if publicID := in.PublicID.OrZero(); publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
		more = append(more, k.PublicIDLock(publicID))
	}
	change := s.reader.Redefine
	if _, places := layout.ConnectionOf(&in.SpreadsheetKeys, &layout.Report{}); places {
		change = s.reader.Change
	}
	var updated *layout.Report
	err := change(ctx, k, id, who, more, func(to *layout.Recorder, r *layout.Report) error {
		if err := allow(r); err != nil {
			return err
		}
		if faults := r.Faults(in); len(faults) > 0 {
			return placements.Faulty(faults...)
		}
		updated = r
		if err := s.assign(ctx, to, r, in); err != nil {
			return err
		}
		return s.revise(ctx, to, r, in)
	})
	if err != nil {
		return nil, err
	}
	if updated.Effect != record.Unchanged {
		s.memory.Keep(k, updated)
	}
	return updated, nil
}

// assign stores a publicId with a report that has none.
func (s *Reports) assign(ctx context.Context, to *layout.Recorder, r *layout.Report, in record.ReportInput) error {
	publicID := in.PublicID.OrZero()
	if r.StoredPublicID != "" || publicID == "" || publicID == r.PublicID && in.ReadBack {
		return nil
	}
	owner, taken, err := claimed(ctx, s.db.Redis, to.Keys.PublicIDs(), publicID)
	if err != nil {
		return err
	}
	if taken {
		return layout.PublicIDTaken(to.Keys, owner, publicID)
	}
	to.Tx.If("", "HGET", to.Keys.PublicIDs(), publicID)
	to.Adopt(r, publicID)
	return nil
}

// revise sets the fields of r that were sent; to has what was decided before. When there is nothing to change its step stays idle.
func (s *Reports) revise(ctx context.Context, to *layout.Recorder, r *layout.Report, in record.ReportInput) error {
	if err := redefine(to, r, in); err != nil {
		return err
	}
	if err := s.placeSent(ctx, to, r, in); err != nil {
		return err
	}
	if !to.Tx.Idle() {
		r.Effect = record.Updated
	}
	return nil
}

// redefine sets the fields of r that were sent, but for those that place it; to has what was decided before.
func redefine(to *layout.Recorder, r *layout.Report, in record.ReportInput) error {
	old, adopted := r.Definition, !to.Tx.Idle()
	r.Meta = slices.Clone(old.Meta)
	if err := in.ApplyTo(&r.Definition); err != nil {
		return err
	}
	if record.SameJSON(old.Meta, r.Meta) {
		r.Meta = old.Meta
	}
	// A publicId that was adopted as shown changes nothing that anyone can see.
	renamed := adopted && r.StoredPublicID != r.SynthesizedID
	changed := renamed || !reflect.DeepEqual(old, r.Definition)
	if changed {
		to.NextVersion(r, &old)
	}
	if !adopted && !changed {
		return nil
	}
	pointers := journal.ReportPointers(&old, &r.Definition)
	if adopted {
		pointers = append(pointers, "/publicId")
	}
	to.Note(journal.Update, journal.OfReport(r.ID, r.Name), r.Version, pointers...)
	return nil
}

// UpdateAccess replaces the roles that may do something with a report. allow as for Update.
func (s *Reports) UpdateAccess(
	ctx context.Context, d record.Deployment, id int64, roles []record.RoleAccess, who record.Actor, allow func(*layout.Report) error,
) (*layout.Report, error) {
	k := s.db.Deployment(d)
	if roles == nil {
		roles = []record.RoleAccess{}
	}
	var updated *layout.Report
	err := s.reader.Redefine(ctx, k, id, who, nil, func(to *layout.Recorder, r *layout.Report) error {
		if err := allow(r); err != nil {
			return err
		}
		if updated = r; reflect.DeepEqual(roles, r.RolesWithAccess) {
			return nil
		}
		old := r.Definition
		r.RolesWithAccess = roles
		to.NextVersion(r, &old)
		to.Note(journal.Access, journal.OfReport(r.ID, r.Name), r.Version, "/rolesWithAccess")
		r.Effect = record.Updated
		return nil
	})
	return updated, err
}

// Delete removes a report, its placements from every index, its claim on its publicId, and these schedules. allow as for
// Update.
func (s *Reports) Delete(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*layout.Report) error, schedules ...*record.Schedule,
) error {
	k := s.db.Deployment(d)
	ids, locks := make([]int64, len(schedules)), make([]string, len(schedules))
	for i, schedule := range schedules {
		ids[i], locks[i] = schedule.ID, k.Locks().Schedule(schedule.ID)
	}
	return s.reader.Change(ctx, k, id, who, locks, func(to *layout.Recorder, r *layout.Report) error {
		if err := allow(r); err != nil {
			return err
		}
		schedules, err := layout.ReadableSchedules(ctx, s.db, k, ids) // others may have deleted some of them, or aimed them elsewhere
		if err != nil {
			return err
		}
		dropReport(to, r, schedules)
		return nil
	})
}

// dropReport decides the deletion of a report with those of these schedules that are of it.
func dropReport(to *layout.Recorder, r *layout.Report, schedules []*record.Schedule) {
	to.DropReport(r)
	entomb(to, r.ManagedBy, portable.ReportKey(r.PublicID))
	for i := range r.Placements {
		entombPlacement(to, &r.Placements[i].Placement)
	}
	for _, schedule := range schedules {
		if schedule.Target.ReportID == r.ID {
			dropSchedule(to, schedule)
		}
	}
}

// entomb notes with the project that manages an asset, if one does, that it was deleted by hand.
func entomb(to *layout.Recorder, by *record.ManagedBy, key portable.AssetKey) {
	if by != nil {
		to.Tx.Set(to.Keys.Project(by.Project), key.DeletedField(), portable.Deletion{By: new(to.Who.User()).Label(), At: to.Timestamp()})
	}
}

// entombPlacement is entomb for a placement, which may have been moved since it was applied.
func entombPlacement(to *layout.Recorder, p *placements.Placement) {
	entomb(to, p.ManagedBy, portable.PlacementTomb(p.ID))
}
