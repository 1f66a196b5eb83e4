package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mooring/refresh"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/auth"
	"mooring/web/request"
)

func TestIdempotencyKeys(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		key := func(k string) map[string]string { return map[string]string{"Idempotency-Key": k} }
		a.run(t, []step{
			{name: "the first request creates", method: "POST", path: "/reports", header: key("k1"), body: `{"name":"A"}`, status: 200, keep: map[string]string{"id": "id", "tag": "ETag"}},
			{
				name: "the same key and body gives the first response", method: "POST", path: "/reports", header: key("k1"), body: `{"name":"A"}`, status: 200, holds: `{"id":{{id}}}`,
				keep: map[string]string{"tag2": "ETag"},
			},
			{name: "another body under the key is 422", method: "POST", path: "/reports", header: key("k1"), body: `{"name":"B"}`, status: 422, holds: `{"code":"idempotency_key_reused"}`},
			{name: "another user's key is another key", method: "POST", path: "/reports", as: "editor2", header: key("k1"), body: `{"name":"B"}`, status: 200},
			{name: "another path's key is another key", method: "POST", path: "/workbooks", header: key("k1"), body: `{"name":"B"}`, status: 200},
			{name: "another key creates another one", method: "POST", path: "/reports", header: key("k2"), body: `{"name":"A"}`, status: 200},
			{name: "a refusal is kept too", method: "POST", path: "/reports", header: key("k3"), body: `{"name":1}`, status: 400, holds: `{"details":[{"pointer":"/name"}]}`},
			{name: "… and given again", method: "POST", path: "/reports", header: key("k3"), body: `{"name":1}`, status: 400, holds: `{"details":[{"pointer":"/name"}]}`},
			{name: "a key that is too long is refused", method: "POST", path: "/reports", header: key(strings.Repeat("k", 256)), body: `{}`, status: 400},
			{name: "exactly three reports were made", method: "GET", path: "/reports?sortBy=name", as: "viewer", status: 200, holds: `{"items":[{"name":"A"},{"name":"A"},{"name":"B"}]}`},
		})
		if a.vars["tag"] != a.vars["tag2"] || a.vars["tag"] == "" {
			t.Errorf("ETags %s, %s", a.vars["tag"], a.vars["tag2"])
		}
	})
}

func TestARequestInFlightHoldsItsKey(t *testing.T) {
	a := onEmbedded(t)
	entered, release := make(chan struct{}), make(chan struct{})
	a.mount(t, keyed("/slow", func(*request.Call) error {
		close(entered)
		<-release
		return nil
	}))
	s := step{method: "POST", path: "//slow", header: map[string]string{"Idempotency-Key": "k"}}
	first := make(chan int)
	go func() { first <- a.send(s).Code }()
	<-entered
	if w := a.send(s); w.Code != http.StatusConflict || !strings.Contains(w.Body.String(), `"retryable":true`) {
		t.Errorf("while in flight: %d %s", w.Code, w.Body)
	}
	close(release)
	if code := <-first; code != http.StatusOK {
		t.Errorf("the first request: %d", code)
	}
	if w := a.send(s); w.Code != http.StatusOK || w.Header().Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repetition: %d %s", w.Code, w.Body)
	}
}

func TestAPassingFaultFreesTheKey(t *testing.T) {
	a := onEmbedded(t)
	calls := 0
	for name, outcome := range map[string]func(*request.Call) error{
		"storage out of reach": func(*request.Call) error { return request.Unavailable(context.DeadlineExceeded) },
		"a panic":              func(*request.Call) error { panic("boom") },
		"an answer too long to keep": func(c *request.Call) error {
			c.Data(http.StatusInternalServerError, "text/plain", bytes.Repeat([]byte("x"), 1<<20+1))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			path := "/" + strings.ReplaceAll(name, " ", "-")
			a.mount(t, keyed(path, func(c *request.Call) error {
				if calls++; calls == 1 {
					return outcome(c)
				}
				return nil
			}))
			s := step{method: "POST", path: "/" + path, header: map[string]string{"Idempotency-Key": "k"}}
			if w := a.send(s); w.Code < http.StatusInternalServerError {
				t.Fatalf("first: %d", w.Code)
			}
			if w := a.send(s); w.Code != http.StatusOK || calls != 2 {
				t.Errorf("second: %d after %d calls: %s", w.Code, calls, w.Body)
			}
		})
	}
}

// keyed is a route that takes an Idempotency-Key.
func keyed(path string, do func(*request.Call) error) request.Route {
	return request.Route{Method: "POST", Path: path, Scope: inTenant, Once: request.Kept, Operation: request.Do(func(_ context.Context, c *request.Call) (any, error) {
		return map[string]bool{"done": true}, do(c)
	})}
}

// withoutKey are the POST routes that ignore an Idempotency-Key (decisions.md §1).
var withoutKey = []string{
	atReport + "/result", atDeployment + "/previews", atDeployment + "/plans", atDeployment + "/plans/:planId/apply", atRun + "/plan", atRun + "/complete",
	root + "/keys", root + "/revocations", root + "/session", root + "/device/code", root + "/device/token", atPairing + "/approve", atPairing + "/deny",
	hooksPath + ":hookId", atDocument + "/link",
	atReport + "/placements/:placementId/preview",
}

func TestEveryPOSTRouteTakesAKeyOrIsNamedAsOneThatDoesNot(t *testing.T) {
	for _, r := range routes() {
		post := r.Method == http.MethodPost
		if post && (r.Once == nil) != slices.Contains(withoutKey, r.Path) || !post && r.Once != nil {
			t.Errorf("%s %s: say in its Once how it answers a repetition, or name the route in withoutKey", r.Method, r.Path)
		}
	}
}

// Whatever a token may do less than the one that sent the first request, its replay is answered as its fresh request would be.
func TestAReplayNeedsTheRightsOfAFreshRequest(t *testing.T) {
	t.Parallel()
	posts := map[string]step{
		atDeployment + "/reports":           {path: "/reports", body: `{"name":"A"}`},
		atDeployment + "/workbooks":         {path: "/workbooks", body: `{"name":"A"}`},
		atDeployment + "/refresh-schedules": {path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`},
		atWorkbook + "/publish":             {path: "/workbooks/{{workbook}}/publish"},
		atReport + "/refreshes":             {path: "/reports/{{report}}/refreshes"},
		atReport + "/placements/:placementId/changes/:runId/restore": {
			path: "/reports/{{report}}/placements/p1/changes/{{changed}}/restore",
		},
		atDeployment + "/bulk/refreshes": {
			path: "/bulk/refreshes", body: `{"action":"stop","filter":{"state":"QUEUED"},"expectedCount":0}`,
		},
		atDeployment + "/bulk/refresh-schedules": {
			path: "/bulk/refresh-schedules", body: `{"action":"pause","filter":{"paused":false},"expectedCount":1}`,
		},
		atSchedule + "/pause":     {path: "/refresh-schedules/{{schedule}}/pause"},
		atSchedule + "/resume":    {path: "/refresh-schedules/{{schedule}}/resume"},
		atSchedule + "/run":       {path: "/refresh-schedules/{{schedule}}/run"},
		atDocument + "/refreshes": {path: "/api/v1/external-documents/book/refreshes"},
	}
	weaker := map[string]auth.Caller{
		"nothing":              {},
		"another deployment's": {Deployments: []int64{2}, Actor: record.Actor{Actions: []string{"All"}}},
		"ReportRead":           {Actor: record.Actor{Actions: []string{"ReportRead"}}},
		"ReportEdit":           {Actor: record.Actor{Actions: []string{"ReportEdit"}}},
		"WorkbookRead":         {Actor: record.Actor{Actions: []string{"WorkbookRead"}}},
		"WorkbookEdit":         {Actor: record.Actor{Actions: []string{"WorkbookEdit"}}},
	}
	for _, r := range routes() {
		if r.Once == nil {
			continue
		}
		path := r.Path
		t.Run(path, func(t *testing.T) {
			post, ok := posts[path]
			if !ok {
				t.Fatal("no request of this route is listed")
			}
			withEngine(t, func(t *testing.T, a *api) {
				a.run(t, []step{
					someReport[0],
					place("report", "editor"),
					{name: "into the book", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"book","resultLocation":"S!B2","addressOnly":true}`, status: 200},
					{name: "a workbook", method: "POST", path: "/workbooks", body: `{"name":"W","meta":{"dashboardDraft":{}}}`, status: 200, keep: map[string]string{"workbook": "id"}},
					{name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`, status: 200, keep: map[string]string{"schedule": "id"}},
					{name: "a block", method: "PUT", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"changed","resultLocation":"S!B2","placementId":"p1"}`, status: 200},
				})
				a.vars["id"] = a.vars["report"]
				a.vars["changed"] = a.change(t, record.ChangeCounts{Changed: 1}, record.ChangedRow{Row: 3, Before: []any{1}, After: []any{2}})
				a.tokens["strong"] = a.token(t, auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 77, Actions: []string{"All"}}})
				post.method, post.as, post.header = "POST", "strong", map[string]string{"Idempotency-Key": "k"}
				first := a.send(post)
				if first.Code >= http.StatusBadRequest {
					t.Fatalf("first: %d %s", first.Code, first.Body)
				}
				for name, c := range weaker {
					c.Tenant, c.ID = "acme", 77
					a.tokens["weaker"], post.as = a.token(t, c), "weaker"
					post.header = map[string]string{"Idempotency-Key": "fresh " + name}
					fresh := a.send(post)
					post.header = map[string]string{"Idempotency-Key": "k"}
					again := a.send(post)
					refused := fresh.Code == http.StatusForbidden || fresh.Code == http.StatusNotFound || strings.Contains(fresh.Body.String(), "that you may read")
					want := first.Body.String()
					if refused {
						want = fresh.Body.String()
					}
					if again.Body.String() != want || (again.Header().Get("Idempotency-Replayed") == "") != refused || again.Header().Get("Location") != first.Header().Get("Location") && !refused {
						t.Errorf("with %s: the fresh request %d %s\nthe replay %d %s", name, fresh.Code, fresh.Body, again.Code, again.Body)
					}
				}
			})
		})
	}
}

func TestKeysAreSharedByTheTokensOfOneCallerOnly(t *testing.T) {
	for fact, tt := range map[string]struct {
		first, second auth.Caller
		shared        bool
	}{
		"two tokens of a user":                            {auth.Caller{Subject: "ann", Actor: record.Actor{ID: 1}}, auth.Caller{Subject: "ann", Actor: record.Actor{ID: 1}}, true},
		"two tokens of a subject without a uid":           {auth.Caller{Subject: "ann"}, auth.Caller{Subject: "ann"}, true},
		"another subject of the same uid":                 {auth.Caller{Subject: "ann", Actor: record.Actor{ID: 1}}, auth.Caller{Subject: "bob", Actor: record.Actor{ID: 1}}, false},
		"another uid of the same subject":                 {auth.Caller{Subject: "ann", Actor: record.Actor{ID: 1}}, auth.Caller{Subject: "ann", Actor: record.Actor{ID: 2}}, false},
		"two tokens that say neither uid nor sub":         {auth.Caller{}, auth.Caller{}, false},
		"a subject made to look like a token's":           {auth.Caller{}, auth.Caller{Subject: "token"}, false},
		"a user of another tenant with the same identity": {auth.Caller{Actor: record.Actor{ID: 1}}, auth.Caller{Tenant: "other", Actor: record.Actor{ID: 1}}, false},
	} {
		t.Run(fact, func(t *testing.T) {
			a := onEmbedded(t)
			for i, c := range []auth.Caller{tt.first, tt.second} {
				c.Tenant, c.Actions = cmp.Or(c.Tenant, "acme"), []string{"All"}
				a.tokens["one"] = a.token(t, c)
				w := a.send(step{method: "POST", path: "/reports", as: "one", header: map[string]string{"Idempotency-Key": "k"}, body: `{"name":"A"}`})
				replayed := w.Header().Get("Idempotency-Replayed") != ""
				if w.Code != http.StatusOK || replayed != (i == 1 && tt.shared) {
					t.Errorf("request %d: %d, replayed: %v", i, w.Code, replayed)
				}
			}
		})
	}
}

func TestAResultTakesNoKey(t *testing.T) {
	a := withSource(t, `CREATE TABLE t (n INTEGER); INSERT INTO t VALUES (1)`)
	a.run(t, []step{{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT n FROM t"}`, status: 200, keep: map[string]string{"report": "id"}}})
	for _, accepts := range []string{"gzip", ""} {
		w := a.send(step{method: "POST", path: "/reports/{{report}}/result", header: map[string]string{"Idempotency-Key": "k", "Accept-Encoding": accepts}})
		if w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != accepts || w.Header().Get("Idempotency-Replayed") != "" {
			t.Errorf("to a client that accepts %q: %d %s", accepts, w.Code, w.Header())
		}
	}
}

// A server that died after it created, and before it kept its answer, leaves the key without one.
func TestACreationWhoseAnswerWasLostIsNotRepeated(t *testing.T) {
	address := storagetest.Redis(t)
	store := storagetest.Open(t, address)
	a := newAPI(t, store, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	})
	loseAnswers := func() { loseAnswers(t, address) }
	a.run(t, []step{{name: "a report", method: "POST", path: "/reports", body: `{"name":"R"}`, status: 200, keep: map[string]string{"report": "id"}}})
	for _, path := range []string{"/reports", "/workbooks", "/refresh-schedules"} {
		t.Run(path[1:], func(t *testing.T) {
			s := step{method: "POST", path: path, header: map[string]string{"Idempotency-Key": "k"}, body: `{"name":"A"}`}
			if path == "/refresh-schedules" {
				s.body = `{"target":{"reportId":{{report}}},"cron":"@daily"}`
			}
			first := a.send(s)
			loseAnswers()
			again := a.send(s)
			if first.Code != http.StatusOK || again.Code != http.StatusOK || first.Body.String() != again.Body.String() {
				t.Fatalf("first: %d %s\nagain: %d %s", first.Code, first.Body, again.Code, again.Body)
			}
			for _, name := range []string{"Content-Type", "ETag", "Location", "Preference-Applied", "X-Mooring-Result"} {
				if first.Header().Get(name) != again.Header().Get(name) {
					t.Errorf("%s: %q, first %q", name, again.Header().Get(name), first.Header().Get(name))
				}
			}
			if replayed := a.send(s); replayed.Header().Get("Idempotency-Replayed") != "true" {
				t.Errorf("the answer of the repetition is not kept: %d %s", replayed.Code, replayed.Body)
			}
			loseAnswers()
			gone := step{method: "DELETE", path: path + "/" + idOf(t, first)}
			if w := a.send(gone); w.Code != http.StatusOK {
				t.Fatalf("delete: %d %s", w.Code, w.Body)
			}
			if w := a.send(s); w.Code != http.StatusNotFound {
				t.Errorf("what was deleted is made again: %d %s", w.Code, w.Body)
			}
		})
	}
}

// loseAnswers makes what is kept under Idempotency-Keys what it is when servers died before they kept their answers.
func loseAnswers(t *testing.T, address string) {
	t.Helper()
	rdb := storagetest.Client(t, address)
	keys, err := rdb.Keys(t.Context(), "*:idempotency:*").Result()
	if err != nil || len(keys) == 0 {
		t.Fatalf("%d keys, %v", len(keys), err)
	}
	for _, key := range keys {
		if err := rdb.HDel(t.Context(), key, "response").Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// So does one that died after it made runs: the repetition gets these, also when they have ended since.
func TestARunWhoseAnswerWasLostIsNotRepeated(t *testing.T) {
	address := storagetest.Redis(t)
	store := storagetest.Open(t, address)
	a := newAPI(t, store, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	})
	for name, s := range map[string]step{
		"of an agent":      {path: "/reports/{{report}}/refreshes", body: `{"placementId":"p"}`},
		"of an add-in":     {path: "/reports/{{report}}/refreshes", body: `{"placementId":"p","executor":"client"}`},
		"of a schedule":    {path: "/refresh-schedules/{{schedule}}/run"},
		"of a spreadsheet": {path: "/api/v1/external-documents/{{document}}/refreshes", body: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			a.vars["document"] = strings.ReplaceAll(name, " ", "")
			a.run(t, []step{
				{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
				{
					name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
					body: `{"externalWorkbookId":"{{document}}","resultLocation":"S!A1","placementId":"p","addressOnly":true}`,
				},
				{
					name: "a schedule", method: "POST", path: "/refresh-schedules", body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`, status: 200,
					keep: map[string]string{"schedule": "id"},
				},
			})
			s.method, s.header = "POST", map[string]string{"Idempotency-Key": "k"}
			first := a.send(s)
			loseAnswers(t, address)
			runs := a.runsOn(t, "/reports/"+a.vars["report"]+"/refreshes").ids
			if first.Code != http.StatusAccepted || len(runs) != 1 {
				t.Fatalf("%d %s, runs %v", first.Code, first.Body, runs)
			}
			if w := a.send(step{method: "DELETE", path: "/refreshes/" + runs[0]}); w.Code != http.StatusAccepted {
				t.Fatalf("stop: %d %s", w.Code, w.Body)
			}
			again := a.send(s)
			if again.Code != first.Code || withoutLease(again) != withoutLease(first) {
				t.Errorf("first: %s\nagain: %d %s", first.Body, again.Code, again.Body)
			}
			if again.Header().Get("Location") != first.Header().Get("Location") {
				t.Errorf("Location %q, first %q", again.Header().Get("Location"), first.Header().Get("Location"))
			}
			if now := a.runsOn(t, "/reports/"+a.vars["report"]+"/refreshes").ids; !slices.Equal(now, runs) {
				t.Errorf("runs %v, want %v", now, runs)
			}
			if replayed := a.send(s); replayed.Header().Get("Idempotency-Replayed") != "true" {
				t.Errorf("the answer of the repetition is not kept: %d %s", replayed.Code, replayed.Body)
			}
		})
	}
}

// withoutLease is an answer without when a lease ends.
func withoutLease(w *httptest.ResponseRecorder) string {
	return regexp.MustCompile(`"leaseUntil":"[^"]*",?`).ReplaceAllString(w.Body.String(), "")
}

// A repetition of a bulk retry runs no target again, and makes what was not made.
func TestABulkRetryWhoseAnswerWasLostIsNotRepeated(t *testing.T) {
	address := storagetest.Redis(t)
	store := storagetest.Open(t, address)
	a := newAPI(t, store, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: store, Log: slog.New(slog.DiscardHandler)})
	})
	a.run(t, []step{
		{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
		{
			name: "placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
			body: `{"externalWorkbookId":"d","resultLocation":"S!A1","placementId":"p","addressOnly":true}`,
		},
		{
			name: "a run", method: "POST", path: "/reports/{{report}}/refreshes", status: 202,
			body: `{"placementId":"p","executor":"client"}`, keep: map[string]string{"run": "runId"},
		},
		{name: "has ended", method: "DELETE", path: "/refreshes/{{run}}", status: 202},
	})
	s := step{
		method: "POST", path: "/bulk/refreshes", header: map[string]string{"Idempotency-Key": "k"},
		body: `{"action":"retry","filter":{"state":"STOPPED"},"expectedCount":1}`,
	}
	first := a.send(s)
	loseAnswers(t, address)
	again := a.send(s)
	if first.Code != http.StatusOK || again.Code != http.StatusOK || first.Body.String() != again.Body.String() {
		t.Errorf("first: %d %s\nagain: %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if runs := a.runsOn(t, "/reports/"+a.vars["report"]+"/refreshes").ids; len(runs) != 2 {
		t.Errorf("runs %v, want the one that was stopped, and one more", runs)
	}
}

// idOf is the id in an answer.
func idOf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var made struct{ ID json.Number }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	return made.ID.String()
}
