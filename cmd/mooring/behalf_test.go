//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/cmd/mooring/process"
	"mooring/refresh/source/sourcetest"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

const securedConfig = `
listen: 127.0.0.1:0
redis: ${REDIS}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants:
  acme:
    deployments:
      1: {source: {kind: postgres, url: "${PG}", rowSecurity: true}}
    spreadsheets:
      SHEETS_B: {kind: xlsx, dir: sheets, documents: {1: ["*.xlsx"]}}
`

// Every seller sees their own sales, and the chief sees all.
const securedSales = `
CREATE ROLE reader LOGIN PASSWORD 'read-only';
CREATE TABLE sales (seller bigint, item text);
INSERT INTO sales VALUES (1, 'chain'), (3, 'rope'), (4, 'buoy');
ALTER TABLE sales ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON sales USING (seller = current_setting('mooring.uid')::bigint OR '9' = ANY (string_to_array(current_setting('mooring.roles'), ',')));
GRANT SELECT ON sales TO reader;
`

// newSecuredSite serves sales from a PostgreSQL with row-level security.
func newSecuredSite(t *testing.T) *site {
	t.Helper()
	s, _ := securedSite(t, securedConfig)
	return s
}

// securedSite is newSecuredSite with a configuration, and its database.
func securedSite(t *testing.T, config string) (*site, *sourcetest.Postgres) {
	t.Helper()
	pg := sourcetest.StartPostgres(t)
	pg.Exec(t, securedSales)
	s := configured(t, storagetest.Redis(t), config, "${PG}", pg.URL("reader", "read-only", "postgres"))
	for _, name := range []string{"viewer.xlsx", "chief.xlsx"} {
		f := excelize.NewFile()
		if err := f.SaveAs(filepath.Join(s.dir, "sheets", name)); err != nil {
			t.Fatal(err)
		}
	}
	s.server = start(t, "serve", "--config", s.config)
	s.client.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(s.server.waitFor("msg=serving"))[1]
	return s, pg
}

// as returns the site as a holder of a token sees it.
func (s *site) as(flags ...string) *site {
	s.t.Helper()
	if !slices.Contains(flags, "--action") {
		flags = append(flags, "--no-actions")
	}
	status, stdout, stderr := mooring(s.t, append([]string{"key", "create", "--config", s.config, "--tenant", "acme"}, flags...)...)
	if status != process.ExitDone {
		s.t.Fatalf("key create: %s", stderr)
	}
	other := *s
	other.client.token = strings.TrimSpace(stdout)
	return &other
}

// column is what stands in the first column of a workbook.
func (s *site) column(name string) (texts []string) {
	s.t.Helper()
	f, err := excelize.OpenFile(filepath.Join(s.dir, "sheets", name))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Sheet1")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, row := range rows {
		texts = append(texts, row[0])
	}
	return texts
}

// ended runs a schedule and returns the run when it has ended.
func (s *site) ended(schedule int64) (run record.Run) {
	s.t.Helper()
	const deployment = "/api/v1/deployments/1"
	var started struct {
		RunID    string
		ReportID int64
	}
	path := fmt.Sprintf("%s/refresh-schedules/%d/run", deployment, schedule)
	if err := s.client.do(s.t.Context(), http.MethodPost, path, nil, &started); err != nil {
		s.t.Fatal(err)
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for ; run.EndedAt == ""; <-tick.C {
		path := fmt.Sprintf("%s/reports/%d/refreshes/%s", deployment, started.ReportID, started.RunID)
		if err := s.client.do(s.t.Context(), http.MethodGet, path, nil, &run); err != nil {
			s.t.Fatal(err)
		}
	}
	return run
}

// A login that could change on whose behalf it queries is a warning, and documents are none where they are bounded.
func TestCheckWarnsOfALoginThatRowSecurityDoesNotBind(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	status, stdout, stderr := mooring(t, "check", "--config", s.config)
	if status != process.ExitDone || !strings.Contains(stdout, "warning tenant acme: source of deployment 1: the login reader may execute set_config") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if strings.Contains(stdout, "without documents") {
		t.Errorf("bounded documents are warned of:\n%s", stdout)
	}
}

// With row-level security a placement holds what its placer may see, also when a colleague made the schedule that fills it (decisions.md §3).
func TestAColleaguesScheduleFillsAViewersFileWithTheViewersRows(t *testing.T) {
	t.Parallel()
	s := newSecuredSite(t)
	chief := s.as("--user", "1", "--role", "9", "--action", "ReportEdit")
	viewer := s.as("--user", "3", "--email", "vi@example.com", "--role", "7")
	path, id := chief.report("1", "SELECT item FROM sales ORDER BY item")
	readers := `{"rolesWithAccess":[{"id":7,"name":"Sellers","actions":["ReportRead"]}]}`
	if status, answer := chief.send(http.MethodPut, path+"/access", readers); status != http.StatusOK {
		t.Fatal(answer)
	}
	viewer.connect(path, "viewer.xlsx", "Sheet1!A1")
	chief.connect(path, "chief.xlsx", "Sheet1!A1")
	if _, answer := chief.send(http.MethodGet, path, ""); !strings.Contains(answer, `"runAs":{"uid":3,"email":"vi@example.com","roles":[7]}`) {
		t.Errorf("the report does not show on whose behalf it is queried: %s", answer)
	}

	var schedule struct{ ID int64 }
	body := map[string]any{"target": map[string]any{"reportId": id}, "cron": "@yearly"}
	if status, answer := viewer.send(http.MethodPost, "/api/v1/deployments/1/refresh-schedules", encoded(t, body)); status != http.StatusForbidden {
		t.Errorf("a viewer schedules the chief's placement: %d %s", status, answer)
	}
	if err := chief.client.do(t.Context(), http.MethodPost, "/api/v1/deployments/1/refresh-schedules", body, &schedule); err != nil {
		t.Fatal(err)
	}
	if run := chief.ended(schedule.ID); run.State != "SUCCEEDED" {
		t.Fatalf("the run is %s: %s", run.State, run.Error)
	}
	want := map[string][]string{"viewer.xlsx": {"item", "rope"}, "chief.xlsx": {"item", "buoy", "chain", "rope"}}
	for name, rows := range want {
		if diff := cmp.Diff(rows, s.column(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	if status, answer := chief.send(http.MethodPut, path+"/access", `{"rolesWithAccess":[]}`); status != http.StatusOK {
		t.Fatal(answer)
	}
	run := chief.ended(schedule.ID)
	states := map[int64]string{}
	for _, p := range run.Placements {
		states[p.RunAsUserID] = string(p.State) + " " + string(p.ErrorClass)
	}
	if diff := cmp.Diff(map[int64]string{1: "SUCCEEDED ", 3: "FAILED auth"}, states); diff != "" || run.ErrorClass != "auth" {
		t.Errorf("after the viewer lost access the run is %s, %s (-want +got):\n%s", run.ErrorClass, run.Error, diff)
	}
	status, answer := chief.send(http.MethodPut, path+"/connect-workbook", `{"externalWorkbookId":"private/pay.xlsx","resultLocation":"Sheet1!A1","host":"SHEETS_B"}`)
	if status != http.StatusForbidden || !strings.Contains(answer, `"code":"document_not_allowed"`) {
		t.Errorf("a document that the configuration does not allow: %d %s", status, answer)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
