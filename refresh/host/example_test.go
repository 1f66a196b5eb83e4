package host_test

import (
	"fmt"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// The marker of a placement is a defined name, which spreadsheet programs move with the cells that it covers.
func ExampleMarkerName() {
	fmt.Println(host.MarkerName("orders"))
	fmt.Println(host.Reference("Q1's", placements.Anchor{Row: 1, Column: 1}, checksum.Extent{Rows: 4, Columns: 3}))
	// Output:
	// _mooring_orders
	// 'Q1''s'!$B$2:$D$5
}
