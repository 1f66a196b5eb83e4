package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// List goes through the deployment's reports that match q and that visible admits, with their placements. Errors: the
// *placements.Error CodeCursor for a cursor of another list.
func (s *Reports) List(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*layout.Report) bool,
) iter.Seq2[list.Item[*layout.Report], error] {
	return func(yield func(list.Item[*layout.Report], error) bool) {
		l := reportList{db: s.db, k: s.db.Deployment(d), q: q, visible: visible}
		if q.ExternalWorkbookID != "" {
			var err error
			if l.placed, err = s.placedIn(ctx, d, q.ExternalWorkbookID); err != nil {
				yield(list.Item[*layout.Report]{}, err)
				return
			}
		}
		list.Walk(ctx, s.db.Redis, q, l)(yield)
	}
}

// reportList is the list of a deployment's reports.
type reportList struct {
	db      *engine.DB
	k       keys.DeploymentKeys
	q       record.ListQuery
	placed  map[int64]bool // in the spreadsheet that is asked for; nil: any
	visible func(*layout.Report) bool
}

func (l reportList) Index() string       { return l.k.Reports() }
func (l reportList) Key(id int64) string { return l.k.Report(id) }
func (l reportList) Fields() []string    { return nil }
func (l reportList) Largest() []string   { return []string{layout.FieldDefinition} }
func (l reportList) Place(r *layout.Report) record.Cursor {
	return l.q.Place(r.ID, r.Name, r.CreatedAt, r.UpdatedAt)
}

func (l reportList) Wants(r *layout.Report) bool {
	return l.q.MatchesReport(r.PublicID, &r.Definition) && (l.placed == nil || l.placed[r.ID]) && l.visible(r)
}

func (l reportList) Unreadable(id int64) *layout.Report {
	return &layout.Report{ReportHead: layout.NewHead(l.k, id, "", "")}
}

// Read makes a report of its hash. Its meta stays in the text, if the list shows it. A list remembers no definitions: it would drive out
// those that are in use.
func (l reportList) Read(id int64, hash map[string]string) (r *layout.Report, err error) {
	text := hash[layout.FieldDefinition]
	var d struct {
		record.Definition
		Meta struct{} `json:"meta"` // an object, which takes no memory so
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("report %d: definition: %w", id, err)
	}
	r = &layout.Report{ReportHead: layout.NewHead(l.k, id, hash[layout.FieldPublicID], hash[layout.FieldSynthesizedID])}
	r.Definition, r.UserID = d.Definition, d.CreatedBy
	if l.q.Meta {
		r.DefinitionText = text
	}
	if r.ManagedBy, err = layout.ReadManaged(hash); err != nil {
		return nil, fmt.Errorf("report %d: %w", id, err)
	}
	return r, r.ReadLastRefresh(hash[layout.FieldRefresh], hash[layout.FieldEcho])
}

// Complete loads the reports' placements.
func (l reportList) Complete(ctx context.Context, items []list.Item[*layout.Report]) error {
	ids := make([]int64, len(items))
	for i, item := range items {
		ids[i] = item.Asset.ID
	}
	hashes, err := list.Hashes(ctx, l.db.Redis, ids, l.k.Placements, nil)
	if err != nil {
		return err
	}
	for i, hash := range hashes {
		if items[i].Err == nil {
			items[i].Err = hash.Err
		}
		if items[i].Err == nil {
			items[i].Asset.Placements, items[i].Err = layout.ReadPlacements(hash.Fields)
		}
	}
	return nil
}

// placedIn lists the reports of the deployment that have a placement in a spreadsheet.
func (s *Reports) placedIn(ctx context.Context, d record.Deployment, document string) (map[int64]bool, error) {
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

// Get returns a report with its placements; ErrNotFound.
func (s *Reports) Get(ctx context.Context, d record.Deployment, id int64) (*layout.Report, error) {
	k := s.db.Deployment(d)
	stored, err := s.reads.One(ctx, k.Queue(), storedKeys{k.Report(id), k.Placements(id)})
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return s.reader.Report(k, id, stored.report, stored.placements)
}

// storedKeys are the hashes of a report, storedReport is what they have.
type (
	storedKeys   struct{ report, placements string }
	storedReport struct{ report, placements map[string]string }
)

// newReads returns what reads the reports that are asked for at one time.
func newReads(db *engine.DB) *redis.Together[storedKeys, storedReport] {
	return &redis.Together[storedKeys, storedReport]{
		Ask:   func(ctx context.Context, list []storedKeys) ([]storedReport, error) { return readStored(ctx, db, list) },
		Weigh: func(storedKeys) int { return 1 }, Most: readTogether,
	}
}

// readTogether is how many reports one exchange reads, at most: each waits for the largest.
const readTogether = 64

func readStored(ctx context.Context, db *engine.DB, list []storedKeys) ([]storedReport, error) {
	p, replies := db.Redis.Pipeline(), make([][2]*redis.MapStringStringCmd, len(list))
	for i, keys := range list {
		replies[i] = [2]*redis.MapStringStringCmd{p.HGetAll(ctx, keys.report), p.HGetAll(ctx, keys.placements)}
	}
	if _, err := p.Exec(ctx); err != nil {
		return nil, err
	}
	stored := make([]storedReport, len(list))
	for i, reply := range replies {
		stored[i] = storedReport{reply[0].Val(), reply[1].Val()}
	}
	return stored, nil
}

// Definition returns what decides who may do what with a report, and little else; ErrNotFound.
func (s *Reports) Definition(ctx context.Context, d record.Deployment, id int64) (*record.Definition, error) {
	text, err := s.db.Redis.HGet(ctx, s.db.Deployment(d).Report(id), layout.FieldDefinition).Result()
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

// ByPublicID returns the report of the deployment that stores the publicId, else the only one that shows it because it was
// synthesized. Errors: ErrNotFound; the *placements.Error CodeAmbiguous when several show it.
func (s *Reports) ByPublicID(ctx context.Context, d record.Deployment, publicID string) (*layout.Report, error) {
	k := s.db.Deployment(d)
	p := s.db.Redis.Pipeline()
	stored, shown := p.HGet(ctx, k.PublicIDs(), publicID), p.SMembers(ctx, k.Synthesized(publicID))
	_, _ = p.Exec(ctx) // each command's own error says more
	if err := stored.Err(); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	if id, here := k.Owned(stored.Val()); here {
		return s.Get(ctx, d, id)
	}
	switch ids, err := shown.Result(); len(ids) {
	case 0:
		if err != nil {
			return nil, redis.Unavailable(err)
		}
		return nil, ErrNotFound
	case 1:
		id, err := layout.ParseID(ids[0])
		if err != nil {
			return nil, err
		}
		return s.Get(ctx, d, id)
	}
	return nil, layout.Ambiguous(publicID)
}
