package placements

import (
	"slices"
	"testing"
)

// mooredSet is what the rows of the target tables are matched against.
func mooredSet() []Placement {
	return []Placement{
		{ID: "p1", WorkbookID: "doc", SheetID: "7", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!B2:D20"},
		{ID: "p2", WorkbookID: "doc", SheetID: "7", SheetName: "Sheet1", AnchorCell: "H2", ResultLocation: "Sheet1!H2"},
		{ID: "p3", WorkbookID: "doc", SheetName: "It's", AnchorCell: "B2", ResultLocation: "'It''s'!B2"},
		{ID: "p4", WorkbookID: "other", SheetID: "1", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!B2"},
		{WorkbookID: "old", SheetName: "Data", AnchorCell: "A1", ResultLocation: "Data!A1"},
		{WorkbookID: "old", ResultLocation: "'Older data'!$C$3:D9"},
	}
}

func TestTargetMatch(t *testing.T) {
	for _, tc := range []struct {
		rule   string
		target Target
		want   int // -1: nothing
	}{
		{"rule 2: by placementId", Target{PlacementID: "p2"}, 1},
		{"rule 2: by spreadsheet, sheet and anchor", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "H2"}, 1},
		{"rule 2: a placement without an id by its address", Target{ExternalWorkbookID: "old", SheetName: "Data", AnchorCell: "A1"}, 4},
		{"rule 2: a record that has only a resultLocation by its address", Target{ExternalWorkbookID: "old", SheetName: "Older data", AnchorCell: "C3"}, 5},
		{"rule 2: by a resultLocation that names sheet and anchor", Target{ResultLocation: "'It''s'!B2"}, 2},
		{"rule 2: a resultLocation's range stands for its anchor", Target{ResultLocation: "'It''s'!$B$2:Z99"}, 2},
		{"rule 2: a resultLocation without a sheet addresses nothing", Target{ExternalWorkbookID: "doc", ResultLocation: "H2"}, -1},
		{"rule 2: a resultLocation without an anchor addresses nothing", Target{ResultLocation: "'It''s'!"}, -1},
		{"rule 2: nothing sent addresses nothing", Target{}, -1},
		{"rule 3: without the sheet name nothing", Target{ExternalWorkbookID: "doc", AnchorCell: "H2"}, -1},
		{"rule 3: without the anchor nothing", Target{ExternalWorkbookID: "doc", SheetName: "It's"}, -1},
		{"rule 3: without the spreadsheet nothing", Target{SheetName: "It's", AnchorCell: "B2"}, -1},
		{"rule 3: the spreadsheet alone nothing", Target{ExternalWorkbookID: "other"}, -1},
		{"rule 3: the anchor is not taken from a resultLocation without a sheet", Target{ExternalWorkbookID: "doc", SheetName: "It's", ResultLocation: "B2"}, -1},
		{"rule 4: the sheet id narrows to a match", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", SheetID: "7"}, 0},
		{"rule 4: another sheet id is no match", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", SheetID: "8"}, -1},
		{"rule 4: a sheet id is no substitute for the name", Target{ExternalWorkbookID: "doc", SheetID: "7", AnchorCell: "B2"}, -1},
		{"rule 4: a placement stored without a sheet id matches by its name", Target{ExternalWorkbookID: "old", SheetName: "Data", AnchorCell: "A1", SheetID: "3"}, 4},
		{"rule 4: the id alone addresses no old placement", Target{ExternalWorkbookID: "old", SheetID: "3"}, -1},
		{"rule 4: the sheet id narrows a resultLocation", Target{ResultLocation: "Sheet1!B2", SheetID: "1"}, 3},
		{"rule 5: an unknown id", Target{PlacementID: "p9"}, -1},
		{"rule 5: an address where nothing stands", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B3"}, -1},
		{"rule 5: an unknown spreadsheet", Target{ExternalWorkbookID: "doc2", SheetName: "Sheet1", AnchorCell: "B2"}, -1},
		{"§6: placementId wins over an address that names another one", Target{PlacementID: "p2", ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2"}, 1},
		{"§6: an unknown placementId does not fall back to the address", Target{PlacementID: "p9", ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2"}, -1},
		{"§6: no placementId never means a placement without one", Target{PlacementID: "", ResultLocation: "Nowhere!A1"}, -1},
		{"§6: several placements at a resultLocation: nothing", Target{ResultLocation: "Sheet1!B2"}, -1},
		{"§6: the spreadsheet narrows a resultLocation", Target{ResultLocation: "Sheet1!B2", ExternalWorkbookID: "other"}, 3},
		{"§6: sheet names in any case", Target{ExternalWorkbookID: "doc", SheetName: "IT'S", AnchorCell: "B2"}, 2},
		{"§6: anchors in any case, with dollars", Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "$b$2"}, 2},
		{"§6: spreadsheet ids are exact", Target{ExternalWorkbookID: "DOC", SheetName: "It's", AnchorCell: "B2"}, -1},
		{"an address said twice that agrees", Target{ExternalWorkbookID: "doc", SheetName: "sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!B2:D20"}, 0},
		{"an address said twice that differs in the sheet: nothing", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "'It''s'!B2"}, -1},
		{"an address said twice that differs in the anchor: nothing", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!H2"}, -1},
		{"a whole address beside a resultLocation without a sheet", Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2", ResultLocation: "B2:D5"}, 2},
		{"a broken anchor addresses nothing", Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B", ResultLocation: "Sheet1!B2"}, -1},
		{"a broken resultLocation addresses nothing", Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2", ResultLocation: "B:D"}, -1},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			got, ok := tc.target.Match(mooredSet())
			if got != tc.want || ok != (tc.want >= 0) {
				t.Errorf("Match = %d, %t, want %d", got, ok, tc.want)
			}
			removed, ok := Disconnect(mooredSet(), tc.target)
			if ok != (tc.want >= 0) || ok && removed != mooredSet()[tc.want] {
				t.Errorf("Disconnect = %+v, %t, want the placement %d", removed, ok, tc.want)
			}
		})
	}
}

func TestDisconnectLeavesItsInputAlone(t *testing.T) {
	existing := mooredSet()
	if _, ok := Disconnect(existing, Target{PlacementID: "p1"}); !ok {
		t.Fatal("p1 was not found")
	}
	if !slices.Equal(existing, mooredSet()) {
		t.Error("the list passed in was changed")
	}
}

func TestTargetForm(t *testing.T) {
	spot := Address{Sheet: "S", Anchor: Anchor{1, 1}}
	whole := Address{Document: "doc", Sheet: "S", Anchor: Anchor{1, 1}}
	for _, tc := range []struct {
		fact   string
		target Target
		form   Form
		want   Address
	}{
		{"an id", Target{PlacementID: "p", ResultLocation: "S!B2"}, ByID, Address{}},
		{"three parts", Target{ExternalWorkbookID: "doc", SheetName: "S", AnchorCell: "B2"}, ByAddress, whole},
		{"a location in a known spreadsheet", Target{ExternalWorkbookID: "doc", ResultLocation: "S!B2"}, ByAddress, whole},
		{"a location alone", Target{ResultLocation: "S!B2"}, ByLocation, spot},
		{"too little", Target{SheetName: "S", AnchorCell: "B2"}, ByNothing, Address{}},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			form, got := tc.target.Form()
			if form != tc.form || form != ByNothing && got != tc.want {
				t.Errorf("Form = %d, %+v, want %d, %+v", form, got, tc.form, tc.want)
			}
		})
	}
}
