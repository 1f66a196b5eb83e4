package placements

import "testing"

func TestRect(t *testing.T) {
	for _, tc := range []struct {
		fact string
		p    Placement
		want Rect
		ok   bool
	}{
		{"from the anchor to the end", Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", EndResultCell: "D20"}, Rect{1, 1, 19, 3}, true},
		{"the anchor alone", Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2"}, Rect{1, 1, 1, 1}, true},
		{"the range of the location", Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", ResultLocation: "S!B2:C3"}, Rect{1, 1, 2, 2}, true},
		{"not a range that begins elsewhere", Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", ResultLocation: "S!A1:C3"}, Rect{1, 1, 1, 1}, true},
		{"an end before the anchor counts as one cell", Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "B2", EndResultCell: "A9"}, Rect{1, 1, 1, 1}, true},
		{"a record with only a location", Placement{WorkbookID: "d", ResultLocation: "S!B2:C3"}, Rect{1, 1, 2, 2}, true},
		{"no sheet, no rectangle", Placement{WorkbookID: "d", AnchorCell: "B2"}, Rect{}, false},
		{"no anchor, no rectangle", Placement{WorkbookID: "d", SheetName: "S", AnchorCell: "?"}, Rect{}, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			got, ok := tc.p.Rect()
			if got != tc.want || ok != tc.ok {
				t.Errorf("Rect = %v, %t, want %v, %t", got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestOverlaps(t *testing.T) {
	block := func(document, sheet, anchor, end string) Placement {
		return Placement{WorkbookID: document, SheetName: sheet, AnchorCell: anchor, EndResultCell: end}
	}
	base := block("doc", "Data", "C3", "E6")
	for _, tc := range []struct {
		fact  string
		other Placement
		want  bool
	}{
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
	} {
		t.Run(tc.fact, func(t *testing.T) {
			if got := Overlaps(base, tc.other); got != tc.want {
				t.Errorf("Overlaps = %t, want %t", got, tc.want)
			}
			if got := Overlaps(tc.other, base); got != tc.want {
				t.Errorf("the other way round = %t, want %t", got, tc.want)
			}
		})
	}
}
