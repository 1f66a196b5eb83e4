package web

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/request"
)

// placedOn is a page of placements of a deployment, by their ids.
type placedOn struct {
	ids   []string
	more  bool
	after string
}

func (a *api) placedOn(t *testing.T, as, path string) placedOn {
	t.Helper()
	var p struct {
		Items []struct {
			Placement struct{ ID string }
		}
		PageInfo request.PageInfo
	}
	decodeInto(t, a.send(step{method: "GET", path: path, as: as}), &p)
	page := placedOn{more: p.PageInfo.HasNextPage}
	if end := p.PageInfo.EndCursor; end != nil {
		page.after = *end
	}
	for _, item := range p.Items {
		page.ids = append(page.ids, item.Placement.ID)
	}
	return page
}

// placedSomehow are the steps that make a report which role 7 may read and one which it may not, with placements in every way that they stand.
// Of two in the same millisecond the one with the greater report and id comes first: these are in that order too.
var placedSomehow = []step{
	{name: "a report", method: "POST", path: "/reports", body: `{"name":"Sales","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"id": "id"}},
	{
		name: "which role 7 may read", method: "PUT", path: "/reports/{{id}}/access", as: "admin",
		body: `{"rolesWithAccess":[{"id":7,"name":"Readers","actions":["ReportRead"]}]}`, status: 200,
	},
	{name: "another, of somebody else", method: "POST", path: "/reports", as: "editor2", body: `{"name":"Costs","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"costs": "id"}},
	{name: "one of another deployment", method: "POST", path: "/api/v1/deployments/2/reports", body: `{"name":"Sales","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"far": "id"}},
	{
		name: "with a placement", method: "PUT", path: "/api/v1/deployments/2/reports/{{far}}/connect-workbook", status: 200,
		body: `{"placementId":"far","externalWorkbookId":"one","resultLocation":"Far!A1"}`,
	},
	{name: "never written", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"bare","externalWorkbookId":"one","resultLocation":"Bare!A1","addressOnly":true}`, status: 200},
	{name: "written, then edited by hand", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"p1","externalWorkbookId":"one","workbookName":"One","resultLocation":"Data!A1"}`, status: 200},
	{name: "written", method: "PUT", path: "/reports/{{id}}/connect-workbook", as: "viewer", body: `{"placementId":"q1","externalWorkbookId":"two","host":"SHEETS_B","resultLocation":"Data!A1"}`, status: 200},
	{name: "written, of the other report", method: "PUT", path: "/reports/{{costs}}/connect-workbook", as: "editor2", body: `{"placementId":"old","externalWorkbookId":"two","host":"SHEETS_B","resultLocation":"Old!A1"}`, status: 200},
	{name: "and then its query was edited", method: "PUT", path: "/reports/{{costs}}", as: "editor2", body: `{"sqlQuery":"SELECT 2"}`, status: 200},
}

// placeSomehow plays placedSomehow, and leaves an edit and a conflict.
func (a *api) placeSomehow(t *testing.T) {
	t.Helper()
	a.run(t, placedSomehow)
	a.keepEdits(t, record.Edit{ID: "e", Row: 1, Name: "amount", Yours: 2.0, Source: 1.0, SeenAt: "2026-03-02T07:00:00.000Z"})
	costs, err := strconv.ParseInt(a.vars["costs"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	met := storage.Placed{
		Placement: placements.Placement{ID: "met", WorkbookID: "three", ResultLocation: "Data!A1", PlacedAt: "2020-02-29T07:00:00Z", PlacedByUserID: 2},
		LastRun:   &placements.LastRun{RunID: "r", State: placements.RunFailed, ErrorClass: placements.Conflict, EndedAt: "2026-03-01T07:00:00.000Z"},
	}
	if err := storagetest.Import(t.Context(), a.store, record.Deployment{Tenant: "acme", ID: 1}, costs, []storage.Placed{met}); err != nil {
		t.Fatal(err)
	}
}

func TestPlacementsOfADeployment(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{{name: "no placement yet", method: "GET", path: "/placements", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`}})
		a.placeSomehow(t)
		for query, want := range map[string][]string{
			"":                                 {"old", "q1", "p1", "met", "bare"},
			"?status=UP_TO_DATE":               {"q1", "p1"},
			"?status=CHANGED":                  {"old"},
			"?status=UNKNOWN":                  {"bare"},
			"?status=CONFLICT":                 {"met"},
			"?status=FAILED":                   nil,
			"?status=EDITED":                   {"p1"},
			"?status=UP_TO_DATE&document=two":  {"q1"},
			"?host=SHEETS_B":                   {"old", "q1"},
			"?host=SHEETS_A":                   {"p1", "met", "bare"},
			"?document=one":                    {"p1", "bare"},
			"?document=none":                   nil,
			"?report={{id}}":                   {"q1", "p1", "bare"},
			"?report={{costs}}&host=SHEETS_A":  {"met"},
			"?owner=3":                         {"q1"},
			"?owner=1":                         {"p1", "bare"},
			"?since=2021-01-01T00:00:00Z":      {"old", "q1", "p1"},
			"?since=2020-02-29T07:00:00Z":      {"old", "q1", "p1", "met"},
			"?since=2020-02-29T07:00:00.0001Z": {"old", "q1", "p1"},
			"?since=2120-01-01T00:00:00Z":      nil,
			"?since=2021-01-01T00:00:00Z&status=FAILED": nil,
		} {
			if diff := cmp.Diff(want, a.placedOn(t, "viewer", "/placements"+query).ids); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
			var paged []string
			for after := ""; ; {
				sep := "?"
				if query != "" {
					sep = "&"
				}
				page := a.placedOn(t, "viewer", "/placements"+query+sep+"first=1&after="+after)
				paged = append(paged, page.ids...)
				if after = page.after; !page.more {
					break
				}
			}
			if diff := cmp.Diff(want, paged); diff != "" {
				t.Errorf("%s page by page (-want +got):\n%s", query, diff)
			}
		}
		a.run(t, []step{
			{
				name: "an item is what the list of its spreadsheet shows", method: "GET", path: "/placements?status=CONFLICT", as: "viewer", status: 200,
				holds: `{"items":[{"access":"GRANTED","deploymentId":1,"reportId":{{costs}},"reportName":"Costs","placement":{"id":"met","workbookId":"three","syncStatus":"CONFLICT","lastRun":{"runId":"r"}}}]}`,
			},
			{name: "an unknown status is told", method: "GET", path: "/placements?status=LOST", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "so is an unknown host", method: "GET", path: "/placements?host=SHEETS_C", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "an owner that is no id", method: "GET", path: "/placements?owner=ana", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a report that is none", method: "GET", path: "/placements?report=0", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a time that is none", method: "GET", path: "/placements?since=yesterday", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a cursor of another list", method: "GET", path: "/placements?after=eyJpIjoxfQ", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "a moved placement", method: "PUT", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"p1","externalWorkbookId":"four","resultLocation":"Data!A1"}`, status: 200},
			{name: "is where it went", method: "GET", path: "/placements?document=four", status: 200, holds: `{"items":[{"placement":{"id":"p1"}}]}`},
			{name: "a deleted report", method: "DELETE", path: "/reports/{{costs}}?force=true", as: "admin", status: 200},
			{name: "takes its placements along", method: "GET", path: "/placements?status=CONFLICT", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false}}`},
		})
	})
}

// What a caller may not read is in no list of theirs, and changes no number that they see.
func TestWhoSeesPlacementsOfADeployment(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.placeSomehow(t)
		for caller, want := range map[string][]string{
			"viewer":   {"old", "q1", "p1", "met", "bare"},
			"admin":    {"old", "q1", "p1", "met", "bare"},
			"editor":   {"old", "q1", "p1", "met", "bare"},
			"role7":    {"q1", "p1", "bare"},
			"stranger": nil,
			"foreign":  nil,
		} {
			if diff := cmp.Diff(want, a.placedOn(t, caller, "/placements").ids); diff != "" {
				t.Errorf("%s (-want +got):\n%s", caller, diff)
			}
		}
		a.run(t, []step{
			{name: "a token for another deployment", method: "GET", path: "/placements", as: "only2", status: 403},
			{name: "sees that one's", method: "GET", path: "/api/v1/deployments/2/placements", as: "only2", status: 200, holds: `{"items":[{"placement":{"id":"far"}}]}`},
			{name: "a filter of what is hidden finds nothing", method: "GET", path: "/placements?report={{costs}}", as: "role7", status: 200, holds: `{"items":[]}`},
			{
				name: "nor does a page tell of it", method: "GET", path: "/placements?first=1", as: "stranger", status: 200,
				holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`,
			},
			{
				name: "and a page ends with what is seen", method: "GET", path: "/placements?first=3", as: "role7", status: 200,
				holds: `{"pageInfo":{"hasNextPage":false}}`,
			},
			{name: "as one of what is not there", method: "GET", path: "/placements?report=999", as: "role7", status: 200, holds: `{"items":[]}`},
			{name: "no token", method: "GET", path: "/placements", as: "nobody", status: 401},

			{name: "spreadsheets need every report", method: "GET", path: "/documents", as: "role7", status: 403, holds: `{"code":"forbidden"}`},
			{name: "who created some reports does not read every one", method: "GET", path: "/documents", as: "stranger", status: 403, holds: `{"code":"forbidden"}`},
			{name: "a token of another deployment", method: "GET", path: "/documents", as: "only2", status: 403},
			{name: "sees the spreadsheets of that one", method: "GET", path: "/api/v1/deployments/2/documents", as: "only2", status: 200, holds: `{"items":[{"externalWorkbookId":"one","placements":{"total":1}}]}`},
			{name: "another tenant has its own", method: "GET", path: "/documents", as: "foreign", status: 200, holds: `{"items":[]}`},
		})
	})
}

func TestDocumentsOfADeployment(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{{name: "no spreadsheet yet", method: "GET", path: "/documents", as: "viewer", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`}})
		a.placeSomehow(t)
		const (
			one   = `{"externalWorkbookId":"one","workbookName":"One","host":"SHEETS_A","status":"UNKNOWN","placements":{"total":2,"upToDate":1,"changed":0,"unknown":1,"refreshing":0,"failed":0,"conflict":0,"edited":1}}`
			two   = `{"externalWorkbookId":"two","host":"SHEETS_B","status":"CHANGED","placements":{"total":2,"upToDate":1,"changed":1,"unknown":0,"refreshing":0,"failed":0,"conflict":0,"edited":0}}`
			three = `{"externalWorkbookId":"three","host":"SHEETS_A","status":"CONFLICT","placements":{"total":1,"upToDate":0,"changed":0,"unknown":0,"refreshing":0,"failed":0,"conflict":1,"edited":0}}`
		)
		list := func(query, items string) step {
			return step{name: "documents" + query, method: "GET", path: "/documents" + query, as: "viewer", status: 200, holds: `{"items":[` + items + `]}`}
		}
		a.run(t, []step{
			list("", one+","+three+","+two),
			list("?status=UP_TO_DATE", one+","+two),
			list("?status=CONFLICT", three),
			list("?status=EDITED", one),
			list("?status=FAILED", ""),
			list("?host=SHEETS_B", two),
			list("?host=SHEETS_A&status=UP_TO_DATE", one),
			{name: "a page", method: "GET", path: "/documents?first=2", as: "viewer", status: 200, holds: `{"items":[` + one + "," + three + `],"pageInfo":{"hasNextPage":true}}`},
			{name: "the next one", method: "GET", path: "/documents?first=2&after=dGhyZWU", as: "viewer", status: 200, holds: `{"items":[` + two + `],"pageInfo":{"hasNextPage":false}}`},
			{name: "an unknown status is told", method: "GET", path: "/documents?status=LOST", as: "viewer", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "the last placement of a spreadsheet goes", method: "DELETE", path: "/reports/{{costs}}/connect-workbook", as: "editor2", body: `{"placementId":"met"}`, status: 200},
			list("", one+","+two),
		})
	})
}

// Placements that are made meanwhile shift no page.
func TestPlacementsOfADeploymentPage(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales")})
		connect := func(n int) {
			a.run(t, []step{{name: "connect", method: "PUT", path: connectPath, status: 200, body: fmt.Sprintf(`{"externalWorkbookId":"d%d","resultLocation":"Data!A1"}`, n)}})
		}
		for n := range 7 {
			connect(n)
		}
		want := a.placedOn(t, "viewer", "/placements?first=500").ids
		for last := time.Now().UnixMilli(); time.Now().UnixMilli() == last; { // what is placed from now on stands before all of them
			time.Sleep(time.Millisecond)
		}
		var got []string
		for after, n := "", 100; ; n++ {
			page := a.placedOn(t, "viewer", "/placements?first=3&after="+after)
			got = append(got, page.ids...)
			if after = page.after; !page.more {
				break
			}
			connect(n)
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) != 7 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 7 {
			t.Errorf("-at first +page by page:\n%s", diff)
		}
	})
}
