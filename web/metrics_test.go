package web

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/metrics"
)

func TestAnAgentAloneShowsItsMetricsAndNothingElse(t *testing.T) {
	s := storagetest.Open(t, "embedded")
	if err := s.Work().Queue.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := metrics.New("v1.2.3")
	m := metrics.NewAgent(all, []string{"acme"})
	m.Began("acme", 30*time.Millisecond)
	m.Attempted("acme", placements.RunQueued, placements.Quota, time.Second, 0)
	m.WaitsForQuota("acme", 20*time.Second)
	m.Attempted("acme", placements.RunSucceeded, "", time.Second, 7)
	m.Attempted("gone", placements.RunSucceeded, "", time.Second, 9)
	m.KeptEdits("acme", 3)
	m.Ticked("acme", record.TickMissed, 12)
	m.Ticked("gone", record.TickFired, 1)
	m.Delivered("failed")
	metrics.NewBacklog(all, s.Queue().Agents, s.Standing(), []record.Deployment{{Tenant: "acme", ID: 1}}, slog.New(slog.DiscardHandler))
	a := &api{sut: described(t, NewOperations(Config{Store: s, Log: slog.New(slog.DiscardHandler), Metrics: all}).Handler())}
	page := a.send(step{method: "GET", path: "//metrics"}).Body.String()
	for _, want := range []string{
		`mooring_build_info{goversion="go`,
		`version="v1.2.3"} 1`,
		`mooring_run_lateness_seconds_bucket{tenant="acme",le="0.05"} 1`,
		`mooring_run_retries_total{class="quota",tenant="acme"} 1`,
		`mooring_quota_wait_seconds_bucket{tenant="acme",le="20"} 1`,
		`mooring_runs_total{class="",state="SUCCEEDED",tenant="acme"} 1`,
		`mooring_runs_total{class="auth",state="FAILED",tenant="acme"} 0`,
		`mooring_rows_written_total{tenant="acme"} 7`,
		`mooring_rows_written_total{tenant="other"} 9`,
		`mooring_edits_kept_total{tenant="acme"} 3`,
		`mooring_ticks_total{outcome="fired",tenant="acme"} 0`,
		`mooring_ticks_total{outcome="skipped",tenant="acme"} 0`,
		`mooring_ticks_total{outcome="missed",tenant="acme"} 12`,
		`mooring_ticks_total{outcome="superseded",tenant="acme"} 0`,
		`mooring_ticks_total{outcome="fired",tenant="other"} 1`,
		`mooring_webhook_deliveries_total{outcome="delivered"} 0`,
		`mooring_webhook_deliveries_total{outcome="failed"} 1`,
		"mooring_queue_depth 0",
		"mooring_agents 0",
		`mooring_schedules{state="late"} 0`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, `"gone"`) {
		t.Error("a tenant that is not configured is a label")
	}
	wantNoTenants(t, s, all)
	for path, want := range map[string]int{
		"//healthz": 200, "//readyz": 200, "//debug/pprof/": 200, "//debug/pprof/goroutine": 200, "//debug/pprof/cmdline": 200,
		"//debug/pprof/nothing": 404, "//docs": 404, "/api/v1/tenant/settings": 404,
	} {
		if got := a.send(step{method: "GET", path: path}).Code; got != want {
			t.Errorf("%s answers %d, want %d %s", path, got, want, http.StatusText(want))
		}
	}
	if got := a.send(step{method: "GET", path: "//debug/pprof/cmdline"}).Body.String(); got != os.Args[0] {
		t.Errorf("the command line is %q, with arguments that may be secret", got)
	}
}

// wantNoTenants checks the page of the HTTP interface: what is counted by tenant is there as a sum, and no tenant is named.
func wantNoTenants(t *testing.T, s *storage.Store, all *metrics.Registry) {
	t.Helper()
	a := &api{sut: described(t, New(Config{Store: s, Log: slog.New(slog.DiscardHandler), Metrics: all}).Handler())}
	page := a.send(step{method: "GET", path: "//metrics"}).Body.String()
	for _, want := range []string{
		"\nmooring_rows_written_total 16\n",
		"\n" + `mooring_ticks_total{outcome="missed"} 12` + "\n",
		"\n" + `mooring_runs_total{class="",state="SUCCEEDED"} 2` + "\n",
		"\n" + `mooring_run_duration_seconds_bucket{le="1"} 3` + "\n",
		"\nmooring_run_duration_seconds_sum 3\n",
		"\nmooring_run_duration_seconds_count 3\n",
		"\nmooring_queue_depth 0\n",
		`mooring_build_info{goversion="go`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page of the interface lacks %q", want)
		}
	}
	if strings.Contains(page, "acme") || strings.Contains(page, "tenant=") {
		t.Errorf("the page of the interface names tenants:\n%s", page)
	}
}

// While a server drains its operators see what it waits for.
func TestOperationsWhileDraining(t *testing.T) {
	sut := NewOperations(Config{Store: storagetest.Open(t, "embedded"), Log: slog.New(slog.DiscardHandler)})
	a := &api{sut: described(t, sut.Handler())}
	sut.Drain()
	for path, want := range map[string]int{"//healthz": 200, "//readyz": 503, "//metrics": 200, "//debug/pprof/goroutine": 200} {
		if got := a.send(step{method: "GET", path: path}).Code; got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
}

// The HTTP interface has no profiles, and no metrics where they have an address of their own. Health it has always.
func TestOperationsApart(t *testing.T) {
	s := storagetest.Open(t, "embedded")
	for name, want := range map[string]map[string]int{
		"alone": {"//healthz": 200, "//readyz": 200, "//metrics": 200, "//debug/pprof/": 404},
		"apart": {"//healthz": 200, "//readyz": 200, "//metrics": 404, "//debug/pprof/": 404},
	} {
		a := &api{sut: described(t, New(Config{Store: s, Log: slog.New(slog.DiscardHandler), OperationsApart: name == "apart"}).Handler())}
		for path, status := range want {
			if got := a.send(step{method: "GET", path: path}).Code; got != status {
				t.Errorf("%s: %s answers %d, want %d", name, path, got, status)
			}
		}
	}
}

// brokenQueue is a queue that does not answer.
type brokenQueue struct{}

func (brokenQueue) Report(context.Context, string, []record.Deployment) (*record.Backlog, error) {
	return nil, context.DeadlineExceeded
}

func (brokenQueue) EndReports(context.Context, string) error { return context.DeadlineExceeded }

// A storage that does not answer costs its own series, and no other.
func TestMetricsOfAStorageThatDoesNotAnswer(t *testing.T) {
	all := metrics.New("")
	metrics.NewBacklog(all, brokenQueue{}, nil, nil, slog.New(slog.DiscardHandler))
	s := storagetest.Open(t, "embedded")
	a := &api{sut: described(t, New(Config{Store: s, Log: slog.New(slog.DiscardHandler), Metrics: all}).Handler())}
	w := a.send(step{method: "GET", path: "//metrics"})
	page := w.Body.String()
	if w.Code != http.StatusOK || strings.Contains(page, "mooring_queue_depth") || !strings.Contains(page, "mooring_build_info") {
		t.Errorf("%d %s", w.Code, page)
	}
}

func TestSpreadsheetsThatWaitAreCountedByTenantAndReason(t *testing.T) {
	s := storagetest.Open(t, "embedded")
	if err := s.Work().Queue.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	deployments := []record.Deployment{{Tenant: "acme", ID: 1}, {Tenant: "acme", ID: 2}, {Tenant: "globex", ID: 1}, {Tenant: "quiet", ID: 1}}
	place := func(d record.Deployment, document, cell string, run placements.LastRun) {
		t.Helper()
		r, err := s.Reports().Create(t.Context(), d, record.ReportInput{
			Name: placements.Sent("Sales " + document + cell), SQLQuery: placements.Sent("select 1"),
		}, record.Actor{ID: 7})
		if err != nil {
			t.Fatal(err)
		}
		p := placements.Placement{ID: document + cell, WorkbookID: document, Host: placements.SheetsB, ResultLocation: "Data!" + cell}
		if err := storagetest.Import(t.Context(), s, d, r.ID, []storage.Placed{{Placement: p, LastRun: &run}}); err != nil {
			t.Fatal(err)
		}
	}
	waits := func(reason placements.Reason) placements.LastRun {
		return placements.LastRun{RunID: "r", State: placements.RunQueued, ErrorClass: placements.Transient, Reason: reason}
	}
	place(deployments[0], "open.xlsx", "A1", waits(placements.ReasonLocked))
	place(deployments[0], "open.xlsx", "C3", waits(placements.ReasonLocked))
	place(deployments[0], "gone.xlsx", "A1", waits(placements.ReasonMissing))
	place(deployments[1], "open.xlsx", "E5", waits(placements.ReasonLocked))
	place(deployments[2], "book.xlsx", "A1", waits(placements.ReasonSource))
	place(deployments[2], "left.xlsx", "A1", placements.LastRun{RunID: "r", State: placements.RunSkipped, Reason: placements.ReasonAddinOnly})
	all := metrics.New("")
	metrics.NewBacklog(all, s.Queue().Agents, s.Standing(), deployments, slog.New(slog.DiscardHandler))
	page := func(of http.Handler) (lines []string) {
		a := &api{sut: described(t, of)}
		for line := range strings.Lines(a.send(step{method: "GET", path: "//metrics"}).Body.String()) {
			if strings.HasPrefix(line, "mooring_documents_waiting{") {
				lines = append(lines, strings.TrimSpace(strings.TrimPrefix(line, "mooring_documents_waiting")))
			}
		}
		return lines
	}
	config := Config{Store: s, Log: slog.New(slog.DiscardHandler), Metrics: all}
	want := []string{
		`{reason="held",tenant="acme"} 0`, `{reason="held",tenant="globex"} 0`, `{reason="held",tenant="quiet"} 0`,
		`{reason="locked",tenant="acme"} 2`, `{reason="locked",tenant="globex"} 0`, `{reason="locked",tenant="quiet"} 0`,
		`{reason="missing",tenant="acme"} 1`, `{reason="missing",tenant="globex"} 0`, `{reason="missing",tenant="quiet"} 0`,
		`{reason="quota",tenant="acme"} 0`, `{reason="quota",tenant="globex"} 0`, `{reason="quota",tenant="quiet"} 0`,
		`{reason="source",tenant="acme"} 0`, `{reason="source",tenant="globex"} 1`, `{reason="source",tenant="quiet"} 0`,
	}
	if diff := cmp.Diff(want, page(NewOperations(config).Handler())); diff != "" {
		t.Errorf("by tenant (-want +got):\n%s", diff)
	}
	want = []string{`{reason="held"} 0`, `{reason="locked"} 2`, `{reason="missing"} 1`, `{reason="quota"} 0`, `{reason="source"} 1`}
	if diff := cmp.Diff(want, page(New(config).Handler())); diff != "" {
		t.Errorf("over all tenants (-want +got):\n%s", diff)
	}
}
