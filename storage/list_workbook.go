package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"mooring/storage/record"
)

// Workbooks goes through the deployment's workbooks that match q and that visible admits. Errors: the *placements.Error
// CodeCursor for a cursor of another list.
func (s *Store) Workbooks(
	ctx context.Context, d record.Deployment, q record.ListQuery, visible func(*record.Workbook) bool,
) iter.Seq2[Listed[*record.Workbook], error] {
	return walk(ctx, s, q, workbookList{s: s, d: d, k: s.deployment(d), q: q, visible: visible})
}

// workbookList is the list of a deployment's workbooks.
type workbookList struct {
	s       *Store
	d       record.Deployment
	k       deploymentKeys
	q       record.ListQuery
	visible func(*record.Workbook) bool
}

func (l workbookList) index() string       { return l.k.workbooks() }
func (l workbookList) key(id int64) string { return l.k.workbook(id) }

// fields leaves out what a list without meta does not show.
func (l workbookList) fields() []string {
	if l.q.Meta {
		return nil
	}
	return []string{fieldDefinition, fieldManaged}
}

func (l workbookList) largest() []string {
	if l.q.Meta {
		return []string{fieldMeta, fieldPublished}
	}
	return nil
}

func (l workbookList) place(w *record.Workbook) record.Cursor {
	return l.q.Place(w.ID, w.Name, w.CreatedAt, w.UpdatedAt)
}

func (l workbookList) wants(w *record.Workbook) bool {
	return l.q.MatchesWorkbook(w) && l.visible(w)
}

func (l workbookList) unreadable(id int64) *record.Workbook {
	return &record.Workbook{ID: id, DeploymentID: l.k.deployment, Type: "WORKBOOK"}
}

func (l workbookList) read(id int64, record map[string]string) (*record.Workbook, error) {
	if l.q.Meta {
		return readWorkbook(l.k, id, record)
	}
	w := l.unreadable(id)
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

// complete names the reports of charts, where the list shows dashboards.
func (l workbookList) complete(ctx context.Context, items []Listed[*record.Workbook]) error {
	if !l.q.Meta {
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
