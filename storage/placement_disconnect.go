package storage

import (
	"context"
	"encoding/json"

	"mooring/placements"
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
	w := placementWrite{k: s.db.Deployment(d), id: reportID, who: who, expects: expects, minimal: minimal, trust: layout.TrustSeen}
	err = s.sites.At(ctx, w.k.TenantKeys, target.ExternalWorkbookID, func(at layout.DocumentSite) error {
		w.at, target.Home = at, at.Document
		v, removed, err = s.disconnectAt(ctx, w, target)
		return err
	})
	return v, removed, err
}

// disconnectAt is Disconnect from a document that is there.
func (s *Placements) disconnectAt(
	ctx context.Context, w placementWrite, target placements.Target,
) (v *record.ReportView, removed json.RawMessage, err error) {
	w.near = ofTarget(target)
	err = s.writePlacements(ctx, w, func(t *placementTry) error {
		removed = nil
		gone, found := t.disconnect(target)
		t.readLastRefresh()
		if !w.minimal {
			t.readPlacements(0)
		}
		replies, err := s.apply(ctx, t)
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
		if !w.minimal {
			v.Placements, err = s.viewWritten(ctx, t, replies[1])
		}
		return err
	})
	return v, removed, err
}

// disconnect removes the placement that the target addresses, after reading its record.
func (t *placementTry) disconnect(target placements.Target) (slot string, found bool) {
	r := t.report
	index, found := target.Match(r.Places())
	if found {
		p := &r.Placements[index]
		r.Effect, slot = record.Updated, p.Position().Slot
		t.to.Tx.Read("HGET", t.to.Keys.Placements(r.ID), layout.PlacementField+slot)
		t.to.RecordDisconnect(r.ID, p)
		entombPlacement(t.to, &p.Placement)
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
