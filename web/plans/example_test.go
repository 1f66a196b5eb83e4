package plans_test

import (
	"fmt"

	"mooring/web/plans"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(plans.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// POST /api/v1/deployments/:deploymentId/plans
	// GET /api/v1/deployments/:deploymentId/plans/:planId
	// POST /api/v1/deployments/:deploymentId/plans/:planId/apply
	// GET /api/v1/deployments/:deploymentId/managed
}
