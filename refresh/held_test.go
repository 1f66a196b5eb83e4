package refresh

import (
	"fmt"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/hosttest/book"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// TestTextsThatTheServiceAltersAreNoEdits refreshes texts that Google Sheets may not hold as they are, with every way to alter them:
// what is held then is neither a person's nor written again, and edits beside it are a person's still.
func TestTextsThatTheServiceAltersAreNoEdits(t *testing.T) {
	t.Parallel()
	for name, quirks := range map[string]googlefake.Quirks{
		"nothing altered":     {},
		"apostrophes dropped": {TextLosesApostrophe: true},
		"carriage returns":    {TextLosesReturns: true},
		"control characters":  {TextLosesControls: true},
		"zero-width spaces":   {TextLosesZeroWidth: true},
		"all of it": {
			RangesFilterNames: true, InsertNeedsRoom: true, TextKeepsNumbers: true,
			TextLosesApostrophe: true, TextLosesReturns: true, TextLosesControls: true, TextLosesZeroWidth: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, storagetest.Open(t, "embedded"))
			fake := r.sheets(100, 6)
			fake.Quirk(quirks)
			r.exec(`DELETE FROM cities; INSERT INTO cities VALUES (1, '''s-Gravenhage', 1), (2, '''''quoted', 2), (3, 's-Gravenhage', 3),
				(4, 'Pa' || char(0x200b) || 'ris', 4), (5, 'Paris', 5), (6, 'bell' || char(7), 6), (7, 'two' || char(13, 10) || 'lines', 7),
				(8, char(1), 8), (9, NULL, 9), (10, 'a' || char(9) || 'tab', 9e999)`)
			_, err := r.engine.records.Placements().Connect(t.Context(), r.d, r.report, placements.Connection{
				ExternalWorkbookID: sheetsDoc, Host: placements.SheetsA, ResultLocation: "Data!B2", AddressOnly: true,
			}, record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}, nil, true)
			must(t, err)
			again := func(what string, rows int) {
				t.Helper()
				run := r.refresh(Request{})
				if r.succeeded(run, rows); len(run.Placements[0].EditedRows) > 0 {
					t.Errorf("%s: rows %v count as edited", what, run.Placements[0].EditedRows)
				}
			}
			again("the first time", 11)
			fake.Requests()
			again("nothing changed", 0)
			if n := len(fake.Requests()); n != 1 {
				t.Errorf("a refresh without changes took %d calls", n)
			}
			r.exec(`UPDATE cities SET people = people + 100 WHERE id IN (1, 2, 4, 6, 8)`)
			again("their rows changed", 5)
			again("and no more", 0)
			r.exec(`INSERT INTO cities VALUES (0, '''t Zand', 0)`)
			again("they move down", 11) // every row stands elsewhere, the last below the block
			again("and stay there", 0)

			fake.Edit(sheetsDoc, func(b *book.Book) { b.Sheet("Data").Set(3, 2, "typed") })
			run := r.refresh(Request{})
			if rows := fmt.Sprint(run.Placements[0].EditedRows); run.State != placements.RunSucceeded || rows != "[4]" {
				t.Fatalf("run is %s (%s), rows %s count as edited, want SUCCEEDED, [4]", run.State, run.Error, rows)
			}
			page, err := r.engine.records.Placements().Edits(t.Context(), r.d, r.report, r.placement().ID, "", 100)
			must(t, err)
			if len(page.Items) != 1 || page.Items[0].Row != 2 || page.Items[0].Name != "people" {
				t.Errorf("edits are %+v, want C4 alone", page.Items)
			}
			r.succeeded(r.refresh(Request{}), 0)
		})
	}
}
