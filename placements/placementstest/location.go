package placementstest

import (
	"strings"
	"unicode/utf8"

	"mooring/placements"
)

// LocationCase is how an address in A1 form is read (decisions.md §6).
type LocationCase struct {
	Fact, Text string
	Want       placements.Location
	Normal     string
}

// Locations are the addresses that are accepted.
func Locations() []LocationCase {
	b2 := cell(1, 1)
	long := strings.Repeat("語", 100)
	single := func(sheet string, at placements.Anchor) placements.Location {
		return placements.Location{Sheet: sheet, Anchor: at, Rows: 1, Columns: 1}
	}
	block := func(sheet string, at placements.Anchor, rows, columns int) placements.Location {
		return placements.Location{Sheet: sheet, Anchor: at, Rows: rows, Columns: columns, Range: true}
	}
	return []LocationCase{
		{"a sheet and a cell", "Sheet1!B2", single("Sheet1", b2), "Sheet1!B2"},
		{"a cell alone names no sheet", "B2", single("", b2), "B2"},
		{"a quoted name, a doubled apostrophe, dollars, a range", "'It''s'!$B$2:D20", block("It's", b2, 19, 3), "'It''s'!B2:D20"},
		{"quotes that are not needed go", "'Sheet1'!B2", single("Sheet1", b2), "Sheet1!B2"},
		{"lower case", "Sheet1!b2:d20", block("Sheet1", b2, 19, 3), "Sheet1!B2:D20"},
		{"a range from bottom-right to top-left", "Sheet1!D20:B2", block("Sheet1", b2, 19, 3), "Sheet1!B2:D20"},
		{"a range from top-right to bottom-left", "Sheet1!D2:B20", block("Sheet1", b2, 19, 3), "Sheet1!B2:D20"},
		{"a range of one cell stays one", "Sheet1!B2:B2", block("Sheet1", b2, 1, 1), "Sheet1!B2:B2"},
		{
			"the whole sheet as a range", "A1:XFD1048576", block("", cell(0, 0), placements.MaxRow+1, placements.MaxColumn+1),
			"A1:XFD1048576",
		},
		{"spaces", "'My Sheet'!B2", single("My Sheet", b2), "'My Sheet'!B2"},
		{"spaces without quotes", "My Sheet!B2", single("My Sheet", b2), "'My Sheet'!B2"},
		{"a space at the ends belongs to the name", "' a '!B2", single(" a ", b2), "' a '!B2"},
		{"an exclamation mark in quotes", "'Hey!'!B2", single("Hey!", b2), "'Hey!'!B2"},
		{"an exclamation mark without quotes", "Hey!You!B2", single("Hey!You", b2), "'Hey!You'!B2"},
		{"a cell in the name", "'Sheet1!B2'!C3", single("Sheet1!B2", cell(2, 2)), "'Sheet1!B2'!C3"},
		{"a colon in quotes", "'9:00'!B2", single("9:00", b2), "'9:00'!B2"},
		{"an apostrophe inside, without quotes", "It's!B2", single("It's", b2), "'It''s'!B2"},
		{"a name of apostrophes", "''''''!B2", single("''", b2), "''''''!B2"},
		{"an emoji", "'📈 Q1'!B2", single("📈 Q1", b2), "'📈 Q1'!B2"},
		{"an emoji of several characters", "👩‍👩‍👧!B2", single("👩‍👩‍👧", b2), "'👩‍👩‍👧'!B2"},
		{"right-to-left letters need no quotes", "גיליון1!B2", single("גיליון1", b2), "גיליון1!B2"},
		{"right-to-left words", "'ورقة عمل'!B2", single("ورقة عمل", b2), "'ورقة عمل'!B2"},
		{"a name like a cell is quoted", "'Q1'!B2", single("Q1", b2), "'Q1'!B2"},
		{"a name like a cell of the wider host is quoted", "'ZZZ9'!B2", single("ZZZ9", b2), "'ZZZ9'!B2"},
		{"a name like an R1C1 cell is quoted", "'R1C1'!B2", single("R1C1", b2), "'R1C1'!B2"},
		{"R alone is quoted", "'r'!B2", single("r", b2), "'r'!B2"},
		{"a number is quoted", "'2026'!B2", single("2026", b2), "'2026'!B2"},
		{"a constant is quoted", "'True'!B2", single("True", b2), "'True'!B2"},
		{"the longest name", "'" + long + "'!B2", single(long, b2), long + "!B2"},
	}
}

// Refused is a text in A1 form that is refused.
type Refused struct {
	Fact, Text string
	Says       string // part of the message
}

// RefusedLocations are the addresses that are refused.
func RefusedLocations() []Refused {
	return []Refused{
		{"nothing", "", "names no cell"},
		{"a sheet alone", "Sheet1!", "names no cell"},
		{"a word", "somewhere", "beyond the last one, XFD"},
		{"whole columns", "Sheet1!B:D", "whole column"},
		{"one whole column", "Sheet1!B", "whole column"},
		{"whole rows", "Sheet1!2:5", "whole row"},
		{"a range open below", "Sheet1!B2:D", "open end"},
		{"a range open to the right", "Sheet1!B2:5", "open end"},
		{"a column to a row", "Sheet1!B:5", "open end"},
		{"a range without an end", "Sheet1!B2:", "is not a cell"},
		{"three corners", "Sheet1!B2:C3:D4", "is not a cell"},
		{"a corner beyond the sheet", "Sheet1!B2:XFE3", "beyond the last one, XFD"},
		{"an empty sheet name", "!B2", "sheet name is empty"},
		{"an empty quoted name", "''!B2", "sheet name is empty"},
		{"a quote never closed", "'Sheet1!B2", "never closed"},
		{"a quote that only closes", "Sheet1'!B2", "no other one opens"},
		{"a quoted name without !", "'Sheet1'B2", "not followed by !"},
		{"several sheets", "Sheet1:Sheet3!B2", "several sheets"},
		{"a control character", "She\x00et!B2", "control character"},
		{"a line break", "'a\nb'!B2", "control character"},
		{"broken UTF-8", "\xff!B2", "UTF-8"},
		{"a name longer than any host takes", strings.Repeat("x", 101) + "!B2", "longer than 100"},
		{"a space after the cell", "Sheet1!B2 ", "is not a cell"},
		{"a formula", "=Sheet1!B2+1", "is not a cell"},
	}
}

// AnchorCase is how a cell in A1 form is read (decisions.md §6).
type AnchorCase struct {
	Fact, Text string
	Want       placements.Anchor
	Normal     string
}

// Anchors are the cells that are accepted.
func Anchors() []AnchorCase {
	return []AnchorCase{
		{"the first cell", "A1", cell(0, 0), "A1"},
		{"rows and columns count from zero", "B3", cell(2, 1), "B3"},
		{"lower case", "b2", cell(1, 1), "B2"},
		{"dollars", "$B$2", cell(1, 1), "B2"},
		{"one dollar", "B$2", cell(1, 1), "B2"},
		{"two letters", "AA10", cell(9, 26), "AA10"},
		{"the last of two letters", "ZZ1", cell(0, 701), "ZZ1"},
		{"the first of three letters", "AAA1", cell(0, 702), "AAA1"},
		{"the last cell", "xfd1048576", cell(placements.MaxRow, placements.MaxColumn), "XFD1048576"},
	}
}

// RefusedAnchors are the cells that are refused.
func RefusedAnchors() []Refused {
	return []Refused{
		{"nothing", "", "is not a cell"},
		{"a column beyond the last", "XFE1", "beyond the last one, XFD"},
		{"a row beyond the last", "A1048577", "beyond the last one, 1048576"},
		{"a column that would overflow", strings.Repeat("Z", 100) + "1", "beyond the last one, XFD"},
		{"a row that would overflow", "A" + strings.Repeat("9", 100), "beyond the last one, 1048576"},
		{"row zero", "A0", "begins with 0"},
		{"a leading zero", "A01", "begins with 0"},
		{"a column alone", "B", "no row"},
		{"a row alone", "2", "no column"},
		{"a range", "B2:D20", "is not a cell"},
		{"R1C1 form", "R2C3", "is not a cell"},
		{"a dollar alone", "$", "is not a cell"},
		{"a dollar at the end", "B$", "is not a cell"},
		{"two dollars", "$$B2", "is not a cell"},
		{"a space", "B 2", "is not a cell"},
		{"full-width letters", "Ｂ2", "is not a cell"},
		{"Arabic digits", "B٢", "is not a cell"},
		{"a negative row", "B-2", "is not a cell"},
	}
}

// located are the Locations as the resultLocation of a connect; those without a sheet get one beside them.
func located() []Connect {
	var rows []Connect
	for _, l := range Locations() {
		c, end := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: l.Text}, ""
		if l.Want.Range {
			end = l.Want.End().String()
		}
		sheet := l.Want.Sheet
		if sheet == "" {
			sheet, c.SheetName = "Elsewhere", "Elsewhere"
		}
		rows = append(rows, Connect{"resultLocation: " + l.Fact, nil, c, created(bare(), at(sheet, l.Want.Anchor.String(), end, l.Text))})
	}
	return rows
}

// anchored are the Anchors as the anchorCell of a connect.
func anchored() []Connect {
	var rows []Connect
	for _, a := range Anchors() {
		c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: a.Normal, SheetName: "Data", AnchorCell: a.Text}
		rows = append(rows, Connect{"anchorCell: " + a.Fact, nil, c, created(bare(), at("Data", a.Normal, "", a.Normal))})
	}
	return rows
}

// unread are the RefusedLocations and RefusedAnchors in a connect, but for those that no JSON can hold and the empty ones, which count as
// not sent.
func unread() []Refusal {
	var rows []Refusal
	for _, r := range RefusedLocations() {
		if r.Text != "" && utf8.ValidString(r.Text) {
			c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: r.Text}
			rows = append(rows, Refusal{"resultLocation: " + r.Fact, nil, c, placements.CodeAddress, map[string]string{"/resultLocation": r.Says}})
		}
	}
	for _, r := range RefusedAnchors() {
		if r.Text != "" {
			c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AnchorCell: r.Text}
			rows = append(rows, Refusal{"anchorCell: " + r.Fact, nil, c, placements.CodeAddress, map[string]string{"/anchorCell": r.Says}})
		}
	}
	return rows
}
