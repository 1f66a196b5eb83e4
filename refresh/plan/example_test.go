package plan_test

import (
	"fmt"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/plan"
)

func table(people ...string) *checksum.Grid {
	var b checksum.Builder
	b.Append(checksum.Str("city"), checksum.Str("people"))
	for i, city := range []string{"Oslo", "Bergen"} {
		b.Append(checksum.Str(city), checksum.Str(people[i]))
	}
	return b.Grid()
}

// The source changed Oslo, and a person typed over Bergen: only Oslo is written.
func Example() {
	last, stands, ours := table("700", "290"), table("700", "about 300"), table("710", "290")
	changes, fault := plan.Decide(plan.Input{
		Last: plan.After(plan.Memory{Rows: last.Block(), Header: last.Cells(0, nil)}),
		View: plan.View{Marked: true, Sheet: "Sheet1", Extent: stands.Extent(), Cells: stands},
		Ours: ours, Block: ours.Block(), OnEdit: placements.Keep,
	})
	if fault != nil {
		fmt.Println(fault.Message)
		return
	}
	fmt.Println("rows to write:", changes.Rows)
	for _, e := range changes.Edits {
		fmt.Printf("%s in row %d: %v, the source has %v\n", e.Name, e.Row, e.Yours, e.Source)
	}
	// Output:
	// rows to write: [{1 2}]
	// people in row 2: about 300, the source has 290
}
