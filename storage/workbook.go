package storage

import (
	"context"
	"encoding/json"
	"iter"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/list"
	"mooring/storage/record"
	"mooring/storage/record/portable"
	"mooring/storage/redis"
)

// Get returns a workbook; ErrNotFound.
func (s *Workbooks) Get(ctx context.Context, d record.Deployment, id int64) (*record.Workbook, error) {
	k := s.db.Deployment(d)
	hash, err := s.db.Redis.HGetAll(ctx, k.Workbook(id)).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	return layout.ReadWorkbook(k, id, hash)
}

// BySlug returns the deployment's workbook of that slug, which is in its normal form; ErrNotFound.
func (s *Workbooks) BySlug(ctx context.Context, d record.Deployment, slug string) (*record.Workbook, error) {
	k := s.db.Deployment(d)
	owner, _, err := claimed(ctx, s.db.Redis, k.Slugs(), slug)
	if err != nil {
		return nil, err
	}
	id, here := k.Owned(owner)
	if !here {
		return nil, ErrNotFound
	}
	return s.Get(ctx, d, id)
}

// change has decide record what who does to a workbook that allow admits, and return it as it is then. more are the locks of what it claims.
func (s *Workbooks) change(
	ctx context.Context, k keys.DeploymentKeys, id int64, who record.Actor, more []string, allow func(*record.Workbook) error,
	decide func(to *layout.Recorder, w *record.Workbook) (*record.Workbook, error),
) (changed *record.Workbook, err error) {
	of := engine.WriteSubject{
		Locks: append([]string{k.Locks().Workbook(id)}, more...), Hashes: []string{k.Workbook(id)},
		Same: []string{layout.FieldDefinition, layout.FieldManaged}, // the definition holds the version
	}
	err = s.db.Change(ctx, of, func(tx *engine.Transaction, hashes []map[string]string) error {
		w, err := layout.ReadWorkbook(k, id, hashes[0])
		if err != nil {
			return err
		}
		if err := allow(w); err != nil {
			return err
		}
		changed, err = decide(layout.NewRecorder(s.db, tx, k, who), w)
		return err
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
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
func newWorkbook(to *layout.Recorder, id int64, slug string, in record.WorkbookInput) (*record.Workbook, error) {
	now, user := to.Timestamp(), to.Who.User()
	w := &record.Workbook{ID: id, DeploymentID: to.Keys.ID, Type: "WORKBOOK", UserID: to.Who.ID, Effect: record.Created}
	w.WorkbookDefinition = record.WorkbookDefinition{
		Slug: slug, CreatedAt: now, UpdatedAt: now, CreatedBy: to.Who.ID, User: user, UpdatedBy: &user, Version: 1,
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
	to.EnterWorkbook(w)
	to.NoteMade(w.ID)
	return w, nil
}

// Delete removes a workbook with its dashboards, and its claim on its slug. allow as for Update.
func (s *Workbooks) Delete(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*record.Workbook) error,
) error {
	k := s.db.Deployment(d)
	_, err := s.change(ctx, k, id, who, nil, allow, func(to *layout.Recorder, w *record.Workbook) (*record.Workbook, error) {
		to.DropWorkbook(w)
		entomb(to, w.ManagedBy, portable.WorkbookKey(w.Slug))
		return nil, nil
	})
	return err
}

// List goes through the deployment's workbooks that match q and that visible admits. Errors: the *placements.Error
// CodeCursor for a cursor of another list.
func (s *Workbooks) List(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*record.Workbook) bool,
) iter.Seq2[list.Item[*record.Workbook], error] {
	return layout.WalkWorkbooks(ctx, s.db, d, q, visible)
}
