package placements_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestConnect(t *testing.T) {
	for _, tc := range placementstest.Connects() {
		t.Run(tc.Rule, func(t *testing.T) {
			got, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConnectDefaultHost(t *testing.T) {
	for _, tc := range placementstest.Hosts() {
		t.Run(tc.Fact, func(t *testing.T) {
			s := placementstest.Stamp()
			s.DefaultHost = tc.Default
			got, err := placements.Connect(tc.Existing(), tc.Connection(), s)
			if err != nil || got.Placement.Host != tc.Want {
				t.Errorf("host %q, %v, want %q", got.Placement.Host, err, tc.Want)
			}
		})
	}
}

func TestConnectRefusesATakenAddress(t *testing.T) {
	for _, tc := range placementstest.TakenAddresses() {
		t.Run(tc.Rule, func(t *testing.T) {
			if _, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp()); !errors.Is(err, placements.ErrAddressTaken) {
				t.Errorf("got %v, want ErrAddressTaken", err)
			}
		})
	}
}

func TestConnectRefusesATakenID(t *testing.T) {
	s := placementstest.Stamp()
	s.IDTaken = true
	for _, tc := range placementstest.TakenIDs() {
		t.Run(tc.Rule, func(t *testing.T) {
			if _, err := placements.Connect(tc.Existing, tc.Connection, s); !errors.Is(err, placements.ErrIDTaken) {
				t.Errorf("got %v, want ErrIDTaken", err)
			}
			if _, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp()); err != nil {
				t.Errorf("where it is free: %v", err)
			}
		})
	}
}

func TestAPlacementKeepsAnIDThatIsTaken(t *testing.T) {
	s := placementstest.Stamp()
	s.IDTaken = true
	for _, tc := range placementstest.Connects() {
		old := ""
		if !tc.Want.Created {
			old = tc.Existing[tc.Want.Index].ID
		}
		if tc.Connection.PlacementID == "" || tc.Want.Placement.ID != old || tc.Want.Placement.WorkbookID != "doc" {
			continue
		}
		t.Run(tc.Rule, func(t *testing.T) {
			if _, err := placements.Connect(tc.Existing, tc.Connection, s); err != nil {
				t.Error(err)
			}
		})
	}
}
