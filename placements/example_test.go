package placements_test

import (
	"fmt"

	"mooring/placements"
)

func ExampleParseLocation() {
	l, err := placements.ParseLocation("'Q1''s'!$B$2:D20")
	fmt.Println(l.Sheet, l.Anchor, l.Rows, l.Columns, err)
	_, err = placements.ParseLocation("Sheet1!B")
	fmt.Println(err != nil)
	// Output:
	// Q1's B2 19 3 <nil>
	// true
}
