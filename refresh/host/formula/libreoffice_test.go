package formula

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"mooring/placements"
)

// unlike are formulas that LibreOffice adjusts otherwise, each with the reason. It spells them anew even where nothing moves, or makes of
// them what names other cells than before.
var unlike = map[string]string{
	"SUM(B9:B2)":             "it turns a range the right way up",
	"SUM(D9:B2)":             "it turns a range the right way up",
	"SUM(D6:D1048576)":       "it writes all rows of a column as D:D",
	"SUM(B5:B1048576)":       "it writes all rows of a column as B:B",
	"SUM(B2:B1048576)":       "it loses a range that all columns are deleted from",
	"SUM(B2:C12)":            "B2:B9:C12, which it reads as one range",
	"SUM('it''s:feb'!b2:b5)": "it does not read it",
	"SUM(Jan:Mar!B5:B5)":     "it leaves the cells of all sheets where those of one move",
	"SUM(Jan:Mar!B2:B10)":    "it moves the cells of all sheets where those of one move",
	"SUM(Data:Other!B5:B5)":  "it deletes the cells of all sheets where those of one are deleted",
}

// unlikeMoved returns why LibreOffice adjusts a formula otherwise when rows were moved, and cells shifted then; empty when it does not.
// What becomes of those is tried cell by cell, as of all that were moved: see pasted.
func unlikeMoved(before string, rows []int, by Shifts) string {
	if before == "SUM(5:$9)" {
		return "it writes the $ before the upper row"
	}
	for _, r := range References(before) {
		top, bottom := r.Area.Top, min(r.Area.Bottom, len(rows)-1)
		switch {
		case top >= bottom:
		case rows[bottom]-rows[top] != bottom-top:
			return "it leaves a range whose rows are not cut together"
		case len(by) == 2 && by[0].Rows > 0:
			return "it keeps a range where all rows before those that were inserted into it are deleted"
		}
	}
	return ""
}

// movedOtherwise is how many moved formulas LibreOffice adjusts otherwise, by the reason.
var movedOtherwise = map[string]int{
	"B2:B9:C12, which it reads as one range":                                              10,
	"it deletes the cells of all sheets where those of one are deleted":                   20,
	"it keeps a range where all rows before those that were inserted into it are deleted": 11,
	"it leaves a range whose rows are not cut together":                                   226,
	"it loses a range that all columns are deleted from":                                  15,
	"it turns a range the right way up":                                                   69,
	"it writes all rows of a column as B:B":                                               8,
	"it writes all rows of a column as D:D":                                               16,
	"it writes the $ before the upper row":                                                36,
}

// TestAsLibreOffice compares with what LibreOffice answered: see scripts/libreoffice-formulas.
func TestAsLibreOffice(t *testing.T) {
	var corpus struct {
		Sheets, Before []string
		Answers        []struct {
			Name   string
			Shifts Shifts
			Rows   []int // of a block in columns B to D: where each was moved before the shifts
			After  map[string]string
		}
	}
	text, err := os.ReadFile("testdata/libreoffice.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &corpus); err != nil {
		t.Fatal(err)
	}
	compared, otherwise := map[bool]int{}, map[string]int{}
	for _, answer := range corpus.Answers {
		r := Rewriter{By: answer.Shifts, Sheets: corpus.Sheets}
		rewrite, why := r.Rewrite, func(before string) string { return unlike[before] }
		var naive *pasted
		if answer.Rows != nil {
			naive = newPasted(answer.Rows, answer.Shifts)
			rewrite = moved(answer.Rows, answer.Shifts)
			why = func(before string) string {
				return cmp.Or(unlike[before], unlikeMoved(before, answer.Rows, answer.Shifts))
			}
		}
		for _, before := range corpus.Before {
			if answer.Rows != nil {
				if got, _ := rewrite(before, Place{Sheet: "Data", Row: 100, Column: 30}); got != naive.reads(before) {
					t.Errorf("%s: %s became %s, want %s by its cells", answer.Name, before, got, naive.reads(before))
				}
			}
			want, ok := answer.After[before]
			if !ok {
				want = before
			}
			got, err := rewrite(before, Place{Sheet: "Data", Row: 100, Column: 30})
			if got == want && err == nil {
				compared[answer.Rows != nil]++
			} else if why(before) == "" {
				t.Errorf("%s: %s became %s (%v), want %s", answer.Name, before, got, err, want)
			} else if answer.Rows != nil {
				otherwise[why(before)]++
			}
		}
	}
	t.Logf("%d alike that were not moved, %d that were", compared[false], compared[true])
	if compared[false] < 800 || compared[true] != 2397 {
		t.Errorf("compared %d formulas, and %d that were moved", compared[false], compared[true])
	}
	if diff := gocmp.Diff(movedOtherwise, otherwise); diff != "" {
		t.Errorf("moved formulas that LibreOffice adjusts otherwise (-want +got):\n%s", diff)
	}
}

// The columns of the block whose rows were moved.
const blockLeft, blockRight = 1, 3

// moved rewrites formulas as Rearrangement does for rows that were moved, and for shifts then.
func moved(rows []int, by Shifts) func(text string, at Place) (string, error) {
	became := slices.Clone(rows)
	for i, row := range rows {
		var ok bool
		if became[i], ok = by.Cell("Data", row, blockLeft); !ok {
			became[i] = -1
		}
	}
	r := NewRearrangement("Data", placements.Rect{Left: blockLeft, Right: blockRight, Bottom: len(rows) - 1}, became, []int{1, 2, 3}, by)
	return func(text string, at Place) (string, error) { return r.Rewrite(text, at), nil }
}
