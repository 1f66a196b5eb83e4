package keys_test

import (
	"fmt"

	"mooring/storage/keys"
	"mooring/storage/record"
)

// The hash tag of a tenant's keys is that of the tenant's partition.
func ExampleOf() {
	k := keys.Of(record.Deployment{Tenant: "acme", ID: 1}, 16)
	fmt.Println(k.Report(7))
	fmt.Println(k.Due(), k.DueSchedule(3))
	// Output:
	// mooring:{p15}:t:acme:d:1:report:7
	// mooring:{p15}:due s:acme:1:3
}
