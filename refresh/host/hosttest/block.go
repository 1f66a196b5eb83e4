package hosttest

import (
	"bytes"
	"errors"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// anchor is where the suite places its blocks: C4, so that there is a neighbourhood on all sides.
var anchor = placements.Anchor{Row: 3, Column: 2}

func (b Book) block() host.Block {
	return host.Block{Document: b.Document, PlacementID: "Plc-1.x", Sheet: b.Sheet, Anchor: anchor}
}

// grid makes a table.
func grid(rows ...[]checksum.Cell) *checksum.Grid {
	var b checksum.Builder
	for _, row := range rows {
		b.Append(row...)
	}
	return b.Grid()
}

func row(cells ...checksum.Cell) []checksum.Cell { return cells }

// people is a small table with a header, n rows below it.
func people(n int) *checksum.Grid {
	var b checksum.Builder
	b.Append(checksum.Str("name"), checksum.Str("age"), checksum.Str("member"))
	for i := range n {
		b.Append(checksum.Str(string(rune('a'+i%26))+"-person"), checksum.Num(float64(20+i)), checksum.Bool(i%2 == 0))
	}
	return b.Grid()
}

func read(t *testing.T, b Book, block host.Block, want checksum.Extent) host.View {
	t.Helper()
	v, err := b.Host.Read(t.Context(), block, want)
	if err != nil {
		t.Fatalf("Read: %v (%v)", err, errors.Unwrap(err))
	}
	return v
}

func write(t *testing.T, b Book, p host.Patch) host.Written {
	t.Helper()
	w, err := b.Host.Write(t.Context(), p)
	if err != nil {
		t.Fatalf("Write: %v (%v)", err, errors.Unwrap(err))
	}
	return w
}

// at is block where v found it.
func at(block host.Block, v host.View) host.Block {
	block.Sheet, block.SheetID, block.Anchor = v.Sheet, v.SheetID, v.Anchor
	return block
}

// place writes all of g at block and returns the block where it then stands.
func place(t *testing.T, b Book, block host.Block, g *checksum.Grid) host.Block {
	t.Helper()
	v := read(t, b, block, g.Extent())
	block = at(block, v)
	write(t, b, host.Patch{
		Block: block, Revision: v.Revision, Grid: g,
		Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent(),
	})
	return block
}

// holds checks that v shows exactly want from the anchor on, byte by byte of the canonical encoding and thus with the same
// fingerprints, and nothing below or beside it.
func holds(t *testing.T, v host.View, want *checksum.Grid) {
	t.Helper()
	for i := range max(v.Cells.Rows(), want.Rows()) {
		got, wanted := encoded(v.Cells, i), encoded(want, i)
		if !bytes.Equal(got, wanted) {
			t.Errorf("row %d: got %+v, want %+v", i, cells(v.Cells, i), cells(want, i))
		}
	}
}

func encoded(g *checksum.Grid, i int) []byte {
	if i >= g.Rows() {
		return []byte{0} // a row without cells
	}
	return g.Row(i)
}

func cells(g *checksum.Grid, i int) []checksum.Cell {
	if i >= g.Rows() {
		return nil
	}
	return g.Cells(i, nil)
}

// wantClass checks that err is a fault of the class, with a message for a user.
func wantClass(t *testing.T, err error, class placements.Class) {
	t.Helper()
	var fault *placements.Fault
	if !errors.As(err, &fault) {
		t.Fatalf("got error %v, want a fault of class %s", err, class)
	}
	if fault.Class != class || fault.Message == "" {
		t.Errorf("got fault %s %q, want class %s", fault.Class, fault.Message, class)
	}
}

// wantCell checks what a cell of the document holds.
func wantCell(t *testing.T, b Book, sheet, cell string, want checksum.Cell, wantFormula string) {
	t.Helper()
	got, formula := b.Editor.Get(t, sheet, cell)
	if got != want || formula != wantFormula {
		t.Errorf("%s!%s: got %+v with formula %q, want %+v with formula %q", sheet, cell, got, formula, want, wantFormula)
	}
}
