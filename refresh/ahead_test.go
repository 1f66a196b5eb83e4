package refresh

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
)

// keepStamps has the document keep the stamps of blocks from now on.
func (p *pane) keepStamps() {
	p.books.mu.Lock()
	defer p.books.mu.Unlock()
	p.books.book("book").stamps = map[string]string{}
}

// showsWith checks that the block shows a version of the table, and how many cells in it count as a person's.
func (p *pane) showsWith(what string, version int, edits int) {
	p.Helper()
	p.shows(0, version)
	if placed := p.placed(); (placed.Edits != nil) != (edits > 0) || edits > 0 && placed.Edits.Cells != edits {
		p.Errorf("%s: the edits are %+v, want %d", what, placed.Edits, edits)
	}
}

// Rows that a run wrote which the storage has lost are not taken for a person's, whether an agent or an add-in comes next.
func TestASheetAheadOfTheStorage(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.keepStamps()
		p.refreshed()
		snapshot := p.left()
		p.tables.change()
		p.refreshed()
		p.tables.change()
		p.fallsBack(snapshot)
		if run := p.agentRuns(); run.State != placements.RunSucceeded {
			p.Fatalf("an agent: %s %s", run.State, run.Error)
		}
		p.showsWith("an agent", 3, 0)

		snapshot = p.left()
		p.tables.change()
		p.agentRuns()
		p.tables.change()
		p.fallsBack(snapshot)
		if _, plan := p.refreshed(); plan.EditedRows != 0 {
			p.Errorf("an add-in: %d edited rows", plan.EditedRows)
		}
		p.showsWith("an add-in", 5, 0)

		p.fallsBack(snapshot)
		if run := p.agentRuns(); run.State != placements.RunSucceeded || run.RowsWritten != 0 {
			p.Errorf("with nothing to write: %s %s, %d rows", run.State, run.Error, run.RowsWritten)
		}
		p.tables.change()
		p.books.enter("book", 1, 0, checksum.Str("typed"))
		if run := p.agentRuns(); run.State != placements.RunSucceeded {
			p.Errorf("with an edit after that: %s %s", run.State, run.Error)
		}
		if got := p.cells()[[2]int{1, 0}]; got != checksum.Str("typed") || p.placed().Edits == nil {
			p.Errorf("an edit after that became %v, edits %+v", got, p.placed().Edits)
		}
	})
}

// What a person typed into a row since the run that is lost may be Mooring's as well: it is a conflict, and only that row is.
func TestAnEditInASheetAheadOfTheStorage(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.keepStamps()
		p.refreshed()
		snapshot := p.left()
		p.tables.change()
		p.refreshed()
		p.books.enter("book", 1, 1, checksum.Str("typed"))
		p.tables.change()
		p.fallsBack(snapshot)
		const sentence = "A2:B2 in the block at Data!A1 is neither as the storage has it nor as the report: " +
			"the storage is behind the sheet, and has lost the run that wrote there last"
		p.refusedWith(sentence)
		run, _ := p.refreshed(placements.Overwrite)
		if len(run.Placements) != 1 || len(run.Placements[0].Overwritten) != 1 {
			p.Errorf("overwrite kept %+v", run.Placements)
		}
		p.showsWith("overwritten", 3, 0)
	})
}

// The run that is lost may be the first of all, of a placement of which nothing else is known.
func TestAFirstWriteThatTheStorageHasLost(t *testing.T) {
	eachPane(t, func(p *pane) {
		p.keepStamps()
		snapshot := p.left()
		p.refreshed()
		p.tables.change()
		p.fallsBack(snapshot)
		if got := p.left().rows; len(got) > 0 {
			p.Fatalf("%d bytes are remembered", len(got))
		}
		if run := p.agentRuns(); run.State != placements.RunSucceeded {
			p.Fatalf("%s %s", run.State, run.Error)
		}
		p.showsWith("an agent", 2, 0)
	})
}
