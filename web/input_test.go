package web

import (
	"strings"
	"testing"
)

func TestResultChecksumIsShownInListsAndOverlapsToWhoIncludesIt(t *testing.T) {
	const (
		shown = `"resultChecksum":{"v":2,"chunks":[{"from":0,"to":16,"hash":"}],\"{"}]}`
		body  = `{"externalWorkbookId":"doc","resultLocation":"Data!B2:D9","placementId":"p1",` + shown + `}`
		list  = "/reports"
		there = "/api/v1/external-documents/doc/placements"
	)
	second := report("Costs")
	second.keep = map[string]string{"other": "id"}
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales"), second, {name: "place it", method: "PUT", path: connectPath, status: 200, body: body}})
		for _, tt := range []struct {
			name, method, path, body string
			sums, metas              int
		}{
			{"the list of reports", "GET", list, "", 0, 0},
			{"that with meta", "GET", list + "?include=meta", "", 0, 2},
			{"that with checksums", "GET", list + "?include=resultChecksum", "", 1, 0},
			{"that with both", "GET", list + "?include=meta,resultChecksum", "", 1, 2},
			{"the list of a spreadsheet", "GET", there, "", 0, 0},
			{"that with checksums", "GET", there + "?include=resultChecksum", "", 1, 0},
			{"overlaps", "PUT", "/reports/{{other}}/connect-workbook", `{"externalWorkbookId":"doc","resultLocation":"Data!B2"}`, 0, 1},
			{"those with checksums", "PUT", "/reports/{{other}}/connect-workbook?include=resultChecksum", `{"externalWorkbookId":"doc","resultLocation":"Data!B2"}`, 1, 1},
			{"the report itself", "GET", "/reports/{{id}}", "", 1, 1},
		} {
			t.Run(tt.name, func(t *testing.T) {
				w := a.send(step{method: tt.method, path: tt.path, body: tt.body, header: map[string]string{"Prefer": "handling=strict"}})
				got := w.Body.String()
				if w.Code != 200 || !strings.Contains(got, `"id":"p1"`) || !strings.Contains(got, `"syncStatus":"UP_TO_DATE"`) {
					t.Fatalf("%d: %s", w.Code, got)
				}
				if n := strings.Count(got, shown); n != tt.sums || strings.Count(got, "resultChecksum") != tt.sums {
					t.Errorf("it has %d checksums, want %d: %s", n, tt.sums, got)
				}
				if n := strings.Count(got, `"meta":`); n != tt.metas {
					t.Errorf("it has %d metas, want %d: %s", n, tt.metas, got)
				}
			})
		}
		a.run(t, []step{
			{name: "another name is refused", method: "GET", path: list + "?include=meta,other", status: 400, holds: `{"code":"invalid_request"}`},
			{name: "workbooks have no checksums", method: "GET", path: "/workbooks?include=resultChecksum", status: 400, holds: `{"code":"invalid_request"}`},
			{name: "nor has the list of a spreadsheet meta", method: "GET", path: there + "?include=meta", status: 400, holds: `{"code":"invalid_request"}`},
		})
	})
}
