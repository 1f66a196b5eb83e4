package placements_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestDeclare(t *testing.T) {
	for _, tc := range placementstest.Declares() {
		t.Run(tc.Rule, func(t *testing.T) {
			got, changed, err := placements.Declare(tc.Existing, tc.Keys, placementstest.Stamp())
			if err != nil || changed != tc.Changed {
				t.Fatalf("changed %t, error %v, want %t and none", changed, err, tc.Changed)
			}
			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
