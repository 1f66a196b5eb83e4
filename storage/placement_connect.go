package storage

import (
	"context"
	"crypto/rand"
	"reflect"

	"mooring/placements"
	"mooring/storage/engine"
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
	w := placementWrite{k: s.db.Deployment(d), id: reportID, who: who, expects: expects, minimal: minimal, trust: layout.TrustUnseen}
	if c.AddressOnly {
		w.trust = layout.TrustNothing
	}
	err = s.sites.At(ctx, w.k.TenantKeys, c.ExternalWorkbookID, func(at layout.DocumentSite) error {
		w.at, c.Whereabouts = at, at.Whereabouts
		done, err = s.connectAt(ctx, w, c)
		return err
	})
	return done, err
}

// connectAt is Connect to a document that is there.
func (s *Placements) connectAt(ctx context.Context, w placementWrite, c placements.Connection) (done *record.ConnectResult, err error) {
	place, err := c.Place()
	if err != nil {
		return nil, err
	}
	w.near = ofConnection(c, place)
	var cells []string
	err = s.writePlacements(ctx, w, func(t *placementTry) error {
		ch, err := s.decideConnect(ctx, t, c, place)
		if err != nil {
			return err
		}
		p := t.to.RecordConnect(t.report, ch, c.AddressOnly)
		t.readConnected(p, w.minimal, c.AddressOnly)
		replies, err := s.apply(ctx, t)
		if err != nil {
			return err
		}
		cells, done = redis.List(replies[0]), &record.ConnectResult{Placement: &p.Placement}
		done.Report, err = s.viewConnected(ctx, t, p, w.minimal, replies[1:])
		return err
	})
	if err != nil {
		return nil, err
	}
	done.Overlaps, err = layout.LoadCells(ctx, s.db, w.k.TenantKeys, cells)
	return done, err
}

// decideConnect decides what a connect changes, and says so in the effect of the report.
func (s *Placements) decideConnect(
	ctx context.Context, t *placementTry, c placements.Connection, at placements.Range,
) (placements.Change, error) {
	r := t.report
	stamp, err := placeStamp(t.to, r, t.idHolders)
	if err != nil {
		return placements.Change{}, err
	}
	existing := r.Places()
	ch, err := placements.ConnectAt(existing, c, at, stamp)
	if err == nil {
		err = s.sites.Bounded(t.to.Keys.At(), ch.Placement)
	}
	if err == nil && c.StatusCell.Value != nil {
		err = s.checkStatusCell(ctx, t.to, r.ID, ch.Placement)
	}
	if err != nil {
		return placements.Change{}, err
	}
	ch.Placement.Spreadsheets = s.sites.Documents[t.to.Keys.At()].HostOf(ch.Placement)
	switch {
	case ch.Created:
		r.Effect = record.Created
	case !c.AddressOnly || !reflect.DeepEqual(existing[ch.Index], ch.Placement):
		r.Effect = record.Updated
	}
	return ch, nil
}

// checkStatusCell refuses a status cell inside the block of any report that stands on its sheet. It says where of the reports of the
// deployment that the user may read.
func (s *Placements) checkStatusCell(ctx context.Context, of *layout.Recorder, report int64, p placements.Placement) error {
	cell, err := placements.ParseAnchor(p.StatusCell)
	if err != nil {
		return err
	}
	at := layout.PositionOf(p)
	at.Rect = placements.Rect{Top: cell.Row, Left: cell.Column, Bottom: cell.Row, Right: cell.Column}
	reads := layout.NewRecorder(s.db, new(engine.Transaction), of.Keys, of.Who)
	readOverlaps(reads, report, &at)
	replies, err := s.db.Run(ctx, reads.Tx)
	if err != nil {
		return err
	}
	there, err := layout.LoadCells(ctx, s.db, of.Keys.TenantKeys, redis.List(replies[0]))
	if err != nil {
		return err
	}
	for _, one := range there {
		if one.DeploymentID == of.Keys.ID && one.ReportID == report && one.Placement.ID == p.ID {
			continue
		}
		readable := one.DeploymentID == of.Keys.ID && of.Who.Level(one.Definition) >= record.MayRead
		if err := placements.CheckStatusCell(p, []placements.Placement{one.Placement}, readable); err != nil {
			return err
		}
	}
	return nil
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

func placeStamp(of *layout.Recorder, r *layout.Report, idHolders int64) (placements.Stamp, error) {
	host, err := r.Definition.Host()
	return placements.Stamp{
		Now: of.Now, By: of.Who.RunAs(), MayEdit: of.Who.Level(&r.Definition) >= record.MayEdit,
		QueryChecksum: r.CurrentChecksum, DefaultHost: host,
		NewID: rand.Text(), IDTaken: idHolders > 0, ShowsFilters: r.ShowsFilters(), Parameters: r.Parameters,
	}, err
}
