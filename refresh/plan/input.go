package plan

import (
	"mooring/checksum"
	"mooring/placements"
)

// Input is what a refresh of a block starts from.
type Input struct {
	Last Last
	// Edits are those of the last refresh. The cells of those that were given back to the source take its value.
	Edits []Edit
	View  View
	// Claimed: View is the word of a client without edit access. What it says of the stamp does not choose the generation that follows.
	Claimed bool
	Ours    *checksum.Grid     // the new table, as the document would hold it
	Block   checksum.BlockRows // of Ours
	RowKey  []string           // headings of the columns that tell rows apart; none: rows are told apart by what they hold
	// Formats are the number formats of Ours, one a column, empty for none.
	Formats []string
	Held    Held // of cells of Ours
	OnEdit  placements.OnEdit
	// Asked: OnEdit was asked of this run and for this block alone, by who may decide about what stands there. Overwrite then replaces too
	// what stands where a block goes that was never written.
	Asked bool
	// WriteOver: who may decide about the document asked for cells to be replaced, and kept, that are filled where the block goes, if it was
	// never written.
	WriteOver bool
	Kept      *Kept // what to put back; nil for nothing
	Means     checksum.Means
	// ShiftRight is the last column of the sheet that shifts reach to, if that is to the right of the block.
	ShiftRight int
	Now        string // the time of the run: RFC 3339, UTC, with milliseconds
	// Restored says when Last was restored from a backup, and is empty if it was not: writes since the backup are not known. Rows that
	// neither Last nor Ours has may be Mooring's own then, and are a conflict unless they are overwritten.
	Restored string
	// Behind says when the storage came back without its last seconds, if that was after it completed the write of Last, and is empty
	// otherwise. It counts for a sheet without a stamp, which tells itself how far it is.
	Behind string
	// Personal: the source shows each person other rows. A message, which others read too, then names no value of Ours.
	Personal bool
}

// Kept is what an earlier run kept of a block, which this one is to put back.
type Kept struct {
	Columns []string     // headings of the block after that run
	Rows    []ChangedRow // as JSON has their cells
	Over    bool         // see Changes: empty cells were not kept
	Top     int          // the sheet's row of the headings after that run, from 1
}

// ChangedRow is a row before and after a run, as JSON shows its cells: an error is an ErrorCell, a formula has what it showed before the
// run. Before is nil for a row that was added, After for one that was removed.
type ChangedRow struct {
	Row    int // of the sheet after the run, from 1; of one that was removed, before it
	Was    int // before it, where that is another; else 0
	Before []any
	After  []any
}

// PutBack counts the cells that a run was to put back.
type PutBack struct {
	Cells int // that hold again what they held before, by this run
	Stood int // that did so already
	Left  int // that stay as they are: they hold something else than was written, or their row or column is gone
}

// View is what stands in the document.
type View struct {
	Marked   bool // found by its marker, else at its stored address
	Sheet    string
	Anchor   placements.Anchor
	Extent   checksum.Extent // the marker's rectangle; zero when not Marked
	Cells    *checksum.Grid  // from the anchor, row 0 first, beyond the block too; a formula shows its value
	Formulas []Formula       // by row, then column
	Stamp    string          // what the document keeps of the last write beside the marker; empty for nothing
}

// Formula is a formula that stands, or is to stand, in a cell.
type Formula struct {
	Position
	// Text is the formula with its =. It is empty for a cell that the formula of another one fills, and in Changes for one that is left as
	// it stands.
	Text string
	// Fixed reports of a formula that was read that it cannot move: an array or a data table.
	Fixed bool
}

// Position is a cell of a block.
type Position struct{ Row, Column int }

// Edit is a cell that is not the source's but a person's.
type Edit struct {
	ID       string // stays with the edit while refreshes keep it, wherever its row moves
	Row      int    // row 0 is the header
	Column   int
	Name     string // the column's heading
	Yours    any    // the cell's value, as JSON shows it
	Source   any    // the source's value; nil too when it is not known, and when Inserted
	Inserted bool   // of a row that the person inserted
	SeenAt   string // the Now of the refresh that first saw it
	Returned bool   // given back to the source
	// TextAmongNumbers: it is a text in a column in which the source has numbers.
	TextAmongNumbers bool
}

// OverwrittenRow is what a refresh replaced in a row.
type OverwrittenRow struct {
	Row    int   // of the sheet
	Values []any // as JSON shows them, with the formula for a cell that had one
}

// at is where the block stands.
func (v View) at() placements.Location { return placements.Location{Sheet: v.Sheet, Anchor: v.Anchor} }

func header(g *checksum.Grid) []checksum.Cell {
	if g.Rows() == 0 {
		return nil
	}
	return g.Cells(0, nil)
}
