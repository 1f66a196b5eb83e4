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
	p, edits, err := s.placedEdits(ctx, s.db.Deployment(d), reportID, placementID)
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

// placedEdits reads a placement and its edits in one step; ErrNotFound.
func (s *Placements) placedEdits(ctx context.Context, k keys.DeploymentKeys, reportID int64, placementID string) (
	placements.Placement, []record.Edit, error,
) {
	p := s.db.Redis.TxPipeline()
	stored := p.HGet(ctx, k.Placements(reportID), layout.PlacementField+placementID)
	text, marks := p.Get(ctx, k.Blocks().Edits(reportID, placementID)), p.SMembers(ctx, k.Blocks().ReturnedEdits(reportID, placementID))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return placements.Placement{}, nil, redis.Unavailable(err)
	}
	if stored.Val() == "" {
		return placements.Placement{}, nil, ErrNotFound
	}
	placed, err := layout.DecodeRecord(placementID, stored.Val(), "")
	if err != nil {
		return placements.Placement{}, nil, err
	}
	if placed.ID != placementID { // the slot of one that was recorded before ids existed
		return placements.Placement{}, nil, ErrNotFound
	}
	edits, err := record.DecodeEdits(placementID, text.Val(), marks.Val())
	return placed.Placement, edits, err
}

// ReturnEdits gives edited cells of a placement, in A1 form with or without its sheet, back to the source: the next run takes the source's
// values there. nil means all that are listed, except those in rows that a person inserted, which have no source. Either all of cells are
// given back or none. allow is called under the report's lock, with nil for a placement that the report does not have; its error is
// returned as it is.
//
// Errors: ErrNotFound; *placements.Error, each cell with its pointer.
func (s *Placements) ReturnEdits(
	ctx context.Context, d record.Deployment, reportID int64, placementID string, cells []string, who record.Actor,
	allow func(*layout.Report, *placements.Placement) error,
) error {
	k := s.db.Deployment(d)
	of := engine.WriteSubject{Locks: []string{k.Locks().Report(reportID)}}
	return s.db.Change(ctx, of, func(tx *engine.Transaction, _ []map[string]string) error {
		r, _, err := s.loadCandidates(ctx, k, reportID, layout.Candidates{ID: placementID})
		if err != nil {
			return err
		}
		p, found := r.Find(placementID)
		if !found {
			return cmp.Or(allow(r, nil), ErrNotFound)
		}
		if err := allow(r, &p.Placement); err != nil {
			return err
		}
		if err := s.giveBack(ctx, tx, k, reportID, &p, cells); err != nil || tx.Idle() {
			return err
		}
		layout.NewRecorder(s.db, tx, k, who).Note(journal.Return, journal.OfPlacement(r.ID, &p.Placement), 0)
		return nil
	})
}

// giveBack adds that those of cells of a placement are given back that are not yet.
func (s *Placements) giveBack(
	ctx context.Context, tx *engine.Transaction, k keys.DeploymentKeys, report int64, p *layout.Placed, cells []string,
) error {
	_, edits, err := s.placedEdits(ctx, k, report, p.ID)
	if err != nil {
		return err
	}
	chosen, err := record.ChooseEdits(p.Placement, edits, cells)
	if err != nil {
		return err
	}
	returned := map[any]bool{}
	for _, e := range edits {
		returned[e.ID] = e.Returned
	}
	chosen = slices.DeleteFunc(chosen, func(id any) bool { return returned[id] })
	for batch := range slices.Chunk(chosen, engine.MaxUnpacked) {
		tx.Then("SADD", k.Blocks().ReturnedEdits(report, p.ID), batch...)
	}
	return nil
}
