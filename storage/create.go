package storage

import (
	"context"
	"fmt"

	"mooring/placements"
	"mooring/storage/record"
)

// CreateReport makes a report. With a publicId in the body that a report of the tenant has, the error is a *placements.Error:
// CodePublicIDTaken in this deployment, CodeElsewhere in another one.
func (s *Store) CreateReport(ctx context.Context, d Deployment, in record.ReportInput, who record.Actor) (r *Report, err error) {
	k := s.deployment(d)
	publicID := in.PublicID.OrZero()
	if publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
	}
	n := k.publicID(publicID)
	err = s.byName(ctx, k, n, func(found named, h held) error {
		if found.exists {
			return k.publicIDTaken(k.owner(found.id), publicID)
		}
		r, err = s.upsertFound(ctx, k, n, found, h, in, who, func(*Report) error { return nil })
		return err
	})
	return r, err
}

// newReport decides a creation.
func (s *Store) newReport(tx *txn, k deploymentKeys, id int64, publicID string, in record.ReportInput, who record.Actor) (*Report, error) {
	r := &Report{ReportHead: newHead(k, id, publicID, "")}
	r.UserID, r.Effect = who.ID, record.Created
	r.Definition = record.NewDefinition(in.Source.OrZero(), who, s.timestamp())
	if _, err := r.Definition.Host(); err != nil {
		return nil, invalid(placements.CodeInvalid, "/source",
			fmt.Sprintf("%q is no source: send SHEETS_A, SHEETS_B, PLAYGROUND or D3, or none.", r.Source))
	}
	if err := in.ApplyTo(&r.Definition); err != nil {
		return nil, err
	}
	if publicID == "" {
		r.SynthesizedID = record.SynthesizedID(r.Name, r.SQLQuery, r.JSONQuery)
		r.PublicID = r.SynthesizedID
	}
	tx.enter(k, r)
	if err := s.placeSent(tx, k, r, in, who); err != nil {
		return nil, err
	}
	return r, nil
}

// enter stores a report that is new.
func (t *txn) enter(k deploymentKeys, r *Report) {
	if r.StoredPublicID == "" {
		t.Then("SADD", k.synthesized(r.SynthesizedID), r.ID)
	} else {
		t.Then("HSET", k.publicIDs(), r.StoredPublicID, k.owner(r.ID))
	}
	t.Then("HSET", k.report(r.ID), fieldPublicID, r.StoredPublicID, fieldSynthesizedID, r.SynthesizedID)
	t.define(k, &r.ReportHead)
	t.Then("ZADD", k.reports(), r.ID, r.ID)
}
