package runs

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/metrics"
	"mooring/web/request"
)

// anyone admits every request as the same caller.
type anyone struct{ auth.Caller }

func (a *anyone) Authenticate(*http.Request) (*auth.Caller, error) { return &a.Caller, nil }
func (*anyone) Serves(string, int64) bool                          { return true }
func (*anyone) RatePerMinute() int                                 { return 0 }
func (*anyone) Origins() auth.Origins                              { return nil }

// A run that ends after a request to stop it has read it is not shown as it was.
func TestALateStopShowsHowTheRunEnded(t *testing.T) {
	ctx, log := t.Context(), slog.New(slog.DiscardHandler)
	store, err := storage.Open(ctx, storage.Config{Log: log})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	caller := &anyone{auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 1, Actions: []string{record.ActionAll}}}}
	a, at := &API{Store: store, Engine: refresh.New(refresh.Config{Store: store, Log: log})}, record.Deployment{Tenant: "acme", ID: 1}
	run := clientRun(t, a, at, caller.Actor)
	late := request.On(func(ctx context.Context, c *request.Call) (*record.Run, error) {
		read, err := a.stoppable(ctx, c)
		if err == nil {
			err = a.Engine.Stop(ctx, at, read) // as another request does
		}
		return read, err
	}, a.stop)
	frame := request.Frame{Gate: caller, Flights: request.NewFlights(), Log: log, Metrics: metrics.New(""), Now: time.Now}
	served := frame.Handler([]request.Route{{Method: "DELETE", Path: atRun, Scope: request.InDeployment, Operation: late}})
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest("DELETE", strings.NewReplacer(":deploymentId", "1", ":runId", run).Replace(atRun), nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"state":"STOPPED"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// clientRun begins a run of a report's one placement that an add-in works on, and returns its id.
func clientRun(t *testing.T, a *API, at record.Deployment, who record.Actor) string {
	t.Helper()
	report, err := a.Store.Reports().Create(t.Context(), at, record.ReportInput{SQLQuery: placements.Sent("SELECT 1")}, who)
	if err != nil {
		t.Fatal(err)
	}
	there := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!B2", PlacementID: "p1", AddressOnly: true}
	done, err := a.Store.Placements().Connect(t.Context(), at, report.ID, there, who, func(*record.ReportHead) error { return nil }, false)
	if err != nil {
		t.Fatal(err)
	}
	req := refresh.Request{Target: record.RunTarget{ReportID: report.ID, PlacementID: "p1"}, By: who, Executor: record.ExecutorClient}
	placed, err := a.Store.Reports().Get(t.Context(), at, done.Report.ID)
	if err != nil {
		t.Fatal(err)
	}
	of, _ := placed.Find("p1")
	lease, err := a.Engine.ClientRuns().Start(t.Context(), at, req, of.Placement)
	if err != nil {
		t.Fatal(err)
	}
	return lease.RunID
}
