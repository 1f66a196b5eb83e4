package refresh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/result"
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
			got := prepared(r.engine, r.d, []*record.Definition{&row.definition}, record.Actor{ID: 7})[0]
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
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	var list []*record.Definition
	for i := range 3 * result.MaxPrepared {
		list = append(list, &record.Definition{SQLQuery: fmt.Sprintf("SELECT 1 AS c%d", i)})
	}
	for i, got := range prepared(r.engine, r.d, list, record.Actor{ID: 7}) {
		if got.Err != nil || len(got.Columns) != 1 || got.Columns[0] != fmt.Sprint("c", i) {
			t.Errorf("query %d: %v, %v", i, got.Columns, got.Err)
		}
	}
	if _, none := r.engine.tenants.origin(record.Deployment{Tenant: "acme", ID: 9}); none == nil {
		t.Error("a deployment without a source may prepare a query")
	}
}

// prepared checks queries on behalf of a user.
func prepared(e *Engine, d record.Deployment, list []*record.Definition, by record.Actor) []result.Prepared {
	from, none := e.tenants.origin(d)
	if none != nil {
		panic(none)
	}
	return result.Prepare(context.Background(), d, from, list, by)
}

func TestPrepareWithASourceThatCannot(t *testing.T) {
	d, m := newMirror(t, storagetest.Open(t, "embedded"))
	got := prepared(d.engine, deskDeployment, []*record.Definition{{SQLQuery: "q"}}, ann)[0]
	if got.Err != nil || got.Columns != nil || len(m.asked) > 0 {
		t.Errorf("%+v, %d queries run, want nothing known and none", got, len(m.asked))
	}
}

func TestColumnChangesNamePlacementsAndFormulas(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		if changes := r.columnChanges("name"); len(changes.Vanish)+len(changes.Appear) > 0 {
			t.Errorf("before the first run: %+v", changes)
		}
		r.edit("other.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "A1", "B2")) })
		first := r.connect("Sheet1!B2")
		second := r.connectTo("other.xlsx", "Sheet1!D2")
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
		var shown []string
		for _, p := range v.Placements {
			shown = append(shown, p.ID)
		}
		if want := []string{first.ID, second.ID}; !slices.Equal(slices.Sorted(slices.Values(shown)), slices.Sorted(slices.Values(want))) {
			t.Errorf("it vanishes from %s, want %s", shown, want)
		}
		if diff := cmp.Diff([]string{"book.xlsx/Sheet1!F2", "book.xlsx/Sums!A1"}, v.Formulas); diff != "" {
			t.Error(diff)
		}
		if changes := r.columnChanges("people", "name"); len(changes.Vanish)+len(changes.Appear) > 0 {
			t.Errorf("in another order: %+v", changes)
		}
	})
}

// A reader "writes" a report into a file by a run of which only the answers come from an add-in: what stands in the file is not looked at for it.
func TestColumnChangesOpenNoDocumentThatAgentsMayNot(t *testing.T) {
	eachRig(t, func(r *rig) {
		r.edit("payroll.xlsx", func(f *excelize.File) { must(t, f.SetCellFormula("Sheet1", "A1", "SUM(C2:C9)")) })
		reader := record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
		c, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
			ExternalWorkbookID: "payroll.xlsx", ResultLocation: "Sheet1!B2", AddressOnly: true,
		}, reader, nil, false)
		must(t, err)
		r.invent(reader, *c.Placement)
		changes := r.columnChanges("name")
		if len(changes.Vanish) != 1 || len(changes.Vanish[0].Placements) != 1 || len(changes.Vanish[0].Formulas) > 0 {
			t.Errorf("%+v, want people vanish from one placement, and no formula of its file", changes)
		}
		_, err = r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
			ExternalWorkbookID: "payroll.xlsx", ResultLocation: "Sheet1!B2", AddressOnly: true,
		}, record.Actor{ID: 7}, nil, false)
		must(t, err)
		if v := r.columnChanges("name").Vanish; len(v) != 1 || len(v[0].Formulas) != 1 {
			t.Errorf("%+v, want the formula once an editor has placed it there", v)
		}
	})
}

// invent makes a client run of a placement that reads and writes nothing.
func (r *rig) invent(by record.Actor, p placements.Placement) {
	r.Helper()
	lease, err := r.engine.ClientRuns().Start(r.Context(), r.d, Request{
		Executor: record.ExecutorClient, By: by, Target: record.RunTarget{ReportID: r.report, PlacementID: p.ID},
	}, p)
	must(r.T, err)
	run, err := r.engine.queue.Queue.Runs.Get(r.Context(), r.d, lease.RunID)
	must(r.T, err)
	a, _ := p.Address()
	step := ClientStep{Deployment: r.d, Run: run, Fence: lease.Fence, By: by}
	plan, err := r.engine.ClientRuns().Plan(r.Context(), step, inventedSheet(a))
	must(r.T, err)
	plan.Close()
	_, err = r.engine.ClientRuns().Complete(r.Context(), step, plan.Checksum, Uncovered{})
	must(r.T, err)
}

// inventedSheet is what a client says stands from a placement's anchor on, without having looked: nothing.
func inventedSheet(a placements.Address) Sheet {
	var b checksum.Builder
	for range 40 {
		b.Append(make([]checksum.Cell, 4)...)
	}
	return Sheet{Name: a.Sheet, Anchor: a.Anchor, Extent: checksum.Extent{Rows: 40, Columns: 4}, Cells: b.Grid()}
}

func (r *rig) columnChanges(columns ...string) columnChanges {
	r.Helper()
	report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	changes, err := r.engine.bundles.headings.changes(r.Context(), r.d, report, columns)
	must(r.T, err)
	return changes
}
