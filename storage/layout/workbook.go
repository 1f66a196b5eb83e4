package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// NameCharts makes the charts of workbooks of a deployment name their reports by publicId as well, where the report stores one.
func NameCharts(ctx context.Context, db *engine.DB, k keys.DeploymentKeys, list ...*record.Workbook) error {
	var ids []int64
	for _, w := range list {
		ids = append(ids, w.ChartReports()...)
	}
	if len(ids) == 0 {
		return nil
	}
	publicIDs, err := storedPublicIDs(ctx, db, k, slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return err
	}
	for _, w := range list {
		if err := w.NameReports(publicIDs); err != nil {
			return fmt.Errorf("workbook %d: %w", w.ID, err)
		}
	}
	return nil
}

// storedPublicIDs returns the publicIds of those of these reports that store one.
func storedPublicIDs(ctx context.Context, db *engine.DB, k keys.DeploymentKeys, reports []int64) (map[int64]string, error) {
	p := db.Redis.Pipeline()
	texts := make([]*redis.StringCmd, len(reports))
	for i, id := range reports {
		texts[i] = p.HGet(ctx, k.Report(id), FieldPublicID)
	}
	if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, redis.Unavailable(err)
	}
	publicIDs := make(map[int64]string, len(reports))
	for i, id := range reports {
		if text := texts[i].Val(); text != "" {
			publicIDs[id] = text
		}
	}
	return publicIDs, nil
}

// The further fields of a workbook's hash.
const (
	fieldMeta      = "meta"
	fieldPublished = "published"
)

// ReadWorkbook makes a workbook of its hash; record.ErrNotFound when that is empty.
func ReadWorkbook(k keys.DeploymentKeys, id int64, hash map[string]string) (*record.Workbook, error) {
	if len(hash) == 0 {
		return nil, record.ErrNotFound
	}
	w := &record.Workbook{ID: id, DeploymentID: k.ID, Type: "WORKBOOK"}
	if err := json.Unmarshal([]byte(hash[FieldDefinition]), &w.WorkbookDefinition); err != nil {
		return nil, fmt.Errorf("workbook %d: definition: %w", id, err)
	}
	w.UserID = w.CreatedBy
	var err error
	if w.ManagedBy, err = ReadManaged(hash); err != nil {
		return nil, fmt.Errorf("workbook %d: %w", id, err)
	}
	if published := hash[fieldPublished]; published != "" {
		w.DashboardPublished = json.RawMessage(published)
	}
	if err := w.SetMeta(json.RawMessage(hash[fieldMeta])); err != nil {
		return nil, fmt.Errorf("workbook %d: meta: %w", id, err)
	}
	if err := w.DropPublicIDs(); err != nil {
		return nil, fmt.Errorf("workbook %d: dashboards: %w", id, err)
	}
	return w, nil
}

// EnterWorkbook stores a workbook that is new.
func (to *Recorder) EnterWorkbook(w *record.Workbook) {
	if w.Slug != "" {
		to.Tx.Then("HSET", to.Keys.Slugs(), w.Slug, to.Keys.Owner(w.ID))
	}
	to.Tx.Set(to.Keys.Workbook(w.ID), FieldDefinition, w.WorkbookDefinition)
	to.Tx.Set(to.Keys.Workbook(w.ID), fieldMeta, w.Meta)
	to.Tx.Then("ZADD", to.Keys.Workbooks(), w.ID, w.ID)
	to.Note(journal.Create, journal.OfWorkbook(w), w.Version)
}

// DropWorkbook adds what removing a workbook changes: its dashboards and its claim on its slug go too.
func (to *Recorder) DropWorkbook(w *record.Workbook) {
	to.Tx.Then("DEL", to.Keys.Workbook(w.ID))
	to.Tx.Then("ZREM", to.Keys.Workbooks(), w.ID)
	if w.Slug != "" {
		to.Tx.Then("HDEL", to.Keys.Slugs(), w.Slug)
	}
	to.Note(journal.Delete, journal.OfWorkbook(w), 0)
}

// WalkWorkbooks goes through the deployment's workbooks that match q and that visible admits.
func WalkWorkbooks(
	ctx context.Context, db *engine.DB, d record.Deployment, q record.ListQuery, visible func(*record.Workbook) bool,
) iter.Seq2[list.Item[*record.Workbook], error] {
	return list.Walk(ctx, db.Redis, q, workbookList{db: db, k: db.Deployment(d), q: q, visible: visible})
}

// workbookList is the list of a deployment's workbooks.
type workbookList struct {
	db      *engine.DB
	k       keys.DeploymentKeys
	q       record.ListQuery
	visible func(*record.Workbook) bool
}

func (l workbookList) Index() string { return l.k.Workbooks() }

func (l workbookList) Key(id int64) string { return l.k.Workbook(id) }

// Fields leaves out what a list without meta does not show.
func (l workbookList) Fields() []string {
	if l.q.Meta {
		return nil
	}
	return []string{FieldDefinition, FieldManaged}
}

func (l workbookList) Largest() []string {
	if l.q.Meta {
		return []string{fieldMeta, fieldPublished}
	}
	return nil
}

func (l workbookList) Place(w *record.Workbook) record.Cursor {
	return l.q.Place(w.ID, w.Name, w.CreatedAt, w.UpdatedAt)
}

func (l workbookList) Wants(w *record.Workbook) bool {
	return l.q.MatchesWorkbook(w) && l.visible(w)
}

func (l workbookList) Unreadable(id int64) *record.Workbook {
	return &record.Workbook{ID: id, DeploymentID: l.k.ID, Type: "WORKBOOK"}
}

func (l workbookList) Read(id int64, record map[string]string) (*record.Workbook, error) {
	if l.q.Meta {
		return ReadWorkbook(l.k, id, record)
	}
	w := l.Unreadable(id)
	if err := json.Unmarshal([]byte(record[FieldDefinition]), &w.WorkbookDefinition); err != nil {
		return nil, fmt.Errorf("workbook %d: definition: %w", id, err)
	}
	w.UserID = w.CreatedBy
	var err error
	if w.ManagedBy, err = ReadManaged(record); err != nil {
		return nil, fmt.Errorf("workbook %d: %w", id, err)
	}
	return w, nil
}

// Complete names the reports of charts by publicId, where the list shows that.
func (l workbookList) Complete(ctx context.Context, items []list.Item[*record.Workbook]) error {
	if !l.q.Meta || !l.q.ReportPublicIDs {
		return nil
	}
	var readable []*record.Workbook
	for _, item := range items {
		if item.Err == nil {
			readable = append(readable, item.Asset)
		}
	}
	return NameCharts(ctx, l.db, l.k, readable...)
}

// ReplaceWorkbook stores after in place of before, as what verb names, and returns it; before when they are the same, and then nothing
// changes.
func (to *Recorder) ReplaceWorkbook(before, after *record.Workbook, verb string) *record.Workbook {
	sameMeta := record.SameJSON(before.Meta, after.Meta)
	samePublished := slices.Equal(before.DashboardPublished, after.DashboardPublished)
	if sameMeta && samePublished && reflect.DeepEqual(before.WorkbookDefinition, after.WorkbookDefinition) {
		return before
	}
	key := to.Keys.Workbook(after.ID)
	after.Version++
	after.UpdatedAt, after.UpdatedBy, after.Effect = to.Timestamp(), new(to.Who.User()), record.Updated
	to.Tx.Set(key, FieldDefinition, after.WorkbookDefinition)
	if !sameMeta {
		to.Tx.Set(key, fieldMeta, after.Meta)
	}
	if !samePublished {
		to.Tx.Set(key, fieldPublished, after.DashboardPublished)
	}
	to.Note(verb, journal.OfWorkbook(after), after.Version, journal.WorkbookPointers(before, after)...)
	return after
}
