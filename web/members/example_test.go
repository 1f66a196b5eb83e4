package members_test

import (
	"fmt"

	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
)

// A body that holds what a report means names those members once, wherever it stands.
func ExampleDefinition() {
	var in record.ReportInput
	faults, err := bind.Read([]byte(`{"name":"Sales","rowKey":["region","region"],"folderId":0}`), bind.BodyOptions{},
		func(o *bind.Object) { members.Definition(o, &in) })
	fmt.Println(in.Name.OrZero(), err)
	for _, f := range faults {
		fmt.Println(f.Pointer, f.Code)
	}
	// Output:
	// Sales <nil>
	// /rowKey/1 invalid_request
	// /folderId invalid_request
}
