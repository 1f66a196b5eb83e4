package storage

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/standing"
)

// UpdateReport sets the fields of a report that were sent. allow is asked under the lock and sees the report as stored, so it may also
// check If-Match and expectedVersion; its error is returned as it is. What changes nothing leaves version and updatedAt alone.
//
// A publicId sent to a report that stores none is assigned permanently, also the synthesized one that the report shows, unless the body was
// read back. Errors: ErrNotFound, *placements.Error.
func (s *Store) UpdateReport(
	ctx context.Context, d record.Deployment, id int64, in record.ReportInput, who record.Actor, allow func(*Report) error,
) (*Report, error) {
	k := s.deployment(d)
	var more []string
	if publicID := in.PublicID.OrZero(); publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
		more = append(more, k.PublicIDLock(publicID))
	}
	h, r, err := s.lockReport(ctx, k, id, more...)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return nil, err
	}
	if faults := r.Faults(in); len(faults) > 0 {
		return nil, placements.Faulty(faults...)
	}
	var tx txn
	if err := s.assign(ctx, &tx, k, r, in); err != nil {
		return nil, err
	}
	if err := s.revise(ctx, &tx, k, r, in, who); err != nil || tx.Idle() {
		return r, err
	}
	if err := s.commit(ctx, h, &tx); err != nil {
		return nil, err
	}
	s.keepReport(k, r)
	return r, nil
}

// assign stores a publicId with a report that has none; the caller holds the locks of both.
func (s *Store) assign(ctx context.Context, tx *txn, k deploymentKeys, r *Report, in record.ReportInput) error {
	publicID := in.PublicID.OrZero()
	if r.StoredPublicID != "" || publicID == "" || publicID == r.PublicID && in.ReadBack {
		return nil
	}
	owner, taken, err := claimed(ctx, s.rdb, k.PublicIDs(), publicID)
	if err != nil {
		return err
	}
	if taken {
		return k.publicIDTaken(owner, publicID)
	}
	adopt(tx, k, r, publicID)
	return nil
}

// Faults are those of a body for r that depend on what r stores: a publicId that would change, and an address that names no cell even with
// what r repeats of it.
func (r *Report) Faults(in record.ReportInput) (faults []placements.Detail) {
	if in.PublicID.Sent && r.StoredPublicID != "" && in.PublicID.OrZero() != r.StoredPublicID {
		message := fmt.Sprintf("The publicId of this report is %s and cannot be changed: leave it out.", r.StoredPublicID)
		faults = append(faults, placements.Detail{Pointer: "/publicId", Code: placements.CodePublicIDFixed, Message: message})
	}
	if c, places := connectionOf(&in.SpreadsheetKeys, r); places {
		_, wrong := c.Place()
		faults = append(faults, placements.DetailsOf(placements.Declared(wrong))...)
	}
	return faults
}

// adopt makes publicID the stored one of r.
func adopt(tx *txn, k deploymentKeys, r *Report, publicID string) {
	tx.Then("HSET", k.PublicIDs(), publicID, k.Owner(r.ID))
	tx.Then("HSET", k.Report(r.ID), fieldPublicID, publicID)
	tx.Then("SREM", k.Synthesized(r.SynthesizedID), r.ID)
	r.StoredPublicID, r.PublicID = publicID, publicID
}

// revise sets the fields of r that were sent; tx holds what was decided before. When there is nothing to change tx stays idle.
func (s *Store) revise(ctx context.Context, tx *txn, k deploymentKeys, r *Report, in record.ReportInput, who record.Actor) error {
	if err := s.redefine(tx, k, r, in, who); err != nil {
		return err
	}
	if err := s.placeSent(ctx, tx, k, r, in, who); err != nil {
		return err
	}
	if !tx.Idle() {
		r.Effect = record.Updated
	}
	return nil
}

// redefine sets the fields of r that were sent; tx holds what was decided before.
func (s *Store) redefine(tx *txn, k deploymentKeys, r *Report, in record.ReportInput, who record.Actor) error {
	old, adopted := r.Definition, !tx.Idle()
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
		s.nextVersion(tx, k, r, &old, who)
	}
	if old.CurrentChecksum != r.CurrentChecksum {
		standing.Restand(&tx.Txn, k.DeploymentKeys, r.ID, r.CurrentChecksum)
	}
	if !adopted && !changed {
		return nil
	}
	pointers := journal.ReportPointers(&old, &r.Definition)
	if adopted {
		pointers = append(pointers, "/publicId")
	}
	tx.note(k, journal.Of(who, journal.Update, journal.OfReport(r.ID, r.Name)).Made(r.Version, pointers...))
	return nil
}

// keepReport remembers r as it was just written: who writes or reads next most likely finds it so.
func (s *Store) keepReport(k deploymentKeys, r *Report) {
	s.rememberHead(k, r.ReportHead)
	s.keepDefinition(k.Report(r.ID), r.DefinitionText, r.Definition)
}

// nextVersion stores r's definition as who changed it, and keeps the one before, old.
func (s *Store) nextVersion(tx *txn, k deploymentKeys, r *Report, old *record.Definition, who record.Actor) {
	tx.archive(k, r, old)
	r.Version++
	r.UpdatedAt, r.UpdatedBy = s.timestamp(), new(who.User())
	tx.define(k, &r.ReportHead)
}

// UpdateAccess replaces the roles that may do something with a report. allow as for UpdateReport.
func (s *Store) UpdateAccess(
	ctx context.Context, d record.Deployment, id int64, roles []record.RoleAccess, who record.Actor, allow func(*Report) error,
) (*Report, error) {
	k := s.deployment(d)
	h, r, err := s.lockReport(ctx, k, id)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return nil, err
	}
	if roles == nil {
		roles = []record.RoleAccess{}
	}
	if reflect.DeepEqual(roles, r.RolesWithAccess) {
		return r, nil
	}
	old := r.Definition
	r.RolesWithAccess = roles
	var tx txn
	s.nextVersion(&tx, k, r, &old, who)
	tx.note(k, journal.Of(who, journal.Access, journal.OfReport(r.ID, r.Name)).Made(r.Version, "/rolesWithAccess"))
	r.Effect = record.Updated
	return r, s.commit(ctx, h, &tx)
}

// DeleteReport removes a report, its placements from every index, its claim on its publicId, and these schedules. allow as for
// UpdateReport.
func (s *Store) DeleteReport(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*Report) error, schedules ...*record.Schedule,
) error {
	k := s.deployment(d)
	ids, locks := make([]int64, len(schedules)), make([]string, len(schedules))
	for i, schedule := range schedules {
		ids[i], locks[i] = schedule.ID, k.ScheduleLock(schedule.ID)
	}
	h, r, err := s.lockReport(ctx, k, id, locks...)
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return err
	}
	if schedules, err = s.readableSchedules(ctx, k, ids); err != nil { // others may have deleted some of them, or aimed them elsewhere
		return err
	}
	schedules = slices.DeleteFunc(schedules, func(c *record.Schedule) bool { return c.Target.ReportID != id })
	var tx txn
	k.dropReport(&tx, r)
	tx.note(k, journal.Of(who, journal.Delete, journal.OfReport(r.ID, r.Name)))
	s.entomb(&tx, k, r.ManagedBy, portable.ReportKey(r.PublicID), who)
	for i := range r.Placements {
		s.entombPlacement(&tx, k, &r.Placements[i].Placement, who)
	}
	for _, schedule := range schedules {
		s.deleteSchedule(&tx, k, schedule, who)
	}
	return s.commit(ctx, h, &tx)
}

// dropReport adds what removing a report changes: its placements, in every index, and its claim on its publicId go too.
func (k deploymentKeys) dropReport(tx *txn, r *Report) {
	dropPlacements(tx, k, r)
	journal.Forget(&tx.Txn, k.DeploymentKeys, r.ID)
	tx.Then("DEL", k.Failing(r.ID))
	tx.Then("unlist", k.RunList(record.ReportFacet(r.ID)), k.Run(""))
	tx.Then("DEL", k.Report(r.ID))
	tx.Then("ZREM", k.Reports(), r.ID)
	if r.StoredPublicID != "" {
		tx.Then("HDEL", k.PublicIDs(), r.StoredPublicID)
	} else {
		tx.Then("SREM", k.Synthesized(r.SynthesizedID), r.ID)
	}
}
