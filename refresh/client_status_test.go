package refresh

import (
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// statusCell names the status cell of the pane's placement.
func (p *pane) statusCell(cell string) {
	p.Helper()
	_, err := p.store.Placements().Connect(p.Context(), deskDeployment, p.reports[p.report], placements.Connection{
		ExternalWorkbookID: "book", ResultLocation: "Data!A1", PlacementID: p.id, AddressOnly: true, StatusCell: placements.Sent(cell),
	}, p.by, nil, false)
	must(p.T, err)
}

// drag moves the status cell as a person does, with its marker.
func (p *pane) drag(from, to placements.Anchor) { p.dragSide(host.StatusID(p.id), from, to) }

// dragSide moves a cell outside the block, with that marker.
func (p *pane) dragSide(marker string, from, to placements.Anchor) {
	p.books.mu.Lock()
	defer p.books.mu.Unlock()
	b := p.books.book("book")
	b.cells[[2]int{to.Row, to.Column}] = b.cells[[2]int{from.Row, from.Column}]
	delete(b.cells, [2]int{from.Row, from.Column})
	b.markers[marker] = placements.Rect{Top: to.Row, Left: to.Column, Bottom: to.Row, Right: to.Column}
}

// says checks the end of what stands in a cell; empty for an empty one.
func (p *pane) says(at placements.Anchor, want string) {
	p.Helper()
	got := p.cells()[[2]int{at.Row, at.Column}].Text
	if !strings.HasSuffix(got, want) || want == "" && got != "" {
		p.Errorf("%s holds %q, want %q", at, got, want)
	}
}

func TestAClientWritesTheStatusCell(t *testing.T) {
	f1, h5, g1 := placements.Anchor{Column: 5}, placements.Anchor{Row: 4, Column: 7}, placements.Anchor{Column: 6}
	eachPane(t, func(p *pane) {
		p.statusCell("F1")
		p.refreshed()
		p.says(f1, " · 3 rows changed")
		if _, plan := p.refreshed(); plan.Status != nil {
			p.Errorf("an unchanged block has the status %+v", plan.Status)
		}

		p.drag(f1, h5)
		p.tables.change()
		p.refreshed()
		p.says(h5, " · 2 rows changed")
		if at := p.placed().StatusCell; at != "H5" {
			p.Errorf("the status cell is recorded at %s", at)
		}
		p.books.enter("book", h5.Row, h5.Column, checksum.Cell{})
		p.tables.change()
		if run := p.agentRuns(); run.Placements[0].Note != "" {
			p.Errorf("an agent says %q", run.Placements[0].Note)
		}
		p.says(h5, " · 2 rows changed")

		p.books.enter("book", h5.Row, h5.Column, checksum.Str("mine"))
		p.tables.change()
		run, plan := p.refreshed()
		if plan.Status != nil || !strings.Contains(plan.Message, "H5 was left alone") || run.Placements[0].Note == "" {
			p.Errorf("a person's cell gets %+v, %q", plan.Status, plan.Message)
		}

		p.statusCell("G1") // the marker stands at H5 yet
		p.tables.change()
		p.refreshed()
		p.says(g1, " · 2 rows changed")
		p.says(h5, "mine")
	})
}

// An add-in that reads the block alone leaves its status cell to others.
func TestAClientWithoutTheStatusCell(t *testing.T) {
	f1, h5 := placements.Anchor{Column: 5}, placements.Anchor{Row: 4, Column: 7}
	eachPane(t, func(p *pane) {
		p.statusCell("F1")
		p.refreshed()
		p.blockAlone = true
		p.tables.change()
		run, plan := p.refreshed()
		if plan.Status != nil || plan.Message != "" || run.Placements[0].Note != "" {
			p.Errorf("the plan has the status %+v, %q", plan.Status, plan.Message)
		}
		p.says(f1, " · 3 rows changed")
		p.drag(f1, h5)
		p.tables.change()
		p.agentRuns()
		p.says(h5, " · 2 rows changed")
	})
}

// status is what the pane sends of its status cell: what its marker covers or, when asked, what stands in a cell.
func (p *pane) status(b *memoryBook, placed placements.Placement, need *NeedError) *SheetStatus {
	r, marked := b.markers[host.StatusID(p.id)]
	at := placements.Anchor{Row: r.Top, Column: r.Left}
	cell := placed.StatusCell
	if need != nil && need.Status != "" {
		cell, marked = need.Status, false
	}
	if cell == "" || p.blockAlone {
		return nil
	}
	if !marked {
		var err error
		at, err = placements.ParseAnchor(cell)
		must(p.T, err)
	}
	return &SheetStatus{
		At: placements.Location{Sheet: "Data", Anchor: at}, Marked: marked, Text: b.cells[[2]int{at.Row, at.Column}].Text,
	}
}

// writeSide writes what a plan says into the cell outside the block that has that marker.
func (b *memoryBook) writeSide(marker string, s *ClientStatus) {
	if s == nil {
		return
	}
	at, _ := placements.ParseAnchor(s.Cell)
	var g checksum.Builder
	if s.Text == "" {
		g.Append(checksum.Cell{})
	} else {
		g.Append(checksum.Str(s.Text))
	}
	b.apply(host.Patch{
		Block: host.Block{PlacementID: marker, Anchor: at}, Grid: g.Grid(), Rows: []checksum.Span{{From: 0, To: 1}},
		Extent: checksum.Extent{Rows: 1, Columns: 1},
	})
}
