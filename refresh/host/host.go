package host

import (
	"context"
	"errors"

	"mooring/checksum"
	"mooring/placements"
)

// ErrUnopened is the cause of a fault of Open that tells of a folder what is in it: it is for those alone who know the document.
var ErrUnopened = errors.New("the document cannot be opened")

// Driver opens documents. It is safe for concurrent use; a caller is the only one of Mooring's own that has a document open.
// Errors that a user can act on are *placements.Fault.
type Driver interface {
	// Open begins a session on a document. A missing document is a Structure fault, here or at the first Read; a file open
	// elsewhere is a Transient one.
	Open(ctx context.Context, document string) (Session, error)
	// Has looks for a document without opening it. Errors are those of Open and of the first Read; nil: it is there.
	Has(ctx context.Context, document string) error
	// MaxShifts returns how many shifts a patch may have: as many as Write makes in a time that people wait for. 0: Write honours none.
	MaxShifts() int
	// CanMove reports whether Write honours Patch.Moves.
	CanMove() bool
	// Check proves that the host can be reached and lets us in.
	Check(ctx context.Context) error
}

// Config is the configuration of a host: a struct whose yaml tags name its keys.
type Config interface {
	// Paths returns the paths of the configuration, each of which the caller may make absolute before Open.
	Paths() []*string
	// Open makes the host. It sends nothing to a service: Check does. The host takes its quotas from limiter; nil shares them
	// within the host alone. Errors name the keys at fault and hold no secret.
	Open(ctx context.Context, limiter Limiter) (Driver, error)
}

// Parted is what a Driver is that consists of parts to which it may be let in or not.
type Parted interface {
	// Parts names them.
	Parts() []string
	// CheckPart proves that documents of a part, by its position in Parts, can be opened. It changes nothing.
	CheckPart(ctx context.Context, part int) (Part, error)
}

// Part is what a check of a part of a host found.
type Part struct {
	Note    string // what was tried, or why nothing
	Warning string // what works and may not be meant so; empty for nothing
}

// Session is one document, open for one or several reads and writes: one state of it, which only the session's own writes change.
// A change by others after the first Read is a Transient fault wherever the host can notice it. A Session is not safe for concurrent use.
type Session interface {
	// Read finds each block, by its marker (the name _mooring_<placementId>) or else at its stored address, and reads the rectangle
	// from its anchor that covers the marker's extent and the wanted one, whichever is larger on each axis: all blocks in as few
	// requests, or passes over a sheet, as possible. It returns one Found a Wanted, in their order. An error that concerns one
	// block alone, such as its missing sheet, a Structure fault, stands in its Found; one that concerns the document is returned.
	Read(ctx context.Context, wanted []Wanted) ([]Found, error)
	// Write applies all patches in one step as far as the host can, sets each marker to its patch's extent, and leaves everything
	// else of the document as it is. Text is written as text, never as a formula. It returns one Written a patch, in their order.
	//
	// When others changed the document since it was read, nothing is written: a Transient fault. A fault of class Auth, Conflict,
	// Structure or Permanent says that the patches, or one of them, were refused and nothing was written: the session can still be used,
	// and the patches may be written one by one. After a successful Write the session knows what that left: a patch names its
	// block's anchor as it was last read, even if the session's own writes moved the block since, and so do its Formulas the cells that
	// they refer to.
	Write(ctx context.Context, patches []Patch) ([]Written, error)
	// Close ends the session. It undoes nothing.
	Close() error
}

// Follower is a Session that counts in advance what follows the shifts of patches.
type Follower interface {
	// Follows returns how many formulas refer to cells that move, so that a Write of the patches would change their texts. It writes
	// nothing. Its faults are those of a Write that would refuse the patches because of their shifts.
	Follows(ctx context.Context, patches []Patch) (Follow, error)
}

// Follow counts what follows cells that move.
type Follow struct {
	Formulas int // cells with a formula whose text changes
	Sheets   int // that have such cells
}

// Block names a placed block and the address last recorded for it.
type Block struct {
	Document    string // externalWorkbookId, the session's
	PlacementID string
	SheetID     string // optional extra identity
	Sheet       string
	Anchor      placements.Anchor
}

// Wanted is a block to read, and how much of it at least.
type Wanted struct {
	Block  Block
	Extent checksum.Extent
	Likely Likely
}

// Likely is what a caller expects in a block, from its anchor on; zero for nothing. Rows of which a host can prove by their fingerprints that
// they hold just that, and no formula, it may return without reading them.
type Likely struct {
	Cells *checksum.Grid
	Rows  checksum.BlockRows // of Cells
}

// Found is what stands where a block was wanted, or why that cannot be told.
type Found struct {
	View View
	Err  error
}

// View is what stands in the document now.
type View struct {
	Marked   bool   // found by its marker, else at its stored address
	Doubled  bool   // a copied sheet carries a copy of the marker, which is never followed; false where the host cannot see such copies
	SheetID  string // where it stands now, as is Sheet and Anchor
	Sheet    string
	Anchor   placements.Anchor
	Extent   checksum.Extent // the marker's rectangle; zero when not Marked
	Table    int             // columns, from the anchor, of the Excel table that the block is; 0 where it is none, or the host sees none
	Cells    *checksum.Grid  // the rectangle's cells from the anchor, row 0 first; a formula shows its value
	Formulas []Formula       // cells that hold a formula, by row, then column
	Stamp    string          // what a Patch had the document keep beside the marker; empty for nothing, and when not Marked
	Calls    int             // requests made (a file opened counts one), all in the first Found of a Read
}

// Formula is a formula that stands, or is to stand, in a cell of a block.
type Formula struct {
	Position
	// Text is the formula with its =, as the document has it. It is empty for a cell that another cell's formula fills: one of an
	// array or a data table. Where a cell's formula was filled from another and cannot be told for it, the other's text stands here,
	// and behind it which cell that is.
	Text string
	// Fixed says of a formula that was read that it holds for the place where it stands: an array or a data table, be it of one cell.
	Fixed bool
}

// Position is a cell relative to a block's anchor, from zero.
type Position struct{ Row, Column int }

// Patch is what to change in one block. Moves come first, then Shifts, then Rows and Clear; all are relative to the anchor. The
// patches of one Write never overlap.
type Patch struct {
	Block   Block          // where it stands, as Read found it
	Grid    *checksum.Grid // the new block
	Formats []string       // number format a column, empty for none
	// FormatsBefore are the number formats that earlier writes gave to the columns as they stand: cells of Rows that still have theirs
	// lose it.
	FormatsBefore []string
	Moves         []checksum.RowMove // rows to cut and insert elsewhere in the block, in order, over the columns of Extent and what was there
	Shifts        []checksum.Shift   // rows of cells to insert or delete, in order, over the same columns
	// FillRight are columns of the sheet, to the right of the block, whose formulas follow its rows: shifts reach to the last of them,
	// and beside each row that the block gains they have the formulas that stood beside its last row, filled down. Cells that hold
	// something are left alone. Zero for none.
	FillRight checksum.Span
	Rows      []checksum.Span // rows of Grid to write, over Extent.Columns; missing trailing cells become empty
	// Formulas are cells of Rows that hold a formula, by row, then column. One with a Text is written, with Grid's value as what it
	// shows; one without stays exactly as it stands. A Text reads as this patch alone leaves it: it follows the moves and shifts of
	// other patches as the formulas of other cells do.
	Formulas []Formula
	Clear    []checksum.Area // cells of the old block to empty
	Extent   checksum.Extent // the block's rectangle afterwards
	// Stamp is a text for the document to keep beside the marker, written along with it, of at most MaxStamp characters: letters, digits,
	// hyphens, underscores and periods. Empty leaves what is there.
	Stamp string
	// Parameters are cells that the document is to have names for from then on, where the session read them: they follow the cells. They
	// are written along with the patch, as the stamp is.
	Parameters []ParameterCells
	// BreakSignature says that a signed document may be written, without its signature then. Of patches without it a Write is refused.
	BreakSignature bool
}

// Written is what a Write did for one patch.
type Written struct {
	Rows, Cells int // written, cleared or deleted
	Calls       int // requests made, all in the first Written of a Write
	// Shown are rows of the sheet, from zero, that were hidden and are shown now, ascending: a row of the block that was not hidden, or of
	// what stands below it, came to stand there.
	Shown []checksum.Span
	// Vanished are such rows that stay hidden, as the host's service shows no row that a filter hides.
	Vanished []checksum.Span
	// Held are cells of the rows written in which the document holds something else than it was given, by row, then column.
	Held []Held
}

// Held is what the document holds in a cell of a block, because its service drops or replaces characters.
type Held struct {
	Position
	Cell checksum.Cell
}
