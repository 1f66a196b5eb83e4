package overview

import "mooring/web/request"

// Routes are those of the room.
func (o *API) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: request.Root + "/agents", Scope: request.InTenant, Operation: request.Do(o.Agents)},

		{Method: "GET", Path: request.Root + "/quota", Scope: request.InTenant, Operation: request.Do(o.Quota)},

		{Method: "GET", Path: request.Root + "/audit", Scope: request.InTenant, Operation: request.Do(o.Audit)},

		{Method: "GET", Path: request.AtDeployment + "/audit", Scope: request.InDeployment, Operation: request.Do(o.Audit)},

		{Method: "GET", Path: request.AtReport + "/versions", Scope: request.InDeployment, Operation: request.Do(o.Versions)},

		{Method: "GET", Path: request.AtReport + "/versions/:version", Scope: request.InDeployment, Operation: request.Do(o.Version)},

		{Method: "GET", Path: request.AtReport + "/placements/:placementId/changes", Scope: request.InDeployment, Operation: request.Do(o.Changes)},

		{Method: "GET", Path: request.AtReport + "/placements/:placementId/changes/:runId", Scope: request.InDeployment, Operation: request.Do(o.Change)},

		{Method: "GET", Path: request.AtDeployment + "/stats", Scope: request.InDeployment, Operation: request.Do(o.Stats)},

		{Method: "GET", Path: request.AtDeployment + "/causes", Scope: request.InDeployment, Operation: request.Do(o.Causes)},

		{Method: "GET", Path: request.AtDeployment + "/placements", Scope: request.InDeployment, Operation: request.Do(o.Placements)},

		{Method: "GET", Path: request.AtDeployment + "/documents", Scope: request.InDeployment, Operation: request.Do(o.Documents)},
	}
}
