package storagetest_test

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// What Fill says that it made is what is stored, and all kinds of it are there.
func TestFill(t *testing.T) {
	address, d := storagetest.Redis(t), record.Deployment{Tenant: "acme", ID: 1}
	made := storagetest.Fill(t, address, storagetest.Amounts{
		Deployment: d, Reports: 60, Placements: 400, Documents: 40, Runs: 3001, Schedules: 20,
	})
	s := storagetest.Open(t, address)
	statuses, states := map[placements.Status]int{}, map[placements.RunState]int{}
	edited := 0
	for _, p := range made.Placements {
		r, err := s.Reports().Get(t.Context(), d, p.ReportID)
		if err != nil {
			t.Fatal(err)
		}
		statuses[p.Status]++
		for _, now := range r.Placements {
			if now.ID != p.ID {
				continue
			}
			if got := placements.SyncStatus(now.Placement, r.CurrentChecksum, now.LastRun); got != p.Status || (now.Edits != nil) != p.Edited {
				t.Errorf("placement %s is %s with edits %v, want %s, %t", p.ID, got, now.Edits, p.Status, p.Edited)
			}
			if now.Edits != nil {
				edited++
			}
		}
	}
	for _, want := range made.Runs {
		run, err := s.Queue().Runs.Get(t.Context(), d, want.ID)
		if err != nil || run.State != want.State || run.ErrorClass != want.ErrorClass {
			t.Fatalf("%+v, %v; want %+v", run, err, want)
		}
		states[run.State]++
	}
	if len(made.Reports) != 60 || len(made.Placements) != 400 || len(made.Runs) != 3001 || len(made.Schedules) != 20 {
		t.Errorf("%d reports, %d placements, %d runs, %d schedules", len(made.Reports), len(made.Placements), len(made.Runs), len(made.Schedules))
	}
	if len(statuses) != 6 || len(states) != 6 || edited == 0 {
		t.Errorf("not all there is: %v, %v, %d edited", statuses, states, edited)
	}
}
