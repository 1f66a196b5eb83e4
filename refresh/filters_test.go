package refresh

import (
	"errors"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// filtering is a source whose queries filter by what the test says.
type filtering struct {
	source.Source
	by []source.Filter
}

func (f *filtering) Filters(source.Query) ([]source.Filter, error) { return f.by, nil }

// showing makes the rig's report show what its query filters by, which the test says.
func (r *rig) showing(shows bool) *filtering {
	r.Helper()
	d := r.engine.tenants["acme"].Deployments[1]
	f, ok := d.Source.(*filtering)
	if !ok {
		f = &filtering{Source: d.Source}
		d.Source = f
		r.engine.tenants["acme"].Deployments[1] = d
	}
	r.showFilters(shows)
	return f
}

// showFilters sets whether the rig's report shows its filters.
func (r *rig) showFilters(shows bool) {
	r.Helper()
	_, err := r.engine.records.Reports().Update(r.Context(), r.d, r.report, record.ReportInput{
		PivotItems: placements.Sent(record.PivotItems{ShowAppliedFilters: shows}),
	}, record.Actor{ID: 7}, func(*storage.Report) error { return nil })
	must(r.T, err)
}

func is(text string) []source.Filter {
	return []source.Filter{{Kind: source.FilterMember, Text: text}}
}

// holds checks a cell, what a run that succeeded wrote, and its note.
func (r *rig) holds(cell, want string, rows int, note string) {
	r.Helper()
	run := r.refresh(Request{})
	if run.State != placements.RunSucceeded || run.RowsWritten != rows {
		r.Fatalf("run is %s (%s), %d rows written; want %d", run.State, run.Error, run.RowsWritten, rows)
	}
	if got := r.cell(cell); got != want {
		r.Errorf("%s holds %q, want %q", cell, got, want)
	}
	if got := run.Placements[0].Note; !strings.Contains(got, note) || (got == "") != (note == "") {
		r.Errorf("note %q, want %q", got, note)
	}
}

func TestAppliedFilters(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.connect("Sheet1!B3")
	r.holds("B2", "", 4, "")
	sum := r.placement().ResultChecksum

	f := r.showing(true)
	r.holds("B2", "", 0, "") // nothing is filtered
	f.by = append(is("Status is shipped"), is("=1+1")...)
	r.holds("B2", "Status is shipped; =1+1", 0, "")
	r.holds("B3", "name", 0, "")
	if now := r.placement(); !now.ResultChecksum.Equal(*sum) || now.AnchorCell != "B3" {
		t.Errorf("the digest of the table is %v, at %s; it was %v", now.ResultChecksum, now.AnchorCell, sum)
	}
	before := r.bytes("book.xlsx")
	r.holds("B2", "Status is shipped; =1+1", 0, "")
	if r.bytes("book.xlsx") != before {
		t.Error("an unchanged refresh wrote")
	}

	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Sheet1", 1, 2)) })
	f.by = is("Status is new")
	r.exec("UPDATE cities SET people = 1 WHERE id = 1")
	r.holds("B4", "Status is new", 1, "")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Sheet1", 5, 1)) }) // between the cell and the block
	f.by = is("Status is old")
	r.holds("B4", "Status is old", 0, "")
	if got := r.placement(); got.AnchorCell != "B6" {
		t.Errorf("recorded at %s", got.AnchorCell)
	}
	if got := r.cell("B5"); got != "" {
		t.Errorf("B5 holds %q", got)
	}

	const left = "the cell for the applied filters B4 was left alone: it holds something else"
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "B4", "Status is old, says Bob")) })
	r.holds("B4", "Status is old, says Bob", 0, left)
	r.edit("book.xlsx", func(f *excelize.File) {
		must(t, f.SetCellStr("Sheet1", "B4", "Status is old"))
		must(t, f.SetCellFormula("Sheet1", "B4", `"Status is old"`))
	})
	f.by = is("Status is new")
	r.holds("B4", r.cell("B4"), 0, left)
	f.by = is("Status is old")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellValue("Sheet1", "B4", nil)) })
	r.holds("B4", "Status is old", 0, "")

	f.by = nil
	r.holds("B4", "", 0, "")
	f.by = is("Size is 3")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.RemoveRow("Sheet1", 5)) })
	r.holds("B4", "Size is 3", 0, "")
	r.showFilters(false)
	r.holds("B4", "", 0, "")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "B4", "Size is 3")) }) // a person's, by now
	r.holds("B4", "Size is 3", 0, "")
}

// A cell that a person filled is never written over, nor is that of another block or the status cell.
func TestAppliedFiltersWhereSomethingStands(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "B2", "mine")) })
	r.connect("Sheet1!B3")
	r.showing(true).by = is("Size is 3")
	r.holds("B2", "mine", 4, "B2 was left alone: it holds something else")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellValue("Sheet1", "B2", nil)) })
	r.withStatus("Sheet1!B3", "B2")
	r.exec("UPDATE cities SET people = 1 WHERE id = 1")
	run := r.refresh(Request{})
	r.says(run, "B2", " · 1 row changed", "the cell for the applied filters B2 was left alone: it lies inside what is written")
	r.holds("B3", "name", 0, "the cell for the applied filters B2 was left alone: it holds something else")
}

// A report that begins to show its filters says where it cannot, and does once there is a row above.
func TestAppliedFiltersOfABlockInRow1(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.connect("Sheet1!D1")
	r.showing(true).by = is("Size is 3")
	r.holds("D1", "name", 4, "the applied filters are not shown: they stand in the cell above the block, which begins in row 1: insert a row above it")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Sheet1", 1, 1)) })
	r.holds("D1", "Size is 3", 0, "")
	r.edit("book.xlsx", func(f *excelize.File) { must(t, f.RemoveRow("Sheet1", 1)) })
	r.holds("D1", "name", 0, "insert a row above it")

	place := func(location string) error {
		_, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, placements.Connection{
			ExternalWorkbookID: "book.xlsx", ResultLocation: location, AddressOnly: true,
		}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
		return err
	}
	err, ok := errors.AsType[*placements.Error](place("Sheet1!H1"))
	if !ok || len(err.Details) != 1 || err.Details[0].Pointer != "/resultLocation" || !strings.Contains(err.Details[0].Message, "row 1 has none above it") {
		t.Errorf("placed in row 1: %v", err)
	}
	must(t, place("Sheet1!D1")) // where it stands
	must(t, place("Sheet1!H2"))
}

// A block that a host lets be written without what stands above it is.
func TestAppliedFiltersThatAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	hosts := r.engine.tenants["acme"].Hosts
	hosts[0].Driver = protecting{hosts[0].Driver}
	r.withStatus("Sheet1!B3", "F1")
	r.showing(true).by = is("Size is 3")
	r.holds("B2", "", 4, "the cell for the applied filters B2 was left alone: B1 is protected")
}

// Two blocks that are written together have each their own cell.
func TestAppliedFiltersOfBlocksTogether(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	r.connect("Sheet1!B3")
	r.connect("Sheet1!B8") // B7 is free: the first one ends in B6
	r.showing(true).by = is("Size is 3")
	r.holds("B2", "Size is 3", 8, "")
	if got := r.cell("B7"); got != "Size is 3" {
		t.Errorf("B7 holds %q", got)
	}
}

// filtered says what the pane's report is filtered by.
func (p *pane) filtered(by ...source.Filter) {
	p.Helper()
	p.tables.mu.Lock()
	defer p.tables.mu.Unlock()
	p.tables.filters = by
}

// above places the pane's report with a row above it, and makes it show its filters.
func (p *pane) above() {
	p.Helper()
	p.connectAs(p.report, "Data!A3", 7)
	_, err := p.store.Reports().Update(p.Context(), deskDeployment, p.reports[p.report], record.ReportInput{
		PivotItems: placements.Sent(record.PivotItems{ShowAppliedFilters: true}),
	}, record.Actor{ID: 7}, func(*storage.Report) error { return nil })
	must(p.T, err)
}

func TestAClientWritesTheAppliedFilters(t *testing.T) {
	a2, h5 := placements.Anchor{Row: 1}, placements.Anchor{Row: 4, Column: 7}
	eachPane(t, func(p *pane) {
		p.above()
		p.filtered(is("Size is 3")...)
		p.refreshed()
		p.says(a2, "Size is 3")
		if _, plan := p.refreshed(); plan.Filters != nil {
			p.Errorf("an unchanged block has the filters %+v", plan.Filters)
		}
		p.filtered(is("Size is 4")...)
		if run, plan := p.refreshed(); plan.Filters == nil || written(plan.Patch) != 0 || run.RowsWritten != 0 {
			p.Errorf("the filters alone have changed: %+v, %d rows written", plan.Filters, run.RowsWritten)
		}
		p.says(a2, "Size is 4")

		p.dragSide(host.FiltersID(p.id), a2, h5)
		p.filtered(is("Size is 5")...)
		p.tables.change()
		p.refreshed()
		p.says(h5, "Size is 5")
		p.says(a2, "")
		p.filtered(is("Size is 6")...)
		if run := p.agentRuns(); run.Placements[0].Note != "" {
			p.Errorf("an agent says %q", run.Placements[0].Note)
		}
		p.says(h5, "Size is 6")

		p.books.enter("book", h5.Row, h5.Column, checksum.Str("mine"))
		run, plan := p.refreshed()
		if plan.Filters != nil || !strings.Contains(plan.Message, "H5 was left alone") || run.Placements[0].Note == "" {
			p.Errorf("a person's cell gets %+v, %q", plan.Filters, plan.Message)
		}
		p.books.enter("book", h5.Row, h5.Column, checksum.Cell{})
		p.refreshed()
		p.says(h5, "Size is 6")

		p.blockAlone = true
		p.filtered(is("Size is 7")...)
		p.tables.change()
		if run, plan := p.refreshed(); plan.Filters != nil || plan.Message != "" || run.Placements[0].Note != "" {
			p.Errorf("an add-in that reads the block alone gets %+v, %q", plan.Filters, plan.Message)
		}
		p.blockAlone = false
		p.filtered()
		p.refreshed()
		p.says(h5, "")
	})
}

// filters is what the pane sends of the cell for the applied filters: what its marker covers, else what stands above the block or, when
// asked, in a cell.
func (p *pane) filters(b *memoryBook, block placements.Anchor, need *NeedError) *SheetStatus {
	r, marked := b.markers[host.FiltersID(p.id)]
	at := placements.Anchor{Row: r.Top, Column: r.Left}
	switch {
	case p.blockAlone || !marked && block.Row == 0:
		return nil
	case need != nil && need.Filters != "":
		var err error
		at, err = placements.ParseAnchor(need.Filters)
		must(p.T, err)
		marked = false
	case !marked:
		at = placements.Anchor{Row: block.Row - 1, Column: block.Column}
	}
	return &SheetStatus{
		At: placements.Location{Sheet: "Data", Anchor: at}, Marked: marked, Text: b.cells[[2]int{at.Row, at.Column}].Text,
	}
}
