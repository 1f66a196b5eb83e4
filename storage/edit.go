package storage

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// encodeEdits returns the edits that are listed, the first ones within the bounds, and their JSON. It fills in missing IDs and times.
func encodeEdits(edits []record.Edit, now string) (text string, listed []record.Edit, err error) {
	listed = slices.Clone(edits[:min(len(edits), record.MaxEdits)])
	b := bytes.NewBufferString("[")
	for i := range listed {
		e := &listed[i]
		e.ID, e.SeenAt = cmp.Or(e.ID, rand.Text()), cmp.Or(e.SeenAt, now)
		one, err := record.Encode(e)
		if err != nil {
			return "", nil, fmt.Errorf("edit of row %d, column %d: %w", e.Row, e.Column, err)
		}
		if b.Len()+len(one) > record.MaxEditBytes {
			listed = listed[:i]
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(one)
	}
	b.WriteByte(']')
	return b.String(), listed, nil
}

// decodeEdits reads the edits that are listed, and which of them are given back.
func decodeEdits(placementID, text string, returned []string) ([]record.Edit, error) {
	if text == "" {
		return nil, nil
	}
	var edits []record.Edit
	if err := json.Unmarshal([]byte(text), &edits); err != nil {
		return nil, fmt.Errorf("edits of placement %s: %w", placementID, err)
	}
	marks := make(map[string]bool, len(returned))
	for _, id := range returned {
		marks[id] = true
	}
	for i := range edits {
		edits[i].Returned = marks[edits[i].ID]
	}
	return edits, nil
}

// earlierEdits is what was kept of a placement's edits before a run.
type earlierEdits struct {
	listed []record.Edit
	cells  int // all of them
}

// earlierEdits reads, in one round trip, the edits of those placements of r that had some and have some after the run: by placement.
func (s *Store) earlierEdits(
	ctx context.Context, k deploymentKeys, r *Report, outcomes []PlacementOutcome,
) (map[string]earlierEdits, error) {
	earlier := map[string]earlierEdits{}
	texts, marks := map[string]*redis.StringCmd{}, map[string]*redis.StringSliceCmd{}
	p := s.rdb.Pipeline()
	for _, one := range outcomes {
		if was, ok := r.Find(one.Placement.ID); ok && was.Edits != nil && one.Written && len(one.Edits) > 0 {
			earlier[was.ID] = earlierEdits{cells: was.Edits.Cells}
			texts[was.ID], marks[was.ID] = p.Get(ctx, k.Edits(r.ID, was.ID)), p.SMembers(ctx, k.ReturnedEdits(r.ID, was.ID))
		}
	}
	if len(earlier) == 0 {
		return nil, nil
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	for id, was := range earlier {
		var err error
		if was.listed, err = decodeEdits(id, texts[id].Val(), marks[id].Val()); err != nil {
			return nil, err
		}
		earlier[id] = was
	}
	return earlier, nil
}

// keepEdits stores the edits that a run left in the block of p. The marks of those that are gone go too; new ones are an event.
func keepEdits(tx *txn, k deploymentKeys, report int64, p *placements.Placement, edits []record.Edit, earlier earlierEdits, now string) {
	text, listed, err := encodeEdits(edits, now)
	if err != nil && tx.err == nil {
		tx.err = err
	}
	tx.Then("SET", k.Edits(report, p.ID), text)
	var gone []any
	for _, e := range missing(earlier.listed, listed) {
		if e.Returned {
			gone = append(gone, e.ID)
		}
	}
	for batch := range slices.Chunk(gone, unpacked) {
		tx.Then("SREM", k.ReturnedEdits(report, p.ID), batch...)
	}
	// Where the earlier list was cut, an edit that is not on it may still be an old one: only their number tells.
	whole := len(earlier.listed) == earlier.cells
	added := missing(listed, earlier.listed)
	if len(edits) > earlier.cells || whole && len(added) > 0 {
		tx.Then("publish", k.Events(), string(record.EventEditsKept), report, record.KeptEvent(p, added))
	}
}

// missing lists those of some edits that are not among others.
func missing(edits, others []record.Edit) []record.Edit {
	ids := make(map[string]bool, len(others))
	for _, e := range others {
		ids[e.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(edits), func(e record.Edit) bool { return ids[e.ID] })
}

// dropEdits forgets the edits of a placement, if it has any, because nothing of them is left.
func dropEdits(tx *txn, k deploymentKeys, report int64, p *Placed) {
	if p.Edits == nil {
		return
	}
	tx.Then("DEL", k.Edits(report, p.ID))
	tx.Then("DEL", k.ReturnedEdits(report, p.ID))
	tx.publish(k, record.EventEditsGone, report, &p.Placement)
}

// Edits lists the first edits of a placement after a cursor; an empty one is the start. Errors: ErrNotFound; the
// *placements.Error CodeCursor for a cursor of another list.
func (s *Store) Edits(
	ctx context.Context, d record.Deployment, reportID int64, placementID, after string, first int,
) (record.EditPage, error) {
	last, err := record.ParseEditCursor(after)
	if err != nil {
		return record.EditPage{}, err
	}
	p, edits, err := s.placedEdits(ctx, s.deployment(d), reportID, placementID)
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
func (s *Store) placedEdits(ctx context.Context, k deploymentKeys, reportID int64, placementID string) (
	placements.Placement, []record.Edit, error,
) {
	p := s.rdb.TxPipeline()
	record := p.HGet(ctx, k.Placements(reportID), placementField+placementID)
	text, marks := p.Get(ctx, k.Edits(reportID, placementID)), p.SMembers(ctx, k.ReturnedEdits(reportID, placementID))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return placements.Placement{}, nil, redis.Unavailable(err)
	}
	if record.Val() == "" {
		return placements.Placement{}, nil, ErrNotFound
	}
	placed, err := decodeRecord(placementID, record.Val(), "")
	if err != nil {
		return placements.Placement{}, nil, err
	}
	if placed.ID != placementID { // the slot of one that was recorded before ids existed
		return placements.Placement{}, nil, ErrNotFound
	}
	edits, err := decodeEdits(placementID, text.Val(), marks.Val())
	return placed.Placement, edits, err
}

// ReturnEdits gives edited cells of a placement, in A1 form with or without its sheet, back to the source: the next run takes the source's
// values there. nil means all that are listed, except those in rows that a person inserted, which have no source. Either all of cells are
// given back or none. allow is called under the report's lock, with nil for a placement that the report does not have; its error is
// returned as it is.
//
// Errors: ErrNotFound; *placements.Error, each cell with its pointer.
func (s *Store) ReturnEdits(
	ctx context.Context, d record.Deployment, reportID int64, placementID string, cells []string,
	allow func(*Report, *placements.Placement) error,
) error {
	k := s.deployment(d)
	h, r, _, err := s.lockCandidates(ctx, k, reportID, candidates{id: placementID})
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	p, found := r.Find(placementID)
	if !found {
		return cmp.Or(allow(r, nil), ErrNotFound)
	}
	if err := allow(r, &p.Placement); err != nil {
		return err
	}
	_, edits, err := s.placedEdits(ctx, k, reportID, placementID)
	if err != nil {
		return err
	}
	chosen, err := record.ChooseEdits(p.Placement, edits, cells)
	if err != nil {
		return err
	}
	var tx txn
	for batch := range slices.Chunk(chosen, unpacked) {
		tx.Then("SADD", k.ReturnedEdits(reportID, placementID), batch...)
	}
	if tx.Idle() {
		return nil
	}
	return s.commit(ctx, h, &tx)
}
