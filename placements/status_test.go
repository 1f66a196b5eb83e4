package placements_test

import (
	"testing"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestSyncStatus(t *testing.T) {
	for _, tc := range placementstest.Transitions() {
		t.Run(tc.Fact, func(t *testing.T) {
			if got := placements.SyncStatus(tc.Placement(), tc.Current(), tc.Run); got != tc.Want {
				t.Errorf("SyncStatus = %s, want %s", got, tc.Want)
			}
		})
	}
}
