package runs_test

import (
	"fmt"

	"mooring/web/runs"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(runs.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// POST /api/v1/deployments/:deploymentId/reports/:reportId/refreshes
	// POST /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/changes/:runId/restore
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/refreshes
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/refreshes/:runId
	// DELETE /api/v1/deployments/:deploymentId/reports/:reportId/refreshes/:runId
	// GET /api/v1/deployments/:deploymentId/refreshes
	// POST /api/v1/deployments/:deploymentId/bulk/refreshes
	// GET /api/v1/deployments/:deploymentId/refreshes/:runId
	// DELETE /api/v1/deployments/:deploymentId/refreshes/:runId
	// PUT /api/v1/deployments/:deploymentId/refreshes/:runId/lease
	// POST /api/v1/deployments/:deploymentId/refreshes/:runId/plan
	// POST /api/v1/deployments/:deploymentId/refreshes/:runId/complete
	// POST /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/preview
	// POST /api/v1/external-documents/:externalWorkbookId/refreshes
}
