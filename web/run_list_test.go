package web

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRunsOfADeployment(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "no run yet", method: "GET", path: "/refreshes", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
			{name: "a report", method: "POST", path: "/reports", body: `{"name":"A","sqlQuery":"SELECT 1","externalWorkbookId":"one","resultLocation":"S!A1"}`, status: 200, keep: map[string]string{"a": "id"}},
			{name: "another, in a spreadsheet of the other kind", method: "POST", path: "/reports", body: `{"name":"B","sqlQuery":"SELECT 1","externalWorkbookId":"two","resultLocation":"S!A1","host":"SHEETS_B"}`, status: 200, keep: map[string]string{"b": "id"}},
			{name: "one of another deployment", method: "POST", path: "/api/v1/deployments/2/reports", body: `{"name":"C","sqlQuery":"SELECT 1","externalWorkbookId":"one","resultLocation":"S!D1"}`, status: 200, keep: map[string]string{"c": "id"}},
			{name: "a run of the first", method: "POST", path: "/reports/{{a}}/refreshes", as: "viewer", status: 202, keep: map[string]string{"runA": "runId"}},
			{name: "of the second", method: "POST", path: "/reports/{{b}}/refreshes", status: 202, keep: map[string]string{"runB": "runId"}},
			{name: "of the other deployment", method: "POST", path: "/api/v1/deployments/2/reports/{{c}}/refreshes", status: 202, keep: map[string]string{"runC": "runId"}},
		})
		runA, runB := a.vars["runA"], a.vars["runB"]
		for query, want := range map[string][]string{
			"":                            {runB, runA},
			"?state=QUEUED":               {runB, runA},
			"?state=FAILED":               nil,
			"?report={{a}}":               {runA},
			"?document=one":               {runA},
			"?document=none":              nil,
			"?host=SHEETS_B":              {runB},
			"?host=SHEETS_A&state=QUEUED": {runA},
			"?host=SHEETS_B&document=one": nil,
			"?owner=3":                    {runA},
			"?owner=3&report={{b}}":       nil,
			"?since=2020-01-01T00:00:00Z": {runB, runA},
			"?since=2120-01-01T00:00:00Z": nil,
		} {
			if diff := cmp.Diff(want, a.runsOn(t, "/refreshes"+query).ids); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		a.run(t, []step{
			{name: "the other deployment has its own", method: "GET", path: "/api/v1/deployments/2/refreshes", status: 200, holds: `{"items":[{"id":"{{runC}}"}]}`},
			{name: "a reader sees them", method: "GET", path: "/refreshes?report={{a}}", as: "viewer", status: 200, holds: `{"items":[{"id":"{{runA}}"}]}`},
			{name: "a stranger sees none", method: "GET", path: "/refreshes", as: "stranger", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
			{
				name: "nor does a page tell of them", method: "GET", path: "/refreshes?first=1", as: "stranger", status: 200,
				holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`,
			},
			{name: "an unknown state is told", method: "GET", path: "/refreshes?state=LOST", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "so is an unknown host", method: "GET", path: "/refreshes?host=SHEETS_C", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "an owner that is no id", method: "GET", path: "/refreshes?owner=ana", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a time that is none", method: "GET", path: "/refreshes?since=yesterday", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a cursor of another list", method: "GET", path: "/refreshes?after=eyJpIjoxfQ", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "a stopped run", method: "DELETE", path: "/refreshes/{{runA}}", status: 202},
			{name: "a deleted report", method: "DELETE", path: "/reports/{{b}}?force=true", status: 200},
			{name: "has no runs", method: "GET", path: "/refreshes", status: 200, holds: `{"items":[{"id":"{{runA}}"}],"pageInfo":{"hasNextPage":false}}`},
		})
	})
}

// Runs that are made meanwhile shift no page of a deployment's list either.
func TestRunsOfADeploymentPage(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@yearly"}`, status: 200, keep: map[string]string{"schedule": "id"}},
		})
		for n := range 7 {
			a.runOn(t, "p"+strconv.Itoa(n))
		}
		for _, query := range []string{"?", "?state=QUEUED&owner=1&"} {
			want := a.runsOn(t, "/refreshes"+query+"first=500").ids
			var got []string
			for after := ""; ; {
				page := a.runsOn(t, "/refreshes"+query+"first=3&after="+after)
				got = append(got, page.ids...)
				if after = page.after; !page.more {
					break
				}
				a.runOn(t, "q"+after)
			}
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%s (-at first +page by page):\n%s", query, diff)
			}
		}
	})
}
