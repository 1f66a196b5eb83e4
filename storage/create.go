package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// ReportInput is the body of create, update and upsert (interface.md, Report request body; decisions.md §4). What decides alone, such as
// types and lengths, is checked by the caller; what needs the stored state is checked here.
type ReportInput struct {
	PublicID    Optional[string]
	Name        Optional[string]
	Title       Optional[string]
	Description Optional[string]
	SQLQuery    Optional[string]
	JSONQuery   Optional[string]
	PivotItems  Optional[PivotItems]
	RowKey      Optional[[]string] // names of columns, distinct
	Meta        Optional[json.RawMessage]
	FolderID    Optional[int64]
	WorkbookID  Optional[int64]
	Source      Optional[string]
	SpreadsheetKeys
}

// CreateReport makes a report. With a publicId in the body that a report of the tenant has, it is a *Conflict: public_id_taken
// in this deployment, without a code in another one.
func (s *Store) CreateReport(ctx context.Context, d Deployment, in ReportInput, who Actor) (*Report, error) {
	k := s.deployment(d)
	publicID := in.PublicID.OrZero()
	if publicID != "" {
		if code, fault := PublicIDFault(publicID); fault != "" {
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
func (s *Store) newReport(k deploymentKeys, id int64, publicID string, in ReportInput, who Actor) (*Report, changes, error) {
	var todo changes
	now := s.timestamp()
	r := &Report{ID: id, DeploymentID: k.deployment, Type: "REPORT", PublicID: publicID, UserID: who.ID, StoredPublicID: publicID, Effect: Created}
	r.Definition = Definition{
		Meta: json.RawMessage("{}"), RolesWithAccess: []RoleAccess{}, Source: in.Source.OrZero(),
		CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, User: who.User(), UpdatedBy: new(who.User()), Version: 1,
	}
	if _, err := r.host(); err != nil {
		return nil, todo, invalid("", "/source", fmt.Sprintf("%q is no source: send SHEETS_A, SHEETS_B, PLAYGROUND or D3, or none.", r.Source))
	}
	if err := in.applyTo(&r.Definition); err != nil {
		return nil, todo, err
	}
	if publicID == "" {
		r.SynthesizedID = synthesizedID(r.Name, r.SQLQuery, r.JSONQuery)
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

// applyTo gives d the fields sent and the checksum of the query that follows from them.
func (in *ReportInput) applyTo(d *Definition) (err error) {
	old := *d
	in.Name.set(&d.Name)
	in.Title.set(&d.Title)
	in.Description.set(&d.Description)
	in.SQLQuery.set(&d.SQLQuery)
	in.JSONQuery.set(&d.JSONQuery)
	in.PivotItems.setNullable(&d.PivotItems)
	d.PivotItems = d.PivotItems.whole()
	in.RowKey.set(&d.RowKey)
	in.FolderID.setNullable(&d.FolderID)
	in.WorkbookID.setNullable(&d.WorkbookID)
	if in.Meta.Sent {
		if d.Meta, err = compactObject(in.Meta.OrZero()); err != nil {
			return fmt.Errorf("meta: %w", err)
		}
	}
	if d.CurrentChecksum == "" || !d.sameQuery(&old) {
		d.CurrentChecksum, err = queryChecksum(d)
	}
	return err
}

// sameQuery tells whether what decides the cells is the same in two definitions.
func (d *Definition) sameQuery(o *Definition) bool {
	return d.SQLQuery == o.SQLQuery && d.JSONQuery == o.JSONQuery && reflect.DeepEqual(d.PivotItems, o.PivotItems)
}

// whole gives p with empty lists for those that are missing; nil stays nil.
func (p *PivotItems) whole() *PivotItems {
	if p == nil {
		return nil
	}
	w := *p
	for _, list := range []*[]string{&w.Columns, &w.Filters, &w.Measures, &w.Rows} {
		if *list == nil {
			*list = []string{}
		}
	}
	return &w
}
