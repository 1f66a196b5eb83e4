package refresh

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/source"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// opened makes the rig's host count.
func (r *rig) opened() *hosttest.CountingDriver {
	at := &r.engine.sites.Hosts["acme"][0]
	o := &hosttest.CountingDriver{Driver: at.Driver}
	at.Driver = o
	return o
}

// celled connects at a location of a document, with the parameter name from a cell.
func (r *rig) celled(document, location, cell string) (placements.Placement, error) {
	r.Helper()
	done, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: document, ResultLocation: location, AddressOnly: true,
		Parameters: placements.Sent(placements.ParameterSettings{"name": {Cell: cell}}),
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	if err != nil {
		return placements.Placement{}, err
	}
	return *done.Placement, nil
}

// types puts a value into a cell of the sheet Setup.
func (r *rig) types(document, cell string, v any) {
	r.Helper()
	r.edit(document, func(f *excelize.File) {
		_, err := f.NewSheet("Setup")
		must(r.T, err)
		must(r.T, f.SetCellValue("Setup", cell, v))
	})
}

func fromCell() placements.Parameter {
	return placements.Parameter{Name: "name", Title: "City", Type: placements.ParameterText, FromCells: true}
}

func (r *rig) stands() placements.Placement {
	r.Helper()
	report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	return report.Placements[0].Placement
}

func TestAParameterFromACell(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.asking(byName, fromCell())
	r.types("book.xlsx", "B2", "Oslo")
	if _, err := r.celled("book.xlsx", "Sheet1!B3", "Sheet1!B3"); placements.CodeOf(err) != placements.CodeParameterCell {
		t.Errorf("a cell inside the block: %v", err)
	}
	_, err := r.celled("book.xlsx", "Sheet1!B3", "setup!$b$2")
	must(t, err)
	o, c := r.opened(), r.counted()
	run := r.refresh(Request{})
	said := run.Placements[0].Parameters["name"]
	if run.State != placements.RunSucceeded || r.cell("B4") != "Oslo" || said.Value == nil || !said.Value.Equal(textValue("Oslo")) || said.Cell != "Setup!B2" {
		t.Fatalf("run is %s (%s), B4 holds %q, it used %+v", run.State, run.Error, r.cell("B4"), said)
	}
	if o.Opens.Load() != 2 || c.queries.Load() != 1 {
		t.Errorf("%d opens and %d queries, want 2 and 1", o.Opens.Load(), c.queries.Load())
	}

	// The cell is followed by its name.
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Setup", 1, 2)) })
	r.types("book.xlsx", "B2", "Rome")
	r.types("book.xlsx", "B4", "Bergen")
	if run = r.refresh(Request{}); r.cell("B4") != "Bergen" || run.Placements[0].Parameters["name"].Cell != "Setup!B4" {
		t.Errorf("run is %s (%s), B4 holds %q, it used %+v", run.State, run.Error, r.cell("B4"), run.Placements[0].Parameters)
	}
	r.types("book.xlsx", "B4", "Oslo") // which the service does not know
	if got := r.shownStatus(); got != placements.UpToDate {
		t.Errorf("status %s", got)
	}
	if run = r.refresh(Request{}); r.cell("B4") != "Oslo" || r.stands().Parameters["name"].Cell != "Setup!B4" {
		t.Errorf("run is %s (%s), B4 holds %q, the cell is %v", run.State, run.Error, r.cell("B4"), r.stands().Parameters)
	}
}

// TestWhatACellMayNotSay: nothing is written, and no value told but to those who may see it.
func TestWhatACellMayNotSay(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	p := fromCell()
	p.Allowed = []placements.Scalar{placements.TextScalar("Oslo"), placements.TextScalar("Bergen")}
	r.asking(byName, p)
	r.types("book.xlsx", "B2", "Oslo")
	_, err := r.celled("book.xlsx", "Sheet1!B3", "Setup!B2")
	must(t, err)
	r.succeeded(r.refresh(Request{}), 2)
	for _, row := range []struct {
		holds any
		want  string
	}{
		{"Secretville", "Setup!B2 holds a value that is not allowed: Oslo, Bergen"},
		{nil, "City has no value"},
		{true, "Setup!B2 holds a value that is not allowed: Oslo, Bergen"},
	} {
		r.types("book.xlsx", "B2", row.holds)
		run := r.refresh(Request{})
		if run.ErrorClass != placements.Conflict || run.Error != row.want || r.cell("B4") != "Oslo" {
			t.Errorf("%v: %s, %s, B4 holds %q", row.holds, run.ErrorClass, run.Error, r.cell("B4"))
		}
		if text, is := row.holds.(string); is {
			if v := run.Placements[0].Parameters["name"].Value; v == nil || !v.Equal(textValue(text)) {
				t.Errorf("%v: the run keeps %+v", row.holds, run.Placements[0].Parameters)
			}
		}
	}
	r.edit("book.xlsx", func(f *excelize.File) {
		must(t, f.SetCellValue("Setup", "B2", nil))
		must(t, f.SetCellFormula("Setup", "B2", "NA()"))
	})
	if run := r.refresh(Request{}); run.ErrorClass != placements.Conflict || !strings.Contains(run.Error, "Setup!B2 holds a formula that was not computed yet") {
		t.Errorf("a formula without a value: %s, %s", run.ErrorClass, run.Error)
	}
	r.edit("book.xlsx", func(f *excelize.File) { // as Excel leaves a name whose cell is deleted
		name := host.MarkerName(host.ParameterID(r.stands().ID, 1))
		must(t, f.DeleteDefinedName(&excelize.DefinedName{Name: name}))
		must(t, f.SetDefinedName(&excelize.DefinedName{Name: name, RefersTo: "Setup!#REF!"}))
	})
	if run := r.refresh(Request{}); run.ErrorClass != placements.Conflict || !strings.Contains(run.Error, "was deleted") {
		t.Errorf("a deleted cell: %s, %s", run.ErrorClass, run.Error)
	}
	p.Default = new(textValue("Bergen"))
	p.FromCells = false
	r.asking(byName, p)
	if run := r.refresh(Request{}); run.ErrorClass != placements.Conflict || run.Error != "the report no longer lets City come from a cell: say its value" {
		t.Errorf("not from cells any more: %s, %s", run.ErrorClass, run.Error)
	}
}

// changing is a source during whose queries a user types.
type changing struct {
	*counting
	during func(n int64)
}

func (c *changing) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	columns, err := c.counting.Query(ctx, q, b)
	c.during(c.queries.Load())
	return columns, err
}

// TestACellThatChangesMeanwhile is asked for once more, and then a conflict.
func TestACellThatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	for times, want := range map[int64]placements.RunState{1: placements.RunSucceeded, 2: placements.RunFailed} {
		r := newRig(t, storagetest.Open(t, "embedded"))
		r.asking("SELECT @name AS name", fromCell())
		r.types("book.xlsx", "B2", "zero")
		_, err := r.celled("book.xlsx", "Sheet1!B3", "Setup!B2")
		must(t, err)
		counted := r.counted()
		at := r.engine.tenants["acme"].Deployments[1]
		at.Source = &changing{counted, func(n int64) {
			if n <= times {
				r.types("book.xlsx", "B2", fmt.Sprint("value ", n))
			}
		}}
		r.engine.tenants["acme"].Deployments[1] = at
		run := r.refresh(Request{})
		if run.State != want || counted.queries.Load() != 2 {
			t.Errorf("after %d changes the run is %s (%s), with %d queries", times, run.State, run.Error, counted.queries.Load())
		}
		if want == placements.RunSucceeded && r.cell("B4") != "value 1" || want != placements.RunSucceeded && (run.ErrorClass != placements.Conflict || r.cell("B4") != "") {
			t.Errorf("after %d changes B4 holds %q: %s", times, r.cell("B4"), run.Error)
		}
	}
}

// TestQueriesAndOpensOfCells: 100 placements whose cells say 10 values are 10 queries, and the document is opened once more; a document without
// such cells is opened as often as ever, and one that cannot be read holds up no other.
func TestQueriesAndOpensOfCells(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.asking("SELECT @name AS name", fromCell())
	r.edit("book.xlsx", func(f *excelize.File) {
		_, err := f.NewSheet("Setup")
		must(t, err)
		for i := range 100 {
			must(t, f.SetCellStr("Setup", fmt.Sprintf("A%d", i+1), fmt.Sprintf("value %d", i%10)))
		}
	})
	for i := range 100 {
		_, err := r.celled("book.xlsx", fmt.Sprintf("Sheet1!%c%d", 'H'+i%10, 2+3*(i/10)), fmt.Sprintf("Setup!A%d", i+1))
		must(t, err)
	}
	o, c := r.opened(), r.counted()
	run := r.refresh(Request{})
	if run.State != placements.RunSucceeded || c.queries.Load() != 10 || o.Opens.Load() != 2 {
		t.Fatalf("run is %s (%s) after %d queries and %d opens", run.State, run.Error, c.queries.Load(), o.Opens.Load())
	}
	for i := range 100 {
		if cell := fmt.Sprintf("%c%d", 'H'+i%10, 3+3*(i/10)); r.cell(cell) != fmt.Sprintf("value %d", i%10) {
			t.Fatalf("%s holds %q", cell, r.cell(cell))
		}
	}
	_, err := r.celled("broken.xlsx", "Sheet1!B2", "Setup!A1") // there is none
	must(t, err)
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Setup", "A1", "another")) })
	if run = r.refresh(Request{}); run.State != placements.RunFailed || r.cell("H3") != "another" {
		t.Errorf("run beside a document that is missing is %s (%s), H3 holds %q", run.State, run.Error, r.cell("H3"))
	}
}

// TestADocumentWithoutCellsIsOpenedOnce, as ever.
func TestADocumentWithoutCellsIsOpenedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.asking(byName, fromCell())
	r.valued("Sheet1!B3", new("Oslo"))
	o := r.opened()
	if run := r.refresh(Request{}); run.State != placements.RunSucceeded || o.Opens.Load() != 1 {
		t.Errorf("run is %s (%s) after %d opens", run.State, run.Error, o.Opens.Load())
	}
}
