package webtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"mooring/storage/record/recordtest"
)

// Route is where an operation is.
type Route struct{ Method, Path string }

// Routes are the operations of an OpenAPI document, by operationId.
func Routes(document []byte) (map[string]Route, error) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return nil, err
	}
	routes := map[string]Route{}
	for path, item := range doc.Paths {
		for method, text := range item {
			var operation struct{ OperationID string }
			if method == "parameters" || json.Unmarshal(text, &operation) != nil {
				continue
			}
			routes[operation.OperationID] = Route{strings.ToUpper(method), path}
		}
	}
	return routes, nil
}

// Request is one request, ready to be sent.
type Request struct{ Method, Path, Body string }

func (r Request) String() string { return r.Method + " " + r.Path + " " + r.Body }

// parameter is what stands for a value in a path or a body. JSON has no such thing: its names are quoted.
var parameter = regexp.MustCompile(`\{[a-zA-Z]+\}`)

// Request is the request for a right, on the assets of the world.
func (w *World) Request(routes map[string]Route, r recordtest.Right) (Request, error) {
	route, known := routes[r.Operation]
	if !known {
		return Request{}, fmt.Errorf("no operation is called %s", r.Operation)
	}
	path, body, _ := strings.Cut(forms[r.Operation+" "+r.How], " ")
	var missing error
	fill := func(text string, escape func(string) string) string {
		return parameter.ReplaceAllStringFunc(text, func(name string) string {
			value, ok := w.value(strings.Trim(name, "{}"), r)
			if !ok {
				missing = fmt.Errorf("%s %s: no %s of %s and %q", r.Operation, r.How, name, r.On, r.Whose)
			}
			return escape(value)
		})
	}
	method := route.Method
	if r.Operation == "streamEvents" {
		method = "HEAD" // it answers at once, as the stream begins
	}
	asIs := func(value string) string { return value }
	return Request{method, fill(route.Path+path, url.PathEscape), fill(body, asIs)}, missing
}

// forms are what follows the path of an operation, and its body. Each would be done for who may.
var forms = map[string]string{
	"createDeviceCode ": ` {"client_name":"rights"}`,
	"signIn ":           ` {"token":"x"}`,
	"approvePairing ":   ` {"deployments":[1],"actions":[]}`,
	"denyPairing ":      ` {}`,
	"createKey ":        ` {"name":"Made {n}","deployments":[1],"actions":["ReportRead"],"days":1}`,
	"putSettings ":      ` {"maintenanceWindowDay":"day {n}"}`,
	"revokeToken ":      ` {"jti":"ABCDEFGHIJKLMNOPQRSTUVWXYZ"}`,

	"createReport ":     ` {"name":"Made {n}","sqlQuery":"SELECT 1 AS made"}`,
	"updateReport ":     ` {"title":"Changed {n}"}`,
	"upsertReport ":     ` {"title":"Put {n}"}`,
	"setAccess ":        ` {"rolesWithAccess":[]}`,
	"deleteReport ":     `?force=true`,
	"showResult ":       ` {}`,
	"previewQuery ":     ` {"reportId":{reportId}}`,
	"createWorkbook ":   ` {"name":"Made {n}","meta":{}}`,
	"updateWorkbook ":   ` {"name":"Changed {n}"}`,
	"upsertWorkbook ":   ` {"name":"Put {n}"}`,
	"updateDashboard ":  ` {"dashboardDraft":{"title":"Changed {n}"}}`,
	"publishDashboard ": ` {}`,

	"connectWorkbook " + recordtest.Anew:        ` {"externalWorkbookId":"{anew}","resultLocation":"Sheet1!H2","host":"SHEETS_B","addressOnly":true}`,
	"connectWorkbook " + recordtest.TakenOver:   ` {"externalWorkbookId":"{externalWorkbookId}","resultLocation":"Sheet1!B2","host":"SHEETS_B"}`,
	"connectWorkbook " + recordtest.Moved:       ` {"externalWorkbookId":"{externalWorkbookId}","resultLocation":"Sheet1!M2","host":"SHEETS_B","addressOnly":true,"placementId":"{placementId}"}`,
	"connectWorkbook " + recordtest.Renamed:     ` {"externalWorkbookId":"{externalWorkbookId}","resultLocation":"Renamed!B2","host":"SHEETS_B","addressOnly":true,"sheetId":"7","placementId":"{placementId}"}`,
	"connectWorkbook " + recordtest.Options:     ` {"externalWorkbookId":"{externalWorkbookId}","resultLocation":"Sheet1!B2","host":"SHEETS_B","addressOnly":true,"onEdit":"overwrite"}`,
	"connectWorkbook " + recordtest.OptionsData: ` {"externalWorkbookId":"{externalWorkbookId}","resultLocation":"Sheet1!B2","host":"SHEETS_B","onEdit":"overwrite","shiftRows":true}`,
	"disconnectWorkbook ":                       ` {"placementId":"{placementId}"}`,
	"stampRefresh ":                             ` {"placementId":"{placementId}"}`,
	"returnEdits ":                              ` {}`,
	"restoreChange ":                            ` {}`,
	"linkDocument ":                             ` {"name":"book.xlsx"}`,

	"startRun " + recordtest.ByKeeping:   ` {"placementId":"{placementId}","onEdit":"keep"}`,
	"startRun " + recordtest.ByWriting:   ` {"placementId":"{placementId}","onEdit":"overwrite"}`,
	"startRun " + recordtest.ByClient:    ` {"placementId":"{placementId}","executor":"client"}`,
	"startDocumentRuns ":                 ` {}`,
	"renewLease ":                        ` {"fence":1}`,
	"planRun ":                           ` {"fence":1,"anchor":"Sheet1!B2","extent":{"rows":1,"columns":1},"cells":[[null]]}`,
	"previewRefresh ":                    ` {"anchor":"Sheet1!B2","extent":{"rows":1,"columns":1},"cells":[[null]]}`,
	"completeRun ":                       ` {"fence":1,"resultChecksum":{"v":2,"chunks":[]}}`,
	"changeRuns " + recordtest.OfNothing: ` {"action":"retry","filter":{"report":999999},"expectedCount":0}`,

	"changeSchedules " + recordtest.OfNothing: ` {"action":"pause","filter":{"report":999999},"expectedCount":0}`,
	"createSchedule " + recordtest.ForAll:     ` {"target":{"reportId":{reportId}},"cron":"@yearly"}`,
	"createSchedule " + recordtest.ForOne:     ` {"target":{"reportId":{reportId},"placementId":"{placementId}"},"cron":"@yearly"}`,
	"updateSchedule ":                         ` {"name":"Changed {n}"}`,
	"upsertSchedule ":                         ` {"name":"Put {n}","target":{target},"cron":"@yearly"}`,

	"previewQuery " + recordtest.OfNew: ` {"sqlQuery":"SELECT 1 AS made"}`,

	"createPlan ":  ` {"project":"plan-{n}","assets":[]}`,
	"listManaged ": `?project=plan-{n}`,
}

// AnswerOf is what an answer says of the rights of who asked. What is refused for another reason was not refused for these.
func AnswerOf(status int, code string) recordtest.Answer {
	switch {
	case status == http.StatusUnauthorized:
		return recordtest.Unknown
	case status == http.StatusForbidden:
		return recordtest.Refused
	case status == http.StatusNotFound:
		return recordtest.Absent
	case code == "nothing_to_refresh":
		return recordtest.Empty
	case status < http.StatusMultipleChoices, slices.Contains(afterRights, code):
		return recordtest.Done
	}
	return recordtest.Answer(fmt.Sprintf("%d %s", status, code))
}

// afterRights are refusals that say nothing of rights, and that who may does get: a run of the same is at work or has ended, or the source is not
// there.
var afterRights = []string{"run_in_progress", "lease_lost", "query_failed", "plan_stale", "no_draft", "source_unavailable", "nothing_to_put_back"}
