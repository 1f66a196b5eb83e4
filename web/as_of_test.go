package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host/xlsx"
	"mooring/storage/storagetest"
)

// withFiles makes a server whose agent refreshes .xlsx files of deployment 1, which asks a SQLite file.
func withFiles(t *testing.T, fill string) *api {
	t.Helper()
	dir := t.TempDir()
	src := filledSource(t, fill)
	book := excelize.NewFile()
	defer book.Close()
	if err := book.SaveAs(filepath.Join(dir, "book.xlsx")); err != nil {
		t.Fatal(err)
	}
	files, err := (&xlsx.Config{Dir: dir}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := storagetest.Open(t, "embedded")
	a := newAPI(t, s, func(c *Config) {
		c.Engine = refresh.New(refresh.Config{Store: s, Log: slog.New(slog.DiscardHandler), Tenants: map[string]refresh.Tenant{"acme": {
			Deployments: map[int64]refresh.DeploymentSource{1: {Source: src, Location: time.UTC}},
			Hosts:       []refresh.Spreadsheets{{Kind: placements.SheetsB, Driver: files}},
		}}})
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.server.engine.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return a
}

// refreshed asks for a refresh and waits until it has ended.
func (a *api) refreshed(t *testing.T) (run struct{ State, FireTime, EndedAt string }) {
	t.Helper()
	a.run(t, []step{{
		name: "a refresh", method: "POST", path: "/reports/{{report}}/refreshes", body: `{}`, status: 202, keep: map[string]string{"run": "runId"},
	}})
	for deadline := time.Now().Add(storagetest.Patience); run.EndedAt == ""; time.Sleep(5 * time.Millisecond) {
		w := a.send(step{method: "GET", path: "/refreshes/{{run}}"})
		if err := json.Unmarshal(w.Body.Bytes(), &run); err != nil || time.Now().After(deadline) {
			t.Fatalf("%v %s", err, w.Body)
		}
	}
	if run.State != "SUCCEEDED" {
		t.Fatalf("the run: %+v", run)
	}
	return run
}

// Every answer with a placement says as of when its block shows the source.
func TestTheAgeOfABlockIsInEveryAnswerWithItsPlacement(t *testing.T) {
	a := withFiles(t, fillRows)
	a.run(t, []step{placedRows[0], {
		name: "is placed", method: "PUT", path: "/reports/{{report}}/connect-workbook", status: 200,
		body:  `{"externalWorkbookId":"book.xlsx","resultLocation":"Sheet1!B2","placementId":"p1","host":"SHEETS_B","addressOnly":true}`,
		lacks: []string{"asOf"},
	}})
	run := a.refreshed(t)
	var report struct {
		ExternalWorkbookPlacements []struct{ AsOf string }
	}
	w := a.send(step{method: "GET", path: "/reports/{{report}}"})
	if err := json.Unmarshal(w.Body.Bytes(), &report); err != nil || len(report.ExternalWorkbookPlacements) != 1 {
		t.Fatalf("%v %s", err, w.Body)
	}
	asOf := report.ExternalWorkbookPlacements[0].AsOf
	if asOf < run.FireTime || asOf > run.EndedAt {
		t.Errorf("as of %q, want within %s and %s", asOf, run.FireTime, run.EndedAt)
	}
	a.vars["asOf"] = asOf
	const listed = `{"items":[{"access":"GRANTED","placement":{"id":"p1","asOf":"{{asOf}}"}}]}`
	a.run(t, []step{
		{name: "the list of placements", method: "GET", path: "/placements", status: 200, holds: listed},
		{name: "the document's", method: "GET", path: "/api/v1/external-documents/book.xlsx/placements", status: 200, holds: listed},
		{name: "the list of reports", method: "GET", path: "/reports", status: 200, holds: `{"items":[{"externalWorkbookPlacements":[{"asOf":"{{asOf}}"}]}]}`},
		{name: "another report", method: "POST", path: "/reports", body: `{"name":"Other","sqlQuery":"SELECT s FROM t"}`, status: 200, keep: map[string]string{"other": "id"}},
		{
			name: "an overlap", method: "PUT", path: "/reports/{{other}}/connect-workbook", status: 200,
			body:  `{"externalWorkbookId":"book.xlsx","resultLocation":"Sheet1!B2:C9","placementId":"p2","host":"SHEETS_B","addressOnly":true}`,
			holds: `{"overlaps":[{"access":"GRANTED","placement":{"id":"p1","asOf":"{{asOf}}"}}]}`,
		},
		{name: "leaves again", method: "DELETE", path: "/reports/{{other}}/connect-workbook", body: `{"placementId":"p2"}`, status: 200},
	})
	a.run(t, []step{{name: "what a client says it wrote", method: "PUT", path: "/reports/{{report}}/refresh", body: `{"placementId":"p1"}`, status: 200}})
	w = a.send(step{method: "GET", path: "/reports/{{report}}"})
	report.ExternalWorkbookPlacements = nil
	if err := json.Unmarshal(w.Body.Bytes(), &report); err != nil || len(report.ExternalWorkbookPlacements) != 1 || report.ExternalWorkbookPlacements[0].AsOf != "" {
		t.Errorf("after a client's write: %v %s", err, w.Body)
	}
}
