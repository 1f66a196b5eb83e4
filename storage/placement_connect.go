package storage

import (
	"context"
	"crypto/rand"
	"reflect"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Connect records a placement of a report (interface.md, Connect) on behalf of who. expects, unless nil, is asked with the report that
// the write is decided on; its error is returned as it is. Other errors: ErrNotFound, also when who may not read the report;
// *placements.Error, also when another placement of the report stands there, or who may not place it there.
func (s *Placements) Connect(
	ctx context.Context, d record.Deployment, reportID int64, c placements.Connection, who record.Actor,
	expects func(*record.ReportHead) error, minimal bool,
) (done *record.ConnectResult, err error) {
	err = s.sites.At(ctx, s.db.Tenant(d.Tenant), c.ExternalWorkbookID, func(at layout.DocumentSite) error {
		done, err = s.connectAt(ctx, d, reportID, c, at, who, expects, minimal)
		return err
	})
	return done, err
}

// connectAt is Connect to a document that is there.
func (s *Placements) connectAt(
	ctx context.Context, d record.Deployment, reportID int64, c placements.Connection, at layout.DocumentSite, who record.Actor,
	expects func(*record.ReportHead) error, minimal bool,
) (done *record.ConnectResult, err error) {
	c.Whereabouts = at.Whereabouts
	place, err := c.Place()
	if err != nil {
		return nil, err
	}
	k := s.db.Deployment(d)
	w := placementWrite{k: k, id: reportID, near: ofConnection(c, place), at: at, trust: layout.TrustUnseen, who: who, expects: expects}
	if c.AddressOnly {
		w.trust = layout.TrustNothing
	}
	var cells []string
	err = s.writePlacements(ctx, w, func(t *placementTry) error {
		p, err := s.place(ctx, t, k, c, place, who)
		if err != nil {
			return err
		}
		readOverlaps(&t.tx, k, reportID, p.Position())
		if minimal {
			// A run may have come and gone since it was remembered.
			t.tx.Read("HGET", k.Placements(reportID), layout.LastRunField+p.Position().Slot)
		} else {
			t.readPlacements(k, layout.PlacedFields)
		}
		if c.AddressOnly {
			t.readLastRefresh(k)
		}
		replies, err := s.apply(ctx, k, t)
		if err != nil {
			return err
		}
		cells, done = redis.List(replies[0]), &record.ConnectResult{Placement: &p.Placement}
		done.Report, err = s.viewConnected(ctx, k, t.report, p, minimal, replies[1:])
		return err
	})
	if err != nil {
		return nil, err
	}
	done.Overlaps, err = layout.LoadCells(ctx, s.db, k.TenantKeys, cells)
	return done, err
}

// checkStatusCell refuses a status cell inside the block of any report that stands on its sheet. It says where of the reports of the
// deployment that who may read.
func (s *Placements) checkStatusCell(ctx context.Context, k keys.DeploymentKeys, report int64, p placements.Placement, who record.Actor) error {
	cell, err := placements.ParseAnchor(p.StatusCell)
	if err != nil {
		return err
	}
	at := layout.PositionOf(p)
	at.Rect = placements.Rect{Top: cell.Row, Left: cell.Column, Bottom: cell.Row, Right: cell.Column}
	var t engine.Transaction
	readOverlaps(&t, k, report, &at)
	replies, err := s.db.Run(ctx, &t)
	if err != nil {
		return err
	}
	there, err := layout.LoadCells(ctx, s.db, k.TenantKeys, redis.List(replies[0]))
	if err != nil {
		return err
	}
	for _, one := range there {
		if one.DeploymentID == k.ID && one.ReportID == report && one.Placement.ID == p.ID {
			continue
		}
		readable := one.DeploymentID == k.ID && who.Level(one.Definition) >= record.MayRead
		if err := placements.CheckStatusCell(p, []placements.Placement{one.Placement}, readable); err != nil {
			return err
		}
	}
	return nil
}

// viewConnected returns what a connect of p answers with. replies are the last run on p, or the placements, and, where r does not know it,
// the last refresh.
func (s *Placements) viewConnected(
	ctx context.Context, k keys.DeploymentKeys, r *layout.Report, p *layout.Placed, minimal bool, replies []any,
) (v *record.ReportView, err error) {
	v = &record.ReportView{ReportHead: r.ReportHead}
	if len(replies) > 1 {
		v.LastRefresh = lastRefreshReply(replies[1])
	} else {
		v.LastRefresh = r.LastRefresh.Members()
	}
	if list, ok := replies[0].([]any); !minimal && (!ok || len(list) > 0) {
		v.Placements, err = s.viewWritten(ctx, k, r.ID, replies[0])
		return v, err
	}
	p.LastRun, err = record.DecodeLastRun(p.Position().Slot, redis.Text(replies[0])) // none where p alone has no field for one
	v.Placements = []record.PlacementView{p.View()}
	return v, err
}

// place decides a connect, and returns the placement as it is then.
func (s *Placements) place(
	ctx context.Context, t *placementTry, k keys.DeploymentKeys, c placements.Connection, at placements.Range, who record.Actor,
) (*layout.Placed, error) {
	r := t.report
	stamp, err := placeStamp(s.db, r, who, t.idHolders)
	if err != nil {
		return nil, err
	}
	existing := r.Places()
	ch, err := placements.ConnectAt(existing, c, at, stamp)
	if err == nil {
		err = s.sites.Bounded(k.At(), ch.Placement)
	}
	if err == nil && c.StatusCell.Value != nil {
		err = s.checkStatusCell(ctx, k, r.ID, ch.Placement, who)
	}
	if err != nil {
		return nil, err
	}
	ch.Placement.Spreadsheets = s.sites.Documents[k.At()].HostOf(ch.Placement)
	switch {
	case ch.Created:
		r.Effect = record.Created
	case !c.AddressOnly || !reflect.DeepEqual(existing[ch.Index], ch.Placement):
		r.Effect = record.Updated
	}
	notePlacement(&t.tx, k, r, ch, who)
	return layout.RecordConnect(s.db, &t.tx, k, r, ch, c.AddressOnly, who), nil
}

// ofConnection names what a connect may concern.
func ofConnection(c placements.Connection, place placements.Range) layout.Candidates {
	n := layout.Candidates{ID: c.PlacementID, Key: place.Key()}
	if c.SheetID != "" {
		n.Sheet = place.SheetSpot(c.SheetID)
	}
	if c.PlacementID != "" {
		n.Document = place.Document
	}
	return n
}

// readOverlaps reads the members of the cell indexes that meet what stands at a position, but for that itself.
func readOverlaps(t *engine.Transaction, k keys.DeploymentKeys, report int64, at *layout.Position) {
	sheet := at.SheetKey()
	t.Read("overlapping", k.Cells(0, sheet), k.Cells(1, sheet), k.Cells(2, sheet),
		layout.CellMember(k, report, at), layout.OverlapBegin(at.Rect), layout.Padded(at.Rect.Top, layout.RowDigits))
}

// notePlacement notes what a connect, which is about to be recorded, does to r's placements. One that only stamps a data write is no part of
// the audit.
func notePlacement(t *engine.Transaction, k keys.DeploymentKeys, r *layout.Report, ch placements.Change, who record.Actor) {
	if ch.Created {
		t.Note(k, journal.Of(who, journal.Connect, journal.OfPlacement(r.ID, &ch.Placement)))
		return
	}
	if changed := journal.PlacementPointers(&r.Placements[ch.Index].Placement, &ch.Placement); len(changed) > 0 {
		t.Note(k, journal.Of(who, journal.Update, journal.OfPlacement(r.ID, &ch.Placement)).Made(0, changed...))
	}
}

func placeStamp(db *engine.DB, r *layout.Report, who record.Actor, idHolders int64) (placements.Stamp, error) {
	host, err := r.Definition.Host()
	return placements.Stamp{
		Now: db.Now(), By: who.RunAs(), MayEdit: who.Level(&r.Definition) >= record.MayEdit,
		QueryChecksum: r.CurrentChecksum, DefaultHost: host,
		NewID: rand.Text(), IDTaken: idHolders > 0,
	}, err
}
