package formula_test

import (
	"fmt"

	"mooring/refresh/host/formula"
)

// A formula names cells relative to where it stands, unless a $ fixes them: moved two rows down it names cells two rows below.
func Example() {
	parts := formula.Cut("SUM(Data!B2:B9)*$A$1")
	moved, ok := formula.Move(parts, 2, 0)
	fmt.Println(moved, ok)
	for _, r := range formula.References("SUM(Data!B2:B9)*$A$1") {
		fmt.Printf("%q %v\n", r.Sheet, r.Area)
	}
	// Output:
	// SUM(Data!B4:B11)*$A$1 true
	// "Data" {1 1 8 1}
	// "" {0 0 0 0}
}

// Twelve rows inserted in the middle of a sheet's columns: the range grows, and what stands above stays.
func ExampleRewriter() {
	r := formula.Rewriter{By: formula.Shifts{{Sheet: "Data", Left: 1, Right: 4, Row: 9, Rows: 12}}}
	fmt.Println(r.Rewrite("=SUM(Data!B2:B20)/Data!$B$4", formula.Place{Sheet: "Summary"}))
	// Output:
	// =SUM(Data!B2:B32)/Data!$B$4 <nil>
}
