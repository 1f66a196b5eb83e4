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
	moves    *sheetMoves
	out      *bufio.Writer
	tags     rowTags
	looks    looks
	formulas formulas
	blanks   int    // bytes of cells that were listed for their style
	cellEnd  string // the end tag of a cell
	done     Followed
	ranking  ranking
	scratch  []byte
}
