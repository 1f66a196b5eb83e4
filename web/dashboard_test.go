package web

import (
	"strings"
	"testing"
)

// Charts show their reports' portable ids to who asks for them, whatever they were written with, and sending them back changes nothing.
func TestChartsShowPublicIDsToWhoAsks(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		const (
			both  = `{"widgets":[{"config":{"reportId":{{r}},"reportPublicId":"Chart0000001"}}]}`
			draft = `{"dashboardDraft":` + both + `}`
			ask   = "?include=reportPublicId"
		)
		get := step{method: "GET", path: "/workbooks/{{book}}"}
		asking := step{method: "GET", path: get.path + ask}
		a.run(t, []step{
			{name: "a report", method: "POST", path: "/reports", body: `{"name":"C"}`, status: 200, keep: map[string]string{"r": "id"}},
			{
				name: "a chart by id", method: "POST", path: "/workbooks" + ask, body: `{"meta":{"dashboardDraft":{"widgets":[{"config":{"reportId":{{r}}}}]}}}`,
				status: 200, keep: map[string]string{"book": "id"},
			},
		})
		if text := a.send(asking).Body.String(); strings.Contains(text, "reportPublicId") {
			t.Errorf("a synthesized id is no name for a report: %s", text)
		}
		a.run(t, []step{
			{name: "the report gets a publicId", method: "PUT", path: "/reports/{{r}}", body: `{"publicId":"Chart0000001"}`, status: 200},
			{name: "the workbook has it", method: "GET", path: asking.path, header: strictly, status: 200, holds: `{"version":1,"dashboardDraft":` + both + `,"meta":` + draft + `}`},
			{name: "so has a list", method: "GET", path: "/workbooks?include=meta,reportPublicId", header: strictly, status: 200, holds: `{"items":[{"dashboardDraft":` + both + `}]}`},
			{name: "and one without meta shows none", method: "GET", path: "/workbooks" + ask, status: 200, holds: `{"items":[{"id":{{book}}}]}`},
			{name: "another word", method: "GET", path: "/workbooks/{{book}}?include=meta", status: 400, holds: `{"code":"invalid_request"}`},
			{name: "of a write changes nothing", method: "PUT", path: "/workbooks/{{book}}?include=meta", body: `{"name":"X"}`, status: 400},
		})
		for _, one := range []step{get, asking} {
			read := a.send(one).Body.String()
			for _, path := range []string{"/workbooks/{{book}}", "/workbooks/{{book}}/dashboard"} {
				if got := a.send(step{method: "PUT", path: path, body: read, header: strictly}); got.Header().Get("X-Mooring-Result") != "unchanged" {
					t.Errorf("PUT %s of what was read: %d %s", path, got.Code, got.Body)
				}
			}
		}
		a.run(t, []step{
			{name: "an answer to a write", method: "PUT", path: "/workbooks/{{book}}" + ask, body: `{"slug":"charts"}`, header: strictly, status: 200, holds: draft},
			{name: "by slug", method: "PUT", path: "/workbooks/by-slug/charts" + ask, body: `{}`, header: strictly, status: 200, holds: draft},
			{name: "a draft's", method: "PUT", path: "/workbooks/{{book}}/dashboard" + ask, body: `{"dashboardDraft":{"title":"T","widgets":[{"config":{"reportPublicId":"Chart0000001"}}]}}`, header: strictly, status: 200, holds: draft},
			{name: "a published one", method: "POST", path: "/workbooks/{{book}}/publish" + ask, header: strictly, status: 200, holds: `{"dashboardPublished":` + both + `}`},
			{name: "by its slug", method: "GET", path: "/workbooks/by-slug/charts" + ask, header: strictly, status: 200, holds: `{"dashboardPublished":` + both + `}`},
		})
		for _, one := range []step{
			get,
			{method: "GET", path: "/workbooks/by-slug/charts"},
			{method: "GET", path: "/workbooks?include=meta"},
			{method: "PUT", path: "/workbooks/{{book}}", body: `{"meta":` + draft + `}`},
			{method: "PUT", path: "/workbooks/{{book}}/dashboard", body: draft},
			{method: "POST", path: "/workbooks/{{book}}/publish"},
		} {
			if got := a.send(one); got.Code != 200 || strings.Contains(got.Body.String(), "reportPublicId") {
				t.Errorf("%s %s shows what was not asked for: %d %s", one.method, one.path, got.Code, got.Body)
			}
		}
	})
}

// Of a chart's two names a reportId that was rewritten counts; else they must agree (decisions.md §5).
func TestTheTwoNamesOfAChart(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		const at = "/workbooks/{{book}}/dashboard?include=reportPublicId"
		draft := func(widget, config string) string {
			return `{"dashboardDraft":{"widgets":[{"id":"` + widget + `","type":"CHART","config":{` + config + `}}]}}`
		}
		shows := func(id, publicID string) string {
			return `{"dashboardDraft":{"widgets":[{"config":{"reportId":` + id + `,"reportPublicId":"` + publicID + `"}}]}}`
		}
		report := func(publicID, id string) step {
			return step{name: publicID, method: "PUT", path: "/reports/by-public-id/" + publicID, body: `{"name":"` + publicID + `"}`, status: 200, keep: map[string]string{id: "id"}}
		}
		differ := func(fact, widget, config string, naming ...string) step {
			return step{
				name: fact, method: "PUT", path: at, body: draft(widget, config), status: 400,
				holds: `{"code":"chart_reports_differ","details":[{"pointer":"/dashboardDraft/widgets/0/config/reportId"}]}`, says: naming,
			}
		}
		a.run(t, []step{
			report("Names0000001", "one"), report("Names0000002", "two"), report("Names0000003", "three"),
			{name: "its draft shows the first", method: "POST", path: "/workbooks", body: `{"meta":` + draft("w", `"reportId":{{one}}`) + `}`, status: 200, keep: map[string]string{"book": "id"}},
			{name: "the apply flow rewrites the id", method: "PUT", path: at, body: draft("w", `"reportId":{{two}},"reportPublicId":"Names0000001"`), status: 200, holds: shows("{{two}}", "Names0000002")},
			{name: "whatever the other name is", method: "PUT", path: at, body: draft("w", `"reportId":{{one}},"reportPublicId":"Nothing00001"`), status: 200, holds: shows("{{one}}", "Names0000001")},
			{name: "both of another report", method: "PUT", path: at, body: draft("w", `"reportId":{{two}},"reportPublicId":"Names0000002"`), status: 200, holds: shows("{{two}}", "Names0000002")},
			{name: "the publicId alone", method: "PUT", path: at, body: draft("w", `"reportPublicId":"Names0000001"`), status: 200, holds: shows("{{one}}", "Names0000001")},
			differ("the publicId alone was changed", "w", `"reportId":{{one}},"reportPublicId":"Names0000002"`, "is {{one}}, and reportPublicId is Names0000002"),
			differ("to none that there is", "w", `"reportId":{{one}},"reportPublicId":"Nothing00001"`, "Nothing00001"),
			differ("a widget that is new", "v", `"reportId":{{three}},"reportPublicId":"Names0000002"`, "is {{three}}, and reportPublicId is Names0000002"),
			differ("… with an id of another deployment", "v", `"reportId":4711,"reportPublicId":"Names0000002"`, "is 4711, and reportPublicId is Names0000002"),
			{name: "a rewritten id of nothing", method: "PUT", path: at, body: draft("w", `"reportId":4711,"reportPublicId":"Names0000001"`), status: 400, holds: `{"code":"unknown_report","details":[{"pointer":"/dashboardDraft/widgets/0/config/reportId"}]}`},
			{name: "a reportId of the wrong type", method: "PUT", path: at, body: draft("w", `"reportId":"1","reportPublicId":"Names0000001"`), status: 400, holds: `{"details":[{"pointer":"/dashboardDraft/widgets/0/config/reportId"}]}`},
			{name: "nothing of that was stored", method: "GET", path: "/workbooks/{{book}}?include=reportPublicId", status: 200, holds: shows("{{one}}", "Names0000001")},
		})
	})
}

// A dashboardDraft beside meta says the same as meta's, or nothing.
func TestADraftBesideMeta(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		const (
			one, two = `{"title":"One"}`, `{"title":"Two"}`
			both     = `{"meta":{"dashboardDraft":` + one + `},"dashboardDraft":` + two + `}`
			stored   = `{"dashboardDraft":{"kind":"CLASSIC","title":"One"}`
		)
		write := func(fact, method, path, body string, status int) step {
			s := step{name: fact + ": " + method + " " + path, method: method, path: path, body: body, status: status, header: strictly}
			if status == 400 {
				s.holds, s.says = `{"code":"dashboard_drafts_differ","details":[{"pointer":"/dashboardDraft"}]}`, []string{"/meta/dashboardDraft"}
			}
			return s
		}
		const slug, id = "/workbooks/by-slug/beside", "/workbooks/{{book}}"
		made := write("both alike", "PUT", slug, `{"meta":{"dashboardDraft":{"title":"One","settings":{"a":1}}},"dashboardDraft":{"settings":{"a":1},"title":"One"}}`, 200)
		made.keep = map[string]string{"book": "id"}
		a.run(t, []step{
			write("another", "PUT", slug, both, 400), write("another", "POST", "/workbooks", both, 400),
			write("none in meta", "POST", "/workbooks", `{"dashboardDraft":`+one+`}`, 400), write("none in meta", "PUT", slug, `{"dashboardDraft":`+one+`}`, 400),
			made,
			write("one", "PUT", slug, `{"meta":{"dashboardDraft":`+one+`},"dashboardDraft":null}`, 200),
			write("another", "PUT", slug, both, 400), write("another", "PUT", id, both, 400),
			write("as stored, without meta", "PUT", slug, stored+`}`, 200), write("as stored, without meta", "PUT", id, stored+`}`, 200),
			write("as stored, with a meta that keeps it", "PUT", slug, stored+`,"meta":{"x":1}}`, 200),
			write("as stored, with a meta that drops it", "PUT", id, stored+`,"meta":{"x":1}}`, 400),
			write("not as stored", "PUT", slug, `{"dashboardDraft":`+two+`}`, 400), write("not as stored", "PUT", id, `{"dashboardDraft":`+two+`}`, 400),
			write("meta's is dropped", "PUT", slug, stored+`,"meta":{"dashboardDraft":null}}`, 400),
			{
				name: "told with the other faults", method: "PUT", path: slug, body: `{"name":1,"meta":{"dashboardDraft":` + one + `},"dashboardDraft":` + two + `}`, status: 400,
				holds: `{"details":[{"pointer":"/dashboardDraft"},{"pointer":"/name"}]}`,
			},
			{name: "it is as it was", method: "GET", path: id, status: 200, holds: `{"meta":{"dashboardDraft":{"title":"One"},"x":1},"version":3}`},
		})
	})
}
