package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// followsRows finds the block again after rows were inserted above it, and writes it there.
func followsRows(t *testing.T, b Spreadsheet) {
	surround(t, b)
	block := place(t, b, b.block(), people(3))
	b.Editor.InsertRows(t, b.Sheet, 2, 5)
	s := open(t, b)
	v := s.read(b.block(), checksum.Extent{})
	moved := placements.Anchor{Row: anchor.Row + 5, Column: anchor.Column}
	if !v.Marked || v.Anchor != moved || v.Extent != people(3).Extent() {
		t.Fatalf("found at %s, marked %t, %+v; want %s, marked, %+v", v.Anchor, v.Marked, v.Extent, moved, people(3).Extent())
	}
	holds(t, v, people(3))
	s.write(patchAll(block, v, people(4)))
	v = read(t, b, b.block(), checksum.Extent{})
	holds(t, v, people(4))
	if v.Anchor != moved {
		t.Errorf("stands at %s after writing, want %s", v.Anchor, moved)
	}
	wantCell(t, b, b.Sheet, "C8", checksum.Str("above"), "")
	wantCell(t, b, b.Sheet, "D15", checksum.Str("below"), "")
}

// growsWithRows covers rows that were inserted inside the block, and fewer when rows of it were deleted.
func growsWithRows(t *testing.T, b Spreadsheet) {
	place(t, b, b.block(), people(3))
	b.Editor.InsertRows(t, b.Sheet, 6, 2)
	v := read(t, b, b.block(), checksum.Extent{})
	if want := (checksum.Extent{Rows: 6, Columns: 3}); v.Extent != want {
		t.Errorf("marker covers %+v, want %+v", v.Extent, want)
	}
	old := people(3)
	holds(t, v, grid(cells(old, 0), cells(old, 1), row(), row(), cells(old, 2), cells(old, 3)))
	b.Editor.DeleteRows(t, b.Sheet, 5, 3)
	v = read(t, b, b.block(), checksum.Extent{})
	holds(t, v, grid(cells(old, 0), cells(old, 2), cells(old, 3)))
	if want := (checksum.Extent{Rows: 3, Columns: 3}); v.Extent != want {
		t.Errorf("marker covers %+v, want %+v", v.Extent, want)
	}
}

func followsSheetName(t *testing.T, b Spreadsheet) {
	place(t, b, b.block(), people(2))
	const name = "It's 2026 – new"
	b.Editor.RenameSheet(t, b.Sheet, name)
	s := open(t, b)
	v := s.read(b.block(), checksum.Extent{})
	if !v.Marked || v.Sheet != name || v.Anchor != anchor {
		t.Fatalf("found at %s!%s, marked %t; want %s!%s, marked", v.Sheet, v.Anchor, v.Marked, name, anchor)
	}
	s.write(patchAll(b.block(), v, people(3)))
	holds(t, read(t, b, b.block(), checksum.Extent{}), people(3))
}

// losesSheet treats a marker whose sheet was deleted as none.
func losesSheet(t *testing.T, b Spreadsheet) {
	block := place(t, b, b.block(), people(2))
	v := read(t, b, block, checksum.Extent{})
	b.Editor.DeleteSheet(t, b.Sheet)
	_, err := tryRead(t.Context(), b, block, checksum.Extent{})
	wantClass(t, err, placements.Structure)
	wantClass(t, tryWrite(t.Context(), b, patchAll(block, v, people(3))), placements.Structure)
}

// adopts marks a block whose cells stand already, and writes no cell.
func adopts(t *testing.T, b Spreadsheet) {
	b.Editor.Set(t, b.Sheet, "C4", checksum.Str("name"))
	b.Editor.Set(t, b.Sheet, "C5", checksum.Str("x"))
	g := grid(row(checksum.Str("name")), row(checksum.Str("x")))
	s := open(t, b)
	v := s.read(b.block(), g.Extent())
	if w := s.write(hostPatch(b.block(), v, g)); w.Rows != 0 || w.Cells != 0 {
		t.Errorf("wrote %+v, want no cells", w)
	}
	v = read(t, b, b.block(), checksum.Extent{})
	if !v.Marked || v.Extent != g.Extent() {
		t.Errorf("got Marked %t, Extent %+v, want the block marked", v.Marked, v.Extent)
	}
	holds(t, v, g)
}

// tellsApart keeps placements apart whose ids differ in case or in characters that no name may hold.
func tellsApart(t *testing.T, b Spreadsheet) {
	ids := []string{"abc", "ABC", "a-b", "a.b", "a_b", "a__b", "a b", "ä", "1", "x.2d", "x-", "0190c7e2-7f5e-7c8a-9c62-2f7d1c1a0b11"}
	blocks := make([]host.Block, len(ids))
	for i, id := range ids {
		blocks[i] = b.block()
		blocks[i].PlacementID = id
		blocks[i].Anchor = placements.Anchor{Row: 3 * i, Column: 1}
		place(t, b, blocks[i], grid(row(checksum.Str(id)), row(checksum.Num(float64(i)))))
	}
	for i, block := range blocks {
		block.Anchor = placements.Anchor{Row: 100, Column: 100}
		v := read(t, b, block, checksum.Extent{})
		if !v.Marked || v.Anchor != blocks[i].Anchor {
			t.Errorf("placement %q found at %s, marked %t; want %s", ids[i], v.Anchor, v.Marked, blocks[i].Anchor)
			continue
		}
		holds(t, v, grid(row(checksum.Str(ids[i])), row(checksum.Num(float64(i)))))
	}
}

// takesOver writes a block that was placed elsewhere since its marker was set: it is read without the marker, which then follows.
func takesOver(t *testing.T, b Spreadsheet) {
	place(t, b, b.block(), people(3))
	elsewhere := b.blockAt(b.block().PlacementID, b.Sheet, 20, 4)
	unnamed := elsewhere
	unnamed.PlacementID = ""
	s := open(t, b)
	v := s.read(unnamed, people(2).Extent())
	if v.Marked || v.Anchor != elsewhere.Anchor {
		t.Errorf("found at %s, marked %t; want %s, not marked", v.Anchor, v.Marked, elsewhere.Anchor)
	}
	s.write(patchAll(elsewhere, v, people(2)))
	s.write(patchAll(elsewhere, v, people(4)))
	v = read(t, b, b.block(), checksum.Extent{})
	if !v.Marked || v.Anchor != elsewhere.Anchor || v.Extent != people(4).Extent() {
		t.Errorf("found at %s, marked %t, %+v; want %s, true, %+v", v.Anchor, v.Marked, v.Extent, elsewhere.Anchor, people(4).Extent())
	}
	holds(t, v, people(4))
	wantCell(t, b, b.Sheet, "C5", checksum.Str("a-person"), "")
}
