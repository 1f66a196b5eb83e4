package hosttest

import (
	"fmt"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// shiftsOthers grows one block and shrinks another by shifts while blocks below them are written too, together and one by one.
func shiftsOthers(t *testing.T, b Book) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	for _, together := range []bool{true, false} {
		t.Run(fmt.Sprintf("together %t", together), func(t *testing.T) {
			blocks := placeAll(t, b, []host.Block{
				b.blockAt(fmt.Sprint("top", together), b.Sheet, 3, 2), b.blockAt(fmt.Sprint("middle", together), b.Sheet, 10, 2),
				b.blockAt(fmt.Sprint("bottom", together), b.Sheet, 20, 3), b.blockAt(fmt.Sprint("beside", together), b.Sheet, 12, 8),
			}, people(4))
			// What stands at the bottom is narrower than the blocks above, so that it moves as a whole.
			s := open(t, b)
			narrow := grid(row(checksum.Str("a"), checksum.Num(1)), row(checksum.Str("b"), checksum.Num(2)))
			views := s.readAll(wants(blocks)...)
			first := hostPatch(blocks[2], views[2], narrow, checksum.Span{From: 0, To: 2})
			first.Clear = []checksum.CellRect{{Row: 2, Rows: 3, Columns: 3}, {Column: 2, Rows: 2, Columns: 1}}
			s.write(first)
			views = s.readAll(wants(blocks)...)

			grown := grid(cells(people(4), 0), row(checksum.Str("n1")), row(checksum.Str("n2")), row(checksum.Str("n3")),
				cells(people(4), 1), cells(people(4), 2), cells(people(4), 3), cells(people(4), 4))
			top := hostPatch(blocks[0], views[0], grown, checksum.Span{From: 1, To: 4})
			top.Shifts = []checksum.Shift{{At: 1, Rows: 3}}
			shrunk := grid(cells(people(4), 0), cells(people(4), 4))
			middle := hostPatch(blocks[1], views[1], shrunk)
			middle.Shifts = []checksum.Shift{{At: 1, Rows: -3}}
			low := grid(row(checksum.Str("a"), checksum.Num(1)), row(checksum.Str("changed"), checksum.Num(3)), row(checksum.Str("added")))
			bottom := hostPatch(blocks[2], views[2], low, checksum.Span{From: 1, To: 3})
			beside := hostPatch(blocks[3], views[3], people(5), checksum.Span{From: 5, To: 6})
			if together {
				s.writeAll(top, middle, bottom, beside)
			} else {
				for _, p := range []host.Patch{top, middle, bottom, beside} {
					s.write(p)
				}
			}
			for i, want := range []struct {
				g   *checksum.Grid
				row int
			}{{grown, 3}, {shrunk, 13}, {low, 20}, {people(5), 12}} {
				v := read(t, b, blocks[i], checksum.Extent{})
				holds(t, v, want.g)
				if !v.Marked || v.Anchor.Row != want.row || v.Extent != want.g.Extent() {
					t.Errorf("block %d: row %d, marked %t, %v; want %d, %v", i, v.Anchor.Row, v.Marked, v.Extent, want.row, want.g.Extent())
				}
			}
			b.Editor.DeleteRows(t, b.Sheet, 1, 40)
		})
	}
}

// tearsOthers shifts rows above a block of which only some columns would move.
func tearsOthers(t *testing.T, b Book) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("below", b.Sheet, 20, 4)}, people(4))
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	p := hostPatch(blocks[0], views[0], people(6))
	p.Shifts = []checksum.Shift{{At: 2, Rows: 2}}
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{p})
	wantClass(t, err, placements.Conflict)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	holds(t, read(t, b, blocks[1], checksum.Extent{}), people(4))
}

// tearsUnread shifts rows above a block that the session knows only by its marker.
func tearsUnread(t *testing.T, b Book) { tearsMarked(t, b, "below") }

// tearsMarked does so with a placement of that id.
func tearsMarked(t *testing.T, b Book, id string) {
	t.Helper()
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt(id, b.Sheet, 20, 4)}, people(4))
	s := open(t, b)
	p := hostPatch(blocks[0], s.read(blocks[0], checksum.Extent{}), people(6), checksum.Span{From: 2, To: 4})
	p.Shifts = []checksum.Shift{{At: 2, Rows: 2}}
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{p})
	wantClass(t, err, placements.Conflict)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	holds(t, read(t, b, blocks[1], checksum.Extent{}), people(4))
}
