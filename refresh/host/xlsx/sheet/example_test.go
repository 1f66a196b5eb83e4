package sheet_test

import (
	"fmt"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

func ExampleNewPatches() {
	anchor := placements.Anchor{Row: 1, Column: 1}
	block := sheet.NewBlockPatch(host.Patch{
		Block:  host.Block{Sheet: "Summary", Anchor: anchor},
		Extent: checksum.Extent{Rows: 3, Columns: 2},
		Rows:   []checksum.Span{{From: 1, To: 3}},
	}, anchor, checksum.Extent{}, nil)
	patches := sheet.NewPatches("book.xlsx", part.Sheet{Name: "Summary"}, []*sheet.BlockPatch{block})
	fmt.Println(patches.Touches(placements.Rect{Top: 1, Bottom: 1, Left: 1, Right: 9})) // B2:J2
	fmt.Println(patches.Touches(placements.Rect{Top: 2, Bottom: 2, Left: 2, Right: 9})) // C3:J3
	// Output:
	// false
	// true
}
