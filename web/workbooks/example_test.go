package workbooks_test

import (
	"fmt"

	"mooring/web/workbooks"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range new(workbooks.API).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// GET /api/v1/deployments/:deploymentId/workbooks
	// POST /api/v1/deployments/:deploymentId/workbooks
	// GET /api/v1/deployments/:deploymentId/workbooks/by-slug/:slug
	// PUT /api/v1/deployments/:deploymentId/workbooks/by-slug/:slug
	// GET /api/v1/deployments/:deploymentId/workbooks/:workbookId
	// PUT /api/v1/deployments/:deploymentId/workbooks/:workbookId
	// DELETE /api/v1/deployments/:deploymentId/workbooks/:workbookId
	// PUT /api/v1/deployments/:deploymentId/workbooks/:workbookId/dashboard
	// POST /api/v1/deployments/:deploymentId/workbooks/:workbookId/publish
}
