package runs

import (
	"mooring/web/bulk"
	"mooring/web/request"
)

const atRun = request.AtDeployment + "/refreshes/:runId"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const ofReport = request.AtReport + "/refreshes"
	show, stop := request.On(a.readable, a.show), request.On(a.stoppable, a.stop)
	return []request.Route{
		{
			Method: "POST", Path: ofReport, Scope: request.InDeployment,
			Operation: request.On(a.wanted, a.start), Body: new(startBody), Once: request.Started(a.showStarted),
		},
		{
			Method: "POST", Path: request.AtReport + "/placements/:placementId/changes/:runId/restore", Scope: request.InDeployment,
			Operation: request.On(a.restoring, a.start), Body: new(restoreBody), Once: request.Started(a.showStarted),
		},
		{Method: "GET", Path: ofReport, Scope: request.InDeployment, Operation: request.On(a.report, a.ofReport)},
		{Method: "GET", Path: ofReport + "/:runId", Scope: request.InDeployment, Operation: show},
		{Method: "DELETE", Path: ofReport + "/:runId", Scope: request.InDeployment, Operation: stop},
		{Method: "GET", Path: request.AtDeployment + "/refreshes", Scope: request.InDeployment, Operation: request.Do(a.list)},
		{
			Method: "POST", Path: request.AtDeployment + "/bulk/refreshes", Scope: request.InDeployment,
			Operation: request.If(bulk.May, a.actOnAll), Body: new(bulkBody), Once: request.Kept,
		},
		{Method: "GET", Path: atRun, Scope: request.InDeployment, Operation: show},
		{Method: "DELETE", Path: atRun, Scope: request.InDeployment, Operation: stop},
		{Method: "PUT", Path: atRun + "/lease", Scope: request.InDeployment, Operation: request.On(a.held, a.renew), Body: new(stepBody), Long: true},
		{Method: "POST", Path: atRun + "/plan", Scope: request.InDeployment, Operation: request.On(a.held, a.plan), Body: new(planBody), Long: true},
		{Method: "POST", Path: atRun + "/complete", Scope: request.InDeployment, Operation: request.On(a.held, a.complete), Body: new(completeBody), Long: true},
		{
			Method: "POST", Path: request.AtReport + "/placements/:placementId/preview", Scope: request.InDeployment,
			Operation: request.On(a.report, a.preview), Body: new(previewBody), Long: true,
		},
		{
			Method: "POST", Path: request.AtDocument + "/refreshes", Scope: request.InTenant,
			Operation: request.On(a.placedIn, a.startIn), Body: new(options), Once: request.Kept,
		},
	}
}
