package schedules_test

import (
	"fmt"

	"mooring/web/schedules"
)

// The operations of the room.
func ExampleAPI_Routes() {
	for _, r := range schedules.New(nil, nil, nil).Routes() {
		fmt.Println(r.Method, r.Path)
	}
	// Output:
	// GET /api/v1/deployments/:deploymentId/refresh-schedules
	// POST /api/v1/deployments/:deploymentId/refresh-schedules
	// GET /api/v1/deployments/:deploymentId/refresh-schedules/by-key/:key
	// PUT /api/v1/deployments/:deploymentId/refresh-schedules/by-key/:key
	// GET /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId
	// PUT /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId
	// DELETE /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId
	// POST /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId/pause
	// POST /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId/resume
	// POST /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId/run
	// GET /api/v1/deployments/:deploymentId/refresh-schedules/:scheduleId/runs
	// GET /api/v1/deployments/:deploymentId/ticks
	// POST /api/v1/deployments/:deploymentId/bulk/refresh-schedules
}
