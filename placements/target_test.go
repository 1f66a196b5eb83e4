package placements_test

import (
	"reflect"
	"testing"

	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestTargetMatch(t *testing.T) {
	for _, tc := range placementstest.Targets() {
		t.Run(tc.Rule, func(t *testing.T) {
			existing := placementstest.Moored()
			got, ok := tc.Target.Match(existing)
			if got != tc.Want || ok != (tc.Want >= 0) {
				t.Errorf("Match = %d, %t, want %d", got, ok, tc.Want)
			}
			removed, ok := placements.Disconnect(existing, tc.Target)
			if ok != (tc.Want >= 0) || ok && !reflect.DeepEqual(removed, existing[tc.Want]) {
				t.Errorf("Disconnect = %+v, %t, want the placement %d", removed, ok, tc.Want)
			}
		})
	}
}

func TestDisconnectLeavesItsInputAlone(t *testing.T) {
	existing := placementstest.Moored()
	if _, ok := placements.Disconnect(existing, placements.Target{PlacementID: "p1"}); !ok {
		t.Fatal("p1 was not found")
	}
	if !reflect.DeepEqual(existing, placementstest.Moored()) {
		t.Error("the list passed in was changed")
	}
}

func TestTargetForm(t *testing.T) {
	spot := placements.Address{Sheet: "S", Anchor: placements.Anchor{Row: 1, Column: 1}}
	whole := placements.Address{Document: "doc", Sheet: "S", Anchor: placements.Anchor{Row: 1, Column: 1}}
	for _, tc := range []struct {
		fact   string
		target placements.Target
		form   placements.Form
		want   placements.Address
	}{
		{"an id", placements.Target{PlacementID: "p", ResultLocation: "S!B2"}, placements.ByID, placements.Address{}},
		{"three parts", placements.Target{ExternalWorkbookID: "doc", SheetName: "S", AnchorCell: "B2"}, placements.ByAddress, whole},
		{
			"a location in a known spreadsheet",
			placements.Target{ExternalWorkbookID: "doc", ResultLocation: "S!B2"},
			placements.ByAddress,
			whole,
		},
		{"a location alone", placements.Target{ResultLocation: "S!B2"}, placements.ByLocation, spot},
		{"too little", placements.Target{SheetName: "S", AnchorCell: "B2"}, placements.ByNothing, placements.Address{}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			form, got := tc.target.Form()
			if form != tc.form || form != placements.ByNothing && got != tc.want {
				t.Errorf("Form = %d, %+v, want %d, %+v", form, got, tc.form, tc.want)
			}
		})
	}
}
