package storage

import (
	"context"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Upsert creates a report with this publicId or updates the one that has it (interface.md, Create or update a report by publicId).
// A report that only shows the id, because it was synthesized, adopts it. allow is the access check: it sees the report to update, or nil
// to create one, may be asked again when another writer was faster, and its error is returned as it is. Other errors:
// *placements.Error.
func (s *Reports) Upsert(
	ctx context.Context, d record.Deployment, publicID string, in record.ReportInput, who record.Actor, allow func(*layout.Report) error,
) (r *layout.Report, err error) {
	if code, fault := record.PublicIDFault(publicID); fault != "" {
		return nil, &placements.Error{Code: code, Message: fault}
	}
	if in.PublicID.Sent && in.PublicID.OrZero() != publicID {
		message := fmt.Sprintf("The path says %s: send the same publicId, or none.", publicID)
		return nil, invalid(placements.CodePublicIDFixed, "/publicId", message)
	}
	k := s.db.Deployment(d)
	n := nameOfReport(k, publicID)
	n.shown = k.Synthesized(publicID)
	if r, err = s.upsertOnMemory(ctx, k, n, in, who, allow); err != nil && !errors.Is(err, ErrUnavailable) {
		// A refusal may be wrong where it rests on memory.
		err = s.names.byName(ctx, k, n, func(found named, h engine.Locks) error {
			r, err = s.upsertFound(ctx, k, n, found, h, in, who, allow)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	s.memory.KeepNamed(k, publicID, r)
	return r, nil
}

// upsertOnMemory updates a report that this process has upserted before, in one step instead of two: it decides on what it saw then, since
// a pipeline applies the same reports again and again. engine.ErrOvertaken: it saw none, the report was changed meanwhile, or the body places it.
func (s *Reports) upsertOnMemory(
	ctx context.Context, k keys.DeploymentKeys, n name, in record.ReportInput, who record.Actor, allow func(*layout.Report) error,
) (*layout.Report, error) {
	head, seen := s.memory.HeadNamed(k, n.text)
	if _, places := layout.ConnectionOf(&in.SpreadsheetKeys, &layout.Report{}); places || !seen {
		return nil, engine.ErrOvertaken
	}
	r := &layout.Report{ReportHead: *head}
	if err := allow(r); err != nil {
		return nil, err
	}
	var tx engine.Transaction
	tx.If("", "GET", k.Locks().Report(r.ID))
	tx.If(k.Owner(r.ID), "HGET", n.index, n.text)
	tx.If(r.Version, "HGET", k.Report(r.ID), layout.FieldVersion)
	if err := redefine(layout.NewRecorder(s.db, &tx, k, who), r, in); err != nil {
		return nil, err
	}
	if !tx.Idle() {
		r.Effect = record.Updated
	}
	tx.Read("HMGET", k.Report(r.ID), layout.FieldRefresh, layout.FieldEcho)
	tx.Read("HGETALL", k.Placements(r.ID))
	replies, err := s.db.Write(ctx, &tx)
	if err != nil {
		return nil, err
	}
	refresh := redis.List(replies[0])
	if err := r.ReadLastRefresh(refresh[0], refresh[1]); err != nil {
		return nil, err
	}
	r.Placements, err = layout.ReadPlacements(redis.Pairs(replies[1]))
	return r, err
}

// upsertFound creates or updates the report that n leads to, under h if that holds the locks.
func (s *Reports) upsertFound(
	ctx context.Context, k keys.DeploymentKeys, n name, found named, h engine.Locks, in record.ReportInput, who record.Actor, allow func(*layout.Report) error,
) (r *layout.Report, err error) {
	// What is decided on all placements of a report rests on its lock: its version says nothing of them.
	if _, places := layout.ConnectionOf(&in.SpreadsheetKeys, &layout.Report{}); places && found.exists && h.None() {
		if h, err = s.names.lockNamed(ctx, n, &found); err != nil {
			return nil, err
		}
		defer s.db.Unlock(ctx, h)
	}
	if found.exists {
		if r, err = s.reader.Report(k, found.id, found.record, found.placed); err != nil {
			return nil, err
		}
	}
	if err := allow(r); err != nil {
		return nil, err
	}
	var tx engine.Transaction
	to := layout.NewRecorder(s.db, &tx, k, who)
	if r == nil {
		r, err = s.newReport(ctx, to, found.id, n.text, in)
	} else {
		tx.If(r.Version, "HGET", k.Report(r.ID), layout.FieldVersion)
		if !found.stored {
			to.Adopt(r, n.text)
		}
		err = s.revise(ctx, to, r, in)
	}
	if err != nil || r.Effect == record.Unchanged {
		return r, err
	}
	n.leadsTo(&tx, k, found, h)
	if _, err = s.db.Write(ctx, &tx); err != nil {
		return nil, err
	}
	h.Released()
	return r, nil
}

// Create makes a report. With a publicId in the body that a report of the tenant has, the error is a *placements.Error:
// CodePublicIDTaken in this deployment, CodeElsewhere in another one.
func (s *Reports) Create(ctx context.Context, d record.Deployment, in record.ReportInput, who record.Actor) (r *layout.Report, err error) {
	k := s.db.Deployment(d)
	publicID := in.PublicID.OrZero()
	if publicID != "" {
		if code, fault := record.PublicIDFault(publicID); fault != "" {
			return nil, invalid(code, "/publicId", fault)
		}
	}
	n := nameOfReport(k, publicID)
	err = s.names.byName(ctx, k, n, func(found named, h engine.Locks) error {
		if found.exists {
			return layout.PublicIDTaken(k, k.Owner(found.id), publicID)
		}
		r, err = s.upsertFound(ctx, k, n, found, h, in, who, func(*layout.Report) error { return nil })
		return err
	})
	return r, err
}

// newReport decides a creation.
func (s *Reports) newReport(
	ctx context.Context, to *layout.Recorder, id int64, publicID string, in record.ReportInput,
) (*layout.Report, error) {
	r := &layout.Report{ReportHead: layout.NewHead(to.Keys, id, publicID, "")}
	r.UserID, r.Effect = to.Who.ID, record.Created
	r.Definition = record.NewDefinition(in.Source.OrZero(), to.Who, to.Timestamp())
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
	to.EnterReport(r)
	to.NoteMade(r.ID)
	if err := s.placeSent(ctx, to, r, in); err != nil {
		return nil, err
	}
	return r, nil
}

// placeSent records what the body's spreadsheet keys declare.
func (s *Reports) placeSent(ctx context.Context, to *layout.Recorder, r *layout.Report, in record.ReportInput) error {
	c, ok := layout.ConnectionOf(&in.SpreadsheetKeys, r)
	if !ok {
		return nil
	}
	at, err := s.sites.Of(ctx, to.Keys.TenantKeys, c.ExternalWorkbookID, true)
	if err != nil {
		return err
	}
	at.Need(to.Tx, to.Keys.TenantKeys)
	c.Whereabouts = at.Whereabouts
	stamp, err := placeStamp(to, r, 0)
	if err != nil {
		return err
	}
	ch, changed, err := placements.Declare(r.Places(), c, stamp)
	if err == nil && changed {
		err = s.sites.Bounded(to.Keys.At(), ch.Placement)
	}
	if err != nil || !changed {
		return err
	}
	ch.Placement.Spreadsheets = s.sites.Documents[to.Keys.At()].HostOf(ch.Placement)
	if address := c.ResultChecksum == nil; ch.Created || !address {
		to.RecordConnect(r, ch, address)
	} else {
		to.Resize(r, ch)
	}
	layout.SortPlaced(r.Placements)
	return nil
}
