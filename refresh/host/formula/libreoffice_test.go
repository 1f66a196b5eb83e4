package formula

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

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
// That those formulas name the cells which they named, TestAReferenceFollowsTheCellThatItNamed shows.
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
	compared := map[bool]int{}
	for _, answer := range corpus.Answers {
		r := Rewriter{By: answer.Shifts, Sheets: corpus.Sheets}
		rewrite, why := r.Rewrite, func(before string) string { return unlike[before] }
		if answer.Rows != nil {
			rewrite = moved(answer.Rows, answer.Shifts)
			why = func(before string) string { return unlike[before] + unlikeMoved(before, answer.Rows, answer.Shifts) }
		}
		for _, before := range corpus.Before {
			want, ok := answer.After[before]
			if !ok {
				want = before
			}
			got, err := rewrite(before, Place{Sheet: "Data", Row: 100, Column: 30})
			if got == want && err == nil {
				compared[answer.Rows != nil]++
			} else if why(before) == "" {
				t.Errorf("%s: %s became %s (%v), want %s", answer.Name, before, got, err, want)
			}
		}
	}
	t.Logf("%d alike that were not moved, %d that were", compared[false], compared[true])
	if compared[false] < 800 || compared[true] < 2390 {
		t.Errorf("compared %d formulas, and %d that were moved", compared[false], compared[true])
	}
}

// moved rewrites formulas as Rearrangement does for rows that were moved, and for shifts then.
func moved(rows []int, by Shifts) func(text string, at Place) (string, error) {
	const left, right = 1, 3
	became := slices.Clone(rows)
	for i, row := range rows {
		var ok bool
		if became[i], ok = by.Cell("Data", row, left); !ok {
			became[i] = -1
		}
	}
	r := NewRearrangement("Data", placements.Rect{Left: left, Right: right, Bottom: len(rows) - 1}, became, []int{1, 2, 3}, by)
	return func(text string, at Place) (string, error) { return r.Rewrite(text, at), nil }
}
