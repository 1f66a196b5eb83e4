package storage

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// listChunk is how many records of a list one round trip loads.
const listChunk = 200

// Reports gives a page of the deployment's reports that match q and that visible admits, with their placements. Errors: *Invalid for a
// cursor of another list.
func (s *Store) Reports(ctx context.Context, d Deployment, q ListQuery, visible func(*Report) bool) (Page[*Report], error) {
	k := s.deployment(d)
	var placed map[int64]bool
	if q.ExternalWorkbookID != "" {
		var err error
		if placed, err = s.placedIn(ctx, d, q.ExternalWorkbookID); err != nil {
			return Page[*Report]{}, err
		}
	}
	matching := func(yield func(*Report, error) bool) {
		for record, err := range s.records(ctx, k.reports(), q.firstID(), k.report) {
			if err != nil {
				yield(nil, err)
				return
			}
			r, err := s.readReport(k, record.id, record.fields, nil)
			if err == nil && (!q.matchesReport(r) || placed != nil && !placed[r.ID] || !visible(r)) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
	p, err := page(q, matching, q.reportCursor)
	if err != nil {
		return p, err
	}
	return p, s.loadPlacements(ctx, k, p.Items)
}

// placedIn lists the reports of the deployment that have a placement in a spreadsheet.
func (s *Store) placedIn(ctx context.Context, d Deployment, document string) (map[int64]bool, error) {
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

func (q ListQuery) matchesReport(r *Report) bool {
	return (q.PublicID == "" || q.PublicID == r.PublicID) && same(q.WorkbookID, r.WorkbookID) && same(q.FolderID, r.FolderID) && q.found(r.Name, r.Title, r.Description)
}

// same tells whether an id is the one wanted, if one is wanted.
func same(want, got *int64) bool { return want == nil || got != nil && *got == *want }

// found tells whether one of the texts contains what is searched for.
func (q ListQuery) found(texts ...string) bool {
	if q.Search == "" {
		return true
	}
	search := strings.ToLower(q.Search)
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), search) {
			return true
		}
	}
	return false
}

func (q ListQuery) reportCursor(r *Report) cursor {
	return q.cursor(r.ID, r.Name, r.CreatedAt, r.UpdatedAt)
}

// cursor is the place of an item in the order of q.
func (q ListQuery) cursor(id int64, name, createdAt, updatedAt string) cursor {
	c := cursor{SortBy: q.SortBy, Descending: q.Descending, ID: id}
	switch q.SortBy {
	case ByName:
		c.Key = strings.ToLower(name)
	case ByCreatedAt:
		c.Key = createdAt
	case ByUpdatedAt:
		c.Key = updatedAt
	}
	return c
}

// firstID is below every id that can be on the page.
func (q ListQuery) firstID() int64 {
	after, err := q.start()
	if err != nil || after == nil || q.SortBy != ByID || q.Descending {
		return 0
	}
	return after.ID
}

// loadPlacements gives reports their placements.
func (s *Store) loadPlacements(ctx context.Context, k deploymentKeys, reports []*Report) error {
	ids := make([]int64, len(reports))
	for i, r := range reports {
		ids[i] = r.ID
	}
	for start := 0; start < len(ids); start += listChunk {
		chunk := ids[start:min(start+listChunk, len(ids))]
		hashes, err := s.hashes(ctx, chunk, k.placements)
		if err != nil {
			return err
		}
		for i, hash := range hashes {
			if reports[start+i].Placements, err = readPlacements(hash); err != nil {
				return err
			}
		}
	}
	return nil
}

// Workbooks gives a page of the deployment's workbooks that match q and that visible admits.
func (s *Store) Workbooks(ctx context.Context, d Deployment, q ListQuery, visible func(*Workbook) bool) (Page[*Workbook], error) {
	k := s.deployment(d)
	matching := func(yield func(*Workbook, error) bool) {
		for record, err := range s.records(ctx, k.workbooks(), q.firstID(), k.workbook) {
			if err != nil {
				yield(nil, err)
				return
			}
			w, err := readWorkbook(k, record.id, record.fields)
			if err == nil && (q.Slug != "" && q.Slug != w.Slug || !same(q.FolderID, w.FolderID) || !q.found(w.Name, w.Slug) || !visible(w)) {
				continue
			}
			if !yield(w, err) {
				return
			}
		}
	}
	return page(q, matching, func(w *Workbook) cursor { return q.cursor(w.ID, w.Name, w.CreatedAt, w.UpdatedAt) })
}

// record is one asset of a list as stored.
type record struct {
	id     int64
	fields map[string]string
}

// records goes through the assets of an index with an id above after, by ascending id. Those deleted meanwhile are left out.
func (s *Store) records(ctx context.Context, index string, after int64, key func(int64) string) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for {
			ids, err := s.idsAfter(ctx, index, after)
			if err != nil {
				yield(record{}, err)
				return
			}
			if len(ids) == 0 {
				return
			}
			hashes, err := s.hashes(ctx, ids, key)
			if err != nil {
				yield(record{}, err)
				return
			}
			for i, fields := range hashes {
				if len(fields) > 0 && !yield(record{ids[i], fields}, nil) {
					return
				}
			}
			after = ids[len(ids)-1]
		}
	}
}

// idsAfter gives the next ids of an index, in which every id is scored by itself.
func (s *Store) idsAfter(ctx context.Context, index string, after int64) ([]int64, error) {
	members, err := s.rdb.ZRangeArgs(ctx, redis.ZRangeArgs{
		Key: index, ByScore: true, Start: "(" + strconv.FormatInt(after, 10), Stop: "+inf", Count: listChunk,
	}).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	ids := make([]int64, len(members))
	for i, member := range members {
		if ids[i], err = parseID(member); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// hashes loads the hashes of these ids in one round trip.
func (s *Store) hashes(ctx context.Context, ids []int64, key func(int64) string) ([]map[string]string, error) {
	replies := make([]*redis.MapStringStringCmd, len(ids))
	_, err := s.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, id := range ids {
			replies[i] = p.HGetAll(ctx, key(id))
		}
		return nil
	})
	if err != nil {
		return nil, unavailable(err)
	}
	hashes := make([]map[string]string, len(ids))
	for i, reply := range replies {
		hashes[i] = reply.Val()
	}
	return hashes, nil
}
