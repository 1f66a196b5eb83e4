package refresh

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/storage/record"
	"mooring/storage/record/portable"
)

// What saving a draft would change is told as a plan tells it.
func TestATrialTellsWhatSavingChanges(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "H1", "MAX(C3:C5)")) })
		report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
		must(t, err)
		for query, want := range map[string]*DraftChanges{
			report.SQLQuery: {},
			"SELECT name, 1 AS area FROM cities": {
				Documents: []string{"book.xlsx"}, Blocks: 1,
				Columns: &portable.ColumnDiff{Appear: []string{"area"}, Vanish: []portable.ColumnVanish{{
					Name: "people", Placements: []string{"book.xlsx/Sheet1!B2"}, Formulas: []string{"book.xlsx/Sheet1!H1", "book.xlsx/Sheet1!F2"},
				}}},
			},
			"SELECT name, name AS people FROM cities": {
				Documents: []string{"book.xlsx"}, Blocks: 1,
				Columns: &portable.ColumnDiff{Changed: []portable.ColumnType{{Name: "people", Before: "number", After: "text"}}},
			},
			"SELECT name, people FROM cities WHERE 0": {Documents: []string{"book.xlsx"}, Blocks: 1},
		} {
			draft := &Draft{Definition: report.Definition, Of: report, By: record.Actor{ID: 7}, Person: "7"}
			draft.Definition.SQLQuery = query
			got, err := r.engine.Try(r.Context(), r.d, draft)
			must(t, err)
			if diff := cmp.Diff(want, got.Changes); diff != "" {
				t.Errorf("%s: changes (-want +got):\n%s", query, diff)
			}
			got.Close()
		}
		broken := &Draft{Definition: record.Definition{SQLQuery: "SELECT name\nFRM cities c"}, Of: report, Person: "7"}
		got, err := r.engine.Try(r.Context(), r.d, broken)
		if must(t, err); got.Fault == nil || got.Fault.Line != 2 || got.Fault.Pointer != "/sqlQuery" || got.Changes != nil {
			t.Errorf("a broken draft: %+v", got)
		}
	})
}
