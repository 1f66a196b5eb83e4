// Package host is where results go: one contract, one implementation a kind of spreadsheet.
package host

import (
	"context"

	"mooring/checksum"
	"mooring/placements"
)

// Host reads and writes the blocks of placements. It is safe for concurrent use; the caller makes writes to one document
// serial among Mooring's own. Errors that a user can act on are *placements.Fault.
type Host interface {
	// Read finds b, by its marker (the name _mooring_<placementId>) or else at its stored address, and reads the rectangle
	// from its anchor that covers the marker's extent and want, whichever is larger on each axis. A missing document or
	// sheet is a Structure fault, a file open elsewhere a Transient one.
	Read(ctx context.Context, b Block, want checksum.Extent) (View, error)
	// Write applies p in one atomic step as far as the host can, sets the marker to the patch's extent, and leaves
	// everything else of the document as it is. Text is written as text, never as a formula. When the document changed since p.Revision
	// was read, it writes nothing and returns a Transient fault.
	Write(ctx context.Context, p Patch) (Written, error)
	// CanShift tells whether Write honours p.Shifts.
	CanShift() bool
	// Check proves that the host can be reached and lets us in.
	Check(ctx context.Context) error
}

// Block names a placed block and the address last recorded for it.
type Block struct {
	Document    string // externalWorkbookId
	PlacementID string
	SheetID     string // optional extra identity
	Sheet       string
	Anchor      placements.Anchor
}

// View is what stands in the document now.
type View struct {
	Marked   bool   // found by its marker, else at its stored address
	SheetID  string // where it stands now, as is Sheet and Anchor
	Sheet    string
	Anchor   placements.Anchor
	Extent   checksum.Extent // the marker's rectangle; zero when not Marked
	Cells    *checksum.Grid  // the rectangle's cells from the anchor, row 0 first; a formula shows its value
	Formulas []Formula       // cells that hold a formula, by row, then column
	Revision string          // opaque; empty when the host has none
	Calls    int             // requests made (a file opened counts one)
}

// Formula is a formula that stands in a cell of a View.
type Formula struct {
	Position
	// Text is the formula with its =, as the document has it. It is empty for a cell that another cell's formula fills: one of an
	// array or a data table. Where a cell's formula was filled from another and cannot be told for it, the other's text stands here,
	// and behind it which cell that is.
	Text string
}

// Position is a cell relative to a block's anchor, from zero.
type Position struct{ Row, Column int }

// Patch is what to change in one block. Shifts come first, then Rows and Clear; all are relative to the anchor.
type Patch struct {
	Block    Block            // where it stands, as Read found it
	Revision string           // from the View
	Grid     *checksum.Grid   // the new block
	Formats  []string         // number format a column, empty for none
	Shifts   []checksum.Shift // rows of cells to insert or delete, in order, over the columns of Extent and what was there
	Rows     []checksum.Span  // rows of Grid to write, over Extent.Columns; missing trailing cells become empty
	Clear    []checksum.Rect  // cells of the old block to empty
	Extent   checksum.Extent  // the block's rectangle afterwards
}

// Written is what a Write did.
type Written struct {
	Rows, Cells int // written or cleared
	Calls       int
}
