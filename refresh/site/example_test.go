package site_test

import (
	"fmt"

	"mooring/placements"
	"mooring/refresh/site"
)

// A tenant with two hosts of a kind names one of them in the id of a document, and in its lock.
func Example() {
	all := &site.Locator{Hosts: map[string][]site.Provider{
		"acme": {{Name: "desk", Kind: placements.SheetsB}, {Name: "share", Kind: placements.SheetsB}},
	}}
	ref := all.Of("acme", placements.Placement{Host: placements.SheetsB, WorkbookID: "share:plan.xlsx"})
	fmt.Println(ref.ID, ref.Where(), all.LockName(ref))
	// Output:
	// plan.xlsx share share:plan.xlsx
}
