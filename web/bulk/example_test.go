package bulk_test

import (
	"fmt"

	"mooring/web/bulk"
	"mooring/web/request"
)

// Of three runs one is gone: the outcome says which, and why.
func ExampleEffects() {
	out := bulk.NewEffects[string](3)
	if err := out.Refuse("run7", request.NotFound("run")); err != nil {
		fmt.Println(err)
	}
	fmt.Println(out.Count, out.Done, out.Refused[0].ID, out.Refused[0].Code)
	// Output: 3 2 run7 not_found
}
