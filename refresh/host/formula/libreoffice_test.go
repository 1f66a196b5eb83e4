package formula

import (
	"encoding/json"
	"os"
	"testing"
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

// TestAsLibreOffice compares with what LibreOffice answered: see scripts/libreoffice-formulas.
func TestAsLibreOffice(t *testing.T) {
	var corpus struct {
		Sheets, Before []string
		Answers        []struct {
			Name   string
			Shifts Shifts
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
	compared := 0
	for _, answer := range corpus.Answers {
		r := Rewriter{By: answer.Shifts, Sheets: corpus.Sheets}
		for _, before := range corpus.Before {
			want, ok := answer.After[before]
			if !ok {
				want = before
			}
			got, err := r.Rewrite(before, Place{Sheet: "Data", Row: 100, Column: 30})
			if got == want && err == nil {
				compared++
			} else if unlike[before] == "" {
				t.Errorf("%s: %s became %s (%v), want %s", answer.Name, before, got, err, want)
			}
		}
	}
	if compared < 800 {
		t.Errorf("compared %d formulas", compared)
	}
}
