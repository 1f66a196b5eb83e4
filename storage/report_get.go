package storage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Reports goes through the deployment's reports that match q and that visible admits, with their placements. Errors: the
// *placements.Error CodeCursor for a cursor of another list.
func (s *Store) Reports(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*Report) bool,
) iter.Seq2[list.Item[*Report], error] {
	return func(yield func(list.Item[*Report], error) bool) {
		l := reportList{s: s, k: s.deployment(d), q: q, visible: visible}
		if q.ExternalWorkbookID != "" {
			var err error
			if l.placed, err = s.placedIn(ctx, d, q.ExternalWorkbookID); err != nil {
				yield(list.Item[*Report]{}, err)
				return
			}
		}
		list.Walk(ctx, s.rdb, q, l)(yield)
	}
}

// reportList is the list of a deployment's reports.
type reportList struct {
	s       *Store
	k       deploymentKeys
	q       record.ListQuery
	placed  map[int64]bool // in the spreadsheet that is asked for; nil: any
	visible func(*Report) bool
}

func (l reportList) Index() string       { return l.k.Reports() }
func (l reportList) Key(id int64) string { return l.k.Report(id) }
func (l reportList) Fields() []string    { return nil }
func (l reportList) Largest() []string   { return []string{fieldDefinition} }
func (l reportList) Place(r *Report) record.Cursor {
	return l.q.Place(r.ID, r.Name, r.CreatedAt, r.UpdatedAt)
}

func (l reportList) Wants(r *Report) bool {
	return l.q.MatchesReport(r.PublicID, &r.Definition) && (l.placed == nil || l.placed[r.ID]) && l.visible(r)
}

func (l reportList) Unreadable(id int64) *Report {
	return &Report{ReportHead: newHead(l.k, id, "", "")}
}

// read makes a report of its hash. Its meta stays in the text, if the list shows it. A list remembers no definitions: it would drive out
// those that are in use.
func (l reportList) Read(id int64, hash map[string]string) (r *Report, err error) {
	text := hash[fieldDefinition]
	var d struct {
		record.Definition
		Meta struct{} `json:"meta"` // an object, which takes no memory so
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("report %d: definition: %w", id, err)
	}
	r = &Report{ReportHead: newHead(l.k, id, hash[fieldPublicID], hash[fieldSynthesizedID])}
	r.Definition, r.UserID = d.Definition, d.CreatedBy
	if l.q.Meta {
		r.DefinitionText = text
	}
	if r.ManagedBy, err = readManaged(hash); err != nil {
		return nil, fmt.Errorf("report %d: %w", id, err)
	}
	return r, r.readLastRefresh(hash[fieldRefresh], hash[fieldEcho])
}

// complete loads the reports' placements.
func (l reportList) Complete(ctx context.Context, items []list.Item[*Report]) error {
	ids := make([]int64, len(items))
	for i, item := range items {
		ids[i] = item.Asset.ID
	}
	hashes, err := list.Hashes(ctx, l.s.rdb, ids, l.k.Placements, nil)
	if err != nil {
		return err
	}
	for i, hash := range hashes {
		if items[i].Err == nil {
			items[i].Err = hash.Err
		}
		if items[i].Err == nil {
			items[i].Asset.Placements, items[i].Err = readPlacements(hash.Fields)
		}
	}
	return nil
}

// placedIn lists the reports of the deployment that have a placement in a spreadsheet.
func (s *Store) placedIn(ctx context.Context, d record.Deployment, document string) (map[int64]bool, error) {
	reports, err := s.reportsIn(ctx, d, document)
	if err != nil {
		return nil, err
	}
	ids := make(map[int64]bool, len(reports))
	for _, id := range reports {
		ids[id] = true
	}
	return ids, nil
}

// Report returns a report with its placements; ErrNotFound.
func (s *Store) Report(ctx context.Context, d record.Deployment, id int64) (*Report, error) {
	k := s.deployment(d)
	p := s.rdb.Pipeline()
	record, placed := p.HGetAll(ctx, k.Report(id)), p.HGetAll(ctx, k.Placements(id))
	if _, err := p.Exec(ctx); err != nil {
		return nil, redis.Unavailable(err)
	}
	return s.readReport(k, id, record.Val(), placed.Val())
}

// ReportDefinition returns what decides who may do what with a report, and little else; ErrNotFound.
func (s *Store) ReportDefinition(ctx context.Context, d record.Deployment, id int64) (*record.Definition, error) {
	text, err := s.rdb.HGet(ctx, s.deployment(d).Report(id), fieldDefinition).Result()
	if errors.Is(err, redis.Nil) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	def := new(record.Definition)
	if err := json.Unmarshal([]byte(text), def); err != nil {
		return nil, fmt.Errorf("report %d: definition: %w", id, err)
	}
	return def, nil
}

// ReportByPublicID returns the report of the deployment that stores the publicId, else the only one that shows it because it was
// synthesized. Errors: ErrNotFound; the *placements.Error CodeAmbiguous when several show it.
func (s *Store) ReportByPublicID(ctx context.Context, d record.Deployment, publicID string) (*Report, error) {
	k := s.deployment(d)
	p := s.rdb.Pipeline()
	stored, shown := p.HGet(ctx, k.PublicIDs(), publicID), p.SMembers(ctx, k.Synthesized(publicID))
	_, _ = p.Exec(ctx) // each command's own error says more
	if err := stored.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	if id, here := k.Owned(stored.Val()); here {
		return s.Report(ctx, d, id)
	}
	switch ids, err := shown.Result(); len(ids) {
	case 0:
		if err != nil {
			return nil, redis.Unavailable(err)
		}
		return nil, ErrNotFound
	case 1:
		id, err := parseID(ids[0])
		if err != nil {
			return nil, err
		}
		return s.Report(ctx, d, id)
	}
	return nil, ambiguous(publicID)
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
	stored := p.HGet(ctx, k.Placements(reportID), placementField+placementID)
	text, marks := p.Get(ctx, k.Edits(reportID, placementID)), p.SMembers(ctx, k.ReturnedEdits(reportID, placementID))
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return placements.Placement{}, nil, redis.Unavailable(err)
	}
	if stored.Val() == "" {
		return placements.Placement{}, nil, ErrNotFound
	}
	placed, err := decodeRecord(placementID, stored.Val(), "")
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
func (s *Store) ReturnEdits(
	ctx context.Context, d record.Deployment, reportID int64, placementID string, cells []string, who record.Actor,
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
	returned := map[any]bool{}
	for _, e := range edits {
		returned[e.ID] = e.Returned
	}
	chosen = slices.DeleteFunc(chosen, func(id any) bool { return returned[id] })
	var tx txn
	for batch := range slices.Chunk(chosen, unpacked) {
		tx.Then("SADD", k.ReturnedEdits(reportID, placementID), batch...)
	}
	if tx.Idle() {
		return nil
	}
	tx.note(k, journal.Of(who, journal.Return, journal.OfPlacement(r.ID, &p.Placement)))
	return s.commit(ctx, h, &tx)
}
