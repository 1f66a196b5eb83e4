package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"mooring/placements"
	"mooring/storage/record"
)

// CreateReport makes a report. With a publicId in the body that a report of the tenant has, the error is a *placements.Error:
// CodePublicIDTaken in this deployment, CodeElsewhere in another one.
func (s *Store) CreateReport(ctx context.Context, d Deployment, in record.ReportInput, who record.Actor) (*Report, error) {
	k := s.deployment(d)
	publicID := in.PublicID.OrZero()
	if publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
	}
	h, id, err := s.lockNewReport(ctx, k, publicID)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	r, todo, err := s.newReport(k, id, publicID, in, who)
	if err != nil {
		return nil, err
	}
	return r, s.commit(ctx, h, todo)
}

// newReport decides a creation: the report and what it changes.
func (s *Store) newReport(k deploymentKeys, id int64, publicID string, in record.ReportInput, who record.Actor) (*Report, changes, error) {
	var todo changes
	now := s.timestamp()
	r := &Report{ID: id, DeploymentID: k.deployment, Type: "REPORT", PublicID: publicID, UserID: who.ID, StoredPublicID: publicID, Effect: record.Created}
	r.Definition = record.Definition{
		Meta: json.RawMessage("{}"), RolesWithAccess: []record.RoleAccess{}, Source: in.Source.OrZero(),
		CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, User: who.User(), UpdatedBy: new(who.User()), Version: 1,
	}
	if _, err := r.Host(); err != nil {
		return nil, todo, invalid(placements.CodeInvalid, "/source",
			fmt.Sprintf("%q is no source: send SHEETS_A, SHEETS_B, PLAYGROUND or D3, or none.", r.Source))
	}
	if err := in.ApplyTo(&r.Definition); err != nil {
		return nil, todo, err
	}
	if publicID == "" {
		r.SynthesizedID = record.SynthesizedID(r.Name, r.SQLQuery, r.JSONQuery)
		r.PublicID = r.SynthesizedID
		todo.add("SADD", k.synthesized(r.SynthesizedID), id)
	} else {
		todo.add("HSET", k.publicIDs(), publicID, k.owner(id))
	}
	todo.add("HSET", k.report(id), fieldPublicID, publicID, fieldSynthesizedID, r.SynthesizedID)
	todo.define(k, r)
	todo.add("ZADD", k.reports(), id, id)
	if err := s.placeSent(&todo, k, r, in, who); err != nil {
		return nil, todo, err
	}
	return r, todo, nil
}
