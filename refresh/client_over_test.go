package refresh

import (
	"errors"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

// A report is placed for the first time over cells that a person filled, and who placed it has agreed to lose them.
func TestAClientPlacesOverFilledCells(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.books.enter("book", 1, 1, checksum.Str("mine"))
		must(p.T, p.start())
		_, err := p.plan()
		if f, ok := errors.AsType[*placements.Fault](err); !ok || f.Class != placements.Conflict {
			p.Fatalf("the plan: %v", err)
		}
		must(p.T, p.start(placements.Overwrite))
		first, err := p.plan() // and the program refuses to write it, as a cell has just changed
		must(p.T, err)
		first.Close()
		p.books.enter("book", 1, 1, checksum.Str("mine too"))
		plan, err := p.plan()
		must(p.T, err)
		p.write(plan)
		plan.Close()
		run, err := p.complete(plan)
		must(p.T, err)
		wantReplaced(p.T, run, "mine too")
		p.shows(p.report, 1)
	})
}

// The program writes, and dies: what it has replaced stands in the run nonetheless, for the next run finds nothing of it.
func TestWhatAClientReplacedIsKeptThoughItDies(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		end  func(p *pane)
		want placements.RunState
	}{
		"it is heard of no more": {func(p *pane) { p.lapse(); must(p.T, p.start()) }, placements.RunFailed},
		"it stops": {func(p *pane) {
			must(p.T, p.engine.Stop(p.Context(), deskDeployment, p.step().Run))
		}, placements.RunStopped},
	} {
		t.Run(name, func(t *testing.T) {
			eachPane(t, func(p *pane) {
				p.books.enter("book", 1, 1, checksum.Str("mine"))
				must(p.T, p.start(placements.Overwrite))
				lost := p.lease.RunID
				plan, err := p.plan()
				must(p.T, err)
				p.write(plan)
				plan.Close()
				row.end(p)
				run := p.run(lost)
				wantReplaced(p.T, run, "mine")
				if run.State != row.want || run.Placements[0].State != row.want {
					p.Errorf("the run is %s, of its placement %s", run.State, run.Placements[0].State)
				}
			})
		})
	}
}

func wantReplaced(t *testing.T, run *record.Run, value string) {
	t.Helper()
	if len(run.Placements) != 1 || len(run.Placements[0].Overwritten) != 1 {
		t.Fatalf("the run's placements: %+v", run.Placements)
	}
	row := run.Placements[0].Overwritten[0]
	if row.Row != 2 || len(row.Values) != 2 || row.Values[1] != value {
		t.Errorf("replaced: %+v, want %q in row 2", row, value)
	}
}

// A schedule, and a refresh of all places of a report, know nothing of what stands where a block goes.
func TestOnlyWhoAsksForABlockWritesOverFilledCells(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.books.enter("book", 1, 1, checksum.Str("mine"))
		for _, id := range []string{"", p.id} {
			r := Request{By: p.by, Target: record.RunTarget{ReportID: p.reports[p.report], PlacementID: id}}
			r.OnEdit = placements.Sent(placements.Overwrite)
			run, err := p.engine.Execute(p.Context(), deskDeployment, r)
			must(p.T, err)
			if refused := run.ErrorClass == placements.Conflict; refused != (id == "") {
				p.Errorf("of placement %q the run is %s: %s", id, run.State, run.Error)
			}
			if id != "" {
				wantReplaced(p.T, run, "mine")
			}
		}
	})
}
