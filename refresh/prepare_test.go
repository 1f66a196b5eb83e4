package refresh

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/source"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func TestPrepareTellsColumnsAndFaults(t *testing.T) {
	r := newRig(t, storagetest.Open(t, "embedded"))
	for _, row := range []struct {
		fact       string
		definition record.Definition
		want       []string
		flat       bool
		fault      string
		line       int
	}{
		{fact: "a query", definition: record.Definition{SQLQuery: cities}, want: []string{"name", "people"}},
		{fact: "a query that does not end", definition: record.Definition{SQLQuery: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT max(i) AS top FROM n"}, want: []string{"top"}},
		{fact: "a fault with its place", definition: record.Definition{SQLQuery: "SELECT name\nFRM cities c"}, fault: "syntax error", line: 2},
		{fact: "no query", fault: "no query"},
		{
			fact: "a pivot whose headings the query decides", want: []string{"name", "people"},
			definition: record.Definition{SQLQuery: cities, PivotItems: &record.PivotItems{Rows: []string{"name"}, Measures: []string{"people"}}},
		},
		{
			fact: "measures on rows", want: []string{"Measure", "name", "Value"},
			definition: record.Definition{SQLQuery: cities, PivotItems: &record.PivotItems{Rows: []string{"name"}, Measures: []string{"people"}, MeasuresAxis: "rows"}},
		},
		{
			fact: "a pivot whose headings are values", want: []string{"name", "people"}, flat: true,
			definition: record.Definition{SQLQuery: cities, PivotItems: &record.PivotItems{Columns: []string{"name"}, Measures: []string{"people"}}},
		},
		{
			fact: "a pivot of a column that is none", fault: `"town"`,
			definition: record.Definition{SQLQuery: cities, PivotItems: &record.PivotItems{Rows: []string{"town"}, Measures: []string{"people"}}},
		},
	} {
		t.Run(row.fact, func(t *testing.T) {
			got := r.engine.Prepare(t.Context(), r.d, []*record.Definition{&row.definition}, record.Actor{ID: 7})[0]
			if row.fault == "" {
				must(t, got.Err)
				if diff := cmp.Diff(row.want, got.Columns); diff != "" || got.Flat != row.flat {
					t.Errorf("flat %v, want %v, columns (-want +got):\n%s", got.Flat, row.flat, diff)
				}
				return
			}
			if _, ok := errors.AsType[*placements.Fault](got.Err); !ok || !strings.Contains(got.Err.Error(), row.fault) {
				t.Fatalf("got %v, want a fault with %s", got.Err, row.fault)
			}
			at, known := errors.AsType[*source.PositionError](got.Err)
			if known != (row.line > 0) || known && at.Line != row.line {
				t.Errorf("the fault is at %+v, want line %d", at, row.line)
			}
		})
	}
}

func TestPrepareKeepsTheOrderOfMany(t *testing.T) {
	r := newRig(t, storagetest.Open(t, "embedded"))
	var list []*record.Definition
	for i := range 3 * maxPrepared {
		list = append(list, &record.Definition{SQLQuery: fmt.Sprintf("SELECT 1 AS c%d", i)})
	}
	for i, got := range r.engine.Prepare(t.Context(), r.d, list, record.Actor{ID: 7}) {
		if got.Err != nil || len(got.Columns) != 1 || got.Columns[0] != fmt.Sprint("c", i) {
			t.Errorf("query %d: %v, %v", i, got.Columns, got.Err)
		}
	}
	elsewhere := record.Deployment{Tenant: "acme", ID: 9}
	for _, got := range r.engine.Prepare(t.Context(), elsewhere, list[:2], record.Actor{ID: 7}) {
		if got.Err == nil {
			t.Error("a deployment without a source prepared a query")
		}
	}
}

func TestPrepareWithASourceThatCannot(t *testing.T) {
	d, m := newMirror(t, storagetest.Open(t, "embedded"))
	got := d.engine.Prepare(t.Context(), deskDeployment, []*record.Definition{{SQLQuery: "q"}}, ann)[0]
	if got.Err != nil || got.Columns != nil || len(m.asked) > 0 {
		t.Errorf("%+v, %d queries run, want nothing known and none", got, len(m.asked))
	}
}

func TestColumnChangesNamePlacementsAndFormulas(t *testing.T) {
	eachRig(t, func(r *rig) {
		if changes := r.columnChanges("name"); len(changes.Vanish)+len(changes.Appear) > 0 {
			t.Errorf("before the first run: %+v", changes)
		}
		r.edit("other.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "A1", "B2")) })
		first := r.connect("Sheet1!B2")
		r.connectTo("other.xlsx", "Sheet1!D2")
		r.succeeded(r.refresh(Request{}), 8)
		r.edit("book.xlsx", func(f *excelize.File) {
			_, err := f.NewSheet("Sums")
			must(t, err)
			must(t, f.SetCellFormula("Sums", "A1", "AVERAGE(Sheet1!C:C)"))
		})
		changes := r.columnChanges("name", "area")
		if diff := cmp.Diff([]string{"area"}, changes.Appear); diff != "" {
			t.Error(diff)
		}
		if len(changes.Vanish) != 1 || changes.Vanish[0].Name != "people" || len(changes.Vanish[0].Placements) != 2 {
			t.Fatalf("%+v, want people vanish from two placements", changes.Vanish)
		}
		v := changes.Vanish[0]
		if v.Placements[0].ID != first.ID {
			t.Errorf("the first placement is %s, want %s", v.Placements[0].ID, first.ID)
		}
		if diff := cmp.Diff([]string{"book.xlsx/Sheet1!F2", "book.xlsx/Sums!A1"}, v.Formulas); diff != "" {
			t.Error(diff)
		}
		if changes := r.columnChanges("people", "name"); len(changes.Vanish)+len(changes.Appear) > 0 {
			t.Errorf("in another order: %+v", changes)
		}
	})
}

func (r *rig) columnChanges(columns ...string) ColumnChanges {
	r.Helper()
	report, err := r.engine.records.Report(r.Context(), r.d, r.report)
	must(r.T, err)
	changes, err := r.engine.ColumnChanges(r.Context(), r.d, report, columns)
	must(r.T, err)
	return changes
}
