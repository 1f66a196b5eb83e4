package web

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/refresh"
	"mooring/refresh/signing"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/hook"
)

const hookSecret = "a secret of at least 24 bytes"

// hookPath is that of the hook of the schedule with the key daily.
const hookPath = "/api/v1/hooks/orders"

// withHooks makes a server with hooks for two schedules: daily of a placed report, and one for a schedule that does not exist.
func withHooks(t testing.TB, s *storage.Store) *api {
	t.Helper()
	config := hook.Config{ID: "orders", Tenant: "acme", Deployment: 1, Schedule: "daily", Secret: hookSecret}
	missing := config
	missing.ID, missing.Schedule = "missing", "weekly"
	dbt := config
	dbt.ID, dbt.Kind = "dbt", hook.DBT
	hooks, err := hook.New([]hook.Config{config, missing, dbt})
	if err != nil {
		t.Fatal(err)
	}
	return newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler)})
		c.Hooks = hooks
		c.Origins = []string{"https://addin.example.com"}
	})
}

// placedDaily makes the schedule daily of a report that stands in a spreadsheet.
var placedDaily = []step{
	{name: "a report", method: "POST", path: "/reports", body: `{"name":"R","sqlQuery":"SELECT 1"}`, status: 200, keep: map[string]string{"report": "id"}},
	{
		name: "that is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
		body: `{"externalWorkbookId":"d","resultLocation":"S!A1","addressOnly":true}`,
	},
	{
		name: "and has a schedule", method: "PUT", path: "/refresh-schedules/by-key/daily", status: 200,
		body: `{"target":{"reportId":{{report}}},"cron":"@daily"}`, keep: map[string]string{"schedule": "id"},
	},
}

// eachHooked runs test against servers with hooks and the schedule daily.
func eachHooked(t *testing.T, test func(t *testing.T, a *api)) {
	t.Helper()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		a := withHooks(t, s)
		a.run(t, placedDaily)
		test(t, a)
	})
}

// told is a request to a hook, signed now.
func told(path, id, body string) step {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	return step{method: "POST", path: path, as: "-", body: body, header: map[string]string{
		signing.HeaderID: id, signing.HeaderTimestamp: timestamp,
		signing.HeaderSignature: signing.Signature([]byte(hookSecret), id, timestamp, []byte(body)),
	}}
}

// runsMade are the runs of the schedule.
func (a *api) runsMade(t testing.TB) []*record.Run {
	t.Helper()
	id, err := strconv.ParseInt(a.vars["schedule"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := a.store.Queue().Runs.OfSchedule(t.Context(), record.Deployment{Tenant: "acme", ID: 1}, id)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func TestAHookRunsItsSchedule(t *testing.T) {
	eachHooked(t, func(t *testing.T, a *api) {
		first := a.send(told(hookPath, "msg_1", `{"type":"orders.loaded"}`))
		var answer struct {
			Runs []struct{ RunID string }
		}
		if err := json.Unmarshal(first.Body.Bytes(), &answer); err != nil || first.Code != http.StatusAccepted || len(answer.Runs) != 1 {
			t.Fatalf("%d %s", first.Code, first.Body)
		}
		again := told(hookPath, "msg_1", `{"type":"orders.loaded"}`)
		again.header["Idempotency-Key"], again.header["Prefer"] = "k", "handling=strict"
		if w := a.send(again); w.Code != first.Code || w.Body.String() != first.Body.String() {
			t.Errorf("sent again: %d %s, want %s", w.Code, w.Body, first.Body)
		}
		runs := a.runsMade(t)
		if len(runs) != 1 || runs[0].ID != answer.Runs[0].RunID || runs[0].Trigger != record.TriggerHook || runs[0].RequestedBy.ID != 1 {
			t.Errorf("runs: %+v", runs)
		}
		a.run(t, []step{
			{name: "the run says why it was made", method: "GET", path: "/refreshes/" + runs[0].ID, status: 200, holds: `{"trigger":"hook","state":"QUEUED"}`},
		})
	})
}

func TestADeliveryThatMakesNoRunIsTaken(t *testing.T) {
	eachHooked(t, func(t *testing.T, a *api) {
		check := func(name string, s step, status int, holds string) {
			t.Helper()
			s.name, s.status, s.holds = name, status, holds
			a.run(t, []step{s})
		}
		check("a schedule that does not exist", told("/api/v1/hooks/missing", "1", `{}`), 202, `{"runs":[],"ignored":"Deployment 1 has no schedule with the key weekly."}`)
		check("a body that is no JSON", told(hookPath, "2", `{`), 400, `{"code":"malformed_json"}`)
		check("a body that is no object", told(hookPath, "3", `[]`), 400, `{"code":"invalid_request"}`)
		check("no body", told(hookPath, "4", ``), 400, `{"code":"malformed_json"}`)
		a.run(t, []step{{name: "a pause", method: "POST", path: "/refresh-schedules/{{schedule}}/pause", status: 200}})
		paused := `{"runs":[],"ignored":"The schedule is paused: resume it for its runs to be made."}`
		check("a paused schedule", told(hookPath, "5", `{}`), 202, paused)
		a.run(t, []step{
			{name: "its end", method: "POST", path: "/refresh-schedules/{{schedule}}/resume", status: 200},
			{name: "the report stands nowhere", method: "DELETE", path: "/reports/{{report}}/connect-workbook", body: `{"externalWorkbookId":"d","resultLocation":"S!A1"}`, status: 200},
		})
		check("what came in the pause stays without a run", told(hookPath, "5", `{}`), 202, paused)
		if w := a.send(told(hookPath, "6", `{}`)); w.Code != 202 || !strings.Contains(w.Body.String(), "stands in no spreadsheet") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if runs := a.runsMade(t); len(runs) != 0 {
			t.Errorf("runs: %+v", runs)
		}
	})
}

// What a sender without the secret gets says nothing about the hooks there are.
func TestARefusedRequestDoesNotSayWhichHooksThereAre(t *testing.T) {
	a := withHooks(t, storagetest.Open(t, "embedded"))
	without := func(field string) func(*step) { return func(s *step) { delete(s.header, field) } }
	set := func(field, value string) func(*step) { return func(s *step) { s.header[field] = value } }
	var want *httptest.ResponseRecorder
	for name, change := range map[string]func(*step){
		"a wrong signature":      set(signing.HeaderSignature, "v1,AAAA"),
		"no signature":           without(signing.HeaderSignature),
		"no id":                  without(signing.HeaderID),
		"no timestamp":           without(signing.HeaderTimestamp),
		"a stale timestamp":      set(signing.HeaderTimestamp, "1795244700"),
		"an overflowing one":     set(signing.HeaderTimestamp, "99999999999999999999999"),
		"a token":                func(s *step) { s.as = "admin"; delete(s.header, signing.HeaderSignature) },
		"an unknown id":          func(s *step) { s.path = "/api/v1/hooks/unknown" },
		"an id in Unicode":       func(s *step) { s.path = "/api/v1/hooks/%EF%BD%8Frders" },
		"an id that is no UTF-8": func(s *step) { s.path = "/api/v1/hooks/%FF%FE" },
		"an id with a slash":     func(s *step) { s.path = "/api/v1/hooks/orders%2F" },
		"a long id":              func(s *step) { s.path = "/api/v1/hooks/" + strings.Repeat("x", 10_000) },
		"a hook of another kind": func(s *step) { s.path = "/api/v1/hooks/dbt" },
		"no JSON":                func(s *step) { s.body = "{" },
		"another body":           func(s *step) { s.body = `{"a":1}` },
	} {
		s := told(hookPath, "msg_1", `{}`)
		s.header["X-Request-Id"] = "one"
		change(&s)
		got := a.send(s)
		if want == nil {
			want = got
		}
		if got.Code != http.StatusUnauthorized || got.Body.String() != want.Body.String() || !maps.EqualFunc(got.Header(), want.Header(), slices.Equal) {
			t.Errorf("%s: %d %v %s, want %d %v %s", name, got.Code, got.Header(), got.Body, want.Code, want.Header(), want.Body)
		}
	}
	if got := want.Header().Get("WWW-Authenticate"); got != "Signature" || want.Header().Get("Retry-After") != "" {
		t.Errorf("header: %v", want.Header())
	}
}

func TestPagesCannotSendToHooks(t *testing.T) {
	a := withHooks(t, storagetest.Open(t, "embedded"))
	s := told(hookPath, "msg_1", `{}`)
	s.header["Origin"] = "https://addin.example.com"
	preflight := step{method: "OPTIONS", path: hookPath, as: "-", header: map[string]string{"Origin": "https://addin.example.com", "Access-Control-Request-Method": "POST"}}
	for _, s := range []step{s, preflight} {
		w := a.send(s)
		for field := range w.Header() {
			if strings.HasPrefix(field, "Access-Control-") {
				t.Errorf("%s: %d %v", s.method, w.Code, w.Header())
			}
		}
	}
	if w := a.send(preflight); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("preflight: %d", w.Code)
	}
}

// counting is a body that knows how much of it was read.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestALargeRequestToAHookIsNotRead(t *testing.T) {
	a := withHooks(t, storagetest.Open(t, "embedded"))
	for name, announced := range map[string]int64{"announced": 10 << 20, "not announced": -1} {
		body := &counting{Reader: strings.NewReader(strings.Repeat("x", 10<<20))}
		r := httptest.NewRequest("POST", hookPath, body)
		r.ContentLength = announced
		w := httptest.NewRecorder()
		a.sut.ServeHTTP(w, r)
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), "65536 bytes") || body.n > 128<<10 {
			t.Errorf("%s: %d after %d bytes: %s", name, w.Code, body.n, w.Body)
		}
	}
	fits := `{"a":"` + strings.Repeat("x", 64<<10-8) + `"}`
	if w := a.send(told("/api/v1/hooks/missing", "1", fits)); w.Code != http.StatusAccepted {
		t.Errorf("a body of 64 KiB: %d %s", w.Code, w.Body)
	}
}

// Unsigned requests are counted by their address, the same whether there is such a hook, and take nothing of what its own sender may send.
func TestRequestsToHooksAreLimited(t *testing.T) {
	eachHooked(t, func(t *testing.T, a *api) {
		send := func(address string, one step) *httptest.ResponseRecorder {
			r := httptest.NewRequest("POST", one.path, strings.NewReader(one.body))
			for name, value := range one.header {
				r.Header.Set(name, value)
			}
			r.RemoteAddr = address + ":1"
			w := httptest.NewRecorder()
			a.sut.ServeHTTP(w, r)
			return w
		}
		unsigned := func(path string) step { return step{path: path, body: "{}"} }
		limited := func(address string, one func(n int) step) int {
			for n := range 1000 {
				w := send(address, one(n))
				if w.Code == http.StatusTooManyRequests {
					if after, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || after < 1 || !strings.Contains(w.Body.String(), `"rate_limited"`) {
						t.Errorf("%v %s", w.Header(), w.Body)
					}
					return n
				}
			}
			t.Fatal("there is no limit")
			return 0
		}
		for address, path := range map[string]string{"192.0.2.1": hookPath, "2001:db8::2": "/api/v1/hooks/unknown"} {
			if n := limited(address, func(int) step { return unsigned(path) }); n < 120 || n > 240 {
				t.Errorf("%s was limited after %d requests", address, n)
			}
		}
		for address, path := range map[string]string{"192.0.2.1": "/api/v1/hooks/unknown", "2001:db8::3": hookPath} {
			if n := limited(address, func(int) step { return unsigned(path) }); n >= 120 { // those that time allows since are few
				t.Errorf("%s, whose network has sent as many as it may, was limited after %d requests more", address, n)
			}
		}
		for _, tt := range []struct {
			fact, address string
			one           step
			status        int
		}{
			{"another address", "192.0.2.2", unsigned(hookPath), http.StatusUnauthorized},
			{"the hook's sender at the address", "192.0.2.1", told(hookPath, "first", "{}"), http.StatusAccepted},
		} {
			if w := send(tt.address, tt.one); w.Code != tt.status {
				t.Errorf("%s: %d, want %d", tt.fact, w.Code, tt.status)
			}
		}
		if n := limited("192.0.2.3", func(int) step { return told(hookPath, "again", "{}") }); n < 500 {
			t.Errorf("the hook was limited after %d deliveries", n)
		}
		if n := limited("192.0.2.4", func(int) step { return told(hookPath, "more", "{}") }); n >= 500 {
			t.Errorf("the hook's sender was limited after %d deliveries more from another address", n)
		}
	})
}

func TestOneDeliveryToTwoServersMakesOneRun(t *testing.T) {
	const deliveries, senders = 4, 50
	address := storagetest.Redis(t)
	a, b := withHooks(t, storagetest.Open(t, address)), withHooks(t, storagetest.Open(t, address))
	a.run(t, placedDaily)
	a.run(t, []step{{name: "each gets a run", method: "PUT", path: "/refresh-schedules/{{schedule}}", body: `{"overlap":"queue"}`, status: 200}})
	bodies := make([][]string, deliveries)
	for delivery := range deliveries {
		bodies[delivery] = make([]string, senders)
		var group sync.WaitGroup
		for i := range senders {
			group.Go(func() {
				s := told(hookPath, "msg_"+strconv.Itoa(delivery), `{}`)
				r := httptest.NewRequest(s.method, s.path, strings.NewReader(s.body))
				r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", 1+delivery)
				for field, value := range s.header {
					r.Header.Set(field, value)
				}
				w := httptest.NewRecorder()
				[]*api{a, b}[i%2].sut.ServeHTTP(w, r)
				bodies[delivery][i] = strconv.Itoa(w.Code) + w.Body.String()
			})
		}
		group.Wait()
		for _, body := range bodies[delivery] {
			if diff := cmp.Diff(bodies[delivery][0], body); diff != "" || !strings.HasPrefix(body, "202") {
				t.Fatalf("delivery %d: %s\n%s", delivery, body, diff)
			}
		}
	}
	if runs := a.runsMade(t); len(runs) != deliveries {
		t.Errorf("%d runs, want %d", len(runs), deliveries)
	}
}

func TestWithoutStorageASenderIsToSendAgain(t *testing.T) {
	t.Parallel()
	proxy := newHanging(t, storagetest.Redis(t))
	a := withHooks(t, storagetest.Open(t, proxy.address()))
	close(proxy.hung)
	want503(t, "a delivery", a.send(told(hookPath, "msg_1", `{}`)))
}

func TestHooksCanBeReplaced(t *testing.T) {
	a := withHooks(t, storagetest.Open(t, "embedded"))
	changed, err := hook.New([]hook.Config{{ID: "missing", Tenant: "acme", Deployment: 1, Schedule: "weekly", Secret: "another secret of 24 bytes", PreviousSecret: hookSecret}})
	if err != nil {
		t.Fatal(err)
	}
	a.server.Reload(Rules{Keys: a.keys, Hooks: changed})
	if w := a.send(told("/api/v1/hooks/missing", "1", `{}`)); w.Code != http.StatusAccepted {
		t.Errorf("with the previous secret: %d %s", w.Code, w.Body)
	}
	if w := a.send(told(hookPath, "1", `{}`)); w.Code != http.StatusUnauthorized {
		t.Errorf("a hook that is gone: %d", w.Code)
	}
}

// A packed body is refused as such, whatever it is of.
func TestPackedBodies(t *testing.T) {
	a := withHooks(t, storagetest.Open(t, "embedded"))
	for _, path := range []string{"/api/v1/device/code", "/api/v1/device/token", hookPath, "/api/v1/session"} {
		w := a.send(step{method: "POST", path: path, as: "-", body: "\x1f\x8b", header: map[string]string{"Content-Encoding": "gzip"}})
		if w.Code != http.StatusUnsupportedMediaType || !strings.Contains(w.Body.String(), "send it unpacked") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
