package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/placements"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest/book"
	"mooring/storage/record"
)

const (
	teamSite  = "https://contoso.sharepoint.com/sites/team"
	emptySite = "https://contoso.sharepoint.com/sites/empty"
	boardSite = "https://contoso.sharepoint.com/sites/board"
)

// hosted serves the site with two folders and a fake of Microsoft Graph with sites.
func hosted(t *testing.T) (*site, *graphfake.Server) {
	t.Helper()
	fake := graphfake.Start()
	t.Cleanup(fake.Close)
	fake.AddSite(teamSite, graphfake.Write, "Documents", "Archive")
	fake.AddSite(emptySite, graphfake.Write, "Documents")
	fake.AddTo(graphfake.DriveOf(teamSite, "Archive"), "2026/plan.xlsx", "01PLAN", book.New(graphfake.Rows, graphfake.Columns, "Data"))
	s := newSite(t)
	s.server.terminate()
	if err := os.Mkdir(filepath.Join(s.dir, "share"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, "share", "both.xlsx"), string(s.bytes()))
	writeFile(t, filepath.Join(s.dir, "share", "share.xlsx"), string(s.bytes()))
	s.copies("both.xlsx")
	s.spreadsheets(fmt.Sprintf(`
      - {name: desk, kind: xlsx, dir: sheets}
      - {name: share, kind: xlsx, dir: share}
      - {name: cloud, kind: graph, tenantId: %s, clientId: %s, clientSecret: %s, endpoint: %q, tokenEndpoint: %q, sites: [%s, %s], requestsPerMinute: 900}
`, graphfake.Tenant, graphfake.ClientID, graphfake.ClientSecret, fake.URL, fake.TokenURL, teamSite, emptySite))
	s.serve()
	return s, fake
}

// spreadsheets gives the configuration other hosts.
func (s *site) spreadsheets(hosts string) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "    spreadsheets:")
	writeFile(s.t, s.config, before+"    spreadsheets:"+hosts)
}

// refreshed connects a report to a document, refreshes it there, and returns the run and the placement.
func (s *site) refreshed(document string, on placements.Host, at string) (run record.Run, p placements.Placement) {
	s.t.Helper()
	path, id := s.report("1", "SELECT name, amount FROM t")
	s.place(path, fmt.Sprintf("p%d", id), document, on, at)
	run = s.shown(s.runOf(path), "ended", hasEnded)
	return run, s.placed(path)[0]
}

func TestHostsAreAList(t *testing.T) {
	t.Parallel()
	s, fake := hosted(t)
	for _, row := range []struct {
		fact, document, want, wantError string
	}{
		{"a file that one folder has", "share.xlsx", "share", ""},
		{"a file of the other folder", "book.xlsx", "desk", ""},
		{"an item of a library of a site", "01PLAN", "cloud", ""},
		{"a file that its id names the host of", "share:both.xlsx", "share", ""},
		{"a file that two folders have", "both.xlsx", "", `the spreadsheet "both.xlsx" is at several hosts, desk and share`},
		{"a file that none has", "none.xlsx", "", `the spreadsheet "none.xlsx" is at none of the hosts desk, share and cloud`},
	} {
		sheet := "States!C20"
		if row.want == "cloud" {
			sheet = "Data!A1"
		}
		run, p := s.refreshed(row.document, placements.SheetsB, sheet)
		failed := run.State != placements.RunSucceeded
		if failed != (row.wantError != "") || !strings.Contains(run.Error, row.wantError) || p.Spreadsheets != row.want {
			t.Errorf("%s: the run is %s (%s), at %q, want %q", row.fact, run.State, run.Error, p.Spreadsheets, row.want)
		}
		if row.wantError != "" && run.ErrorClass != placements.Permanent && run.ErrorClass != placements.Structure {
			t.Errorf("%s: class %s", row.fact, run.ErrorClass)
		}
	}
	fake.Edit("01PLAN", func(b *book.Book) {
		if got := b.Sheets[0].Filled(); got.Rows == 0 {
			t.Error("the workbook of the site is empty")
		}
	})
	s.quotasName("cloud")
}

// quotasName checks that the quota of a host is shown under its name.
func (s *site) quotasName(name string) {
	s.t.Helper()
	var quota struct {
		Items []struct {
			Account, Spreadsheets string
			Limit                 int
		}
	}
	if err := s.client.do(s.t.Context(), http.MethodGet, "/api/v1/quota", nil, &quota); err != nil {
		s.t.Fatal(err)
	}
	if len(quota.Items) != 1 || quota.Items[0].Spreadsheets != name || !strings.HasSuffix(quota.Items[0].Account, "@"+name) || quota.Items[0].Limit == 0 {
		s.t.Errorf("quotas %+v", quota.Items)
	}
}

// A connect says at which host the spreadsheet is as soon as only one can be meant.
func TestConnectNamesTheHost(t *testing.T) {
	t.Parallel()
	s, _ := hosted(t)
	path, _ := s.report("1", "SELECT name, amount FROM t")
	for document, want := range map[string]string{"share:both.xlsx": "share", "both.xlsx": "", "other:both.xlsx": "", "cloud:01PLAN": "cloud"} {
		status, answer := s.send(http.MethodPut, path+"/connect-workbook", fmt.Sprintf(
			`{"externalWorkbookId":%q,"host":"SHEETS_B","resultLocation":"Data!A1","placementId":%q,"addressOnly":true}`, document, "of "+document))
		var shown struct {
			ExternalWorkbookPlacements []struct{ ID, WorkbookID, Spreadsheets string }
		}
		if err := json.Unmarshal([]byte(answer), &shown); err != nil || status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
		for _, p := range shown.ExternalWorkbookPlacements {
			if p.ID == "of "+document && (p.Spreadsheets != want || p.WorkbookID != document) {
				t.Errorf("%s is recorded as %+v, want %q", document, p, want)
			}
		}
	}
}

// The mapping of one host a kind means what it meant, under other words too, also for what was placed before.
func TestHostsAreAMapping(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	before, id := s.report("1", "SELECT name, amount FROM t")
	s.place(before, fmt.Sprintf("p%d", id), "book.xlsx", placements.SheetsB, "States!C100")
	for i, key := range []string{"SHEETS_B", "excel"} {
		s.server.terminate()
		s.spreadsheets("\n      " + key + ": {kind: xlsx, dir: sheets}\n")
		s.serve()
		if run, p := s.refreshed("book.xlsx", placements.SheetsB, fmt.Sprintf("States!C%d", 40+20*i)); run.State != placements.RunSucceeded || p.Spreadsheets != key {
			t.Errorf("%s: the run is %s (%s), at %q", key, run.State, run.Error, p.Spreadsheets)
		}
		run := s.shown(s.runOf(before), "ended", hasEnded)
		if p := s.placed(before)[0]; run.State != placements.RunSucceeded || p.Spreadsheets != key {
			t.Errorf("%s: the run on what was placed before is %s (%s), at %q", key, run.State, run.Error, p.Spreadsheets)
		}
		if run, _ := s.refreshed("a spreadsheet of Google's", placements.SheetsA, "Data!A1"); run.State != placements.RunSkipped {
			t.Errorf("%s: a run on a kind that is not configured is %s (%s)", key, run.State, run.Error)
		}
	}
}

func TestHostsOfTheFileAreChecked(t *testing.T) {
	t.Parallel()
	for fact, row := range map[string]struct{ hosts, want string }{
		"two words for one kind": {
			"\n      SHEETS_B: {kind: xlsx, dir: sheets}\n      excel: {kind: xlsx, dir: sheets}\n",
			"mooring.yaml:12:14: tenant acme: spreadsheets: SHEETS_B and excel are words for one kind",
		},
		"a name twice": {
			"\n      - {name: a, kind: xlsx, dir: sheets}\n      - {name: A, kind: xlsx, dir: sheets}\n",
			`mooring.yaml:12:16: tenant acme: spreadsheets: name "A" is there twice`,
		},
		"no name":                  {"\n      - {kind: xlsx, dir: sheets}\n", "tenant acme: spreadsheets: name: missing"},
		"a name with a colon":      {"\n      - {name: \"a:b\", kind: xlsx, dir: sheets}\n", `name "a:b": a name has letters`},
		"a key that is not known":  {"\n      - {name: a, kind: xlsx, folder: sheets}\n", `mooring.yaml:11:31: unknown key "folder"`},
		"a kind that is not known": {"\n      - {name: a, kind: ods}\n", `"ods" is unknown`},
		"a name in a mapping":      {"\n      SHEETS_B: {name: share, kind: xlsx, dir: sheets}\n", "a host of a mapping is named after its key"},
		"the other kind's name":    {"\n      - {name: SHEETS_A, kind: xlsx, dir: sheets}\n", "that is another kind of spreadsheets"},
		"the word for it":          {"\n      - {name: Google, kind: xlsx, dir: sheets}\n", `name "Google": that is another kind of spreadsheets`},
		"neither list nor mapping": {" sheets\n", "expected a list of spreadsheet hosts"},
	} {
		t.Run(fact, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "mooring.yaml")
			if err := os.Mkdir(filepath.Join(filepath.Dir(file), "sheets"), 0o755); err != nil {
				t.Fatal(err)
			}
			before, _, _ := strings.Cut(strings.ReplaceAll(siteConfig, "${REDIS}", "embedded"), "    spreadsheets:")
			writeFile(t, file, before+"    spreadsheets:"+row.hosts)
			status, _, stderr := mooring(t, "check", "--config", file)
			if status != process.ExitFailed || !strings.Contains(stderr, row.want) {
				t.Errorf("status %d, %s\nwant %q", status, stderr, row.want)
			}
		})
	}
}

// Of each site it is said whether its workbooks can be opened, and what is missing else.
func TestCheckTriesEachSite(t *testing.T) {
	t.Parallel()
	s, fake := hosted(t)
	checks := func(want int, parts ...string) {
		t.Helper()
		status, stdout, stderr := mooring(t, "check", "--config", s.config)
		for _, part := range parts {
			if !strings.Contains(stdout, part) {
				t.Errorf("printed\n%s\nwant %q", stdout, part)
			}
		}
		if status != want {
			t.Errorf("status %d, want %d: %s\n%s", status, want, stderr, stdout)
		}
	}
	if err := os.Remove(filepath.Join(s.dir, "sheets", "broken.xlsx")); err != nil {
		t.Fatal(err)
	}
	const at = "tenant acme: spreadsheets cloud"
	writeFile(t, s.config, strings.Replace(s.text(), "      2: {source: {kind: sqlite, path: gone.db}}\n", "", 1))
	checks(process.ExitDone, "ok      tenant acme: spreadsheets desk\n", "ok      "+at+"\n",
		"ok      "+at+": site "+teamSite+": a session on plan.xlsx was opened\n",
		"ok      "+at+": site "+emptySite+": not tried, no .xlsx was found there\n",
		"warning "+at+": without documents")
	if n := fake.Sessions(); n != 0 {
		t.Errorf("%d sessions are left open", n)
	}
	fake.Grant(teamSite, graphfake.Read)
	checks(process.ExitDone, "warning "+at+": site "+teamSite+": workbook API refused a session on plan.xlsx: if the application may only read there, let it write")
	fake.Grant(teamSite, graphfake.None)
	checks(process.ExitFailed, "FAILED  "+at+": site "+teamSite+": permission: Microsoft 365 does not let the application into the site")
	fake.Grant(teamSite, graphfake.Write)
	fake.RefuseWorkbooks(graphfake.DriveOf(teamSite, "Archive"))
	checks(process.ExitFailed, "FAILED  "+at+": site "+teamSite+": workbook API refused: Microsoft 365 does not let the application open the workbook plan.xlsx")
	writeFile(t, s.config, strings.ReplaceAll(s.text(), emptySite, boardSite))
	checks(process.ExitFailed, "FAILED  "+at+": site "+boardSite+": site: Microsoft 365 knows no site")
	fake.AddSite(boardSite, graphfake.Write)
	checks(process.ExitFailed, "FAILED  "+at+": site "+boardSite+": library: the site contoso.sharepoint.com/sites/board has no document library.")
}

// text is the configuration.
func (s *site) text() string {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}
