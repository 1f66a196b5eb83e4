package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

// Each block has one stance: the numbers together are the total, and each is the length of its list, read page by page.
func TestStancesPartThePlacements(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, someReport)
		a.importLastRuns(t, "report", map[string]*placements.LastRun{
			"a-met": failed(placements.Conflict, "B2 is not ours.", 5), "b-typo": failed(placements.Structure, "No such column.", 4),
			"c-typo": failed(placements.Structure, "No such column.", 4), "d-gone": waiting(placements.ReasonMissing, 20, 30),
			"e-open": waiting(placements.ReasonLocked, 20, 30), "f-down": down(2, 14), "g-down": down(3, 15), "h-down": down(4, 16), "i-new": nil,
		})
		a.run(t, []step{
			{
				name: "the numbers", method: "GET", path: "/causes", as: "viewer", status: 200,
				holds: `{"stances":{"total":9,"upToDate":0,"changed":0,"unknown":1,"refreshing":0,"needsYou":4,"waits":4}}`,
			},
			{name: "who reads some reports is told no numbers of all", method: "GET", path: "/causes", as: "role7", status: 200, lacks: []string{"stances"}},
			{name: "a status beside it is refused", method: "GET", path: "/placements?stance=WAITS&status=FAILED", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "another one is refused", method: "GET", path: "/placements?stance=CONFLICT", status: 400, holds: `{"code":"invalid_parameter"}`},
			{name: "a cursor of another list is refused", method: "GET", path: "/placements?stance=WAITS&after=OS8", status: 400, holds: `{"code":"invalid_cursor"}`},
		})
		for _, as := range []string{"viewer", "role7"} {
			for query, want := range map[string][]string{
				"stance=NEEDS_YOU":            {"a-met", "b-typo", "c-typo", "d-gone"},
				"stance=WAITS":                {"e-open", "f-down", "g-down", "h-down"},
				"stance=UNKNOWN":              {"i-new"},
				"stance=UP_TO_DATE":           nil,
				"stance=NEEDS_YOU&document=b": {"b-typo"},
			} {
				for _, size := range []int{1, 3, 100} {
					if diff := cmp.Diff(want, a.pagesOf(t, as, fmt.Sprintf("/placements?%s&first=%d", query, size))); diff != "" {
						t.Errorf("%s as %s, %d a page (-want +got):\n%s", query, as, size, diff)
					}
				}
			}
		}
	})
}

// pagesOf reads all pages of a list of the placements of importLastRuns, and returns their names in order.
func (a *api) pagesOf(t *testing.T, as, path string) (names []string) {
	t.Helper()
	for after := ""; ; {
		var page struct {
			Items    []struct{ Placement struct{ ID string } }
			PageInfo struct {
				HasNextPage bool
				EndCursor   string
			}
		}
		decodeInto(t, a.send(step{method: "GET", path: path + "&after=" + url.QueryEscape(after), as: as}), &page)
		for _, one := range page.Items {
			names = append(names, strings.TrimPrefix(one.Placement.ID, "report"))
		}
		if after = page.PageInfo.EndCursor; !page.PageInfo.HasNextPage {
			slices.Sort(names)
			return names
		}
	}
}

// What runs, schedules and ticks are about is told in people's words to who asks for these, and people are found by theirs.
func TestNamesOfWhatIsRefreshed(t *testing.T) {
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, slices.Concat(someReport, []step{
			{
				name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
				body: `{"externalWorkbookId":"board-1","workbookName":"Board","resultLocation":"Data!A4"}`,
			},
			{name: "scheduled", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@hourly"}`, status: 200, keep: map[string]string{"schedule": "id"}},
			{name: "paused", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@hourly","paused":true}`, status: 200},
		}))
		a.vars["id"] = a.vars["report"]
		a.runOn(t, "p1")
		const named = `"names":{"report":"R","total":1,"blocks":[{"externalWorkbookId":"board-1","workbookName":"Board","resultLocation":"Data!A4"}]}`
		a.run(t, []step{
			{name: "a schedule", method: "GET", path: "/refresh-schedules/{{schedule}}?include=names", status: 200, holds: "{" + named + "}"},
			{name: "not asked for", method: "GET", path: "/refresh-schedules/{{schedule}}", status: 200, lacks: []string{"names"}},
			{name: "the next ticks, without paused ones", method: "GET", path: "/ticks", as: "role7", status: 200, holds: `{"items":[{"scheduleId":{{schedule}},` + named + `}]}`},
			{name: "none of a report that one may not read", method: "GET", path: "/ticks", as: "stranger", status: 200, holds: `{"items":[]}`},
			{name: "people who may read all find themselves", method: "GET", path: "/people", status: 200},
			{name: "nobody of that name", method: "GET", path: "/people?search=nobody%20at%20all", status: 200, holds: `{"items":[]}`},
			{name: "a stranger finds nobody", method: "GET", path: "/people", as: "stranger", status: 200, holds: `{"items":[]}`},
			{name: "documents are found by a part of their names", method: "GET", path: "/documents?search=oAR", status: 200, holds: `{"items":[{"externalWorkbookId":"board-1"}]}`},
			{name: "or are not", method: "GET", path: "/documents?search=boards", status: 200, holds: `{"items":[]}`},
			{name: "no tick was seen yet", method: "GET", path: "/refresh-schedules/{{schedule}}?include=names,ticks", status: 200, holds: `{"lastTicks":[],` + named + "}"},
			{name: "what is not to be included", method: "GET", path: "/refreshes?include=people", status: 400, holds: `{"code":"invalid_request"}`},
			{name: "the time zone", method: "GET", path: "/api/v1/me", status: 200, says: []string{`"timezone":"UTC"`}},
		})
		var runs struct {
			Items []struct {
				Names struct{ Report string }
			}
		}
		decodeInto(t, a.send(step{method: "GET", path: "/refreshes?include=names"}), &runs)
		if len(runs.Items) != 1 || runs.Items[0].Names.Report != "R" {
			t.Errorf("runs %+v", runs.Items)
		}
	})
}
