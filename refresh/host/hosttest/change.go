package hosttest

import (
	"context"
	"errors"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// hostPatch writes rows of g to block as v found it.
func hostPatch(block host.Block, v host.View, g *checksum.Grid, rows ...checksum.Span) host.Patch {
	return host.Patch{Block: at(block, v), Grid: g, Rows: rows, Extent: g.Extent()}
}

func patchAll(block host.Block, v host.View, g *checksum.Grid) host.Patch {
	return hostPatch(block, v, g, checksum.Span{From: 0, To: g.Rows()})
}

// neighbours are cells on all sides of the block at C4, three columns wide and up to six rows high.
var neighbours = map[string]checksum.Cell{
	"C3": checksum.Str("above"), "B4": checksum.Str("left"), "B6": checksum.Num(7), "F5": checksum.Bool(true), "D10": checksum.Str("below"),
}

func surround(t *testing.T, b Book) {
	for cell, c := range neighbours {
		b.Editor.Set(t, b.Sheet, cell, c)
	}
	b.Editor.SetFormula(t, b.Sheet, "H4", "SUM(D4:D9)", checksum.Num(0))
}

func stillSurrounded(t *testing.T, b Book) {
	t.Helper()
	for cell, c := range neighbours {
		wantCell(t, b, b.Sheet, cell, c, "")
	}
	if _, formula := b.Editor.Get(t, b.Sheet, "H4"); formula != "SUM(D4:D9)" {
		t.Errorf("the formula beside the block became %q", formula)
	}
}

func leavesNeighbours(t *testing.T, b Book) {
	surround(t, b)
	block := place(t, b, b.block(), people(5))
	stillSurrounded(t, b)
	v := read(t, b, block, checksum.Extent{Rows: 6, Columns: 3})
	holds(t, v, people(5))
}

func shrinks(t *testing.T, b Book) {
	surround(t, b)
	block := place(t, b, b.block(), people(5))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	small := grid(row(checksum.Str("name"), checksum.Str("age")), row(checksum.Str("a-person"), checksum.Num(20)))
	p := hostPatch(block, v, small)
	p.Clear = []checksum.CellRect{{Row: 2, Rows: 4, Columns: 3}, {Row: 0, Column: 2, Rows: 2, Columns: 1}}
	if w := s.write(p); w.Rows != 6 {
		t.Errorf("Written.Rows = %d, want 6: each row once", w.Rows)
	}
	v = read(t, b, block, checksum.Extent{Rows: 6, Columns: 3})
	holds(t, v, small)
	if want := (checksum.Extent{Rows: 2, Columns: 2}); v.Extent != want {
		t.Errorf("marker covers %+v, want %+v", v.Extent, want)
	}
	stillSurrounded(t, b)
}

func grows(t *testing.T, b Book) {
	surround(t, b)
	block := place(t, b, b.block(), people(2))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	g := people(5)
	s.write(hostPatch(block, v, g, checksum.Span{From: 3, To: 6}))
	v = read(t, b, block, checksum.Extent{})
	holds(t, v, g)
	if v.Extent != g.Extent() {
		t.Errorf("marker covers %+v, want %+v", v.Extent, g.Extent())
	}
	stillSurrounded(t, b)
}

// oneRow changes one row and leaves alone what a person typed into another.
func oneRow(t *testing.T, b Book) {
	block := place(t, b, b.block(), people(4))
	b.Editor.Set(t, b.Sheet, "C6", checksum.Str("typed"))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	g := grid(row(), row(), row(), row(checksum.Str("new"), checksum.Cell{}, checksum.Num(3)), row())
	p := hostPatch(block, v, g, checksum.Span{From: 3, To: 4})
	p.Extent = v.Extent
	if w := s.write(p); w.Rows != 1 || w.Cells != 3 || w.Calls != 1 {
		t.Errorf("wrote %+v, want 1 row, 3 cells, 1 call", w)
	}
	wantCell(t, b, b.Sheet, "C6", checksum.Str("typed"), "")
	wantCell(t, b, b.Sheet, "C7", checksum.Str("new"), "")
	wantCell(t, b, b.Sheet, "D7", checksum.Cell{}, "")
	wantCell(t, b, b.Sheet, "E7", checksum.Num(3), "")
	wantCell(t, b, b.Sheet, "C5", checksum.Str("a-person"), "")
}

// unchanged needs one request to see that all is as it should be, and none to leave it so.
func unchanged(t *testing.T, b Book) {
	g := people(4)
	block := place(t, b, b.block(), g)
	state := b.State(t)
	s := open(t, b)
	v := s.read(block, g.Extent())
	if v.Calls != 1 {
		t.Errorf("reading took %d calls, want 1", v.Calls)
	}
	w := s.write(hostPatch(block, v, g))
	if w.Rows != 0 || w.Cells != 0 {
		t.Errorf("wrote %+v, want nothing", w)
	}
	if b.State(t) != state {
		t.Error("the document changed")
	}
}

// stale writes nothing when a person changed the document after it was read.
func stale(t *testing.T, b Book) {
	block := place(t, b, b.block(), people(3))
	if b.Unconditional {
		t.Skip("the host has no conditional writes")
	}
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	b.Editor.Set(t, b.Sheet, "C5", checksum.Str("typed"))
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{patchAll(block, v, people(5))})
	wantClass(t, err, placements.Transient)
	_, err = s.Read(t.Context(), []host.Wanted{{Block: block}})
	wantClass(t, err, placements.Transient)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	wantCell(t, b, b.Sheet, "C5", checksum.Str("typed"), "")
}

// cancelled does nothing once its context has ended.
func cancelled(t *testing.T, b Book) {
	block := place(t, b, b.block(), people(3))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	state := b.State(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Host.Open(ctx, b.Document); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v, want context.Canceled", err)
	}
	if _, err := s.Read(ctx, []host.Wanted{{Block: block}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v, want context.Canceled", err)
	}
	if _, err := s.Write(ctx, []host.Patch{patchAll(block, v, people(5))}); !errors.Is(err, context.Canceled) {
		t.Errorf("Write: %v, want context.Canceled", err)
	}
	if b.State(t) != state {
		t.Error("the document changed")
	}
}

// shifts inserts and deletes rows of cells inside the block, which moves what stands below it in its columns only.
func shifts(t *testing.T, b Book) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	surround(t, b)
	block := place(t, b, b.block(), people(4))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	old := people(4)
	g := grid(cells(old, 0), row(checksum.Str("first"), checksum.Num(1)), row(checksum.Str("second"), checksum.Num(2)), cells(old, 1),
		cells(old, 2), cells(old, 4))
	p := hostPatch(block, v, g, checksum.Span{From: 1, To: 3})
	p.Shifts = []checksum.Shift{{At: 1, Rows: 2}, {At: 5, Rows: -1}}
	s.write(p)
	v = read(t, b, block, checksum.Extent{})
	holds(t, v, g)
	if v.Extent != g.Extent() {
		t.Errorf("marker covers %+v, want %+v", v.Extent, g.Extent())
	}
	wantCell(t, b, b.Sheet, "D11", checksum.Str("below"), "")
	wantCell(t, b, b.Sheet, "B6", checksum.Num(7), "")
	wantCell(t, b, b.Sheet, "F5", checksum.Bool(true), "")
}
