package placements_test

import (
	"testing"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestRect(t *testing.T) {
	rect := func(top, left, bottom, right int) placements.Rect {
		return placements.Rect{Top: top, Left: left, Bottom: bottom, Right: right}
	}
	for _, tc := range []struct {
		fact string
		p    placements.Placement
		want placements.Rect
		ok   bool
	}{
		{
			"from the anchor to the end",
			placements.Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", EndResultCell: "D20"},
			rect(1, 1, 19, 3), true,
		},
		{"the anchor alone", placements.Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2"}, rect(1, 1, 1, 1), true},
		{
			"the range of the location",
			placements.Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", ResultLocation: "S!B2:C3"},
			rect(1, 1, 2, 2), true,
		},
		{
			"not a range that begins elsewhere",
			placements.Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", ResultLocation: "S!A1:C3"},
			rect(1, 1, 1, 1), true,
		},
		{
			"an end before the anchor counts as one cell",
			placements.Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", EndResultCell: "A9"},
			rect(1, 1, 1, 1), true,
		},
		{"a record with only a location", placements.Placement{WorkbookID: "d", ResultLocation: "S!B2:C3"}, rect(1, 1, 2, 2), true},
		{"no sheet, no rectangle", placements.Placement{WorkbookID: "d", AnchorCell: "B2"}, placements.Rect{}, false},
		{"no anchor, no rectangle", placements.Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "?"}, placements.Rect{}, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			got, ok := tc.p.Rect()
			if got != tc.want || ok != tc.ok {
				t.Errorf("Rect = %v, %t, want %v, %t", got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestOverlaps(t *testing.T) {
	for _, tc := range placementstest.Overlaps() {
		t.Run(tc.Fact, func(t *testing.T) {
			if got := placements.Overlaps(placementstest.Base(), tc.Other); got != tc.Want {
				t.Errorf("Overlaps = %t, want %t", got, tc.Want)
			}
			if got := placements.Overlaps(tc.Other, placementstest.Base()); got != tc.Want {
				t.Errorf("the other way round = %t, want %t", got, tc.Want)
			}
		})
	}
}
