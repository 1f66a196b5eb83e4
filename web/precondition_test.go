package web

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// If-Match of a write to placements speaks of the definition that it was made on (decisions.md §1).
func TestPlacementsHonourIfMatch(t *testing.T) {
	const place, refresh = `{"externalWorkbookId":"book","resultLocation":"Data!B2","placementId":"p1"}`, "/reports/{{id}}/refresh"
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "its tag", method: "GET", path: "/reports/{{id}}", status: 200, keep: map[string]string{"old": "ETag"}},
			{name: "a connect on the definition as read", method: "PUT", path: connectPath, body: place, header: ifMatches("{{old}}"), status: 200},
			{name: "placing makes no new version", method: "PUT", path: connectPath, body: place, header: ifMatches("{{old}}"), status: 200},
			{name: "the definition is edited", method: "PUT", path: "/reports/{{id}}", body: `{"name":"Edited"}`, status: 200, keep: map[string]string{"now": "ETag"}},
			stale("a connect", "PUT", connectPath, `{"externalWorkbookId":"book","resultLocation":"Data!H9","placementId":"p1"}`),
			stale("a connect that asks for little", "PUT", connectPath, `{"externalWorkbookId":"book","resultLocation":"Data!H9"}`),
			stale("a disconnect", "DELETE", connectPath, `{"placementId":"p1"}`),
			stale("a disconnect of nothing", "DELETE", connectPath, `{"placementId":"p9"}`),
			stale("the refresh stamp", "PUT", refresh, `{"placementId":"p1","endResultCell":"D9"}`),
			{
				name: "nothing was changed", method: "GET", path: "/reports/{{id}}", status: 200, lacks: []string{"endResultCell"},
				holds: `{"resultLocation":"Data!B2","externalWorkbookPlacements":[{"id":"p1","anchorCell":"B2"}]}`,
			},
			{name: "a weak tag matches nothing", method: "PUT", path: refresh, body: `{}`, header: ifMatches("W/{{now}}"), status: 412},
			{name: "a list matches by any of its tags", method: "PUT", path: refresh, body: `{}`, header: ifMatches(`"x", {{old}} ,{{now}}`), status: 200},
			{name: "* matches what exists", method: "DELETE", path: connectPath, body: `{"placementId":"p1"}`, header: ifMatches("*"), status: 200},
			{name: "… and nothing else", method: "PUT", path: "/reports/77/connect-workbook", body: place, header: ifMatches("*"), status: 404},
			{name: "who may not read the report does not learn its version", method: "PUT", path: refresh, body: `{}`, as: "stranger", header: ifMatches("{{old}}"), status: 404},
		})
	})
}

func ifMatches(tags string) map[string]string { return map[string]string{"If-Match": tags} }

// stale is a write on a definition that was edited since.
func stale(fact, method, path, body string) step {
	return step{name: fact + " on an old definition is refused", method: method, path: path, body: body, header: ifMatches("{{old}}"), status: 412, holds: `{"code":"precondition_failed"}`}
}

// A connect and an edit of the definition it was made on, at once: the connect is in before the edit, or is refused.
func TestIfMatchIsCheckedInTheSameWrite(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for i := range 30 {
			a.run(t, []step{report("Sales"), {name: "its tag", method: "GET", path: "/reports/{{id}}", status: 200, keep: map[string]string{"old": "ETag"}}})
			var connect, edit int
			var both sync.WaitGroup
			both.Go(func() {
				connect = a.send(step{method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!B2"}`, header: ifMatches("{{old}}")}).Code
			})
			both.Go(func() {
				edit = a.send(step{method: "PUT", path: "/reports/{{id}}", body: `{"sqlQuery":"SELECT 2"}`}).Code
			})
			both.Wait()
			after := a.send(step{method: "GET", path: "/reports/{{id}}"})
			status := map[int]string{200: `[{"syncStatus":"CHANGED"}]`, 412: `[]`}[connect]
			if edit != 200 || status == "" {
				t.Fatalf("round %d: connect %d, edit %d", i, connect, edit)
			}
			a.check(t, step{status: 200, holds: fmt.Sprintf(`{"externalWorkbookPlacements":%s}`, status)}, after)
		}
	})
}

// An ETag says which asset it is of, beside its version: what was deleted and made anew under the same name is another one.
func TestAnETagIsOfOneAsset(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		for kind, asset := range map[string]struct {
			named  string   // path of its upsert
			body   string   // of that
			writes []string // that honour If-Match, each a method, a path and perhaps a body
		}{
			"report": {"/reports/by-public-id/Editions0001", `{"name":"R"}`, []string{
				`PUT /reports/by-public-id/Editions0001 {"name":"X"}`, `PUT /reports/{{id}} {"name":"X"}`, `PUT /reports/{{id}}/access {"rolesWithAccess":[]}`,
				`PUT /reports/{{id}}/connect-workbook {"externalWorkbookId":"book","resultLocation":"Data!B2"}`,
				`DELETE /reports/{{id}}/connect-workbook {}`, `PUT /reports/{{id}}/refresh {}`, `DELETE /reports/{{id}}`,
			}},
			"workbook": {"/workbooks/by-slug/editions", `{"name":"W","meta":{"dashboardDraft":{}}}`, []string{
				`PUT /workbooks/by-slug/editions {"name":"X"}`, `PUT /workbooks/{{id}} {"name":"X"}`, `PUT /workbooks/{{id}}/dashboard {"dashboardDraft":{"title":"X"}}`,
				`POST /workbooks/{{id}}/publish`, `DELETE /workbooks/{{id}}`,
			}},
			"schedule": {"/refresh-schedules/by-key/editions", `{"target":{"reportId":{{report}}},"cron":"@daily"}`, []string{
				`PUT /refresh-schedules/by-key/editions {"name":"X"}`, `PUT /refresh-schedules/{{id}} {"name":"X"}`, `POST /refresh-schedules/{{id}}/pause`,
				`POST /refresh-schedules/{{id}}/resume`, `DELETE /refresh-schedules/{{id}}`,
			}},
		} {
			t.Run(kind, func(t *testing.T) {
				once := func(fact string) step {
					return step{name: fact, method: "PUT", path: asset.named, as: "admin", body: asset.body, status: 200, keep: map[string]string{"id": "id", "now": "ETag"}}
				}
				a.run(t, []step{{name: "what a schedule refreshes", method: "PUT", path: "/reports/by-public-id/Scheduled001", as: "admin", body: `{"name":"S"}`, status: 200, keep: map[string]string{"report": "id"}}, once("made")})
				at, _, _ := strings.Cut(strings.TrimPrefix(asset.named, "/"), "/")
				a.vars["old"] = a.vars["now"]
				a.run(t, []step{{name: "deleted", method: "DELETE", path: "/" + at + "/{{id}}", as: "admin", status: 200}, once("made anew")})
				for _, write := range asset.writes {
					method, rest, _ := strings.Cut(write, " ")
					path, body, _ := strings.Cut(rest, " ")
					refused := func(fact, tags string) {
						a.run(t, []step{{name: write + ": " + fact, method: method, path: path, body: body, as: "admin", header: ifMatches(tags), status: 412, holds: `{"code":"precondition_failed"}`}})
					}
					refused("the tag of the one deleted", "{{old}}")
					for _, malformed := range []string{`"v1-nonsense"`, `"v1"`, `v1`, `"v1-0123456789abcdef"`, `*, "x"`, `"*"`, `W/{{now}}`, ``, `{{now}}x`} {
						refused(malformed, malformed)
					}
				}
				a.run(t, []step{
					{name: "it is as it was made", method: "GET", path: asset.named, as: "admin", status: 200, holds: `{"version":1}`, lacks: []string{"refreshedAt"}},
					{name: "a reader's tag is good for a writer", method: "GET", path: asset.named, as: "viewer", status: 200, keep: map[string]string{"now": "ETag"}},
					{name: "a list with it, nonsense too", method: "PUT", path: asset.named, body: asset.body, as: "admin", header: ifMatches(`"a, b" , nonsense,{{now}}`), status: 200},
					{name: "the old one is not what a reader has", method: "GET", path: asset.named, as: "admin", header: map[string]string{"If-None-Match": "{{old}}"}, status: 200},
					{name: "a weak tag of the answer is", method: "GET", path: asset.named, as: "viewer", header: map[string]string{"If-None-Match": `"a, b", W/{{now}}`}, status: 304},
					{name: "and so is *", method: "GET", path: asset.named, as: "viewer", header: map[string]string{"If-None-Match": " * "}, status: 304},
					{name: "not in a list", method: "GET", path: asset.named, as: "viewer", header: map[string]string{"If-None-Match": `*, "x"`}, status: 200},
				})
			})
		}
	})
}
