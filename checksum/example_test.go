package checksum_test

import (
	"fmt"

	"mooring/checksum"
)

// One of three rows differs: that is all a refresh writes.
func ExampleDiff() {
	table := func(amount float64) *checksum.Grid {
		var b checksum.Builder
		b.Append(checksum.Str("region"), checksum.Str("amount"))
		b.Append(checksum.Str("north"), checksum.Num(amount))
		b.Append(checksum.Str("south"), checksum.Num(7))
		return b.Grid()
	}
	plan := checksum.Diff(table(5).Block(), table(6).Block())
	fmt.Println(plan.Rows, plan.Written())
	// Output: [{1 2}] 1
}
