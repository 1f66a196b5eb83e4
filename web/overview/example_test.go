package overview_test

import (
	"fmt"

	"mooring/web/overview"
)

// The operations of the room, the first of which lists the agents.
func ExampleAPI_Routes() {
	r := new(overview.API).Routes()[0]
	fmt.Println(r.Method, r.Path)
	// Output: GET /api/v1/agents
}
