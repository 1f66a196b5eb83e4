package storage

import (
	"context"
	"encoding/json"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

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

// ofTarget names what a target may address.
func ofTarget(t placements.Target) layout.Candidates {
	switch form, a := t.Form(); form {
	case placements.ByID:
		return layout.Candidates{ID: t.PlacementID}
	case placements.ByAddress:
		return layout.Candidates{Key: a.Key()}
	case placements.ByLocation:
		return layout.Candidates{Spot: a.Spot()}
	}
	return layout.Candidates{}
}
