package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/record"
)

// UpdateWorkbook gives a workbook the fields sent; meta is replaced. A slug is assigned once and for all. allow is asked under the
// lock and sees the workbook as stored; its error is returned as it is. What changes nothing leaves version and updatedAt alone.
func (s *Store) UpdateWorkbook(ctx context.Context, d Deployment, id int64, in record.WorkbookInput, who record.User, allow func(*record.Workbook) error) (*record.Workbook, error) {
	k := s.deployment(d)
	slug, err := slugOf(&in)
	if err != nil {
		return nil, err
	}
	var more []string
	if slug != "" {
		more = append(more, k.slugLock(slug))
	}
	h, w, err := s.lockWorkbook(ctx, k, id, more...)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(w); err != nil {
		return nil, err
	}
	var todo changes
	after := *w
	if err := s.assignSlug(ctx, &todo, k, &after, in.Slug, slug); err != nil {
		return nil, err
	}
	if in.Meta.Sent {
		meta, err := record.ReplacedMeta(in.Meta.OrZero())
		if err != nil {
			return nil, err
		}
		if err := after.SetMeta(meta); err != nil {
			return nil, err
		}
	}
	in.Apply(&after)
	return s.commitWorkbook(ctx, h, todo, k, w, &after, who)
}

// assignSlug stores a slug with a workbook that has none; the caller holds the locks of both.
func (s *Store) assignSlug(ctx context.Context, todo *changes, k deploymentKeys, w *record.Workbook, sent placements.Optional[string], slug string) error {
	switch {
	case !sent.Sent, slug == w.Slug:
		return nil
	case w.Slug != "":
		return invalid(placements.CodeSlugFixed, "/slug",
			fmt.Sprintf("The slug of this workbook is %s and cannot be changed: leave it out.", w.Slug))
	}
	_, taken, err := claimed(ctx, s.rdb, k.slugs(), slug)
	if err != nil {
		return err
	}
	if taken {
		return slugTaken(slug)
	}
	todo.add("HSET", k.slugs(), slug, k.owner(w.ID))
	w.Slug = slug
	return nil
}

// commitWorkbook stores after in place of before; when they are the same nothing is written and before is the answer.
func (s *Store) commitWorkbook(ctx context.Context, h held, todo changes, k deploymentKeys, before, after *record.Workbook, who record.User) (*record.Workbook, error) {
	sameMeta := record.SameJSON(before.Meta, after.Meta)
	samePublished := slices.Equal(before.DashboardPublished, after.DashboardPublished)
	if sameMeta && samePublished && reflect.DeepEqual(before.WorkbookDefinition, after.WorkbookDefinition) {
		return before, nil
	}
	key := k.workbook(after.ID)
	after.Version++
	after.UpdatedAt, after.UpdatedBy, after.Effect = s.timestamp(), &who, record.Updated
	todo.set(key, fieldDefinition, after.WorkbookDefinition)
	if !sameMeta {
		todo.set(key, fieldMeta, after.Meta)
	}
	if !samePublished {
		todo.set(key, fieldPublished, after.DashboardPublished)
	}
	return after, s.commit(ctx, h, todo)
}

// UpsertWorkbook creates a workbook with this slug or updates the one that has it (interface.md, Create or update a workbook by slug). meta
// is merged. slug is in its normal form. allow is the access check: it sees the workbook to update, or nil to create one, may be asked
// again under the lock, and its error is returned as it is.
func (s *Store) UpsertWorkbook(ctx context.Context, d Deployment, slug string, in record.WorkbookInput, who record.User, allow func(*record.Workbook) error) (*record.Workbook, error) {
	if err := sameSlug(&in, slug); err != nil {
		return nil, err
	}
	k := s.deployment(d)
	n := named{
		kind: "workbook", name: slug, lock: k.slugLock(slug), index: k.slugs(),
		recordPrefix: k.workbookPrefix(), lockPrefix: k.workbookLockPrefix(),
	}
	var w *record.Workbook
	h, f, err := s.lockNamed(ctx, k, n, func(f found) (err error) {
		if w = nil; f.exists {
			if w, err = readWorkbook(k, f.id, f.record); err != nil {
				return err
			}
		}
		return allow(w)
	})
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if !f.exists {
		w, todo, err := s.newWorkbook(k, f.id, slug, in, who)
		if err != nil {
			return nil, err
		}
		return w, s.commit(ctx, h, todo)
	}
	return s.mergeWorkbook(ctx, h, k, w, in, who)
}

// sameSlug refuses a body that names another slug than the path.
func sameSlug(in *record.WorkbookInput, slug string) error {
	sent, err := slugOf(in)
	if err == nil && sent != "" && sent != slug {
		return invalid(placements.CodeSlugFixed, "/slug", fmt.Sprintf("The path says %s: send the same slug, or none.", slug))
	}
	return err
}

func (s *Store) mergeWorkbook(ctx context.Context, h held, k deploymentKeys, w *record.Workbook, in record.WorkbookInput, who record.User) (*record.Workbook, error) {
	after := *w
	in.Apply(&after)
	meta, err := record.MergedMeta(w.Meta, in.Meta.OrZero())
	if err != nil {
		return nil, err
	}
	if err := after.SetMeta(meta); err != nil {
		return nil, err
	}
	return s.commitWorkbook(ctx, h, changes{}, k, w, &after, who)
}

// UpdateDashboard replaces the draft of a workbook's dashboard; the published one stays. The caller has checked the draft. allow as for
// UpdateWorkbook.
func (s *Store) UpdateDashboard(ctx context.Context, d Deployment, id int64, draft json.RawMessage, who record.User, allow func(*record.Workbook) error) (*record.Workbook, error) {
	k := s.deployment(d)
	h, w, err := s.lockWorkbook(ctx, k, id)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(w); err != nil {
		return nil, err
	}
	patch, err := json.Marshal(map[string]json.RawMessage{record.FieldDraft: draft})
	if err != nil {
		return nil, err
	}
	return s.mergeWorkbook(ctx, h, k, w, record.WorkbookInput{Meta: placements.Sent[json.RawMessage](patch)}, who)
}

// Publish copies the draft of a workbook's dashboard to where viewers see it. A draft that is published already changes nothing; without a
// draft it is the *placements.Error CodeNoDraft. allow as for UpdateWorkbook.
func (s *Store) Publish(ctx context.Context, d Deployment, id int64, who record.User, allow func(*record.Workbook) error) (*record.Workbook, error) {
	k := s.deployment(d)
	h, w, err := s.lockWorkbook(ctx, k, id)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(w); err != nil {
		return nil, err
	}
	if len(w.DashboardDraft) == 0 {
		return nil, placements.Errorf(placements.CodeNoDraft, "This workbook has no dashboard draft to publish: write one first.")
	}
	after := *w
	if !record.SameJSON(w.DashboardPublished, w.DashboardDraft) {
		after.DashboardPublished = w.DashboardDraft
	}
	return s.commitWorkbook(ctx, h, changes{}, k, w, &after, who)
}
