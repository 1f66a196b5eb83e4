package account_test

import (
	"fmt"

	"mooring/web/account"
)

// Where browsers arrive, beside the operations of the room.
func ExampleAPI_Pages() {
	for _, r := range account.New(account.Config{}).Pages() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// GET /
	// GET /console/signin
	// GET /console/signed-in
}
