package placements

import "mooring/web/request"

// Routes are those of the room.
func (a *API) Routes() []request.Route {
	const (
		connection   = request.AtReport + "/connect-workbook"
		ofReport     = request.AtReport + "/placements/:placementId"
		inDeployment = request.InDeployment
		inTenant     = request.InTenant
	)
	return []request.Route{
		{Method: "PUT", Path: connection, Scope: inDeployment, Operation: request.Do(a.connect), Body: new(connectBody)},
		{Method: "DELETE", Path: connection, Scope: inDeployment, Operation: request.Do(a.disconnect), Body: new(targetBody)},
		{Method: "PUT", Path: request.AtReport + "/refresh", Scope: inDeployment, Operation: request.Do(a.stamp), Body: new(rewriteBody)},
		{Method: "GET", Path: ofReport + "/edits", Scope: inDeployment, Operation: request.Do(a.edits)},
		{Method: "DELETE", Path: ofReport + "/edits", Scope: inDeployment, Operation: request.Do(a.returnEdits), Body: new(editsBody)},
		{Method: "GET", Path: ofReport + "/changes", Scope: inDeployment, Operation: request.Do(a.changes)},
		{Method: "GET", Path: ofReport + "/changes/:runId", Scope: inDeployment, Operation: request.Do(a.change)},
		{Method: "GET", Path: request.AtDeployment + "/placements", Scope: inDeployment, Operation: request.Do(a.list)},
		{Method: "GET", Path: request.AtDeployment + "/causes", Scope: inDeployment, Operation: request.Do(a.causes)},
		{Method: "GET", Path: request.AtDeployment + "/documents", Scope: inDeployment, Operation: request.Do(a.documents)},
		{Method: "GET", Path: request.AtDocument + "/placements", Scope: inTenant, Operation: request.Do(a.inDocument)},
		{Method: "GET", Path: request.AtDocument, Scope: inTenant, Operation: request.On(a.here, a.getLink)},
		{Method: "POST", Path: request.AtDocument + "/link", Scope: inTenant, Operation: request.On(a.here, a.link), Body: new(linkBody)},
		{Method: "DELETE", Path: request.AtDocument + "/link", Scope: inTenant, Operation: request.On(a.here, a.unlink)},
	}
}
