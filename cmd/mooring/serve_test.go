package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh/source/sqlite"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// site is a folder with a configuration file, a database and a workbook, served by the built program from a real Redis.
type site struct {
	t      *testing.T
	dir    string
	config string
	redis  string
	server *program
	client apiClient
}

const siteConfig = `
listen: 127.0.0.1:0
redis: ${REDIS}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
      1: {timezone: Europe/Berlin, source: {kind: sqlite, path: shop.db}}
      2: {source: {kind: sqlite, path: gone.db}}
    spreadsheets:
      SHEETS_B: {kind: xlsx, dir: sheets}
`

func newSite(t *testing.T) *site {
	t.Helper()
	return newSiteOn(t, storagetest.Redis(t))
}

// newSiteOn serves a site from a storage.
func newSiteOn(t *testing.T, redis string, args ...string) *site {
	t.Helper()
	s := configured(t, redis, siteConfig)
	template, err := os.ReadFile(filepath.Join("demo", "demodata", "states.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.workbook(), string(template))
	writeFile(t, filepath.Join(s.dir, "sheets", "broken.xlsx"), "no zip")
	err = sqlite.Exec(t.Context(), filepath.Join(s.dir, "shop.db"), []string{
		"CREATE TABLE t (name, amount)", "INSERT INTO t VALUES ('=1+1', 2), ('b', 3.5), ('c', NULL)",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.serve(args...)
	return s
}

// newEmptySite serves a configured site with a workbook that is empty.
func newEmptySite(t *testing.T, config string, replace ...string) *site {
	t.Helper()
	s := configured(t, storagetest.Redis(t), config, replace...)
	if err := excelize.NewFile().SaveAs(s.workbook()); err != nil {
		t.Fatal(err)
	}
	s.serve()
	return s
}

// configured is a site that is not served yet, with a folder for workbooks. Its configuration has ${REDIS} for the storage, and the old ones of the
// texts of replace for the new ones.
func configured(t *testing.T, redis, config string, replace ...string) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), redis: redis}
	s.config = filepath.Join(s.dir, "mooring.yaml")
	writeFile(t, s.config, strings.NewReplacer(append(replace, "${REDIS}", redis)...).Replace(config))
	if err := os.Mkdir(filepath.Join(s.dir, "sheets"), 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

// serve starts the server.
func (s *site) serve(args ...string) {
	s.t.Helper()
	s.server = start(s.t, append([]string{"serve", "--config", s.config}, args...)...)
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(s.server.waitFor("msg=serving"))
	s.client = apiClient{base: "http://" + address[1], token: s.token()}
}

func (s *site) workbook() string { return filepath.Join(s.dir, "sheets", "book.xlsx") }

func (s *site) token() string {
	s.t.Helper()
	status, stdout, stderr := mooring(s.t, "key", "create", "--config", s.config, "--tenant", "acme", "--user", "7", "--action", "All")
	if status != process.ExitDone {
		s.t.Fatalf("key create: %s", stderr)
	}
	return strings.TrimSpace(stdout)
}

// send sends a request and returns status and body.
func (s *site) send(method, path, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.client.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.client.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// report makes a report with that query in a deployment and returns its path.
func (s *site) report(deployment, query string) (path string, id int64) {
	s.t.Helper()
	var r placedReport
	path = "/api/v1/deployments/" + deployment + "/reports"
	body := map[string]any{"name": "Shop", "sqlQuery": query, "source": "SHEETS_B"}
	if err := s.client.do(s.t.Context(), http.MethodPost, path, body, &r); err != nil {
		s.t.Fatal(err)
	}
	n, err := json.Marshal(r.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return path + "/" + string(n), r.ID
}

func (s *site) connect(path, workbook, location string) {
	s.t.Helper()
	body := map[string]any{"externalWorkbookId": workbook, "resultLocation": location, "host": "SHEETS_B", "addressOnly": true}
	if err := s.client.do(s.t.Context(), http.MethodPut, path+"/connect-workbook", body, nil); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) bytes() []byte {
	s.t.Helper()
	b, err := os.ReadFile(s.workbook())
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path, _ := s.report("1", "SELECT name, amount FROM t ORDER BY amount DESC")
	s.connect(path, "book.xlsx", "States!C20")
	run, err := s.client.refresh(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if run.RowsWritten != 4 {
		t.Errorf("rows written = %d, want 4", run.RowsWritten)
	}
	s.checkCells(map[string]string{"C20": "name", "D20": "amount", "C21": "b", "D21": "3.5", "C22": "=1+1", "D22": "2", "C23": "c", "D23": ""})

	first := s.bytes()
	if run, err = s.client.refresh(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if run.RowsWritten != 0 || !bytes.Equal(first, s.bytes()) {
		t.Errorf("an unchanged refresh wrote %d rows; bytes the same: %v", run.RowsWritten, bytes.Equal(first, s.bytes()))
	}

	if err := sqlite.Exec(t.Context(), filepath.Join(s.dir, "shop.db"), []string{"DELETE FROM t WHERE name = 'c'", "UPDATE t SET amount = 4 WHERE name = 'b'"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err = s.client.refresh(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	s.checkCells(map[string]string{"C21": "b", "D21": "4", "C22": "=1+1", "C23": "", "D23": ""})

	if _, text := s.send(http.MethodGet, "/metrics", ""); !strings.Contains(text, "\nmooring_rows_written_total ") || strings.Contains(text, "acme") {
		t.Errorf("/metrics does not show the agent, or names its tenant:\n%s", text)
	}

	for range 2 { // the second time there is nothing to remove, and that is a success too
		status, body := s.send(http.MethodDelete, path+"/connect-workbook", `{"externalWorkbookId":"book.xlsx","sheetName":"states","anchorCell":"$C$20"}`)
		if status != http.StatusOK || !strings.Contains(body, `"externalWorkbookPlacements":[]`) {
			t.Errorf("disconnect: %d %s", status, body)
		}
	}
	if status := s.server.terminate(); status != process.ExitDone {
		t.Errorf("status %d after SIGTERM, want %d\n%s", status, process.ExitDone, s.server.out)
	}
}

// checkCells compares cells of the sheet States, none of which may be a formula.
func (s *site) checkCells(want map[string]string) {
	s.t.Helper()
	f, err := excelize.OpenFile(s.workbook())
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	for cell, value := range want {
		got, err := f.GetCellValue("States", cell, excelize.Options{RawCellValue: true})
		if err != nil || got != value {
			s.t.Errorf("States!%s = %q, %v, want %q", cell, got, err, value)
		}
		if formula, err := f.GetCellFormula("States", cell); err != nil || formula != "" {
			s.t.Errorf("States!%s holds the formula %q, %v", cell, formula, err)
		}
	}
}

func TestServeRefusesBadRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path, _ := s.report("1", "SELECT 1")
	none := "/api/v1/deployments/1/reports/999"
	tests := []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"an unknown report is not found", "GET", none, "", 404, "not_found"},
		{
			"nor can it be placed", "PUT", none + "/connect-workbook", `{"externalWorkbookId":"book.xlsx","resultLocation":"States!A1"}`,
			404, "not_found",
		},
		{"nor refreshed", "POST", none + "/refreshes", `{}`, 404, "not_found"},
		{"an unknown run is not found", "GET", path + "/refreshes/none", "", 404, "not_found"},
		{"an unknown route is JSON too", "GET", "/api/v1/nothing", "", 404, `"statusCode":404`},
		{
			"a bad cell is told", "PUT", path + "/connect-workbook", `{"externalWorkbookId":"book.xlsx","resultLocation":"States!A0"}`, 400,
			"A0",
		},
		{
			"a location without a sheet is told", "PUT", path + "/connect-workbook",
			`{"externalWorkbookId":"book.xlsx","resultLocation":"B2"}`, 400, "invalid_address",
		},
		{"a missing spreadsheet is told", "PUT", path + "/connect-workbook", `{"resultLocation":"States!A1"}`, 400, "/externalWorkbookId"},
		{"broken JSON is told", "PUT", path + "/connect-workbook", `{`, 400, "JSON"},
		{"a deployment that is not configured", "GET", "/api/v1/deployments/9/reports/1", "", 404, `"statusCode":404`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body := s.send(tt.method, tt.path, tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%d %s; want %d with %q", status, body, tt.status, tt.want)
			}
		})
	}
}

// A run that cannot be done ends FAILED, and says what is wrong and nothing about the machine.
func TestServeFailedRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	before := s.bytes()
	tests := []struct {
		name, deployment, query, workbook, location string
		class                                       placements.Class
		want                                        string
	}{
		{"a missing workbook", "1", "SELECT 1", "gone.xlsx", "States!A5", placements.Structure, "gone.xlsx"},
		{"a broken workbook", "1", "SELECT 1", "broken.xlsx", "States!A5", placements.Structure, "broken.xlsx"},
		{"a path that leaves the folder", "1", "SELECT 1", "../shop.db", "States!A5", placements.Structure, "../shop.db"},
		{"a missing sheet", "1", "SELECT 1", "book.xlsx", "Nowhere!A5", placements.Structure, "Nowhere"},
		{"a failing statement", "1", "SELECT nope FROM t", "book.xlsx", "States!A5", placements.Structure, "nope"},
		{"a statement that writes", "1", "DELETE FROM t", "book.xlsx", "States!A5", placements.Structure, "SELECT"},
		{"cells that are not ours", "1", "SELECT 1", "book.xlsx", "States!A1", placements.Conflict, ""},
		{"a missing database", "2", "SELECT 1", "book.xlsx", "States!A5", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, _ := s.report(tt.deployment, tt.query)
			s.connect(path, tt.workbook, tt.location)
			run := s.runUntilFailed(path)
			if run.ErrorClass != tt.class && tt.class != "" || run.Error == "" || !strings.Contains(run.Error, tt.want) {
				t.Errorf("class %q, error %q; want %q with %q", run.ErrorClass, run.Error, tt.class, tt.want)
			}
			text, err := json.Marshal(run)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), s.dir) || strings.Contains(string(text), os.TempDir()+"/") {
				t.Errorf("the run tells a path of the machine: %s", text)
			}
		})
	}
	if !bytes.Equal(before, s.bytes()) {
		t.Error("a failed run changed the workbook")
	}
}

// runUntilFailed starts a run and waits until an attempt of it has failed, permanently or until its next attempt.
func (s *site) runUntilFailed(path string) *record.Run {
	s.t.Helper()
	var started struct{ RunID string }
	if err := s.client.do(s.t.Context(), http.MethodPost, path+"/refreshes", nil, &started); err != nil {
		s.t.Fatal(err)
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		run := new(record.Run)
		if err := s.client.do(s.t.Context(), http.MethodGet, path+"/refreshes/"+started.RunID, nil, run); err != nil {
			s.t.Fatal(err)
		}
		if run.State == placements.RunFailed || run.Error != "" {
			return run
		}
		select {
		case <-tick.C:
		case <-deadline:
			s.t.Fatalf("run still %s", run.State)
		}
	}
}

func TestRefreshCommand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path, id := s.report("1", "SELECT name FROM t")
	s.connect(path, "book.xlsx", "States!C20")
	n, _ := json.Marshal(id)
	args := []string{"refresh", "--config", s.config, "--tenant", "acme", "--deployment", "1", "--report"}
	status, stdout, stderr := mooring(t, append(args, string(n))...)
	if status != process.ExitDone || !strings.Contains(stdout, "SUCCEEDED: 1 of 1 placement refreshed, 4 rows (4 cells) written") || stderr != "" {
		t.Errorf("status %d\n%s\n%s", status, stdout, stderr)
	}
	status, stdout, stderr = mooring(t, append(args, string(n))...)
	if status != process.ExitDone || !strings.Contains(stdout, "nothing to write") || stderr != "" {
		t.Errorf("again: status %d\n%s\n%s", status, stdout, stderr)
	}
	status, _, stderr = mooring(t, append(args, "999")...)
	if status != process.ExitFailed || !strings.Contains(stderr, "no report 999") {
		t.Errorf("unknown report: status %d, %s", status, stderr)
	}
	_, id = s.report("1", "SELECT name FROM t")
	n, _ = json.Marshal(id)
	status, stdout, stderr = mooring(t, append(args, string(n))...)
	if status != process.ExitFailed || stdout != "" || !strings.Contains(stderr, "stands in no spreadsheet") {
		t.Errorf("nothing to refresh: status %d\n%s\n%s", status, stdout, stderr)
	}
	status, _, stderr = mooring(t, append(args, string(n), "--placement", "p9")...)
	if status != process.ExitFailed || !strings.Contains(stderr, "stands in no spreadsheet") {
		t.Errorf("an unknown placement: status %d, %s", status, stderr)
	}
	failing, id := s.report("1", "SELECT nope FROM t")
	s.connect(failing, "book.xlsx", "States!C40")
	n, _ = json.Marshal(id)
	status, _, stderr = mooring(t, append(args, string(n))...)
	if status != process.ExitFailed || !strings.Contains(stderr, "FAILED") || !strings.Contains(stderr, "nope") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("failing report: status %d, %s", status, stderr)
	}
}

func TestKeyRevoke(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path, _ := s.report("1", "SELECT 1")
	if status, _, stderr := mooring(t, "key", "revoke", "--config", s.config, s.client.token); status != process.ExitDone {
		t.Fatalf("key revoke: %s", stderr)
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for deadline := time.After(patience); ; { // 5 s are promised, on a sound machine
		if status, _ := s.send(http.MethodGet, path, ""); status == http.StatusUnauthorized {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("the token is still good")
		}
	}
}

func TestCheckCommand(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	status, stdout, stderr := mooring(t, "check", "--config", s.config)
	for _, want := range []string{"ok      redis", "ok      tenant acme: source of deployment 1", "FAILED  tenant acme: source of deployment 2", "ok      tenant acme: spreadsheets SHEETS_B", "warning tenant acme: spreadsheets SHEETS_B: without documents"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if status != process.ExitFailed || !strings.Contains(stderr, "1 of 4 checks failed") {
		t.Errorf("status %d, %q; want %d", status, stderr, process.ExitFailed)
	}
	status, stdout, _ = mooring(t, "check", "--config", s.config, "--redis", "redis://127.0.0.1:1")
	if status != process.ExitFailed || !strings.Contains(stdout, "FAILED  redis: redis does not answer") {
		t.Errorf("a dead Redis: status %d\n%s", status, stdout)
	}
}

// A port that is taken is one clear line.
func TestServeAddressTaken(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	out, err := exec.Command(build(t), "serve", "--config", s.config, "--listen", strings.TrimPrefix(s.client.base, "http://")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "mooring: listen: ") {
		t.Errorf("error %v, output %s", err, out)
	}
}

// People sign in with keys until their provider of identities answers, which it does after the start.
func TestServeFindsAProviderThatAnswersLate(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	var issuer *httptest.Server
	issuer = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		at := issuer.URL
		_, _ = io.WriteString(w, `{"issuer":"`+at+`","authorization_endpoint":"`+at+`/a","token_endpoint":"`+at+`/t","jwks_uri":"`+at+`/k"}`)
	}))
	defer issuer.Close()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sheets"), 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "mooring.yaml")
	writeFile(t, config, strings.ReplaceAll(siteConfig, "${REDIS}", "embedded")+
		"oidc: {issuer: '"+issuer.URL+"', clientId: mooring, tenantClaim: tenant, actions: {staff: [ReportRead]}}\n")
	server := start(t, "serve", "--config", config, "--agent=false")
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(server.waitFor("msg=serving"))
	client := apiClient{base: "http://" + address[1]}
	methods := func() (n int) {
		var answer struct{ Methods []string }
		if err := client.do(t.Context(), "GET", "/api/v1/session", nil, &answer); err != nil {
			t.Fatal(err)
		}
		return len(answer.Methods)
	}
	server.waitFor("the issuer of identities does not answer")
	if n := methods(); n != 1 {
		t.Errorf("%d ways to sign in without a provider", n)
	}
	up.Store(true)
	for tick := time.Tick(poll); methods() != 2; {
		<-tick
	}
	if status := server.terminate(); status != process.ExitDone {
		t.Errorf("exit status %d", status)
	}
}
