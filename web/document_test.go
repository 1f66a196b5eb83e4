package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"mooring/web/request"
)

func TestOverlaps(t *testing.T) {
	connect := func(name, report, id, location, overlaps string) step {
		return step{
			name: name, method: "PUT", path: "/reports/{{" + report + "}}/connect-workbook", status: 200,
			body:  fmt.Sprintf(`{"placementId":%q,"externalWorkbookId":"doc","resultLocation":%q}`, id, location),
			holds: `{"overlaps":` + overlaps + `}`,
		}
	}
	second := report("Costs")
	second.keep = map[string]string{"other": "id"}
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"), second,
			connect("alone there is none", "id", "p1", "Data!B2:D20", `[]`),
			connect("one beside it is none", "id", "p2", "Data!E2:F20", `[]`),
			connect("one below it is none", "other", "q0", "Data!B21:D22", `[]`),
			connect("one on another sheet is none", "other", "q1", "Other!B2:D20", `[]`),
			connect("another report's block at the same spot is listed", "other", "q2", "Data!B2",
				`[{"access":"GRANTED","deploymentId":1,"reportId":{{id}},"reportName":"Sales","placement":{"id":"p1","sheetName":"Data","anchorCell":"B2","syncStatus":"UP_TO_DATE"}}]`),
			connect("one common corner is enough", "other", "q3", "Data!D20:E30", `[{"placement":{"id":"p1"}},{"placement":{"id":"p2"}},{"placement":{"id":"q0"}}]`),
			connect("a block of many rows meets those far below its anchor", "other", "q4", "Data!C1:C5000", `[{"placement":{"id":"p1"}},{"placement":{"id":"q0"}}]`),
			{name: "a disconnected block is none", method: "DELETE", path: connectPath, status: 200, body: `{"placementId":"p1"}`, holds: `{"removedPlacement":{"id":"p1"}}`},
			connect("a moved block leaves where it was", "other", "q4", "Far!A1", `[]`),
			connect("and so only the rest is listed", "id", "p3", "Data!A1:D20", `[{"reportId":{{other}},"placement":{"id":"q2"}},{"reportId":{{other}},"placement":{"id":"q3"}}]`),
		})
	})
}

func TestDocumentPlacements(t *testing.T) {
	path := "/api/v1/external-documents/my%20doc/placements"
	connect := func(deployment, id, location string) step {
		return step{
			name: "connect " + id, method: "PUT", path: "/api/v1/deployments/" + deployment + "/reports/1/connect-workbook", as: "admin", status: 200,
			body: fmt.Sprintf(`{"placementId":%q,"externalWorkbookId":"my doc","resultLocation":%q}`, id, location),
		}
	}
	each(t, func(t *testing.T, a *api) {
		second := report("Costs")
		second.path = "/api/v1/deployments/2/reports"
		a.run(t, []step{
			report("Sales"), second,
			connect("1", "p1", "Data!B2"), connect("1", "p2", "Data!H2"), connect("2", "q1", "Data!B2:D9"),
			{
				name: "every placement in the spreadsheet, over deployments", method: "GET", path: path, as: "viewer", status: 200,
				holds: `{"items":[
					{"access":"GRANTED","deploymentId":1,"reportId":1,"reportName":"Sales","placement":{"id":"p1","syncStatus":"UP_TO_DATE"}},
					{"access":"GRANTED","deploymentId":1,"placement":{"id":"p2"}},
					{"access":"GRANTED","deploymentId":2,"reportName":"Costs","placement":{"id":"q1"}}],"pageInfo":{"hasNextPage":false}}`,
			},
			{
				name: "a deployment that the token is not for is denied", method: "GET", path: path, as: "only2", status: 200,
				holds: `{"items":[{"access":"DENIED","deploymentId":1},{"access":"DENIED"},{"access":"GRANTED","deploymentId":2}]}`,
			},
			{name: "a page", method: "GET", path: path + "?first=2", as: "viewer", status: 200, holds: `{"items":[{"placement":{"id":"p1"}},{"placement":{"id":"p2"}}],"pageInfo":{"hasNextPage":true}}`},
			{name: "another spreadsheet has none", method: "GET", path: "/api/v1/external-documents/none/placements", status: 200, holds: `{"items":[],"pageInfo":{"hasNextPage":false}}`},
			{name: "another tenant sees none", method: "GET", path: path, as: "foreign", status: 200, holds: `{"items":[]}`},
			{name: "a broken cursor is refused", method: "GET", path: path + "?after=!", status: 400, holds: `{"code":"invalid_cursor"}`},
			{name: "the report list filters by spreadsheet", method: "GET", path: "/reports?externalWorkbookId=my%20doc", status: 200, holds: `{"items":[{"id":1,"name":"Sales"}]}`},
			{name: "and finds none in another one", method: "GET", path: "/reports?externalWorkbookId=none", status: 200, holds: `{"items":[]}`},
			{name: "a deleted report", method: "DELETE", path: "/api/v1/deployments/2/reports/1", as: "admin", status: 200},
			{name: "takes its placements along", method: "GET", path: path, status: 200, holds: `{"items":[{"deploymentId":1},{"deploymentId":1}]}`},
		})
		denied := a.send(step{method: "GET", path: path, as: "stranger"}).Body.String()
		want := `{"items":[{"access":"DENIED","deploymentId":1,"placement":{"workbookId":"my doc","sheetName":"Data","anchorCell":"B2","resultLocation":"Data!B2"}},` +
			`{"access":"DENIED","deploymentId":1,"placement":{"workbookId":"my doc","sheetName":"Data","anchorCell":"H2","resultLocation":"Data!H2"}}]`
		if len(denied) < len(want) || denied[:len(want)] != want {
			t.Errorf("a denied placement shows more than address and deployment: %s", denied)
		}
	})
}

func TestDocumentPagesHoldEveryPlacementOnce(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales")})
		const n = 23
		for i := range n {
			a.run(t, []step{{
				name: "connect", method: "PUT", path: connectPath, status: 200,
				body: fmt.Sprintf(`{"externalWorkbookId":"doc","resultLocation":"Data!B%d"}`, i+1),
			}})
		}
		seen, after := map[string]bool{}, ""
		for page := 0; page <= n; page++ {
			w := a.send(step{method: "GET", path: "/api/v1/external-documents/doc/placements?first=5&after=" + after})
			var body struct {
				Items []struct {
					Placement struct{ AnchorCell string }
				}
				PageInfo request.PageInfo
			}
			decodeInto(t, w, &body)
			for _, item := range body.Items {
				if seen[item.Placement.AnchorCell] {
					t.Errorf("%s is on two pages", item.Placement.AnchorCell)
				}
				seen[item.Placement.AnchorCell] = true
			}
			if !body.PageInfo.HasNextPage {
				break
			}
			after = *body.PageInfo.EndCursor
		}
		if len(seen) != n {
			t.Errorf("the pages hold %d placements, want %d", len(seen), n)
		}
	})
}

func decodeInto(t *testing.T, w *httptest.ResponseRecorder, v any) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%d %v: %s", w.Code, err, w.Body)
	}
}
