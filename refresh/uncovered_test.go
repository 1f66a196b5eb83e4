package refresh

import (
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// TestARunSaysWhichHiddenRowsItShows lets a block with a total below grow into rows that a person has hidden, and one that a filter hides.
func TestARunSaysWhichHiddenRowsItShows(t *testing.T) {
	t.Parallel()
	r := newRig(t, storagetest.Open(t, "embedded"))
	fake := r.sheets(100, 6)
	r.exec(`DELETE FROM cities; INSERT INTO cities SELECT 1, 'a', 1`)
	_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: sheetsDoc, Host: placements.SheetsA, ResultLocation: "Data!B2", AddressOnly: true,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
	must(t, err)
	r.succeeded(r.refresh(Request{}), 2)
	fake.Edit(sheetsDoc, func(b *book.Book) {
		s := b.Sheet("Data")
		s.Set(3, 1, "total")
		s.Hide(4, book.ByHand)
		s.Hide(5, book.ByFilter)
		s.Hide(6, book.ByHand)
	})
	r.exec(`INSERT INTO cities SELECT 2, 'b', 2 UNION SELECT 3, 'c', 3`)
	run := r.refresh(Request{Options: shiftRows(true)})
	r.succeeded(run, 2)
	fake.Edit(sheetsDoc, func(b *book.Book) {
		if s := b.Sheet("Data"); s.Cell(5, 1).Value != "total" || s.Hidden(4) != book.Shown || s.Hidden(6) != book.ByHand {
			t.Errorf("row 6 holds %v, row 5 is hidden %v, row 7 %v", s.Cell(5, 1).Value, s.Hidden(4), s.Hidden(6))
		}
	})
	note := run.Placements[0].Note
	for _, want := range []string{"row 5 is shown now", "row 6 is hidden by a filter"} {
		if !strings.Contains(note, want) {
			t.Errorf("the run's note is %q, want %q in it", note, want)
		}
	}
}

func TestAClientSaysWhichHiddenRowsItShowed(t *testing.T) {
	eachPane(t, func(p *pane) {
		must(p.T, p.start())
		plan, err := p.plan()
		must(p.T, err)
		defer plan.Close()
		p.write(plan)
		run, err := p.engine.ClientRuns().Complete(p.Context(), p.step(), plan.Checksum, Uncovered{Shown: []int64{4, 5}, Vanished: []int64{7}})
		must(p.T, err)
		note := run.Placements[0].Note
		if !strings.Contains(note, "rows 4–5 are shown now") || !strings.Contains(note, "row 7 is hidden by a filter") {
			p.Errorf("the run's note is %q", note)
		}
	})
}
