package access_test

import (
	"fmt"

	"mooring/storage/record"
	"mooring/web/access"
)

// What may not be read is not found: nothing tells it from what does not exist.
func ExampleDemand() {
	fmt.Println(access.Demand(record.MayNothing, record.MayEdit, "report"))
	fmt.Println(access.Demand(record.MayRead, record.MayEdit, "report"))
	fmt.Println(access.Demand(record.MayManage, record.MayEdit, "report"))
	// Output:
	// No such report here, or this token may not read it: check the id, and the roles and actions of the token.
	// This token may read the report but not change it: ask for a token with more actions.
	// <nil>
}
