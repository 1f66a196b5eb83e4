package authoring_test

import (
	"fmt"

	"mooring/web/authoring"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(authoring.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// GET /api/v1/deployments/:deploymentId/catalog
	// POST /api/v1/deployments/:deploymentId/previews
}
