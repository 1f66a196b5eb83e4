package plan

import (
	"mooring/checksum"
	"mooring/placements"
)

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
}

// OverwrittenRow is what a refresh replaced in a row.
type OverwrittenRow struct {
	Row    int   // of the sheet
	Values []any // as JSON shows them, with the formula for a cell that had one
}
