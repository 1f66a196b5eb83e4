package history_test

import (
	"fmt"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/history"
)

// A colleague who may read a report sees which rows a run replaced in another person's block, and not what they held.
func ExampleHideValues() {
	run := &record.Run{Placements: []record.RunPlacement{{
		PlacementID: "p1", RunAsUserID: 1, Overwritten: []record.OverwrittenRow{{Row: 7, Values: []any{"ours"}}},
	}}}
	colleague := &auth.Caller{Actor: record.Actor{ID: 2, Actions: []string{record.ActionReportRead}}}
	history.HideValues(colleague, run, &storage.Report{})
	fmt.Println(run.Placements[0].Overwritten[0].Row, run.Placements[0].Overwritten[0].Values)
	// Output: 7 []
}
