package refresh

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// importOld imports two placements that were recorded before ids existed, one of them with only a resultLocation.
func (r *rig) importOld() {
	r.Helper()
	book := placements.Placement{WorkbookID: "book.xlsx", Host: placements.SheetsB}
	whole, bare := book, book
	whole.SheetName, whole.AnchorCell, whole.ResultLocation = "Sheet1", "B2", "Sheet1!B2"
	bare.ResultLocation = "Sheet1!$H$3:I3"
	must(r.T, storagetest.Import(r.Context(), r.engine.records, r.d, r.report, []storage.Placed{{Placement: whole}, {Placement: bare}}))
}

// ids returns the ids of the report's two placements by their anchors, each of which must show that status and, by its last run, that state.
func (r *rig) ids(status placements.Status, state placements.RunState, runID string) map[string]string {
	r.Helper()
	report, err := r.engine.records.Reports().Get(r.Context(), r.d, r.report)
	must(r.T, err)
	ids := map[string]string{}
	for _, p := range report.Placements {
		at, _ := p.Address()
		ids[at.Anchor.String()] = p.ID
		if p.LastRun == nil || p.LastRun.State != state || p.LastRun.RunID != runID {
			r.Errorf("the placement at %s shows the last run %+v, want %s of run %s", at.Anchor, p.LastRun, state, runID)
		}
		if got := placements.SyncStatus(p.Placement, report.CurrentChecksum, p.LastRun); got != status {
			r.Errorf("the placement at %s is %s, want %s", at.Anchor, got, status)
		}
	}
	if len(ids) != 2 || ids["B2"] == "" || ids["H3"] == "" || ids["B2"] == ids["H3"] {
		r.Errorf("the ids are %v, want one for each of two placements", ids)
	}
	return ids
}

// bothShown checks the cells of both blocks, and that each has its marker.
func (r *rig) bothShown(oslo string) {
	r.Helper()
	want := []string{
		"Cities", "|name|people|||", "|Oslo|" + oslo + "|||||name|people", "|Bergen|290000|||||Oslo|" + oslo,
		"|=1+1|3|||||Bergen|290000", "|||||||=1+1|3",
	}
	if diff := cmp.Diff(want, r.cells("book.xlsx")); diff != "" {
		r.Errorf("the sheet (-want +got):\n%s", diff)
	}
	var marked []string
	r.read("book.xlsx", func(f *excelize.File) {
		for _, name := range f.GetDefinedName() {
			if !strings.HasPrefix(name.Name, "_mooring_") || name.Name == "_mooring_" {
				r.Errorf("the workbook has the name %+v", name)
			}
			if !strings.HasPrefix(name.RefersTo, `"`) { // the stamp of a block
				marked = append(marked, strings.ReplaceAll(name.RefersTo, "'", ""))
			}
		}
	})
	slices.Sort(marked)
	if diff := cmp.Diff([]string{"Sheet1!$B$2:$C$5", "Sheet1!$H$3:$I$6"}, marked); diff != "" {
		r.Errorf("marked blocks (-want +got):\n%s", diff)
	}
}

// read looks at a workbook with a library that is not ours.
func (r *rig) read(name string, look func(*excelize.File)) {
	r.Helper()
	f, err := excelize.OpenFile(r.dir + "/" + name)
	must(r.T, err)
	defer f.Close()
	look(f)
}

// disconnectAll disconnects the placements of the report by their ids.
func (r *rig) disconnectAll(ids map[string]string) {
	r.Helper()
	for _, id := range ids {
		who := record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}
		_, removed, err := r.engine.records.Placements().Disconnect(r.Context(), r.d, r.report, placements.Target{PlacementID: id}, who, nil, true)
		if removed == nil || err != nil {
			r.Errorf("the disconnect of %s removed %s, %v", id, removed, err)
		}
	}
}

// moorings lists the keys of placements that a Redis holds.
func moorings(t *testing.T, address string) []string {
	t.Helper()
	rdb := storagetest.Client(t, address)
	var found []string
	for _, pattern := range []string{"*:placements", "*:spots", "*:doc:*", "*:cells:*", "*:rows:*"} {
		keys, err := rdb.Keys(t.Context(), pattern).Result()
		must(t, err)
		found = append(found, keys...)
	}
	return slices.DeleteFunc(found, func(key string) bool { return strings.Contains(key, ":lock:") })
}

func TestPlacementsFromBeforeIDsAreRefreshedLikeAnyOther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		asked  string
		target record.RunTarget
	}{
		{"the report", record.RunTarget{}},
		{"the spreadsheet", record.RunTarget{ExternalWorkbookID: "book.xlsx"}},
	} {
		t.Run(tt.asked, func(t *testing.T) {
			address := storagetest.Redis(t)
			r := newRig(t, storagetest.Open(t, address))
			r.importOld()
			run := r.refresh(Request{Target: tt.target})
			r.succeeded(run, 8)
			ids := r.ids(placements.UpToDate, placements.RunSucceeded, run.ID)
			r.bothShown("700000")
			r.listed(run, ids)

			before := r.bytes("book.xlsx")
			run = r.refresh(Request{Target: tt.target})
			r.succeeded(run, 0)
			if run.HostCalls != 1 || r.bytes("book.xlsx") != before {
				t.Errorf("an unchanged refresh made %d calls, want 1, or changed the file", run.HostCalls)
			}
			if diff := cmp.Diff(ids, r.ids(placements.UpToDate, placements.RunSucceeded, run.ID)); diff != "" {
				t.Errorf("the ids after another run (-before +now):\n%s", diff)
			}

			r.exec("UPDATE cities SET people = 1 WHERE name = 'Oslo'")
			r.succeeded(r.refresh(Request{Target: record.RunTarget{PlacementID: ids["H3"]}}), 1)
			r.succeeded(r.refresh(Request{Target: tt.target}), 1)
			r.bothShown("1")

			r.disconnectAll(ids)
			if left := moorings(t, address); len(left) > 0 {
				t.Errorf("what was disconnected has left %v", left)
			}
		})
	}
}

// listed checks what the history of the report and its events tell of a run on both placements.
func (r *rig) listed(run *record.Run, ids map[string]string) {
	r.Helper()
	history, err := r.engine.queue.Queue.Runs.OfReport(r.Context(), r.d, r.report)
	must(r.T, err)
	if len(history) != 1 || history[0].ID != run.ID || len(history[0].Placements) != 2 {
		r.Fatalf("the history is %+v, want the one run on two placements", history)
	}
	for _, o := range history[0].Placements {
		if o.PlacementID != ids["B2"] && o.PlacementID != ids["H3"] || o.State != placements.RunSucceeded || o.RowsWritten != 4 {
			r.Errorf("the run says %+v, want 4 rows written to one of %v", o, ids)
		}
	}
	events, err := r.engine.queue.Queue.Events.After(r.Context(), r.d, "0-0", 10)
	must(r.T, err)
	var kinds []record.EventType
	for _, e := range events {
		kinds = append(kinds, e.Type)
	}
	want := []record.EventType{record.EventReportChanged, record.EventRunQueued, record.EventRunStarted, record.EventRunSucceeded}
	if diff := cmp.Diff(want, kinds); diff != "" {
		r.Errorf("events (-want +got):\n%s", diff)
	}
}

// dead is an attempt of an agent that dies when it has done as much as works does, and completes nothing.
func (r *rig) dead(works func(a *attempt)) *record.Run {
	r.Helper()
	store := r.engine.records
	must(r.T, store.Work().Queue.Prepare(r.Context()))
	run, err := r.engine.Start(r.Context(), r.d, Request{Target: record.RunTarget{ReportID: r.report}})
	must(r.T, err)
	list, err := store.Work().Queue.Take(r.Context(), "dead", 16, -1)
	must(r.T, err)
	begun, err := store.Work().Queue.Begin(r.Context(), "dead", list[0])
	must(r.T, err)
	a := r.engine.attempts.newAttempt(r.Context(), r.d, begun, document.NewCohort(1)[0])
	a.asker.limit = fault.NewLimit(time.Minute, func() {})
	works(a)
	a.leave() // its lock has run out
	a.asker.limit.Stop()
	return run
}

func TestACrashAfterIDsWereGivenLosesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		at      string
		works   func(t *testing.T, r *rig, a *attempt)
		written int // rows, by the next attempt
	}{
		{"when the ids are given", func(t *testing.T, _ *rig, a *attempt) {
			if fault := a.ledger.load(t.Context()); fault != nil {
				t.Error(fault)
			}
		}, 8},
		{"between the two writes", func(t *testing.T, r *rig, a *attempt) {
			if fault := a.ledger.load(t.Context()); fault != nil {
				t.Error(fault)
			}
			targets := a.ledger.targets()
			targets, err := a.claims.claimed(t.Context(), targets)
			must(t, err)
			r.ids(placements.Refreshing, placements.RunRunning, a.ledger.run.ID)
			if queried, _ := a.asker.query(t.Context(), targets); len(queried) != len(targets) {
				t.Errorf("%d placements have a table, want all: %+v", len(queried), a.ledger.run.Placements)
			}
			if _, err := a.writeDocument(t.Context(), r.engine.sites.Of(r.d.Tenant, targets[0].Placement), targets[:1], time.Minute); err != nil {
				t.Error(err)
			}
		}, 4},
		{"after both writes", func(t *testing.T, r *rig, a *attempt) {
			if fault := a.work(t.Context()); fault != nil {
				t.Error(fault)
			}
			r.ids(placements.Refreshing, placements.RunRunning, a.ledger.run.ID)
			r.bothShown("700000")
		}, 0},
	} {
		t.Run(tt.at, func(t *testing.T) {
			address := storagetest.Redis(t)
			r := newRig(t, storagetest.Open(t, address))
			r.importOld()
			var given []string
			run := r.dead(func(a *attempt) {
				tt.works(t, r, a)
				for _, p := range a.ledger.report.Placements {
					given = append(given, p.ID)
				}
			})
			a := &agent{engine: r.engine, name: "b", slots: make(chan struct{}, 1), work: t.Context()}
			list, err := r.engine.queue.Queue.Orphans(t.Context(), a.name, 0, time.Now().Add(time.Hour), 9)
			must(t, err)
			a.start(t.Context(), list, time.Now())
			a.running.Wait()
			run, err = r.engine.queue.Queue.Runs.Get(t.Context(), r.d, run.ID)
			must(t, err)
			r.succeeded(run, tt.written)
			now := r.ids(placements.UpToDate, placements.RunSucceeded, run.ID)
			for _, id := range now {
				if !slices.Contains(given, id) {
					t.Errorf("the next attempt gave the id %s, where the first one had given %v", id, given)
				}
			}
			r.bothShown("700000")
			r.exec("UPDATE cities SET people = 1 WHERE name = 'Oslo'")
			r.succeeded(r.refresh(Request{}), 2)
			r.bothShown("1")
			r.disconnectAll(now)
			if left := moorings(t, address); len(left) > 0 {
				t.Errorf("what was disconnected has left %v", left)
			}
		})
	}
}
