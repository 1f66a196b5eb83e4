package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host/xlsx"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

const (
	paneBook = "0f8fad5b-d9cb-469f-a165-70867728950e"
	nonce    = "Zm9vYmFyLWJhei0xMjM0NQ"
	linkPath = "/api/v1/external-documents/" + paneBook + "/link"
	aLook    = `{"name":"plan.xlsx","nonce":"` + nonce + `"}`
)

// linkRig is an account with a folder of workbooks, which nobody looks through: what was asked for stays so.
type linkRig struct {
	*api
	log *bytes.Buffer
}

func newLinkRig(t *testing.T) *linkRig {
	t.Helper()
	return newLinkRigOf(t, "files")
}

// newLinkRigOf is newLinkRig with a folder for each of several names.
func newLinkRigOf(t *testing.T, names ...string) *linkRig {
	t.Helper()
	var hosts []refresh.Spreadsheets
	for _, name := range names {
		files, err := (&xlsx.Config{Dir: t.TempDir()}).Open(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		hosts = append(hosts, refresh.Spreadsheets{Name: name, Kind: placements.SheetsB, Driver: files})
	}
	s, log := storagetest.Open(t, "embedded"), new(bytes.Buffer)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return &linkRig{newAPI(t, s, func(c *Config) {
		c.Log = logger
		c.Engine = refresh.New(refresh.Config{Store: s, Log: logger, Tenants: map[string]refresh.Tenant{
			"acme": {Hosts: hosts},
		}})
	}), log}
}

// placedIn places a report of that name.
func placedIn(report, document, cell string) step {
	return step{
		name: report + " is placed in " + document, method: "PUT", path: "/reports/{{" + report + "}}/connect-workbook", status: 200,
		body: fmt.Sprintf(`{"externalWorkbookId":%q,"resultLocation":"Data!%s","placementId":"%s-%s-%s","host":"SHEETS_B"}`, document, cell, report, cell, document[len(document)-2:]),
	}
}

func made(name string) step {
	return step{
		name: name, method: "POST", path: "/reports", as: "manager", status: 200, keep: map[string]string{name: "id"},
		body: `{"name":"` + name + `","sqlQuery":"SELECT 1"}`,
	}
}

// shared lets a role read a report.
func shared(report string) step {
	return step{
		name: report + " is shared", method: "PUT", path: "/reports/{{" + report + "}}/access", as: "manager", status: 200,
		body: `{"rolesWithAccess":[{"id":7,"name":"R","actions":["ReportRead"]}]}`,
	}
}

// link makes the pane's workbook the file plan.xlsx, as an agent does that has proved it.
func (r *linkRig) link(t *testing.T) *record.Link {
	t.Helper()
	l, err := r.store.Links().Change(t.Context(), "acme", paneBook, func(l *record.Link) (work.LinkChange, error) {
		l.State, l.Home, l.Spreadsheets, l.Target, l.Name, l.By = record.LinkLinked, paneBook, "files", "plan.xlsx", "plan.xlsx", record.LinkedByAsked
		l.IDs = []string{paneBook, "plan.xlsx", "files:plan.xlsx"}
		l.Unsettled = l.IDs
		return work.LinkChange{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	merged, err := r.store.Links().Settle(t.Context(), "acme", l)
	if err != nil {
		t.Fatal(err)
	}
	l, err = r.store.Links().Change(t.Context(), "acme", paneBook, func(l *record.Link) (work.LinkChange, error) {
		l.Unsettled, l.Merged = nil, merged
		return work.LinkChange{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestWhoMayAskWhereASpreadsheetIs(t *testing.T) {
	r := newLinkRig(t)
	const get = "/api/v1/external-documents/" + paneBook
	r.run(t, []step{
		{name: "nothing is placed there", method: "POST", path: linkPath, body: aLook, as: "admin", status: 404, holds: `{"code":"not_found"}`},
		{name: "nor is it read", method: "GET", path: get, as: "admin", status: 404, holds: `{"code":"not_found"}`},
		{name: "nor unlinked", method: "DELETE", path: linkPath, as: "admin", status: 404, holds: `{"code":"not_found"}`},
		made("open"), shared("open"), made("closed"), placedIn("open", paneBook, "A1"),
		{name: "an editor may ask", method: "POST", path: linkPath, body: aLook, status: 202, holds: `{"id":"` + paneBook + `","state":"looking"}`},
		{name: "again it is the same look", method: "POST", path: linkPath, body: aLook, status: 202, holds: `{"state":"looking"}`},
		{name: "a reader may", method: "POST", path: linkPath, body: aLook, as: "role7", status: 202, holds: `{"state":"looking"}`},
		{name: "and read", method: "GET", path: get, as: "role7", status: 200, holds: `{"state":"looking"}`},
		{name: "but not unlink", method: "DELETE", path: linkPath, as: "role7", status: 403, holds: `{"code":"forbidden"}`},
		{name: "who reads nothing there may not", method: "POST", path: linkPath, body: aLook, as: "stranger", status: 404},
		{name: "nor read", method: "GET", path: get, as: "stranger", status: 404},
		{name: "nor unlink", method: "DELETE", path: linkPath, as: "stranger", status: 404},
		{name: "nor another account", method: "POST", path: linkPath, body: aLook, as: "foreign", status: 404},
		{name: "nor read it", method: "GET", path: get, as: "foreign", status: 404},
		{name: "nor a token for another deployment", method: "GET", path: get, as: "only2", status: 404},
		{name: "nor unlink it", method: "DELETE", path: linkPath, as: "only2", status: 404},
		placedIn("closed", paneBook, "H1"),
		{name: "who may edit all of it unlinks it", method: "DELETE", path: linkPath, status: 200, holds: `{"state":"not_found"}`},
		{name: "a start does not link it again", method: "POST", path: linkPath, body: aLook, status: 202, holds: `{"state":"not_found"}`},
		{name: "a person does", method: "POST", path: linkPath, body: aLook[:len(aLook)-1] + `,"again":true}`, status: 202, holds: `{"state":"looking"}`},
	})
	other := strings.Replace(aLook, nonce, strings.ToLower(nonce), 1)
	r.run(t, []step{
		{name: "another nonce is refused", method: "POST", path: linkPath, body: other, as: "role7", status: 202, holds: `{"state":"refused"}`},
		{name: "which is that caller's answer alone", method: "GET", path: get, as: "role7", status: 200, holds: `{"state":"looking"}`},
		{name: "who may edit all reports there may bring it", method: "POST", path: linkPath, body: other, status: 202, holds: `{"state":"looking"}`},
	})
}

// A user on whose behalf all is refreshed that is placed in a spreadsheet links it. Another one might have a copy of it, in which rows would be seen
// that are not theirs.
func TestAPlacerLinksOnlyWhatIsTheirs(t *testing.T) {
	r := newLinkRig(t)
	own := func(cell string) step {
		s := placedIn("open", paneBook, cell)
		s.as = "role7"
		return s
	}
	may := func(fact string, want bool) {
		t.Helper()
		r.run(t, []step{{name: fact, method: "POST", path: linkPath, body: aLook, as: "role7", status: 202}})
		l, err := r.store.Links().Of(t.Context(), "acme", paneBook)
		if err != nil || l == nil || l.Ask == nil || l.Ask.MayLink != want {
			t.Errorf("%s: %+v %v, want an ask that may link: %t", fact, l, err, want)
		}
		if (l.Nonce != "") != want {
			t.Errorf("%s: the nonce %q is kept", fact, l.Nonce)
		}
		_, err = r.store.Links().Change(t.Context(), "acme", paneBook, func(l *record.Link) (work.LinkChange, error) {
			l.Ask, l.Nonce = nil, ""
			return work.LinkChange{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.run(t, []step{made("open"), shared("open"), made("closed"), own("A1")})
	may("theirs alone", true)
	r.run(t, []step{placedIn("open", paneBook, "D1")})
	may("another's stands there, too", false)
	r.run(t, []step{placedIn("closed", paneBook, "H1")})
	may("they may not read one", false)
	over := own("D1")
	r.run(t, []step{over})
	may("they took over one", false)
	r.run(t, []step{
		{name: "the first is gone", method: "DELETE", path: "/reports/{{open}}/connect-workbook", as: "manager", body: `{"externalWorkbookId":"` + paneBook + `","resultLocation":"Data!A1"}`, status: 200},
		{name: "so is the other", method: "DELETE", path: "/reports/{{closed}}/connect-workbook", as: "manager", body: `{"externalWorkbookId":"` + paneBook + `","resultLocation":"Data!H1"}`, status: 200},
		own("P1"),
	})
	may("what they took over, and theirs", true)
	r.run(t, []step{placedIn("open", paneBook, "X1")})
	may("others place there again", false)
	named := own("T1")
	named.body = strings.Replace(named.body, `"host"`, `"nonce":"`+nonce+`","host"`, 1)
	r.run(t, []step{named})
	if l, err := r.store.Links().Of(t.Context(), "acme", paneBook); err != nil || l.Nonce != "" {
		t.Errorf("the nonce with which they place a report is kept: %+v, %v", l, err)
	}
}

func TestWhatAnAddinSaysOfItsSpreadsheetIsChecked(t *testing.T) {
	r := newLinkRig(t)
	r.run(t, []step{made("open"), placedIn("open", paneBook, "A1"), placedIn("open", "plan.xlsx", "A1")})
	for fact, tt := range map[string]struct {
		body, pointer string
		status        int
	}{
		"no name":             {`{"nonce":"` + nonce + `"}`, "/name", 400},
		"a long name":         {`{"name":"` + strings.Repeat("n", 256) + `","nonce":"` + nonce + `"}`, "/name", 400},
		"no nonce":            {`{"name":"a"}`, "/nonce", 400},
		"a nonce of null":     {`{"name":"a","nonce":null}`, "/nonce", 400},
		"a short nonce":       {`{"name":"a","nonce":"123456789012345"}`, "/nonce", 400},
		"a long nonce":        {`{"name":"a","nonce":"` + strings.Repeat("n", 65) + `"}`, "/nonce", 400},
		"a nonce with a dot":  {`{"name":"a","nonce":"1234567890123456."}`, "/nonce", 400},
		"a nonce of a number": {`{"name":"a","nonce":1234567890123456}`, "/nonce", 400},
		"a long address":      {`{"name":"a","nonce":"` + nonce + `","url":"https://` + strings.Repeat("u", 4096) + `"}`, "/url", 400},
		"again of a text":     {`{"name":"a","nonce":"` + nonce + `","again":"yes"}`, "/again", 400},
	} {
		r.run(t, []step{{name: fact, method: "POST", path: linkPath, body: tt.body, status: tt.status, says: []string{`"pointer":"` + tt.pointer + `"`}}})
	}
	r.run(t, []step{
		{name: "a huge body", method: "POST", path: linkPath, body: `{"name":"` + strings.Repeat("n", 40<<20) + `"}`, status: 413},
		{name: "no body", method: "POST", path: linkPath, status: 400},
		{name: "a host's own id needs no nonce", method: "POST", path: "/api/v1/external-documents/plan.xlsx/link", body: `{"name":"plan.xlsx"}`, status: 202, holds: `{"id":"plan.xlsx","state":"linked","host":"files"}`},
	})
}

func TestSoManyLooksAtOnce(t *testing.T) {
	r := newLinkRig(t)
	r.run(t, []step{made("open")})
	book := func(n int) string { return fmt.Sprintf("%s%02d", paneBook[:len(paneBook)-2], n) }
	ask := func(n int, as string) *httptest.ResponseRecorder {
		return r.send(step{method: "POST", path: "/api/v1/external-documents/" + book(n) + "/link", as: as, body: aLook})
	}
	for n := range 11 {
		r.run(t, []step{placedIn("open", book(n), "A1")})
		w := ask(n, "editor")
		if n < 10 && w.Code != http.StatusAccepted {
			t.Fatalf("look %d: %d %s", n+1, w.Code, w.Body)
		}
		if n == 10 && (w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"looks_limit"`)) {
			t.Errorf("look %d: %d %s %s", n+1, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
	if w := ask(3, "editor"); w.Code != http.StatusAccepted {
		t.Errorf("one that is under way: %d %s", w.Code, w.Body)
	}
	if w := ask(10, "viewer"); w.Code != http.StatusAccepted {
		t.Errorf("another user: %d %s", w.Code, w.Body)
	}
}

// The nonce is nowhere but in the file and, as its hash, in the storage.
func TestANonceIsShownNowhere(t *testing.T) {
	r := newLinkRig(t)
	connect := placedIn("open", paneBook, "A1")
	connect.body = connect.body[:len(connect.body)-1] + `,"nonce":"` + nonce + `"}`
	r.run(t, []step{made("open"), connect, {
		name: "a reader's look with another nonce than the connect's", method: "POST", path: linkPath, as: "viewer",
		body: strings.Replace(aLook, nonce, strings.ToLower(nonce), 1), status: 202, holds: `{"state":"refused"}`,
	}, {name: "with that", method: "POST", path: linkPath, body: aLook, status: 202, holds: `{"state":"looking"}`}})
	hash := refresh.NonceHash(nonce)
	l, err := r.store.Links().Get(t.Context(), "acme", paneBook)
	if err != nil || l == nil || l.Nonce != hash {
		t.Fatalf("kept %+v, %v", l, err)
	}
	for _, path := range []string{
		"/reports/{{open}}", "/reports", "/documents?include=link", "/placements", "/audit", "/reports/{{open}}/versions", "/api/v1/audit",
		"/api/v1/external-documents/" + paneBook, "/api/v1/external-documents/" + paneBook + "/placements", "//metrics",
	} {
		w := r.send(step{method: "GET", path: path, as: "admin"})
		if w.Code != 200 || strings.Contains(w.Body.String(), nonce) || strings.Contains(w.Body.String(), hash) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	events, err := r.store.Queue().Events.After(t.Context(), record.Deployment{Tenant: "acme", ID: 1}, "0-0", 100)
	if err != nil || len(events) == 0 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if said := fmt.Sprint(events) + r.log.String(); strings.Contains(said, nonce) || strings.Contains(said, hash) || r.log.Len() == 0 {
		t.Errorf("events and log say it:\n%s", said)
	}
}

// Where two hosts may have a spreadsheet, its first refresh shows which: agents reach it, so it is refreshed, and no list of the lost ones has it.
func TestASpreadsheetOfOneOfTwoHostsIsReached(t *testing.T) {
	r := newLinkRigOf(t, "files", "share")
	r.run(t, []step{made("open"), placedIn("open", paneBook, "A1"), placedIn("open", "plan.xlsx", "H1")})
	for path, want := range map[string]map[string]bool{
		"/documents?include=link": {paneBook: true, "plan.xlsx": false}, "/documents?reach=lost": {paneBook: true},
	} {
		var page struct {
			Items []struct {
				ExternalWorkbookID string
				Lost               bool
			}
		}
		w := r.send(step{method: "GET", path: path, as: "admin"})
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, d := range page.Items {
			got[d.ExternalWorkbookID] = d.Lost
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: lost are %v, want %v", path, got, want)
		}
	}
}

// A placement that stands is not told to have failed because the nonce of its document could not be kept.
func TestAConnectStandsWithoutItsNonce(t *testing.T) {
	address := storagetest.Redis(t)
	a := newAPI(t, storagetest.Open(t, address))
	connect := placedIn("open", paneBook, "A1")
	connect.body = connect.body[:len(connect.body)-1] + `,"nonce":"` + nonce + `"}`
	a.run(t, []step{made("open"), connect})
	client := storagetest.Client(t, address)
	keys, err := client.Keys(t.Context(), "*:links").Result()
	if err != nil || len(keys) != 1 {
		t.Fatalf("%v, %v", keys, err)
	}
	if err := client.HSet(t.Context(), keys[0], paneBook, "{").Err(); err != nil {
		t.Fatal(err)
	}
	a.run(t, []step{connect})
}

// Whatever id of a spreadsheet a client has, it means all that was placed under any of them.
func TestEveryIDOfASpreadsheetAddressesIt(t *testing.T) {
	r := newLinkRig(t)
	r.run(t, []step{
		made("open"), made("closed"), placedIn("open", paneBook, "A1"), placedIn("closed", "plan.xlsx", "H1"), placedIn("closed", "files:plan.xlsx", "P1"),
		{name: "a run before", method: "POST", path: "/reports/{{closed}}/refreshes", body: `{"externalWorkbookId":"plan.xlsx"}`, status: 202, keep: map[string]string{"early": "runId"}},
		{name: "what no agent reaches", method: "GET", path: "/documents?reach=lost", as: "admin", status: 200, holds: `{"items":[{"externalWorkbookId":"` + paneBook + `"}]}`},
		{name: "what they all are", method: "GET", path: "/documents?include=link", as: "admin", status: 200, holds: `{"items":[{"link":{"state":"not_found"}},{"link":{"state":"linked","host":"files"}},{"externalWorkbookId":"plan.xlsx","link":{"state":"linked","host":"files"}}]}`},
		{name: "who does not ask is not told where they are", method: "GET", path: "/documents", as: "admin", status: 200, says: []string{paneBook, `"plan.xlsx"`}, lacks: []string{`"link"`, "not_found"}},
		{name: "another thing to include", method: "GET", path: "/documents?include=links", as: "admin", status: 400, says: []string{"include must be link, or absent"}},
		{name: "another value", method: "GET", path: "/documents?reach=found", as: "admin", status: 400, holds: `{"code":"invalid_parameter"}`},
	})
	r.link(t)
	r.run(t, []step{
		{name: "one spreadsheet", method: "GET", path: "/documents?include=link", as: "admin", status: 200, holds: `{"items":[{"externalWorkbookId":"` + paneBook + `","link":{"id":"` + paneBook + `","state":"linked","host":"files","name":"plan.xlsx","by":"asked","ids":["plan.xlsx","files:plan.xlsx"]}}]}`},
		{name: "none is lost", method: "GET", path: "/documents?reach=lost", as: "admin", status: 200, holds: `{"items":[]}`},
	})
	r.run(t, []step{
		{name: "a run of it", method: "POST", path: "/reports/{{open}}/refreshes", body: `{"externalWorkbookId":"plan.xlsx"}`, status: 202, keep: map[string]string{"run": "runId"}},
	})
	for i, id := range []string{paneBook, "plan.xlsx", "files:plan.xlsx", strings.ToUpper(paneBook)} {
		all := `{"items":[{"placement":{"workbookId":"` + paneBook + `"}},{"placement":{"workbookId":"plan.xlsx"}},{"placement":{"workbookId":"files:plan.xlsx"}}]}`
		r.run(t, []step{
			{name: id + " is read", method: "GET", path: "/api/v1/external-documents/" + id, status: 200, holds: `{"id":"` + id + `","state":"linked"}`},
			{name: "its placements", method: "GET", path: "/api/v1/external-documents/" + id + "/placements", status: 200, holds: all},
			{name: "in the deployment's", method: "GET", path: "/placements?document=" + id, status: 200, says: []string{"open-A1-0e", "closed-H1-sx", "closed-P1-sx"}},
			{name: "its runs", method: "GET", path: "/refreshes?document=" + id, status: 200, says: []string{"{{early}}"}},
			{name: "a report that repeats where it stands there", method: "PUT", path: "/reports/{{open}}", body: `{"externalWorkbookId":"` + id + `"}`, status: 200, holds: `{"externalWorkbookId":"` + paneBook + `","externalWorkbookPlacements":[{"id":"open-A1-0e"}]}`},
			{name: "its reports", method: "GET", path: "/reports?externalWorkbookId=" + id, status: 200, says: []string{`"open"`, `"closed"`}},
			{name: "is listed", method: "GET", path: "/refreshes?state=QUEUED&host=SHEETS_B&document=" + paneBook, status: 200, says: []string{"{{run}}", "{{early}}"}},
			{name: "is found by the id", method: "POST", path: "/bulk/refreshes", body: `{"action":"stop","filter":{"document":"` + id + `","report":{{closed}}},"expectedCount":0}`, status: 409, holds: `{"code":"count_changed"}`},
			{name: "a schedule of it", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{open}},"externalWorkbookId":"` + id + `"},"cron":"` + fmt.Sprint(i) + ` 3 * * *"}`, status: 200, lacks: []string{"warnings"}},
			{name: "and by names", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{closed}},"document":"` + id + `","address":"Data!H1"},"cron":"` + fmt.Sprint(i) + ` 4 * * *"}`, status: 200, holds: `{"target":{"placementId":"closed-H1-sx","document":"plan.xlsx","address":"Data!H1"}}`},
			{name: "that is its run in progress", method: "POST", path: "/reports/{{open}}/refreshes", body: `{"externalWorkbookId":"` + id + `"}`, status: 409, holds: `{"code":"run_in_progress","details":[{"runId":"{{run}}"}]}`},
			{name: "all of it makes no other", method: "POST", path: "/api/v1/external-documents/" + id + "/refreshes", body: `{}`, status: 202, holds: `{"runs":[{"reportId":{{open}},"runId":"{{run}}","code":"run_in_progress"},{"reportId":{{closed}},"runId":"{{early}}","code":"run_in_progress"}]}`},
		})
	}
}

// Two schedules of one spreadsheet are twins under whichever of its ids, also where the link came after both.
func TestSchedulesOfASpreadsheetAreTwinsUnderAnyID(t *testing.T) {
	r := newLinkRig(t)
	schedule := func(document string) string {
		return `{"name":"S","target":{"reportId":{{open}},"externalWorkbookId":"` + document + `"},"cron":"0 7 * * *"}`
	}
	r.run(t, []step{
		made("open"), placedIn("open", paneBook, "A1"), placedIn("open", "plan.xlsx", "H1"),
		{name: "by the pane's id", method: "POST", path: "/refresh-schedules", body: schedule(paneBook), status: 200, keep: map[string]string{"pane": "id"}},
		{name: "by the file's", method: "POST", path: "/refresh-schedules", body: schedule("plan.xlsx"), status: 200, keep: map[string]string{"file": "id"}, lacks: []string{"schedule_twin"}},
	})
	r.link(t)
	r.run(t, []step{
		{name: "they are twins now", method: "PUT", path: "/refresh-schedules/{{file}}", body: `{"name":"T"}`, status: 200, holds: `{"target":{"externalWorkbookId":"plan.xlsx"},"warnings":[{"code":"schedule_twin"}]}`, says: []string{"Schedule {{pane}}"}},
		{name: "a third, which names the host", method: "POST", path: "/refresh-schedules", body: schedule("files:plan.xlsx"), status: 200, holds: `{"target":{"externalWorkbookId":"files:plan.xlsx"}}`, says: []string{"Schedule {{pane}}", "Schedule {{file}}"}},
		{name: "another spreadsheet is none", method: "PUT", path: "/refresh-schedules/{{file}}", body: `{"target":{"reportId":{{open}},"externalWorkbookId":"other.xlsx"}}`, status: 200, lacks: []string{"schedule_twin"}},
	})
}

// What a merge says of a report is for who may read that.
func TestMergesAreToldToWhoMayReadThem(t *testing.T) {
	r := newLinkRig(t)
	r.run(t, []step{
		made("open"), shared("open"), made("closed"), placedIn("open", paneBook, "A1"),
		placedIn("closed", paneBook, "H1"),
	})
	r.run(t, []step{placedIn("closed", "plan.xlsx", "H1")})
	if l := r.link(t); len(l.Merged) != 1 {
		t.Fatalf("merged %+v", l.Merged)
	}
	r.run(t, []step{
		{name: "a reader of the report", method: "GET", path: "/api/v1/external-documents/plan.xlsx", status: 200, holds: `{"merged":[{"placementId":"closed-H1-0e","into":"closed-H1-sx"}]}`},
		{name: "another", method: "GET", path: "/api/v1/external-documents/plan.xlsx", as: "role7", status: 200, holds: `{"state":"linked"}`, lacks: []string{"merged"}},
		{name: "the older id is the other's", method: "POST", path: "/reports/{{closed}}/refreshes", body: `{"placementId":"closed-H1-0e"}`, status: 202},
	})
}

// A schedule of a placement that became one with another is shown as that of the other, which it refreshes.
func TestAScheduleIsShownAtThePlacementThatItsOwnBecame(t *testing.T) {
	r := newLinkRig(t)
	daily := step{
		name: "a schedule", method: "POST", path: "/refresh-schedules", as: "admin", status: 200, keep: map[string]string{"schedule": "id"},
		body: `{"target":{"reportId":{{closed}},"placementId":"closed-H1-0e"},"cron":"0 3 * * *"}`, holds: `{"target":{"placementId":"closed-H1-0e"}}`,
	}
	r.run(t, []step{made("closed"), placedIn("closed", paneBook, "H1"), daily, placedIn("closed", "plan.xlsx", "H1"), placedIn("closed", "plan.xlsx", "Z1")})
	r.link(t)
	const shown = `{"placementId":"closed-H1-sx","document":"plan.xlsx","address":"Data!H1"}`
	r.run(t, []step{
		{name: "it is read", method: "GET", path: "/refresh-schedules/{{schedule}}", as: "admin", status: 200, holds: `{"target":` + shown + `}`},
		{name: "and listed", method: "GET", path: "/refresh-schedules?reportId={{closed}}", as: "admin", status: 200, holds: `{"items":[{"target":` + shown + `}]}`},
		{name: "paused", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", as: "admin", status: 200, holds: `{"target":` + shown + `}`},
		{name: "moved by its names", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "admin", body: `{"target":{"reportId":{{closed}},"placementId":"closed-H1-sx","document":"plan.xlsx","address":"Data!Z1"}}`, status: 200, holds: `{"target":{"placementId":"closed-Z1-sx"}}`},
		{name: "and back by the id", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "admin", body: `{"target":{"reportId":{{closed}},"placementId":"closed-H1-0e"}}`, status: 200, holds: `{"target":` + shown + `}`},
		{name: "sent as it was shown", method: "PUT", path: "/refresh-schedules/{{schedule}}", as: "admin", body: `{"target":{"reportId":{{closed}},"placementId":"closed-H1-sx"}}`, status: 200, holds: `{"target":` + shown + `}`},
	})
}

// A project declares its placements under whichever id of a spreadsheet.
func TestAPlanMeansTheSpreadsheetUnderAnyID(t *testing.T) {
	r := newLinkRig(t)
	placement := func(document, cell string) string {
		return fmt.Sprintf(`{"kind":"placement","ref":"%s/Data!%s","definition":{"report":"Bundle000001","document":"%s","sheet":"Data","anchor":"%s","host":"SHEETS_B"}}`, document, cell, document, cell)
	}
	schedule := func(document string) string {
		return strings.Replace(bundleSchedule, `"document":"book"`, `"document":"`+document+`"`, 1)
	}
	apply := func(name, bundle, summary string) {
		t.Helper()
		plan := planOf(name, "admin", bundle, 200, `{"summary":`+summary+`}`)
		plan.keep = map[string]string{"plan": "id"}
		r.run(t, []step{plan, {name: name + ", applied", method: "POST", path: "/plans/{{plan}}/apply", as: "admin", status: 200}})
	}
	apply("under the id of a pane", bundleOf("finance", bundleReport, placement(paneBook, "B2"), schedule(paneBook)), `{"create":3}`)
	r.link(t)
	files := bundleOf("finance", bundleReport, placement("plan.xlsx", "B2"), schedule("plan.xlsx"))
	apply("under its name", files, `{"unchanged":3}`)
	apply("and again", files, `{"unchanged":3}`)
	r.run(t, []step{
		{name: "what is pulled is as recorded", method: "GET", path: "/managed?project=finance", as: "admin", status: 200, says: []string{`"` + paneBook + `/Data!B2"`}},
		{name: "and placed once", method: "GET", path: "/api/v1/external-documents/plan.xlsx/placements", as: "admin", status: 200, says: []string{paneBook}},
	})
	apply("another one there", bundleOf("finance", bundleReport, placement("files:plan.xlsx", "B2"), placement("plan.xlsx", "H2"), schedule("plan.xlsx")), `{"create":1,"unchanged":3}`)
	r.run(t, []step{
		{name: "it is found by the pane", method: "GET", path: "/api/v1/external-documents/" + paneBook + "/placements", as: "admin", status: 200, says: []string{`"workbookId":"` + paneBook + `"`, `"workbookId":"plan.xlsx"`}},
		{name: "so agents reach it", method: "GET", path: "/documents?reach=lost", as: "admin", status: 200, holds: `{"items":[]}`},
		planOf("twice in a bundle", "admin", bundleOf("finance", bundleReport, placement(paneBook, "B2"), placement("plan.xlsx", "B2")), 400, `{"details":[{"pointer":"/assets/2/definition/document","code":"duplicate_asset"}]}`),
	})
}
