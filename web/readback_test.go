package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mooring/storage/record"
	"mooring/web/bind"
	"mooring/web/members"
)

// What the service answers may be sent back: a strict write takes it, and changes nothing (decisions.md §1).
func TestWhatWasReadIsSentBackAndChangesNothing(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, readBackAssets)
		for _, tc := range []struct {
			resource, read, write string // paths, the latter with its method
		}{
			{"report", "/reports/{{report}}", "PUT /reports/{{report}}"},
			{"report, by publicId", "/reports/by-public-id/ReadBack0001", "PUT /reports/by-public-id/ReadBack0001"},
			{"access list", "/reports/{{report}}", "PUT /reports/{{report}}/access"},
			{"workbook", "/workbooks/{{book}}", "PUT /workbooks/{{book}}"},
			{"workbook, by slug", "/workbooks/by-slug/read-back", "PUT /workbooks/by-slug/read-back"},
			{"dashboard", "/workbooks/{{book}}", "PUT /workbooks/{{book}}/dashboard"},
			{"schedule", "/refresh-schedules/{{schedule}}", "PUT /refresh-schedules/{{schedule}}"},
			{"schedule, with all that is left out else", "/refresh-schedules/{{schedule}}?include=names,ticks", "PUT /refresh-schedules/{{schedule}}"},
			{"settings", "/api/v1/tenant/settings", "PUT /api/v1/tenant/settings"},
		} {
			t.Run(tc.resource, func(t *testing.T) {
				before := a.send(step{method: "GET", path: tc.read, as: "admin"}).Body.String()
				a.unchanged(t, tc.write, before)
				if after := a.send(step{method: "GET", path: tc.read, as: "admin"}).Body.String(); after != before {
					t.Errorf("before %s\nafter  %s", before, after)
				}
			})
		}
		t.Run("placement", func(t *testing.T) {
			var r struct {
				ExternalWorkbookPlacements []map[string]any
			}
			decodeInto(t, a.send(step{method: "GET", path: "/reports/{{report}}", as: "admin"}), &r)
			p := r.ExternalWorkbookPlacements[0]
			p["externalWorkbookId"], p["placementId"], p["addressOnly"] = p["workbookId"], p["id"], true
			text, err := record.EncodeBytes(p)
			if err != nil {
				t.Fatal(err)
			}
			a.unchanged(t, "PUT /reports/{{report}}/connect-workbook", string(text))
		})
		t.Run("what a connect answered", func(t *testing.T) {
			answer := a.send(step{method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"doc","resultLocation":"S!B2"}`, as: "admin"})
			a.unchanged(t, "PUT /reports/{{report}}", answer.Body.String())
			gone := a.send(step{method: "DELETE", path: "/reports/{{report}}/connect-workbook", body: `{"resultLocation":"S!B2"}`, as: "admin"})
			a.unchanged(t, "PUT /reports/{{report}}", gone.Body.String())
		})
		t.Run("what a publication answered", func(t *testing.T) {
			answer := a.send(step{method: "POST", path: "/workbooks/{{book}}/publish", as: "admin"})
			a.unchanged(t, "PUT /workbooks/{{book}}", answer.Body.String())
			a.unchanged(t, "POST /workbooks/{{book}}/publish", "")
		})
	})
}

var readBackAssets = []step{
	{
		name: "a workbook", method: "PUT", path: "/workbooks/by-slug/read-back", as: "admin", status: 200, keep: map[string]string{"book": "id"},
		body: `{"name":"W","meta":{"x":[1,2.50]}}`,
	},
	{
		name: "a report in it, placed", method: "PUT", path: "/reports/by-public-id/ReadBack0001", as: "admin", status: 200, keep: map[string]string{"report": "id"},
		body: `{"name":"R","title":"T","description":"D","sqlQuery":"SELECT 1","meta":{"a":1},"workbookId":{{book}},"folderId":3,"source":"SHEETS_B","rowKey":["a"],
			"pivotItems":{"columns":["c"],"filters":[],"measures":["m"],"rows":["r"],"displayScale":"millions"},
			"externalWorkbookId":"doc","resultLocation":"Data!B2:D9","workbookName":"Book","sheetId":"7","resultChecksum":{"v":2,"chunks":[]}}`,
	},
	{name: "its access list", method: "PUT", path: "/reports/{{report}}/access", as: "admin", body: `{"rolesWithAccess":[{"id":7,"name":"N","actions":["All","Other"]}]}`, status: 200},
	{
		name: "a dashboard", method: "PUT", path: "/workbooks/{{book}}/dashboard", as: "admin", status: 200,
		body: `{"dashboardDraft":{"title":"D","theme":{"widgets":{"text":{"color":"red"}}},"layout":{"cols":{"lg":12},"margin":[1,2]},
			"app":{"entry":"a","files":{"a":"b"},"manifest":{"version":1,"dependencies":{}}},
			"widgets":[{"config":{"reportId":{{report}}},"position":{"x":0,"y":0,"w":1,"h":1}},{"type":"TEXT","style":{"a":1}}]}}`,
	},
	{name: "published", method: "POST", path: "/workbooks/{{book}}/publish", as: "admin", status: 200},
	{
		name: "a schedule", method: "POST", path: "/refresh-schedules", as: "admin", status: 200, keep: map[string]string{"schedule": "id"},
		body: `{"name":"S","target":{"reportId":{{report}},"externalWorkbookId":"doc"},"cron":"0 7 1 1 *","jitterSeconds":5,"onEdit":"stop"}`,
	},
	{name: "which has run", method: "POST", path: "/refresh-schedules/{{schedule}}/run", as: "admin", status: 202},
	{name: "settings", method: "PUT", path: "/api/v1/tenant/settings", as: "admin", body: `{"oidcEnabled":true,"maintenanceWindowDay":"SUNDAY"}`, status: 200},
}

// unchanged sends a strict request that must be taken and change nothing.
func (a *api) unchanged(t *testing.T, request, body string) {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	w := a.send(step{method: method, path: path, body: body, as: "admin", header: strictly})
	if got := w.Header().Get("X-Mooring-Result"); w.Code != 200 || got != "unchanged" {
		t.Errorf("%s: %d, X-Mooring-Result %q: %s", request, w.Code, got, truncated(w.Body.String()))
	}
}

// Every key of an answer is known to the write that takes the same resource, whether this suite has met it or not.
func TestStrictWritesKnowEveryKeyOfAnswers(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	report := describedBody("PUT", atReport).Members
	connection := describedBody("PUT", atReport+"/connect-workbook")
	for schema, of := range map[string]func(*bind.Object){
		"Report": report, "ConnectedReport": report, "DisconnectedReport": report,
		"Workbook": describedBody("PUT", atWorkbook).Members, "Dashboards": describedBody("PUT", atWorkbook+"/dashboard").Members,
		"Dashboard": members.Draft,
		"Schedule":  describedBody("POST", atDeployment+"/refresh-schedules").Members, "TenantSettings": describedBody("PUT", root+"/tenant/settings").Members,
		"Placement": connection.Members, "StoredPlacement": connection.Members,
	} {
		t.Run(schema, func(t *testing.T) { knowsKeys(t, of, doc.Components.Schemas[schema]) })
	}
	t.Run("access list", func(t *testing.T) {
		knowsKeys(t, describedBody("PUT", atReport+"/access").Members, doc.Components.Schemas["Report"])
	})
}

// knowsKeys checks that a body may have every key of a schema.
func knowsKeys(t *testing.T, of func(*bind.Object), schema *openapi3.SchemaRef) {
	t.Helper()
	known := bind.Names(of)
	for name := range schema.Value.Properties {
		if !slices.Contains(known, name) {
			t.Errorf("%s is not known", name)
		}
	}
}

func TestAStrictRequestHasNoUnknownParameter(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{
				name: "a misspelled filter is told", method: "GET", path: "/reports?serach=x", header: strictly, status: 400,
				holds: `{"code":"unknown_parameter"}`,
			},
			{name: "of an operation without parameters too", method: "GET", path: "/reports/{{id}}?x=1", header: strictly, status: 400, holds: `{"code":"unknown_parameter"}`},
			{name: "of a write", method: "DELETE", path: "/reports/{{id}}?forse=true", as: "admin", header: strictly, status: 400, holds: `{"code":"unknown_parameter"}`},
			{name: "without the preference it is ignored", method: "GET", path: "/reports?serach=x", status: 200},
			{
				name: "all that lists take is known", method: "GET", header: strictly, status: 200,
				path: "/reports?first=1&after=&search=&sortBy=name&sortDirection=asc&folderId=1&workbookId=1&externalWorkbookId=x&publicId=ReadBack0001",
			},
			{name: "… of workbooks", method: "GET", path: "/workbooks?first=1&after=&search=&sortBy=name&sortDirection=asc&folderId=1&slug=x", header: strictly, status: 200},
			{name: "… of schedules", method: "GET", path: "/refresh-schedules?first=1&after=&reportId=1", header: strictly, status: 200},
			{name: "… of runs", method: "GET", path: "/reports/{{id}}/refreshes?first=1&after=", header: strictly, status: 200},
			{name: "… of a document", method: "GET", path: "/api/v1/external-documents/x/placements?first=1&after=", header: strictly, status: 200},
			{name: "… of a deletion", method: "DELETE", path: "/reports/{{id}}?force=true", as: "admin", header: strictly, status: 200},
		})
	})
}
