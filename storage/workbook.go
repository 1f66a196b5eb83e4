package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"mooring/storage/redis"
)

// WorkbookDefinition is what is kept of a workbook beside its meta and dashboards: the hash field "definition".
type WorkbookDefinition struct {
	Name      string `json:"name"`
	Slug      string `json:"slug"` // empty: none assigned yet
	FolderID  *int64 `json:"folderId"`
	CreatedAt string `json:"createdAt"`
	UpdatedAt string `json:"updatedAt"`
	CreatedBy int64  `json:"createdBy"`
	User      User   `json:"user"`                // who created it
	UpdatedBy *User  `json:"updatedBy,omitempty"` // who made this version; nil: before it was kept
	Version   int64  `json:"version"`
}

// Workbook is the container of a dashboard (decisions.md §5).
type Workbook struct {
	ID           int64  `json:"id"`
	DeploymentID int64  `json:"deploymentId"`
	Type         string `json:"type"`   // WORKBOOK
	UserID       int64  `json:"userId"` // same as createdBy
	WorkbookDefinition
	Meta               json.RawMessage `json:"meta"`               // an object; holds dashboardDraft
	DashboardDraft     json.RawMessage `json:"dashboardDraft"`     // mirrors meta.dashboardDraft; null: none
	DashboardPublished json.RawMessage `json:"dashboardPublished"` // null: none
	Effect             Effect          `json:"-"`                  // of the write that returned it
}

// WorkbookInput is the body of create, update and upsert. A draft in meta has been checked by the caller.
type WorkbookInput struct {
	Name     Optional[string]
	Slug     Optional[string]
	FolderID Optional[int64]
	Meta     Optional[json.RawMessage]
}

// The further fields of a workbook's hash.
const (
	fieldMeta      = "meta"
	fieldPublished = "published"
)

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}$`)

// NormalSlug gives the form in which a slug is kept, or in fault a sentence about what is wrong with it (decisions.md §5).
func NormalSlug(sent string) (slug, fault string) {
	slug = strings.ToLower(strings.TrimSpace(sent))
	if !slugPattern.MatchString(slug) {
		return "", "A slug has 1 to 128 characters, a-z, 0-9, dot, underscore or hyphen, and begins with a letter or digit: choose such a one."
	}
	return slug, ""
}

// Workbook gives a workbook; ErrNotFound.
func (s *Store) Workbook(ctx context.Context, d Deployment, id int64) (*Workbook, error) {
	k := s.deployment(d)
	record, err := s.rdb.HGetAll(ctx, k.workbook(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return readWorkbook(k, id, record)
}

// WorkbookBySlug returns the deployment's workbook of that slug, which is in its normal form; ErrNotFound.
func (s *Store) WorkbookBySlug(ctx context.Context, d Deployment, slug string) (*Workbook, error) {
	k := s.deployment(d)
	owner, _, err := claimed(ctx, s.rdb, k.slugs(), slug)
	if err != nil {
		return nil, err
	}
	id, here := k.owned(owner)
	if !here {
		return nil, ErrNotFound
	}
	return s.Workbook(ctx, d, id)
}

// readWorkbook makes a workbook of its hash; ErrNotFound when that is empty.
func readWorkbook(k deploymentKeys, id int64, record map[string]string) (*Workbook, error) {
	if len(record) == 0 {
		return nil, ErrNotFound
	}
	w := &Workbook{ID: id, DeploymentID: k.deployment, Type: "WORKBOOK"}
	if err := json.Unmarshal([]byte(record[fieldDefinition]), &w.WorkbookDefinition); err != nil {
		return nil, fmt.Errorf("workbook %d: definition: %w", id, err)
	}
	w.UserID = w.CreatedBy
	if published := record[fieldPublished]; published != "" {
		w.DashboardPublished = json.RawMessage(published)
	}
	if err := w.setMeta(json.RawMessage(record[fieldMeta])); err != nil {
		return nil, fmt.Errorf("workbook %d: meta: %w", id, err)
	}
	return w, nil
}

// setMeta gives w its meta and the draft in it.
func (w *Workbook) setMeta(meta json.RawMessage) error {
	members, _, err := object(meta)
	if err != nil {
		return err
	}
	w.Meta, w.DashboardDraft = meta, members[fieldDraft]
	return nil
}

// lockWorkbook takes the lock of a workbook, and those of more, and loads it. ErrNotFound, and then no lock is held.
func (s *Store) lockWorkbook(ctx context.Context, k deploymentKeys, id int64, more ...string) (held, *Workbook, error) {
	locks := append([]string{k.workbookLock(id)}, more...)
	h, hashes, err := s.lockLoad(ctx, locks, []string{k.workbook(id)})
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

// CreateWorkbook makes a workbook. A slug that another workbook of the deployment has is the *Conflict slug_taken.
func (s *Store) CreateWorkbook(ctx context.Context, d Deployment, in WorkbookInput, who User) (*Workbook, error) {
	k := s.deployment(d)
	slug, err := in.slug()
	if err != nil {
		return nil, err
	}
	var c *claim
	if slug != "" {
		c = &claim{k.slugLock(slug), k.slugs(), slug}
	}
	h, id, owner, err := s.lockNew(ctx, k, "workbook", c)
	if err != nil {
		return nil, err
	}
	if owner != "" {
		return nil, slugTaken(slug)
	}
	defer s.unlock(ctx, h)
	w, todo, err := s.newWorkbook(k, id, slug, in, who)
	if err != nil {
		return nil, err
	}
	return w, s.commit(ctx, h, todo)
}

func slugTaken(slug string) *Conflict {
	return &Conflict{
		Code:    CodeSlugTaken,
		Message: fmt.Sprintf("Another workbook of this deployment has the slug %s: choose another one, or update that workbook.", slug),
	}
}

// slug is the normal form of the slug sent, empty when none was.
func (in *WorkbookInput) slug() (string, error) {
	sent := in.Slug.OrZero()
	if sent == "" {
		return "", nil
	}
	slug, fault := NormalSlug(sent)
	if fault != "" {
		return "", invalid(CodeSlug, "/slug", fault)
	}
	return slug, nil
}

// newWorkbook decides a creation: the workbook and what it changes.
func (s *Store) newWorkbook(k deploymentKeys, id int64, slug string, in WorkbookInput, who User) (*Workbook, changes, error) {
	var todo changes
	now := s.timestamp()
	w := &Workbook{ID: id, DeploymentID: k.deployment, Type: "WORKBOOK", UserID: who.ID, Effect: Created}
	w.WorkbookDefinition = WorkbookDefinition{Slug: slug, CreatedAt: now, UpdatedAt: now, CreatedBy: who.ID, User: who, UpdatedBy: &who, Version: 1}
	in.Name.set(&w.Name)
	in.FolderID.setNullable(&w.FolderID)
	meta, err := mergedMeta(json.RawMessage("{}"), in.Meta.OrZero())
	if err != nil {
		return nil, todo, err
	}
	if err := w.setMeta(meta); err != nil {
		return nil, todo, err
	}
	if slug != "" {
		todo.add("HSET", k.slugs(), slug, k.owner(id))
	}
	todo.set(k.workbook(id), fieldDefinition, w.WorkbookDefinition)
	todo.set(k.workbook(id), fieldMeta, w.Meta)
	todo.add("ZADD", k.workbooks(), id, id)
	return w, todo, nil
}

// DeleteWorkbook removes a workbook with its dashboards, and its claim on its slug. allow as for UpdateWorkbook.
func (s *Store) DeleteWorkbook(ctx context.Context, d Deployment, id int64, allow func(*Workbook) error) error {
	k := s.deployment(d)
	h, w, err := s.lockWorkbook(ctx, k, id)
	if err != nil {
		return err
	}
	defer s.unlock(ctx, h)
	if err := allow(w); err != nil {
		return err
	}
	var todo changes
	todo.add("DEL", k.workbook(id))
	todo.add("ZREM", k.workbooks(), id)
	if w.Slug != "" {
		todo.add("HDEL", k.slugs(), w.Slug)
	}
	return s.commit(ctx, h, todo)
}
