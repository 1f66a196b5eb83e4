package formula

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"mooring/placements"
)

// TestRouteIsItsShifts follows cells and areas by shifts one after the other, and by their route.
func TestRouteIsItsShifts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawRoute(t)
		route := list.Route()
		for range 20 {
			top, left := rapid.IntRange(0, 40).Draw(t, "top"), rapid.IntRange(0, 5).Draw(t, "left")
			if rapid.IntRange(0, 9).Draw(t, "end") == 0 {
				top = placements.MaxRow - top
			}
			area := placements.Rect{Top: top, Left: left, Bottom: min(top+rapid.IntRange(0, 20).Draw(t, "rows"), placements.MaxRow), Right: left + 1}
			if rapid.IntRange(0, 9).Draw(t, "open") == 0 {
				area.Bottom = placements.MaxRow
			}
			at := Place{Sheet: "S", Row: rapid.IntRange(-1, 40).Draw(t, "at"), Column: rapid.IntRange(0, 5).Draw(t, "column")}
			same := func(what string, want, got any) {
				if want != got {
					t.Fatalf("%s of %+v at %+v by %+v: %v, want %v", what, area, at, list, got, want)
				}
			}
			same("Touches", list.Touches("s", area), route.Touches("s", area))
			same("Grows", list.Grows("s", area), route.Grows("s", area))
			for _, g := range []growth{{}, {ranges: true}, {ranges: true, topFixed: true}, {ranges: true, topFixed: true, bottomFixed: true}} {
				want, ok := list.follow("s", area, at, g)
				got, ok2 := route.follow("s", area, at, g)
				same(fmt.Sprintf("%+v", g), fmt.Sprint(want, ok), fmt.Sprint(got, ok2))
			}
			row, ok := list.Cell("S", top, left)
			row2, ok2 := route.Cell("S", top, left)
			same("Cell", fmt.Sprint(row, ok), fmt.Sprint(row2, ok2))
		}
	})
}

// drawRoute draws shifts in a block, of the same columns or not.
func drawRoute(t *rapid.T) (list Shifts) {
	block := placements.Rect{Top: rapid.IntRange(0, 5).Draw(t, "block"), Left: 1, Right: 3}
	block.Bottom = block.Top + rapid.IntRange(1, 30).Draw(t, "size")
	for range rapid.IntRange(1, 12).Draw(t, "shifts") {
		s := CellShift{Sheet: "S", Left: 1, Right: 3, Row: rapid.IntRange(0, 40).Draw(t, "row"), Rows: rapid.IntRange(-4, 4).Draw(t, "n"), Block: block}
		if s.Rows == 0 {
			s.Rows = 1
		}
		switch rapid.IntRange(0, 12).Draw(t, "kind") {
		case 0:
			s.Right = 5
		case 1:
			s.Sheet = "Other"
		}
		block.Bottom += s.Rows
		list = append(list, s)
	}
	return list
}
