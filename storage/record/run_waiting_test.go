package record_test

import (
	"testing"

	"mooring/placements"
	"mooring/storage/record"
)

// Of a run that waits, earlier versions stored the placements that were to be tried again as FAILED.
func TestARunThatWaitsIsReadAsEarlierVersionsStoredIt(t *testing.T) {
	const next = "2026-01-02T03:04:05.000Z"
	for _, tt := range []struct {
		what, run string
		want      []placements.RunState
	}{
		{
			"it waits", `{"state":"QUEUED","attempt":2,"nextAttemptAt":"` + next + `","placements":[
			{"placementId":"a","state":"FAILED","errorClass":"transient"},{"placementId":"b","state":"FAILED","errorClass":"quota"},
			{"placementId":"c","state":"FAILED","errorClass":"auth"},{"placementId":"d","state":"SUCCEEDED"}]}`,
			[]placements.RunState{placements.RunQueued, placements.RunQueued, placements.RunFailed, placements.RunSucceeded},
		},
		{
			"it waits, as it is stored now", `{"form":1,"state":"QUEUED","attempt":2,"nextAttemptAt":"` + next + `","placements":[
			{"placementId":"a","state":"QUEUED","errorClass":"transient","nextAttemptAt":"` + next + `"},
			{"placementId":"b","state":"FAILED","errorClass":"transient"}]}`,
			[]placements.RunState{placements.RunQueued, placements.RunFailed},
		},
		{
			"it has ended", `{"state":"FAILED","attempt":2,"placements":[{"placementId":"a","state":"FAILED","errorClass":"transient"}]}`,
			[]placements.RunState{placements.RunFailed},
		},
		{"it has not begun", `{"state":"QUEUED","attempt":0,"placements":null}`, nil},
	} {
		run, err := record.ReadRun("r", tt.run)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tt.want {
			p := run.Placements[i]
			if p.State != want || want == placements.RunQueued && p.NextAttemptAt != next {
				t.Errorf("%s: placement %s is %s, tried again at %q", tt.what, p.PlacementID, p.State, p.NextAttemptAt)
			}
		}
	}
}
