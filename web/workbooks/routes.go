package workbooks

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const (
		all          = request.AtDeployment + "/workbooks"
		one          = all + "/:workbookId"
		bySlug       = all + "/by-slug/:slug"
		inDeployment = request.InDeployment
	)
	return []request.Route{
		{Method: "GET", Path: all, Scope: inDeployment, Operation: request.Do(a.list)},
		{Method: "POST", Path: all, Scope: inDeployment, Operation: request.If(mayCreate, a.create), Body: new(workbookBody), Once: request.Made(a.showMade)},
		{Method: "GET", Path: bySlug, Scope: inDeployment, Operation: request.On(a.named, a.show)},
		{Method: "PUT", Path: bySlug, Scope: inDeployment, Operation: request.Do(a.upsert), Body: new(workbookBody)},
		{Method: "GET", Path: one, Scope: inDeployment, Operation: request.On(a.readable, a.show)},
		{Method: "PUT", Path: one, Scope: inDeployment, Operation: request.Do(a.update), Body: new(workbookBody)},
		{Method: "DELETE", Path: one, Scope: inDeployment, Operation: request.Do(a.remove)},
		{Method: "PUT", Path: one + "/dashboard", Scope: inDeployment, Operation: request.Do(a.updateDashboard), Body: new(dashboardBody)},
		{Method: "POST", Path: one + "/publish", Scope: inDeployment, Operation: request.On(a.editable, a.publish), Body: new(versionBody), Once: request.Kept},
	}
}
