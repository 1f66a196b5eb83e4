package refresh

import (
	"fmt"
	"testing"

	"mooring/placements"

	"mooring/refresh/host/google"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/hosttest/book"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

const sheetsDoc = "1AbC-document_id"

// sheets adds a Google Sheets host to the rig with a document of one sheet, next to its folder of workbooks.
func (r *rig) sheets(rows, columns int) *googlefake.Server {
	r.Helper()
	fake, err := googlefake.Start()
	must(r.T, err)
	r.Cleanup(fake.Close)
	fake.Add(sheetsDoc, book.New(rows, columns, "Data"))
	h, err := google.New(google.Settings{Credentials: fake.ServiceAccount(), Endpoint: fake.URL, PerUser: -1, PerProject: -1})
	must(r.T, err)
	r.hosts(append(r.engine.sites.Hosts["acme"], Spreadsheets{Kind: placements.SheetsA, Driver: h})...)
	return fake
}

// TestRowsInsertedOnTopAreWrittenAndTheOthersMoved places a block of 50,000 rows and inserts 20 at its top.
func TestRowsInsertedOnTopAreWrittenAndTheOthersMoved(t *testing.T) {
	t.Parallel()
	const inserted = 20
	for _, tt := range []struct {
		name         string
		shift        bool
		before, rows int // in the block, and written
	}{
		{"moved, where the run allows it", true, 20_000, inserted},
		{"rewritten, where it does not", false, 5_000, 5_000 + inserted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := tt.before
			r := newRig(t, storagetest.Open(t, "embedded"))
			fake := r.sheets(before+10_000, 6)
			r.exec(fmt.Sprintf(`DELETE FROM cities; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO cities SELECT 100 + i, 'city ' || i, i FROM n`, before))
			fake.Edit(sheetsDoc, func(b *book.Book) { b.Sheet("Data").Set(9, 4, "a note") })
			_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
				ExternalWorkbookID: sheetsDoc, Host: placements.SheetsA, ResultLocation: "Data!B2", AddressOnly: true,
			}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
			must(t, err)
			r.succeeded(r.refresh(Request{}), before+1)

			r.exec(fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
				INSERT INTO cities SELECT i, 'new city ' || i, -i FROM n`, inserted))
			fake.Requests()
			run := r.refresh(Request{Options: shiftRows(tt.shift)})
			r.succeeded(run, tt.rows)
			sent := 0
			for _, request := range fake.Requests() {
				sent += request.Body
			}
			t.Logf("%d rows and %d cells written in %d calls, %d bytes sent", run.RowsWritten, run.CellsWritten, run.HostCalls, sent)
			if tt.shift && sent > 1000*inserted {
				t.Errorf("%d bytes were sent for %d rows", sent, inserted)
			}
			fake.Edit(sheetsDoc, func(b *book.Book) {
				s := b.Sheet("Data")
				for _, at := range []struct {
					row, column int
					want        any
				}{
					{1, 1, "name"},
					{2, 1, "new city 1"},
					{1 + inserted, 2, float64(-inserted)},
					{2 + inserted, 1, "city 1"},
					{1 + inserted + before, 2, float64(before)},
					{2 + inserted + before, 1, nil},
					{9, 4, "a note"},
				} {
					if got := s.Cell(at.row, at.column).Value; got != at.want {
						t.Errorf("row %d, column %d holds %v, want %v", at.row, at.column, got, at.want)
					}
				}
			})
			if p := r.placement(); p.EndResultCell != fmt.Sprintf("C%d", 2+inserted+before) {
				t.Errorf("the block ends at %s", p.EndResultCell)
			}
			r.succeeded(r.refresh(Request{Options: shiftRows(tt.shift)}), 0)
		})
	}
}

// TestRowsCutAndInsertedElsewhereAreMovedBack lets a person cut a thousand rows of a block and insert them at its end.
func TestRowsCutAndInsertedElsewhereAreMovedBack(t *testing.T) {
	t.Parallel()
	const rows, cut = 5_000, 1_000
	r := newRig(t, storagetest.Open(t, "embedded"))
	fake := r.sheets(rows+100, 6)
	r.exec(fmt.Sprintf(`DELETE FROM cities; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		INSERT INTO cities SELECT i, 'city ' || i, i FROM n`, rows))
	_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
		ExternalWorkbookID: sheetsDoc, Host: placements.SheetsA, ResultLocation: "Data!B2", AddressOnly: true,
	}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
	must(t, err)
	r.succeeded(r.refresh(Request{}), rows+1)
	fake.Edit(sheetsDoc, func(b *book.Book) {
		s := b.Sheet("Data")
		for i := range rows {
			from := 1 + (i+cut)%rows // of the source
			s.Set(2+i, 1, fmt.Sprint("city ", from))
			s.Set(2+i, 2, float64(from))
		}
		s.Set(9, 4, "a note")
	})
	fake.Requests()
	run := r.refresh(Request{Options: shiftRows(true)})
	r.succeeded(run, 0)
	if run.MovedRows != cut {
		t.Errorf("%d rows count as moved, want %d", run.MovedRows, cut)
	}
	sent := 0
	for _, request := range fake.Requests() {
		sent += request.Body
	}
	if sent > 10_000 {
		t.Errorf("%d bytes were sent to move %d rows", sent, cut)
	}
	fake.Edit(sheetsDoc, func(b *book.Book) {
		s := b.Sheet("Data")
		for i := 1; i <= rows; i++ {
			if got := s.Cell(1+i, 1).Value; got != fmt.Sprint("city ", i) {
				t.Fatalf("row %d holds %v, want city %d", 1+i, got, i)
			}
		}
		if got := s.Cell(9, 4).Value; got != "a note" {
			t.Errorf("beside the block stands %v, want a note", got)
		}
	})
	r.succeeded(r.refresh(Request{}), 0)
}
