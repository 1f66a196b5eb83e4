package web

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/work"
)

// change lets a run on the report kept as id change that in the block of its placement p1, on behalf of the viewer. It returns the run's id.
func (a *api) change(t *testing.T, counts record.ChangeCounts, rows ...record.ChangedRow) string {
	t.Helper()
	a.enqueueRun(t)
	succeeded := record.RunPlacement{PlacementID: "p1", State: placements.RunSucceeded}
	return a.completeNextAs(t, succeeded, func(one *work.PlacementOutcome, run string) {
		packed, err := record.PackRows(rows)
		if err != nil {
			t.Fatal(err)
		}
		one.Change = &record.BlockChange{
			RunID: run, At: "2026-03-02T08:00:00.000Z", RunAs: 3, Columns: []string{"city", "amount"}, Counts: counts,
			Kept: len(rows) > 0, Packed: packed, Restorable: len(rows),
		}
	})
}

func TestChanges(t *testing.T) {
	const path = "/reports/{{id}}/placements/p1/changes"
	each(t, func(t *testing.T, a *api) {
		a.run(t, append(placedByTheViewer(), step{
			name: "before any run there are none", method: "GET", path: path, as: "viewer", status: 200,
			holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`,
		}))
		a.vars["many"] = a.change(t, record.ChangeCounts{Added: 1001})
		a.vars["run"] = a.change(t, record.ChangeCounts{Changed: 1, Added: 1, Removed: 1, Moved: 2},
			record.ChangedRow{Row: 3, Before: []any{"Bonn", 4}, After: []any{"Bonn", map[string]any{"formula": "=<B2>", "value": 6}}},
			record.ChangedRow{Row: 4, After: []any{nil, map[string]any{"error": "#N/A"}}},
			record.ChangedRow{Row: 5, Before: []any{"Ulm", true}})
		const head = `"runId":"{{run}}","at":"2026-03-02T08:00:00.000Z","columns":["city","amount"],"counts":{"changed":1,"added":1,"removed":1,"moved":2}`
		const shown = `{` + head + `,"values":"shown","rows":[{"row":3,"before":["Bonn",4],"after":["Bonn",{"formula":"=<B2>","value":6}]},
			{"row":4,"before":null,"after":[null,{"error":"#N/A"}]},{"row":5,"before":["Ulm",true],"after":null}]}`
		const headless = `"runId":"{{run}}","at":"2026-03-02T08:00:00.000Z","columns":[],"counts":{"changed":1,"added":1,"removed":1,"moved":2}`
		const hidden = `{` + headless + `,"values":"hidden","rows":[{"row":3,"before":[],"after":[]},{"row":4,"before":null,"after":[]},{"row":5,"before":[],"after":null}]}`
		steps := []step{
			{
				name: "the list, the last one first", method: "GET", path: path, as: "role7", status: 200,
				holds: `{"items":[{` + headless + `,"kept":true},{"runId":"{{many}}","columns":[],"counts":{"added":1001},"kept":false}],"pageInfo":{"hasNextPage":false}}`,
			},
			{name: "with headings, which may be cells of the source", method: "GET", path: path + "?first=1", as: "manager", status: 200, holds: `{"items":[{` + head + `,"kept":true}]}`},
			{
				name: "a page", method: "GET", path: path + "?first=1", as: "viewer", status: 200,
				holds: `{"items":[{"runId":"{{run}}"}],"pageInfo":{"hasNextPage":true}}`, keep: map[string]string{"page": "pageInfo"},
			},
			{name: "a cursor of another list", method: "GET", path: path + "?after=bm9uZQ", as: "viewer", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "more rows than are kept are counted", method: "GET", path: path + "/{{many}}", as: "viewer", status: 200, holds: `{"columns":["city","amount"],"values":"dropped","rows":[],"counts":{"added":1001}}`},
			{name: "their headings are hidden too", method: "GET", path: path + "/{{many}}", as: "role7", status: 200, holds: `{"columns":[],"values":"dropped","rows":[]}`},
			{name: "a run that changed nothing here", method: "GET", path: path + "/none", as: "viewer", status: 404, holds: `{"code":"not_found"}`},
		}
		for as, want := range map[string]string{"viewer": shown, "manager": shown, "admin": shown, "editor": shown, "editor2": hidden, "role7": hidden} {
			steps = append(steps, step{name: "cells for " + as, method: "GET", path: path + "/{{run}}", as: as, status: 200, holds: want})
		}
		for _, path := range []string{path, path + "/{{run}}"} {
			steps = append(steps,
				step{name: "a stranger finds nothing", method: "GET", path: path, as: "stranger", status: 404, holds: `{"code":"not_found"}`},
				step{name: "nor does another tenant", method: "GET", path: path, as: "foreign", status: 404, holds: `{"code":"not_found"}`},
				step{name: "a token of another deployment", method: "GET", path: path, as: "only2", status: 403},
			)
		}
		a.run(t, append(steps,
			step{name: "an unknown placement", method: "GET", path: "/reports/{{id}}/placements/p9/changes", as: "viewer", status: 404},
			step{name: "an unknown report", method: "GET", path: "/reports/999/placements/p1/changes", as: "viewer", status: 404},
			step{
				name: "they go with the placement", method: "DELETE", path: connectPath, as: "viewer", body: `{"placementId":"p1"}`, status: 200,
			},
			step{name: "…", method: "GET", path: path + "/{{run}}", as: "viewer", status: 404},
			step{
				name: "and another one with its id begins without any", method: "PUT", path: connectPath, as: "viewer", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"'My data'!B2","placementId":"p1"}`,
			},
			step{name: "…", method: "GET", path: path, as: "viewer", status: 200, holds: `{"items":[]}`},
		))
	})
}
