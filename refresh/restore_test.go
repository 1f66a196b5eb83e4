package refresh

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// putsBack asks for what a run changed to be put back at a placement.
func putsBack(placement, run string) Request {
	return Request{Target: record.RunTarget{PlacementID: placement}, Options: onEdit(placements.Keep), Restores: run}
}

func wantPutBack(t *testing.T, run *record.Run, want record.PutBack) {
	t.Helper()
	if run.State != placements.RunSucceeded || len(run.Placements) != 1 || run.Placements[0].PutBack == nil {
		t.Fatalf("the run is %s (%s), of %+v", run.State, run.Error, run.Placements)
	}
	if diff := cmp.Diff(want, *run.Placements[0].PutBack); diff != "" {
		t.Errorf("put back (-want +got):\n%s", diff)
	}
}

// What a run overwrote comes back into a file, a sheet and a workbook, formulas as formulas, and stays when the source changes; what a person
// typed there since is left.
func TestWhatWasOverwrittenIsPutBack(t *testing.T) {
	t.Parallel()
	eachDocument(t, func(r belowRig) {
		r.place(r.report, "Data!B2", func(*placements.Connection) {})
		must(r.T, faultOf(r.refresh(Request{})))
		r.typed("C3", "=LEN(A1)+2")
		r.typed("C4", "about 290k")
		r.typed("C5", "three")
		over := r.refresh(Request{Options: onEdit(placements.Overwrite)})
		must(r.T, faultOf(over))
		r.typed("C5", "four")
		p := r.placement()
		run := r.refresh(putsBack(p.ID, over.ID))
		wantPutBack(r.T, run, record.PutBack{Cells: 2, Left: 1})
		want := []string{"", "people", "=LEN(A1)+2", "about 290k", "four"}
		if diff := cmp.Diff(want, r.shows(2)[:5]); diff != "" {
			r.Errorf("the column (-want +got):\n%s", diff)
		}
		if e := r.placement().Edits; e == nil || e.Cells != 3 {
			r.Errorf("the edits are %+v", e)
		}
		wantPutBack(r.T, r.refresh(putsBack(p.ID, over.ID)), record.PutBack{Stood: 2, Left: 1})
		r.exec("UPDATE cities SET people = people + 1, name = name || '!'")
		must(r.T, faultOf(r.refresh(Request{})))
		if diff := cmp.Diff(want, r.shows(2)[:5]); diff != "" {
			r.Errorf("the column after a refresh (-want +got):\n%s", diff)
		}
		if got := r.shows(1)[2]; got != "Oslo!" {
			r.Errorf("beside it stands %q", got)
		}
	})
}

// faultOf is why a run failed.
func faultOf(run *record.Run) error {
	if run.State == placements.RunSucceeded {
		return nil
	}
	return fmt.Errorf("run %s is %s: %s", run.ID, run.State, run.Error)
}

func TestAClientPutsBack(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.refreshed()
		p.books.enter("book", 1, 1, checksum.Str("mine"))
		over, _ := p.refreshed(placements.Overwrite)
		p.putsBack = over.ID
		run, _ := p.refreshed(placements.Keep)
		wantPutBack(p.T, run, record.PutBack{Cells: 1})
		p.putsBack = ""
		wantMine := func(when string) {
			if got := p.cells()[[2]int{1, 1}]; got != checksum.Str("mine") {
				p.Errorf("%s stands %+v", when, got)
			}
		}
		wantMine("once it is put back")
		if c, rows := p.changed(0, run.ID); c.Restores != over.ID || c.Restorable != 1 || len(rows) != 1 {
			p.Errorf("the run changed %+v, %+v", c, rows)
		}
		p.tables.change()
		p.agentRuns()
		wantMine("after an agent's refresh")
	})
}

// What was placed over filled cells is undone cell by cell: what was filled comes back, the rest of the block stays.
func TestWhatABlockWasWrittenOverIsPutBack(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.books.enter("book", 0, 0, checksum.Str("head"))
		p.books.enter("book", 2, 1, checksum.Num(5))
		over, _ := p.refreshed(placements.Overwrite)
		c, _ := p.changed(0, over.ID)
		if !c.Over || c.Restorable != 2 {
			p.Errorf("the run changed %+v", c)
		}
		p.putsBack = over.ID
		run, _ := p.refreshed(placements.Keep)
		wantPutBack(p.T, run, record.PutBack{Cells: 2})
		p.putsBack = ""
		p.tables.change()
		p.refreshed()
		want := map[[2]int]checksum.Cell{
			{0, 0}: checksum.Str("head"), {0, 1}: checksum.Str("value"), {1, 0}: checksum.Str("q0"), {1, 1}: checksum.Num(2),
			{2, 0}: checksum.Str("q0'"), {2, 1}: checksum.Num(5),
		}
		if diff := cmp.Diff(want, p.cells()); diff != "" {
			p.Errorf("the sheet (-want +got):\n%s", diff)
		}
	})
}

// An agent that dies once it has put back leaves to the next one nothing to write.
func TestAnAttemptThatDiedHasPutBack(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		d.ask(0, Request{})
		d.work()
		d.books.enter("book", 1, 1, checksum.Str("mine"))
		over := d.ask(0, Request{Options: onEdit(placements.Overwrite)})
		d.work()
		d.succeeded(over)
		id := d.ask(0, putsBack(d.standing(0).ID, over))
		list, err := d.store.Work().Queue.Take(d.Context(), "dead", 16, -1)
		must(t, err)
		begun, err := d.store.Work().Queue.Begin(d.Context(), "dead", list[0])
		must(t, err)
		dead := d.another().attempts.newAttempt(t.Context(), deskDeployment, begun, document.NewCohort(1)[0])
		dead.asker.limit = fault.NewLimit(time.Hour, func() {})
		defer dead.asker.limit.Stop()
		if fault := dead.work(d.Context()); fault != nil {
			t.Fatal(fault)
		}
		dead.leave()
		a := d.agent(d.engine, "a")
		a.start(d.Context(), d.orphans("a"), time.Now())
		a.running.Wait()
		run := d.run(id)
		wantPutBack(t, run, record.PutBack{Stood: 1})
		if e := d.standing(0).Edits; run.RowsWritten != 0 || e == nil || e.Cells != 1 {
			t.Errorf("the second attempt wrote %d rows, and the edits are %+v", run.RowsWritten, e)
		}
		d.tables.change()
		d.ask(0, Request{})
		d.work()
		if got := d.cells()[[2]int{1, 1}]; got != checksum.Str("mine") {
			t.Errorf("after a refresh stands %+v", got)
		}
	})
}

// A run that puts something back, and waits for its document, is not overtaken by a refresh that would not.
func TestWhatIsToBePutBackIsNotTakenOver(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.typeInto("flaky")
		over := s.askAs(editor, flaky, onEdit(placements.Overwrite))
		s.wantRefreshed(over, flaky)
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		run, err := s.engine.Start(s.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: s.reports[0], PlacementID: flaky}, By: record.Actor{ID: 7, Actions: []string{record.ActionAll}},
			Options: onEdit(placements.Keep), Restores: over,
		})
		must(t, err)
		s.wantWaiting(run.ID, flaky, placements.ReasonLocked)
		last := s.ask(0, "", placements.Options{})
		s.wantWaiting(last, flaky, placements.ReasonLocked)
		s.wantWaiting(run.ID, flaky, placements.ReasonLocked)
		s.advance(time.Hour)
		s.wantRefreshed(last, healthy, flaky)
		s.advance(time.Hour) // each is tried again by itself
		done := s.outcome(s.wantRefreshed(run.ID, flaky), flaky)
		// Where the other run is first, the source, which tells the time, has changed what was written.
		if b := done.PutBack; b == nil || b.Cells+b.Left != 2 || s.typed("flaky") != (b.Cells == 2) {
			t.Errorf("put back %+v", b)
		}
	})
}

func TestWhatIsKeptNoMoreIsNotPutBack(t *testing.T) {
	d := newDesk(t, storagetest.Open(t, "embedded"), 1)
	d.ask(0, Request{})
	d.work()
	id := d.ask(0, putsBack(d.standing(0).ID, "NONE"))
	d.work()
	if run := d.run(id); run.ErrorClass != placements.Structure || !strings.Contains(run.Error, "there is nothing to put back") {
		t.Errorf("the run is %s: %s", run.State, run.Error)
	}
}

// Who takes a placement over has nothing put back that was written for the person before; who manages the report does, and its cells are shown
// to neither of those two.
func TestOthersChangesArePutBackByWhoManages(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d := newDesk(t, s, 1)
		d.ask(0, Request{})
		d.work()
		d.books.enter("book", 1, 1, checksum.Str("mine"))
		over := d.ask(0, Request{Options: onEdit(placements.Overwrite)})
		d.work()
		d.succeeded(over)
		d.connectAs(0, "Data!A1", 8)
		r := putsBack(d.standing(0).ID, over)
		r.Target.ReportID = d.reports[0]
		as := func(who record.Actor) *record.Run {
			r.By = who
			run, err := d.engine.Start(t.Context(), deskDeployment, r)
			must(t, err)
			d.work()
			return d.run(run.ID)
		}
		if run := as(record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}); run.ErrorClass != placements.Auth {
			t.Errorf("the next person's run is %s: %s", run.State, run.Error)
		}
		wantPutBack(t, as(record.Actor{ID: 9, Actions: []string{record.ActionAll}}), record.PutBack{Cells: 1})
		if of := d.standing(0).ValuesOf(); of != 0 {
			t.Errorf("user %d sees the values", of)
		}
	})
}

// What a run is to write over is replaced and kept, whatever it says of edits; the next one finds a block that was written.
func TestARunWritesOverWhatIsFilled(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.books.enter("book", 1, 1, checksum.Str("mine"))
		p.writeOver = true
		over, _ := p.refreshed()
		wantReplaced(p.T, over, "mine")
		p.shows(p.report, 1)
		p.books.enter("book", 1, 1, checksum.Str("typed"))
		p.refreshed()
		if got := p.cells()[[2]int{1, 1}]; got != checksum.Str("typed") {
			p.Errorf("the second run wrote %+v over an edit", got)
		}
		p.writeOver, p.putsBack = false, over.ID
		run, _ := p.refreshed(placements.Keep)
		wantPutBack(p.T, run, record.PutBack{Left: 1})
	})
}

// An agent writes over only in a document that counts as theirs who asks.
func TestAnAgentWritesOverInTheDocumentOfWhoAsks(t *testing.T) {
	address := storagetest.Redis(t)
	d, _ := newMirror(t, storagetest.Open(t, address))
	d.address = address
	d.admitted()
	p := d.placeAlone(ann, "foreign", true)
	d.books.enter("foreign", 0, 0, checksum.Str("secret"))
	ask := Request{Target: record.RunTarget{PlacementID: p.ID}, WriteOver: true}
	d.ends(d.refreshed(ann, ask), "FAILED conflict", map[string]string{"foreign": "FAILED conflict"})
	run := d.refreshed(dora, ask)
	d.ends(run, "SUCCEEDED", map[string]string{"foreign": "SUCCEEDED"})
	wantPutBack(t, d.refreshed(ann, putsBack(p.ID, run.ID)), record.PutBack{Cells: 1})
	d.books.mu.Lock()
	defer d.books.mu.Unlock()
	if got := d.books.book("foreign").cells[[2]int{}]; got != checksum.Str("secret") {
		t.Errorf("it holds %+v", got)
	}
}

// A text among numbers is told by its cell, in the run and with the edit, and rows that are only put back in order count as no changed ones.
func TestWhatPeopleMayNotHaveMeantIsTold(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		d.ask(0, Request{})
		d.work()
		d.books.enter("book", 1, 1, checksum.Str("12"))
		id := d.ask(0, Request{})
		d.work()
		if got := d.run(id).Placements[0].Note; got != "B2 is text where numbers are; sums leave it out" {
			t.Errorf("the run says %q", got)
		}
		page, err := d.store.Placements().Edits(t.Context(), deskDeployment, d.reports[0], d.standing(0).ID, "", 10)
		must(t, err)
		if len(page.Items) != 1 || !page.Items[0].TextAmongNumbers {
			t.Errorf("the edits are %+v", page.Items)
		}
		for row, cells := range [][]checksum.Cell{{checksum.Str("q0'"), checksum.Num(-1)}, {checksum.Str("q0"), checksum.Num(1)}} {
			for column, c := range cells {
				d.books.enter("book", row+1, column, c)
			}
		}
		id = d.ask(0, Request{})
		d.work()
		if o := d.run(id).Placements[0]; o.MovedRows != 1 || o.ChangedRows != 0 || o.RowsWritten != 2 || o.Note != "" {
			t.Errorf("the run says %+v", o)
		}
		d.tables.change()
		id = d.ask(0, Request{})
		d.work()
		if o := d.run(id).Placements[0]; o.ChangedRows != 2 {
			t.Errorf("the next run says %+v", o)
		}
	})
}

// A task of which nothing is known, since the storage did not answer when its block was to be read, is told of like any other.
func TestATaskOfWhichNothingIsKnownIsTold(t *testing.T) {
	d := newDesk(t, storagetest.Open(t, "embedded"), 1)
	d.ask(0, Request{})
	list, err := d.store.Work().Queue.Take(d.Context(), "a", 16, -1)
	must(t, err)
	begun, err := d.store.Work().Queue.Begin(d.Context(), "a", list[0])
	must(t, err)
	a := d.engine.attempts.newAttempt(t.Context(), deskDeployment, begun, document.NewCohort(1)[0])
	if f := a.ledger.load(t.Context()); f != nil {
		t.Fatal(f)
	}
	p := a.ledger.report.Placements[0]
	a.tried(&document.Receipt{Task: a.task(p, nil), Err: errDown})
	if o := a.ledger.placementOutcome(p.ID); o.State != placements.RunQueued || o.ErrorClass != placements.Transient {
		t.Errorf("the run says %+v", o)
	}
}
