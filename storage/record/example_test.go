package record_test

import (
	"fmt"

	"mooring/storage/record"
)

// A role that may read a report may not edit it; who created it may do everything.
func ExampleActor_OnReport() {
	grants := []record.RoleAccess{{ID: 7, Actions: []string{record.ActionReportRead}}}
	seller := record.Actor{ID: 3, Roles: []int64{7}}
	fmt.Println(seller.OnReport(1, grants) >= record.MayRead, seller.OnReport(1, grants) >= record.MayEdit)
	fmt.Println(seller.OnReport(3, nil) == record.MayManage)
	// Output:
	// true false
	// true
}
