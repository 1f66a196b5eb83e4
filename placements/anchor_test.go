package placements_test

import (
	"errors"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestParseAnchor(t *testing.T) {
	for _, tc := range placementstest.Anchors() {
		t.Run(tc.Fact, func(t *testing.T) {
			got, err := placements.ParseAnchor(tc.Text)
			if err != nil || got != tc.Want {
				t.Fatalf("ParseAnchor(%q) = %v, %v, want %v", tc.Text, got, err, tc.Want)
			}
			if got.String() != tc.Normal {
				t.Errorf("String() = %q, want %q", got, tc.Normal)
			}
		})
	}
}

func TestParseAnchorRefuses(t *testing.T) {
	for _, tc := range placementstest.RefusedAnchors() {
		t.Run(tc.Fact, func(t *testing.T) {
			_, err := placements.ParseAnchor(tc.Text)
			bad, ok := errors.AsType[*placements.Error](err)
			if !ok || bad.Code != placements.CodeAddress || !strings.Contains(err.Error(), tc.Says) {
				t.Errorf("ParseAnchor(%.20q): %v, want an invalid address that says %q", tc.Text, err, tc.Says)
			}
			if len(err.Error()) > 400 {
				t.Errorf("the message has %d bytes: it repeats too much of the input", len(err.Error()))
			}
		})
	}
}
