package hosttest

import (
	"fmt"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// statusText is a text as a status cell holds it.
func statusText(rows int) *checksum.Grid {
	return grid(row(checksum.Str(fmt.Sprintf("Refreshed 2026-11-21 07:00 · %d rows changed", rows))))
}

// status is the status cell of the suite's block.
func (b Spreadsheet) status(row, column int) host.Block {
	return b.blockAt(host.StatusID(b.block().PlacementID), b.Sheet, row, column)
}

// writesStatusCell writes a status cell above its block with the block, first where no marker is, then where inserted rows moved it, and
// the same block without it.
func writesStatusCell(t *testing.T, b Spreadsheet) {
	surround(t, b)
	blocks := []host.Block{b.block(), b.status(1, 3)}
	unmarked := blocks[1]
	unmarked.PlacementID = ""
	s := open(t, b)
	views := s.readAll(wants([]host.Block{blocks[0], unmarked})...)
	if views[1].Marked || views[1].Anchor != blocks[1].Anchor {
		t.Fatalf("found at %s, marked %t; want %s, not marked", views[1].Anchor, views[1].Marked, blocks[1].Anchor)
	}
	written := s.writeAll(patchAll(blocks[0], views[0], names(3)), patchAll(blocks[1], views[1], statusText(4)))
	if written[0].Calls != 1 || written[1].Calls != 0 {
		t.Errorf("%d and %d calls, want one write of both", written[0].Calls, written[1].Calls)
	}
	b.Editor.InsertRows(t, b.Sheet, 1, 3)
	s = open(t, b)
	views = s.readAll(wants(blocks)...)
	holds(t, views[0], names(3))
	holds(t, views[1], statusText(4))
	if moved := (placements.Anchor{Row: 4, Column: 3}); !views[1].Marked || views[1].Anchor != moved {
		t.Errorf("found at %s, marked %t; want %s, marked", views[1].Anchor, views[1].Marked, moved)
	}
	s.writeAll(patchAll(blocks[0], views[0], names(5)), patchAll(blocks[1], views[1], statusText(6)))
	s.write(patchAll(blocks[0], views[0], names(4)))
	views = open(t, b).readAll(wants(blocks)...)
	holds(t, views[0], grid(append(rowsOf(names(4)), row())...))
	holds(t, views[1], statusText(6))
	wantCell(t, b, b.Sheet, "D5", statusText(6).Cells(0, nil)[0], "")
}

// shiftsStatusCell writes a status cell below its block while the block grows by shifting it.
func shiftsStatusCell(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	blocks := []host.Block{b.block(), b.status(8, 2)}
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	s.writeAll(patchAll(blocks[0], views[0], names(3)), patchAll(blocks[1], views[1], statusText(4)))
	views = s.readAll(wants(blocks)...)
	grown := hostPatch(blocks[0], views[0], names(6), checksum.Span{From: 4, To: 7})
	grown.Shifts = []checksum.Shift{{At: 4, Rows: 3}}
	s.writeAll(grown, patchAll(blocks[1], views[1], statusText(3)))
	views = open(t, b).readAll(wants(blocks)...)
	holds(t, views[0], names(6))
	holds(t, views[1], statusText(3))
	if shifted := (placements.Anchor{Row: 11, Column: 2}); views[1].Anchor != shifted {
		t.Errorf("found at %s, want %s", views[1].Anchor, shifted)
	}
}

// writesAbove writes what a block is filtered by above it, for itself while the block stays as it is, follows it, and empties it.
func writesAbove(t *testing.T, b Spreadsheet) {
	blocks := []host.Block{b.block(), b.blockAt(host.FiltersID(b.block().PlacementID), b.Sheet, 2, 2)}
	told := func(text string) *checksum.Grid { return grid(row(checksum.Str(text))) }
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	s.writeAll(patchAll(blocks[0], views[0], names(3)), patchAll(blocks[1], views[1], told("Status is shipped")))
	wantCell(t, b, b.Sheet, "C3", checksum.Str("Status is shipped"), "")
	b.Editor.InsertRows(t, b.Sheet, 1, 2)
	b.Editor.InsertRows(t, b.Sheet, 6, 1) // below the cell and above the block
	for _, text := range []string{"Status is new; Created in 2026-01-01 … 2026-03-31", ""} {
		s = open(t, b)
		views = s.readAll(wants(blocks)...)
		if at := views[1].Anchor.String(); at != "C5" || !views[1].Marked || views[0].Anchor.String() != "C7" {
			t.Fatalf("found at %s, marked %t, below it the block at %s", at, views[1].Marked, views[0].Anchor)
		}
		cell := told(text)
		if text == "" {
			cell = grid(row(checksum.Cell{}))
		}
		alone := patchAll(blocks[1], views[1], cell)
		alone.Extent = checksum.Extent{Rows: 1, Columns: 1}
		s.writeAll(hostPatch(blocks[0], views[0], names(3)), alone)
		after := open(t, b).readAll(wants(blocks)...)
		holds(t, after[0], names(3))
		holds(t, after[1], cell)
		if !after[0].Marked || after[0].Extent != views[0].Extent {
			t.Errorf("the block is marked %t, %v; it was %v", after[0].Marked, after[0].Extent, views[0].Extent)
		}
	}
}

// names is a table of text alone, of n rows below its header: some documents hold other cells as text.
func names(n int) *checksum.Grid {
	rows := [][]checksum.Cell{row(checksum.Str("name"), checksum.Str("first"))}
	for i := range n {
		rows = append(rows, row(checksum.Str(fmt.Sprint("name ", i)), checksum.Str(fmt.Sprint("first ", i))))
	}
	return grid(rows...)
}

// rowsOf are the rows of a table.
func rowsOf(g *checksum.Grid) (rows [][]checksum.Cell) {
	for i := range g.Rows() {
		rows = append(rows, cells(g, i))
	}
	return rows
}
