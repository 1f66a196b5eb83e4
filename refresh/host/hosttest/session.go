package hosttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// blockAt is another block of the document.
func (b Book) blockAt(id, sheet string, row, column int) host.Block {
	return host.Block{Document: b.Document, PlacementID: id, Sheet: sheet, Anchor: placements.Anchor{Row: row, Column: column}}
}

// placeAll writes a table to each block in one session and returns the blocks where they then stand.
func placeAll(t *testing.T, b Book, blocks []host.Block, g *checksum.Grid) []host.Block {
	t.Helper()
	placed := make([]host.Block, len(blocks))
	for i, block := range blocks {
		placed[i] = place(t, b, block, g)
	}
	return placed
}

func wants(blocks []host.Block) []host.Wanted {
	wanted := make([]host.Wanted, len(blocks))
	for i, block := range blocks {
		wanted[i].Block = block
	}
	return wanted
}

// several reads and writes blocks that stand one below the other, beside each other and on another sheet.
func several(t *testing.T, b Book) {
	surround(t, b)
	blocks := placeAll(t, b, []host.Block{
		b.blockAt("below", b.Sheet, 20, 2), b.block(), b.blockAt("beside", b.Sheet, 3, 8), b.blockAt("elsewhere", b.Other, 0, 0),
	}, people(3))
	s := open(t, b)
	wanted := wants(blocks)
	for i := range wanted {
		wanted[i].Extent = people(3).Extent()
	}
	views := s.readAll(wanted...)
	var patches []host.Patch
	for i, v := range views {
		if calls := boolInt(i == 0); v.Calls != calls || !v.Marked {
			t.Errorf("block %d: %d calls, marked %t; want %d, true", i, v.Calls, v.Marked, calls)
		}
		holds(t, v, people(3))
		patches = append(patches, hostPatch(blocks[i], v, people(4+i%2), checksum.Span{From: 4, To: 5 + i%2}))
	}
	for i, w := range s.writeAll(patches...) {
		if want := (host.Written{Rows: 1 + i%2, Cells: 3 + 3*(i%2), Calls: boolInt(i == 0)}); !cmp.Equal(want, w) {
			t.Errorf("block %d: wrote %+v, want %+v", i, w, want)
		}
	}
	for i, v := range open(t, b).readAll(wants(blocks)...) {
		holds(t, v, people(4+i%2))
		if want := people(4 + i%2).Extent(); v.Extent != want || v.Anchor != blocks[i].Anchor {
			t.Errorf("block %d: at %s, %+v; want %s, %+v", i, v.Anchor, v.Extent, blocks[i].Anchor, want)
		}
	}
	stillSurrounded(t, b)
}

// sideBySide changes the same rows of two blocks, and rows of one that the other clears or does not have, with cells of others between.
func sideBySide(t *testing.T, b Book) {
	blocks := placeAll(t, b, []host.Block{b.blockAt("right", b.Sheet, 2, 6), b.blockAt("left", b.Sheet, 3, 1)}, people(4))
	b.Editor.Set(t, b.Sheet, "F6", checksum.Str("between"))
	b.Editor.Set(t, b.Sheet, "K4", checksum.Str("cleared beyond the other"))
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	right := hostPatch(blocks[0], views[0], people(2), checksum.Span{From: 1, To: 3})
	right.Clear = []checksum.CellRect{{Row: 3, Rows: 2, Columns: 3}}
	changed := grid(row(checksum.Str("one")), row(checksum.Str("two"), checksum.Num(2)), row(),
		row(checksum.Str("four")), row(checksum.Str("five")), row(checksum.Str("six")))
	left := hostPatch(blocks[1], views[1], changed, checksum.Span{From: 0, To: 6})
	left.Clear = []checksum.CellRect{{Column: 2, Rows: 5, Columns: 1}, {Column: 9, Rows: 1, Columns: 1}}
	s.writeAll(right, left)
	views = open(t, b).readAll(wants(blocks)...)
	holds(t, views[0], people(2))
	holds(t, views[1], changed)
	wantCell(t, b, b.Sheet, "F6", checksum.Str("between"), "")
	wantCell(t, b, b.Sheet, "I7", checksum.Cell{}, "")
	wantCell(t, b, b.Sheet, "K4", checksum.Cell{}, "")
	wantCell(t, b, b.Sheet, "D5", checksum.Cell{}, "")
}

// readsOver reads rectangles of which some lie over others, two of them from the same cell.
func readsOver(t *testing.T, b Book) {
	place(t, b, b.block(), people(5))
	b.Editor.SetFormula(t, b.Sheet, "D5", "1+1", checksum.Num(2))
	wanted := []host.Wanted{
		{Block: b.blockAt("small", b.Sheet, 3, 2), Extent: checksum.Extent{Rows: 2, Columns: 2}},
		{Block: b.blockAt("large", b.Sheet, 3, 2), Extent: checksum.Extent{Rows: 6, Columns: 3}},
		{Block: b.blockAt("inside", b.Sheet, 4, 3), Extent: checksum.Extent{Rows: 1, Columns: 1}},
	}
	views := open(t, b).readAll(wanted...)
	old := people(5)
	second := row(checksum.Str("a-person"), checksum.Num(2), checksum.Bool(true))
	holds(t, views[0], grid(cells(old, 0)[:2], second[:2]))
	holds(t, views[1], grid(cells(old, 0), second, cells(old, 2), cells(old, 3), cells(old, 4), cells(old, 5)))
	holds(t, views[2], grid(second[1:2]))
	for i, at := range []host.Position{{Row: 1, Column: 1}, {Row: 1, Column: 1}, {}} {
		if diff := cmp.Diff([]host.Formula{{Position: at, Text: "=1+1"}}, views[i].Formulas); diff != "" {
			t.Errorf("formulas of rectangle %d (-want +got):\n%s", i, diff)
		}
	}
}

// tooLong is a text that no cell of any host holds.
var tooLong = strings.Repeat("x", 60_000)

// refused writes nothing of a Write of which one patch is refused. One by one only that fails.
func refused(t *testing.T, b Book) {
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("bad", b.Sheet, 20, 2), b.blockAt("good", b.Other, 0, 0)}, people(2))
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	patches := []host.Patch{
		patchAll(blocks[0], views[0], people(5)),
		patchAll(blocks[1], views[1], grid(row(checksum.Str(tooLong)))),
		patchAll(blocks[2], views[2], people(5)),
	}
	state := b.State(t)
	_, err := s.Write(t.Context(), patches)
	wantClass(t, err, placements.Permanent)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	for i, p := range patches {
		_, err := s.Write(t.Context(), []host.Patch{p})
		if i == 1 {
			wantClass(t, err, placements.Permanent)
		} else if err != nil {
			t.Errorf("patch %d: %v (%v)", i, err, errors.Unwrap(err))
		}
	}
	for i, want := range []*checksum.Grid{people(5), people(2), people(5)} {
		holds(t, read(t, b, blocks[i], checksum.Extent{}), want)
	}
}

// writesTwice goes on where its own write left the document, with another read and without.
func writesTwice(t *testing.T, b Book) {
	s := open(t, b)
	block := b.block()
	v := s.read(block, people(2).Extent())
	s.write(patchAll(block, v, people(2)))
	s.write(patchAll(block, v, people(4)))
	v = s.read(block, checksum.Extent{})
	holds(t, v, people(4))
	if !v.Marked || v.Extent != people(4).Extent() {
		t.Errorf("got Marked %t, Extent %+v", v.Marked, v.Extent)
	}
	other := b.blockAt("other", b.Other, 5, 5)
	s.writeAll(patchAll(block, v, people(5)), patchAll(other, s.read(other, people(1).Extent()), people(1)))
	holds(t, read(t, b, block, checksum.Extent{}), people(5))
	holds(t, read(t, b, other, checksum.Extent{}), people(1))
}

// changedBetween inserts rows between two writes of a session, which a host without conditional writes notices too: the marker moved.
func changedBetween(t *testing.T, b Book) {
	block := place(t, b, b.block(), people(3))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	s.write(patchAll(block, v, people(4)))
	b.Editor.InsertRows(t, b.Sheet, 2, 1)
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{patchAll(block, v, people(5))})
	wantClass(t, err, placements.Transient)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	v = read(t, b, block, checksum.Extent{})
	holds(t, v, people(4))
}

// oneSheetMissing names the sheet in what was found of its own block only.
func oneSheetMissing(t *testing.T, b Book) {
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("other", b.Other, 5, 5)}, people(2))
	gone := b.blockAt("gone", "No such sheet", 0, 0)
	s := open(t, b)
	found, err := s.Read(t.Context(), wants([]host.Block{blocks[0], gone, blocks[1]}))
	if err != nil {
		t.Fatalf("Read: %v (%v)", err, errors.Unwrap(err))
	}
	wantClass(t, found[1].Err, placements.Structure)
	if !strings.Contains(found[1].Err.Error(), gone.Sheet) {
		t.Errorf("%q does not name the sheet", found[1].Err)
	}
	for i, at := range []int{0, 2} {
		if found[at].Err != nil {
			t.Fatalf("block %d: %v", i, found[at].Err)
		}
		holds(t, found[at].View, people(2))
	}
	s.writeAll(patchAll(blocks[0], found[0].View, people(3)), patchAll(blocks[1], found[2].View, people(3)))
	for _, block := range blocks {
		holds(t, read(t, b, block, checksum.Extent{}), people(3))
	}
}

// overlapping patches would leave to chance what stands in the end.
func overlapping(t *testing.T, b Book) {
	blocks := []host.Block{b.block(), b.blockAt("over", b.Sheet, 5, 4)}
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{patchAll(blocks[0], views[0], people(4)), patchAll(blocks[1], views[1], people(1))})
	if err == nil || b.State(t) != state {
		t.Errorf("Write: %v, and the document is %s; want an error, and %s", err, b.State(t), state)
	}
}
