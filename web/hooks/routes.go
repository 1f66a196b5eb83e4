package hooks

import (
	"mooring/web/hook"
	"mooring/web/request"
)

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	return []request.Route{
		{Method: "POST", Path: request.HooksPath + ":hookId", Scope: request.Open, Operation: request.Do(a.receive), Body: new(hook.Payload)},
	}
}
