package shift

import (
	"bufio"

	"mooring/refresh/host/xlsx/cursor"
	"mooring/refresh/host/xlsx/xml"
)

// mover copies a worksheet and moves its cells on the way.
type mover struct {
	*xml.Scanner
	cursor.Ordered
	out     *bufio.Writer
	sheet   string
	moves   *Moves
	bands   []band
	stays   int // how many rows from the top on stay as they are
	tags    rowTags
	looks   looks
	groups  map[string]*group
	orphans map[string]bool // shared formulas that a cell stood for before the one that they were filled from
	shared  int             // bytes of groups and orphans
	written int             // bytes of formulas that are no longer shared
	blanks  int             // bytes of cells that were listed for their style
	cellEnd string          // the end tag of a cell
	done    Followed
	formula cellFormula // the one being read
	ranking ranking
	scratch []byte
}
