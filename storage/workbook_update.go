package storage

import (
	"context"
	"encoding/json"
	"fmt"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
)

// Update sets the fields of a workbook that were sent; meta is replaced. A slug is assigned once and for all. allow may be asked
// again, and sees the workbook as stored; its error is returned as it is. What changes nothing leaves version and updatedAt alone.
func (s *Workbooks) Update(
	ctx context.Context, d record.Deployment, id int64, in record.WorkbookInput, who record.Actor, allow func(*record.Workbook) error,
) (*record.Workbook, error) {
	k := s.db.Deployment(d)
	slug, err := slugOf(&in)
	if err != nil {
		return nil, err
	}
	var more []string
	if slug != "" {
		more = append(more, k.Locks().Slug(slug))
	}
	return s.change(ctx, k, id, who, more, allow, func(to *layout.Recorder, w *record.Workbook) (*record.Workbook, error) {
		after := *w
		if err := s.assignSlug(ctx, to, &after, in.Slug, slug); err != nil {
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
		return to.ReplaceWorkbook(w, &after, journal.Update), nil
	})
}

// assignSlug stores a slug with a workbook that has none.
func (s *Workbooks) assignSlug(
	ctx context.Context, to *layout.Recorder, w *record.Workbook, sent placements.Optional[string], slug string,
) error {
	switch {
	case !sent.Sent, slug == w.Slug:
		return nil
	case w.Slug != "":
		return invalid(placements.CodeSlugFixed, "/slug", w.FixedSlug())
	}
	_, taken, err := claimed(ctx, s.db.Redis, to.Keys.Slugs(), slug)
	if err != nil {
		return err
	}
	if taken {
		return slugTaken(slug)
	}
	to.Tx.If("", "HGET", to.Keys.Slugs(), slug)
	to.Tx.Then("HSET", to.Keys.Slugs(), slug, to.Keys.Owner(w.ID))
	w.Slug = slug
	return nil
}

// Upsert creates a workbook with this slug or updates the one that has it (interface.md, Create or update a workbook by slug). meta
// is merged. slug is in its normal form. allow is the access check: it sees the workbook to update, or nil to create one, may be asked
// again under the lock, and its error is returned as it is.
func (s *Workbooks) Upsert(
	ctx context.Context, d record.Deployment, slug string, in record.WorkbookInput, who record.Actor, allow func(*record.Workbook) error,
) (w *record.Workbook, err error) {
	if err := sameSlug(&in, slug); err != nil {
		return nil, err
	}
	k := s.db.Deployment(d)
	n := nameOfWorkbook(k, slug)
	err = s.names.byName(ctx, k, n, func(found named, h engine.Locks) error {
		w, err = s.upsertWorkbook(ctx, k, n, found, h, in, who, allow)
		return err
	})
	return w, err
}

// upsertWorkbook creates or updates the workbook that n leads to, under h if that holds the locks.
func (s *Workbooks) upsertWorkbook(
	ctx context.Context, k keys.DeploymentKeys, n name, found named, h engine.Locks, in record.WorkbookInput, who record.Actor,
	allow func(*record.Workbook) error,
) (w *record.Workbook, err error) {
	if found.exists {
		if w, err = layout.ReadWorkbook(k, found.id, found.record); err != nil {
			return nil, err
		}
	}
	if err := allow(w); err != nil {
		return nil, err
	}
	var tx engine.Transaction
	to := layout.NewRecorder(s.db, &tx, k, who)
	if w == nil {
		w, err = newWorkbook(to, found.id, n.text, in)
	} else {
		tx.If(found.record[layout.FieldDefinition], "HGET", k.Workbook(w.ID), layout.FieldDefinition) // it holds the version
		w, err = mergeWorkbook(to, w, in)
	}
	if err != nil || w.Effect == record.Unchanged {
		return w, err
	}
	n.leadsTo(&tx, k, found, h)
	if _, err = s.db.Write(ctx, &tx); err != nil {
		return nil, err
	}
	h.Released()
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
func mergeWorkbook(to *layout.Recorder, w *record.Workbook, in record.WorkbookInput) (*record.Workbook, error) {
	after := *w
	in.Apply(&after)
	meta, err := record.MergedMeta(w.Meta, in.Meta.OrZero())
	if err != nil {
		return nil, err
	}
	if err := after.SetMeta(meta); err != nil {
		return nil, err
	}
	return to.ReplaceWorkbook(w, &after, journal.Update), nil
}

// UpdateDashboard replaces the draft of a workbook's dashboard; the published one stays. The caller has checked the draft. allow as for
// Update.
func (s *Workbooks) UpdateDashboard(
	ctx context.Context, d record.Deployment, id int64, draft json.RawMessage, who record.Actor, allow func(*record.Workbook) error,
) (*record.Workbook, error) {
	k := s.db.Deployment(d)
	patch, err := json.Marshal(map[string]json.RawMessage{record.FieldDraft: draft})
	if err != nil {
		return nil, err
	}
	return s.change(ctx, k, id, who, nil, allow, func(to *layout.Recorder, w *record.Workbook) (*record.Workbook, error) {
		return mergeWorkbook(to, w, record.WorkbookInput{Meta: placements.Sent[json.RawMessage](patch)})
	})
}

// Publish copies the draft of a workbook's dashboard to where viewers see it. A draft that is published already changes nothing; without a
// draft it is the *placements.Error CodeNoDraft. allow as for Update.
func (s *Workbooks) Publish(
	ctx context.Context, d record.Deployment, id int64, who record.Actor, allow func(*record.Workbook) error,
) (*record.Workbook, error) {
	k := s.db.Deployment(d)
	return s.change(ctx, k, id, who, nil, allow, func(to *layout.Recorder, w *record.Workbook) (*record.Workbook, error) {
		if len(w.DashboardDraft) == 0 {
			return nil, placements.Errorf(placements.CodeNoDraft, "This workbook has no dashboard draft to publish: write one first.")
		}
		after := *w
		if !record.SameJSON(w.DashboardPublished, w.DashboardDraft) {
			after.DashboardPublished = w.DashboardDraft
		}
		return to.ReplaceWorkbook(w, &after, journal.Publish), nil
	})
}

// Create makes a workbook. A slug that another workbook of the deployment has is the *placements.Error CodeSlugTaken.
func (s *Workbooks) Create(
	ctx context.Context, d record.Deployment, in record.WorkbookInput, who record.Actor,
) (w *record.Workbook, err error) {
	k := s.db.Deployment(d)
	slug, err := slugOf(&in)
	if err != nil {
		return nil, err
	}
	n := nameOfWorkbook(k, slug)
	err = s.names.byName(ctx, k, n, func(found named, h engine.Locks) error {
		if found.exists {
			return slugTaken(slug)
		}
		w, err = s.upsertWorkbook(ctx, k, n, found, h, in, who, func(*record.Workbook) error { return nil })
		return err
	})
	return w, err
}
