package refresh

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func (r *rig) placement() storage.Placed {
	r.Helper()
	report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	if len(report.Placements) != 1 {
		r.Fatalf("the report has %d placements, want 1", len(report.Placements))
	}
	return report.Placements[0]
}

func (r *rig) status() placements.Status {
	r.Helper()
	report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	p := r.placement()
	return placements.SyncStatus(p.Placement, report.CurrentChecksum, p.LastRun)
}

// failed checks how a run failed: its class, that its message holds want, and that it says nothing about the machine.
func (r *rig) failed(run *record.Run, class placements.Class, want string) {
	r.Helper()
	if run.ErrorClass != class || !strings.Contains(run.Error, want) {
		r.Errorf("run is %s (%s: %s), want class %s and %q", run.State, run.ErrorClass, run.Error, class, want)
	}
	if strings.Contains(run.Error, r.dir) || strings.Contains(run.Error, os.TempDir()) {
		r.Errorf("the message names a path of the machine: %s", run.Error)
	}
}

func TestHandEditsSurvive(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.SetCellStr("Sheet1", "C4", "about 290k")) })
		r.exec("UPDATE cities SET people = people + 1")

		run := r.refresh(Request{})
		r.succeeded(run, 2)
		if diff := cmp.Diff([]int{4}, run.Placements[0].EditedRows); diff != "" {
			t.Errorf("edited rows (-want +got):\n%s", diff)
		}
		if got := r.cells("book.xlsx")[3]; got != "|Bergen|about 290k" {
			t.Errorf("the edited row is %q", got)
		}

		r.failed(r.refresh(Request{Options: onEdit(placements.Stop)}), placements.Conflict, "C4 (people) was edited by hand")
		if got := r.status(); got != placements.Conflicted {
			t.Errorf("status is %s, want CONFLICT", got)
		}

		run = r.refresh(Request{Options: onEdit(placements.Overwrite)})
		r.succeeded(run, 1)
		kept := run.Placements[0].Overwritten
		if len(kept) != 1 || kept[0].Values[1] != "about 290k" {
			t.Errorf("the run keeps %+v, want what was typed", kept)
		}
		if got := r.status(); got != placements.UpToDate {
			t.Errorf("status is %s, want UP_TO_DATE", got)
		}
	})
}

func TestOverwrittenFormulasAreKept(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) {
			must(t, f.SetCellInt("Sheet1", "C3", 6))
			must(t, f.SetCellFormula("Sheet1", "C3", `SUM(A1:A3)&"<""x"">"`))
			kind, area := excelize.STCellFormulaTypeShared, "C4:C5"
			must(t, f.SetCellFormula("Sheet1", "C4", "G4*2", excelize.FormulaOpts{Type: &kind, Ref: &area}))
		})
		run := r.refresh(Request{Options: onEdit(placements.Overwrite)})
		r.succeeded(run, 3)
		want := []record.OverwrittenRow{
			{Row: 3, Values: []any{"Oslo", map[string]any{"formula": `=SUM(A1:A3)&"<""x"">"`, "value": "6"}}},
			{Row: 4, Values: []any{"Bergen", map[string]any{"formula": "=G4*2", "value": "290000"}}},
			{Row: 5, Values: []any{"=1+1", map[string]any{"formula": "=G5*2", "value": 3.0}}},
		}
		if diff := cmp.Diff(want, run.Placements[0].Overwritten); diff != "" {
			t.Errorf("the run keeps (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"|Oslo|700000", "|Bergen|290000", "|=1+1|3"}, r.cells("book.xlsx")[2:5]); diff != "" {
			t.Errorf("the block (-want +got):\n%s", diff)
		}
	})
}

func TestBlockFollowsItsMarker(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Sheet1", 1, 3)) })
		r.exec("UPDATE cities SET people = 1 WHERE name = 'Oslo'")
		r.succeeded(r.refresh(Request{}), 1)
		p := r.placement()
		if p.AnchorCell != "B5" || p.EndResultCell != "C8" {
			t.Errorf("the placement stands at %s:%s, want B5:C8", p.AnchorCell, p.EndResultCell)
		}
		if got := r.cells("book.xlsx")[5]; got != "|Oslo|1" {
			t.Errorf("row 6 is %q", got)
		}
		// An add-in that moves the placement leaves the old marker behind: it must not pull the placement back.
		_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
			ExternalWorkbookID: "book.xlsx", ResultLocation: "Sheet1!H20", PlacementID: p.ID, AddressOnly: true,
		}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
		must(t, err)
		r.succeeded(r.refresh(Request{}), 4)
		if p := r.placement(); p.AnchorCell != "H20" {
			t.Errorf("the placement stands at %s, want H20", p.AnchorCell)
		}
	})
}

func TestFaultsNameTheThing(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		path := filepath.Join(r.dir, "book.xlsx")

		must(t, os.WriteFile(filepath.Join(r.dir, "~$book.xlsx"), nil, 0o600))
		run := r.refresh(Request{})
		r.failed(run, placements.Transient, "book.xlsx")
		if run.State != placements.RunQueued || run.NextAttemptAt == "" {
			t.Errorf("a file open elsewhere leaves the run %s, want QUEUED with its next attempt", run.State)
		}
		if got := r.status(); got != placements.Failed {
			t.Errorf("status is %s, want FAILED while the next attempt is awaited", got)
		}
		must(t, r.engine.queue.Queue.Runs.Stop(t.Context(), r.d, run.ID))
		must(t, os.Remove(filepath.Join(r.dir, "~$book.xlsx")))
		r.workAll()

		whole := r.bytes("book.xlsx")
		must(t, os.WriteFile(path, []byte("no zip"), 0o600))
		r.failed(r.refresh(Request{}), placements.Structure, "book.xlsx")
		must(t, os.Remove(path))
		r.failed(r.refresh(Request{}), placements.Structure, "book.xlsx")
		must(t, os.WriteFile(path, []byte(whole), 0o600))

		r.exec("ALTER TABLE cities RENAME TO towns")
		run = r.refresh(Request{})
		r.failed(run, run.ErrorClass, "no such table: cities")
		if run.State != placements.RunFailed || r.status() != placements.Failed {
			t.Errorf("failing SQL leaves the run %s and the placement %s", run.State, r.status())
		}
		r.exec("ALTER TABLE towns RENAME TO cities")
		r.succeeded(r.refresh(Request{}), 4)
	})
}

// workAll lets an agent work until the queue is empty.
func (r *rig) workAll() {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.engine.Run(ctx) }()
	r.eventually("the queue is empty", func() bool {
		depth, err := r.engine.queue.Queue.Depth(r.Context())
		must(r.T, err)
		return depth == 0
	})
	cancel()
	must(r.T, <-done)
}

// waitLimit bounds every wait of these tests; on a sound machine none comes near it.
const waitLimit = storagetest.Patience

// eventually waits for something that an agent will do.
func (r *rig) eventually(what string, done func() bool) {
	r.Helper()
	for deadline := time.Now().Add(waitLimit); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if done() {
			return
		}
	}
	r.Fatalf("still not so: %s", what)
}

func TestStopEndsARunningRun(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		slow := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT max(i) AS m FROM n"
		_, err := r.engine.records.Reports().Update(t.Context(), r.d, r.report, record.ReportInput{SQLQuery: placements.Sent(slow)},
			record.Actor{ID: 7}, func(*storage.Report) error { return nil })
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.engine.Run(ctx) }()
		run, err := r.engine.Start(t.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report}})
		must(t, err)
		r.eventually("the run is shown on its placement", func() bool { return r.status() == placements.Refreshing })
		must(t, r.engine.queue.Queue.Runs.Stop(t.Context(), r.d, run.ID))
		asked := time.Now()
		r.eventually("the run has ended", func() bool {
			run, err = r.engine.queue.Queue.Runs.Get(t.Context(), r.d, run.ID)
			must(t, err)
			return run.EndedAt != ""
		})
		if run.State != placements.RunStopped {
			t.Errorf("the run is %s, want STOPPED", run.State)
		}
		t.Logf("stopped after %s", time.Since(asked))
		cancel()
		must(t, <-done)
		if got := r.status(); got == placements.Refreshing {
			t.Error("a stopped run leaves its placement REFRESHING")
		}
	})
}

func TestNewerPlacementOwnsTheCells(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		first := r.report
		other, err := r.engine.records.Reports().Create(t.Context(), r.d, record.ReportInput{
			Name: placements.Sent("Other"), SQLQuery: placements.Sent("SELECT 1 AS one"), Source: placements.Sent("SHEETS_B"),
		}, record.Actor{ID: 7})
		must(t, err)
		r.report = other.ID
		r.connect("Sheet1!C3")
		r.report = first
		before := r.bytes("book.xlsx")
		r.exec("UPDATE cities SET people = 0")
		r.failed(r.refresh(Request{}), placements.Conflict, "now owns those cells")
		if r.bytes("book.xlsx") != before {
			t.Error("the older placement was written")
		}
		// Connected again, it is the newer one.
		r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 3)
	})
}

func TestRunInProgress(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		target := record.RunTarget{ReportID: r.report}
		_, err := r.engine.Start(t.Context(), r.d, Request{Target: target})
		must(t, err)
		_, err = r.engine.Start(t.Context(), r.d, Request{Target: target})
		conflict, ok := err.(*placements.Error)
		if !ok || conflict.Code != placements.CodeRunning {
			t.Fatalf("a second run is %v, want run_in_progress", err)
		}
		r.workAll()
		_, err = r.engine.Start(t.Context(), r.d, Request{Target: target})
		must(t, err)
		r.workAll()
	})
}
