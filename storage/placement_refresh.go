package storage

import (
	"context"

	"mooring/placements"
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
	w := placementWrite{k: s.db.Deployment(d), id: reportID, who: who, expects: expects, trust: layout.TrustSeen}
	err = s.sites.At(ctx, w.k.TenantKeys, rewrite.ExternalWorkbookID, func(at layout.DocumentSite) error {
		w.at, rewrite.Home = at, at.Document
		v, err = s.recordRefreshAt(ctx, w, rewrite)
		return err
	})
	return v, err
}

// recordRefreshAt is RecordRefresh in a document that is there.
func (s *Placements) recordRefreshAt(ctx context.Context, w placementWrite, rewrite placements.Rewrite) (v *record.ReportView, err error) {
	w.near = ofTarget(rewrite.Target)
	err = s.writePlacements(ctx, w, func(t *placementTry) error {
		if err := t.refresh(rewrite); err != nil {
			return err
		}
		t.readLastRefresh()
		t.readPlacements(0)
		replies, err := s.apply(ctx, t)
		if err != nil {
			return err
		}
		v = &record.ReportView{ReportHead: t.report.ReportHead, LastRefresh: lastRefreshReply(replies[0])}
		v.Placements, err = s.viewWritten(ctx, t, replies[1])
		return err
	})
	return v, err
}

// refresh decides a RecordRefresh.
func (t *placementTry) refresh(w placements.Rewrite) error {
	r := t.report
	stamp, err := placeStamp(t.to, r, t.idHolders)
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
		t.to.Rewrite(r, index, p)
		t.to.Publish(record.EventPlacementRefreshed, r.ID, &p)
	}
	r.Stamp(placements.Time(stamp.Now), t.to.Who)
	t.to.StoreRefresh(r)
	r.Effect = record.Updated
	return nil
}
