package web

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/storagetest"
	"mooring/web/metrics"
)

func TestAnAgentAloneShowsItsMetricsAndNothingElse(t *testing.T) {
	s := storagetest.Open(t, "embedded")
	if err := s.Work().Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := metrics.NewAgent(s.Work())
	m.Fired("acme", 30*time.Millisecond)
	m.Attempted("acme", placements.RunQueued, placements.Quota, time.Second, 0)
	m.Attempted("acme", placements.RunSucceeded, "", time.Second, 7)
	a := &api{sut: NewOperations(Config{Store: s, Log: slog.New(slog.DiscardHandler), Metrics: m}).Handler()}
	a.strict = a.sut
	page := a.send(step{method: "GET", path: "//metrics"}).Body.String()
	for _, want := range []string{
		`mooring_fire_lateness_seconds_bucket{tenant="acme",le="0.05"} 1`,
		`mooring_run_attempts_total{class="quota",state="QUEUED",tenant="acme"} 1`,
		`mooring_run_attempts_total{class="",state="SUCCEEDED",tenant="acme"} 1`,
		`mooring_rows_written_total{tenant="acme"} 7`,
		`mooring_queue_depth 0`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for path, want := range map[string]int{"//healthz": 200, "//readyz": 200, "/api/v1/tenant/settings": 404} {
		if got := a.send(step{method: "GET", path: path}).Code; got != want {
			t.Errorf("%s answers %d, want %d %s", path, got, want, http.StatusText(want))
		}
	}
}
