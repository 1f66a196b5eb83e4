package storage

import (
	"bytes"
	"encoding/json"

	"mooring/storage/record"
)

// writeWorkbook creates a workbook, changes it, only makes it the project's, or deletes it.
func (a *applier) writeWorkbook(w *record.WorkbookWrite) error {
	if w.Held == nil {
		return a.createWorkbook(w)
	}
	key := a.k.workbook(w.Held.ID)
	a.free(a.k.workbookLock(w.Held.ID))
	a.tx.If(a.h.workbooks[w.Held.ID], "HGET", key, fieldDefinition) // it holds the version
	a.managedAs(key, w.Held.ManagedBy)
	if w.Action == record.ActionDelete {
		a.k.dropWorkbook(&a.tx, w.Held)
		a.done(&w.Write, w.Held.ID, 0)
		return nil
	}
	version := w.Held.Version
	if w.Action == record.ActionUpdate {
		after := w.Workbook
		if err := a.draw(&after, w.Held.DashboardDraft); err != nil {
			return err
		}
		version = a.s.replaceWorkbook(&a.tx, a.k, w.Held, &after, a.who.User()).Version
	}
	a.setManaged(key)
	a.done(&w.Write, w.Held.ID, version)
	return nil
}

func (a *applier) createWorkbook(w *record.WorkbookWrite) error {
	a.free(a.k.slugLock(w.Ref))
	a.tx.If("", "HGET", a.k.slugs(), w.Ref)
	after, now, user := w.Workbook, a.result.AppliedAt, a.who.User()
	if err := a.draw(&after, nil); err != nil {
		return err
	}
	after.ID = a.takeID("workbook")
	after.Slug, after.CreatedAt, after.UpdatedAt, after.CreatedBy, after.User, after.UpdatedBy = w.Ref, now, now, user.ID, user, &user
	after.Version = 1
	a.tx.enterWorkbook(a.k, &after)
	a.setManaged(a.k.workbook(after.ID))
	a.done(&w.Write, after.ID, after.Version)
	return nil
}

// draw makes the charts of a draft that is new name their reports by id.
func (a *applier) draw(w *record.Workbook, before json.RawMessage) error {
	if len(w.DashboardDraft) == 0 || bytes.Equal(w.DashboardDraft, before) {
		return nil
	}
	ids := map[string]int64{}
	for _, publicID := range record.ChartPublicIDs(w.DashboardDraft) {
		if err := a.refersTo(publicID); err != nil {
			return err
		}
		ids[publicID] = a.reports[publicID].ID
	}
	draft, err := record.WithReportIDs(w.DashboardDraft, ids)
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]json.RawMessage{record.FieldDraft: draft})
	if err != nil {
		return err
	}
	meta, err := record.MergedMeta(w.Meta, patch)
	if err != nil {
		return err
	}
	return w.SetMeta(meta)
}
