package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pageOf is what a list test reads of a page.
type pageOf struct {
	Items    []struct{ Name string }
	PageInfo struct {
		HasNextPage bool
		EndCursor   *string
	}
}

// names walks all pages of a list and gives the names in order; each page but the last must be full.
func (a *api) names(t *testing.T, as, path string, first int) []string {
	t.Helper()
	var names []string
	for after := ""; ; {
		join := "?"
		if strings.Contains(path, "?") {
			join = "&"
		}
		w := a.send(step{method: "GET", path: fmt.Sprintf("%s%sfirst=%d&after=%s", path, join, first, url.QueryEscape(after)), as: as})
		var p pageOf
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 200 {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		for _, item := range p.Items {
			names = append(names, item.Name)
		}
		if !p.PageInfo.HasNextPage {
			return names
		}
		if len(p.Items) != first {
			t.Fatalf("a page of %d items that is not the last, want %d", len(p.Items), first)
		}
		after = *p.PageInfo.EndCursor
	}
}

func TestListsPageThroughEverythingOnce(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		for _, kind := range []string{"reports", "workbooks"} {
			t.Run(kind, func(t *testing.T) {
				for i, name := range []string{"delta", "Alpha", "charlie", "bravo", "echo"} {
					body := fmt.Sprintf(`{"name":%q,"folderId":%d}`, name, i%2+1)
					if w := a.send(step{method: "POST", path: "/" + kind, body: body}); w.Code != 200 {
						t.Fatal(w.Body)
					}
				}
				for name, tt := range map[string]struct {
					as, query string
					want      []string
				}{
					"by creation":                       {"viewer", "", []string{"delta", "Alpha", "charlie", "bravo", "echo"}},
					"by name, upper and lower alike":    {"viewer", "?sortBy=name", []string{"Alpha", "bravo", "charlie", "delta", "echo"}},
					"descending":                        {"viewer", "?sortBy=name&sortDirection=desc", []string{"echo", "delta", "charlie", "bravo", "Alpha"}},
					"of a folder":                       {"viewer", "?folderId=2", []string{"Alpha", "bravo"}},
					"searched":                          {"viewer", "?search=LPH", []string{"Alpha"}},
					"nothing that may not be read":      {"stranger", "", nil},
					"everything that oneself made":      {"editor", "?sortBy=createdAt", []string{"delta", "Alpha", "charlie", "bravo", "echo"}},
					"nothing of another tenant's":       {"foreign", "", nil},
					"a filter that nothing matches":     {"viewer", "?search=zulu", nil},
					"search and folder narrow together": {"viewer", "?search=a&folderId=2", []string{"Alpha", "bravo"}},
				} {
					for _, first := range []int{1, 2, 500} {
						if diff := cmp.Diff(tt.want, a.names(t, tt.as, "/"+kind+tt.query, first)); diff != "" {
							t.Errorf("%s, %d a page (-want +got):\n%s", name, first, diff)
						}
					}
				}
			})
		}
	})
}

func TestListParameters(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{
		{name: "an empty list has no cursor", method: "GET", path: "/reports", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false,"endCursor":null}}`},
		{name: "first is at least 1", method: "GET", path: "/reports?first=0", status: 400},
		{name: "first is at most 500", method: "GET", path: "/workbooks?first=501", status: 400},
		{name: "first is a number", method: "GET", path: "/reports?first=x", status: 400},
		{name: "an unknown order is refused", method: "GET", path: "/reports?sortBy=size", status: 400},
		{name: "an unknown direction is refused", method: "GET", path: "/reports?sortDirection=up", status: 400},
		{name: "a cursor of our own making is refused", method: "GET", path: "/reports?after=bogus", status: 400},
		{name: "what may be included is meta", method: "GET", path: "/reports?include=everything", status: 400},
		{name: "a folder id is a number", method: "GET", path: "/workbooks?folderId=x", status: 400},
		{name: "a workbook id is a number", method: "GET", path: "/reports?workbookId=x", status: 400},
		{name: "a workbook", method: "POST", path: "/workbooks", body: `{}`, status: 200, keep: map[string]string{"book": "id"}},
		{name: "a report in a workbook, placed in a spreadsheet", method: "POST", path: "/reports", body: `{"name":"A","workbookId":{{book}},"externalWorkbookId":"book","resultLocation":"S!A1"}`, status: 200},
		{name: "another one", method: "POST", path: "/reports", body: `{"name":"B"}`, status: 200},
		{name: "by workbook", method: "GET", path: "/reports?workbookId={{book}}", status: 200, holds: `{"items":[{"name":"A","externalWorkbookPlacements":[{"workbookId":"book"}]}]}`},
		{name: "by spreadsheet", method: "GET", path: "/reports?externalWorkbookId=book", status: 200, holds: `{"items":[{"name":"A"}]}`},
		{name: "with meta", method: "GET", path: "/reports?include=meta&search=A", status: 200, holds: `{"items":[{"name":"A","meta":{}}]}`},
		{name: "by a spreadsheet without placements", method: "GET", path: "/reports?externalWorkbookId=none", status: 200, holds: `{"items":[]}`},
	})
}
