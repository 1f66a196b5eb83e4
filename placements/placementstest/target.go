package placementstest

import "mooring/placements"

// Moored are the placements that the rows of Targets are matched against. The fifth and sixth were recorded before ids existed.
func Moored() []placements.Placement {
	set := []placements.Placement{
		{ID: "p1", WorkbookID: "doc", SheetID: "7", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!B2:D20"},
		{ID: "p2", WorkbookID: "doc", SheetID: "7", SheetName: "Sheet1", AnchorCell: "H2", ResultLocation: "Sheet1!H2"},
		{ID: "p3", WorkbookID: "doc", SheetName: "It's", AnchorCell: "B2", ResultLocation: "'It''s'!B2"},
		{ID: "p4", WorkbookID: "other", SheetID: "1", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!B2"},
		{WorkbookID: "old", SheetName: "Data", AnchorCell: "A1", ResultLocation: "Data!A1"},
		{WorkbookID: "old", ResultLocation: "'Older data'!$C$3:D9"},
		{ID: "p7", WorkbookID: "doc", SheetName: "ΟΔΟΣ", AnchorCell: "B2", ResultLocation: "ΟΔΟΣ!B2"},
	}
	for i := range set {
		set[i].Host = placements.SheetsA
	}
	return set
}

// TargetCase is a rule of addressing a placement (interface.md, disconnect rules 1 to 5; decisions.md §6).
type TargetCase struct {
	Rule   string
	Target placements.Target
	Want   int // the index of the placement among Moored; -1: it addresses none
}

// Targets are the rules of disconnecting, and of saying which placement was rewritten.
func Targets() []TargetCase {
	return []TargetCase{
		{
			"rule 1: the same spot of another spreadsheet stays",
			placements.Target{ExternalWorkbookID: "other", SheetName: "Sheet1", AnchorCell: "B2"},
			3,
		},
		{
			"rule 1: the same anchor of another sheet stays",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2"},
			2,
		},
		{"rule 2: by placementId", placements.Target{PlacementID: "p2"}, 1},
		{
			"rule 2: by spreadsheet, sheet and anchor",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "H2"},
			1,
		},
		{
			"rule 2: a placement without an id by its address",
			placements.Target{ExternalWorkbookID: "old", SheetName: "Data", AnchorCell: "A1"},
			4,
		},
		{
			"rule 2: a record that has only a resultLocation by its address",
			placements.Target{ExternalWorkbookID: "old", SheetName: "Older data", AnchorCell: "C3"},
			5,
		},
		{"rule 2: a placement without an id by a resultLocation", placements.Target{ResultLocation: "Data!A1"}, 4},
		{"rule 2: a record that has only a resultLocation by it", placements.Target{ResultLocation: "'older data'!C3"}, 5},
		{"rule 2: by a resultLocation that names sheet and anchor", placements.Target{ResultLocation: "'It''s'!B2"}, 2},
		{"rule 2: a resultLocation's range stands for its anchor", placements.Target{ResultLocation: "'It''s'!$B$2:Z99"}, 2},
		{
			"rule 2: a resultLocation without a sheet addresses nothing",
			placements.Target{ExternalWorkbookID: "doc", ResultLocation: "H2"},
			-1,
		},
		{"rule 2: a resultLocation without an anchor addresses nothing", placements.Target{ResultLocation: "'It''s'!"}, -1},
		{"rule 2: nothing sent addresses nothing", placements.Target{}, -1},
		{"rule 3: without the sheet name nothing", placements.Target{ExternalWorkbookID: "doc", AnchorCell: "H2"}, -1},
		{"rule 3: without the anchor nothing", placements.Target{ExternalWorkbookID: "doc", SheetName: "It's"}, -1},
		{"rule 3: without the spreadsheet nothing", placements.Target{SheetName: "It's", AnchorCell: "B2"}, -1},
		{"rule 3: the spreadsheet alone nothing", placements.Target{ExternalWorkbookID: "other"}, -1},
		{"rule 3: the anchor alone nothing", placements.Target{AnchorCell: "B2"}, -1},
		{
			"rule 3: the anchor is not taken from a resultLocation without a sheet",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "It's", ResultLocation: "B2"},
			-1,
		},
		{
			"rule 4: the sheet id narrows to a match",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", SheetID: "7"},
			0,
		},
		{
			"rule 4: another sheet id is no match",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", SheetID: "8"},
			-1,
		},
		{
			"rule 4: a sheet id is no substitute for the name",
			placements.Target{ExternalWorkbookID: "doc", SheetID: "7", AnchorCell: "B2"},
			-1,
		},
		{
			"rule 4: a placement stored without a sheet id matches by its name",
			placements.Target{ExternalWorkbookID: "old", SheetName: "Data", AnchorCell: "A1", SheetID: "3"},
			4,
		},
		{"rule 4: the id alone addresses no old placement", placements.Target{ExternalWorkbookID: "old", SheetID: "3"}, -1},
		{
			"rule 4: the id with an anchor addresses no old placement",
			placements.Target{ExternalWorkbookID: "old", SheetID: "3", AnchorCell: "A1"},
			-1,
		},
		{"rule 4: a sheet id alone addresses nothing", placements.Target{SheetID: "1"}, -1},
		{"rule 4: the sheet id narrows a resultLocation", placements.Target{ResultLocation: "Sheet1!B2", SheetID: "1"}, 3},
		{"rule 4: another sheet id matches no resultLocation", placements.Target{ResultLocation: "Sheet1!H2", SheetID: "1"}, -1},
		{"rule 5: an unknown id", placements.Target{PlacementID: "p9"}, -1},
		{
			"rule 5: an address where nothing stands",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B3"},
			-1,
		},
		{"rule 5: an unknown spreadsheet", placements.Target{ExternalWorkbookID: "doc2", SheetName: "Sheet1", AnchorCell: "B2"}, -1},
		{"rule 5: a resultLocation where nothing stands", placements.Target{ResultLocation: "Sheet1!Z1"}, -1},
		{"rule 5: an id that no placement can have", placements.Target{PlacementID: "\x013:oldA1!DATA"}, -1},
		{
			"§6: placementId wins over an address that names another one",
			placements.Target{PlacementID: "p2", ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2"},
			1,
		},
		{"§6: placementId wins over a sheet id that is not its placement's", placements.Target{PlacementID: "p1", SheetID: "8"}, 0},
		{
			"§6: placementId wins over an address that is broken",
			placements.Target{PlacementID: "p1", AnchorCell: "?", ResultLocation: "B:D"},
			0,
		},
		{
			"§6: an unknown placementId does not fall back to the address",
			placements.Target{PlacementID: "p9", ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2"},
			-1,
		},
		{"§6: no placementId never means a placement without one", placements.Target{PlacementID: "", ResultLocation: "Nowhere!A1"}, -1},
		{"§6: several placements at a resultLocation: nothing", placements.Target{ResultLocation: "Sheet1!B2"}, -1},
		{"§6: the spreadsheet narrows a resultLocation", placements.Target{ResultLocation: "Sheet1!B2", ExternalWorkbookID: "other"}, 3},
		{
			"§6: the spreadsheet and the sheet id narrow a resultLocation to nothing",
			placements.Target{ResultLocation: "Sheet1!B2", ExternalWorkbookID: "doc", SheetID: "1"},
			-1,
		},
		{"§6: sheet names in any case", placements.Target{ExternalWorkbookID: "doc", SheetName: "IT'S", AnchorCell: "B2"}, 2},
		{"§6: sheet names by Unicode simple folding", placements.Target{ExternalWorkbookID: "doc", SheetName: "οδος", AnchorCell: "B2"}, 6},
		{"§6: a sheet name in apostrophes, an apostrophe in it doubled", placements.Target{ResultLocation: "'It''s'!$B$2"}, 2},
		{"§6: anchors in any case, with dollars", placements.Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "$b$2"}, 2},
		{"§6: spreadsheet ids are exact", placements.Target{ExternalWorkbookID: "DOC", SheetName: "It's", AnchorCell: "B2"}, -1},
		{
			"an address said twice that agrees",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!B2:D20"},
			0,
		},
		{
			"an address said twice that differs in the sheet: nothing",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "'It''s'!B2"},
			-1,
		},
		{
			"an address said twice that differs in the anchor: nothing",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B2", ResultLocation: "Sheet1!H2"},
			-1,
		},
		{
			"a whole address beside a resultLocation without a sheet",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2", ResultLocation: "B2:D5"},
			2,
		},
		{
			"a broken anchor addresses nothing",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "Sheet1", AnchorCell: "B", ResultLocation: "Sheet1!B2"},
			-1,
		},
		{
			"a broken resultLocation addresses nothing",
			placements.Target{ExternalWorkbookID: "doc", SheetName: "It's", AnchorCell: "B2", ResultLocation: "B:D"},
			-1,
		},
	}
}
