package web

import (
	"fmt"
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
