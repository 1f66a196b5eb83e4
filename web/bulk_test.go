package web

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/work"
	"mooring/web/auth"
)

// endRuns ends every run that waits, FAILED.
func (a *api) endRuns(t *testing.T) {
	t.Helper()
	agents := a.store.Work()
	if err := agents.Queue.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := agents.Queue.Take(t.Context(), "agent", 1600, -1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		begun, err := agents.Queue.Begin(t.Context(), "agent", e)
		if err != nil {
			t.Fatal(err)
		}
		begun.Run.State, begun.Run.EndedAt, begun.Run.ErrorClass = placements.RunFailed, placements.Time(begun.Begun), placements.Conflict
		if err := agents.Complete(t.Context(), begun, work.Outcome{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBulkActionsOnRuns(t *testing.T) {
	const path, failed = "/bulk/refreshes", `"filter":{"state":"CONFLICT"}`
	withEngine(t, func(t *testing.T, a *api) {
		a.tokens["role reader"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 50, Roles: []int64{7}}})
		a.tokens["other deployment"] = a.token(t, auth.Caller{
			Tenant: "acme", Deployments: []int64{2}, Actor: record.Actor{ID: 5, Actions: []string{record.ActionAll}},
		})
		a.run(t, []step{
			report("Sales"),
			{name: "placed", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"one","externalWorkbookId":"one","resultLocation":"S!A1"}`, status: 200},
			{name: "and again", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"two","externalWorkbookId":"two","resultLocation":"S!A1"}`, status: 200},
			{name: "a run", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"placementId":"one","onEdit":"overwrite"}`, status: 202, keep: map[string]string{"one": "runId"}},
			{name: "another", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"placementId":"two"}`, status: 202, keep: map[string]string{"two": "runId"}},
			{name: "that have not ended are not retried", method: "POST", path: path, body: `{"action":"retry","filter":{"state":"QUEUED"},"expectedCount":2}`, status: 200, holds: `{"count":2,"done":0,"refused":[{"id":"{{two}}","code":"run_in_progress"},{"id":"{{one}}","code":"run_in_progress"}]}`},
		})
		a.endRuns(t)
		a.run(t, []step{
			{name: "another number is told", method: "POST", path: path, body: `{"action":"retry",` + failed + `,"expectedCount":3}`, status: 409, holds: `{"code":"count_changed","count":2}`},
			{name: "none too", method: "POST", path: path, body: `{"action":"retry","filter":{"owner":99},"expectedCount":3}`, status: 409, holds: `{"code":"count_changed","count":0}`},
			{name: "nothing was done", method: "GET", path: "/refreshes?state=QUEUED", status: 200, holds: `{"items":[]}`},
			{name: "all that is wrong is told", method: "POST", path: path, body: `{"action":"run","filter":{"state":"LOST","since":"today"},"expectedCount":-1}`, status: 400, holds: `{"details":[{"pointer":"/action"},{"pointer":"/expectedCount"},{"pointer":"/filter/since"},{"pointer":"/filter/state"}]}`},
			{name: "and what is missing", method: "POST", path: path, body: `{}`, status: 400, holds: `{"details":[{"pointer":"/action"},{"pointer":"/expectedCount"},{"pointer":"/filter"}]}`},
			{name: "a stranger may not", method: "POST", path: path, as: "stranger", body: `{"action":"stop","filter":{},"expectedCount":0}`, status: 403},
			{name: "nor a reader of some reports", method: "POST", path: path, as: "role reader", body: `{"action":"stop","filter":{},"expectedCount":0}`, status: 403},
			{name: "nor a caller of another deployment", method: "POST", path: path, as: "other deployment", body: `{"action":"stop","filter":{},"expectedCount":0}`, status: 403},
			{name: "another deployment has none", method: "POST", path: "/api/v1/deployments/2" + path, body: `{"action":"stop","filter":{},"expectedCount":0}`, status: 200, holds: `{"count":0,"done":0,"refused":[]}`},
			{name: "a reader does not overwrite other people's blocks", method: "POST", path: path, as: "viewer", body: `{"action":"retry","filter":{"state":"CONFLICT","document":"one"},"expectedCount":1}`, status: 200, holds: `{"done":0,"refused":[{"id":"{{one}}","code":"forbidden"}]}`},
			{name: "one placement is gone", method: "DELETE", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"two"}`, status: 200},
			{name: "its run is refused, the other one retried", method: "POST", path: path, header: map[string]string{"Idempotency-Key": "k"}, body: `{"action":"retry",` + failed + `,"expectedCount":2}`, status: 200, holds: `{"count":2,"done":1,"refused":[{"id":"{{two}}","code":"nothing_to_refresh"}]}`},
			{name: "a repetition is told the same", method: "POST", path: path, header: map[string]string{"Idempotency-Key": "k"}, body: `{"action":"retry",` + failed + `,"expectedCount":2}`, status: 200, holds: `{"count":2,"done":1}`},
			{name: "with its options", method: "GET", path: "/refreshes?state=QUEUED", status: 200, holds: `{"items":[{"placementId":"one","onEdit":"overwrite","trigger":"manual"}]}`},
			{name: "stopped", method: "POST", path: path, body: `{"action":"stop","filter":{"state":"QUEUED"},"expectedCount":1}`, status: 200, holds: `{"count":1,"done":1,"refused":[]}`},
		})
	})
}

func TestBulkActionsOnSchedules(t *testing.T) {
	const path, list = "/bulk/refresh-schedules", "/refresh-schedules"
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "read by a role", method: "PUT", path: "/reports/{{id}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"Readers","actions":["ReportRead"]}]}`, status: 200},
			{name: "one of the role placed it", method: "PUT", path: "/reports/{{id}}/connect-workbook", as: "role7", body: `{"externalWorkbookId":"one","resultLocation":"S!A1"}`, status: 200, holds: `{"externalWorkbookPlacements":[{"runAs":{}}]}`},
			{name: "a schedule", method: "POST", path: list, body: `{"target":{"reportId":{{id}}},"cron":"@yearly"}`, status: 200, keep: map[string]string{"a": "id"}},
			{name: "another", method: "POST", path: list, as: "editor2", body: `{"target":{"reportId":{{id}}},"cron":"@yearly","paused":true}`, status: 200, keep: map[string]string{"b": "id"}},
			{name: "the list of those that are paused", method: "GET", path: list + "?paused=true", status: 200, holds: `{"items":[{"id":{{b}}}],"pageInfo":{"hasNextPage":false}}`},
			{name: "of those that are not", method: "GET", path: list + "?paused=false", status: 200, holds: `{"items":[{"id":{{a}}}]}`},
			{name: "of a user's", method: "GET", path: list + "?owner=2&report={{id}}", status: 200, holds: `{"items":[{"id":{{b}}}]}`},
			{name: "neither", method: "GET", path: list + "?paused=perhaps", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "another number is told", method: "POST", path: path, body: `{"action":"pause","filter":{"paused":false},"expectedCount":2}`, status: 409, holds: `{"code":"count_changed","count":1}`},
			{name: "a reader is refused each", method: "POST", path: path, as: "viewer", body: `{"action":"pause","filter":{},"expectedCount":2}`, status: 200, holds: `{"count":2,"done":0,"refused":[{"id":{{a}},"code":"forbidden"},{"id":{{b}},"code":"forbidden"}]}`},
			{name: "pause", method: "POST", path: path, body: `{"action":"pause","filter":{"report":{{id}}},"expectedCount":2}`, status: 200, holds: `{"count":2,"done":2,"refused":[]}`},
			{name: "all are paused", method: "GET", path: "/stats", status: 200, holds: `{"schedules":{"total":2,"paused":2}}`},
			{name: "resume", method: "POST", path: path, as: "editor2", body: `{"action":"resume","filter":{"paused":true},"expectedCount":2}`, status: 200, holds: `{"done":2}`},
			{name: "none is paused, and who resumed them owns them", method: "GET", path: list + "?paused=false&owner=2", status: 200, holds: `{"items":[{"id":{{a}}},{"id":{{b}}}]}`},
			{name: "a transfer names its owner", method: "POST", path: path, body: `{"action":"transfer","filter":{},"expectedCount":2}`, status: 400, holds: `{"details":[{"pointer":"/owner"}]}`},
			{name: "nothing else does", method: "POST", path: path, body: `{"action":"pause","owner":1,"filter":{},"expectedCount":2}`, status: 400, holds: `{"details":[{"pointer":"/owner"}]}`},
			{name: "a transfer needs manage access", method: "POST", path: path, as: "viewer", body: `{"action":"transfer","owner":1,"filter":{},"expectedCount":2}`, status: 200, holds: `{"done":0,"refused":[{"code":"forbidden"},{"code":"forbidden"}]}`},
			{name: "to a user of whom nothing is known", method: "POST", path: path, as: "admin", body: `{"action":"transfer","owner":4711,"filter":{},"expectedCount":2}`, status: 200, holds: `{"done":0,"refused":[{"code":"forbidden"},{"code":"forbidden"}]}`},
			{name: "to who made the report", method: "POST", path: path, as: "admin", body: `{"action":"transfer","owner":1,"filter":{"owner":2},"expectedCount":2}`, status: 200, holds: `{"count":2,"done":2,"refused":[]}`},
			{name: "they are theirs", method: "GET", path: list + "?owner=1", status: 200, holds: `{"items":[{"id":{{a}},"version":3},{"id":{{b}}}]}`},
			{name: "a stranger may not", method: "POST", path: path, as: "stranger", body: `{"action":"pause","filter":{},"expectedCount":0}`, status: 403},
		})
	})
}
