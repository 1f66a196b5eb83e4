package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// connectPath is where the report kept as id is connected and disconnected.
const connectPath = "/reports/{{id}}/connect-workbook"

// report is the step that makes a report and keeps its id.
func report(name string) step {
	return step{
		name: "a report is made", method: "POST", path: "/reports", status: 200, keep: map[string]string{"id": "id"},
		body: `{"name":"` + name + `","sqlQuery":"SELECT 1"}`,
	}
}

// placed is the list of a report's placements as these members show it.
func placed(members ...string) string {
	return `{"externalWorkbookPlacements":[` + strings.Join(members, ",") + `]}`
}

func TestConnect(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{
				name: "an address not yet recorded becomes a placement, by read access alone", method: "PUT", path: connectPath, as: "viewer", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"'It''s'!$B$2:D20","placementId":"p1","workbookName":"Book","sheetId":"7","resultChecksum":{"v":9,"chunks":[{"from":0,"to":3,"hash":"own"}]}}`,
				holds: `{"version":1,"externalWorkbookId":"book","resultLocation":"'It''s'!$B$2:D20","endResultCell":"D20","refreshedBy":3,"overlaps":[],
					"externalWorkbookPlacements":[{"id":"p1","workbookId":"book","workbookName":"Book","host":"SHEETS_A","sheetId":"7","sheetName":"It's","anchorCell":"B2",
						"endResultCell":"D20","resultLocation":"'It''s'!$B$2:D20","resultChecksum":{"v":9,"chunks":[{"from":0,"to":3,"hash":"own"}]},
						"placedByUserId":3,"refreshedByUserId":3,"syncStatus":"UP_TO_DATE"}]}`,
			},
			{
				name: "the same address upserts it, and what is not sent of its names stays", method: "PUT", path: connectPath, as: "editor2", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"IT'S!b2"}`,
				holds: placed(`{"id":"p1","workbookName":"Book","sheetId":"7","sheetName":"IT'S","anchorCell":"B2","endResultCell":"D20",
					"placedByUserId":3,"refreshedByUserId":2,"syncStatus":"UP_TO_DATE"}`),
			},
			{name: "the definition is untouched", method: "GET", path: "/reports/{{id}}", status: 200, holds: `{"name":"Sales","sqlQuery":"SELECT 1","version":1}`, keep: map[string]string{"query": "currentQueryChecksum"}},
			{name: "the write was one of the current query", method: "GET", path: "/reports/{{id}}", status: 200, holds: placed(`{"id":"p1","queryChecksum":"{{query}}"}`)},
			{
				name: "an edit of the query shows as CHANGED", method: "PUT", path: "/reports/{{id}}", body: `{"sqlQuery":"SELECT 2"}`, status: 200,
				holds: placed(`{"id":"p1","syncStatus":"CHANGED"}`),
			},
			{
				name: "addressOnly changes the address and no stamp", method: "PUT", path: connectPath, status: 200,
				body:  `{"externalWorkbookId":"book","resultLocation":"Data!H5","placementId":"p1","addressOnly":true}`,
				holds: placed(`{"id":"p1","sheetName":"Data","anchorCell":"H5","endResultCell":"J23","placedByUserId":3,"refreshedByUserId":2,"syncStatus":"CHANGED"}`),
			},
			{
				name: "reverting the edit restores UP_TO_DATE", method: "PUT", path: "/reports/{{id}}", body: `{"sqlQuery":"SELECT 1"}`, status: 200,
				holds: placed(`{"id":"p1","syncStatus":"UP_TO_DATE"}`),
			},
			{
				name: "addressOnly at a new address records no write", method: "PUT", path: connectPath, status: 200,
				body:  `{"externalWorkbookId":"book","sheetName":"Data","anchorCell":"A1","resultLocation":"A1","placementId":"p2","addressOnly":true,"host":"SHEETS_B"}`,
				holds: placed(`{"id":"p2","host":"SHEETS_B","syncStatus":"UNKNOWN"}`, `{"id":"p1"}`),
			},
			{
				name: "a move onto another placement is refused", method: "PUT", path: connectPath, status: 409,
				body:  `{"externalWorkbookId":"book","resultLocation":"data!a1","placementId":"p1"}`,
				holds: `{"code":"placement_address_taken","retryable":false}`,
			},
			{
				name: "a new id where another placement stands is refused", method: "PUT", path: connectPath, status: 409,
				body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","placementId":"p3"}`,
				holds: `{"code":"placement_address_taken"}`,
			},
			{
				name: "a known id moves to another spreadsheet", method: "PUT", path: connectPath, status: 200,
				body:  `{"externalWorkbookId":"book2","resultLocation":"Data!A1","placementId":"p2"}`,
				holds: placed(`{"id":"p1"}`, `{"id":"p2","workbookId":"book2","refreshedByUserId":1}`),
			},
			{
				name: "the address that it left is free", method: "PUT", path: connectPath, status: 200,
				body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","placementId":"p3"}`,
				holds: placed(`{"id":"p1"}`, `{"id":"p2"}`, `{"id":"p3","workbookId":"book"}`),
			},
			{
				name: "a minimal answer shows only the placement written", method: "PUT", path: connectPath, status: 200,
				header: map[string]string{"Prefer": "return=minimal"}, body: `{"externalWorkbookId":"book","resultLocation":"Data!A1"}`,
				holds: placed(`{"id":"p3","syncStatus":"UP_TO_DATE"}`),
			},
			{
				name: "all faults of an address come at once", method: "PUT", path: connectPath, status: 400,
				body:  `{"externalWorkbookId":"book","resultLocation":"Data!B:D","endResultCell":"0"}`,
				holds: `{"code":"invalid_address","details":[{"pointer":"/resultLocation"},{"pointer":"/endResultCell"}]}`,
			},
			{
				name: "two sheets in one connect are refused", method: "PUT", path: connectPath, status: 400,
				body: `{"externalWorkbookId":"book","resultLocation":"Data!B2","sheetName":"Other"}`, holds: `{"code":"invalid_address","details":[{"pointer":"/sheetName"}]}`,
			},
			{
				name: "chunks of a checksum must ascend", method: "PUT", path: connectPath, status: 400,
				body:  `{"externalWorkbookId":"book","resultLocation":"Data!B2","resultChecksum":{"v":2,"chunks":[{"from":4,"to":8,"hash":"a"},{"from":0,"to":4,"hash":"b"}]}}`,
				holds: `{"code":"invalid_request","details":[{"pointer":"/resultChecksum/chunks/1/from"}]}`,
			},
			{
				name: "a caller who may not read the report does not find it", method: "PUT", path: connectPath, as: "stranger", status: 404,
				body: `{"externalWorkbookId":"book","resultLocation":"Data!Z1"}`, holds: `{"code":"not_found"}`,
			},
			{
				name: "a role may be let in", method: "PUT", path: "/reports/{{id}}/access", as: "admin", status: 200,
				body: `{"rolesWithAccess":[{"id":7,"name":"Analysts","actions":["ReportRead"]}]}`,
			},
			{
				name: "and then may connect", method: "PUT", path: connectPath, as: "role7", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"Data!Z1"}`, holds: `{"canEdit":false,"refreshedBy":6}`,
			},
		})
	})
}

func TestDisconnect(t *testing.T) {
	at := func(id, document, location, sheetID string) step {
		return step{
			name: "connect " + id, method: "PUT", path: connectPath, status: 200,
			body: fmt.Sprintf(`{"placementId":%q,"externalWorkbookId":%q,"resultLocation":%q,"sheetId":%q}`, id, document, location, sheetID),
		}
	}
	remove := func(name, body, removed string) step {
		return step{name: name, method: "DELETE", path: connectPath, as: "viewer", body: body, status: 200, holds: `{"removedPlacement":` + removed + `}`}
	}
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			at("p1", "doc", "Sheet1!B2:D20", "7"), at("p2", "doc", "Sheet1!H2", "7"), at("p3", "doc", "'It''s'!B2", ""), at("p4", "other", "Sheet1!B2", "1"), at("p5", "other", "Zed!C3", ""),
			remove("rule 2: a location without a sheet addresses nothing", `{"externalWorkbookId":"doc","resultLocation":"H2"}`, `null`),
			remove("rule 3: without the sheet name nothing", `{"externalWorkbookId":"doc","anchorCell":"H2"}`, `null`),
			remove("rule 3: without the anchor nothing", `{"externalWorkbookId":"doc","sheetName":"It's"}`, `null`),
			remove("rule 4: another sheet id is no match", `{"externalWorkbookId":"doc","sheetName":"Sheet1","anchorCell":"B2","sheetId":"8"}`, `null`),
			remove("rule 4: a sheet id is no substitute for the name", `{"externalWorkbookId":"doc","sheetId":"7","anchorCell":"B2"}`, `null`),
			remove("rule 5: an unknown id", `{"placementId":"p9"}`, `null`),
			remove("rule 5: nothing sent", `{}`, `null`),
			remove("rule 5: no body at all", ``, `null`),
			remove("a broken location addresses nothing", `{"externalWorkbookId":"doc","resultLocation":"B:D"}`, `null`),
			remove("an id that no placement can have", `{"placementId":"\u00013:docB2!SHEET1"}`, `null`),
			remove("§6: several placements at a location: nothing", `{"resultLocation":"Sheet1!B2"}`, `null`),
			remove("§6: placementId does not fall back to the address", `{"placementId":"p9","externalWorkbookId":"doc","sheetName":"It's","anchorCell":"B2"}`, `null`),
			{name: "so far nothing has gone", method: "GET", path: "/reports/{{id}}", status: 200, holds: placed(`{"id":"p1"}`, `{"id":"p2"}`, `{"id":"p3"}`, `{"id":"p4"}`, `{"id":"p5"}`)},
			remove("§6: the sheet id narrows a location", `{"resultLocation":"Sheet1!B2","sheetId":"1"}`, `{"id":"p4","workbookId":"other","sheetName":"Sheet1","anchorCell":"B2"}`),
			remove("rule 2: by spreadsheet, sheet and anchor, in any case", `{"externalWorkbookId":"doc","sheetName":"sheet1","anchorCell":"$h$2"}`, `{"id":"p2"}`),
			remove("rule 4: a sheet id does not hinder a placement without one", `{"externalWorkbookId":"doc","sheetName":"It's","anchorCell":"B2","sheetId":"3"}`, `{"id":"p3"}`),
			remove("rule 2: by a location alone", `{"resultLocation":"Zed!C3:F9"}`, `{"id":"p5"}`),
			{name: "rule 1: exactly those have gone", method: "GET", path: "/reports/{{id}}", status: 200, holds: placed(`{"id":"p1"}`)},
			{
				name: "a caller who may not read the report does not find it", method: "DELETE", path: connectPath, as: "stranger", status: 404,
				body: `{"placementId":"p1"}`,
			},
			remove("rule 2: by placementId, which wins over the address", `{"placementId":"p1","externalWorkbookId":"doc","sheetName":"No","anchorCell":"Z9"}`, `{"id":"p1"}`),
			remove("rule 5: again is a success", `{"placementId":"p1"}`, `null`),
			{name: "nothing is left", method: "GET", path: "/reports/{{id}}", status: 200, holds: placed()},
			at("p1", "doc", "Sheet1!B2", ""),
		})
	})
}

func TestStampRefresh(t *testing.T) {
	path := "/reports/{{id}}/refresh"
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{
				name: "a placement without a write", method: "PUT", path: connectPath, status: 200,
				body: `{"placementId":"p1","externalWorkbookId":"doc","resultLocation":"Data!B2:C9","addressOnly":true}`, holds: placed(`{"syncStatus":"UNKNOWN"}`),
			},
			{
				name: "a rewrite stamps the placement and the report", method: "PUT", path: path, as: "viewer", status: 200,
				body:  `{"placementId":"p1","endResultCell":"d12","resultChecksum":{"v":2,"chunks":[]}}`,
				holds: `{"refreshedBy":3,"version":1,"externalWorkbookPlacements":[{"endResultCell":"D12","resultChecksum":{"v":2,"chunks":[]},"placedByUserId":3,"refreshedByUserId":3,"syncStatus":"UP_TO_DATE"}]}`,
			},
			{
				name: "without a match only the report is stamped", method: "PUT", path: path, as: "editor2", status: 200,
				body: `{"placementId":"p9"}`, holds: `{"refreshedBy":2,"externalWorkbookId":"doc","externalWorkbookPlacements":[{"refreshedByUserId":3}]}`,
			},
			{name: "without a body only the report is stamped", method: "PUT", path: path, status: 200, holds: `{"refreshedBy":1,"externalWorkbookPlacements":[{"refreshedByUserId":3}]}`},
			{
				name: "an end before the anchor is refused", method: "PUT", path: path, body: `{"placementId":"p1","endResultCell":"A1"}`, status: 400,
				holds: `{"code":"invalid_address","details":[{"pointer":"/endResultCell"}]}`,
			},
			{name: "a caller who may not read the report does not find it", method: "PUT", path: path, as: "stranger", body: `{"placementId":"p1"}`, status: 404},
		})
	})
}

func TestPrefersMinimal(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for prefer, want := range map[string]string{"return=minimal": "return=minimal", "handling=strict, Return = minimal": "return=minimal", "return=representation": "", "": ""} {
		w := a.send(step{method: "DELETE", path: connectPath, header: map[string]string{"Prefer": prefer}})
		if got := w.Header().Get("Preference-Applied"); w.Code != http.StatusOK || got != want {
			t.Errorf("Prefer %q: %d, applied %q, want %q", prefer, w.Code, got, want)
		}
	}
}

func TestConnectAnswersWhatGetAnswers(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales <&> costs")})
		var bodies [2]map[string]any
		connected := a.send(step{method: "PUT", path: connectPath, body: `{"externalWorkbookId":"b<&>","resultLocation":"'<&>'!B2"}`})
		read := a.send(step{method: "GET", path: "/reports/{{id}}"})
		for i, body := range [][]byte{connected.Body.Bytes(), read.Body.Bytes()} {
			if err := json.Unmarshal(body, &bodies[i]); err != nil {
				t.Fatal(err)
			}
		}
		delete(bodies[0], "overlaps")
		if fmt.Sprint(bodies[0]) != fmt.Sprint(bodies[1]) {
			t.Errorf("connect answered\n%v\nget\n%v", bodies[0], bodies[1])
		}
	})
}

// parallel is how many requests are sent at once.
const parallel = 300

func (a *api) allAtOnce(t *testing.T, n int, request func(i int) step) {
	t.Helper()
	bare := *a
	bare.strict = a.sut // checking hundreds of answers against the document takes longer than storage waits
	var sent sync.WaitGroup
	for i := range n {
		s := request(i)
		sent.Go(func() {
			if w := bare.send(s); w.Code != http.StatusOK {
				t.Errorf("request %d: %d %s", i, w.Code, w.Body)
			}
		})
	}
	sent.Wait()
}

func TestParallelConnectsAndDisconnectsLoseNothing(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales")})
		body := func(i int) string {
			return fmt.Sprintf(`{"placementId":"p%d","externalWorkbookId":"doc%d","resultLocation":"Sheet1!B%d"}`, i, i%7, i+1)
		}
		short := map[string]string{"Prefer": "return=minimal"}
		a.allAtOnce(t, parallel/2, func(i int) step { return step{method: "PUT", path: connectPath, header: short, body: body(i)} })
		a.allAtOnce(t, parallel, func(i int) step {
			if i%2 == 0 {
				return step{method: "DELETE", path: connectPath, header: short, body: fmt.Sprintf(`{"placementId":"p%d"}`, i/2)}
			}
			return step{method: "PUT", path: connectPath, body: body(parallel + i)}
		})
		got := a.placementsOf(t)
		want := map[string]bool{}
		for i := 1; i < parallel; i += 2 {
			want[fmt.Sprintf("p%d", parallel+i)] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d placements are left, want %d: %v", len(got), len(want), got)
		}
	})
}

func TestParallelConnectsToOneAddressMakeOnePlacement(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{report("Sales")})
		a.allAtOnce(t, parallel, func(int) step {
			return step{method: "PUT", path: connectPath, body: `{"externalWorkbookId":"doc","resultLocation":"Sheet1!B2"}`}
		})
		if got := a.placementsOf(t); len(got) != 1 {
			t.Errorf("%d placements: %v", len(got), got)
		}
	})
}

// placementsOf gives the ids of the report's placements.
func (a *api) placementsOf(t *testing.T) map[string]bool {
	t.Helper()
	var r struct {
		ExternalWorkbookPlacements []struct{ ID string }
	}
	if err := json.Unmarshal(a.send(step{method: "GET", path: "/reports/{{id}}"}).Body.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, p := range r.ExternalWorkbookPlacements {
		ids[p.ID] = true
	}
	return ids
}
