package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mooring/refresh/trace"
	"mooring/web/request"
)

func TestErrorsOfTheHTTPLayer(t *testing.T) {
	a := onEmbedded(t, func(c *Config) { c.Limits = Limits{Body: 200, Depth: 4} })
	a.tokens["nobody"] = ""
	a.tokens["broken"] = "not.a.token"
	a.run(t, []step{
		{
			name: "an unknown path is a JSON 404", method: "GET", path: "//nothing", status: 404,
			holds: `{"statusCode":404,"error":"Not Found","code":"no_route","retryable":false}`,
		},
		{
			name: "a wrong method is a JSON 405", method: "PATCH", path: "/reports/1", status: 405,
			holds: `{"statusCode":405,"error":"Method Not Allowed","code":"method_not_allowed"}`,
		},
		{name: "no token is 401", method: "GET", path: "/reports/1", as: "nobody", status: 401, holds: `{"code":"unauthorized"}`},
		{name: "a malformed token is 401", method: "GET", path: "/reports/1", as: "broken", status: 401, holds: `{"code":"unauthorized"}`},
		{name: "another scheme is 401", method: "GET", path: "/reports/1", header: map[string]string{"Authorization": "Basic eDp5"}, status: 401},
		{name: "a token of another deployment is 403", method: "GET", path: "/reports/1", as: "only2", status: 403, holds: `{"code":"wrong_deployment"}`},
		{name: "an unconfigured deployment is 404", method: "GET", path: "/api/v1/deployments/77/reports/1", status: 404},
		{name: "a deployment that is no number is 404", method: "GET", path: "/api/v1/deployments/x/reports/1", status: 404},
		{
			name: "a host name of another tenant is 403", method: "GET", path: "/reports/1", as: "foreign",
			header: map[string]string{"Host": "Acme.Example.com:8080"}, status: 403,
		},
		{name: "a host name of the token's tenant passes", method: "GET", path: "/reports/1", header: map[string]string{"Host": "acme.example.com."}, status: 404},
		{name: "an unknown report is 404", method: "GET", path: "/reports/12345", status: 404, holds: `{"code":"not_found"}`},
		{name: "a report id that is no number is 404", method: "GET", path: "/reports/x", status: 404},
		{
			name: "a body over the limit is 413", method: "POST", path: "/reports", body: `{"name":"` + strings.Repeat("x", 300) + `"}`, status: 413,
			holds: `{"code":"body_too_large"}`,
		},
		{
			name: "a body that is not JSON is 415", method: "POST", path: "/reports", body: `{}`,
			header: map[string]string{"Content-Type": "text/plain"}, status: 415,
		},
		{name: "a body cut short is 400", method: "POST", path: "/reports", body: `{"name":`, status: 400, holds: `{"code":"malformed_json"}`},
		{name: "no body where one is needed is 400", method: "POST", path: "/reports", status: 400, holds: `{"code":"malformed_json"}`},
		{name: "a body at the depth limit passes", method: "POST", path: "/reports", body: `{"meta":{"a":{"b":{"c":1}}}}`, status: 200},
		{name: "one level more is refused", method: "POST", path: "/reports", body: `{"meta":{"a":{"b":{"c":{}}}}}`, status: 400},
		{
			name: "all faults of a body come at once", method: "POST", path: "/reports", body: `{"name":1,"folderId":"x","publicId":"short"}`, status: 400,
			holds: `{"code":"invalid_request","details":[{"pointer":"/folderId"},{"pointer":"/name"},{"pointer":"/publicId"}]}`,
		},
		{name: "liveness needs no token", method: "GET", path: "//healthz", as: "nobody", status: 200, holds: `{"status":"ok"}`},
		{name: "readiness asks storage", method: "GET", path: "//readyz", as: "nobody", status: 200, holds: `{"status":"ready"}`},
	})
}

func TestAnUnauthorizedAnswerNamesTheScheme(t *testing.T) {
	a := onEmbedded(t)
	a.tokens["nobody"] = ""
	if w := a.send(step{method: "GET", path: "/reports/1", as: "nobody"}); w.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("WWW-Authenticate %q", w.Header().Get("WWW-Authenticate"))
	}
}

func TestRequestIDs(t *testing.T) {
	a := onEmbedded(t)
	sent := a.send(step{method: "GET", path: "//healthz", header: map[string]string{"X-Request-Id": "mine-1"}})
	if got := sent.Header().Get("X-Request-Id"); got != "mine-1" {
		t.Errorf("a client's id came back as %q", got)
	}
	forged := a.send(step{method: "GET", path: "//healthz", header: map[string]string{"X-Request-Id": "a b\"c"}})
	if got := forged.Header().Get("X-Request-Id"); got == "" || strings.Contains(got, " ") {
		t.Errorf("an id that could forge a log line came back as %q", got)
	}
}

func TestAPanicIsA500WithoutItsText(t *testing.T) {
	var log bytes.Buffer
	a := onEmbedded(t, func(c *Config) { c.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	a.mount(t, request.Route{Method: "GET", Path: "/panics", Operation: request.Raw(func(*request.Call) error { panic("secret text") })})
	w := a.send(step{method: "GET", path: "//panics"})
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") || !strings.Contains(w.Body.String(), `"code":"internal"`) {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
	if !strings.Contains(log.String(), "secret text") {
		t.Error("the log does not have the panic")
	}
}

func TestAnUnclassifiedErrorIsA500WithoutItsText(t *testing.T) {
	var log bytes.Buffer
	a := onEmbedded(t, func(c *Config) { c.Log = slog.New(trace.LogHandler(slog.NewJSONHandler(&log, nil))) })
	a.mount(t, request.Route{Method: "GET", Path: "/fails", Operation: request.Raw(func(*request.Call) error { return errors.New("dial 10.0.0.1") })})
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	w := a.send(step{method: "GET", path: "//fails", header: map[string]string{"X-Request-Id": "req-9", "traceparent": parent}})
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "10.0.0.1") {
		t.Errorf("answer %d %s", w.Code, w.Body)
	}
	for _, want := range []string{"dial 10.0.0.1", "req-9", `"trace_id":"0af7651916cd43dd8448eb211c80319c"`, `"status":500`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, &log)
		}
	}
}

func TestMetricsCountByRoute(t *testing.T) {
	a := onEmbedded(t)
	a.send(step{method: "GET", path: "/reports/1"})
	a.send(step{method: "GET", path: "//no/such/path/4711"})
	page := a.send(step{method: "GET", path: "//metrics"}).Body.String()
	for _, want := range []string{
		`mooring_http_request_duration_seconds_count{method="GET",route="/api/v1/deployments/:deploymentId/reports/:reportId",status="404"} 1`,
		`mooring_http_request_duration_seconds_count{method="other",route="none",status="404"} 1`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	if strings.Contains(page, "such/path") {
		t.Error("a path became a label")
	}
}

func TestServeDrains(t *testing.T) {
	a := onEmbedded(t)
	entered, release := make(chan struct{}), make(chan struct{})
	a.mount(t, request.Route{Method: "GET", Path: "/slow", Operation: request.Raw(func(c *request.Call) error {
		close(entered)
		<-release
		c.Data(http.StatusOK, "text/plain", []byte("done"))
		return nil
	})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(ctx, l, 10*time.Second) }()
	answered := make(chan string, 1)
	go func() {
		res, err := http.Get("http://" + l.Addr().String() + "/slow")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		answered <- string(text)
	}()
	<-entered
	stop()
	close(release)
	if got := <-answered; got != "done" {
		t.Errorf("the request in flight got %q", got)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestServeCutsWhatDoesNotEnd(t *testing.T) {
	a := onEmbedded(t)
	entered, release := make(chan struct{}), make(chan struct{})
	a.mount(t, request.Route{Method: "GET", Path: "/stuck", Operation: request.Raw(func(*request.Call) error {
		close(entered)
		<-release
		return nil
	})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- a.server.Serve(ctx, l, time.Millisecond) }()
	go func() {
		if res, err := http.Get("http://" + l.Addr().String() + "/stuck"); err == nil {
			res.Body.Close()
		}
	}()
	<-entered
	stop()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	close(release)
}

func TestWhatTheStoreCannotReachIs503(t *testing.T) {
	a := onEmbedded(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", "/readyz", nil)
	w := httptest.NewRecorder()
	a.sut.ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), `"retryable":true`) {
		t.Errorf("answer %d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
	}
}
