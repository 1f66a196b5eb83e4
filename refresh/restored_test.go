package refresh

import (
	"errors"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/work"
)

// left is what a run left of the pane's block.
type left struct {
	placed storage.Placed
	rows   []byte
}

func (p *pane) left() left {
	p.Helper()
	placed := p.placed()
	blocks, err := p.store.Work().Blocks(p.Context(), "acme", []work.BlockQuery{{Deployment: deskDeployment, ReportID: p.reports[p.report], Known: placed}})
	must(p.T, err)
	return left{placed, blocks[0].Rows.Completed}
}

const restoredAt = "2026-03-02T07:00:00.000Z"

// restores puts what an earlier run left in the place of what is recorded, as the restore of a backup does.
func (p *pane) restores(l left) {
	p.Helper()
	l.placed.RestoredAt = restoredAt
	p.fallsBack(l)
	if got := p.placed().RestoredAt; got != restoredAt {
		p.Fatalf("restored at %q", got)
	}
}

// fallsBack puts what an earlier run left in the place of what is recorded, as a storage does that has lost its last seconds.
func (p *pane) fallsBack(l left) {
	p.Helper()
	must(p.T, p.start())
	resumed, err := p.engine.clients.resume(p.Context(), p.step())
	must(p.T, err)
	begun := resumed.ledger.claim
	begun.Run.State = placements.RunSucceeded
	one := work.PlacementOutcome{Placement: l.placed.Placement, Before: p.placed(), Rows: l.rows, Written: true}
	one.LastRun = placements.LastRun{RunID: begun.Run.ID, State: placements.RunSucceeded}
	must(p.T, p.engine.queue.Complete(p.Context(), begun, work.Outcome{Placements: []work.PlacementOutcome{one}}))
}

// refused makes a run of an agent and of an add-in, neither of which may write, and which leave the mark of a restored placement.
func (p *pane) refused(sentence string) {
	p.Helper()
	p.refusedWith(sentence)
	if p.placed().RestoredAt == "" {
		p.Error("a run that failed cleared the mark")
	}
}

// refusedWith makes a run of an agent and of an add-in, neither of which may write.
func (p *pane) refusedWith(sentence string) {
	p.Helper()
	before := p.cells()
	for what, message := range map[string]string{"an agent": p.agentRuns().Error, "an add-in": p.clientFault()} {
		if !strings.Contains(message, sentence) {
			p.Errorf("%s: %q, want %q", what, message, sentence)
		}
	}
	for at, cell := range p.cells() {
		if before[at] != cell {
			p.Errorf("the cell at %v became %v", at, cell)
		}
	}
}

// clientFault is the message of the conflict that the pane's plan is.
func (p *pane) clientFault() string {
	p.Helper()
	must(p.T, p.start())
	_, err := p.plan()
	fault, ok := errors.AsType[*placements.Fault](err)
	if !ok || fault.Class != placements.Conflict {
		p.Fatalf("the plan: %v", err)
	}
	return fault.Message
}

func TestARestoredBlockIsNotKeptForAPersons(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.refreshed()
		backup := p.left()
		p.tables.change()
		p.refreshed() // which the backup does not know
		p.books.enter("book", 1, 1, checksum.Str("typed"))
		p.tables.change()
		p.restores(backup)
		p.refused("A2:B3 in the block at Data!A1 are neither as the backup has them nor as the report: the placement was restored at " + restoredAt)
		run, _ := p.refreshed(placements.Overwrite)
		p.shows(0, 3)
		if len(run.Placements) != 1 || len(run.Placements[0].Overwritten) != 2 {
			p.Errorf("overwrite kept %+v", run.Placements)
		}
		if p.placed().RestoredAt != "" {
			p.Error("a run that succeeded left the mark")
		}
		p.books.enter("book", 1, 1, checksum.Str("typed"))
		p.refreshed()
		if got := p.cells()[[2]int{1, 1}]; got != checksum.Str("typed") {
			p.Errorf("an edit after that became %v", got)
		}
	})
}

// Where nothing was written since the backup, or nothing else than what the source has, a run goes on as if nothing had been.
func TestARestoredBlockThatHoldsNothingElse(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.refreshed()
		backup := p.left()
		p.tables.change()
		p.restores(backup)
		if run := p.agentRuns(); run.State != placements.RunSucceeded || p.placed().RestoredAt != "" {
			p.Errorf("%s %s, restored at %q", run.State, run.Error, p.placed().RestoredAt)
		}
		p.shows(0, 2)
		p.restores(backup)
		if run := p.agentRuns(); run.State != placements.RunSucceeded || run.RowsWritten != 0 || p.placed().RestoredAt != "" {
			p.Errorf("%s %s, %d rows written, restored at %q", run.State, run.Error, run.RowsWritten, p.placed().RestoredAt)
		}
		p.shows(0, 2)
	})
}
