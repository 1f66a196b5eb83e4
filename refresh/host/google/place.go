package google

import (
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// place is a rectangle of a document. Rows and Columns may be 0 when nothing of it lies in the sheet.
type place struct {
	sheet  string
	anchor placements.Anchor
	size   checksum.Extent
}

// String is the rectangle in A1 notation.
func (p place) String() string {
	end := placements.Anchor{Row: p.anchor.Row + p.size.Rows - 1, Column: p.anchor.Column + p.size.Columns - 1}
	return "'" + strings.ReplaceAll(p.sheet, "'", "''") + "'!" + p.anchor.String() + ":" + end.String()
}
