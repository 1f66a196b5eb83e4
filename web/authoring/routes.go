package authoring

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: request.AtDeployment + "/catalog", Scope: request.InDeployment, Operation: request.If(mayAuthor, a.catalog)},
	}
}
