package hooks_test

import (
	"fmt"

	"mooring/web/hooks"
)

// The operation of the room.
func ExampleAPI_Routes() {
	for _, r := range new(hooks.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output: POST /api/v1/hooks/:hookId
}
