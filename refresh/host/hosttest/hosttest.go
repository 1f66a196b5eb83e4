package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

// Spreadsheet is a spreadsheet made for one test, and the ways to it.
type Spreadsheet struct {
	Host     host.Driver
	Document string // externalWorkbookId; no document has this id with "missing-" before it
	Sheet    string // the name of an empty sheet
	Other    string // the name of another
	Editor   Editor
	// State is a text that changes whenever the document does, by whomever.
	State func(t testing.TB) string
	// Deny takes the host's access to the document away.
	Deny func(t testing.TB)
	// Unconditional says that a write does not notice cells that others changed since they were read.
	Unconditional bool
	// Alters says that the document may hold other texts than it is given, which a write must then report.
	Alters bool
	// SeesMerges says that the host can tell which cells merged ones cover.
	SeesMerges bool
	// ForgetsNames says that the host cannot tell a name whose cells were deleted from one that is not there.
	ForgetsNames bool
	// Count1904 has the document count dates from 1904; nil where no document does.
	Count1904 func(t testing.TB)
	// LargestRows is how many rows of 4 cells the test of a large block writes; 0 means 100,000.
	LargestRows int
}

// Editor acts on the document as a person with a spreadsheet program would. Cells are in A1 form. Its methods end the test when they
// cannot do what they are asked.
type Editor interface {
	// Set types a value into a cell; Text is text whatever it looks like, Empty clears the cell.
	Set(t testing.TB, sheet, cell string, c checksum.Cell)
	// SetFormula types a formula, without its =, and the value that it shows for now.
	SetFormula(t testing.TB, sheet, cell, formula string, shows checksum.Cell)
	// Get is what a cell holds: its value, and its formula without the =, empty if it has none.
	Get(t testing.TB, sheet, cell string) (c checksum.Cell, formula string)
	// NumberFormat is the format code of a cell, empty for the general one.
	NumberFormat(t testing.TB, sheet, cell string) string
	// SetNumberFormat sets the format code of a cell and leaves what it holds.
	SetNumberFormat(t testing.TB, sheet, cell, format string)
	// InsertRows inserts n whole rows above row, which counts from 1.
	InsertRows(t testing.TB, sheet string, row, n int)
	// DeleteRows deletes n whole rows from row on, which counts from 1.
	DeleteRows(t testing.TB, sheet string, row, n int)
	// InsertColumns inserts n whole columns before one, such as C.
	InsertColumns(t testing.TB, sheet, column string, n int)
	// DeleteColumns deletes n whole columns from one on.
	DeleteColumns(t testing.TB, sheet, column string, n int)
	// Cut cuts the cells of an area, such as B2:C3, and pastes them from a cell on, of the same sheet or of another.
	Cut(t testing.TB, sheet, area, on, cell string)
	// Merge merges the cells of an area.
	Merge(t testing.TB, sheet, area string)
	// HideRows hides n whole rows by hand, from row on, which counts from 1.
	HideRows(t testing.TB, sheet string, row, n int)
	// Hidden reports whether a row is hidden, which counts from 1.
	Hidden(t testing.TB, sheet string, row int) bool
	// RenameSheet changes a sheet's name.
	RenameSheet(t testing.TB, sheet, name string)
	// CopySheet copies a sheet with the names that mark something on it.
	CopySheet(t testing.TB, sheet, as string)
	// DeleteSheet deletes a sheet and all that stands on it.
	DeleteSheet(t testing.TB, sheet string)
}

// Factory makes a fresh document for t.
type Factory func(t *testing.T) Spreadsheet

// testCase is one fact that the suite proves.
type testCase struct {
	name string
	run  func(t *testing.T, b Spreadsheet)
}

func check(t *testing.T, b Spreadsheet) {
	if err := b.Host.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
}
