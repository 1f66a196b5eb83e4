package link_test

import (
	"fmt"

	"mooring/placements"
	"mooring/refresh/link"
)

// Where no host has documents of a kind, users are told who helps.
func Example() {
	fmt.Println(link.NoHost(placements.SheetsA))
	// Output:
	// No agent reaches Google spreadsheets here: refresh it while it is open, or ask who runs Mooring to configure a spreadsheet host for them.
}
