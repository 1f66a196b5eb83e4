package schedules

import (
	"mooring/web/bulk"
	"mooring/web/request"
)

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const (
		all          = request.AtDeployment + "/refresh-schedules"
		one          = all + "/:scheduleId"
		byKey        = all + "/by-key/:key"
		inDeployment = request.InDeployment
	)
	return []request.Route{
		{Method: "GET", Path: all, Scope: inDeployment, Operation: request.Do(a.view.list)},
		{Method: "POST", Path: all, Scope: inDeployment, Operation: request.On(a.wanted, a.create), Body: new(scheduleBody), Once: request.Made(a.showMade)},
		{Method: "GET", Path: byKey, Scope: inDeployment, Operation: request.On(a.finder.keyed, a.view.show)},
		{Method: "PUT", Path: byKey, Scope: inDeployment, Operation: request.Do(a.upsert), Body: new(scheduleBody)},
		{Method: "GET", Path: one, Scope: inDeployment, Operation: request.On(a.finder.readable, a.view.show)},
		{Method: "PUT", Path: one, Scope: inDeployment, Operation: request.On(a.changed, a.update), Body: new(scheduleBody)},
		{Method: "DELETE", Path: one, Scope: inDeployment, Operation: request.On(a.finder.editable, a.remove)},
		{Method: "POST", Path: one + "/pause", Scope: inDeployment, Operation: request.On(a.finder.editable, a.pause), Once: request.Kept},
		{Method: "POST", Path: one + "/resume", Scope: inDeployment, Operation: request.On(a.finder.resumable, a.resume), Once: request.Kept},
		{Method: "POST", Path: one + "/run", Scope: inDeployment, Operation: request.On(a.finder.runnable, a.run), Once: request.Started(a.showStarted)},
		{Method: "GET", Path: one + "/runs", Scope: inDeployment, Operation: request.Do(a.view.runs)},
		{Method: "GET", Path: request.AtDeployment + "/ticks", Scope: inDeployment, Operation: request.Do(a.view.ticks)},
		{
			Method: "POST", Path: request.AtDeployment + "/bulk/refresh-schedules", Scope: inDeployment,
			Operation: request.If(bulk.May, a.actOnAll), Body: new(bulkBody), Once: request.Kept,
		},
	}
}
