package web

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/work"
)

func TestRestore(t *testing.T) {
	const path = "/reports/{{id}}/placements/p1/changes/{{run}}"
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, placedByTheViewer())
		a.vars["none"] = a.change(t, record.ChangeCounts{Added: 1})
		a.vars["run"] = a.change(t, record.ChangeCounts{Changed: 1}, record.ChangedRow{Row: 3, Before: []any{"Bonn", 4}, After: []any{"Bonn", 6}})
		started := func(name, as string) step {
			return step{
				name: name, method: "POST", path: path + "/restore", as: as, status: 202, header: map[string]string{"Idempotency-Key": as}, holds: `{"runId":"{{made}}"}`,
				keep: map[string]string{"made": "runId"},
			}
		}
		first := started("who placed it has it put back", "viewer")
		first.holds = `{}`
		a.run(t, []step{
			{name: "the one who placed it may have a cell put back", method: "GET", path: path, as: "viewer", status: 200, holds: `{"restorable":1}`},
			{name: "so may who manages the report", method: "GET", path: path, as: "manager", status: 200, holds: `{"restorable":1}`},
			{name: "who edits it may not", method: "GET", path: path, as: "editor2", status: 200, holds: `{"restorable":0}`},
			{name: "nor who reads it", method: "GET", path: "/reports/{{id}}/placements/p1/changes", as: "role7", status: 200, holds: `{"items":[{"runId":"{{run}}","restorable":0},{"restorable":0}]}`},
			{name: "who edits it is refused", method: "POST", path: path + "/restore", as: "editor2", status: 403, holds: `{"code":"forbidden"}`},
			{name: "and who reads it", method: "POST", path: path + "/restore", as: "role7", status: 403, holds: `{"code":"forbidden"}`},
			{name: "a stranger finds nothing", method: "POST", path: path + "/restore", as: "stranger", status: 404, holds: `{"code":"not_found"}`},
			{name: "nor does another tenant", method: "POST", path: path + "/restore", as: "foreign", status: 404, holds: `{"code":"not_found"}`},
			{name: "an unknown run", method: "POST", path: "/reports/{{id}}/placements/p1/changes/none/restore", as: "viewer", status: 404, holds: `{"code":"not_found"}`},
			{name: "an unknown placement", method: "POST", path: "/reports/{{id}}/placements/p9/changes/{{run}}/restore", as: "viewer", status: 404, holds: `{"code":"not_found"}`},
			{
				name: "a run whose rows are not kept", method: "POST", path: "/reports/{{id}}/placements/p1/changes/{{none}}/restore", as: "viewer", status: 409,
				holds: `{"code":"nothing_to_put_back","retryable":false}`,
			},
			{name: "a foreign executor", method: "POST", path: path + "/restore", as: "viewer", body: `{"executor":"nobody"}`, status: 400, holds: `{"code":"invalid_request"}`},
			first,
			started("the same request again is answered the same", "viewer"),
			{
				name: "the run says what it restores", method: "GET", path: "/reports/{{id}}/refreshes/{{made}}", as: "role7", status: 200,
				holds: `{"restores":"{{run}}","placementId":"p1","onEdit":"keep","trigger":"manual"}`,
			},
			{name: "another one waits for it", method: "POST", path: path + "/restore", as: "manager", status: 409, holds: `{"code":"run_in_progress"}`},
		})
		a.completeNextAs(t, record.RunPlacement{PlacementID: "p1", State: placements.RunSucceeded, PutBack: &record.PutBack{Cells: 1}}, func(one *work.PlacementOutcome, run string) {
			one.Change = &record.BlockChange{RunID: run, At: "2026-03-02T09:00:00.000Z", RunAs: 3, Columns: []string{"city", "amount"}, Restores: a.vars["run"]}
		})
		a.run(t, []step{
			{name: "and what it put back", method: "GET", path: "/reports/{{id}}/refreshes/{{made}}", as: "role7", status: 200, holds: `{"placements":[{"putBack":{"cells":1,"stood":0,"left":0}}]}`},
			{name: "its own change names the run, too", method: "GET", path: "/reports/{{id}}/placements/p1/changes?first=1", as: "viewer", status: 200, holds: `{"items":[{"runId":"{{made}}","restores":"{{run}}"}]}`},
			{
				name: "the audit says who had it put back", method: "GET", path: "/audit?first=1", as: "admin", status: 200,
				holds: `{"items":[{"action":"placement.restore","user":{"id":3},"from":"agent","asset":{"kind":"placement","id":"p1","reportId":{{id}}}}]}`,
			},
			{name: "an add-in of who did not place it", method: "POST", path: path + "/restore", as: "manager", body: `{"executor":"client"}`, status: 403, holds: `{"code":"not_placer"}`},
			{name: "an add-in", method: "POST", path: path + "/restore", as: "viewer", body: `{"executor":"client"}`, status: 202, holds: `{"fence":1}`},
		})
	})
}
