package placements_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
)

// TestOptionsOfARunComeBeforeThoseOfThePlacement: run > placement > default; a schedule's are those of its runs.
func TestOptionsOfARunComeBeforeThoseOfThePlacement(t *testing.T) {
	const both = `{"onEdit":"stop","breakSignature":true}`
	for _, tc := range []struct {
		fact           string
		run, placement string
		onEdit         placements.OnEdit
		breaks         bool
	}{
		{"neither says: the defaults", `{}`, `{}`, placements.Keep, false},
		{"the placement says", `{}`, both, placements.Stop, true},
		{"the run says otherwise", `{"onEdit":"overwrite","breakSignature":false}`, both, placements.Overwrite, false},
		{"the run says the default", `{"onEdit":"keep"}`, `{"onEdit":"stop"}`, placements.Keep, false},
		{"each option for itself", `{"onEdit":"overwrite"}`, `{"breakSignature":true}`, placements.Overwrite, true},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var run, placement placements.Options
			if err := json.Unmarshal([]byte(tc.run), &run); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tc.placement), &placement); err != nil {
				t.Fatal(err)
			}
			got := run.Over(placement)
			if onEdit, breaks := got.OnEdit.Or(placements.Keep), got.BreakSignature.Or(false); onEdit != tc.onEdit || breaks != tc.breaks {
				t.Errorf("onEdit %s, breakSignature %t; want %s, %t", onEdit, breaks, tc.onEdit, tc.breaks)
			}
			text, err := json.Marshal(run)
			if diff := cmp.Diff(tc.run, string(text)); err != nil || diff != "" {
				t.Errorf("%v, stored (-want +got):\n%s", err, diff)
			}
		})
	}
}
