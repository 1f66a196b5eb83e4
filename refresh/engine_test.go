package refresh

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	_ "modernc.org/sqlite" // the test fills the source

	"mooring/placements"
	"mooring/refresh/host/xlsx"

	"mooring/refresh/source/sqlite"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// rig is an engine between a real SQLite file and a real .xlsx file.
type rig struct {
	*testing.T
	engine *Engine
	d      record.Deployment
	dir    string
	report int64
}

func eachRig(t *testing.T, test func(r *rig)) {
	t.Helper()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) { test(newRig(t, s)) })
}

const cities = "SELECT name, people FROM cities ORDER BY id"

func newRig(t *testing.T, s *storage.Store) *rig {
	r := &rig{T: t, d: record.Deployment{Tenant: "acme", ID: 1}, dir: t.TempDir()}
	r.exec(`CREATE TABLE cities (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
		INSERT INTO cities VALUES (1, 'Oslo', 700000), (2, 'Bergen', 290000), (3, '=1+1', 3)`)
	r.edit("book.xlsx", func(f *excelize.File) {
		must(t, f.SetCellStr("Sheet1", "A1", "Cities"))
		must(t, f.SetCellFormula("Sheet1", "F2", "SUM(C3:C9)"))
	})
	src, err := (&sqlite.Config{Path: filepath.Join(r.dir, "shop.db")}).Open(t.Context())
	must(t, err)
	t.Cleanup(func() { must(t, src.Close()) })
	h, err := (&xlsx.Config{Dir: r.dir}).Open(t.Context(), nil)
	must(t, err)
	r.engine = New(Config{
		Store: s, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]Tenant{"acme": {
			Deployments: map[int64]DeploymentSource{1: {Source: src, Location: time.UTC}},
			Hosts:       []Spreadsheets{{Kind: placements.SheetsB, Driver: h}},
		}},
	})
	report, err := s.Reports().Create(t.Context(), r.d, record.ReportInput{
		Name: placements.Sent("Cities"), SQLQuery: placements.Sent(cities), Source: placements.Sent("SHEETS_B"),
	}, record.Actor{ID: 7})
	must(t, err)
	r.report = report.ID
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// exec changes the source's data.
func (r *rig) exec(statement string) {
	r.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(r.dir, "shop.db")+"?_pragma=busy_timeout(60000)") // agents may be reading
	must(r.T, err)
	defer db.Close()
	_, err = db.Exec(statement)
	must(r.T, err)
}

// edit does to a workbook what a person could.
func (r *rig) edit(name string, change func(*excelize.File)) {
	r.Helper()
	path := filepath.Join(r.dir, name)
	f, err := excelize.OpenFile(path)
	if os.IsNotExist(err) {
		f, err = excelize.NewFile(), nil
	}
	must(r.T, err)
	defer f.Close()
	change(f)
	must(r.T, f.SaveAs(path))
}

// cells reads a workbook back with a library that is not ours.
func (r *rig) cells(name string) []string {
	r.Helper()
	f, err := excelize.OpenFile(filepath.Join(r.dir, name))
	must(r.T, err)
	defer f.Close()
	rows, err := f.GetRows("Sheet1")
	must(r.T, err)
	var lines []string
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	return lines
}

func (r *rig) connect(location string) placements.Placement {
	r.Helper()
	return r.connectTo("book.xlsx", location)
}

func (r *rig) connectTo(document, location string) placements.Placement {
	r.Helper()
	return r.move(placements.Placement{}, document, location)
}

// move connects p, or a new placement if it has no id, at a location of a document.
func (r *rig) move(p placements.Placement, document, location string) placements.Placement {
	r.Helper()
	c, err := r.engine.records.Placements().Connect(r.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: document, ResultLocation: location, PlacementID: p.ID, AddressOnly: true,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(r.T, err)
	return *c.Placement
}

// refresh asks for a run and waits until an agent has ended it.
func (r *rig) refresh(req Request) *record.Run {
	r.Helper()
	defer r.serve()()
	return r.ask(req)
}

// serve has an agent work until stop is called.
func (r *rig) serve() (stop func()) {
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.engine.Run(ctx) }()
	return func() {
		r.Helper()
		cancel()
		must(r.T, <-done)
	}
}

// ask asks for a run and waits until it has ended, or is to be tried again.
func (r *rig) ask(req Request) *record.Run {
	r.Helper()
	req.Target.ReportID = r.report
	req.By = record.Actor{ID: 7}
	run, err := r.engine.Start(r.Context(), r.d, req)
	must(r.T, err)
	return r.await(run.ID)
}

// await waits until a run has ended, or is to be tried again.
func (r *rig) await(id string) (run *record.Run) {
	r.Helper()
	for deadline := time.Now().Add(waitLimit); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var err error
		run, err = r.engine.queue.Queue.Runs.Get(r.Context(), r.d, id)
		must(r.T, err)
		if run.EndedAt != "" || run.NextAttemptAt != "" {
			return run
		}
	}
	r.Fatalf("run %s has not ended: %+v", id, run)
	return nil
}

func (r *rig) bytes(name string) string {
	r.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, name))
	must(r.T, err)
	return string(b)
}

// succeeded checks what a run wrote.
func (r *rig) succeeded(run *record.Run, rows int) {
	r.Helper()
	if run.State != placements.RunSucceeded || run.RowsWritten != rows {
		r.Fatalf("run is %s (%s: %s) with %d rows written, want SUCCEEDED with %d", run.State, run.ErrorClass, run.Error, run.RowsWritten,
			rows)
	}
}

// shiftRows are the options of who says whether rows shift.
func shiftRows(v bool) placements.Options {
	return placements.Options{ShiftRows: placements.Sent(v)}
}

// onEdit are the options of who says what to do with edits.
func onEdit(v placements.OnEdit) placements.Options {
	return placements.Options{OnEdit: placements.Sent(v)}
}

func TestRunWritesOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		if diff := cmp.Diff([]string{"Cities", "|name|people|||", "|Oslo|700000", "|Bergen|290000", "|=1+1|3"}, r.cells("book.xlsx")); diff != "" {
			r.Error(diff)
		}
		before := r.bytes("book.xlsx")
		run := r.refresh(Request{})
		r.succeeded(run, 0)
		if run.HostCalls != 1 {
			r.Errorf("an unchanged refresh made %d calls, want 1", run.HostCalls)
		}
		if r.bytes("book.xlsx") != before {
			r.Error("an unchanged refresh changed the file")
		}
		r.exec("UPDATE cities SET people = 291000 WHERE name = 'Bergen'")
		r.succeeded(r.refresh(Request{}), 1)
	})
}

// hosts are the spreadsheet hosts of the rig's tenant from now on.
func (r *rig) hosts(list ...Spreadsheets) {
	of := r.engine.tenants["acme"]
	of.Hosts = list
	r.engine.tenants["acme"], r.engine.sites.Hosts["acme"] = of, list
}

// useQueue has all of the engine use another queue of the same storage.
func (e *Engine) useQueue(q *work.Work) {
	e.queue, e.sites.Queue, e.links.Queue, e.attempts.queue, e.attempts.documents.Queue = q, q, q, q, q
	e.schedules.queue, e.clients.queue, e.bundles.queue, e.bundles.headings.queue = q, q, q, q
}

// useLog has all of the engine write to another log.
func (e *Engine) useLog(log *slog.Logger) {
	e.log, e.links.Log, e.attempts.log, e.attempts.documents.Log, e.calls.Log, e.bundles.headings.log = log, log, log, log, log, log
}

// useObserver has all of the engine tell another observer.
func (e *Engine) useObserver(o AgentObserver) {
	e.observe, e.attempts.observe, e.calls.Observe = o, o, o
}
