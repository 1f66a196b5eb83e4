package refresh

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// taken are the ways in which a placement becomes another one while a client refreshes it, and what its next step is told.
var taken = map[string]struct {
	away func(p *pane)
	code placements.Code
}{
	"taken over": {func(p *pane) { p.connectAs(0, "Data!A1", 8) }, placements.CodeNotPlacer},
	"taken over and moved": {func(p *pane) {
		_, err := p.store.Placements().Connect(p.Context(), deskDeployment, p.reports[p.report], placements.Connection{
			ExternalWorkbookID: "book", ResultLocation: "Data!H9", PlacementID: p.id,
		}, record.Actor{ID: 8, Actions: []string{record.ActionAll}}, nil, false)
		must(p.T, err)
	}, placements.CodeNotPlacer},
	"moved":                  {func(p *pane) { p.connectAs(0, "Data!H9", 7) }, placements.CodeLeaseLost},
	"its address sent anew":  {func(p *pane) { p.addressed("book", "Data!H9") }, placements.CodeLeaseLost},
	"to another spreadsheet": {func(p *pane) { p.addressed("other", "Data!A1") }, placements.CodeLeaseLost},
}

// addressed moves the pane's placement, without word of its cells.
func (p *pane) addressed(document, at string) {
	p.Helper()
	_, err := p.store.Placements().Connect(p.Context(), deskDeployment, p.reports[p.report], placements.Connection{
		ExternalWorkbookID: document, ResultLocation: at, PlacementID: p.id, AddressOnly: true,
	}, p.by, nil, false)
	must(p.T, err)
}

// steps are those of a client that has a plan, and of one that has none.
var steps = map[string]func(p *pane, planned *ClientPlan) error{
	"lease": func(p *pane, _ *ClientPlan) error {
		_, err := p.engine.ClientRuns().Renew(p.Context(), p.step())
		return err
	},
	"plan": func(p *pane, _ *ClientPlan) error {
		plan, err := p.engine.ClientRuns().Plan(p.Context(), p.step(), p.sheet(nil))
		if err == nil {
			plan.Close()
		}
		return err
	},
	"complete": func(p *pane, planned *ClientPlan) error { _, err := p.complete(planned); return err },
}

// Whoever takes a placement over, or moves it, ends the run of the client that refreshes it: nothing more is shown and nothing settled, and
// the document is free at once.
func TestAPlacementThatBecomesAnotherEndsTheRunOfItsClient(t *testing.T) {
	t.Parallel()
	for name, row := range taken {
		for step, do := range steps {
			t.Run(name+", "+step, func(t *testing.T) {
				eachPane(t, func(p *pane) {
					must(p.T, p.start())
					plan, err := p.plan()
					must(p.T, err)
					p.write(plan)
					plan.Close()
					row.away(p)
					before := p.placed()
					wantCode(p.T, step, do(p, plan), row.code)
					after := p.placed()
					if diff := cmp.Diff(before.Placement, after.Placement); diff != "" || before.Rev != after.Rev {
						p.Errorf("something was settled (-before +after):\n%s", diff)
					}
					if run := p.desk.run(p.lease.RunID); run.State != placements.RunStopped || run.RowsWritten != 0 {
						p.Errorf("the run is %s, %d rows written", run.State, run.RowsWritten)
					}
					p.lock("book")()
				})
			})
		}
	}
}

// A placement that is taken over while a client asks for its run is not planned for who asked.
func TestARunThatBeganAsItsPlacementWasTakenOver(t *testing.T) {
	for step, do := range steps {
		t.Run(step, func(t *testing.T) {
			eachPane(t, func(p *pane) {
				before := p.placed().Placement
				p.connectAs(0, "Data!A1", 8)
				r := Request{Executor: record.ExecutorClient, By: p.by, Target: record.RunTarget{ReportID: p.reports[0], PlacementID: p.id}}
				lease, err := p.engine.ClientRuns().Start(p.Context(), deskDeployment, r, before)
				must(p.T, err)
				p.lease = lease
				wantCode(p.T, step, do(p, &ClientPlan{}), placements.CodeNotPlacer)
				if run := p.desk.run(p.lease.RunID); run.State != placements.RunStopped {
					p.Fatalf("the run is %s", run.State)
				}
				p.lock("book")()
			})
		})
	}
}

// A placement whose options alone are changed, or that its user connects again where it stands, is the one of before.
func TestAPlacementThatStaysItsUsersGoesOn(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		plan, err := p.plan()
		must(p.T, err)
		p.addressed("book", "Data!A1")
		p.write(plan)
		plan.Close()
		if run, err := p.complete(plan); err != nil || run.State != placements.RunSucceeded {
			p.Errorf("complete: %+v, %v", run, err)
		}
	})
}

// A reader places a report inside another's block and answers for an add-in that there is none: the block is refreshed as before.
func TestAClientRunThatAReaderInventsHindersNoBlock(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		d := newDesk(t, s, 2)
		d.connect(0, "book", "A1")
		first := d.ask(0, Request{})
		d.work()
		p := d.pane(1, false)
		p.disconnect()
		p.by = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
		p.addressed("book", "Data!A2")
		p.invent()
		d.tables.change()
		second := d.ask(0, Request{})
		d.work()
		d.succeeded(first, second)
		d.shows(0, 2)
	})
}

// Of two blocks that are written together for the first time and would take the same cells, what a reader placed gives way, though it was
// placed later.
func TestAReadersBlockGivesWayToOneWrittenWithIt(t *testing.T) {
	for name, parts := range map[string]func(d *desk){
		"in one step": func(*desk) {},
		"in parts":    func(d *desk) { d.engine.attempts.results.Runs.Part = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			address := storagetest.Redis(t)
			d := newDesk(t, storagetest.Open(t, address), 2)
			d.address = address
			d.admitted()
			parts(d)
			p := d.pane(1, false)
			p.disconnect()
			p.by = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
			p.addressed("book", "Data!A2")
			runs := d.askAll()
			d.work()
			if run := d.run(runs[0]); run.State != placements.RunSucceeded {
				t.Errorf("the owner's run is %s (%s: %s)", run.State, run.ErrorClass, run.Error)
			}
			if run := d.run(runs[1]); run.State != placements.RunFailed || run.ErrorClass != placements.Conflict {
				t.Errorf("the reader's run is %s (%s: %s), want a conflict", run.State, run.ErrorClass, run.Error)
			}
		})
	}
}

// invent makes a run of a client that reads and writes nothing.
func (p *pane) invent() {
	p.Helper()
	a, _ := p.placed().Address()
	p.invents(inventedSheet(a))
}

// inventAsPlanned makes one that says its block stands as it is planned, with that stamp.
func (p *pane) inventAsPlanned(stamp string) {
	p.Helper()
	a, _ := p.placed().Address()
	s := inventedSheet(a)
	var cells checksum.Builder
	for _, row := range append(deskTable("q0", 1), make([][]checksum.Cell, s.Extent.Rows-3)...) {
		cells.Append(append(row, make([]checksum.Cell, s.Extent.Columns-len(row))...)...)
	}
	s.Marked, s.Stamp, s.Cells = checksum.Extent{Rows: 3, Columns: 2}, stamp, cells.Grid()
	p.invents(s)
}

// invents makes a run of a client that says a sheet looks so, and writes nothing.
func (p *pane) invents(s Sheet) {
	p.Helper()
	must(p.T, p.start())
	plan, err := p.engine.ClientRuns().Plan(p.Context(), p.step(), s)
	must(p.T, err)
	plan.Close()
	_, err = p.complete(plan)
	must(p.T, err)
}

// A reader answers for an add-in that a report was written over cells that look like it, or over a block whose marker was left behind, and
// asks for a run of an agent: it takes none of them for the report's.
func TestAClientRunThatAReaderInventsProvesNoCells(t *testing.T) {
	reader := record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
	for name, after := range map[string]func(p *pane){
		"nothing": func(*pane) {},
		"a claim": func(p *pane) { p.claim(reader, "Data!A1", "") },
		"a run that finds the stamp of the marker": func(p *pane) {
			p.inventAsPlanned(p.books.book("book").stamps[p.id])
		},
	} {
		for _, marked := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				address := storagetest.Redis(t)
				d := newDesk(t, storagetest.Open(t, address), 1)
				d.address = address
				d.admitted()
				d.books.book("book").stamps = map[string]string{}
				d.ask(0, Request{})
				d.work() // an editor's block, which is left in the sheet
				p := d.pane(0, false)
				p.disconnect()
				if !marked {
					clear(d.books.book("book").markers)
				}
				p.by = reader
				p.claim(reader, "Data!A1", "")
				p.invent()
				after(p)
				d.tables.change()
				d.books.enter("book", 2, 1, checksum.Str("as of then"))
				before := d.cells()
				run, err := d.engine.Start(t.Context(), deskDeployment, Request{
					By: reader, Target: record.RunTarget{ReportID: d.reports[0], PlacementID: p.id}, Options: onEdit(placements.Keep),
				})
				must(t, err)
				d.work()
				if diff := cmp.Diff(before, d.cells()); diff != "" || d.run(run.ID).ErrorClass != placements.Conflict {
					t.Errorf("marked %t: the run is %s (%s), cells (-want +got):\n%s", marked, d.run(run.ID).State, d.run(run.ID).Error, diff)
				}
			})
		}
	}
}

// claim connects the pane's report with data.
func (p *pane) claim(by record.Actor, at, sheetID string) {
	p.Helper()
	_, err := p.store.Placements().Connect(p.Context(), deskDeployment, p.reports[p.report], placements.Connection{
		ExternalWorkbookID: "book", ResultLocation: at, PlacementID: p.id, SheetID: sheetID,
	}, by, nil, false)
	must(p.T, err)
}
