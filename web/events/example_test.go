package events_test

import (
	"fmt"

	"mooring/web/events"
)

// The operation of the room.
func ExampleAPI_Routes() {
	for _, r := range events.New(nil, nil, nil, nil).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output: GET /api/v1/deployments/:deploymentId/events
}
