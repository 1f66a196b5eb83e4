package placements_test

import (
	"fmt"

	"mooring/web/placements"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(placements.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// PUT /api/v1/deployments/:deploymentId/reports/:reportId/connect-workbook
	// DELETE /api/v1/deployments/:deploymentId/reports/:reportId/connect-workbook
	// PUT /api/v1/deployments/:deploymentId/reports/:reportId/refresh
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/edits
	// DELETE /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/edits
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/changes
	// GET /api/v1/deployments/:deploymentId/reports/:reportId/placements/:placementId/changes/:runId
	// GET /api/v1/deployments/:deploymentId/placements
	// GET /api/v1/deployments/:deploymentId/causes
	// GET /api/v1/deployments/:deploymentId/documents
	// GET /api/v1/external-documents/:externalWorkbookId/placements
	// GET /api/v1/external-documents/:externalWorkbookId
	// POST /api/v1/external-documents/:externalWorkbookId/link
	// DELETE /api/v1/external-documents/:externalWorkbookId/link
}
