package checksum

// Extent is the size of a rectangle of cells.
type Extent struct{ Rows, Columns int }

// Span is a range of rows [From,To).
type Span struct{ From, To int }

// Rect is a rectangle of cells, relative to a block's anchor, from zero.
type Rect struct{ Row, Column, Rows, Columns int }

// Shift moves the cells of a block below row At: Rows > 0 inserts that many empty rows of cells at At, Rows < 0 deletes -Rows
// rows from At on. At refers to the block as the shifts before it left it.
type Shift struct{ At, Rows int }

// Move cuts the Rows rows of a block from row From on and inserts them before row To; the rows between close up. Both are counted as the
// block stands before the move, and To lies outside [From, From+Rows].
type Move struct{ From, Rows, To int }
