package web

import (
	"testing"

	"mooring/web/request"
)

// Paths of rooms.
const (
	consolePath  = "/console/"
	signInPath   = consolePath + "signin"
	callbackPath = consolePath + "signed-in"
	atPairing    = root + "/device/:userCode"
	atRun        = atDeployment + "/refreshes/:runId"
	atWorkbook   = atDeployment + "/workbooks/:workbookId"
	atSchedule   = atDeployment + "/refresh-schedules/:scheduleId"
)

// routes is every route of a server.
func routes() []request.Route { return new(Server).routes() }

// mount adds routes to the server, beside its own.
func (a *api) mount(t *testing.T, routes ...request.Route) {
	t.Helper()
	a.server.handler = a.server.frame.Handler(append(append(a.server.routes(), a.server.pages()...), routes...))
	a.sut = described(t, a.server.handler)
}

// describedBody is the body of an operation; nil without one.
func describedBody(method, path string) request.Body {
	for _, r := range routes() {
		if r.Method == method && r.Path == path {
			return r.Body
		}
	}
	return nil
}
