package authoring

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const inDeployment = request.InDeployment
	return []request.Route{
		{Method: "GET", Path: request.AtDeployment + "/catalog", Scope: inDeployment, Operation: request.If(mayAuthor, a.catalog)},
		{
			Method: "POST", Path: request.AtDeployment + "/previews", Scope: inDeployment, Operation: request.On(a.wanted, a.preview),
			Body: new(previewBody), Long: true,
		},
	}
}
