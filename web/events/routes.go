package events

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: request.AtDeployment + "/events", Scope: request.InDeployment, Operation: request.Raw(a.subscribe)},
	}
}
