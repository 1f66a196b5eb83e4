package plans

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const (
		all          = request.AtDeployment + "/plans"
		one          = all + "/:planId"
		inDeployment = request.InDeployment
	)
	return []request.Route{
		{Method: "POST", Path: all, Scope: inDeployment, Operation: request.On(a.wanted, a.create), Body: new(bundleBody)},
		{Method: "GET", Path: one, Scope: inDeployment, Operation: request.On(a.kept, a.show)},
		{Method: "POST", Path: one + "/apply", Scope: inDeployment, Operation: request.On(a.applicable, a.apply)},
		{Method: "GET", Path: request.AtDeployment + "/managed", Scope: inDeployment, Operation: request.Do(a.managed)},
	}
}
