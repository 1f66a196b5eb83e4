package refresh

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// renamer is a reader who has taken over the block at Sheet1!B2 of a workbook that agents may open.
type renamer struct {
	*rig
	by record.Actor
	id string
}

func newRenamer(t *testing.T) *renamer {
	t.Helper()
	address := storagetest.Redis(t)
	r := newRig(t, storagetest.Open(t, address))
	bounded, err := storage.Open(t.Context(), storage.Config{
		Address: address, Documents: map[record.Deployment]placements.Documents{r.d: {{Kind: placements.SheetsB, Documents: []string{"*"}}}},
	})
	must(t, err)
	t.Cleanup(func() { must(t, bounded.Close()) })
	r.engine.useQueue(bounded.Work())
	m := &renamer{rig: r, by: record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}}
	m.place(record.Actor{ID: 7}, "Sheet1!B2", true)
	m.succeeded(m.refresh(Request{}), 4)
	m.place(m.by, "Sheet1!B2", false)
	m.succeeded(m.refresh(Request{}), 0)
	return m
}

// place connects the report, by the id of the block's sheet.
func (m *renamer) place(by record.Actor, location string, addressOnly bool) {
	m.Helper()
	c, err := m.engine.records.Placements().Connect(m.Context(), m.d, m.report, placements.Connection{
		ExternalWorkbookID: "book.xlsx", ResultLocation: location, SheetID: "1", PlacementID: m.id, AddressOnly: addressOnly,
	}, by, nil, false)
	must(m.T, err)
	m.id = c.Placement.ID
}

// column are the cells of a sheet's column B.
func (m *renamer) column(sheet string) []string {
	m.Helper()
	f, err := excelize.OpenFile(filepath.Join(m.dir, "book.xlsx"))
	must(m.T, err)
	defer f.Close()
	rows, err := f.GetRows(sheet)
	must(m.T, err)
	var column []string
	for _, row := range rows {
		column = append(column, strings.Join(row[min(1, len(row)):], " "))
	}
	return column
}

// A sheet's id is what the client says: the cells of a sheet that was not renamed are not the block's, though they begin with its headings.
func TestASheetOfAnotherNameIsNotTheBlocks(t *testing.T) {
	t.Parallel()
	for _, addressOnly := range []bool{true, false} {
		for _, by := range []record.Actor{{ID: 8, Actions: []string{record.ActionReportRead}}, {ID: 7}} {
			m := newRenamer(t)
			m.edit("book.xlsx", func(f *excelize.File) {
				_, err := f.NewSheet("Archive")
				must(t, err)
				for i, row := range [][]any{{"name", "people"}, {"Oslo", 1}, {"Turku", 2}, {"Umeå", 3}} {
					must(t, f.SetSheetRow("Archive", placements.Anchor{Row: i + 1, Column: 1}.String(), &row))
				}
			})
			before := m.column("Archive")
			m.place(by, "Archive!B2", addressOnly)
			m.exec("UPDATE cities SET people = people + 1")
			run := m.refresh(Request{})
			if after := m.column("Archive"); !slices.Equal(after, before) || run.ErrorClass != placements.Conflict {
				t.Errorf("user %d, address only %t: %s (%s), the sheet is %q, want %q", by.ID, addressOnly, run.State, run.Error, after, before)
			}
		}
	}
}

// A reader whose sheet was really renamed goes on: the marker proves the block, wherever it stands in that sheet, and what was typed into it is
// kept.
func TestTheMarkerProvesABlockWhoseSheetWasRenamed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		then  func(f *excelize.File)
		sheet string
		above []string // the first of the block's rows
	}{
		"and nothing else":      {func(*excelize.File) {}, "Cities", []string{""}},
		"and rows put above it": {func(f *excelize.File) { must(t, f.InsertRows("Cities", 1, 2)) }, "Cities", []string{"", "", ""}},
		"and renamed again":     {func(f *excelize.File) { must(t, f.SetSheetName("Cities", "Towns")) }, "Towns", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			m := newRenamer(t)
			m.edit("book.xlsx", func(f *excelize.File) {
				must(t, f.SetSheetName("Sheet1", "Cities"))
				must(t, f.SetCellStr("Cities", "C3", "many"))
			})
			m.place(m.by, "Cities!B2", true)
			m.edit("book.xlsx", row.then)
			m.exec("UPDATE cities SET people = 4 WHERE id = 2")
			run := m.refresh(Request{})
			want := append(row.above, "name people", "Oslo many", "Bergen 4", "=1+1 3")
			got := m.column(row.sheet)
			for i := range got {
				got[i] = strings.TrimSpace(got[i])
			}
			if run.State != placements.RunSucceeded || !slices.Equal(got, want) {
				t.Errorf("%s (%s): the sheet is %q, want %q", run.State, run.Error, got, want)
			}
		})
	}
}

// An add-in whose sheet was renamed since its report was connected again is asked for nothing that is not there: its marker is found.
func TestAnAddInGoesOnInASheetThatWasRenamedTwice(t *testing.T) {
	t.Parallel()
	m := newRenamer(t)
	m.place(m.by, "Cities!B2", true)
	p := m.placement().Placement
	lease, err := m.engine.ClientRuns().Start(t.Context(), m.d, Request{
		Executor: record.ExecutorClient, By: m.by, Target: record.RunTarget{ReportID: m.report, PlacementID: p.ID},
	}, p)
	must(t, err)
	run, err := m.engine.queue.Queue.Runs.Get(t.Context(), m.d, lease.RunID)
	must(t, err)
	a, _ := p.Address()
	s := inventedSheet(a)
	s.Name, s.Marked = "Towns", checksum.Extent{Rows: 4, Columns: 2}
	plan, err := m.engine.ClientRuns().Plan(t.Context(), ClientStep{Deployment: m.d, Run: run, Fence: lease.Fence, By: m.by}, s)
	must(t, err)
	defer plan.Close()
	if at := plan.Patch.Block; at.Sheet != "Towns" || at.Anchor != s.Anchor {
		t.Errorf("the plan is for %s!%s, want Towns!B2", at.Sheet, at.Anchor)
	}
}

// A block whose sheet was renamed is still known after the block above it has moved it.
func TestShiftsMoveWhatIsKnownOfABlockWhoseSheetWasRenamed(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.edit("below.xlsx", func(f *excelize.File) { must(t, f.SetSheetName("Sheet1", "Data")) })
	d := belowRig{r, xlsxDoc{r}, "below.xlsx", placements.SheetsB}
	d.source("Oslo", "Bergen")
	d.place(d.report, "Data!B2", shifting)
	lower := d.lower("Data!B6")
	d.refreshAll(d.report, lower)
	d.edit("below.xlsx", func(f *excelize.File) {
		must(t, f.SetSheetName("Data", "Cities"))
		must(t, f.SetCellStr("Cities", "B7", "by hand"))
	})
	for report, at := range map[int64]string{d.report: "Cities!B2", lower: "Cities!B6"} {
		id := d.placed(report).ID
		d.place(report, at, func(c *placements.Connection) { c.PlacementID, c.SheetID = id, "1" })
	}
	d.source("Oslo", "Bergen", "Bodo", "Moss")
	d.refreshAll(d.report)
	if at := d.placed(lower).ResultLocation; at != "Cities!B8" {
		t.Fatalf("the lower block is recorded at %s, want Cities!B8", at)
	}
	d.refreshAll(lower)
	d.edit("below.xlsx", func(f *excelize.File) { must(t, f.SetSheetName("Cities", "Data")) })
	d.wantColumn(1, "", "name", "Oslo", "Bergen", "Bodo", "Moss", "", "lower", "by hand", "BERGEN", "BODO", "MOSS")
}

// A write that a reader's add-in only planned did not come to the sheet, as its stamp shows: what was typed there meanwhile is no write's.
func TestAPlannedWriteOfAReaderIsBelievedByItsStamp(t *testing.T) {
	for _, writes := range []bool{false, true} {
		address := storagetest.Redis(t)
		d := newDesk(t, storagetest.Open(t, address), 1)
		d.address = address
		d.admitted()
		d.books.book("book").stamps = map[string]string{}
		p := d.pane(0, false)
		p.by = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
		p.claim(p.by, "Data!A1", "")
		first := d.ask(0, Request{})
		d.work()
		d.succeeded(first)
		d.tables.change()
		must(t, p.start())
		plan, err := p.plan()
		must(t, err)
		want, edited := 2.0, 2
		if writes {
			p.write(plan)
			want, edited = 3, 0
		}
		plan.Close()
		p.lapse()
		d.books.enter("book", 1, 1, checksum.Num(2))
		d.books.enter("book", 2, 1, checksum.Num(-2))
		d.tables.change()
		run := p.agentRuns()
		if cell := d.cells()[[2]int{1, 1}]; run.State != placements.RunSucceeded || cell != checksum.Num(want) || len(run.Placements[0].EditedRows) != edited {
			t.Errorf("written %t: the run is %s (%s) with %d edited rows, B2 is %+v", writes, run.State, run.Error, len(run.Placements[0].EditedRows), cell)
		}
	}
}
