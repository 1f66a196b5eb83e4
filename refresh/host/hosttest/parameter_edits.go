package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
)

// StructuralEdit is what a person does to the sheet Other, which FillParameters filled, and where the cell F10, the column F20:F23 and the row
// H10:J10 are then: empty for where they were.
type StructuralEdit struct {
	Fact              string
	Do                func(t *testing.T, b Spreadsheet)
	cell, column, row string
}

// Places are where the cell, the column and the row stand after the edit.
func (e StructuralEdit) Places(b Spreadsheet) (list []placements.Location) {
	on := b.Other
	switch e.Fact {
	case "the sheet is renamed":
		on = "Setup"
	case "the sheet is renamed with signs":
		on = "It's 2026 – new"
	}
	for i, at := range []string{e.cell, e.column, e.row} {
		if at == "" {
			at = ParameterPlaces[i]
		}
		l := b.parameter(0, at).At
		switch l.Sheet {
		case b.Other:
			l.Sheet = on
		case "Data":
			l.Sheet = b.Sheet
		}
		list = append(list, l)
	}
	return list
}

// parameterEdits are the edits that cells of parameters are followed through. Each takes one request to find them all.
func parameterEdits() (list []testCase) {
	for _, e := range StructuralEdits() {
		list = append(list, testCase{"cells of parameters are followed: " + e.Fact, e.run})
	}
	return list
}

func (e StructuralEdit) run(t *testing.T, b Spreadsheet) {
	cells := setup(t, b)
	name(t, b, names(2), cells...)
	e.Do(t, b)
	found := readParameters(t, b, cells...)
	if found[0].Calls != 1 {
		t.Errorf("%d calls, want 1", found[0].Calls)
	}
	for i, at := range e.Places(b) {
		wantParameter(t, b, found[i], at.String(), true)
		cells[i].At = found[i].At
	}
	name(t, b, names(3), cells...) // finds them named, wherever they went
	for i, f := range readParameters(t, b, cells...) {
		wantParameter(t, b, f, cells[i].At.String(), true)
	}
}

func rowsInserted(row, n int) func(*testing.T, Spreadsheet) {
	return func(t *testing.T, b Spreadsheet) { b.Editor.InsertRows(t, b.Other, row, n) }
}

func rowsDeleted(row, n int) func(*testing.T, Spreadsheet) {
	return func(t *testing.T, b Spreadsheet) { b.Editor.DeleteRows(t, b.Other, row, n) }
}

func columnsInserted(column string, n int) func(*testing.T, Spreadsheet) {
	return func(t *testing.T, b Spreadsheet) { b.Editor.InsertColumns(t, b.Other, column, n) }
}

func columnsDeleted(column string, n int) func(*testing.T, Spreadsheet) {
	return func(t *testing.T, b Spreadsheet) { b.Editor.DeleteColumns(t, b.Other, column, n) }
}

func cut(area, to string) func(*testing.T, Spreadsheet) {
	return func(t *testing.T, b Spreadsheet) { b.Editor.Cut(t, b.Other, area, b.Other, to) }
}

// StructuralEdits are 46 edits through which cells of parameters are followed.
func StructuralEdits() []StructuralEdit {
	return []StructuralEdit{
		{"a row inserted at the top", rowsInserted(1, 1), "F11", "F21:F24", "H11:J11"},
		{"rows inserted at the top", rowsInserted(1, 3), "F13", "F23:F26", "H13:J13"},
		{"a row inserted above", rowsInserted(9, 1), "F11", "F21:F24", "H11:J11"},
		{"a row inserted directly above", rowsInserted(10, 1), "F11", "F21:F24", "H11:J11"},
		{"rows inserted directly below", rowsInserted(11, 2), "", "F22:F25", ""},
		{"a row inserted directly above the column", rowsInserted(20, 1), "", "F21:F24", ""},
		{"rows inserted into the column", rowsInserted(21, 2), "", "F20:F25", ""},
		{"a row inserted above the column's last", rowsInserted(23, 1), "", "F20:F24", ""},
		{"a row inserted directly below the column", rowsInserted(24, 1), "", "", ""},
		{"rows inserted far below", rowsInserted(30, 10), "", "", ""},
		{"the first row deleted", rowsDeleted(1, 1), "F9", "F19:F22", "H9:J9"},
		{"all rows above deleted", rowsDeleted(1, 9), "F1", "F11:F14", "H1:J1"},
		{"the row above deleted", rowsDeleted(9, 1), "F9", "F19:F22", "H9:J9"},
		{"the row below deleted", rowsDeleted(11, 1), "", "F19:F22", ""},
		{"the rows above the column deleted", rowsDeleted(11, 9), "", "F11:F14", ""},
		{"the column's first row deleted", rowsDeleted(20, 1), "", "F20:F22", ""},
		{"a row of the column deleted", rowsDeleted(21, 1), "", "F20:F22", ""},
		{"the column's last row deleted", rowsDeleted(23, 1), "", "F20:F22", ""},
		{"all rows of the column but one deleted", rowsDeleted(20, 3), "", "F20", ""},
		{"rows deleted over the column's first", rowsDeleted(19, 3), "", "F19:F20", ""},
		{"rows deleted below the column", rowsDeleted(24, 5), "", "", ""},
		{"a column inserted at the side", columnsInserted("A", 1), "G10", "G20:G23", "I10:K10"},
		{"columns inserted at the side", columnsInserted("A", 3), "I10", "I20:I23", "K10:M10"},
		{"a column inserted directly before", columnsInserted("F", 1), "G10", "G20:G23", "I10:K10"},
		{"columns inserted directly behind", columnsInserted("G", 2), "", "", "J10:L10"},
		{"a column inserted directly before the row", columnsInserted("H", 1), "", "", "I10:K10"},
		{"columns inserted into the row", columnsInserted("I", 2), "", "", "H10:L10"},
		{"a column inserted before the row's last", columnsInserted("J", 1), "", "", "H10:K10"},
		{"a column inserted behind the row", columnsInserted("K", 1), "", "", ""},
		{"the first column deleted", columnsDeleted("A", 1), "E10", "E20:E23", "G10:I10"},
		{"all columns before deleted", columnsDeleted("A", 5), "A10", "A20:A23", "C10:E10"},
		{"the column behind deleted", columnsDeleted("G", 1), "", "", "G10:I10"},
		{"the row's first column deleted", columnsDeleted("H", 1), "", "", "H10:I10"},
		{"a column of the row deleted", columnsDeleted("I", 1), "", "", "H10:I10"},
		{"the row's last column deleted", columnsDeleted("J", 1), "", "", "H10:I10"},
		{"columns behind the row deleted", columnsDeleted("K", 2), "", "", ""},
		{"the sheet is renamed", func(t *testing.T, b Spreadsheet) { b.Editor.RenameSheet(t, b.Other, "Setup") }, "", "", ""},
		{"the sheet is renamed with signs", func(t *testing.T, b Spreadsheet) { b.Editor.RenameSheet(t, b.Other, "It's 2026 – new") }, "", "", ""},
		{"the sheet is copied", func(t *testing.T, b Spreadsheet) { b.Editor.CopySheet(t, b.Other, "Copied") }, "", "", ""},
		{"the sheet is copied, and the copy changed", func(t *testing.T, b Spreadsheet) {
			b.Editor.CopySheet(t, b.Other, "Copied")
			b.Editor.InsertRows(t, "Copied", 1, 3)
			b.Editor.Set(t, "Copied", "F13", checksum.Str("copied"))
		}, "", "", ""},
		{"the cell is cut and pasted", cut("F10:F10", "B2"), "B2", "", ""},
		{"the cell is cut and pasted on another sheet", func(t *testing.T, b Spreadsheet) {
			b.Editor.Cut(t, b.Other, "F10:F10", b.Sheet, "A1")
		}, "Data!A1", "", ""},
		{"the column is cut and pasted", cut("F20:F23", "A30"), "", "A30:A33", ""},
		{"the cell and the row are cut and pasted together", cut("F10:J10", "A40"), "A40", "", "C40:E40"},
		{"the cell is cut and pasted, then rows inserted", func(t *testing.T, b Spreadsheet) {
			cut("F10:F10", "B2")(t, b)
			rowsInserted(2, 2)(t, b)
		}, "B4", "F22:F25", "H12:J12"},
		{"a cell beside is cut and pasted", cut("E5:E5", "E6"), "", "", ""},
	}
}
