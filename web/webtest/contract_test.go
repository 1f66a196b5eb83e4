package webtest

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func readContract(t *testing.T) *Contract {
	t.Helper()
	text, err := os.ReadFile("../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadContract(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	someRun   = `{"id":"r","reportId":1,"trigger":"schedule","state":"SKIPPED","fireTime":"2026-11-23T05:10:00.000Z","attempt":0,"placements":[]}`
	someEvent = `{"id":"1-0","type":"run.skipped","reportId":1,"at":"2026-11-23T05:10:00.000Z","data":{"runId":"r"}}`
)

// Each answer differs from one that is as described in one thing, and is found by it on both sides of a connection.
func TestAnswersThatAreNotAsDescribed(t *testing.T) {
	c := readContract(t)
	const run, events = "/api/v1/deployments/1/reports/1/refreshes/r", "/api/v1/deployments/1/events"
	with := func(old, now string) string { return strings.Replace(someRun, old, now, 1) }
	for name, tt := range map[string]struct {
		method, path string
		status       int
		kind, body   string
		want         string // part of the fault, empty for none
	}{
		"as described":                   {"GET", run, 200, "application/json; charset=utf-8", someRun, ""},
		"null for a list":                {"GET", run, 200, "application/json", with("[]", "null"), "placements"},
		"a key that must be there":       {"GET", run, 200, "application/json", with(`"placements":[]`, `"rows":1`), "placements"},
		"a key that is not described":    {"GET", run, 200, "application/json", with(`"attempt":0`, `"attempt":0,"other":1`), "other"},
		"a key deep in a list":           {"GET", run, 200, "application/json", with("[]", `[{"placementId":"p","state":"QUEUED","x":1}]`), "x"},
		"a word that is none of an enum": {"GET", run, 200, "application/json", with("SKIPPED", "ASLEEP"), "state"},
		"another type":                   {"GET", run, 200, "application/json", with(`"attempt":0`, `"attempt":"0"`), "attempt"},
		"a time that is none":            {"GET", run, 200, "application/json", with("2026-11-23T05:10:00.000Z", "soon"), "fireTime"},
		"a status of no operation":       {"GET", run, 201, "application/json", someRun, "status"},
		"another content type":           {"GET", run, 200, "text/plain", someRun, "content type"},
		"no JSON":                        {"GET", run, 200, "application/json", someRun[1:], "not JSON"},
		"an error that is none":          {"GET", run, 404, "application/json", `{"message":"x"}`, "statusCode"},
		"no operation":                   {"GET", "/api/v1/nothing", 200, "application/json", `{}`, "no operation"},
		"no operation, and refused":      {"GET", "/api/v1/nothing", 404, "application/json", `{"x":1}`, "statusCode"},
		"an operation that is left out":  {"GET", run, 404, "application/json", `{"code":"no_route"}`, "statusCode"},
		"not the interface's":            {"GET", "/console/", 200, "text/html", "<p>", ""},
		"events as described":            {"GET", events, 200, "text/event-stream", ": connected\n\nid: 1-0\nevent: run.skipped\ndata: " + someEvent + "\n\n", ""},
		"an event that is not": {
			"GET", events, 200, "text/event-stream",
			": connected\n\nid: 1-0\nevent: run.skipped\ndata: " + strings.Replace(someEvent, `{"runId":"r"}`, "null", 1) + "\n\n", "data",
		},
	} {
		t.Run(name, func(t *testing.T) {
			answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				w.Header().Set("X-Request-Id", "r")
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			var faults []string
			note := func(fault error) { faults = append(faults, fault.Error()) }
			c.Handler(answer, note).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(tt.method, tt.path, http.NoBody))
			server := httptest.NewServer(answer)
			defer server.Close()
			got, err := (&http.Client{Transport: c.Transport(http.DefaultTransport, note)}).Get(server.URL + tt.path)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if text, err := io.ReadAll(got.Body); err != nil || string(text) != tt.body {
				t.Errorf("the client got %q, %v", text, err)
			}
			switch {
			case tt.want == "" && len(faults) > 0:
				t.Errorf("found %q", faults)
			case tt.want != "" && (len(faults) != 2 || !strings.Contains(faults[0], tt.want) || !strings.Contains(faults[1], tt.want)):
				t.Errorf("found %q, want %q on both sides", faults, tt.want)
			}
		})
	}
}

func TestARequestThatIsAcceptedAndNotDescribed(t *testing.T) {
	c := readContract(t)
	faults := 0
	h := c.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, `{"runId":"r"}`)
	}), func(error) { faults++ })
	for body, want := range map[string]int{`{"placementId":"p"}`: 0, `{"placementId":7}`: 1} {
		faults = 0
		r := httptest.NewRequest("POST", "/api/v1/deployments/1/reports/1/refreshes", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(httptest.NewRecorder(), r)
		if faults != want {
			t.Errorf("%s: %d faults, want %d", body, faults, want)
		}
	}
}

func TestAPackedAnswerIsLookedInto(t *testing.T) {
	c := readContract(t)
	faults := 0
	h := c.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.Replace(someRun, "[]", "null", 1))
		_ = z.Close()
	}), func(error) { faults++ })
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/v1/deployments/1/reports/1/refreshes/r", http.NoBody))
	if faults != 1 {
		t.Errorf("%d faults, want 1", faults)
	}
}
