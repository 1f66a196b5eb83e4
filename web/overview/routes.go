package overview

import "mooring/web/request"

// Routes are those of the room.
func (o *API) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: request.Root + "/agents", Scope: request.InTenant, Operation: request.Do(o.Agents)},

		{Method: "GET", Path: request.Root + "/quota", Scope: request.InTenant, Operation: request.Do(o.Quota)},

		{Method: "GET", Path: request.Root + "/audit", Scope: request.InTenant, Operation: request.Do(o.Audit)},

		{Method: "GET", Path: request.AtDeployment + "/audit", Scope: request.InDeployment, Operation: request.Do(o.Audit)},

		{Method: "GET", Path: request.AtDeployment + "/stats", Scope: request.InDeployment, Operation: request.Do(o.Stats)},

		{Method: "GET", Path: request.AtDeployment + "/people", Scope: request.InDeployment, Operation: request.Do(o.People)},
	}
}
