package refresh_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/source"
	"mooring/storage"
	"mooring/storage/record"
)

// countingHost counts what is written.
type countingHost struct {
	host.Driver
	writes *atomic.Int64
}

func (h countingHost) Open(ctx context.Context, document string) (host.Session, error) {
	s, err := h.Driver.Open(ctx, document)
	return countingSession{s, h.writes}, err
}

type countingSession struct {
	host.Session
	writes *atomic.Int64
}

func (s countingSession) Write(ctx context.Context, patches []host.Patch) ([]host.Written, error) {
	s.writes.Add(1)
	return s.Session.Write(ctx, patches)
}

// versionSource returns a table of 2,000 rows and 10 columns, of which a twentieth of the rows differ from one version to the next.
type versionSource struct{ version *atomic.Int64 }

func (s versionSource) Query(_ context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	columns := make([]source.Column, 10)
	for i := range columns {
		columns[i].Name = fmt.Sprint(q.SQL, i)
		b.Text(columns[i].Name)
	}
	b.EndRow()
	for row := range 2000 {
		for column := range columns {
			n := row*len(columns) + column
			if row%20 == 0 {
				n += int(s.version.Load()) * 1_000_000
			}
			b.Number(float64(n))
		}
		b.EndRow()
	}
	return columns, nil
}

func (versionSource) Check(context.Context) error { return nil }
func (versionSource) Close() error                { return nil }

// TestBenchDocument refreshes all of a workbook with 10 reports, asked for together, and counts how often the file is replaced and how
// many runs need a second attempt.
func TestBenchDocument(t *testing.T) {
	const reports, rounds = 10, 5
	f := newFigures(t)
	dir, version, writes := t.TempDir(), new(atomic.Int64), new(atomic.Int64)
	book := excelize.NewFile()
	must(t, book.SaveAs(filepath.Join(dir, "book.xlsx")))
	must(t, book.Close())
	h, err := (&xlsx.Config{Dir: dir}).Open(t.Context(), nil)
	must(t, err)
	engine := refresh.New(refresh.Config{
		Store: f.store, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]refresh.Tenant{"acme": {
			Deployments: map[int64]refresh.DeploymentSource{1: {Source: versionSource{version}, Location: time.UTC}},
			Hosts:       []refresh.Spreadsheets{{Kind: placements.SheetsB, Driver: countingHost{h, writes}}},
		}},
	})
	d := record.Deployment{Tenant: "acme", ID: 1}
	for i := range reports {
		report, err := f.store.Reports().Create(t.Context(), d, record.ReportInput{
			Name: placements.Sent("Report"), SQLQuery: placements.Sent(fmt.Sprint("q", i)), Source: placements.Sent("SHEETS_B"),
		}, record.Actor{ID: 7})
		must(t, err)
		_, err = f.store.Placements().Connect(t.Context(), d, report.ID, placements.Connection{
			ExternalWorkbookID: "book.xlsx", AddressOnly: true,
			ResultLocation: "Sheet1!" + placements.Anchor{Column: 12 * i}.String(),
		}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
		must(t, err)
	}
	var again, cpu, took float64
	for round := range rounds + 1 {
		version.Add(1)
		if round == 1 { // the blocks stand
			writes.Store(0)
			again, cpu, took = 0, 0, 0
		}
		before, began := processorTime(t), time.Now()
		again += f.refreshDocument(engine, d)
		cpu += processorTime(t) - before
		took += time.Since(began).Seconds()
	}
	f.print("document_writes", float64(writes.Load())/rounds)
	f.print("document_second_attempts", again/rounds)
	f.print("document_cpu_ms", cpu*1000/rounds)
	f.print("document_ms", took*1000/rounds)
}

// refreshDocument refreshes all of the document and returns how many runs needed more than one attempt.
func (f *figures) refreshDocument(engine *refresh.Engine, d record.Deployment) (again float64) {
	f.Helper()
	var runs []string
	for r, err := range f.store.Reports().List(f.Context(), d, record.ListQuery{}, func(*storage.Report) bool { return true }) {
		must(f.T, err)
		run, err := engine.Start(f.Context(), d, refresh.Request{Target: record.RunTarget{ReportID: r.Asset.ID}, By: record.Actor{ID: 7}})
		must(f.T, err)
		runs = append(runs, run.ID)
	}
	ctx, cancel := context.WithCancel(f.Context())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	f.untilEmpty()
	for _, id := range runs {
		run, err := f.store.Queue().Runs.Get(f.Context(), d, id)
		must(f.T, err)
		if run.State != placements.RunSucceeded {
			f.Fatalf("run %s is %s: %s", id, run.State, run.Error)
		}
		if run.Attempt > 1 {
			again++
		}
	}
	cancel()
	must(f.T, <-done)
	return again
}
