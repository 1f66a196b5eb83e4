package refresh

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/host/xlsx"
	"mooring/refresh/trace"
	"mooring/storage"
	"mooring/storage/record"
)

// elsewhere is an engine on the same storage whose folder of spreadsheets is another one.
func (r *rig) elsewhere(dir string) *Engine {
	r.Helper()
	h, err := (&xlsx.Config{Dir: dir}).Open(r.Context(), nil)
	must(r.T, err)
	tenants := maps.Clone(r.engine.tenants)
	tenant := tenants["acme"]
	tenant.Hosts = []Spreadsheets{{Kind: placements.SheetsB, Driver: h}}
	tenants["acme"] = tenant
	return New(Config{Store: r.engine.records, Tenants: tenants, Log: slog.New(slog.DiscardHandler)})
}

// A file that was written before is left to the agents that see it, whichever agent takes the run first.
func TestARunIsReleasedByAnAgentThatDoesNotSeeItsFile(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		seeing, blind := r.engine, r.elsewhere(r.TempDir())
		r.engine = blind
		r.failed(r.refresh(Request{}), placements.Structure, "cannot be opened: there is none") // no run is known to have seen it

		r.engine = seeing
		r.succeeded(r.refresh(Request{}), 4)
		r.exec("UPDATE cities SET people = 1 WHERE id = 1")
		r.engine = blind
		run := r.refresh(Request{})
		r.failed(run, placements.Transient, "not in the folder of this agent")
		if run.State != placements.RunQueued || run.NextAttemptAt == "" {
			t.Fatalf("the run is %s, want QUEUED with its next attempt", run.State)
		}
		r.engine = seeing
		r.succeeded(r.ended(run.ID), 1)
	})
}

// So is one of whose cells a placement takes a value since it was written, which are read before all else.
func TestARunWaitsForAFileOfWhoseCellsItKnowsNothing(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		seeing, blind := r.engine, r.elsewhere(r.TempDir())
		fromB2 := func() {
			r.Helper()
			_, err := r.celled("book.xlsx", "Sheet1!B3", "Setup!B2")
			must(r.T, err)
		}
		r.asking(byName, fromCell())
		r.types("book.xlsx", "B2", "Oslo")
		fromB2()
		r.engine = blind
		r.failed(r.refresh(Request{}), placements.Structure, "no sound .xlsx file")

		r.engine = seeing
		r.valued("Sheet1!B3", new("Bergen"))
		r.succeeded(r.refresh(Request{}), 2)
		fromB2()
		r.engine = blind
		run := r.refresh(Request{})
		r.failed(run, placements.Transient, "not in the folder of this agent")
		if run.State != placements.RunQueued || run.NextAttemptAt == "" {
			t.Fatalf("the run is %s, want QUEUED with its next attempt", run.State)
		}
		r.engine = seeing
		if r.succeeded(r.ended(run.ID), 1); r.cell("B4") != "Oslo" {
			t.Errorf("B4 holds %q", r.cell("B4"))
		}
	})
}

// A disk that is not mounted takes the folder with it; what was never written there is a mistake.
func TestAMissingFolderIsWaitedForWhereAFileWasWritten(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		dir := r.TempDir()
		seeing, blind := r.engine, r.elsewhere(dir)
		must(r.T, os.Remove(dir))
		r.engine = blind
		r.failed(r.refresh(Request{}), placements.Structure, "does not exist")

		r.engine = seeing
		r.succeeded(r.refresh(Request{}), 4)
		r.exec("UPDATE cities SET people = 1 WHERE id = 1")
		r.engine = blind
		run := r.refresh(Request{})
		r.failed(run, placements.Transient, "looked for again until")
		if run.State != placements.RunQueued || run.NextAttemptAt == "" {
			t.Fatalf("the run is %s, want QUEUED with its next attempt", run.State)
		}
		r.engine = seeing
		r.succeeded(r.ended(run.ID), 1)
	})
}

// A client that says that an add-in has written the block says nothing of the file that the agent finds: its run fails at once, and is told
// as little as before. What is wrong with the file stands in the log.
func TestAFileThatOnlyAnAddInSaysItHasWrittenIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		var log bytes.Buffer
		r.engine.useLog(slog.New(trace.LogHandler(slog.NewJSONHandler(&log, nil))))
		p := r.connect("Sheet1!B2")
		claim := placements.Rewrite{Target: placements.Target{PlacementID: p.ID}, EndResultCell: "C5"}
		_, err := r.engine.records.Placements().RecordRefresh(r.Context(), r.d, r.report, claim, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil)
		must(r.T, err)
		if r.placement().QueryChecksum == "" {
			r.Fatal("the claim says nothing of the query")
		}
		book := filepath.Join(r.dir, "book.xlsx")
		for wrong, spoil := range map[string]func() error{
			"damaged":        func() error { return os.WriteFile(book, []byte("no workbook"), 0o600) },
			"does not exist": func() error { return os.Remove(book) },
		} {
			log.Reset()
			must(r.T, spoil())
			run := r.refresh(Request{})
			r.failed(run, placements.Structure, "no sound .xlsx file")
			r.failed(run, placements.Structure, "save it as .xlsx without a password")
			if run.State != placements.RunFailed || strings.Contains(run.Error, wrong) {
				r.Errorf("the run is %s: %s", run.State, run.Error)
			}
			lines := told(r.T, &log, "spreadsheet cannot be opened")
			if len(lines) != 1 || lines[0]["document"] != "book.xlsx" || lines[0]["run"] != run.ID || !strings.Contains(fmt.Sprint(lines[0]["fault"]), wrong) {
				r.Errorf("%s: the log says %v", wrong, lines)
			}
			must(r.T, os.WriteFile(book, nil, 0o600)) // to be spoilt again
		}
	})
}

// byAddIn has an add-in refresh p in a document whose cells it says are empty.
func (r *rig) byAddIn(p placements.Placement) {
	r.Helper()
	by := record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}
	req := Request{Executor: record.ExecutorClient, By: by, Target: record.RunTarget{ReportID: r.report, PlacementID: p.ID}}
	lease, err := r.engine.ClientRuns().Start(r.Context(), r.d, req, p)
	must(r.T, err)
	run, err := r.engine.queue.Queue.Runs.Get(r.Context(), r.d, lease.RunID)
	must(r.T, err)
	step := ClientStep{Deployment: r.d, Run: run, Fence: lease.Fence, By: by}
	anchor := placements.Anchor{Row: 1, Column: 1}
	plan, err := r.engine.ClientRuns().Plan(r.Context(), step, Sheet{Name: "Sheet1", Anchor: anchor, Extent: checksum.Extent{Rows: 50, Columns: 10}})
	must(r.T, err)
	plan.Close()
	run, err = r.engine.ClientRuns().Complete(r.Context(), step, plan.Checksum, Uncovered{})
	must(r.T, err)
	if run.State != placements.RunSucceeded {
		r.Fatalf("the add-in's run is %s: %s", run.State, run.Error)
	}
}

// An add-in may say of any name that it has that document open: what it has written does not show that an agent has seen the file. What an
// agent has written does, whatever client writes after it.
func TestAFileThatAnAddInHasWrittenIsNotKnownToAgents(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connectTo("other.xlsx", "Sheet1!B2")
		r.byAddIn(p)
		run := r.refresh(Request{})
		r.failed(run, placements.Structure, "no sound .xlsx file")
		if run.State != placements.RunFailed {
			r.Errorf("the run is %s: %s", run.State, run.Error)
		}
		r.edit("other.xlsx", func(*excelize.File) {})
		if run = r.refresh(Request{}); run.State != placements.RunSucceeded {
			r.Errorf("the run is %s: %s", run.State, run.Error)
		}
		r.byAddIn(r.placement().Placement)
		must(r.T, os.Remove(filepath.Join(r.dir, "other.xlsx")))
		r.failed(r.refresh(Request{}), placements.Transient, "not in the folder of this agent")
	})
}

// A block that moves within its document is in the one that an agent has had open.
func TestAPlacementThatMovesInItsDocumentWaitsForItsFile(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.move(p, "book.xlsx", "Sheet1!H2")
		must(r.T, os.Remove(filepath.Join(r.dir, "book.xlsx")))
		r.failed(r.refresh(Request{}), placements.Transient, "not in the folder of this agent")
	})
}

// A block that leaves for another document takes no right to know of files with it.
func TestAPlacementThatMovesLearnsOfNoFile(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		p := r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.move(p, "other.xlsx", "Sheet1!B2")
		run := r.refresh(Request{})
		r.failed(run, placements.Structure, "no sound .xlsx file")
		if run.State != placements.RunFailed {
			r.Errorf("the run is %s: %s", run.State, run.Error)
		}
	})
}

// ended lets an agent work until a run has ended.
func (r *rig) ended(id string) (run *record.Run) {
	r.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	done := make(chan error, 1)
	go func() { done <- r.engine.Run(ctx) }()
	r.eventually("the run has ended", func() (ended bool) {
		var err error
		run, err = r.engine.queue.Queue.Runs.Get(r.Context(), r.d, id)
		must(r.T, err)
		return run.EndedAt != ""
	})
	cancel()
	must(r.T, <-done)
	return run
}

func TestAFileThatStaysAwayFailsItsRun(t *testing.T) {
	missing := &placements.Fault{Class: placements.Structure, Message: "does not exist", Err: fs.ErrNotExist}
	for _, tc := range []struct {
		fact  string
		after time.Duration // since the first attempt
		never bool          // no agent wrote the block
		fault *placements.Fault
		alone bool
		want  placements.Class
	}{
		{"at first it may be another agent's", 0, false, missing, false, placements.Transient},
		{"so it may be for a day", fault.WaitingLimit - time.Minute, false, missing, false, placements.Transient},
		{"then it is gone", fault.WaitingLimit + time.Second, false, missing, false, placements.Structure},
		{"what was never written may never have been there", 0, true, missing, false, placements.Structure},
		{
			"a sheet that is missing is so for all agents", 0, false, &placements.Fault{Class: placements.Structure}, false,
			placements.Structure,
		},
		{"a run that is worked on here alone is left to no other agent", 0, false, missing, true, placements.Structure},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			start := time.Now().Truncate(time.Millisecond)
			waiting := placements.LastRun{State: placements.RunQueued, Reason: placements.ReasonMissing, Since: placements.Time(start)}
			p := storage.Placed{Placement: placements.Placement{ID: "p", WorkbookID: "book.xlsx"}, LastRun: &waiting}
			a := &attempt{ledger: &ledger{
				report: &storage.Report{Placements: []storage.Placed{p}},
				run:    &record.Run{StartedAt: placements.Time(start)}, begun: start.Add(tc.after), started: time.Now(),
				alone: tc.alone,
			}}
			out := &document.Receipt{Task: &document.Task{Placement: p}, Opened: !tc.never, Err: tc.fault}
			if got := a.ledger.faultOfTask(out); got.Class != tc.want {
				t.Errorf("%s: %s, want %s", got.Class, got.Message, tc.want)
			}
		})
	}
}
