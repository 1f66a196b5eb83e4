package refresh

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func eachDesk(t *testing.T, reports int, test func(d *desk)) {
	t.Helper()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) { test(newDesk(t, s, reports)) })
}

func TestTenReportsOfADocumentAreWrittenOnce(t *testing.T) {
	t.Parallel()
	eachDesk(t, 10, func(d *desk) {
		d.tables.lag = map[string]time.Duration{"q3": 300 * time.Millisecond}
		runs := d.askAll()
		d.work()
		d.succeeded(runs...)
		if got := d.books.count("book"); got != [4]int{1, 1, 1, 10} {
			d.Errorf("opened, read, written and blocks written: %v, want once and 10 blocks", got)
		}
		for i := range 10 {
			d.shows(i, 1)
		}
		d.work()
		runs = d.askAll()
		d.work()
		d.succeeded(runs...)
		if got := d.books.count("book"); got != [4]int{2, 2, 1, 10} {
			d.Errorf("unchanged, the document was %v times opened, read, written", got)
		}
	})
}

func TestTwoAgentsOnOneDocumentWaitForEachOther(t *testing.T) {
	eachDesk(t, 10, func(d *desk) {
		runs := d.askAll()
		a, b := d.agent(d.engine, "a"), d.agent(d.another(), "b")
		for range 5 {
			list, err := d.store.Work().Queue.Take(d.Context(), a.name, 1, -1)
			must(t, err)
			a.start(d.Context(), list, time.Now())
		}
		d.take(b, 32)
		a.running.Wait()
		b.running.Wait()
		d.succeeded(runs...)
		for i := range 10 {
			d.shows(i, 1)
		}
		if d.tables.asked != 10 {
			d.Errorf("%d queries, want each report's once", d.tables.asked)
		}
	})
}

func TestRunsOfOnePlacementDecideOneAfterTheOther(t *testing.T) {
	t.Parallel()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		r := newRig(t, s)
		p := r.connect("Sheet1!B2")
		r.succeeded(r.refresh(Request{}), 4)
		r.edit("book.xlsx", func(f *excelize.File) { must(t, f.InsertRows("Sheet1", 1, 3)) })
		r.exec("INSERT INTO cities VALUES (4, 'Tromsø', 78000)")
		var runs []string
		for _, target := range []record.RunTarget{{}, {PlacementID: p.ID}, {ExternalWorkbookID: "book.xlsx"}} {
			target.ReportID = r.report
			run, err := r.engine.Start(t.Context(), r.d, Request{Target: target, By: record.Actor{ID: 7}})
			must(t, err)
			runs = append(runs, run.ID)
		}
		r.workAll()
		rows := 0
		for _, id := range runs {
			run, err := s.Queue().Runs.Get(t.Context(), r.d, id)
			must(t, err)
			if run.State != placements.RunSucceeded || run.Attempt != 1 {
				t.Errorf("run %s is %s after attempt %d: %s", id, run.State, run.Attempt, run.Error)
			}
			rows += run.RowsWritten
		}
		if rows != 1 {
			t.Errorf("the runs wrote %d rows, want the new one once", rows)
		}
		want := []string{"", "", "", "Cities", "|name|people|||", "|Oslo|700000", "|Bergen|290000", "|=1+1|3", "|Tromsø|78000"}
		if diff := cmp.Diff(want, r.cells("book.xlsx")); diff != "" {
			t.Errorf("the sheet (-want +got):\n%s", diff)
		}
		if p := r.placement(); p.AnchorCell != "B5" || p.EndResultCell != "C9" {
			t.Errorf("the placement stands at %s:%s, want B5:C9", p.AnchorCell, p.EndResultCell)
		}
	})
}

func TestOneBlocksConflictDoesNotHoldUpTheOthers(t *testing.T) {
	eachDesk(t, 3, func(d *desk) {
		d.askAll()
		d.work()
		d.books.enter("book", 1, 3, checksum.Str("mine"))
		d.tables.change()
		first, edited, last := d.ask(0, Request{}), d.ask(1, Request{Options: onEdit(placements.Stop)}), d.ask(2, Request{})
		d.work()
		if run := d.run(edited); run.State != placements.RunFailed || run.ErrorClass != placements.Conflict {
			d.Errorf("the run on the edited block is %s (%s)", run.State, run.ErrorClass)
		}
		for _, id := range []string{first, last} {
			if run := d.run(id); run.State != placements.RunSucceeded || run.RowsWritten != 2 {
				d.Errorf("run %s is %s with %d rows: %s", id, run.State, run.RowsWritten, run.Error)
			}
		}
		if got := d.books.count("book"); got != [4]int{2, 2, 2, 5} {
			d.Errorf("the document was %v times opened, read, written, in blocks", got)
		}
	})
}

func TestARefusedWriteFailsOnlyWhatIsRefused(t *testing.T) {
	for _, tt := range []struct {
		class  placements.Class
		others placements.RunState
	}{
		{placements.Structure, placements.RunSucceeded},
		{placements.Conflict, placements.RunSucceeded},
		{placements.Permanent, placements.RunSucceeded},
		{placements.Transient, placements.RunQueued},
		{placements.Quota, placements.RunQueued},
		{placements.Auth, placements.RunSucceeded},
	} {
		t.Run(string(tt.class), func(t *testing.T) {
			d := newDesk(t, storagetest.Open(t, "embedded"), 3)
			runs := d.askAll()
			d.books.refuse = func(p host.Patch) *placements.Fault {
				if p.Block.Anchor.Column != 3 {
					return nil
				}
				return &placements.Fault{Class: tt.class, Message: "no"}
			}
			d.work()
			for i, id := range runs {
				run := d.run(id)
				if i == 1 && run.ErrorClass != tt.class {
					t.Errorf("the refused run is %s (%s)", run.State, run.ErrorClass)
				}
				if i != 1 && run.State != tt.others {
					t.Errorf("run %d is %s (%s: %s), want %s", i, run.State, run.ErrorClass, run.Error, tt.others)
				}
			}
		})
	}
}

// lock takes the document as another agent would.
func (d *desk) lock(document string) (release func()) {
	d.Helper()
	_, _, release, err := d.store.Work().LockDocument(d.Context(), deskDeployment.Tenant, document)
	must(d.T, err)
	return sync.OnceFunc(release)
}

// waiting waits until so many jobs wait for the document.
func (d *desk) waiting(e *Engine, jobs int) {
	d.Helper()
	d.eventually("the runs wait for the document", func() bool { return e.attempts.gathering.Waiting() == jobs })
}

func TestARunThatIsStoppedWhileItWaitsWritesNothing(t *testing.T) {
	t.Parallel()
	eachDesk(t, 2, func(d *desk) {
		release := d.lock("book")
		defer release()
		stopped, other := d.ask(0, Request{}), d.ask(1, Request{})
		a := d.agent(d.engine, "a")
		d.take(a, 32)
		d.waiting(d.engine, 2)
		must(t, d.store.Queue().Runs.Stop(d.Context(), deskDeployment, stopped))
		d.eventually("the run has ended although the document is locked",
			func() bool { return d.run(stopped).State == placements.RunStopped })
		release()
		a.running.Wait()
		d.succeeded(other)
		if got := d.books.count("book"); got != [4]int{1, 1, 1, 1} {
			d.Errorf("the document was %v times opened, read, written, in blocks", got)
		}
		report, err := d.store.Reports().Get(d.Context(), deskDeployment, d.reports[0])
		must(t, err)
		if run := report.Placements[0].LastRun; run.State != placements.RunStopped {
			d.Errorf("the placement of the stopped run shows it as %s", run.State)
		}
	})
}

func TestARunThatAnotherAgentHasTakenIsNotWrittenHere(t *testing.T) {
	eachDesk(t, 2, func(d *desk) {
		release := d.lock("book")
		defer release()
		lost, other := d.ask(0, Request{}), d.ask(1, Request{})
		a := d.agent(d.engine, "a")
		d.take(a, 32)
		d.waiting(d.engine, 2)
		for _, e := range d.orphans("b") {
			if e.RunID == lost {
				_, err := d.store.Work().Queue.Begin(d.Context(), "b", e)
				must(t, err)
			}
		}
		release()
		a.running.Wait()
		if run := d.run(other); run.State != placements.RunSucceeded {
			d.Errorf("the other run is %s: %s", run.State, run.Error)
		}
		if run := d.run(lost); run.State != placements.RunRunning || run.Attempt != 2 {
			d.Errorf("the run that was lost is %s, attempt %d", run.State, run.Attempt)
		}
		if got := d.books.count("book"); got[3] != 1 {
			d.Errorf("%d blocks were written, want that of the other run", got[3])
		}
	})
}

// orphans claims every entry that one agent holds for another.
func (d *desk) orphans(agent string) []queue.Entry {
	d.Helper()
	list, err := d.store.Work().Queue.Orphans(d.Context(), agent, 0, time.Now().Add(time.Hour), 100)
	must(d.T, err)
	return list
}

func TestAnAgentThatDrainsHandsBackWhatWaits(t *testing.T) {
	eachDesk(t, 2, func(d *desk) {
		release := d.lock("book")
		defer release()
		runs := d.askAll()
		work, drain := context.WithCancelCause(d.Context())
		a := d.agent(d.engine, "a")
		a.work = work
		d.take(a, 32)
		d.waiting(d.engine, 2)
		drain(errDraining)
		a.running.Wait()
		for _, id := range runs {
			if run := d.run(id); run.State != placements.RunQueued || run.ErrorClass != "" {
				d.Errorf("run %s is %s (%s: %s), want it back in the queue", id, run.State, run.ErrorClass, run.Error)
			}
		}
		d.quiet()
		if !d.engine.attempts.gathering.Idle() {
			d.Error("somebody still works on the document")
		}
	})
}

// TestWaitingForADocumentIsNoFailure: the query and a short wait are beyond the limit of a run, which bounds its work only.
func TestWaitingForADocumentIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, storagetest.Open(t, "embedded"), 2)
		d.engine.attempts.runLimit = 35 * time.Second
		d.tables.lag = map[string]time.Duration{"q0": 30 * time.Second, "q1": 30 * time.Second}
		release := d.lock("book")
		runs := d.askAll()
		a := d.agent(d.engine, "a")
		d.take(a, 32)
		time.Sleep(38 * time.Second)
		release()
		a.running.Wait()
		d.succeeded(runs...)
		if d.tables.asked != 2 {
			t.Errorf("%d queries, want each once", d.tables.asked)
		}
		if got := d.books.count("book"); got != [4]int{1, 1, 1, 2} {
			t.Errorf("the document was %v times opened, read, written, in blocks", got)
		}
	})
}

func TestARunThatWorksTooLongEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, storagetest.Open(t, "embedded"), 1)
		d.tables.lag = map[string]time.Duration{"q0": 10 * time.Minute}
		d.books.writing = func() { time.Sleep(6 * time.Minute) }
		runs := d.askAll()
		d.work()
		if run := d.run(runs[0]); run.State != placements.RunFailed || run.ErrorClass != placements.Transient {
			t.Errorf("16 minutes of work leave the run %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
		if got := d.books.count("book"); got[2] != 0 {
			t.Error("the write went on although nobody wanted it any more")
		}
		time.Sleep(6 * time.Minute) // it was left behind, and comes back
	})
}

func TestABatchGathersItsCohort(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lag    time.Duration // of one query
		writes int
		after  time.Duration // all is written
	}{
		{"a query that takes its time is waited for", 9 * time.Second, 1, 9 * time.Second},
		{"one that takes too long is not", 12 * time.Second, 2, 12 * time.Second},
		{"nobody waits without a reason", 0, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newDesk(t, storagetest.Open(t, "embedded"), 3)
				d.connect(2, "book to come", "A1") // its other placement, which is written later
				d.tables.lag = map[string]time.Duration{"q1": tt.lag}
				runs := d.askAll()
				began := time.Now()
				d.work()
				d.succeeded(runs...)
				if got := d.books.count("book"); got[2] != tt.writes || got[3] != 3 {
					t.Errorf("%d blocks in %d writes, want 3 in %d", got[3], got[2], tt.writes)
				}
				if took := time.Since(began); took > tt.after+100*time.Millisecond {
					t.Errorf("it took %s, want %s", took, tt.after)
				}
			})
		})
	}
}

func TestAPlacementIsDecidedOnWhenItsDocumentIsLocked(t *testing.T) {
	eachDesk(t, 4, func(d *desk) {
		release := d.lock("book")
		defer release()
		gone, all := d.placement(0), d.placement(1)
		runs := []string{
			d.ask(0, Request{Target: record.RunTarget{PlacementID: gone.ID}}), d.ask(1, Request{}),
			d.ask(2, Request{}), d.ask(3, Request{}),
		}
		a := d.agent(d.engine, "a")
		d.take(a, 32)
		d.waiting(d.engine, 4)
		d.disconnect(0, gone)
		d.disconnect(1, all)
		d.move(2, "book", "J20")
		d.move(3, "another book", "A1")
		release()
		a.running.Wait()
		if run := d.run(runs[0]); run.State != placements.RunFailed || run.ErrorClass != placements.Structure {
			d.Errorf("the run on the placement that is gone is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
		for _, id := range runs[1:] {
			if run := d.run(id); run.State != placements.RunSucceeded {
				d.Errorf("run %s is %s (%s: %s)", id, run.State, run.ErrorClass, run.Error)
			}
		}
		if got := d.books.count("book"); got[3] != 1 {
			d.Errorf("%d blocks were written to the document, want the one that moved within it", got[3])
		}
		d.books.mu.Lock()
		defer d.books.mu.Unlock()
		if got := d.books.book("book").cells[[2]int{19, 9}]; got != checksum.Str("key") {
			d.Errorf("J20 holds %v", got)
		}
		if got := d.books.book("another book").cells[[2]int{0, 0}]; got != checksum.Str("key") {
			d.Errorf("A1 of the other document holds %v", got)
		}
	})
}

func (d *desk) placement(i int) storage.Placed {
	d.Helper()
	report, err := d.store.Reports().Get(d.Context(), deskDeployment, d.reports[i])
	must(d.T, err)
	return report.Placements[0]
}

func (d *desk) disconnect(i int, p storage.Placed) {
	d.Helper()
	_, _, err := d.store.Placements().Disconnect(d.Context(), deskDeployment, d.reports[i], placements.Target{PlacementID: p.ID},
		record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
	must(d.T, err)
}

func (d *desk) move(i int, document, cell string) {
	d.Helper()
	_, err := d.store.Placements().Connect(d.Context(), deskDeployment, d.reports[i], placements.Connection{
		ExternalWorkbookID: document, ResultLocation: "Data!" + cell, PlacementID: d.placement(i).ID, AddressOnly: true,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, false)
	must(d.T, err)
}

func TestBlocksThatGrowIntoTheSameCells(t *testing.T) {
	eachDesk(t, 0, func(d *desk) {
		for i, cell := range []string{"A1", "C1"} { // one is three columns wide, and the other stands on the third
			report, err := d.store.Reports().Create(d.Context(), deskDeployment, record.ReportInput{
				Name: placements.Sent("Report"), SQLQuery: placements.Sent("wide"), Source: placements.Sent("SHEETS_B"),
			}, record.Actor{ID: 7})
			must(t, err)
			d.reports = append(d.reports, report.ID)
			d.connect(i, "book", cell)
		}
		d.tables.wide = true
		runs := d.askAll()
		d.work()
		if run := d.run(runs[0]); run.ErrorClass != placements.Conflict {
			d.Errorf("the older one is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
		if run := d.run(runs[1]); run.State != placements.RunSucceeded {
			d.Errorf("the newer one is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
		}
	})
}

func TestARunOfSeveralDocumentsThatDiesBetweenThemGoesOn(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		d.connect(0, "another book", "A1")
		id := d.ask(0, Request{})
		list, err := d.store.Work().Queue.Take(d.Context(), "dead", 16, -1)
		must(t, err)
		begun, err := d.store.Work().Queue.Begin(d.Context(), "dead", list[0])
		must(t, err)
		dead := d.another().attempts.newAttempt(t.Context(), deskDeployment, begun, document.NewCohort(1)[0])
		dead.asker.limit = fault.NewLimit(time.Hour, func() {})
		defer dead.asker.limit.Stop()
		dies := errors.New("dies")
		d.books.writing = func() {
			if got := d.books.count("book")[2] + d.books.count("another book")[2]; got == 1 {
				panic(dies)
			}
		}
		if dead.work(d.Context()); dead.ledger.fault == nil {
			t.Fatal("the attempt did not die")
		}
		dead.leave()
		d.books.writing = nil
		halfway := d.run(id)
		if halfway.State != placements.RunRunning || len(halfway.Placements) != 1 || halfway.Placements[0].RowsWritten != 3 {
			t.Errorf("when it died the run was %s with %+v, want what it had written to one document", halfway.State, halfway.Placements)
		}

		a := d.agent(d.engine, "a")
		a.start(d.Context(), d.orphans("a"), time.Now())
		a.running.Wait()
		run := d.run(id)
		if run.State != placements.RunSucceeded || run.RowsWritten != 6 || len(run.Placements) != 2 {
			t.Errorf("the run is %s with %d rows written: %+v", run.State, run.RowsWritten, run.Placements)
		}
		for _, document := range []string{"book", "another book"} {
			if got := d.books.count(document); got[2] != 1 {
				t.Errorf("%s was written %d times, want once", document, got[2])
			}
		}
		report, err := d.store.Reports().Get(d.Context(), deskDeployment, d.reports[0])
		must(t, err)
		for _, p := range report.Placements {
			if p.LastRun.State != placements.RunSucceeded || p.QueryChecksum != report.CurrentChecksum {
				t.Errorf("the placement in %s is %+v", p.WorkbookID, p.LastRun)
			}
		}
		if report.RefreshedBy != 7 {
			t.Error("the report does not show who refreshed it")
		}
	})
}
