package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// The further fields of a workbook's hash.
const (
	fieldMeta      = "meta"
	fieldPublished = "published"
)

// Workbook returns a workbook; ErrNotFound.
func (s *Store) Workbook(ctx context.Context, d record.Deployment, id int64) (*record.Workbook, error) {
	k := s.deployment(d)
	hash, err := s.rdb.HGetAll(ctx, k.Workbook(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return readWorkbook(k, id, hash)
}

// WorkbookBySlug returns the deployment's workbook of that slug, which is in its normal form; ErrNotFound.
func (s *Store) WorkbookBySlug(ctx context.Context, d record.Deployment, slug string) (*record.Workbook, error) {
	k := s.deployment(d)
	owner, _, err := claimed(ctx, s.rdb, k.Slugs(), slug)
	if err != nil {
		return nil, err
	}
	id, here := k.Owned(owner)
	if !here {
		return nil, ErrNotFound
	}
	return s.Workbook(ctx, d, id)
}

// readWorkbook makes a workbook of its hash; ErrNotFound when that is empty.
func readWorkbook(k deploymentKeys, id int64, hash map[string]string) (*record.Workbook, error) {
	if len(hash) == 0 {
		return nil, ErrNotFound
	}
	w := &record.Workbook{ID: id, DeploymentID: k.ID, Type: "WORKBOOK"}
	if err := json.Unmarshal([]byte(hash[fieldDefinition]), &w.WorkbookDefinition); err != nil {
		return nil, fmt.Errorf("workbook %d: definition: %w", id, err)
	}
	w.UserID = w.CreatedBy
	var err error
	if w.ManagedBy, err = readManaged(hash); err != nil {
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

// lockWorkbook takes the lock of a workbook, and those of more, and loads it. ErrNotFound, and then no lock is held.
func (s *Store) lockWorkbook(ctx context.Context, k deploymentKeys, id int64, more ...string) (held, *record.Workbook, error) {
	locks := append([]string{k.WorkbookLock(id)}, more...)
	h, hashes, err := s.lockLoad(ctx, locks, []string{k.Workbook(id)})
	if err != nil {
		return held{}, nil, err
	}
	w, err := readWorkbook(k, id, hashes[0])
	if err != nil {
		s.unlock(ctx, h)
		return held{}, nil, err
	}
	return h, w, nil
}

func slugTaken(slug string) error {
	return placements.Errorf(placements.CodeSlugTaken,
		"Another workbook of this deployment has the slug %s: choose another one, or update that workbook.", slug)
}

// slugOf is the normal form of the slug sent, empty when none was.
func slugOf(in *record.WorkbookInput) (string, error) {
	sent := in.Slug.OrZero()
	if sent == "" {
		return "", nil
	}
	slug, fault := record.NormalSlug(sent)
	if fault != "" {
		return "", invalid(placements.CodeSlug, "/slug", fault)
	}
	return slug, nil
}

// newWorkbook decides a creation.
func (s *Store) newWorkbook(
	tx *txn, k deploymentKeys, id int64, slug string, in record.WorkbookInput, who record.Actor,
) (*record.Workbook, error) {
	now, user := s.timestamp(), who.User()
	w := &record.Workbook{ID: id, DeploymentID: k.ID, Type: "WORKBOOK", UserID: who.ID, Effect: record.Created}
	w.WorkbookDefinition = record.WorkbookDefinition{
		Slug: slug, CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, User: user, UpdatedBy: &user, Version: 1,
	}
	in.Name.Set(&w.Name)
	in.FolderID.SetNullable(&w.FolderID)
	meta, err := record.MergedMeta(json.RawMessage("{}"), in.Meta.OrZero())
	if err != nil {
		return nil, err
	}
	if err := w.SetMeta(meta); err != nil {
		return nil, err
	}
	tx.enterWorkbook(k, w)
	tx.once(who.Via.Once, w.ID)
	tx.note(k, journal.Of(who, journal.Create, journal.OfWorkbook(w)).Made(w.Version))
	return w, nil
}

// enterWorkbook stores a workbook that is new.
func (t *txn) enterWorkbook(k deploymentKeys, w *record.Workbook) {
	if w.Slug != "" {
		t.Then("HSET", k.Slugs(), w.Slug, k.Owner(w.ID))
	}
	t.set(k.Workbook(w.ID), fieldDefinition, w.WorkbookDefinition)
	t.set(k.Workbook(w.ID), fieldMeta, w.Meta)
	t.Then("ZADD", k.Workbooks(), w.ID, w.ID)
}

// dropWorkbook adds what removing a workbook changes: its dashboards and its claim on its slug go too.
func (k deploymentKeys) dropWorkbook(tx *txn, w *record.Workbook) {
	tx.Then("DEL", k.Workbook(w.ID))
	tx.Then("ZREM", k.Workbooks(), w.ID)
	if w.Slug != "" {
		tx.Then("HDEL", k.Slugs(), w.Slug)
	}
}

// DeleteWorkbook removes a workbook with its dashboards, and its claim on its slug. allow as for UpdateWorkbook.
func (s *Store) DeleteWorkbook(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*record.Workbook) error,
) error {
	k := s.deployment(d)
	h, w, err := s.lockWorkbook(ctx, k, id)
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	if err := allow(w); err != nil {
		return err
	}
	var tx txn
	k.dropWorkbook(&tx, w)
	s.entomb(&tx, k, w.ManagedBy, portable.WorkbookKey(w.Slug), who)
	tx.note(k, journal.Of(who, journal.Delete, journal.OfWorkbook(w)))
	return s.commit(ctx, h, &tx)
}

// Workbooks goes through the deployment's workbooks that match q and that visible admits. Errors: the *placements.Error
// CodeCursor for a cursor of another list.
func (s *Store) Workbooks(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*record.Workbook) bool,
) iter.Seq2[list.Item[*record.Workbook], error] {
	return list.Walk(ctx, s.rdb, q, workbookList{s: s, d: d, k: s.deployment(d), q: q, visible: visible})
}

// workbookList is the list of a deployment's workbooks.
type workbookList struct {
	s       *Store
	d       record.Deployment
	k       deploymentKeys
	q       record.ListQuery
	visible func(*record.Workbook) bool
}

func (l workbookList) Index() string       { return l.k.Workbooks() }
func (l workbookList) Key(id int64) string { return l.k.Workbook(id) }

// fields leaves out what a list without meta does not show.
func (l workbookList) Fields() []string {
	if l.q.Meta {
		return nil
	}
	return []string{fieldDefinition, fieldManaged}
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
		return readWorkbook(l.k, id, record)
	}
	w := l.Unreadable(id)
	if err := json.Unmarshal([]byte(record[fieldDefinition]), &w.WorkbookDefinition); err != nil {
		return nil, fmt.Errorf("workbook %d: definition: %w", id, err)
	}
	w.UserID = w.CreatedBy
	var err error
	if w.ManagedBy, err = readManaged(record); err != nil {
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
	return l.s.NameReports(ctx, l.d, readable...)
}
