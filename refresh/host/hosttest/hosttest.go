package hosttest

import (
	"slices"
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

// Book is a spreadsheet made for one test, and the ways to it.
type Book struct {
	Host     host.Host
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
	// HideRows hides n whole rows by hand, from row on, which counts from 1.
	HideRows(t testing.TB, sheet string, row, n int)
	// Hidden reports whether a row is hidden, which counts from 1.
	Hidden(t testing.TB, sheet string, row int) bool
	// RenameSheet changes a sheet's name.
	RenameSheet(t testing.TB, sheet, name string)
	// DeleteSheet deletes a sheet and all that stands on it.
	DeleteSheet(t testing.TB, sheet string)
}

// Factory makes a fresh document for t.
type Factory func(t *testing.T) Book

// Run holds the hosts that f makes to the contract of host.Host.
func Run(t *testing.T, f Factory) {
	for _, c := range slices.Concat(cases(), followCases(), formatCases(), fillCases(), keepCases(), exactCases(), identityCases()) {
		t.Run(c.name, func(t *testing.T) { c.run(t, f(t)) })
	}
}

// testCase is one fact that the suite proves.
type testCase struct {
	name string
	run  func(t *testing.T, b Book)
}

func cases() []testCase {
	return []testCase{
		{"the host answers a check", check},
		{"every kind of cell comes back with the same fingerprints, or as the write told", roundTrip},
		{"text that looks like a formula stays text", injection},
		{"dates get their number format", dates},
		{"a column that moves takes its number format along", otherFormats},
		{"cells around the block stay", leavesNeighbours},
		{"a block that shrinks clears what it leaves", shrinks},
		{"a block grows", grows},
		{"one changed row is one row written", oneRow},
		{"an unchanged block is one read and no write", unchanged},
		{"a document changed since it was read is not written", stale},
		{"a cancelled call changes nothing", cancelled},
		{"rows of cells shift", shifts},
		{"rows of cells move with what refers to them", moves},
		{"several blocks take one read and one write", several},
		{"blocks side by side on the same rows are written together", sideBySide},
		{"rectangles over each other are each read whole", readsOver},
		{"a refused patch is refused with all others, and alone when written one by one", refused},
		{"a session that writes twice knows what it left", writesTwice},
		{"a change by others between two writes is not overwritten", changedBetween},
		{"a block that another one's shift moves is written where it then stands", shiftsOthers},
		{"a shift that would tear another block apart is a conflict", tearsOthers},
		{"a shift that would tear a block apart which was not read is a conflict", tearsUnread},
		{"a shift that would open a block beside is a conflict", opensBeside},
		{"blocks one below another both grow at their ends", growTogether},
		{"blocks one below another grow at their ends one by one", growApart},
		{"without shifts, only empty cells beside a block are filled", fillsEmpty},
		{"nothing is filled beside a block that had no rows, or lost some", fillsNothing},
		{"how many formulas shifts change is told before they are made", tellsFollowing},
		{"a missing sheet hinders the blocks of other sheets in nothing", oneSheetMissing},
		{"a formula is written, or left as it stands", writesFormulas},
		{"patches that overlap are an error", overlapping},
		{"without a marker the stored address is read", unmarked},
		{"cells that are not ours are seen", foreign},
		{"formulas are seen with their texts and values", formulas},
		{"a formula inside the block is overwritten, one beside it is not", overwrites},
		{"reads may run at the same time", concurrent},
		{"a missing document or sheet is a structure fault", missing},
		{"a refused write is an auth fault", denied},
		{"the marker follows inserted rows", followsRows},
		{"the marker covers rows inserted and deleted inside", growsWithRows},
		{"the marker follows a renamed sheet", followsSheetName},
		{"a deleted sheet loses the marker", losesSheet},
		{"a marker left behind where a block no longer stands is taken over", takesOver},
		{"a block can be marked without writing it", adopts},
		{"markers of placements with similar ids differ", tellsApart},
		{"a status cell is written with its block and followed", writesStatusCell},
		{"a status cell below a block that shifts moves along", shiftsStatusCell},
		{"a block that grows into hidden rows shows them", showsGained},
		{"a total that moves into a hidden row shows it", showsMoved},
		{"what was hidden, or is nothing, stays hidden", keepsHidden},
		{"a stamp is kept beside the marker", keepsStamps},
		{"a large block", large},
	}
}

func check(t *testing.T, b Book) {
	if err := b.Host.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
}
