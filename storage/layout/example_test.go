package layout_test

import (
	"fmt"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
)

// Indexes name a placement by its deployment, its report and its slot: its id, if it has one.
func ExampleMemberName() {
	at := layout.PositionOf(placements.Placement{ID: "p1", WorkbookID: "book", SheetName: "Sales", AnchorCell: "B2"})
	k := keys.Of(record.Deployment{Tenant: "acme", ID: 1}, 16)
	fmt.Println(layout.MemberName(k, 7, at.Slot))
	// Output: 1:7:p1
}
