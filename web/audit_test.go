package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/storage/record"
	"mooring/web/auth"
)

// actions lists the actions of a list of the audit, page by page.
func (a *api) actions(t *testing.T, as, path string) (list []string) {
	t.Helper()
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	for after := ""; ; {
		w := a.send(step{method: "GET", path: path + sep + "first=2&after=" + after, as: as})
		var page struct {
			Items    []struct{ Action string }
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &page) != nil {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		for _, one := range page.Items {
			list = append(list, one.Action)
		}
		if after = page.PageInfo.EndCursor; !page.PageInfo.HasNextPage {
			return list
		}
	}
}

func TestAuditOfADeployment(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "nothing yet", method: "GET", path: "/audit", as: "admin", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
			report("Sales"),
			{name: "an update", method: "PUT", path: "/reports/{{id}}", body: `{"title":"T","meta":{"chart":"bar"}}`, status: 200},
			{name: "the same again", method: "PUT", path: "/reports/{{id}}", body: `{"title":"T","meta":{"chart":"bar"}}`, status: 200},
			{name: "one that is refused", method: "PUT", path: "/reports/{{id}}", as: "viewer", body: `{"title":"mine"}`, status: 403},
			{name: "a stale one", method: "PUT", path: "/reports/{{id}}", body: `{"title":"late","expectedVersion":1}`, status: 409},
			{name: "access", method: "PUT", path: "/reports/{{id}}/access", body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`, status: 200},
			{
				name: "a connect", method: "PUT", path: "/reports/{{id}}/connect-workbook", as: "role7",
				body: `{"externalWorkbookId":"doc","resultLocation":"S!A1","placementId":"p1"}`, status: 200,
			},
			{
				name: "the same again, which only stamps", method: "PUT", path: "/reports/{{id}}/connect-workbook", as: "role7",
				body: `{"externalWorkbookId":"doc","resultLocation":"S!A1:B9"}`, status: 200,
			},
			{
				name: "an option", method: "PUT", path: "/reports/{{id}}/connect-workbook", as: "role7",
				body: `{"externalWorkbookId":"doc","resultLocation":"S!A1","addressOnly":true,"onEdit":"stop"}`, status: 200,
			},
			{name: "a stamp", method: "PUT", path: "/reports/{{id}}/refresh", as: "role7", body: `{"placementId":"p1"}`, status: 200},
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"name":"daily","target":{"reportId":{{id}}},"cron":"@daily"}`, status: 200, keep: map[string]string{"schedule": "id"}},
			{name: "paused", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", as: "manager", status: 200, holds: `{"updatedBy":{"id":4}}`},
			{name: "resumed", method: "POST", path: "/refresh-schedules/{{schedule}}/resume", status: 200, holds: `{"updatedBy":{"id":1,"email":"ed@acme.example","firstName":"Ed"}}`},
			{name: "run", method: "POST", path: "/refresh-schedules/{{schedule}}/run", status: 202},
			{name: "a workbook", method: "PUT", path: "/workbooks/by-slug/board", body: `{"name":"Board","meta":{"dashboardDraft":{"title":"B"}}}`, status: 200, keep: map[string]string{"book": "id"}},
			{name: "published", method: "POST", path: "/workbooks/{{book}}/publish", status: 200, holds: `{"updatedBy":{"id":1}}`},
			{name: "disconnected", method: "DELETE", path: "/reports/{{id}}/connect-workbook", body: `{"placementId":"p1"}`, status: 200},
			{name: "deleted", method: "DELETE", path: "/reports/{{id}}?force=true", status: 200},
		})
		whole := []string{
			"schedule.delete", "report.delete", "placement.disconnect", "workbook.publish", "workbook.create", "schedule.resume", "schedule.pause",
			"schedule.create", "placement.update", "placement.connect", "report.access", "report.update", "report.create",
		}
		for query, want := range map[string][]string{
			"":                            whole,
			"?user=4":                     {"schedule.pause"},
			"?user=6":                     {"placement.update", "placement.connect"},
			"?asset=placement:p1":         {"placement.disconnect", "placement.update", "placement.connect"},
			"?asset=workbook:{{book}}":    {"workbook.publish", "workbook.create"},
			"?asset=report:{{id}}&user=6": nil,
			"?asset=report:{{id}}":        {"report.delete", "report.access", "report.update", "report.create"},
			"?since=2020-01-01T00:00:00Z": whole,
			"?since=2120-01-01T00:00:00Z": nil,
		} {
			if diff := cmp.Diff(want, a.actions(t, "admin", "/audit"+query)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		a.run(t, []step{
			{
				name: "an entry says who, from where, with what, and what changed", method: "GET", path: "/audit?asset=report:{{id}}", as: "admin", status: 200,
				holds: `{"items":[{"action":"report.delete","asset":{"kind":"report","id":"{{id}}","name":"Sales"}},
					{"version":3,"pointers":["/rolesWithAccess"]},
					{"user":{"id":1,"email":"ed@acme.example","firstName":"Ed"},"from":"192.0.2.1","version":2,"pointers":["/title","/meta/chart"]},
					{"version":1}]}`,
			},
			{name: "a kind that is none is told", method: "GET", path: "/audit?asset=chart:1", as: "admin", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a user that is none", method: "GET", path: "/audit?user=ana", as: "admin", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a cursor of another list", method: "GET", path: "/audit?after=eyJpIjoxfQ", as: "admin", status: 400, holds: `{"code":"invalid_cursor"}`},
		})
	})
}

func TestWhoReadsTheAudit(t *testing.T) {
	a := onEmbedded(t)
	a.tokens["only1"] = a.token(t, auth.Caller{Tenant: "acme", Deployments: []int64{1}, Actor: record.Actor{ID: 12, Actions: []string{"All"}}})
	a.run(t, []step{report("Sales"), {name: "settings", method: "PUT", path: "/api/v1/tenant/settings", as: "admin", body: `{"oidcEnabled":true}`, status: 200}})
	const one, account, elsewhere = "/api/v1/deployments/1/audit", "/api/v1/audit", "/api/v1/deployments/2/audit"
	const none, created, settings = `{"items":[]}`, `{"items":[{"action":"report.create"}]}`, `{"items":[{"action":"settings.update"}]}`
	const forbidden = `{"code":"forbidden"}`
	tests := []struct {
		as, path string
		status   int
		holds    string
	}{
		{as: "admin", path: one, status: 200, holds: created},
		{as: "admin", path: elsewhere, status: 200, holds: none},
		{as: "admin", path: account, status: 200, holds: settings},
		{as: "only1", path: one, status: 200, holds: created},
		{as: "only1", path: elsewhere, status: 403, holds: `{"code":"wrong_deployment"}`},
		{as: "only1", path: account, status: 403, holds: forbidden},
		{as: "only2", path: one, status: 403, holds: `{"code":"wrong_deployment"}`},
		{as: "only2", path: elsewhere, status: 200, holds: none},
		{as: "editor", path: one, status: 403, holds: forbidden}, // the owner of the report
		{as: "manager", path: one, status: 403, holds: forbidden},
		{as: "manager", path: account, status: 403, holds: forbidden},
		{as: "viewer", path: one, status: 403, holds: forbidden},
		{as: "role7", path: one, status: 403, holds: forbidden},
		{as: "foreign", path: one, status: 200, holds: none},
		{as: "foreign", path: account, status: 200, holds: none},
		{as: "foreign", path: elsewhere, status: 404, holds: `{"code":"not_found"}`},
	}
	for _, tt := range tests {
		a.run(t, []step{{name: tt.as + " " + tt.path, method: "GET", path: tt.path, as: tt.as, status: tt.status, holds: tt.holds}})
	}
}

// Behind a trusted proxy a client's address is what the proxy says; another's word does not count.
func TestTheAuditHasTheAddressOfTheClient(t *testing.T) {
	for proxy, want := range map[string]string{"192.0.2.0/24": "203.0.113.9", "10.0.0.0/8": "192.0.2.1"} {
		a := onEmbedded(t, func(c *Config) { c.TrustedProxies = []string{proxy} })
		a.run(t, []step{
			{name: "a report", method: "POST", path: "/reports", body: `{"name":"A"}`, header: map[string]string{"X-Forwarded-For": "203.0.113.9"}, status: 200},
			{name: "its entry", method: "GET", path: "/audit", as: "admin", status: 200, holds: `{"items":[{"from":"` + want + `"}]}`},
		})
	}
}

func TestAuditOfAnAccount(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		r := newPairingRig(t, a)
		a.run(t, []step{
			{name: "settings", method: "PUT", path: "/api/v1/tenant/settings", as: "admin", body: `{"oidcEnabled":true,"maintenanceWindowDay":"SUNDAY"}`, status: 200},
			{name: "the same again", method: "PUT", path: "/api/v1/tenant/settings", as: "admin", body: `{"oidcEnabled":true,"hasSupportAccess":false}`, status: 200},
		})
		for range 2 {
			if err := a.store.Tenants().Revoke(t.Context(), "acme", "jti", r.server.now().Add(2e9*3600), record.Actor{}); err != nil {
				t.Fatal(err)
			}
		}
		a.run(t, []step{{
			name: "each effective write has one entry", method: "GET", path: "/api/v1/audit", as: "admin", status: 200,
			holds: `{"items":[{"action":"key.revoke","user":null,"asset":{"kind":"key","id":"jti"}},
				{"action":"settings.update","user":{"id":9},"from":"192.0.2.1","pointers":["/maintenanceWindowDay","/oidcEnabled"]}]}`,
		}})
	})
}
