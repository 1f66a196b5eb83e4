package google_test

import (
	"testing"

	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/hosttest"
)

// everyQuirk is a service that does all that is not verified.
var everyQuirk = googlefake.Quirks{
	RangesFilterNames: true, InsertNeedsRoom: true, TextKeepsNumbers: true,
	TextLosesApostrophe: true, TextLosesReturns: true, TextLosesControls: true, TextLosesZeroWidth: true,
}

func quirk(q googlefake.Quirks) func(rig) { return func(r rig) { r.Quirk(q) } }

func TestConforms(t *testing.T) {
	for _, row := range []struct {
		fact   string
		set    func(rig)
		rows   int
		alters bool
	}{
		{"as documented", func(rig) {}, 30_000, false}, // several parts to write
		{"ranges filter names", quirk(googlefake.Quirks{RangesFilterNames: true}), 5_000, false},
		{"inserting needs room", quirk(googlefake.Quirks{InsertNeedsRoom: true}), 5_000, false},
		{"cells of text format keep numbers as text", func(r rig) {
			r.Quirk(googlefake.Quirks{TextKeepsNumbers: true})
			r.TextCells(doc, 60, 20)
		}, 5_000, false},
		{"texts lose an apostrophe at their beginning", quirk(googlefake.Quirks{TextLosesApostrophe: true}), 5_000, true},
		{"texts lose carriage returns", quirk(googlefake.Quirks{TextLosesReturns: true}), 5_000, true},
		{"texts lose control characters", quirk(googlefake.Quirks{TextLosesControls: true}), 5_000, true},
		{"texts lose zero-width spaces", quirk(googlefake.Quirks{TextLosesZeroWidth: true}), 5_000, true},
		{"all of that", func(r rig) {
			quirk(everyQuirk)(r)
			r.TextCells(doc, 60, 20)
		}, 5_000, true},
	} {
		t.Run(row.fact, func(t *testing.T) {
			hosttest.Run(t, func(t *testing.T) hosttest.Spreadsheet {
				r := newRig(t)
				row.set(r)
				return hosttest.Spreadsheet{
					Host: r.host, Document: doc, Sheet: "Data", Other: "Other", Editor: r.BookEditor, State: r.State,
					Deny: func(testing.TB) { r.Deny(doc) }, Unconditional: true, LargestRows: row.rows, Alters: row.alters,
					SeesMerges: true, ForgetsNames: true,
				}
			})
		})
	}
}
