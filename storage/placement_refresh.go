package storage

import (
	"context"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
)

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
