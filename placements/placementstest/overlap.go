package placementstest

import "mooring/placements"

// Overlap is whether a placement of another report claims a cell of Base (decisions.md §6).
type Overlap struct {
	Fact  string
	Other placements.Placement
	Want  bool
}

// Base is the placement that the rows of Overlaps are compared with.
func Base() placements.Placement { return block("doc", "Data", "C3", "E6") }

// Overlaps are the rules of overlapping.
func Overlaps() []Overlap {
	return []Overlap{
		{"the same spot", block("doc", "Data", "C3", "E6"), true},
		{"a cell inside", block("doc", "Data", "D4", ""), true},
		{"around it", block("doc", "Data", "A1", "Z99"), true},
		{"one common corner", block("doc", "Data", "E6", "H9"), true},
		{"across it", block("doc", "Data", "A4", "Z4"), true},
		{"the sheet in another case", block("doc", "DATA", "C3", ""), true},
		{"touching on the right", block("doc", "Data", "F3", "H6"), false},
		{"touching on the left", block("doc", "Data", "A3", "B6"), false},
		{"touching above", block("doc", "Data", "C1", "E2"), false},
		{"touching below", block("doc", "Data", "C7", "E9"), false},
		{"another sheet", block("doc", "Other", "C3", "E6"), false},
		{"another spreadsheet", block("doc2", "Data", "C3", "E6"), false},
		{"a record without an address", block("doc", "", "C3", "E6"), false},
	}
}

func block(document, sheet, anchor, end string) placements.Placement {
	return placements.Placement{
		ID: "other", WorkbookID: document, Host: placements.SheetsA, SheetName: sheet, AnchorCell: anchor, EndResultCell: end,
		ResultLocation: anchor,
	}
}
