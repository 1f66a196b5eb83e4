package host_test

import (
	"testing"

	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/googlefake"
)

func TestGoogleConforms(t *testing.T) {
	for _, row := range []struct {
		fact string
		set  func(googleRig)
		rows int
	}{
		{"as documented", func(googleRig) {}, 0},
		{"ranges filter names", func(r googleRig) { r.Quirk(googlefake.Quirks{RangesFilterNames: true}) }, 5_000},
		{"inserting needs room", func(r googleRig) { r.Quirk(googlefake.Quirks{InsertNeedsRoom: true}) }, 5_000},
		{"cells of text format keep numbers as text", func(r googleRig) {
			r.Quirk(googlefake.Quirks{TextKeepsNumbers: true})
			r.TextCells(googleDoc, 60, 20)
		}, 5_000},
	} {
		t.Run(row.fact, func(t *testing.T) {
			hosttest.Run(t, func(t *testing.T) hosttest.Book {
				r := newGoogleRig(t)
				row.set(r)
				return hosttest.Book{
					Host: r.host, Document: googleDoc, Sheet: "Data", Other: "Other", Editor: r.bookEditor, State: r.state,
					Deny: func(testing.TB) { r.Deny(googleDoc) }, Unconditional: true, LargestRows: row.rows,
				}
			})
		})
	}
}
