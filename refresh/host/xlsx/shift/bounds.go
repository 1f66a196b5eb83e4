package shift

import "fmt"

// TooLarge is the error of a sheet made to exhaust the machine, or of shifts too large for it: more would have to be held or written than
// is allowed.
type TooLarge struct {
	What  string // such as "cells beside the rows that move"
	Sheet string
}

func (l *TooLarge) Error() string { return fmt.Sprintf("too many %s on sheet %q", l.What, l.Sheet) }

// Bounds of what moving the cells of one sheet may take, in bytes but for maxNodes.
const (
	maxElement = 64 << 20  // of an element beside the rows, such as all hyperlinks
	maxNodes   = 1 << 19   // elements within one of them
	maxHeld    = 128 << 20 // of rows that wait for rows to come
	maxBlanks  = 256 << 20 // of cells that are listed for their style, such as those of rows inserted
	maxFilled  = 128 << 20 // of formulas that are no longer shared: a file of a few kilobytes may have a million of them
)
