package refresh

import (
	"archive/zip"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func TestNotesStayBesideTheirRecords(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, belowRig.keepsNotes)
}

func (r belowRig) keepsNotes() {
	r.source("k10", "k20", "k30", "k40", "k50", "k60")
	r.place(r.report, "Data!B2", func(c *placements.Connection) {
		shifting(c)
		c.FillRight = placements.Sent("E:F")
	})
	r.succeeded(r.refresh(Request{}), 7)
	for row := 3; row < 9; row++ {
		r.typed(fmt.Sprint("E", row), fmt.Sprintf("on k%d0", row-2))
		r.typed(fmt.Sprint("F", row), fmt.Sprintf("=C%d*2", row))
	}
	for _, step := range []struct {
		rows, notes []string
		overwritten []record.OverwrittenRow
	}{
		{
			[]string{"k10", "k20", "k25", "k30", "k40", "k45", "k46", "k50", "k60"},
			[]string{"on k10", "on k20", "", "on k30", "on k40", "", "", "on k50", "on k60"},
			nil,
		},
		{
			[]string{"k10", "k30", "k40", "k45", "k46", "k60"},
			[]string{"on k10", "on k30", "on k40", "", "", "on k60"},
			[]record.OverwrittenRow{
				{Row: 4, Values: []any{"k20", 2.0, nil, "on k20"}}, {Row: 10, Values: []any{"k50", 8.0, nil, "on k50"}},
			},
		},
		{
			[]string{"k11", "k31", "k40"},
			[]string{"", "", "on k40"},
			[]record.OverwrittenRow{
				{Row: 3, Values: []any{"k10", 1.0, nil, "on k10"}},
				{Row: 4, Values: []any{"k30", 2.0, nil, "on k30"}},
				{Row: 8, Values: []any{"k60", 6.0, nil, "on k60"}},
			},
		},
	} {
		r.source(step.rows...)
		run := r.refresh(Request{})
		if run.State != placements.RunSucceeded || run.Placements[0].Note != "" {
			r.Fatalf("%q: run is %s (%s), note %q", step.rows, run.State, run.Error, run.Placements[0].Note)
		}
		r.wantColumn(1, append([]string{"", "name"}, step.rows...)...)
		notes := r.shows(4)[2 : 2+len(step.rows)]
		if diff := cmp.Diff(step.notes, notes); diff != "" {
			r.Errorf("notes beside %q (-want +got):\n%s", step.rows, diff)
		}
		for i, text := range r.shows(5)[2 : 2+len(step.rows)] {
			if want := fmt.Sprintf("=C%d*2", i+3); text != want {
				r.Errorf("beside %s stands %q, want %s", step.rows[i], text, want)
			}
		}
		got := slices.Clone(run.Placements[0].Overwritten)
		for i := range got {
			got[i].Values = got[i].Values[:4] // behind them the formula's value, which the document may not have computed
		}
		if diff := cmp.Diff(step.overwritten, got); diff != "" {
			r.Errorf("overwritten by %q (-want +got):\n%s", step.rows, diff)
		}
	}
}

func TestRecordsThatCrossEachOtherAreToldInTheRun(t *testing.T) {
	t.Parallel() // it waits more than it works
	eachDocument(t, func(r belowRig) {
		r.source("k10", "k20", "k30")
		r.place(r.report, "Data!B2", shifting)
		r.succeeded(r.refresh(Request{}), 4)
		r.source("k20", "k10", "k30")
		run := r.refresh(Request{})
		want := "rows 3–4 stand in cells that other records had: what stands beside them, or refers to them, stayed with the place"
		if r.host == placements.SheetsA {
			want = "" // which moves them
		}
		if got := run.Placements[0].Note; run.State != placements.RunSucceeded || got != want {
			r.Errorf("run is %s (%s), note %q, want %q", run.State, run.Error, got, want)
		}
	})
}

// keyedBook is a workbook with a table of six records at Sheet1!B2 and what refers to record k40 or stands beside it.
func (r *rig) keyedBook() {
	r.Helper()
	r.edit("book.xlsx", func(f *excelize.File) {
		must(r.T, f.SetCellStr("Sheet1", "D2", "mine"))
		must(r.T, f.AddTable("Sheet1", &excelize.Table{Range: "B2:D8", Name: "Records"}))
		_, err := f.NewSheet("Sum")
		must(r.T, err)
		must(r.T, f.SetDefinedName(&excelize.DefinedName{Name: "forty", RefersTo: "Sheet1!$C$6"}))
		must(r.T, f.AddComment("Sheet1", excelize.Comment{Cell: "B6", Author: "Ada", Text: "about k40"}))
		must(r.T, f.AddChart("Sum", "D2", &excelize.Chart{
			Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Sheet1!$B$6", Values: "Sheet1!$C$6"}},
		}))
		must(r.T, f.SetCellFormula("Sum", "A1", "Sheet1!C6"))
		red, err := f.NewStyle(&excelize.Style{Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FF0000"}}})
		must(r.T, err)
		must(r.T, f.SetCellStyle("Sheet1", "C6", "C6", red))
		for row := 3; row < 9; row++ {
			must(r.T, f.SetCellStr("Sheet1", fmt.Sprint("D", row), fmt.Sprintf("typed beside k%d0", row-2)))
		}
	})
}

func TestWhatRefersToARecordFollowsIt(t *testing.T) {
	t.Parallel() // it waits more than it works
	r := newRig(t, storagetest.Open(t, "embedded"))
	source := belowRig{rig: r}.source
	_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: "book.xlsx", ResultLocation: "Sheet1!B2", AddressOnly: true, Options: shiftRows(true),
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(t, err)
	source("k10", "k20", "k30", "k40", "k50", "k60")
	r.succeeded(r.refresh(Request{}), 7)
	r.keyedBook()
	for _, step := range []struct {
		rows []string
		row  int // of k40
	}{
		{[]string{"k10", "k20", "k25", "k30", "k40", "k45", "k46", "k50", "k60"}, 7},
		{[]string{"k10", "k25", "k30", "k40", "k45", "k46", "k60"}, 6},
		{[]string{"k35", "k40", "k41"}, 4},
		{[]string{"k00", "k01", "k02", "k40"}, 6},
	} {
		source(step.rows...)
		if run := r.refresh(Request{}); run.State != placements.RunSucceeded || run.Placements[0].Note != "" {
			t.Fatalf("%q: run is %s (%s), note %q", step.rows, run.State, run.Error, run.Placements[0].Note)
		}
		want := fmt.Sprintf("name $C$%[1]d, sum C%[1]d, series $B$%[1]d $C$%[1]d, comment B%[1]d, filled C%[1]d, beside D%[1]d", step.row)
		if got := r.fortyStands(); got != want {
			t.Errorf("%q:\n%s, want\n%s", step.rows, got, want)
		}
	}
}

// fortyStands says where what refers to record k40, and what stands beside it, stands.
func (r *rig) fortyStands() string {
	r.Helper()
	f, err := excelize.OpenFile(filepath.Join(r.dir, "book.xlsx"))
	must(r.T, err)
	defer f.Close()
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	for _, n := range f.GetDefinedName() {
		if n.Name == "forty" {
			add("name %s", strings.TrimPrefix(n.RefersTo, "Sheet1!"))
		}
	}
	formula, err := f.GetCellFormula("Sum", "A1")
	must(r.T, err)
	add("sum %s", strings.TrimPrefix(formula, "Sheet1!"))
	var series []string
	for _, ref := range strings.SplitAfter(r.part("book.xlsx", "xl/charts/chart1.xml"), "<f>")[1:] {
		ref, _, _ = strings.Cut(ref, "<")
		series = append(series, strings.TrimPrefix(ref, "Sheet1!"))
	}
	add("series %s", strings.Join(series, " "))
	comments, err := f.GetComments("Sheet1")
	must(r.T, err)
	for _, c := range comments {
		add("comment %s", c.Cell)
	}
	for row := 2; row < 20; row++ {
		style, err := f.GetCellStyle("Sheet1", fmt.Sprint("C", row))
		must(r.T, err)
		if style != 0 {
			s, err := f.GetStyle(style)
			must(r.T, err)
			if s.Fill.Pattern != 0 { // rows inserted below it have its format
				add("filled C%d", row)
				break
			}
		}
	}
	for row := 2; row < 20; row++ {
		text, err := f.GetCellValue("Sheet1", fmt.Sprint("D", row))
		must(r.T, err)
		if text == "typed beside k40" {
			add("beside D%d", row)
		}
	}
	return strings.Join(found, ", ")
}

// part is a part of a workbook.
func (r *rig) part(name, part string) string {
	r.Helper()
	doc := r.bytes(name)
	zr, err := zip.NewReader(strings.NewReader(doc), int64(len(doc)))
	must(r.T, err)
	in, err := zr.Open(part)
	must(r.T, err)
	defer in.Close()
	text, err := io.ReadAll(in)
	must(r.T, err)
	return string(text)
}

func TestAnAddInSendsWhatStandsBesideRowsThatLeave(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.tables.bulk = 4 // a row more
		p.refreshed()
		connection := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: p.id, FillRight: placements.Sent("D:E")}
		connection.Options = shiftRows(true)
		_, err := p.store.Placements().Connect(p.Context(), deskDeployment, p.reports[0], connection, p.by, nil, false)
		must(p.T, err)
		p.books.enter("book", 2, 4, checksum.Str("on the second"))
		p.books.enter("book", 3, 3, checksum.Str("on the last"))
		p.books.enter("book", 8, 3, checksum.Str("far below"))
		p.tables.bulk = 0
		run, plan := p.refreshed()
		want := "1 row deleted at Data!A4; what was typed beside 1 row that left is kept in the run"
		if plan.Message != want {
			p.Errorf("message %q, want %q", plan.Message, want)
		}
		kept := run.Placements[0].Overwritten
		if len(kept) != 1 || kept[0].Row != 4 || len(kept[0].Values) != 4 || kept[0].Values[3] != "on the last" {
			p.Errorf("overwritten: %+v", kept)
		}
	})
}

func TestAnAddInKeepsWhatStandsInTheOtherColumnsOfATable(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.tables.bulk = 4 // a row more
		p.refreshed()
		connection := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: p.id}
		connection.Options = shiftRows(true)
		_, err := p.store.Placements().Connect(p.Context(), deskDeployment, p.reports[0], connection, p.by, nil, false)
		must(p.T, err)
		p.table = 5
		p.books.enter("book", 3, 4, checksum.Str("on the last"))
		p.books.enter("book", 3, 5, checksum.Str("beside the table"))
		p.tables.bulk = 0
		run, plan := p.refreshed()
		if plan.Beside != 5 {
			p.Errorf("the shifts reach over %d columns, want those of the table", plan.Beside)
		}
		kept := run.Placements[0].Overwritten
		if len(kept) != 1 || kept[0].Row != 4 || len(kept[0].Values) != 5 || kept[0].Values[4] != "on the last" {
			p.Errorf("overwritten: %+v", kept)
		}
	})
}
