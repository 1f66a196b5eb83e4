package web

import (
	"bytes"
	"cmp"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	tracing "mooring/refresh/trace"
)

// What a client sends goes into the log bounded, on one line, and only if it has the form of what it is.
func TestWhatIsLoggedOfARequestIsBounded(t *testing.T) {
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	long := strings.Repeat("x", 20_000)
	for _, tc := range []struct {
		fact   string
		step   step
		logged string // in the line
		not    string
	}{
		{"a traceparent", step{header: map[string]string{"traceparent": trace}}, "trace_id=" + trace[3:35], ""},
		{"one that is too long", step{header: map[string]string{"traceparent": trace + "-" + long}}, "", "trace_id"},
		{"one of upper case", step{header: map[string]string{"traceparent": strings.ToUpper(trace)}}, "", "trace_id"},
		{"one whose trace is zero", step{header: map[string]string{"traceparent": "00-" + strings.Repeat("0", 32) + "-b7ad6b7169203331-01"}}, "", "trace_id"},
		{"one whose span is zero", step{header: map[string]string{"traceparent": trace[:36] + strings.Repeat("0", 16) + "-01"}}, "", "trace_id"},
		{"one of a version that is none", step{header: map[string]string{"traceparent": "ff" + trace[2:]}}, "", "trace_id"},
		{"a request id", step{header: map[string]string{"X-Request-Id": "a.b-c_1"}}, "request=a.b-c_1", ""},
		{"one that is too long", step{header: map[string]string{"X-Request-Id": long}}, "request=", "xxx"},
		{"one with a line of its own", step{header: map[string]string{"X-Request-Id": "a\nlevel=ERROR"}}, "request=", "level=ERROR"},
		{"a long tracestate", step{header: map[string]string{"traceparent": trace, "tracestate": "a=" + long}}, "trace_id=", "xxx"},
		{"the client behind a trusted proxy", step{header: map[string]string{"X-Forwarded-For": "203.0.113.9"}}, "client=203.0.113.9", ""},
		{"an address with a line of its own", step{header: map[string]string{"X-Forwarded-For": "1.2.3.4\nlevel=ERROR"}}, "client=192.0.2.1", "level=ERROR"},
		{"a long path", step{path: "/api/v1/" + long}, "path=/api/v1/xxx", long},
		{"a path with a line of its own", step{path: "/api/v1/a%0Alevel=ERROR"}, `\nlevel=ERROR`, "\nlevel=ERROR"},
		{"a long method", step{method: long}, "method=xxx", long},
		{"a long Idempotency-Key", step{method: "POST", path: "/reports", body: "{}", header: map[string]string{"Idempotency-Key": long}}, "status=400", "xxx"},
		{"other headers", step{header: map[string]string{"User-Agent": long, "X-Forwarded-For": long, "Forwarded": long, "Host": long, "Last-Event-ID": long}}, "status=200", "xxx"},
		{"a long token", step{header: map[string]string{"Authorization": "Bearer " + long}}, "status=401", "xxx"},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var log bytes.Buffer
			a := onEmbedded(t, func(c *Config) {
				c.Log, c.TrustedProxies = slog.New(tracing.LogHandler(slog.NewTextHandler(&log, nil))), []string{"192.0.2.1"}
			})
			s := tc.step
			if s.method == "" {
				s.method = http.MethodGet
			}
			if s.path == "" {
				s.path = "/api/v1/tenant/settings"
			}
			a.send(s)
			line := log.String()
			if !strings.Contains(line, tc.logged) || tc.not != "" && strings.Contains(line, tc.not) {
				t.Errorf("logged, want %q and not %q:\n%s", tc.logged, truncated(tc.not), truncated(line))
			}
			if n := strings.Count(line, "\n"); n != 1 || len(line) > 6<<10 {
				t.Errorf("%d lines of %d bytes", n, len(line))
			}
		})
	}
}

// Every answer of the interface, whatever it says, is for its caller alone; who keeps its ETag may still ask for what is newer.
func TestAnswersOfTheInterfaceAreKeptByNoCache(t *testing.T) {
	a := onEmbedded(t)
	a.run(t, []step{{name: "a report", method: "POST", path: "/reports", body: `{"name":"R"}`, status: 200, keep: map[string]string{"report": "id"}}})
	report := "/api/v1/deployments/1/reports/" + a.vars["report"]
	etag := a.send(step{method: "GET", path: report}).Header().Get("ETag")
	for _, one := range []step{
		{method: "GET", path: report},
		{method: "HEAD", path: report},
		{method: "GET", path: report, header: map[string]string{"If-None-Match": etag}, status: http.StatusNotModified},
		{method: "GET", path: "/api/v1/deployments/1/reports"},
		{method: "GET", path: "/api/v1/me"},
		{method: "GET", path: "/api/v1/spec", as: "-"},
		{method: "GET", path: "/api/v1/session", as: "-"},
		{method: "GET", path: "/api/v1/me", as: "-", status: http.StatusUnauthorized},
		{method: "GET", path: "/api/v1/deployments/1/reports/999", status: http.StatusNotFound},
		{method: "GET", path: "/api/nothing", status: http.StatusNotFound},
		{method: "PATCH", path: report, status: http.StatusMethodNotAllowed},
		{method: "POST", path: "/api/v1/deployments/1/reports", body: "{", status: http.StatusBadRequest},
		{method: "POST", path: "/api/v1/device/token", as: "-", body: "{}", status: http.StatusBadRequest},
	} {
		w := a.send(one)
		h := w.Result().Header
		if want := cmp.Or(one.status, http.StatusOK); w.Code != want ||
			!slices.Equal(h.Values("Cache-Control"), []string{"no-store"}) || !slices.Equal(h.Values("X-Content-Type-Options"), []string{"nosniff"}) {
			t.Errorf("%s %s: %d, want %d; %v", one.method, one.path, w.Code, want, h)
		}
	}
}
