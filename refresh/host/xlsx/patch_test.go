package xlsx

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

func TestPatchTouchesAndCovers(t *testing.T) {
	// Two columns from B2 on: rows 2, 3 and 6 are written, D2:D3 and B8:C9 are cleared.
	x := newSheetPatch(host.Patch{
		Block:  host.Block{Anchor: placements.Anchor{Row: 1, Column: 1}},
		Rows:   []checksum.Span{{From: 4, To: 5}, {From: 0, To: 1}, {From: 1, To: 2}, {From: 3, To: 3}},
		Extent: checksum.Extent{Rows: 5, Columns: 2},
		Clear:  []checksum.CellRect{{Row: 0, Column: 2, Rows: 2, Columns: 1}, {Row: 6, Rows: 2, Columns: 2}, {Row: 20, Rows: 1}},
	})
	for area, want := range map[string]struct{ touches, covers bool }{
		"B2:C3": {true, true},
		"B2:B3": {true, true},
		"C3:C6": {true, false},
		"B6":    {true, true},
		"B4:C5": {false, false},
		"B7:C7": {false, false},
		"A1:A9": {false, false},
		"D2:D3": {true, true},
		"C2:D3": {true, false}, // from two rectangles side by side
		"B8:C9": {true, true},
		"B9:C9": {true, true},
		"C9:D9": {true, false},
		"B22":   {false, false},
		"A1:Z9": {true, false},
	} {
		l, err := placements.ParseLocation(area)
		if err != nil {
			t.Fatal(err)
		}
		r := placements.Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: l.End().Row, Right: l.End().Column}
		if got := x.touches(r); got != want.touches {
			t.Errorf("%s: touched %t, want %t", area, got, want.touches)
		}
		if got := x.covers(r); got != want.covers {
			t.Errorf("%s: covered %t, want %t", area, got, want.covers)
		}
	}
	var rows []int
	s := newPartPatch("", sheet{}, []*sheetPatch{x})
	for row, ok := s.from(0); ok; row, ok = s.from(row + 1) {
		rows = append(rows, row+1)
	}
	if want := []int{2, 3, 6, 8, 9}; len(rows) != len(want) || rows[0] != 2 || rows[2] != 6 || rows[4] != 9 {
		t.Errorf("touched rows %v, want %v", rows, want)
	}
}
