package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/web/request"
)

// All faults of a body are told at once (decisions.md §2), whether its shape has them or the rules of placements find them.
func TestAllFaultsOfABodyAreToldAtOnce(t *testing.T) {
	const connect, refresh, result = "PUT /reports/{{id}}/connect-workbook", "PUT /reports/{{id}}/refresh", "POST /reports/{{id}}/result"
	const create, update, upsert = "POST /reports", "PUT /reports/{{id}}", "PUT /reports/by-public-id/Fault0000001"
	a := onEmbedded(t)
	a.run(t, []step{
		{name: "a report that stands somewhere", method: "POST", path: "/reports", body: `{"externalWorkbookId":"doc","resultLocation":"Data!B2"}`, status: 200, keep: map[string]string{"placed": "id"}},
		report("Sales"),
	})
	for _, tc := range []faultyBody{
		{"a wrong type and faults of the address", connect, `{"addressOnly":1,"resultLocation":"B2","anchorCell":"C3"}`, placements.CodeInvalid, []string{
			"/addressOnly:true or false", "/anchorCell:send the same cell", "/externalWorkbookId:is missing", "/sheetName:No sheet is named",
		}},
		{"a wrong type alone is no fault of the address", connect, `{"externalWorkbookId":1,"resultLocation":"Data!B2"}`, placements.CodeInvalid, []string{"/externalWorkbookId:a string"}},
		{"a wrong type is not said to be missing, nor to be of the address", connect, `{"externalWorkbookId":1,"resultLocation":2,"sheetName":3,"anchorCell":4,"resultChecksum":{"v":0,"chunks":[]}}`, placements.CodeInvalid, []string{
			"/anchorCell:a string", "/externalWorkbookId:a string", "/resultChecksum/v:at least 1", "/resultLocation:a string", "/sheetName:a string",
		}},
		{"a sheet of the wrong type is not said to be missing", connect, `{"externalWorkbookId":"doc","resultLocation":"B2","sheetName":3}`, placements.CodeInvalid, []string{"/sheetName:a string"}},
		{"of a chunk that is none nothing else is said", connect, `{"externalWorkbookId":"doc","resultLocation":"B2","resultChecksum":{"chunks":[7,{"from":5,"to":4},{"from":"5","to":9,"hash":""}]}}`, placements.CodeInvalid, []string{
			"/resultChecksum/chunks/0:an object", "/resultChecksum/chunks/1/hash:is required", "/resultChecksum/chunks/1/to:at least from",
			"/resultChecksum/chunks/2/from:an integer", "/resultChecksum/chunks/2/hash:64 characters", "/resultChecksum/v:is required", "/sheetName:No sheet is named",
		}},
		{"of a body that is no object nothing else is said", connect, `[]`, placements.CodeInvalid, []string{":an object"}},
		{"faults of the address alone, in order", connect, `{"resultLocation":"Data!B2","endResultCell":"A0","anchorCell":"C"}`, placements.CodeAddress, []string{
			"/anchorCell:no row", "/endResultCell:begins with 0", "/externalWorkbookId:is missing",
		}},
		{"an unknown host and an address", connect, `{"externalWorkbookId":"doc","resultLocation":"B2","host":"EXCEL"}`, placements.CodeInvalid, []string{"/host:must be one of", "/sheetName:No sheet is named"}},

		{"a rewrite", refresh, `{"placementId":1,"endResultCell":"B0","resultChecksum":{"v":0,"chunks":{}}}`, placements.CodeAddress, []string{
			"/endResultCell:begins with 0", "/placementId:a string", "/resultChecksum/chunks:an array", "/resultChecksum/v:at least 1",
		}},
		{"a rewrite with an end of the wrong type", refresh, `{"endResultCell":1,"resultChecksum":{"v":0,"chunks":[]}}`, placements.CodeInvalid, []string{"/endResultCell:a string", "/resultChecksum/v:at least 1"}},

		{"a result", result, `{"first":-1,"have":{"v":0,"chunks":[{"from":"0","to":-1,"hash":"a"}]}}`, placements.CodeInvalid, []string{
			"/first:at least 0", "/have/chunks/0/from:an integer", "/have/chunks/0/to:at least from", "/have/v:at least 1",
		}},
		{"a result with a bad checksum alone", result, `{"have":{"v":0,"chunks":[{"from":1,"to":0,"hash":"a"}]}}`, placements.CodeChecksum, []string{
			"/have/chunks/0/to:at least from", "/have/v:at least 1",
		}},

		{"a creation", create, `{"name":1,"resultLocation":"B2","endResultCell":"1","host":"x"}`, placements.CodeAddress, []string{
			"/endResultCell:no column", "/externalWorkbookId:is missing", "/host:must be one of", "/name:a string", "/resultLocation:into resultLocation, such",
		}},
		{"a creation without spreadsheet keys has no address", create, `{"name":1,"host":"x","workbookName":"Book"}`, placements.CodeInvalid, []string{"/host:must be one of", "/name:a string"}},
		{"a creation with a checksum of the wrong type", create, `{"resultChecksum":[],"resultLocation":"Data!B2","externalWorkbookId":"doc"}`, placements.CodeInvalid, []string{"/resultChecksum:an object"}},
		{"an update", update, `{"name":1,"resultLocation":"B2","sheetId":"a\nb"}`, placements.CodeAddress, []string{
			"/externalWorkbookId:is missing", "/name:a string", "/resultLocation:into resultLocation, such", "/sheetId:plain text",
		}},
		{"an update of a report that has no address", update, `{"name":1,"externalWorkbookId":"doc","endResultCell":"D9","resultChecksum":{"v":0,"chunks":[]}}`, placements.CodeInvalid, []string{
			"/name:a string", "/resultChecksum/v:at least 1", "/resultLocation:is missing",
		}},
		{"… whose address names no sheet", update, `{"name":1,"resultLocation":"B2"}`, placements.CodeAddress, []string{
			"/externalWorkbookId:is missing", "/name:a string", "/resultLocation:No sheet",
		}},
		{"an update may leave out what the report has", "PUT /reports/{{placed}}", `{"name":1,"endResultCell":"D9","resultChecksum":{"v":0,"chunks":[]}}`, placements.CodeInvalid, []string{
			"/name:a string", "/resultChecksum/v:at least 1",
		}},
		{"an upsert may be an update", upsert, `{"name":1,"endResultCell":"D"}`, placements.CodeAddress, []string{"/endResultCell:no row", "/name:a string"}},
		{"an upsert of the right shape", upsert, `{"endResultCell":"D","host":null,"resultChecksum":{"v":0,"chunks":[]}}`, placements.CodeAddress, []string{
			"/endResultCell:no row", "/externalWorkbookId:is missing", "/resultChecksum/v:at least 1", "/resultLocation:is missing",
		}},
	} {
		t.Run(tc.fact, func(t *testing.T) { a.tellsAll(t, tc) })
	}
}

// faultyBody is a request and every fault of it.
type faultyBody struct {
	fact, request, body string
	code                placements.Code
	faults              []string // in this order: JSON pointer, colon, part of the message
}

// tellsAll checks that all faults of a body are told, in order.
func (a *api) tellsAll(t *testing.T, tc faultyBody) {
	t.Helper()
	method, path, _ := strings.Cut(tc.request, " ")
	got := a.refused(t, step{method: method, path: path, body: tc.body, as: "admin"}, tc.code)
	var said []string
	for i, d := range got {
		if i < len(tc.faults) && strings.HasPrefix(tc.faults[i], d.Pointer+":") && strings.Contains(d.Message, tc.faults[i][len(d.Pointer)+1:]) {
			said = append(said, tc.faults[i])
		} else {
			said = append(said, d.Pointer+":"+d.Message)
		}
	}
	if diff := cmp.Diff(tc.faults, said); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

// … over all layers: shape, path, publicId, slug, workbook, cron, time zone, dashboard draft, limits.
func TestFaultsOfAllLayersAreToldAtOnce(t *testing.T) {
	const schedules, workbooks = "POST /refresh-schedules", "POST /workbooks"
	withEngine(t, func(t *testing.T, a *api) {
		a.run(t, []step{
			report("Sales"),
			{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{id}}},"cron":"@daily"}`, status: 200, keep: map[string]string{"schedule": "id"}},
			{name: "a workbook", method: "POST", path: "/workbooks", body: `{}`, status: 200, keep: map[string]string{"book": "id"}},
			{name: "one with a slug", method: "PUT", path: "/workbooks/by-slug/slugged", body: `{}`, status: 200, keep: map[string]string{"slugged": "id"}},
			{name: "one with a key", method: "PUT", path: "/refresh-schedules/by-key/daily", body: `{"target":{"reportId":{{id}}},"cron":"@daily"}`, status: 200, keep: map[string]string{"keyed": "id"}},
			{name: "a report with a publicId", method: "PUT", path: "/reports/by-public-id/Faults000003", body: `{}`, status: 200, keep: map[string]string{"fixed": "id"}},
		})
		for _, tc := range []faultyBody{
			{"a schedule", schedules, `{"name":1,"target":{"reportId":0,"placementId":"p","externalWorkbookId":"d"},"cron":["60 * * * *","@daily","0 0 30 2 *"],"timezone":"Mars/Olympus","jitterSeconds":9000,"onEdit":"x"}`, placements.CodeCron, []string{
				"/cron/0:above maximum", "/cron/2:no such date", "/jitterSeconds:between 0 and 3600", "/name:a string", "/onEdit:must be one of",
				"/target:send one of them", "/target/reportId:at least 1", "/timezone:not known",
			}},
			{"a schedule without anything", schedules, `{}`, placements.CodeCron, []string{"/cron:is empty", "/target/reportId:is required"}},
			{"a cron that is one text stands where it was sent", schedules, `{"target":{"reportId":1},"cron":"x","timezone":7}`, placements.CodeCron, []string{"/cron:has 1 fields", "/timezone:a string"}},
			{"a zone alone has its own code", schedules, `{"target":{"reportId":1},"cron":"@daily","timezone":"Local"}`, placements.CodeTimezone, []string{"/timezone:depends on the machine"}},
			{"too many crons of a wrong type", schedules, `{"target":[],"cron":{}}`, placements.CodeInvalid, []string{"/cron:an array", "/target:an object"}},
			{"a schedule's update is judged by what it sends", "PUT /refresh-schedules/{{schedule}}", `{"cron":["x"],"overlap":1}`, placements.CodeCron, []string{"/cron/0:has 1 fields", "/overlap:must be one of"}},
			{"… and may not empty what is needed", "PUT /refresh-schedules/{{schedule}}", `{"cron":null,"timezone":"x","target":{"placementId":"p"}}`, placements.CodeCron, []string{
				"/cron:is empty", "/target/reportId:is required", "/timezone:not known",
			}},

			{"a report's path and body", "PUT /reports/by-public-id/short", `{"name":1,"publicId":"000000abcdef","workbookId":77,"endResultCell":"1","folderId":"x"}`, placements.CodePublicID, []string{
				":In the path: A publicId has exactly 12", "/endResultCell:no column", "/folderId:an integer", "/name:a string", "/publicId:is reserved", "/workbookId:names no workbook",
			}},
			{"a path alone", "PUT /reports/by-public-id/000000abcdef", `{}`, placements.CodeReservedID, []string{":is reserved"}},
			{"a publicId that would change", "PUT /reports/{{fixed}}", `{"publicId":"Faults000002","name":1,"workbookId":77,"resultLocation":"B2","endResultCell":"1"}`, placements.CodeAddress, []string{
				"/endResultCell:no column", "/externalWorkbookId:is missing", "/name:a string", "/publicId:cannot be changed", "/resultLocation:No sheet",
				"/workbookId:names no workbook",
			}},
			{"… and an address", "PUT /reports/{{fixed}}", `{"publicId":"Faults000002","externalWorkbookId":"d","resultLocation":"B2"}`, placements.CodePublicIDFixed, []string{
				"/publicId:cannot be changed", "/resultLocation:No sheet",
			}},
			{"… and a workbook", "PUT /reports/{{fixed}}", `{"publicId":"Faults000002","workbookId":77}`, placements.CodePublicIDFixed, []string{"/publicId:cannot be changed", "/workbookId:names no workbook"}},
			{"a slug that would change", "PUT /workbooks/{{slugged}}", `{"slug":"other","name":1,"meta":{"dashboardDraft":{"title":1}}}`, placements.CodeInvalid, []string{
				"/meta/dashboardDraft/title:a string", "/name:a string", "/slug:cannot be changed",
			}},
			{"… or is repeated otherwise", "PUT /workbooks/{{slugged}}", `{"slug":"other","name":1,"dashboardDraft":{"title":"Mine"}}`, placements.CodeDraftsDiffer, []string{
				"/dashboardDraft:is not the draft", "/name:a string", "/slug:cannot be changed",
			}},
			{"… with no other fault", "PUT /workbooks/{{slugged}}", `{"slug":"other","dashboardDraft":{"title":"Mine"}}`, placements.CodeDraftsDiffer, []string{
				"/dashboardDraft:is not the draft", "/slug:cannot be changed",
			}},
			{"a draft that an upsert repeats otherwise", "PUT /workbooks/by-slug/slugged", `{"name":1,"meta":{},"dashboardDraft":{"title":"Mine"}}`, placements.CodeDraftsDiffer, []string{
				"/dashboardDraft:is not the draft", "/name:a string",
			}},
			{"… of a workbook that it would create", "PUT /workbooks/by-slug/new", `{"name":1,"dashboardDraft":{"title":"Mine"}}`, placements.CodeDraftsDiffer, []string{
				"/dashboardDraft:is not the draft", "/name:a string",
			}},
			{"a key that would change", "PUT /refresh-schedules/{{keyed}}", `{"key":"weekly","cron":["x"],"target":{"reportId":{{fixed}},"publicId":"Faults000003","address":"Data!B2"}}`, placements.CodeCron, []string{
				"/cron/0:has 1 fields", "/key:cannot be changed", "/target/document:is required",
			}},
			{"a path and a body of two minds", "PUT /reports/by-public-id/Faults000001", `{"publicId":"Faults000002","workbookId":77}`, placements.CodePublicIDFixed, []string{"/publicId:the same publicId", "/workbookId:names no workbook"}},
			{"a creation", "POST /reports", `{"publicId":"x-1","workbookId":77,"resultLocation":"B2","externalWorkbookId":"d"}`, placements.CodePublicID, []string{
				"/publicId:exactly 12", "/resultLocation:No sheet", "/workbookId:names no workbook",
			}},
			{"a workbook that is none, and an address", "POST /reports", `{"workbookId":77,"resultLocation":"B2","externalWorkbookId":"d"}`, placements.CodeAddress, []string{"/resultLocation:No sheet", "/workbookId:names no workbook"}},

			{"a workbook", workbooks, `{"name":1,"slug":"-x","folderId":0,"meta":{"dashboardDraft":{"title":1,"widgets":[{"id":"a"},{"id":"a"},{"type":"CHART","config":{"reportId":77}}]}}}`, placements.CodeInvalid, []string{
				"/folderId:at least 1", "/meta/dashboardDraft/title:a string", "/meta/dashboardDraft/widgets/1/id:is the id of widget 0", "/meta/dashboardDraft/widgets/2/config/reportId:names no report",
				"/name:a string", "/slug:A slug has",
			}},
			{"a workbook's path and body", "PUT /workbooks/by-slug/-x", `{"name":1,"slug":"ok"}`, placements.CodeSlug, []string{":In the path: A slug has", "/name:a string", "/slug:the same slug"}},
			{"two slugs", "PUT /workbooks/by-slug/one", `{"slug":"Two","name":1}`, placements.CodeInvalid, []string{"/name:a string", "/slug:the same slug"}},
			{"a dashboard", "PUT /workbooks/{{book}}/dashboard", `{"expectedVersion":"x","dashboardDraft":{"widgets":[{"config":{"reportPublicId":"Faults000009"}},{"position":{"w":0}}]}}`, placements.CodeNoReport, []string{
				"/dashboardDraft/widgets/0/config/reportPublicId:names no report", "/dashboardDraft/widgets/1/position/w:at least 1", "/expectedVersion:an integer",
			}},
			{"settings", "PUT /api/v1/tenant/settings", `{"oidcEnabled":1,"auditLogEnabledTimestamp":"x"}`, placements.CodeInvalid, []string{"/auditLogEnabledTimestamp:an integer", "/oidcEnabled:true or false"}},
		} {
			t.Run(tc.fact, func(t *testing.T) { a.tellsAll(t, tc) })
		}
	})
}

// A message says what to do, one fault's in the words of its detail.
func TestMessagesSayWhatToDo(t *testing.T) {
	a := onEmbedded(t)
	for body, want := range map[string]string{
		`{"name":1}`:            "In the request body, /name must be a string.",
		`[]`:                    "The request body must be an object.",
		`{"publicId":"x"}`:      "A publicId has exactly 12 characters, 0-9, A-Z or a-z: choose such a one.",
		`{"name":"a","name":1}`: "In the request body, /name occurs twice in its object: send it once.",
		`{"workbookId":7}`:      "In the request body, /workbookId names no workbook here that this token may read: create it first, name another one, or send null.",
		`{"name":`:              "The body ends too early: send the whole JSON object.",
		"\"\xff\"":              "The body holds bytes that are not UTF-8: send it encoded in UTF-8.",
	} {
		var got refusal
		exactly(t, a.send(step{method: "POST", path: "/reports", body: body}).Body.Bytes(), &got)
		if got.Message != want {
			t.Errorf("%q: %q, want %q", body, got.Message, want)
		}
	}
}

// refused is what a request is refused for with 400 and that code.
func (a *api) refused(t *testing.T, s step, code placements.Code) []placements.Detail {
	t.Helper()
	w := a.send(s)
	var body refusal
	exactly(t, w.Body.Bytes(), &body)
	if w.Code != http.StatusBadRequest || body.Code != code {
		t.Errorf("%d %s, want 400 with code %s", w.Code, truncated(w.Body.String()), code)
	}
	for i, d := range body.Details {
		if request.Status(d.Code) != http.StatusBadRequest || i == 0 && d.Code != body.Code {
			t.Errorf("fault %d has the code %q, that of the answer is %q", i, d.Code, body.Code)
		}
	}
	if n := len(body.Details); n > 1 && body.Message != fmt.Sprintf("The request body has %d faults; see details.", n) {
		t.Errorf("message %q of %d faults", truncated(body.Message), n)
	}
	return body.Details
}

func TestFaultsThatTheRulesFindAreBoundedToo(t *testing.T) {
	sum := checksum.ResultChecksum{V: 1, Chunks: slices.Repeat([]checksum.Chunk{{From: 1}}, 2000)}
	c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", ResultChecksum: &sum}
	a := onEmbedded(t)
	a.run(t, []step{report("Sales")})
	for name, body := range map[string]string{"": sent(t, c), "with one of the shape": strings.Replace(sent(t, c), "{", `{"addressOnly":1,`, 1)} {
		t.Run(name, func(t *testing.T) {
			if n := len(a.refused(t, step{method: "PUT", path: connectPath, body: body}, placements.CodeInvalid)); n != placements.MaxDetails {
				t.Errorf("%d faults, want %d", n, placements.MaxDetails)
			}
		})
	}
}

func truncated(text string) string { return text[:min(len(text), 2000)] }

// refusal is the body of an error answer.
type refusal struct {
	StatusCode int                 `json:"statusCode"`
	Error      string              `json:"error"`
	Message    string              `json:"message"`
	Code       placements.Code     `json:"code"`
	Retryable  bool                `json:"retryable"`
	Count      *int                `json:"count"`
	Details    []placements.Detail `json:"details"`
}
