package web

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func TestRuns(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report placed twice", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT 1","externalWorkbookId":"one","resultLocation":"S!A1"}`, status: 200, keep: map[string]string{"id": "id"}},
			{name: "… the second time", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"externalWorkbookId":"two","resultLocation":"S!A1","placementId":"p2"}`, status: 200},
			{name: "a report that the viewer may read but nobody placed", method: "POST", path: "/reports", body: `{"name":"Other"}`, status: 200, keep: map[string]string{"other": "id"}},
			{name: "read access starts a run, without a body of all placements", method: "POST", path: "/reports/{{id}}/refreshes", as: "viewer", status: 202, keep: map[string]string{"run": "runId"}},
			{
				name: "the run is read by its id", method: "GET", path: "/refreshes/{{run}}", as: "viewer", status: 200,
				holds: `{"id":"{{run}}","reportId":{{id}},"trigger":"manual","state":"QUEUED","requestedBy":{"id":3}}`,
			},
			{name: "… and through its report", method: "GET", path: "/reports/{{id}}/refreshes/{{run}}", status: 200, holds: `{"id":"{{run}}"}`},
			{name: "… not through another one", method: "GET", path: "/reports/{{other}}/refreshes/{{run}}", status: 404},
			{name: "a second one while the first has not ended is run_in_progress", method: "POST", path: "/reports/{{id}}/refreshes", body: `{}`, status: 409, holds: `{"code":"run_in_progress"}`},
			{name: "the report lists it", method: "GET", path: "/reports/{{id}}/refreshes", status: 200, holds: `{"items":[{"id":"{{run}}"}],"pageInfo":{"hasNextPage":false}}`},
			{name: "a stranger finds no run", method: "GET", path: "/refreshes/{{run}}", as: "stranger", status: 404},
			{name: "a stranger stops no run", method: "DELETE", path: "/refreshes/{{run}}", as: "stranger", status: 404},
			{name: "another deployment has no such run", method: "GET", path: "/api/v1/deployments/2/refreshes/{{run}}", status: 404},
			{name: "a run that waits is stopped", method: "DELETE", path: "/refreshes/{{run}}", as: "viewer", status: 202},
			{name: "an unknown run is 404", method: "GET", path: "/refreshes/nothing", status: 404},
			{
				name: "an unknown placement is nothing to refresh", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"placementId":"p9"}`, status: 409,
				holds: `{"code":"nothing_to_refresh","retryable":false,"message":"Report {{id}} has no placement \"p9\": read the report for the ids of its placements, or connect it there first."}`,
			},
			{
				name: "so is a spreadsheet without a placement", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"externalWorkbookId":"three"}`, status: 409,
				holds: `{"code":"nothing_to_refresh","message":"Report {{id}} has no placement in the spreadsheet \"three\": connect it there first."}`,
			},
			{
				name: "so is a report without a query", method: "POST", path: "/reports/{{other}}/refreshes", status: 409,
				holds: `{"code":"nothing_to_refresh","message":"Report {{other}} has no query: give it an sqlQuery or a jsonQuery first."}`,
			},
			{name: "a query that is blank is none", method: "PUT", path: "/reports/{{other}}", body: `{"sqlQuery":" \n","jsonQuery":""}`, status: 200},
			{name: "… indeed", method: "POST", path: "/reports/{{other}}/refreshes", status: 409, holds: `{"code":"nothing_to_refresh"}`},
			{name: "a jsonQuery is one", method: "PUT", path: "/reports/{{other}}", body: `{"jsonQuery":"{}"}`, status: 200},
			{
				name: "but a report that nobody placed has nothing to refresh", method: "POST", path: "/reports/{{other}}/refreshes", status: 409,
				holds: `{"code":"nothing_to_refresh","message":"Report {{other}} stands in no spreadsheet: connect it to one first."}`,
			},
			{name: "a placement or a spreadsheet, not both", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"placementId":"p2","externalWorkbookId":"two"}`, status: 400},
			{name: "an unknown policy is refused", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"onEdit":"ask"}`, status: 400, holds: `{"details":[{"pointer":"/onEdit"}]}`},
			{name: "an option of another type is refused", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"breakSignature":"yes"}`, status: 400, holds: `{"details":[{"pointer":"/breakSignature"}]}`},
			{name: "so is shiftRows that is no truth value", method: "POST", path: "/reports/{{id}}/refreshes", body: `{"shiftRows":"yes"}`, status: 400, holds: `{"details":[{"pointer":"/shiftRows"}]}`},
			{name: "an unknown report starts nothing", method: "POST", path: "/reports/999/refreshes", status: 404},
			{name: "a stranger starts nothing", method: "POST", path: "/reports/{{id}}/refreshes", as: "stranger", status: 404},
		})
	})
}

func TestRunsOfASpreadsheet(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report in the spreadsheet", method: "POST", path: "/reports", body: `{"name":"A","sqlQuery":"SELECT 1","externalWorkbookId":"book","resultLocation":"S!A1"}`, status: 200, keep: map[string]string{"first": "id"}},
			{name: "another one, of another deployment", method: "POST", path: "/api/v1/deployments/2/reports", body: `{"name":"B","jsonQuery":"{}","externalWorkbookId":"book","resultLocation":"S!D1"}`, status: 200, keep: map[string]string{"second": "id"}},
			{
				name: "which is being refreshed there", method: "POST", path: "/api/v1/deployments/2/reports/{{second}}/refreshes", as: "only2", status: 202,
				body: `{"externalWorkbookId":"book"}`, keep: map[string]string{"run": "runId"},
			},
			{name: "a report in the spreadsheet without a query", method: "POST", path: "/reports", body: `{"name":"C","externalWorkbookId":"book","resultLocation":"S!G1"}`, status: 200, keep: map[string]string{"third": "id"}},
			{
				name: "every readable report gets a run, but for one that has one or has no query, which says so", method: "POST", path: "/api/v1/external-documents/book/refreshes", as: "viewer", status: 202,
				holds: `{"runs":[{"deploymentId":1,"reportId":{{first}}},{"deploymentId":1,"reportId":{{third}},"code":"nothing_to_refresh"},
					{"deploymentId":2,"reportId":{{second}},"code":"run_in_progress","runId":"{{run}}"}]}`,
			},
			{
				name: "who may read nothing has nothing to refresh", method: "POST", path: "/api/v1/external-documents/book/refreshes", as: "stranger", status: 409,
				holds: `{"code":"nothing_to_refresh","message":"No report that you may read stands in the spreadsheet \"book\": connect one to it first."}`,
			},
			{name: "a report without a query, alone in a spreadsheet", method: "POST", path: "/reports", body: `{"name":"D","externalWorkbookId":"book2","resultLocation":"S!G1"}`, status: 200},
			{
				name: "leaves nothing to refresh there", method: "POST", path: "/api/v1/external-documents/book2/refreshes", as: "viewer", status: 409,
				holds: `{"code":"nothing_to_refresh","message":"No report in the spreadsheet \"book2\" has a query: give one an sqlQuery or a jsonQuery first."}`,
			},
		})
	})
}

// Runs page by a cursor that new runs do not move (decisions.md §1).
func TestRunsThatComeMeanwhileShiftNoPage(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@yearly"}`, status: 200, keep: map[string]string{"schedule": "id"}},
		})
		for n := range 7 {
			a.runOn(t, "p"+strconv.Itoa(n))
		}
		for _, path := range []string{"/reports/{{id}}/refreshes", "/refresh-schedules/{{schedule}}/runs"} {
			want := a.runsOn(t, path+"?first=500").ids
			var got []string
			for after := ""; ; {
				page := a.runsOn(t, path+"?first=3&after="+after)
				got = append(got, page.ids...)
				if after = page.after; !page.more {
					break
				}
				a.runOn(t, "q"+after) // a new run, the latest of all
			}
			if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
				t.Errorf("%s (-at first +page by page):\n%s", path, diff)
			}
		}
		a.run(t, []step{
			{name: "what is no cursor is told", method: "GET", path: "/reports/{{id}}/refreshes?after=3", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "nor is another list's", method: "GET", path: "/reports/{{id}}/refreshes?after=eyJpIjoxfQ", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "the end of a list is an empty page", method: "GET", path: "/reports/{{id}}/refreshes?after=MjAwMC0wMS0wMVQwMDowMDowMC4wMDBaIHg", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
		})
	})
}

// runOn makes a manual run of the schedule on a placement, whether that exists or not.
func (a *api) runOn(t *testing.T, placement string) {
	t.Helper()
	var report, schedule int64
	for name, id := range map[string]*int64{"id": &report, "schedule": &schedule} {
		var err error
		if *id, err = strconv.ParseInt(a.vars[name], 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	run := &record.Run{ReportID: report, ScheduleID: schedule, PlacementID: placement, RequestedBy: record.Actor{ID: 1}, Placements: []record.RunPlacement{}}
	if err := storagetest.Enqueue(t.Context(), a.store.Work(), record.Deployment{Tenant: "acme", ID: 1}, run); err != nil {
		t.Fatal(err)
	}
}

// runPage is a page of a history.
type runPage struct {
	ids   []string
	more  bool
	after string
}

func (a *api) runsOn(t *testing.T, path string) runPage {
	t.Helper()
	var p struct {
		Items    []struct{ ID string }
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
	decodeInto(t, a.send(step{method: "GET", path: path}), &p)
	page := runPage{more: p.PageInfo.HasNextPage, after: p.PageInfo.EndCursor}
	for _, run := range p.Items {
		page.ids = append(page.ids, run.ID)
	}
	return page
}

func TestAManualRunIsTheSchedulesLastRun(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, append(someReport[:1:1], []step{
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@yearly"}`, status: 200, holds: `{"lastRun":null}`, keep: map[string]string{"schedule": "id"}},
			{name: "is run by hand", method: "POST", path: "/refresh-schedules/{{schedule}}/run", status: 202, keep: map[string]string{"run": "runId"}},
			{name: "that is its last run", method: "GET", path: "/refresh-schedules/{{schedule}}", status: 200, holds: `{"version":1,"lastRun":{"id":"{{run}}","trigger":"manual","state":"QUEUED"}}`},
			{name: "the report is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"d","resultLocation":"S!A1"}`, status: 200},
			{name: "a run of the report alone is not the schedule's", method: "POST", path: "/reports/{{report}}/refreshes", body: `{"externalWorkbookId":"d"}`, status: 202},
			{name: "its last run is the one before", method: "GET", path: "/refresh-schedules/{{schedule}}", status: 200, holds: `{"lastRun":{"id":"{{run}}"}}`},
		}...))
	})
}
