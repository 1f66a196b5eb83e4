package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/refresh/source/sqlite"
)

// exampleConfig is what the examples of the OpenAPI document are about.
const exampleConfig = `
listen: 127.0.0.1:0
redis: embedded
publicURL: https://acme.example.com
limits: {schedulesPerUser: 2}
hooks: [{id: orders-loaded, tenant: acme, deployment: 1, schedule: weekdays, secret: "0123456789abcdef0123456789abcdef"}]
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
      1: {timezone: Europe/Berlin, source: {kind: sqlite, path: shop.db}}
    spreadsheets:
      SHEETS_A: {kind: xlsx, dir: sheets}
      SHEETS_B: {kind: xlsx, dir: sheets, documents: {1: ["*.xlsx"]}}
`

// exampleSite is the built program with the examples' data, and the document that it serves.
type exampleSite struct {
	t      *testing.T
	dir    string
	config string
	base   string
	tokens map[string]string // by user
	doc    exampleDocument
	run    string // id of the latest run
	plan   string // id of the plan

	replaced string // id of a run that replaced what a person had typed

	deviceCode, userCode, device string // of the device that is paired
	cookie, csrf                 string // of the session
}

// exampleDocument is what the test reads of an OpenAPI document.
type exampleDocument struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Parameters map[string]exampleParameter
		Responses  map[string]exampleAnswer
	}
}

type exampleOperation struct {
	method, path string // path with its parameters' examples
	OperationID  string
	Parameters   []exampleParameter
	RequestBody  struct{ Content map[string]exampleMedia }
	Responses    map[string]exampleAnswer
}

type exampleParameter struct {
	Ref      string `json:"$ref"`
	Name, In string
	Example  any
}

type exampleAnswer struct{ Content map[string]exampleMedia }

type exampleMedia struct {
	Example  json.RawMessage
	Examples map[string]struct{ Value json.RawMessage }
}

func newExampleSite(t *testing.T, flags ...string) *exampleSite {
	t.Helper()
	s := &exampleSite{t: t, dir: t.TempDir(), tokens: map[string]string{}}
	s.config = filepath.Join(s.dir, "mooring.yaml")
	writeFile(t, s.config, exampleConfig)
	if err := os.Mkdir(filepath.Join(s.dir, "sheets"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := sqlite.Exec(t.Context(), filepath.Join(s.dir, "shop.db"), []string{
		"CREATE TABLE orders (id INTEGER, customer TEXT, amount DECIMAL)",
		"INSERT INTO orders VALUES (1, 'Ada', 100), (2, 'Ben', 250.5), (3, 'Cleo', 80)",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"orders.xlsx", "plan.xlsx"} {
		f := excelize.NewFile()
		if err := f.SaveAs(filepath.Join(s.dir, "sheets", name)); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	s.serve(flags...)
	s.tokens["ana"] = s.token("1", "--name", "Ana", "--email", "ana@example.com", "--action", "All")
	s.tokens["rob"] = s.token("2", "--action", "ReportRead")
	if _, body := s.send(exampleRequest{method: "GET", path: "/api/v1/spec"}); json.Unmarshal(body, &s.doc) != nil {
		t.Fatalf("the document: %s", body)
	}
	return s
}

// serve starts the program with the site's configuration.
func (s *exampleSite) serve(flags ...string) {
	s.t.Helper()
	server := start(s.t, append([]string{"serve", "--config", s.config}, flags...)...)
	s.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(server.waitFor("msg=serving"))[1]
}

func (s *exampleSite) token(user string, flags ...string) string {
	s.t.Helper()
	status, stdout, stderr := mooring(s.t, append([]string{"key", "create", "--config", s.config, "--tenant", "acme", "--user", user}, flags...)...)
	if status != process.ExitDone {
		s.t.Fatalf("key create: %s", stderr)
	}
	return strings.TrimSpace(stdout)
}

// exampleRequest is a request of an example; as is its user, "ana" if not said, and "-" without a token.
type exampleRequest struct {
	method, path, body, as string
	header                 map[string]string
}

func (s *exampleSite) send(q exampleRequest) (status int, body []byte) {
	s.t.Helper()
	path := strings.ReplaceAll(q.path, "{runId}", s.run)
	req, err := http.NewRequestWithContext(s.t.Context(), q.method, s.base+path, strings.NewReader(q.body))
	if err != nil {
		s.t.Fatal(err)
	}
	if q.as == "" {
		q.as = "ana"
	}
	if q.as == "session" {
		req.Header.Set("Cookie", s.cookie)
		req.Header.Set("X-Mooring-CSRF", s.csrf)
	} else if q.as != "-" {
		req.Header.Set("Authorization", "Bearer "+s.tokens[q.as])
	}
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range q.header {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if set := resp.Header.Get("Set-Cookie"); set != "" {
		s.cookie, _, _ = strings.Cut(set, ";")
	}
	if resp.Header.Get("Content-Type") == "text/event-stream" {
		return resp.StatusCode, firstEvent(resp.Body)
	}
	if body, err = io.ReadAll(resp.Body); err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, body
}

// firstEvent returns the data of the first event of a stream.
func firstEvent(stream io.Reader) []byte {
	for lines := bufio.NewScanner(stream); lines.Scan(); {
		if data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); ok {
			return data
		}
	}
	return nil
}

// operation finds one by its id.
func (s *exampleSite) operation(id string) exampleOperation {
	s.t.Helper()
	for path, item := range s.doc.Paths {
		for method, raw := range item {
			var o exampleOperation
			if json.Unmarshal(raw, &o) != nil || o.OperationID != id {
				continue
			}
			o.method, o.path = strings.ToUpper(method), path
			query := url.Values{}
			for _, p := range o.Parameters {
				if p.Ref != "" {
					p = s.doc.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
				}
				switch p.Name {
				case "runId":
					p.Example = s.run
				case "planId":
					p.Example = s.plan
				case "userCode":
					p.Example = s.userCode
				case "deviceId":
					p.Example = s.device
				}
				if p.In == "query" && p.Example != nil {
					query.Set(p.Name, fmt.Sprint(p.Example))
				}
				o.path = strings.ReplaceAll(o.path, "{"+p.Name+"}", fmt.Sprint(p.Example))
			}
			if len(query) > 0 {
				o.path += "?" + query.Encode()
			}
			return o
		}
	}
	s.t.Fatalf("there is no operation %s", id)
	return exampleOperation{}
}

// play sends an operation's example and compares the answer with that of the document.
func (s *exampleSite) play(id string) {
	s.t.Helper()
	o := s.operation(id)
	body := string(o.RequestBody.Content["application/json"].Example)
	if id == "streamEvents" {
		o.path += "?lastEventId=0-0"
	}
	if id == "listDocuments" {
		o.path += "?include=link"
	}
	if id == "createDeviceTokens" {
		body = exampleCode.ReplaceAllString(body, s.deviceCode)
	}
	as, header := "", map[string]string(nil)
	switch id {
	case "receiveHook":
		as, header = "-", signedForHook(body, "msg_1")
	case "signIn":
		as, body = "-", `{"token":"`+s.tokens["ana"]+`"}`
	case "signOut":
		as = "session"
	}
	status, got := s.send(exampleRequest{method: o.method, path: o.path, body: body, as: as, header: header})
	s.keepDevice(got)
	if id == "createPlan" {
		var plan struct{ ID string }
		_ = json.Unmarshal(got, &plan) // the comparison tells what is wrong with it
		s.plan = plan.ID
	}
	for _, kind := range slices.Sorted(maps.Keys(o.Responses[fmt.Sprint(status)].Content)) {
		want := o.Responses[fmt.Sprint(status)].Content[kind].Example
		if want != nil && sameExample(want, got) {
			s.keepRun(got)
			return
		}
	}
	s.t.Errorf("example %s: %s %s: %d\ngot %s", id, o.method, o.path, status, got)
	s.keepRun(got)
}

// keepRun remembers the run that an answer began.
func (s *exampleSite) keepRun(body []byte) {
	type started struct{ RunID string }
	var one struct {
		started
		Runs []started
	}
	_ = json.Unmarshal(body, &one) // a text began none
	for _, r := range append(one.Runs, one.started) {
		if r.RunID != "" {
			s.run = r.RunID
		}
	}
}

// exampleCode is a device code.
var exampleCode = regexp.MustCompile(`[A-Z2-7]{52}`)

// keepDevice remembers the codes and the device that an answer names.
func (s *exampleSite) keepDevice(body []byte) {
	var answer struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
		CSRF       string
		Items      []struct{ ID, ClientName string }
	}
	_ = json.Unmarshal(body, &answer) // other answers name none
	if answer.CSRF != "" {
		s.csrf = answer.CSRF
	}
	if answer.DeviceCode != "" {
		s.deviceCode, s.userCode = answer.DeviceCode, answer.UserCode
	}
	if len(answer.Items) == 1 && answer.Items[0].ClientName != "" {
		s.device = answer.Items[0].ID
	}
}

// waitForRun waits until the latest run has ended.
func (s *exampleSite) waitForRun() {
	s.t.Helper()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		var run struct{ EndedAt string }
		if _, body := s.send(exampleRequest{method: "GET", path: "/api/v1/deployments/1/refreshes/" + s.run}); json.Unmarshal(body, &run) != nil || run.EndedAt != "" {
			return
		}
		select {
		case <-s.t.Context().Done():
			s.t.Fatal("the run has not ended")
		case <-tick.C:
		}
	}
}

// type777 types a number into a cell of the block, as a person would.
func (s *exampleSite) type777() {
	s.t.Helper()
	name := filepath.Join(s.dir, "sheets", "orders.xlsx")
	f, err := excelize.OpenFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	if err := f.SetCellValue("Sheet1", "D3", 777); err != nil {
		s.t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		s.t.Fatal(err)
	}
}

// hold begins a run of the placement that the examples' client works on.
func (s *exampleSite) hold() {
	s.t.Helper()
	status, body := s.send(exampleRequest{method: "POST", path: exampleReports + "/1/refreshes", body: `{"executor": "client", "placementId": "orders"}`})
	if status != http.StatusAccepted {
		s.t.Fatalf("a client's run: %d %s", status, body)
	}
	s.keepRun(body)
}

// release ends the latest run, on which the examples' client works.
func (s *exampleSite) release() {
	s.t.Helper()
	status, body := s.send(exampleRequest{method: "DELETE", path: "/api/v1/deployments/1/refreshes/" + s.run})
	if status >= http.StatusMultipleChoices {
		s.t.Fatalf("stopping a client's run: %d %s", status, body)
	}
}

// What differs from one server to the next: ids of runs and events, times, cursors, versions of an answer.
var (
	exampleID   = regexp.MustCompile(`\b([A-Z2-7]{26}|\d{13}-\d+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\b`)
	exampleTime = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	varying     = []string{
		"endCursor", "startCursor", "tag", "durationMs", "queryMs", "writeMs", "etag", "readMs", "waitedMs",
		"device_code", "user_code", "userCode", "verification_uri_complete", "access_token", "refresh_token", "csrf", "stamp",
	}
)

// sameExample reports whether an answer is the example's but for what differs from one server to the next. Of text, the example is the
// beginning.
func sameExample(want, got []byte) bool {
	var text string
	var a, b any
	if json.Unmarshal(want, &text) == nil {
		return strings.HasPrefix(string(got), text)
	}
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil {
		return false
	}
	if object, ok := b.(map[string]any); ok && object["openapi"] != nil { // the document holds the beginning of itself
		return cmp.Equal(a.(map[string]any)["openapi"], object["openapi"])
	}
	return cmp.Equal(steady(a), steady(b))
}

// steady returns v without what differs.
func steady(v any) any {
	switch v := v.(type) {
	case string:
		return exampleTime.ReplaceAllString(exampleID.ReplaceAllString(v, "ID"), "TIME")
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	case map[string]any:
		for name := range v {
			if v[name] = steady(v[name]); slices.Contains(varying, name) && v[name] != nil {
				v[name] = name
			}
		}
	}
	return v
}

// The requests of the document's examples, sent one after the other to a fresh server, are answered as the document shows.
func TestExamplesAreTrue(t *testing.T) {
	t.Parallel()
	s := newExampleSite(t)
	for _, id := range []string{
		"getMe", "getSignIn", "signIn", "signOut", "createDeviceCode", "getPairing", "approvePairing", "createDeviceTokens", "listDevices", "endDevice",
		"createDeviceCode", "denyPairing", "getQuota",
		"putSettings", "getSettings", "listAccountAudit", "getStats", "upsertReport", "getReportByPublicId", "createReport", "updateReport", "setAccess",
		"getReport", "listReports", "listVersions", "getVersion", "listAudit", "listCatalog",
		"upsertWorkbook", "getWorkbookBySlug", "createWorkbook", "updateWorkbook", "updateDashboard", "publishDashboard", "getWorkbook",
		"listWorkbooks",
		"connectWorkbook", "previewQuery", "startRun", "wait", "getRun", "getRunById", "listChanges", "getChange", "nothing", "streamEvents", "showResult",
		"type", "startRun", "wait", "listEdits", "returnEdits", "listRuns", "stampRefresh", "startDocumentRuns", "wait", "replaced", "stopRun",
		"stopRunById", "listDocumentPlacements", "listPlacements", "listDocuments", "linkDocument", "getDocumentLink", "unlinkDocument",
		"createSchedule", "getSchedule", "updateSchedule", "pauseSchedule", "resumeSchedule", "runSchedule", "wait", "listScheduleRuns",
		"listSchedules", "changeRuns", "changeSchedules",
		"again", "restoreChange", "release", "previewRefresh", "hold", "renewLease", "planRun", "completeRun",
		"disconnectWorkbook", "deleteSchedule", "deleteWorkbook", "deleteReport",
		"createPlan", "getPlan", "applyPlan", "listManaged", "upsertSchedule", "getScheduleByKey", "receiveHook", "revokeToken", "listRevocations",
		"getSpec", "getDocs", "getDocsIndex", "getDocsPage", "getDocsAsset", "getManifest", "healthz", "readyz", "metrics",
	} {
		switch id {
		case "wait":
			s.waitForRun()
		case "type":
			s.type777()
		case "hold":
			s.hold()
		case "nothing":
			s.playError("nothing_to_put_back", exampleRequest{method: "POST", path: s.operation("restoreChange").path})
		case "replaced":
			s.replaced = s.run
		case "again":
			s.run = s.replaced
		case "release":
			s.release()
		default:
			s.play(id)
		}
	}
}
