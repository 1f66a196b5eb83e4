package storage

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// UpdateReport gives a report the fields sent. allow is asked under the lock and sees the report as stored, so it may also
// check If-Match and expectedVersion; its error is returned as it is. What changes nothing leaves version and updatedAt alone.
//
// A publicId sent to a report that stores none is assigned once and for all; the one that the report shows already is no change, even
// when it is only synthesized. Errors: ErrNotFound, *placements.Error.
func (s *Store) UpdateReport(ctx context.Context, d Deployment, id int64, in record.ReportInput, who record.Actor, allow func(*Report) error) (*Report, error) {
	k := s.deployment(d)
	var more []string
	if publicID := in.PublicID.OrZero(); publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
		more = append(more, k.publicIDLock(publicID))
	}
	h, r, err := s.lockReport(ctx, k, id, more...)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return nil, err
	}
	var todo changes
	if err := s.assign(ctx, &todo, k, r, in.PublicID); err != nil {
		return nil, err
	}
	return r, s.applyAndCommit(ctx, h, todo, k, r, in, who)
}

// invalid returns the error of a body with one fault.
func invalid(code placements.Code, pointer, message string) error {
	return placements.Faulty(placements.Detail{Pointer: pointer, Code: code, Message: message})
}

// assign stores a publicId with a report that has none; the caller holds the locks of both.
func (s *Store) assign(ctx context.Context, todo *changes, k deploymentKeys, r *Report, sent placements.Optional[string]) error {
	publicID := sent.OrZero()
	switch {
	case !sent.Sent, publicID == r.PublicID:
		return nil
	case r.StoredPublicID != "":
		message := fmt.Sprintf("The publicId of this report is %s and cannot be changed: leave it out.", r.StoredPublicID)
		return invalid(placements.CodePublicIDFixed, "/publicId", message)
	case publicID == "":
		return nil
	}
	owner, taken, err := claimed(ctx, s.rdb, k.publicIDs(), publicID)
	if err != nil {
		return err
	}
	if taken {
		return k.publicIDTaken(owner, publicID)
	}
	adopt(todo, k, r, publicID)
	return nil
}

// adopt makes publicID the stored one of r.
func adopt(todo *changes, k deploymentKeys, r *Report, publicID string) {
	todo.add("HSET", k.publicIDs(), publicID, k.owner(r.ID))
	todo.add("HSET", k.report(r.ID), fieldPublicID, publicID)
	todo.add("SREM", k.synthesized(r.SynthesizedID), r.ID)
	r.StoredPublicID, r.PublicID = publicID, publicID
}

// applyAndCommit gives r the fields sent and commits them with what todo holds already; nothing to change is a success.
func (s *Store) applyAndCommit(ctx context.Context, h held, todo changes, k deploymentKeys, r *Report, in record.ReportInput, who record.Actor) error {
	if err := s.redefine(&todo, k, r, in, who.User()); err != nil {
		return err
	}
	if err := s.placeSent(&todo, k, r, in, who); err != nil {
		return err
	}
	if todo.none() {
		return nil
	}
	r.Effect = record.Updated
	return s.commitReport(ctx, h, todo, k, r)
}

// redefine gives r the fields sent; todo holds what was decided before.
func (s *Store) redefine(todo *changes, k deploymentKeys, r *Report, in record.ReportInput, who record.User) error {
	old := r.Definition
	r.Meta = slices.Clone(old.Meta)
	if err := in.ApplyTo(&r.Definition); err != nil {
		return err
	}
	if record.SameJSON(old.Meta, r.Meta) {
		r.Meta = old.Meta
	}
	// A publicId that was adopted as shown changes nothing that anyone can see.
	renamed := !todo.none() && r.StoredPublicID != r.SynthesizedID
	if renamed || !reflect.DeepEqual(old, r.Definition) {
		s.nextVersion(todo, k, r, who)
	}
	return nil
}

// commitReport commits what was decided about a report and remembers its definition: who writes or reads next most likely finds it
// so.
func (s *Store) commitReport(ctx context.Context, h held, todo changes, k deploymentKeys, r *Report) error {
	err := s.commit(ctx, h, todo)
	if err == nil {
		s.definitions.keep(k.report(r.ID), r.DefinitionText, r.Definition)
	}
	return err
}

// nextVersion stores r's definition as who changed it.
func (s *Store) nextVersion(todo *changes, k deploymentKeys, r *Report, who record.User) {
	r.Version++
	r.UpdatedAt, r.UpdatedBy = s.timestamp(), &who
	todo.define(k, r)
}

// UpdateAccess replaces the roles that may do something with a report. allow as for UpdateReport.
func (s *Store) UpdateAccess(
	ctx context.Context, d Deployment, id int64, roles []record.RoleAccess, who record.User, allow func(*Report) error,
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
	r.RolesWithAccess = roles
	var todo changes
	s.nextVersion(&todo, k, r, who)
	r.Effect = record.Updated
	return r, s.commit(ctx, h, todo)
}

// DeleteReport removes a report, its placements from every index, its claim on its publicId, and these schedules. allow as for
// UpdateReport.
func (s *Store) DeleteReport(ctx context.Context, d Deployment, id int64, allow func(*Report) error, schedules ...*record.Schedule) error {
	k := s.deployment(d)
	locks := make([]string, len(schedules))
	for i, schedule := range schedules {
		locks[i] = k.scheduleLock(schedule.ID)
	}
	h, r, err := s.lockReport(ctx, k, id, locks...)
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	if err := allow(r); err != nil {
		return err
	}
	var todo changes
	dropPlacements(&todo, k, r)
	for _, schedule := range schedules {
		k.dropSchedule(&todo, schedule)
	}
	todo.add("DEL", k.failing(id))
	todo.add("DEL", k.report(id))
	todo.add("ZREM", k.reports(), id)
	if r.StoredPublicID != "" {
		todo.add("HDEL", k.publicIDs(), r.StoredPublicID)
	} else {
		todo.add("SREM", k.synthesized(r.SynthesizedID), id)
	}
	return s.commit(ctx, h, todo)
}
