package reports

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const (
		all          = request.AtDeployment + "/reports"
		byPublicID   = all + "/by-public-id/:publicId"
		one          = request.AtReport
		inDeployment = request.InDeployment
	)
	return []request.Route{
		{Method: "GET", Path: all, Scope: inDeployment, Operation: request.Do(a.list)},
		{Method: "POST", Path: all, Scope: inDeployment, Operation: request.If(mayCreate, a.create), Body: new(reportBody), Once: request.Made(a.showMade)},
		{Method: "GET", Path: byPublicID, Scope: inDeployment, Operation: request.On(a.byPublicID, a.show)},
		{Method: "PUT", Path: byPublicID, Scope: inDeployment, Operation: request.Do(a.upsert), Body: new(reportBody)},
		{Method: "GET", Path: one, Scope: inDeployment, Operation: request.On(a.report, a.show)},
		{Method: "PUT", Path: one, Scope: inDeployment, Operation: request.Do(a.update), Body: new(reportBody)},
		{Method: "DELETE", Path: one, Scope: inDeployment, Operation: request.Do(a.remove)},
		{Method: "PUT", Path: one + "/access", Scope: inDeployment, Operation: request.Do(a.setAccess), Body: new(accessBody)},
		{Method: "POST", Path: one + "/result", Scope: inDeployment, Operation: request.On(a.report, a.result), Body: new(resultBody), Long: true},
		{Method: "GET", Path: one + "/versions", Scope: inDeployment, Operation: request.Do(a.versions)},
		{Method: "GET", Path: one + "/versions/:version", Scope: inDeployment, Operation: request.Do(a.version)},
	}
}
