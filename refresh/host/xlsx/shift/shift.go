package shift

import (
	"fmt"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// Moves says how the cells of a workbook move.
type Moves struct {
	By     formula.Shifts // in the order in which they are made
	Sheets []string       // names of all the workbook's sheets, in its order
}

// Torn is the error of a construct that cannot be moved as a whole, or that would lose a part.
type Torn struct {
	What  string // such as "the merged cells" or `the table "Prices"`
	Sheet string
	Area  placements.Rect // before the shifts
}

func (t *Torn) Error() string {
	from := placements.Anchor{Row: t.Area.Top, Column: t.Area.Left}.String()
	to := placements.Anchor{Row: t.Area.Bottom, Column: t.Area.Right}.String()
	if from != to {
		from += ":" + to
	}
	return fmt.Sprintf("%s at %s on sheet %q would be torn apart", t.What, from, t.Sheet)
}

// TooLarge is the error of a sheet made to exhaust the machine, or of shifts too large for it: more would have to be held or written than is
// allowed.
type TooLarge struct {
	What  string // such as "cells beside the rows that move"
	Sheet string
}

func (l *TooLarge) Error() string { return fmt.Sprintf("too many %s on sheet %q", l.What, l.Sheet) }

// Bounds of what moving the cells of one sheet may take, in bytes.
const (
	maxElement = 64 << 20  // of an element beside the rows, such as all hyperlinks
	maxNodes   = 1 << 19   // elements within one of them
	maxHeld    = 256 << 20 // of rows that wait for rows to come
	maxBlanks  = 1 << 30   // of cells that are listed for their style, such as those of rows inserted
	maxFilled  = 256 << 20 // of formulas that are no longer shared: a file of a few kilobytes may have a million of them
)

// Followed says what followed the cells that moved.
type Followed struct {
	Formulas int  // whose text changed
	Changed  bool // whether anything of the part changed
}
