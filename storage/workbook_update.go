package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"mooring/placements"
	"mooring/storage/journal"
	"mooring/storage/record"
)

// UpdateWorkbook sets the fields of a workbook that were sent; meta is replaced. A slug is assigned once and for all. allow is asked under the
// lock and sees the workbook as stored; its error is returned as it is. What changes nothing leaves version and updatedAt alone.
func (s *Store) UpdateWorkbook(
	ctx context.Context, d record.Deployment, id int64, in record.WorkbookInput, who record.Actor, allow func(*record.Workbook) error,
) (*record.Workbook, error) {
	k := s.deployment(d)
	slug, err := slugOf(&in)
	if err != nil {
		return nil, err
	}
	var more []string
	if slug != "" {
		more = append(more, k.SlugLock(slug))
	}
	h, w, err := s.lockWorkbook(ctx, k, id, more...)
	if err != nil {
		return nil, err
	}
	defer s.unlock(ctx, h)
	if err := allow(w); err != nil {
		return nil, err
	}
	var tx txn
	after := *w
	if err := s.assignSlug(ctx, &tx, k, &after, in.Slug, slug); err != nil {
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
	return s.commitWorkbook(ctx, h, &tx, s.replaceWorkbook(&tx, k, w, &after, journal.Update, who))
}

// commitWorkbook commits what was decided about w, if anything was.
func (s *Store) commitWorkbook(ctx context.Context, h held, tx *txn, w *record.Workbook) (*record.Workbook, error) {
	if tx.Idle() {
		return w, nil
	}
	return w, s.commit(ctx, h, tx)
}

// assignSlug stores a slug with a workbook that has none; the caller holds the locks of both.
func (s *Store) assignSlug(
	ctx context.Context, tx *txn, k deploymentKeys, w *record.Workbook, sent placements.Optional[string], slug string,
) error {
	switch {
	case !sent.Sent, slug == w.Slug:
		return nil
	case w.Slug != "":
		return invalid(placements.CodeSlugFixed, "/slug", w.FixedSlug())
	}
	_, taken, err := claimed(ctx, s.rdb, k.Slugs(), slug)
	if err != nil {
		return err
	}
	if taken {
		return slugTaken(slug)
	}
	tx.Then("HSET", k.Slugs(), slug, k.Owner(w.ID))
	w.Slug = slug
	return nil
}

// replaceWorkbook stores after in place of before, as what who did, and returns it; before when they are the same, and then tx changes
// nothing.
func (s *Store) replaceWorkbook(
	tx *txn, k deploymentKeys, before, after *record.Workbook, verb string, who record.Actor,
) *record.Workbook {
	sameMeta := record.SameJSON(before.Meta, after.Meta)
	samePublished := slices.Equal(before.DashboardPublished, after.DashboardPublished)
	if sameMeta && samePublished && reflect.DeepEqual(before.WorkbookDefinition, after.WorkbookDefinition) {
		return before
	}
	key := k.Workbook(after.ID)
	after.Version++
	after.UpdatedAt, after.UpdatedBy, after.Effect = s.timestamp(), new(who.User()), record.Updated
	tx.set(key, fieldDefinition, after.WorkbookDefinition)
	if !sameMeta {
		tx.set(key, fieldMeta, after.Meta)
	}
	if !samePublished {
		tx.set(key, fieldPublished, after.DashboardPublished)
	}
	tx.note(k, journal.Of(who, verb, journal.OfWorkbook(after)).Made(after.Version, journal.WorkbookPointers(before, after)...))
	return after
}

// UpsertWorkbook creates a workbook with this slug or updates the one that has it (interface.md, Create or update a workbook by slug). meta
// is merged. slug is in its normal form. allow is the access check: it sees the workbook to update, or nil to create one, may be asked
// again under the lock, and its error is returned as it is.
func (s *Store) UpsertWorkbook(
	ctx context.Context, d record.Deployment, slug string, in record.WorkbookInput, who record.Actor, allow func(*record.Workbook) error,
) (w *record.Workbook, err error) {
	if err := sameSlug(&in, slug); err != nil {
		return nil, err
	}
	k := s.deployment(d)
	n := k.slug(slug)
	err = s.byName(ctx, k, n, func(found named, h held) error {
		w, err = s.upsertWorkbook(ctx, k, n, found, h, in, who, allow)
		return err
	})
	return w, err
}

// upsertWorkbook creates or updates the workbook that n leads to, under h if that holds the locks.
func (s *Store) upsertWorkbook(
	ctx context.Context, k deploymentKeys, n name, found named, h held, in record.WorkbookInput, who record.Actor,
	allow func(*record.Workbook) error,
) (w *record.Workbook, err error) {
	if found.exists {
		if w, err = readWorkbook(k, found.id, found.record); err != nil {
			return nil, err
		}
	}
	if err := allow(w); err != nil {
		return nil, err
	}
	var tx txn
	if w == nil {
		w, err = s.newWorkbook(&tx, k, found.id, n.text, in, who)
	} else {
		tx.If(found.record[fieldDefinition], "HGET", k.Workbook(w.ID), fieldDefinition) // it holds the version
		w, err = s.mergeWorkbook(&tx, k, w, in, who)
	}
	if err != nil || w.Effect == record.Unchanged {
		return w, err
	}
	n.leadsTo(&tx, k, found, h)
	if _, err = s.write(ctx, &tx); err != nil {
		return nil, err
	}
	h.released()
	return w, nil
}

// sameSlug refuses a body that names another slug than the path.
func sameSlug(in *record.WorkbookInput, slug string) error {
	sent, err := slugOf(in)
	if err == nil && sent != "" && sent != slug {
		return invalid(placements.CodeSlugFixed, "/slug", fmt.Sprintf("The path says %s: send the same slug, or none.", slug))
	}
	return err
}

// mergeWorkbook decides an update that merges meta.
func (s *Store) mergeWorkbook(
	tx *txn, k deploymentKeys, w *record.Workbook, in record.WorkbookInput, who record.Actor,
) (*record.Workbook, error) {
	after := *w
	in.Apply(&after)
	meta, err := record.MergedMeta(w.Meta, in.Meta.OrZero())
	if err != nil {
		return nil, err
	}
	if err := after.SetMeta(meta); err != nil {
		return nil, err
	}
	return s.replaceWorkbook(tx, k, w, &after, journal.Update, who), nil
}

// UpdateDashboard replaces the draft of a workbook's dashboard; the published one stays. The caller has checked the draft. allow as for
// UpdateWorkbook.
func (s *Store) UpdateDashboard(
	ctx context.Context, d record.Deployment, id int64, draft json.RawMessage, who record.Actor, allow func(*record.Workbook) error,
) (*record.Workbook, error) {
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
	var tx txn
	if w, err = s.mergeWorkbook(&tx, k, w, record.WorkbookInput{Meta: placements.Sent[json.RawMessage](patch)}, who); err != nil {
		return nil, err
	}
	return s.commitWorkbook(ctx, h, &tx, w)
}

// Publish copies the draft of a workbook's dashboard to where viewers see it. A draft that is published already changes nothing; without a
// draft it is the *placements.Error CodeNoDraft. allow as for UpdateWorkbook.
func (s *Store) Publish(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*record.Workbook) error,
) (*record.Workbook, error) {
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
	var tx txn
	return s.commitWorkbook(ctx, h, &tx, s.replaceWorkbook(&tx, k, w, &after, journal.Publish, who))
}

// CreateWorkbook makes a workbook. A slug that another workbook of the deployment has is the *placements.Error CodeSlugTaken.
func (s *Store) CreateWorkbook(
	ctx context.Context, d record.Deployment, in record.WorkbookInput, who record.Actor,
) (w *record.Workbook, err error) {
	k := s.deployment(d)
	slug, err := slugOf(&in)
	if err != nil {
		return nil, err
	}
	n := k.slug(slug)
	err = s.byName(ctx, k, n, func(found named, h held) error {
		if found.exists {
			return slugTaken(slug)
		}
		w, err = s.upsertWorkbook(ctx, k, n, found, h, in, who, func(*record.Workbook) error { return nil })
		return err
	})
	return w, err
}
