package storage

import (
	"context"
	"encoding/json"
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

// lastRefreshReply returns ReportView.LastRefresh of what placementTry.readLastRefresh read.
func lastRefreshReply(reply any) string {
	fields := redis.List(reply)
	return record.StoredLastRefresh(fields[0], fields[1])
}

// Disconnect removes the one placement of a report that t addresses (interface.md, Disconnect), on behalf of who. removed is its JSON, nil
// when t addresses none, which is a success and changes nothing. A minimal report shows no placements. expects as for Connect. ErrNotFound
// also when who may not read the report.
func (s *Placements) Disconnect(
	ctx context.Context, d record.Deployment, reportID int64, target placements.Target, who record.Actor,
	expects func(*record.ReportHead) error, minimal bool,
) (v *record.ReportView, removed json.RawMessage, err error) {
	err = s.sites.At(ctx, s.db.Tenant(d.Tenant), target.ExternalWorkbookID, func(at layout.DocumentSite) error {
		target.Home = at.Document
		v, removed, err = s.disconnectAt(ctx, d, reportID, target, at, who, expects, minimal)
		return err
	})
	return v, removed, err
}

// disconnectAt is Disconnect from a document that is there.
func (s *Placements) disconnectAt(
	ctx context.Context, d record.Deployment, reportID int64, target placements.Target, at layout.DocumentSite, who record.Actor,
	expects func(*record.ReportHead) error, minimal bool,
) (v *record.ReportView, removed json.RawMessage, err error) {
	k := s.db.Deployment(d)
	w := placementWrite{k: k, id: reportID, near: ofTarget(target), at: at, trust: layout.TrustSeen, who: who, expects: expects}
	err = s.writePlacements(ctx, w, func(t *placementTry) error {
		removed = nil
		gone, found := s.disconnect(t, k, target, who)
		t.readLastRefresh(k)
		if !minimal {
			t.readPlacements(k, 0)
		}
		replies, err := s.apply(ctx, k, t)
		if err != nil {
			return err
		}
		if found {
			shown, err := record.ViewPlacement(gone, redis.Text(replies[0]), "")
			if err != nil {
				return err
			}
			removed, replies = json.RawMessage(shown.JSON), replies[1:]
		}
		v = &record.ReportView{ReportHead: t.report.ReportHead, LastRefresh: lastRefreshReply(replies[0])}
		if !minimal {
			v.Placements, err = s.viewWritten(ctx, k, reportID, replies[1])
		}
		return err
	})
	return v, removed, err
}

// disconnect decides a disconnect: it removes the placement that the target addresses, after reading its record.
func (s *Placements) disconnect(t *placementTry, k keys.DeploymentKeys, target placements.Target, who record.Actor) (slot string, found bool) {
	r := t.report
	index, found := target.Match(r.Places())
	if found {
		p := &r.Placements[index]
		r.Effect, slot = record.Updated, p.Position().Slot
		t.tx.Read("HGET", k.Placements(r.ID), layout.PlacementField+slot)
		layout.DropPlacement(&t.tx, k, r.ID, p)
		layout.Unecho(&t.tx, k, r.ID, slot)
		t.tx.Publish(k, record.EventPlacementDisconnected, r.ID, &p.Placement)
		entombPlacement(s.db, &t.tx, k, &p.Placement, who)
		t.tx.Note(k, journal.Of(who, journal.Disconnect, journal.OfPlacement(r.ID, &p.Placement)))
	}
	r.Placements = nil
	return slot, found
}

// RecordRefresh records that who has just rewritten cells of a report in a spreadsheet (decisions.md §6, PUT …/refresh): the last refresh
// of the report and of the placement that rewrite addresses, if it addresses one. expects as for Connect. Other errors: ErrNotFound,
// also when who may not read the report; *placements.Error.
func (s *Placements) RecordRefresh(
	ctx context.Context, d record.Deployment, reportID int64, rewrite placements.Rewrite, who record.Actor,
	expects func(*record.ReportHead) error,
) (v *record.ReportView, err error) {
	if err := rewrite.Check(); err != nil {
		return nil, err
	}
	err = s.sites.At(ctx, s.db.Tenant(d.Tenant), rewrite.ExternalWorkbookID, func(at layout.DocumentSite) error {
		rewrite.Home = at.Document
		v, err = s.recordRefreshAt(ctx, d, reportID, rewrite, at, who, expects)
		return err
	})
	return v, err
}

// recordRefreshAt is RecordRefresh in a document that is there.
func (s *Placements) recordRefreshAt(
	ctx context.Context, d record.Deployment, reportID int64, rewrite placements.Rewrite, at layout.DocumentSite, who record.Actor,
	expects func(*record.ReportHead) error,
) (v *record.ReportView, err error) {
	k := s.db.Deployment(d)
	w := placementWrite{k: k, id: reportID, near: ofTarget(rewrite.Target), at: at, trust: layout.TrustSeen, who: who, expects: expects}
	err = s.writePlacements(ctx, w, func(t *placementTry) error {
		if err := s.refresh(t, k, rewrite, who); err != nil {
			return err
		}
		t.readLastRefresh(k)
		t.readPlacements(k, 0)
		replies, err := s.apply(ctx, k, t)
		if err != nil {
			return err
		}
		v = &record.ReportView{ReportHead: t.report.ReportHead, LastRefresh: lastRefreshReply(replies[0])}
		v.Placements, err = s.viewWritten(ctx, k, reportID, replies[1])
		return err
	})
	return v, err
}

// refresh decides a RecordRefresh.
func (s *Placements) refresh(t *placementTry, k keys.DeploymentKeys, w placements.Rewrite, who record.Actor) error {
	r := t.report
	stamp, err := placeStamp(s.db, r, who, t.idHolders)
	if err != nil {
		return err
	}
	if index, ok := w.Match(r.Places()); ok {
		p, err := placements.Refreshed(r.Placements[index].Placement, w, stamp)
		if err != nil {
			return err
		}
		if !p.Disputed() { // the last writer owns the cells
			r.Placements[index].Claim = stamp.Now.UnixMicro()
		}
		layout.RewritePlacement(&t.tx, k, r, index, p)
		t.tx.Publish(k, record.EventPlacementRefreshed, r.ID, &p)
	}
	r.Stamp(placements.Time(stamp.Now), who)
	layout.StoreRefresh(&t.tx, k, r)
	r.Effect = record.Updated
	return nil
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
