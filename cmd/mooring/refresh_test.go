package main

import (
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/storage/record"
)

// What became of what people had typed is said as it was: kept, replaced, or gone with its row.
func TestPersonalSaysWhatBecameOfEdits(t *testing.T) {
	t.Parallel()
	rows := func(numbers ...int) (list []record.OverwrittenRow) {
		for _, n := range numbers {
			list = append(list, record.OverwrittenRow{Row: n})
		}
		return list
	}
	for want, block := range map[string]record.RunPlacement{
		"":                                     {},
		"2 rows with cells typed by hand kept": {EditedRows: []int{4, 5}},
		"1 row typed by hand overwritten, and kept in the run":                             {EditedRows: []int{4}, Overwritten: rows(4)},
		"1 row gone or given back to the source, and what was typed there kept in the run": {Overwritten: rows(6)},
		"1 row with cells typed by hand kept, 2 rows gone or given back to the source, and what was typed there kept in the run": {
			EditedRows: []int{4}, Overwritten: rows(6, 7),
		},
	} {
		if got := process.Findings(&record.Run{Placements: []record.RunPlacement{block}}); got != want {
			t.Errorf("%+v: %q, want %q", block, got, want)
		}
	}
}
