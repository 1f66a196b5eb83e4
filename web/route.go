package web

import (
	"github.com/gin-gonic/gin"

	"mooring/placements"
	"mooring/web/metrics"
)

// scope says what a route needs before its handler runs.
type scope int

const (
	open         scope = iota // nothing
	inTenant                  // a valid token
	inDeployment              // a valid token for the path's :deploymentId
)

// route is one operation.
type route struct {
	method, path string
	handler      handler
	scope        scope
}

const (
	root         = "/api/v1"
	manifestPath = "/addin/manifest.xml"
	metricsPath  = "/metrics"
	profilesPath = metrics.ProfilesPath + "*profile"
	atDeployment = root + "/deployments/:deploymentId"
	atReport     = atDeployment + "/reports/:reportId"
	atRun        = atDeployment + "/refreshes/:runId"
	atSchedule   = atDeployment + "/refresh-schedules/:scheduleId"
	atWorkbook   = atDeployment + "/workbooks/:workbookId"
	hooksPath    = root + "/hooks/"
	atPairing    = root + "/device/:userCode"
	atDocument   = root + "/external-documents/:externalWorkbookId"
)

func nothingHere() error {
	return placements.Errorf(placements.CodeNoRoute, "There is nothing at this path; see %s/spec for what there is.", root)
}

// handler answers a request; the router answers with its error.
type handler func(*Server, *gin.Context) error
