package placements_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
)

// wantInvalid checks that err is an *Error of that code, with exactly these faults: JSON pointer -> part of the message there.
func wantInvalid(t *testing.T, err error, code placements.Code, faults map[string]string) {
	t.Helper()
	bad, ok := errors.AsType[*placements.Error](err)
	if !ok || bad.Code != code {
		t.Fatalf("got %v, want an error of code %s", err, code)
	}
	if diff := placementstest.DiffFaults(faults, bad.Details); diff != "" {
		t.Error(diff)
	}
}

func TestConnectRefuses(t *testing.T) {
	for _, tc := range placementstest.Refusals() {
		t.Run(tc.Rule, func(t *testing.T) {
			_, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp())
			wantInvalid(t, err, tc.Code, tc.Faults)
		})
	}
}

func TestConnectKeepsAChecksumAsSent(t *testing.T) {
	for _, tc := range placementstest.Checksums() {
		t.Run(tc.Fact, func(t *testing.T) {
			got, err := placements.Connect(nil, tc.Sent(), placementstest.Stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.Sum, got.Placement.ResultChecksum); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConnectRefusesABadChecksum(t *testing.T) {
	for _, tc := range placementstest.BadChecksums() {
		t.Run(tc.Fact, func(t *testing.T) {
			_, err := placements.Connect(nil, tc.Sent(), placementstest.Stamp())
			wantInvalid(t, err, placements.CodeInvalid, placementstest.InChecksum(tc.Faults))
		})
	}
}
