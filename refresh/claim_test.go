package refresh

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

// tells has a user say of the i-th report's block that its cells were written.
func (d *desk) tells(i int, by record.Actor, end string, sum *checksum.ResultChecksum) {
	d.Helper()
	w := placements.Rewrite{Target: placements.Target{PlacementID: d.standing(i).ID}, EndResultCell: end, ResultChecksum: sum}
	_, err := d.store.Placements().RecordRefresh(d.Context(), deskDeployment, d.reports[i], w, by, nil)
	must(d.T, err)
}

// anyReader may read every report, and placed none.
var anyReader = record.Actor{ID: 666, Actions: []string{record.ActionReportRead}}

// A reader's word on another's block does not take from it what was typed there.
func TestWhatAReaderTellsLeavesTypedCells(t *testing.T) {
	eachDesk(t, 1, func(d *desk) {
		d.ask(0, Request{})
		d.work()
		sum := d.books.book("book").table(placements.Anchor{}, checksum.Extent{Rows: 3, Columns: 2}).Checksum()
		d.tells(0, record.Actor{ID: 7}, "B3", &sum)
		d.books.enter("book", 1, 1, checksum.Str("typed"))
		d.tells(0, anyReader, "", nil)
		d.tables.version++
		id := d.ask(0, Request{})
		d.work()
		if run := d.run(id); d.cells()[[2]int{1, 1}] != checksum.Str("typed") || run.ErrorClass != placements.Conflict {
			d.Errorf("B2 is %+v, the run %s %s (%s)", d.cells()[[2]int{1, 1}], run.State, run.ErrorClass, run.Error)
		}
	})
}

// What a reader tells of the block between the plan of an add-in's run and its end is no reason not to record what was written.
func TestAClientRunIsRecordedWhateverAReaderTellsMeanwhile(t *testing.T) {
	eachPane(t, func(p *pane) {
		for range 2 { // the first write of the block, and another
			must(p.T, p.start())
			plan, err := p.plan()
			must(p.T, err)
			p.write(plan)
			plan.Close()
			p.tells(0, anyReader, "Z99", &checksum.ResultChecksum{V: 2})
			_, err = p.complete(plan)
			must(p.T, err)
			if now := p.placed(); now.EndResultCell != "B3" || now.RefreshedByUserID != 7 || now.Disputed() || now.ResultChecksum == nil {
				p.Errorf("after the run: %+v", now.Placement)
			}
			p.tables.version++
		}
	})
}
