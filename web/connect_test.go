package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage/storagetest"
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

// What connect, disconnect and refresh decide is in placement_rules_test.go; here is what only HTTP knows of.

func TestConnect(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{
				name: "read access is enough", method: "PUT", path: connectPath, as: "viewer", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"'It''s'!$B$2:D20","placementId":"p1","workbookName":"Book","sheetId":"7",
					"resultChecksum":{"v":9,"chunks":[{"from":0,"to":3,"hash":"own"}]}}`,
				holds: `{"version":1,"externalWorkbookId":"book","resultLocation":"'It''s'!$B$2:D20","endResultCell":"D20","refreshedBy":3,"overlaps":[],
					"externalWorkbookPlacements":[{"id":"p1","workbookId":"book","workbookName":"Book","host":"SHEETS_A","sheetId":"7","sheetName":"It's","anchorCell":"B2",
						"endResultCell":"D20","resultLocation":"'It''s'!$B$2:D20","resultChecksum":{"v":9,"chunks":[{"from":0,"to":3,"hash":"own"}]},
						"placedByUserId":3,"refreshedByUserId":3,"syncStatus":"UP_TO_DATE"}]}`,
			},
			{
				name: "a key sent as null is one that was not sent", method: "PUT", path: connectPath, as: "editor2", status: 200,
				body: `{"externalWorkbookId":"book","resultLocation":"IT'S!b2","placementId":null,"workbookName":null,"sheetId":null,"sheetName":null,
					"anchorCell":null,"endResultCell":null,"addressOnly":null,"resultChecksum":null,"host":null}`,
				holds: placed(`{"id":"p1","workbookName":"Book","sheetId":"7","sheetName":"IT'S","anchorCell":"B2","endResultCell":"D20",
					"placedByUserId":3,"refreshedByUserId":2,"syncStatus":"UP_TO_DATE"}`),
			},
			{name: "the definition is untouched", method: "GET", path: "/reports/{{id}}", status: 200, holds: `{"name":"Sales","sqlQuery":"SELECT 1","version":1}`},
			{
				name: "an unknown key is ignored", method: "PUT", path: connectPath, status: 200,
				body:  `{"externalWorkbookId":"book","resultLocation":"Data!A1","placementId":"p2","syncStatus":"CHANGED","name":"Other"}`,
				holds: `{"name":"Sales","version":1,"externalWorkbookPlacements":[{"id":"p1"},{"id":"p2","syncStatus":"UP_TO_DATE"}]}`,
			},
			{
				name: "an unknown key of a strict request is refused", method: "PUT", path: connectPath, status: 400, header: strictly,
				body: `{"externalWorkbookId":"book","resultLocation":"Data!A2","anchor":"A2"}`, holds: `{"code":"unknown_key","details":[{"pointer":"/anchor"}]}`,
			},
			{
				name: "a strict request of known keys passes", method: "PUT", path: connectPath, status: 200, header: strictly,
				body: `{"externalWorkbookId":"book","resultLocation":"Data!A1","addressOnly":true}`, holds: placed(`{"id":"p1"}`, `{"id":"p2"}`),
			},
			{
				name: "a minimal answer shows only the placement written", method: "PUT", path: connectPath, status: 200,
				header: map[string]string{"Prefer": "return=minimal"}, body: `{"externalWorkbookId":"book","resultLocation":"Data!A1"}`,
				holds: placed(`{"id":"p2","syncStatus":"UP_TO_DATE"}`),
			},
			{name: "a body is needed", method: "PUT", path: connectPath, status: 400, holds: `{"code":"malformed_json"}`},
			{
				name: "wrong types are refused, all at once", method: "PUT", path: connectPath, status: 400,
				body: `{"externalWorkbookId":1,"resultLocation":["Data!A1"],"addressOnly":"yes","resultChecksum":{"v":"2","chunks":{}},"host":"sheets_a"}`,
				holds: `{"code":"invalid_request","details":[{"pointer":"/addressOnly"},{"pointer":"/externalWorkbookId"},{"pointer":"/host"},
					{"pointer":"/resultChecksum/chunks"},{"pointer":"/resultChecksum/v"},{"pointer":"/resultLocation"}]}`,
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

// strictly is the header of a request whose unknown keys are faults.
var strictly = map[string]string{"Prefer": "handling=strict"}

func TestPlacementIDsAreOfTheirReport(t *testing.T) {
	connect := func(name, report, location, placed string) step {
		return step{
			name: name, method: "PUT", path: "/reports/{{" + report + "}}/connect-workbook", status: 200,
			body: `{"externalWorkbookId":"doc of {{` + report + `}}","resultLocation":"` + location + `","placementId":"p1"}`, holds: placed,
		}
	}
	second := report("Costs")
	second.keep = map[string]string{"other": "id"}
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"), second,
			connect("an id is recorded", "id", "Data!B2", placed(`{"id":"p1","anchorCell":"B2"}`)),
			connect("the id of another report's placement, elsewhere, is unknown and recorded", "other", "Data!H2", placed(`{"id":"p1","anchorCell":"H2"}`)),
			connect("each is moved by itself", "other", "Data!H9", placed(`{"id":"p1","anchorCell":"H9"}`)),
			{
				name: "and disconnected by itself", method: "DELETE", path: connectPath, status: 200, body: `{"placementId":"p1"}`,
				holds: `{"removedPlacement":{"id":"p1","anchorCell":"B2"},"externalWorkbookPlacements":[]}`,
			},
			{name: "the other one stays", method: "GET", path: "/reports/{{other}}", status: 200, holds: placed(`{"id":"p1","anchorCell":"H9"}`)},
		})
	})
}

// A run that met cells that are not ours ends in CONFLICT until the placement is moved or connected again (decisions.md §6).
func TestAConflictIsOverWhenThePlacementIsConnectedAgain(t *testing.T) {
	conflict := &placements.LastRun{RunID: "r", State: placements.RunFailed, ErrorClass: placements.Conflict, EndedAt: "2026-03-02T08:00:00.000Z"}
	for _, id := range []string{"p1", ""} {
		for name, c := range map[string]placements.Connection{
			"connected again":                  {ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			"connected again with addressOnly": {ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true},
			"moved":                            {ExternalWorkbookID: "doc", ResultLocation: "Data!C3", PlacementID: id},
			"moved with addressOnly":           {ExternalWorkbookID: "doc", ResultLocation: "Data!C3", PlacementID: id, AddressOnly: true},
		} {
			if id == "" && c.ResultLocation == "Data!C3" {
				continue // only an id moves
			}
			t.Run(name+" "+id, func(t *testing.T) {
				each(t, func(t *testing.T, a *api) {
					m := a.moor(t, "", nil)
					p := placements.Placement{
						ID: id, WorkbookID: "doc", Host: placements.SheetsA, SheetName: "Data", AnchorCell: "B2", ResultLocation: "Data!B2", QueryChecksum: "q2",
					}
					m.record(t, shownPlacement{Placement: p, LastRun: conflict})
					m.wantOne(t, m.read(t), placements.Conflicted, conflict)
					m.wantOne(t, m.ask(t, "PUT", "/connect-workbook", c), placements.UpToDate, nil)
					m.wantOne(t, m.read(t), placements.UpToDate, nil)
				})
			})
		}
	}
}

// wantOne checks the status and the last run of the one placement of an answer.
func (m *moored) wantOne(t *testing.T, a answer, status placements.Status, run *placements.LastRun) {
	t.Helper()
	if len(a.placements) != 1 {
		t.Errorf("the answer shows %d placements: %s", len(a.placements), a.text)
	}
	for _, p := range a.placements {
		if diff := cmp.Diff(run, p.LastRun); diff != "" || p.SyncStatus != status {
			t.Errorf("syncStatus %s, want %s; last run (-want +got):\n%s", p.SyncStatus, status, diff)
		}
	}
}

func TestDisconnect(t *testing.T) {
	at := func(id, location string) step {
		return step{
			name: "connect " + id, method: "PUT", path: connectPath, status: 200,
			body: fmt.Sprintf(`{"placementId":%q,"externalWorkbookId":"doc","resultLocation":%q}`, id, location),
		}
	}
	remove := func(name, body, removed string) step {
		return step{name: name, method: "DELETE", path: connectPath, as: "viewer", body: body, status: 200, holds: `{"removedPlacement":` + removed + `}`}
	}
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"), at("p1", "Sheet1!B2:D20"), at("p2", "Sheet1!H2"),
			remove("rule 5: nothing sent", `{}`, `null`),
			remove("rule 5: no body at all", ``, `null`),
			remove("rule 5: nothing but nulls", `{"placementId":null,"externalWorkbookId":null,"sheetName":null,"anchorCell":null,"resultLocation":null}`, `null`),
			remove("an unknown key is ignored", `{"id":"p1"}`, `null`),
			{
				name: "an unknown key of a strict request is refused", method: "DELETE", path: connectPath, header: strictly, status: 400,
				body: `{"id":"p1"}`, holds: `{"details":[{"pointer":"/id"}]}`,
			},
			{
				name: "wrong types are refused, all at once", method: "DELETE", path: connectPath, status: 400,
				body: `{"placementId":1,"sheetId":7}`, holds: `{"code":"invalid_request","details":[{"pointer":"/placementId"},{"pointer":"/sheetId"}]}`,
			},
			{
				name: "a caller who may not read the report does not find it", method: "DELETE", path: connectPath, as: "stranger", status: 404,
				body: `{"placementId":"p1"}`,
			},
			{name: "so far nothing has gone", method: "GET", path: "/reports/{{id}}", status: 200, holds: placed(`{"id":"p1"}`, `{"id":"p2"}`)},
			remove("rule 6: read access is enough", `{"placementId":"p1"}`, `{"id":"p1","workbookId":"doc","sheetName":"Sheet1","anchorCell":"B2"}`),
			remove("rule 5: again is a success", `{"placementId":"p1"}`, `null`),
			{name: "rule 1: exactly that one has gone", method: "GET", path: "/reports/{{id}}", status: 200, holds: placed(`{"id":"p2"}`)},
			at("p1", "Sheet1!B2"),
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
				name: "read access is enough", method: "PUT", path: path, as: "viewer", status: 200,
				body: `{"placementId":"p1","endResultCell":"d12","resultChecksum":{"v":2,"chunks":[]}}`,
				holds: `{"refreshedBy":3,"version":1,"externalWorkbookPlacements":[{"endResultCell":"D12","resultChecksum":{"v":2,"chunks":[]},
					"placedByUserId":3,"refreshedByUserId":3,"syncStatus":"UP_TO_DATE"}]}`,
			},
			{
				name: "without a body only the report is stamped", method: "PUT", path: path, status: 200,
				holds: `{"refreshedBy":1,"externalWorkbookPlacements":[{"refreshedByUserId":3}]}`,
			},
			{
				name: "an unknown key of a strict request is refused", method: "PUT", path: path, header: strictly, status: 400,
				body: `{"placementId":"p1","addressOnly":true}`, holds: `{"details":[{"pointer":"/addressOnly"}]}`,
			},
			{name: "a caller who may not read the report does not find it", method: "PUT", path: path, as: "stranger", body: `{"placementId":"p1"}`, status: 404},
		})
	})
}

func TestPrefersMinimal(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for prefer, want := range map[string]string{"return=minimal": "return=minimal", "handling=strict, Return = minimal": "handling=strict, return=minimal", "return=representation": "", "": ""} {
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

// What a report is filtered by stands above its block, so that it is placed where there is a row above.
func TestAReportThatShowsItsFiltersIsNotPlacedInRow1(t *testing.T) {
	const refused = `{"code":"invalid_address","details":[{"pointer":"/resultLocation","code":"invalid_address",
		"message":"The report shows its applied filters in the cell above its block, and row 1 has none above it: place it in row 2 or below, or set showAppliedFilters of its pivotItems to false."}]}`
	pivot := func(shows string) string {
		return `"pivotItems":{"columns":[],"filters":[],"measures":[],"rows":[],"showAppliedFilters":` + shows + `}`
	}
	each(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "placed before it shows them", method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!A1","placementId":"p1"}`, status: 200},
			{name: "it shows them", method: "PUT", path: "/reports/{{id}}", body: `{` + pivot("true") + `}`, status: 200, holds: `{"pivotItems":{"showAppliedFilters":true}}`},
			{name: "it is refreshed where it stands", method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!A1"}`, status: 200},
			{name: "it is not placed in row 1", method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!$F$1"}`, status: 400, holds: refused},
			{name: "nor moved there", method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!F1","placementId":"p1"}`, status: 400, holds: refused},
			{name: "row 2 has one above", method: "PUT", path: connectPath, body: `{"externalWorkbookId":"book","resultLocation":"Data!F2"}`, status: 200},
			{
				name: "nor by its own body", method: "POST", path: "/reports", status: 400, holds: refused,
				body: `{"name":"Costs","sqlQuery":"SELECT 1","externalWorkbookId":"book","resultLocation":"Data!K1",` + pivot("true") + `}`,
			},
			{
				name: "which may show none", method: "POST", path: "/reports", status: 200,
				body: `{"name":"Costs","sqlQuery":"SELECT 1","externalWorkbookId":"book","resultLocation":"Data!K1",` + pivot("false") + `}`,
			},
		})
	})
}

// parallel is how many requests are sent at once.
const parallel = 300

// allAtOnce sends n requests, which may be repeated, and wants each to succeed. On a machine so busy that the storage does not answer in
// its 3 seconds, it repeats them as clients do.
func (a *api) allAtOnce(t *testing.T, n int, request func(i int) step) {
	t.Helper()
	bare := *a
	bare.sut = a.sut // checking hundreds of answers against the document takes longer than storage waits
	var sent sync.WaitGroup
	for i := range n {
		s := request(i)
		sent.Go(func() {
			w := bare.send(s)
			for deadline := time.Now().Add(storagetest.Patience); w.Code == http.StatusServiceUnavailable && time.Now().Before(deadline); {
				time.Sleep(time.Second) // what Retry-After says
				w = bare.send(s)
			}
			if w.Code != http.StatusOK {
				t.Errorf("request %d: %d %s", i, w.Code, w.Body)
			}
		})
	}
	sent.Wait()
}

func TestParallelConnectsAndDisconnectsLoseNothing(t *testing.T) {
	t.Parallel()
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
