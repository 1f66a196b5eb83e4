package storage

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Edits lists the first edits of a placement after a cursor; an empty one is the start. Errors: ErrNotFound; the
// *placements.Error CodeCursor for a cursor of another list.
func (s *Placements) Edits(
	ctx context.Context, d record.Deployment, reportID int64, placementID, after string, first int,
) (record.EditPage, error) {
	last, err := record.ParseEditCursor(after)
	if err != nil {
		return record.EditPage{}, err
	}
	p, edits, _, err := s.placedEdits(ctx, s.db.Deployment(d), reportID, placementID)
	if err != nil {
		return record.EditPage{}, err
	}
	edits = edits[record.EditsUpTo(edits, last):]
	page := record.Page[record.Edit]{Items: edits[:min(first, len(edits))], HasNextPage: len(edits) > first}
	if n := len(page.Items); n > 0 {
		page.EndCursor = page.Items[n-1].Cursor()
	}
	return record.EditPage{Placement: p, Page: page}, nil
}

// placedEdits reads a placement, its edits, and how many were ever given back, in one step; ErrNotFound.
func (s *Placements) placedEdits(ctx context.Context, k keys.DeploymentKeys, reportID int64, placementID string) (
	of placements.Placement, edits []record.Edit, returned int, err error,
) {
	p := s.db.Redis.TxPipeline()
	stored := p.HGet(ctx, k.Placements(reportID), layout.PlacementField+placementID)
	text, marks := p.Get(ctx, k.Blocks().Edits(reportID, placementID)), p.SMembers(ctx, k.Blocks().ReturnedEdits(reportID, placementID))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return of, nil, 0, redis.Unavailable(err)
	}
	if stored.Val() == "" {
		return of, nil, 0, ErrNotFound
	}
	placed, err := layout.DecodeRecord(placementID, stored.Val(), "")
	if err != nil {
		return of, nil, 0, err
	}
	if placed.ID != placementID { // the slot of one that was recorded before ids existed
		return of, nil, 0, ErrNotFound
	}
	edits, err = record.DecodeEdits(placementID, text.Val(), marks.Val())
	return placed.Placement, edits, len(marks.Val()), err
}

// ReturnEdits gives edited cells of a placement, in A1 form with or without its sheet, back to the source: the next run takes the source's
// values there. nil means all that are listed, except those in rows that a person inserted, which have no source. Either all of cells are
// given back or none. allow is called with nil for a placement that the report does not have, and may be asked again; its error is returned as
// it is.
//
// Errors: ErrNotFound; *placements.Error, each cell with its pointer.
func (s *Placements) ReturnEdits(
	ctx context.Context, d record.Deployment, reportID int64, placementID string, cells []string, who record.Actor,
	allow func(*layout.Report, *placements.Placement) error,
) error {
	w := placementWrite{k: s.db.Deployment(d), id: reportID, who: who, near: layout.Candidates{ID: placementID}, trust: layout.TrustNothing}
	return s.writePlacements(ctx, w, func(t *placementTry) error {
		p, found := t.report.Find(placementID)
		if !found {
			return cmp.Or(allow(t.report, nil), ErrNotFound)
		}
		if err := allow(t.report, &p.Placement); err != nil {
			return err
		}
		if some, err := s.giveBack(ctx, t.to, reportID, &p, cells); err != nil || !some {
			return err
		}
		_, err := s.apply(ctx, t)
		return err
	})
}

// giveBack records that those of cells of a placement are given back that are not yet, if there are some.
func (s *Placements) giveBack(ctx context.Context, to *layout.Recorder, report int64, p *layout.Placed, cells []string) (some bool, err error) {
	_, edits, before, err := s.placedEdits(ctx, to.Keys, report, p.ID)
	if err != nil {
		return false, err
	}
	chosen, err := record.ChooseEdits(p.Placement, edits, cells)
	if err != nil {
		return false, err
	}
	returned := map[any]bool{}
	for _, e := range edits {
		returned[e.ID] = e.Returned
	}
	chosen = slices.DeleteFunc(chosen, func(id any) bool { return returned[id] })
	if len(chosen) == 0 {
		return false, nil
	}
	marks := to.Keys.Blocks().ReturnedEdits(report, p.ID)
	to.Tx.If(before, "SCARD", marks) // each giving back adds some
	for batch := range slices.Chunk(chosen, engine.MaxUnpacked) {
		to.Tx.Then("SADD", marks, batch...)
	}
	to.Note(journal.Return, journal.OfPlacement(report, &p.Placement), 0)
	return true, nil
}
