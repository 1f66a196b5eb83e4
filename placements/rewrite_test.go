package placements_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestRefreshed(t *testing.T) {
	for _, tc := range placementstest.Rewrites() {
		t.Run(tc.Rule, func(t *testing.T) {
			got, err := placements.Refreshed(tc.Placement, tc.Rewrite, placementstest.Stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefreshedRefuses(t *testing.T) {
	for _, tc := range placementstest.RewriteRefusals() {
		t.Run(tc.Fact, func(t *testing.T) {
			_, err := placements.Refreshed(placementstest.Rewritten(), tc.Rewrite, placementstest.Stamp())
			wantInvalid(t, err, placements.CodeAddress, tc.Faults)
			if err := tc.Rewrite.Check(); (err != nil) != tc.Alone {
				t.Errorf("Check = %v, want a fault: %t", err, tc.Alone)
			}
		})
	}
}

func TestRefreshedKeepsAChecksumAsSent(t *testing.T) {
	for _, tc := range placementstest.Checksums() {
		t.Run(tc.Fact, func(t *testing.T) {
			got, err := placements.Refreshed(placementstest.Rewritten(), tc.Rewritten(), placementstest.Stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.Sum, got.ResultChecksum); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRefreshedRefusesABadChecksum(t *testing.T) {
	for _, tc := range placementstest.BadChecksums() {
		t.Run(tc.Fact, func(t *testing.T) {
			_, err := placements.Refreshed(placementstest.Rewritten(), tc.Rewritten(), placementstest.Stamp())
			wantInvalid(t, err, placements.CodeInvalid, placementstest.InChecksum(tc.Faults))
			wantInvalid(t, tc.Rewritten().Check(), placements.CodeInvalid, placementstest.InChecksum(tc.Faults))
		})
	}
}
