package overview_test

import (
	"fmt"

	"mooring/web/overview"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(overview.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// GET /api/v1/agents
	// GET /api/v1/revocations
	// POST /api/v1/revocations
	// GET /api/v1/quota
	// GET /api/v1/audit
	// GET /api/v1/deployments/:deploymentId/audit
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/versions
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/versions/:version
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/changes
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/changes/:runId
	// GET /api/v1/deployments/:deploymentId/stats
	// GET /api/v1/deployments/:deploymentId/causes
	// GET /api/v1/deployments/:deploymentId/placements
	// GET /api/v1/deployments/:deploymentId/documents
}
