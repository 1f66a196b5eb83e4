package web

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"mooring/storage/storagetest"
)

// gone sends a request whose client goes away before it is answered.
func (a *api) gone(t *testing.T, method, path, as string) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader("{}"))
	r.Header.Set("Authorization", "Bearer "+a.tokens[as])
	a.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
}

// A client that goes away is no fault of the service: neither the metrics nor the log say so, and no alert follows.
func TestAClientThatGoesAwayIsNoErrorOfTheServer(t *testing.T) {
	var log bytes.Buffer
	a := newAPI(t, storagetest.Open(t, storagetest.Redis(t)), func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	a.gone(t, "GET", "/api/v1/deployments/1/reports", "editor")
	page := a.send(step{method: "GET", path: "//metrics"}).Body.String()
	const counted = `mooring_http_request_duration_seconds_count{method="GET",route="/api/v1/deployments/:deploymentId/reports",status="499"} 1`
	if !strings.Contains(page, counted) || strings.Contains(page, `status="503"`) {
		t.Errorf("want %s, and no 503, in\n%s", counted, page)
	}
	if text := log.String(); !strings.Contains(text, "level=INFO") || !strings.Contains(text, "status=499") || strings.Contains(text, "level=ERROR") {
		t.Errorf("logged: %s", text)
	}
}

// Who goes away at once sends no more to hooks than who waits for the answers: it is counted as well.
func TestARequestToAHookCountsThoughItsClientGoesAway(t *testing.T) {
	address := storagetest.Redis(t)
	a := withHooks(t, storagetest.Open(t, address))
	a.send(step{method: "POST", path: hookPath, as: "-", body: "{}"}) // the server learns the script
	calls, _ := storagetest.Asked(t, address, func() { a.gone(t, "POST", hookPath, "-") })
	if calls["cmdstat_evalsha"] != 1 {
		t.Errorf("Redis was asked for %v, want one script", calls)
	}
}
