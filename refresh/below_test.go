package refresh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// belowRig is a rig whose blocks stand in a document above something else.
type belowRig struct {
	*rig
	sheetDoc
	document string
	host     placements.Host
}

// sheetDoc is what a person sees and does of a sheet.
type sheetDoc interface {
	typed(cell, text string) // a formula begins with =
	shows(column int) []string
}

func eachDocument(t *testing.T, test func(belowRig)) {
	t.Run("xlsx", func(t *testing.T) {
		r := newRig(t, storagetest.Open(t, "embedded"))
		r.edit("below.xlsx", func(f *excelize.File) { must(t, f.SetSheetName("Sheet1", "Data")) })
		test(belowRig{r, xlsxDoc{r}, "below.xlsx", placements.SheetsB})
	})
	t.Run("google", func(t *testing.T) {
		r := newRig(t, storagetest.Open(t, "embedded"))
		test(belowRig{r, bookDoc{r.sheets(100, 12).Edit}, sheetsDoc, placements.SheetsA})
	})
	t.Run("graph", func(t *testing.T) {
		r := newRig(t, storagetest.Open(t, "embedded"))
		test(belowRig{r, bookDoc{r.workbooks().Edit}, sheetsDoc, placements.SheetsB})
	})
}

// workbooks makes the engine's SHEETS_B the service of Excel workbooks.
func (r *rig) workbooks() *graphfake.Server {
	r.Helper()
	fake := graphfake.Start()
	r.Cleanup(fake.Close)
	fake.Add(sheetsDoc, book.New(graphfake.Rows, graphfake.Columns, "Data"))
	h, err := graph.New(graph.Settings{
		TenantID: graphfake.Tenant, ClientID: graphfake.ClientID, ClientSecret: graphfake.ClientSecret, Drives: []string{graphfake.Drive},
		Endpoint: fake.URL, TokenEndpoint: fake.TokenURL, PerMinute: -1,
	})
	must(r.T, err)
	r.engine.tenants["acme"].Hosts[0].Driver = h
	return fake
}

// bookDoc is the document of a service, which edit changes.
type bookDoc struct {
	edit func(document string, change func(*book.Book))
}

func (d bookDoc) typed(cell, text string) {
	at, _ := placements.ParseAnchor(cell)
	d.edit(sheetsDoc, func(b *book.Book) {
		if strings.HasPrefix(text, "=") {
			b.Sheet("Data").SetFormula(at.Row, at.Column, text, 1.0)
		} else {
			b.Sheet("Data").Set(at.Row, at.Column, text)
		}
	})
}

func (d bookDoc) shows(column int) (cells []string) {
	d.edit(sheetsDoc, func(b *book.Book) {
		for row := range 100 {
			switch c := b.Sheet("Data").Cell(row, column); {
			case c.Formula != "":
				cells = append(cells, c.Formula)
			case c.Value != nil:
				cells = append(cells, fmt.Sprint(c.Value))
			default:
				cells = append(cells, "")
			}
		}
	})
	return cells
}

type xlsxDoc struct{ *rig }

func (d xlsxDoc) typed(cell, text string) {
	d.edit("below.xlsx", func(f *excelize.File) {
		if strings.HasPrefix(text, "=") {
			must(d.T, f.SetCellFormula("Data", cell, text[1:]))
		} else {
			must(d.T, f.SetCellStr("Data", cell, text))
		}
	})
}

func (d xlsxDoc) shows(column int) (cells []string) {
	f, err := excelize.OpenFile(filepath.Join(d.dir, "below.xlsx"))
	must(d.T, err)
	defer f.Close()
	for row := range 100 {
		at := placements.Anchor{Row: row, Column: column}.String()
		text, err := f.GetCellValue("Data", at)
		must(d.T, err)
		formula, err := f.GetCellFormula("Data", at)
		must(d.T, err)
		if formula != "" {
			text = "=" + formula
		}
		cells = append(cells, text)
	}
	return cells
}

// place connects a report.
func (r belowRig) place(report int64, location string, change func(*placements.Connection)) {
	r.Helper()
	c := placements.Connection{ExternalWorkbookID: r.document, Host: r.host, ResultLocation: location, AddressOnly: true}
	change(&c)
	_, err := r.engine.records.Placements().Connect(r.Context(), r.d, report, c,
		record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
	must(r.T, err)
}

// shifting lets the runs of a placement shift rows.
func shifting(c *placements.Connection) { c.Options = shiftRows(true) }

// source makes the report's rows those.
func (r belowRig) source(names ...string) {
	r.Helper()
	statement := "DELETE FROM cities;"
	for i, name := range names {
		statement += fmt.Sprintf("INSERT INTO cities VALUES (%d, '%s', %d);", i+1, name, i+1)
	}
	r.exec(statement)
}

// column are the cells of a column, formulas as they read, up to the last that is filled.
func (r belowRig) column(column int) []string {
	cells := r.shows(column)
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

func (r belowRig) wantColumn(column int, want ...string) {
	r.Helper()
	if diff := cmp.Diff(want, r.column(column)); diff != "" {
		r.Fatalf("column %d (-want +got):\n%s", column, diff)
	}
}

func (r belowRig) placed(report int64) placements.Placement {
	r.Helper()
	all, err := r.engine.records.Reports().Get(r.Context(), r.d, report)
	must(r.T, err)
	return all.Placements[0].Placement
}

func TestATotalRightBelowTheBlockFollowsIt(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.followsTotal)
}

func (r belowRig) followsTotal() {
	r.source("Oslo", "Bergen")
	r.place(r.report, "Data!B2", shifting)
	r.succeeded(r.refresh(Request{}), 3)
	r.typed("B5", "Total")
	r.typed("C5", "=SUM(C3:C4)")
	r.typed("B7", "a note")
	for _, step := range []struct {
		rows    []string
		written int
		names   []string
		total   string
	}{
		{[]string{"Oslo", "Bergen", "Bodo", "Moss"}, 2, []string{"Oslo", "Bergen", "Bodo", "Moss"}, "=SUM(C3:C6)"},
		{[]string{"Oslo"}, 3, []string{"Oslo"}, "=SUM(C3:C3)"},
		{[]string{"Oslo", "Voss", "Rana"}, 2, []string{"Oslo", "Voss", "Rana"}, "=SUM(C3:C5)"},
	} {
		r.source(step.rows...)
		r.succeeded(r.refresh(Request{}), step.written)
		r.wantColumn(1, append(append([]string{"", "name"}, step.names...), "Total", "", "a note")...)
		if got := r.column(2); got[2+len(step.names)] != step.total {
			r.Errorf("below %d rows stands %q, want %s", len(step.names), got[2+len(step.names):], step.total)
		}
		if p, want := r.placed(r.report), fmt.Sprintf("C%d", 2+len(step.names)); p.EndResultCell != want {
			r.Errorf("the block ends at %s, want %s", p.EndResultCell, want)
		}
		r.succeeded(r.refresh(Request{}), 0)
	}
}

func TestATotalBelowABlockThatLosesAllItsRowsCountsThoseOfTheNextOnes(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.emptiesAndGrows)
}

func (r belowRig) emptiesAndGrows() {
	five := []string{"Oslo", "Bergen", "Bodo", "Moss", "Rana"}
	r.source(five...)
	r.place(r.report, "Data!B2", shifting)
	r.succeeded(r.refresh(Request{}), 6)
	r.typed("B8", "Total")
	r.typed("C8", "=SUM(C3:C7)")
	for _, names := range [][]string{nil, five[:3], nil, append(five, "Voss", "Molde"), nil, five[:1], nil, five[:2]} {
		r.source(names...)
		if run := r.refresh(Request{}); run.State != placements.RunSucceeded {
			r.Fatalf("%d rows: %s (%s)", len(names), run.ErrorClass, run.Error)
		}
		rows := names
		if len(rows) == 0 {
			rows = []string{""}
		}
		r.wantColumn(1, append(append([]string{"", "name"}, rows...), "Total")...)
		if got, want := r.column(2)[2+len(rows)], fmt.Sprintf("=SUM(C3:C%d)", 2+len(rows)); got != want {
			r.Fatalf("below %d rows stands %s, want %s", len(names), got, want)
		}
		if p, want := r.placed(r.report), fmt.Sprintf("C%d", 2+len(rows)); p.EndResultCell != want {
			r.Errorf("the block ends at %s, want %s", p.EndResultCell, want)
		}
		r.succeeded(r.refresh(Request{}), 0)
	}
	r.source()
	r.succeeded(r.refresh(Request{Options: shiftRows(false)}), 2) // which leaves the empty rows where they are
	r.source(five...)
	r.succeeded(r.refresh(Request{}), 5)
	r.wantColumn(1, append(append([]string{"", "name"}, five...), "", "Total")...)
	if got := r.column(2)[8]; got != "=SUM(C3:C8)" {
		r.Errorf("below rows that were emptied stands %s", got)
	}
}

func TestWhetherRowsShiftIsSaidByTheRunOrItsScheduleOrThePlacement(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.obeys)
}

func (r belowRig) obeys() {
	r.source("Oslo")
	r.place(r.report, "Data!B2", shifting)
	r.succeeded(r.refresh(Request{}), 2)
	r.typed("B4", "Total")
	scheduled := func(o placements.Options) *record.Run {
		c, err := r.engine.Schedules().Create(r.Context(), r.d, record.ScheduleSpec{
			Target: record.RunTarget{ReportID: r.report}, Cron: []string{"@yearly"}, Options: o,
		}, record.Actor{ID: 7})
		must(r.T, err)
		return newRun(c, c.Next, record.TriggerSchedule)
	}
	for n, tc := range []struct {
		fact string
		run  placements.Options
		ok   bool
	}{
		{"a run that refuses", shiftRows(false), false},
		{"a schedule that refuses", scheduled(shiftRows(false)).Options, false},
		{"a schedule that says nothing, of a placement that allows it", scheduled(placements.Options{}).Options, true},
		{"a run that says nothing, of a placement that allows it", placements.Options{}, true},
		{"a run that allows it", shiftRows(true), true},
	} {
		var rows []string
		for i := range n + 2 {
			rows = append(rows, fmt.Sprint("city ", i))
		}
		r.source(rows...)
		run := r.refresh(Request{Options: tc.run})
		if ok := run.State == placements.RunSucceeded; ok != tc.ok || !ok && run.ErrorClass != placements.Conflict {
			r.Errorf("%s: the run is %s (%s: %s)", tc.fact, run.State, run.ErrorClass, run.Error)
		}
	}
	r.wantColumn(1, "", "name", "city 0", "city 1", "city 2", "city 3", "city 4", "city 5", "Total")
}

// lower is another report, placed below the first.
func (r belowRig) lower(location string) int64 {
	r.Helper()
	report, err := r.engine.records.Reports().Create(r.Context(), r.d, record.ReportInput{
		Name: placements.Sent("Lower"), SQLQuery: placements.Sent("SELECT upper(name) AS lower FROM cities ORDER BY id"),
		Source: placements.Sent(string(r.host)),
	}, record.Actor{ID: 7})
	must(r.T, err)
	r.place(report.ID, location, func(c *placements.Connection) {
		shifting(c)
		c.StatusCell = placements.Sent("C20")
	})
	return report.ID
}

func (r belowRig) refreshAll(reports ...int64) {
	r.Helper()
	var orders []RunOrder
	for _, report := range reports {
		orders = append(orders, RunOrder{r.d.ID, Request{Target: record.RunTarget{ReportID: report}, By: record.Actor{ID: 7}}})
	}
	stop := r.serve()
	runs, _, err := r.engine.StartAll(r.Context(), r.d.Tenant, orders)
	must(r.T, err)
	for _, run := range runs {
		if run = r.await(run.ID); run.State != placements.RunSucceeded {
			r.Errorf("run %s is %s (%s: %s)", run.ID, run.State, run.ErrorClass, run.Error)
		}
	}
	stop()
}

func TestBlocksOneBelowTheOtherGrowTogether(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.growsTogether)
}

func (r belowRig) growsTogether() {
	r.source("Oslo", "Bergen")
	r.place(r.report, "Data!B2", shifting)
	lower := r.lower("Data!B6")
	r.refreshAll(r.report, lower)
	r.typed("B9", "end")
	names := []string{"Oslo", "Bergen", "Bodo", "Moss", "Rana"}
	r.source(names...)
	r.refreshAll(r.report, lower)
	want := append(append([]string{"", "name"}, names...), "", "lower", "OSLO", "BERGEN", "BODO", "MOSS", "RANA", "end")
	r.wantColumn(1, want...)
	p := r.placed(lower)
	if p.AnchorCell != "B9" || p.EndResultCell != "B14" || p.ResultLocation != "Data!B9" || p.StatusCell != "C23" {
		r.Errorf("the lower block is recorded at %s:%s, %s, its status cell at %s", p.AnchorCell, p.EndResultCell, p.ResultLocation, p.StatusCell)
	}
	if status := r.column(2)[22]; !strings.HasPrefix(status, "Refreshed ") {
		r.Errorf("the status cell holds %q", status)
	}
	r.refreshAll(r.report, lower)
	r.wantColumn(1, want...)
}

func TestABlockThatIsRefusedIsRecordedWhereTheOneAboveHasMovedIt(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.movesRefused)
}

func (r belowRig) movesRefused() {
	r.source("Oslo", "Bergen")
	r.place(r.report, "Data!B2", shifting)
	lower := r.lower("Data!B6")
	r.refreshAll(r.report, lower)
	r.typed("B7", "by hand")
	names := []string{"Oslo", "Bergen", "Bodo", "Moss"}
	r.source(names...)
	stop := placements.Options{OnEdit: placements.Sent(placements.Stop)}
	agent := r.serve()
	runs, _, err := r.engine.StartAll(r.Context(), r.d.Tenant, []RunOrder{
		{r.d.ID, Request{Target: record.RunTarget{ReportID: r.report}, By: record.Actor{ID: 7}}},
		{r.d.ID, Request{Target: record.RunTarget{ReportID: lower}, By: record.Actor{ID: 7}, Options: stop}},
	})
	must(r.T, err)
	upper, refused := r.await(runs[0].ID), r.await(runs[1].ID)
	agent()
	if upper.State != placements.RunSucceeded || refused.ErrorClass != placements.Conflict {
		r.Fatalf("the upper run is %s (%s), the lower one %s (%s)", upper.State, upper.Error, refused.State, refused.Error)
	}
	r.wantColumn(1, append(append([]string{"", "name"}, names...), "", "lower", "by hand", "BERGEN")...)
	if p := r.placed(lower); p.AnchorCell != "B8" || p.EndResultCell != "B10" || p.StatusCell != "C22" {
		r.Errorf("the lower block is recorded at %s:%s, its status cell at %s", p.AnchorCell, p.EndResultCell, p.StatusCell)
	}
	r.refreshAll(lower)
	r.wantColumn(1, append(append([]string{"", "name"}, names...), "", "lower", "by hand", "BERGEN", "BODO", "MOSS")...)
}

func TestABlockAboveANewerOneGrowsAgainAndAgain(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.growsAboveNewer)
}

func (r belowRig) growsAboveNewer() {
	r.source("Oslo")
	r.place(r.report, "Data!B2", shifting)
	lower := r.lower("Data!B5")
	r.refreshAll(r.report, lower)
	for n := 2; n < 30; n += 9 {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("city ", i))
		}
		r.source(names...)
		if run := r.refresh(Request{}); run.State != placements.RunSucceeded {
			r.Fatalf("with %d rows: %s (%s)", n, run.ErrorClass, run.Error)
		}
		r.wantColumn(1, append(append([]string{"", "name"}, names...), "", "lower", "OSLO")...)
		want := []string{fmt.Sprint("B", n+4), fmt.Sprint("B", n+5), fmt.Sprint("Data!B", n+4), fmt.Sprint("C", n+19)}
		p := r.placed(lower)
		if diff := cmp.Diff(want, []string{p.AnchorCell, p.EndResultCell, p.ResultLocation, p.StatusCell}); diff != "" {
			r.Fatalf("where the lower block is recorded (-want +got):\n%s", diff)
		}
	}
	r.typed("B34", "by hand")
	r.source("Oslo")
	r.refreshAll(lower)
	if got := r.column(1)[31:]; !slices.Equal(got, []string{"", "lower", "by hand"}) {
		r.Errorf("the lower block, edited after it was moved: %q", got)
	}
	r.source("city 0", "city 1")
	r.refreshAll(lower)
	if got := r.column(1)[31:]; !slices.Equal(got, []string{"", "lower", "by hand", "CITY 0", "CITY 1"}) {
		r.Errorf("the lower block, grown: %q", got)
	}
}

func TestAPreviewSaysWhatARunWouldDoAndDoesNothing(t *testing.T) {
	t.Parallel()
	eachDocument(t, belowRig.previews)
}

func (r belowRig) previews() {
	r.source("Oslo", "Bergen")
	r.place(r.report, "Data!B2", shifting)
	preview := func() (Preview, error) {
		report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
		must(r.T, err)
		return r.engine.attempts.preview(r.Context(), r.d, report, report.Placements[0], placements.Options{}, record.Actor{ID: 7})
	}
	r.succeeded(r.refresh(Request{}), 3)
	p, err := preview()
	if err != nil || p.Rows != 0 || p.Message != "" {
		r.Errorf("preview of nothing: %+v, %v", p, err)
	}
	r.typed("C5", "=SUM(C3:C4)")
	r.source("Voss", "Oslo", "Bergen", "Bodo", "Moss", "Rana")
	before := r.column(2)
	record := r.placed(r.report)
	p, err = preview()
	must(r.T, err)
	if p.Rows == 0 || !strings.HasPrefix(p.Message, "1 row inserted at Data!B3, 3 rows inserted at Data!B6") {
		r.Errorf("preview %+v", p)
	}
	if p.Follow != nil && (p.Follow.Formulas != 1 || !strings.HasSuffix(p.Message, "; 1 formula in 1 sheet follows")) {
		r.Errorf("what follows: %+v, %q", p.Follow, p.Message)
	}
	r.wantColumn(2, before...)
	if diff := cmp.Diff(record, r.placed(r.report)); diff != "" {
		r.Errorf("the placement (-before +after):\n%s", diff)
	}
	r.exec("DROP TABLE cities")
	if _, err = preview(); err == nil {
		r.Error("no fault without a source")
	}
}

func TestFormulasBesideTheBlockAreFilledDown(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.fillsDown)
}

func (r belowRig) fillsDown() {
	r.source("Oslo", "Bergen")
	r.place(r.report, "Data!B2", func(c *placements.Connection) {
		shifting(c)
		c.FillRight = placements.Sent("e:e")
	})
	r.succeeded(r.refresh(Request{}), 3)
	r.typed("E3", "=C3*2")
	r.typed("E4", "=C4*2")
	r.typed("E5", "end")
	r.source("Oslo", "Bodo", "Bergen", "Moss")
	r.succeeded(r.refresh(Request{}), 3)
	r.wantColumn(4, "", "", "=C3*2", "=C4*2", "=C5*2", "=C6*2", "end")

	r.exec("ALTER TABLE cities ADD COLUMN more TEXT; ALTER TABLE cities ADD COLUMN most TEXT")
	sql := "SELECT name, people, more, most FROM cities ORDER BY id"
	_, err := r.engine.records.Reports().Update(r.Context(), r.d, r.report,
		record.ReportInput{SQLQuery: placements.Sent(sql)}, record.Actor{ID: 7}, func(*storage.Report) error { return nil })
	must(r.T, err)
	run := r.refresh(Request{})
	if run.ErrorClass != placements.Conflict || !strings.Contains(run.Error, "takes the columns up to E, and its fillRight names E:E") {
		r.Errorf("a block that takes the columns: %s (%s: %s)", run.State, run.ErrorClass, run.Error)
	}
}

func TestABlockThatWouldBeTornLeavesEverythingAsItIs(t *testing.T) {
	t.Parallel()
	eachDocument(t, belowRig.tears)
}

func (r belowRig) tears() {
	r.source("Oslo", "Bergen")
	r.place(r.report, "Data!B2", shifting)
	report, err := r.engine.records.Reports().Create(r.Context(), r.d, record.ReportInput{
		Name: placements.Sent("Beside"), SQLQuery: placements.Sent("SELECT 1 AS a, 2 AS b"), Source: placements.Sent(string(r.host)),
	}, record.Actor{ID: 7})
	must(r.T, err)
	r.place(report.ID, "Data!C7", shifting) // C:D, below B:C
	r.refreshAll(r.report, report.ID)
	r.source("Oslo", "Bergen", "Moss")
	before, upper, lower := r.column(1), r.placed(r.report), r.placed(report.ID)
	run := r.refresh(Request{})
	if run.State != placements.RunFailed || run.ErrorClass != placements.Conflict {
		r.Errorf("the run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
	}
	r.wantColumn(1, before...)
	for _, p := range []struct{ was, is placements.Placement }{{upper, r.placed(r.report)}, {lower, r.placed(report.ID)}} {
		if diff := cmp.Diff(p.was, p.is); diff != "" {
			r.Errorf("a placement (-before +after):\n%s", diff)
		}
	}
}

func TestThePlanOfAnAddInSaysWhatFollowsItsShifts(t *testing.T) {
	at := formulaAt
	plan := planAround(t, "", []SheetFormulas{
		{Name: "Data", Formulas: []host.Formula{at(3, 1, "=SUM(B2:B3)"), at(8, 7, "=A10+B4"), at(8, 8, "=D9"), at(1, 0, "=B9")}},
		{Name: "Other", Formulas: []host.Formula{at(0, 0, "=Data!A9"), at(1, 0, "=A9")}},
	})
	if diff := cmp.Diff([]checksum.Shift{{At: 3, Rows: 1}}, plan.Patch.Shifts); diff != "" {
		t.Errorf("shifts (-want +got):\n%s", diff)
	}
	if want := "1 row inserted at Data!A4; 3 formulas in 2 sheets follow"; plan.Message != want {
		t.Errorf("message %q, want %q", plan.Message, want)
	}
}

func TestThePlanOfAnAddInHasTheFormulasThatItsProgramLeavesBehind(t *testing.T) {
	at := formulaAt
	plan := planAround(t, "d:e", []SheetFormulas{
		{Name: "data", Formulas: []host.Formula{
			at(1, 1, "=SUM(B2:B3)"), at(1, 3, "=B2*2"), at(2, 3, "=B3*2"), at(2, 4, ""), at(2, 5, "=B3*3"),
			at(4, 1, "=SUM(B2:B3)"), at(8, 0, "=SUM(A2:B9)"), at(8, 7, "=A9"), at(9, 7, "=SUM(B2:B3)"),
		}},
		{Name: "Other", Formulas: []host.Formula{at(0, 0, "=SUM(Data!$B$2:$B$3)"), at(1, 0, "=Data!A9"), at(2, 0, "=SUM(B2:B3)")}},
	})
	cell := func(row, column int) placements.Anchor { return placements.Anchor{Row: row, Column: column} }
	below, apart, other := at(4, 1, "=SUM(B2:B3)"), at(9, 7, "=SUM(B2:B3)"), at(0, 0, "=SUM(Data!$B$2:$B$3)")
	want := []ClientFormulas{
		{Sheet: "Data", At: cell(3, 3), Rows: 1, Text: "=B4*2"},
		{Sheet: "data", At: cell(5, 1), Rows: 1, Text: "=SUM(B2:B4)", Was: &below},
		{Sheet: "data", At: cell(9, 7), Rows: 1, Text: "=SUM(B2:B4)", Was: &apart},
		{Sheet: "Other", At: cell(0, 0), Rows: 1, Text: "=SUM(Data!$B$2:$B$4)", Was: &other},
	}
	if diff := cmp.Diff(want, plan.Formulas); diff != "" {
		t.Errorf("formulas (-want +got):\n%s", diff)
	}
}

func formulaAt(row, column int, text string) host.Formula {
	return host.Formula{Position: host.Position{Row: row, Column: column}, Text: text}
}

// planAround is the plan of an add-in for a block at Data!A1 of two columns that has two rows below its header and gains one.
func planAround(t *testing.T, fillRight string, around []SheetFormulas) *ClientPlan {
	t.Helper()
	d := newDesk(t, storagetest.Open(t, "embedded"), 1)
	run := d.ask(0, Request{})
	d.work()
	d.succeeded(run)
	d.tables.bulk = 3 // a row more
	p := d.pane(0, false)
	connection := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: p.id}
	if fillRight != "" {
		connection.FillRight = placements.Sent(fillRight)
	}
	_, err := d.store.Placements().Connect(t.Context(), deskDeployment, d.reports[0], connection, p.by, nil, false)
	must(t, err)
	r := Request{Executor: record.ExecutorClient, By: p.by, Options: shiftRows(true)}
	r.Target = record.RunTarget{ReportID: d.reports[0], PlacementID: p.id}
	p.lease, err = d.engine.ClientRuns().Start(t.Context(), deskDeployment, r, p.placed().Placement)
	must(t, err)
	sheet := p.sheet(nil)
	sheet.Around = around
	plan, err := d.engine.ClientRuns().Plan(t.Context(), p.step(), sheet)
	must(t, err)
	t.Cleanup(plan.Close)
	return plan
}

func TestAKeptFormulaFollowsTheCellsThatItNames(t *testing.T) {
	t.Parallel() // it waits more than it works
	for name, test := range map[string]struct {
		change func(*placements.Connection)
		want   string
	}{
		"where rows shift":         {shifting, "=$K$4+C6/C14*Data!$C$4+HEX2DEC(4)"},
		"where they are rewritten": {func(*placements.Connection) {}, "=$K$4+C6/C12*Data!$C$4+HEX2DEC(4)"},
	} {
		t.Run(name, func(t *testing.T) {
			eachDocument(t, func(r belowRig) {
				r.exec("DELETE FROM cities; INSERT INTO cities VALUES (2, 'Oslo', 20), (3, 'Bergen', 30), (4, 'Bodo', 40)")
				r.place(r.report, "Data!B2", test.change)
				r.refresh(Request{})
				r.typed("C12", "=SUM(C3:C5)")
				r.typed("C4", "=$K$4+C5/C12*Data!$C$3+HEX2DEC(4)") // of Bergen, by Bodo's and Oslo's
				r.refresh(Request{})
				r.exec("INSERT INTO cities VALUES (1, 'Arendal', 10), (5, 'Voss', 50)")
				r.refresh(Request{})
				r.wantColumn(1, "", "name", "Arendal", "Oslo", "Bergen", "Bodo", "Voss")
				if got := r.column(2)[4]; got != test.want {
					r.Errorf("Bergen has %s, want %s", got, test.want)
				}
			})
		})
	}
}
