package web

import (
	"net/http"
	"testing"
)

func TestWorkbookStates(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report for the chart", method: "PUT", path: "/reports/by-public-id/Chart0000001", body: `{"name":"C"}`, status: 200, keep: map[string]string{"report": "id"}},
			{
				name: "nonexistent, upsert by slug: created", method: "PUT", path: "/workbooks/by-slug/Sales", body: `{"name":"Sales","meta":{"a":1,"n":{"x":1,"y":2}}}`, status: 200,
				holds: `{"slug":"sales","name":"Sales","type":"WORKBOOK","deploymentId":1,"version":1,"createdBy":1,"userId":1,"user":{"id":1},"meta":{"a":1,"n":{"x":1,"y":2}},
					"folderId":null,"dashboardDraft":null,"dashboardPublished":null}`, keep: map[string]string{"id": "id", "updated": "updatedAt", "tag": "ETag"},
			},
			{
				name: "repeating the same request is a no-op", method: "PUT", path: "/workbooks/by-slug/sales", body: `{"name":"Sales","meta":{"a":1,"n":{"y":2,"x":1}}}`, status: 200,
				holds: `{"id":{{id}},"version":1,"updatedAt":"{{updated}}"}`, keep: map[string]string{"tag2": "ETag"},
			},
			{
				name: "meta is merged, never replaced; only the fields sent are changed", method: "PUT", path: "/workbooks/by-slug/%20sales%20", body: `{"meta":{"b":2,"n":{"y":null,"z":3}}}`, status: 200,
				holds: `{"id":{{id}},"name":"Sales","meta":{"a":1,"b":2,"n":{"x":1,"z":3}},"version":2}`,
			},
			{
				name: "draft written by upsert with meta.dashboardDraft: published unchanged", method: "PUT", path: "/workbooks/by-slug/sales", status: 200,
				body:  `{"meta":{"dashboardDraft":{"title":"D1","widgets":[{"type":"CHART","config":{"reportId":{{report}}}}]}}}`,
				holds: `{"meta":{"a":1,"dashboardDraft":{"title":"D1"}},"dashboardDraft":{"title":"D1","kind":"CLASSIC","widgets":[{"id":"widget-1","type":"CHART","config":{"reportId":{{report}}}}]},"dashboardPublished":null}`,
			},
			{
				name: "a second draft replaces the first whole", method: "PUT", path: "/workbooks/{{id}}/dashboard", body: `{"dashboardDraft":{"description":"D2"}}`, status: 200,
				holds: `{"dashboardDraft":{"description":"D2","kind":"CLASSIC"},"dashboardPublished":null}`, lacks: []string{"id", "meta"},
			},
			{
				name: "… whole indeed", method: "GET", path: "/workbooks/{{id}}", status: 200, holds: `{"dashboardDraft":{"description":"D2","kind":"CLASSIC"},"meta":{"a":1,"b":2}}`,
				keep: map[string]string{"v": "version"},
			},
			{
				name: "publish: the draft becomes visible", method: "POST", path: "/workbooks/{{id}}/publish", status: 200,
				holds: `{"id":{{id}},"dashboardPublished":{"description":"D2","kind":"CLASSIC"}}`, keep: map[string]string{"pv": "version", "pu": "updatedAt"},
			},
			{name: "publish again is a no-op", method: "POST", path: "/workbooks/{{id}}/publish", body: `{}`, status: 200, holds: `{"version":{{pv}},"updatedAt":"{{pu}}"}`},
			{
				name: "draft replaced: viewers see the published one only", method: "PUT", path: "/workbooks/{{id}}/dashboard", body: `{"dashboardDraft":{"title":"D3"}}`, status: 200,
				holds: `{"dashboardDraft":{"title":"D3","kind":"CLASSIC"},"dashboardPublished":{"description":"D2","kind":"CLASSIC"}}`,
			},
			{name: "… until published", method: "POST", path: "/workbooks/{{id}}/publish", status: 200, holds: `{"dashboardPublished":{"title":"D3"}}`},
			{name: "a workbook without a draft cannot be published", method: "PUT", path: "/workbooks/by-slug/empty", body: `{}`, status: 200, keep: map[string]string{"empty": "id"}},
			{name: "… no_draft", method: "POST", path: "/workbooks/{{empty}}/publish", status: 400, holds: `{"code":"no_draft"}`},
			{name: "publishing an unknown workbook is 404", method: "POST", path: "/workbooks/999/publish", status: 404},
			{name: "PUT by id replaces meta", method: "PUT", path: "/workbooks/{{id}}", body: `{"meta":{"only":true}}`, status: 200, holds: `{"meta":{"only":true},"dashboardDraft":null,"dashboardPublished":{"title":"D3"}}`},
			{name: "a workbook without a slug", method: "POST", path: "/workbooks", body: `{"name":"No slug"}`, status: 200, holds: `{"slug":"","name":"No slug"}`, keep: map[string]string{"bare": "id"}},
			{name: "a slug is unique per deployment", method: "POST", path: "/workbooks", body: `{"slug":"SALES"}`, status: 409, holds: `{"code":"slug_taken"}`},
			{name: "… and only there", method: "PUT", path: "/api/v1/deployments/2/workbooks/by-slug/sales", body: `{}`, status: 200, holds: `{"deploymentId":2,"version":1}`},
			{name: "a bad slug is refused", method: "PUT", path: "/workbooks/by-slug/-x", body: `{}`, status: 400},
			{name: "a manager deletes", method: "DELETE", path: "/workbooks/{{id}}", as: "manager", status: 200, holds: `{"id":{{id}}}`},
			{name: "deleted is not found", method: "GET", path: "/workbooks/{{id}}", status: 404},
			{name: "… and its slug is free", method: "PUT", path: "/workbooks/by-slug/sales", body: `{}`, status: 200, holds: `{"version":1}`},
		})
		if a.vars["tag"] != a.vars["tag2"] {
			t.Errorf("a no-op changed the ETag from %s to %s", a.vars["tag"], a.vars["tag2"])
		}
	})
}

func TestBadDraftsChangeNothing(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		const bad = `{"title":1,"widgets":[{"id":"a","type":"CHART","config":{"reportId":4711}},{"id":"a","position":{"w":0}},
			{"type":"CHART"},{"type":"CHART","config":{"reportId":"1"}},{"type":"CHART","config":{"reportPublicId":"Nothing00001"}},{"type":"CHART","config":{"reportPublicId":7}}]}`
		pointers := func(at string) string {
			return `{"code":"invalid_request","details":[{"pointer":"` + at + `/title"},{"pointer":"` + at + `/widgets/0/config/reportId"},{"pointer":"` + at + `/widgets/1/id"},
				{"pointer":"` + at + `/widgets/1/position/w"},{"pointer":"` + at + `/widgets/2/config/reportId"},{"pointer":"` + at + `/widgets/3/config/reportId"},
				{"pointer":"` + at + `/widgets/4/config/reportPublicId"},{"pointer":"` + at + `/widgets/5/config/reportPublicId"}]}`
		}
		a.run(t, []step{
			{
				name: "an upsert that would create is refused with every pointer", method: "PUT", path: "/workbooks/by-slug/bad", body: `{"meta":{"dashboardDraft":` + bad + `}}`, status: 400,
				holds: pointers("/meta/dashboardDraft"),
			},
			{
				name: "a good draft is written", method: "PUT", path: "/workbooks/by-slug/bad", body: `{"name":"B","meta":{"dashboardDraft":{"title":"good"}}}`, status: 200,
				holds: `{"version":1}`, keep: map[string]string{"id": "id", "tag": "ETag"},
			},
			{name: "update-dashboard validates the same", method: "PUT", path: "/workbooks/{{id}}/dashboard", body: `{"dashboardDraft":` + bad + `}`, status: 400, holds: pointers("/dashboardDraft")},
			{name: "upsert too", method: "PUT", path: "/workbooks/by-slug/bad", body: `{"name":"X","meta":{"dashboardDraft":` + bad + `}}`, status: 400, holds: pointers("/meta/dashboardDraft")},
			{name: "update by id too", method: "PUT", path: "/workbooks/{{id}}", body: `{"name":"X","meta":{"dashboardDraft":` + bad + `}}`, status: 400},
			{name: "create too", method: "POST", path: "/workbooks", body: `{"name":"X","meta":{"dashboardDraft":` + bad + `}}`, status: 400},
			{name: "a missing draft", method: "PUT", path: "/workbooks/{{id}}/dashboard", body: `{}`, status: 400, holds: `{"details":[{"pointer":"/dashboardDraft"}]}`},
			{
				name: "strict names what the contract does not know", method: "PUT", path: "/workbooks/{{id}}/dashboard", header: map[string]string{"Prefer": "handling=strict"},
				body: `{"dashboardDraft":{"widgits":[]}}`, status: 400, holds: `{"details":[{"pointer":"/dashboardDraft/widgits"}]}`,
			},
			{name: "nothing was changed", method: "GET", path: "/workbooks/{{id}}", header: map[string]string{"If-None-Match": "{{tag}}"}, status: http.StatusNotModified},
		})
	})
}

func TestChartsNameReports(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "the first deployment has other ids", method: "POST", path: "/reports", body: `{"name":"filler"}`, status: 200},
			{name: "a report there", method: "PUT", path: "/reports/by-public-id/Chart0000001", body: `{"name":"C"}`, status: 200, keep: map[string]string{"r1": "id"}},
			{name: "a report of the same definition in the second", method: "PUT", path: "/api/v1/deployments/2/reports/by-public-id/Chart0000002", body: `{"name":"C"}`, status: 200, keep: map[string]string{"r2": "id"}},
			{
				name: "reportPublicId is resolved on write", method: "PUT", path: "/workbooks/by-slug/charts", status: 200,
				body:  `{"meta":{"dashboardDraft":{"widgets":[{"id":"w","type":"CHART","config":{"reportPublicId":"Chart0000001"}}]}}}`,
				holds: `{"dashboardDraft":{"widgets":[{"config":{"reportId":{{r1}}}}]}}`,
			},
			{
				name: "a report of another deployment does not count", method: "PUT", path: "/api/v1/deployments/2/workbooks/by-slug/charts", status: 400,
				body: `{"meta":{"dashboardDraft":{"widgets":[{"id":"w","type":"CHART","config":{"reportId":{{r1}}}}]}}}`, holds: `{"details":[{"pointer":"/meta/dashboardDraft/widgets/0/config/reportId"}]}`,
			},
			{
				name: "… nor by its publicId", method: "PUT", path: "/api/v1/deployments/2/workbooks/by-slug/charts", status: 400,
				body: `{"meta":{"dashboardDraft":{"widgets":[{"id":"w","type":"CHART","config":{"reportPublicId":"Chart0000001"}}]}}}`, holds: `{"details":[{"pointer":"/meta/dashboardDraft/widgets/0/config/reportPublicId"}]}`,
			},
			{
				name: "a widget of another type may say what it likes", method: "PUT", path: "/workbooks/by-slug/charts", status: 200,
				body: `{"meta":{"dashboardDraft":{"widgets":[{"id":"w","type":"TEXT","config":{"reportId":"whatever"}}]}}}`,
			},
		})
	})
}

func TestWorkbookAccessThroughHTTP(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{
		{name: "an editor creates", method: "PUT", path: "/workbooks/by-slug/access", body: `{"meta":{"dashboardDraft":{}}}`, status: 200, keep: map[string]string{"id": "id", "tag": "ETag"}},
		{name: "a viewer reads", method: "GET", path: "/workbooks/{{id}}", as: "viewer", status: 200},
		{name: "a stranger does not find it", method: "GET", path: "/workbooks/{{id}}", as: "stranger", status: 404},
		{name: "a viewer does not create", method: "POST", path: "/workbooks", as: "viewer", body: `{}`, status: 403},
		{name: "a viewer does not create by slug", method: "PUT", path: "/workbooks/by-slug/new", as: "viewer", body: `{}`, status: 403},
		{name: "a viewer does not upsert", method: "PUT", path: "/workbooks/by-slug/access", as: "viewer", body: `{}`, status: 403},
		{name: "a viewer does not update", method: "PUT", path: "/workbooks/{{id}}", as: "viewer", body: `{}`, status: 403},
		{name: "a viewer does not write the dashboard", method: "PUT", path: "/workbooks/{{id}}/dashboard", as: "viewer", body: `{"dashboardDraft":{}}`, status: 403},
		{name: "a viewer does not publish", method: "POST", path: "/workbooks/{{id}}/publish", as: "viewer", status: 403},
		{name: "an editor who did not create it does not delete", method: "DELETE", path: "/workbooks/{{id}}", as: "editor2", status: 403},
		{name: "a stranger's publish finds nothing", method: "POST", path: "/workbooks/{{id}}/publish", as: "stranger", status: 404},
		{name: "an editor publishes", method: "POST", path: "/workbooks/{{id}}/publish", as: "editor2", status: 200},
		{name: "a stale If-Match is 412", method: "PUT", path: "/workbooks/{{id}}", header: map[string]string{"If-Match": "{{tag}}"}, body: `{"name":"x"}`, status: 412},
		{name: "… for the dashboard", method: "PUT", path: "/workbooks/{{id}}/dashboard", header: map[string]string{"If-Match": "{{tag}}"}, body: `{"dashboardDraft":{"title":"x"}}`, status: 412},
		{name: "… for publish", method: "POST", path: "/workbooks/{{id}}/publish", header: map[string]string{"If-Match": "{{tag}}"}, status: 412},
		{name: "… for delete", method: "DELETE", path: "/workbooks/{{id}}", header: map[string]string{"If-Match": "{{tag}}"}, status: 412},
		{name: "a stale expectedVersion is 409", method: "PUT", path: "/workbooks/{{id}}", body: `{"expectedVersion":1}`, status: 409, holds: `{"code":"version_mismatch"}`},
	})
}

// TestReadingAWorkbookAndSendingItBackIsANoOp is "GET → PUT of the same body" for workbooks.
func TestReadingAWorkbookAndSendingItBackIsANoOp(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			{name: "a report", method: "PUT", path: "/reports/by-public-id/Chart0000001", body: `{"name":"C"}`, status: 200},
			{
				name: "a workbook with everything", method: "PUT", path: "/workbooks/by-slug/round", status: 200,
				body: `{"name":"R <&>","folderId":2,"meta":{"z":{"n":1.50},"dashboardDraft":{"widgets":[{"config":{"reportPublicId":"Chart0000001"}},{"type":"TEXT"}],"theme":{"themeId":"<x>"}}}}`,
				keep: map[string]string{"id": "id"},
			},
			{name: "published", method: "POST", path: "/workbooks/{{id}}/publish", status: 200},
			{name: "and its draft edited since", method: "PUT", path: "/workbooks/{{id}}/dashboard", body: `{"dashboardDraft":{"title":"new","app":{"entry":"e"}}}`, status: 200},
		})
		get := step{method: "GET", path: "/workbooks/{{id}}"}
		before := a.send(get)
		for _, path := range []string{"/workbooks/{{id}}", "/workbooks/by-slug/round", "/workbooks/{{id}}/dashboard"} {
			s := step{method: "PUT", path: path, body: before.Body.String()}
			if path != "/workbooks/{{id}}/dashboard" {
				s.header = map[string]string{"Prefer": "handling=strict"}
			}
			answer := a.send(s)
			if answer.Code != http.StatusOK {
				t.Fatalf("PUT %s: %d %s", path, answer.Code, answer.Body)
			}
			after := a.send(get)
			if after.Body.String() != before.Body.String() || after.Header().Get("ETag") != before.Header().Get("ETag") {
				t.Errorf("PUT %s: was\n%s\nis\n%s", path, before.Body, after.Body)
			}
		}
	})
}
