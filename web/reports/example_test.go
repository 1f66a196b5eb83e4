package reports_test

import (
	"fmt"

	"mooring/web/reports"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(reports.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// GET /api/v1/deployments/:deploymentId/reports
	// POST /api/v1/deployments/:deploymentId/reports
	// GET /api/v1/deployments/:deploymentId/reports/by-public-id/:publicId
	// PUT /api/v1/deployments/:deploymentId/reports/by-public-id/:publicId
	// GET /api/v1/deployments/:deploymentId/reports/:reportId
	// PUT /api/v1/deployments/:deploymentId/reports/:reportId
	// DELETE /api/v1/deployments/:deploymentId/reports/:reportId
	// PUT /api/v1/deployments/:deploymentId/reports/:reportId/access
	// POST /api/v1/deployments/:deploymentId/reports/:reportId/result
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/versions
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/versions/:version
}
