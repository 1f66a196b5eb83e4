package host

import (
	"fmt"
	"strconv"

	"mooring/placements"
)

// xlsxCursor follows a sheet part's rows and cells, whose references may be left out where they just follow the one before.
type xlsxCursor struct{ row, column int } // from zero; -1 before the first

// toRow moves to the row whose tag s stands at.
func (c *xlsxCursor) toRow(s *xmlScanner) error {
	row := c.row + 1
	if r, ok := xmlAttr(s.attrs, "r"); ok {
		n, err := strconv.Atoi(string(r))
		if err != nil || n-1 < row {
			return fmt.Errorf("row %q follows row %d", r, c.row+1)
		}
		row = n - 1
	}
	if row > placements.MaxRow {
		return fmt.Errorf("row %d is beyond the last one", row+1)
	}
	c.row, c.column = row, -1
	return nil
}

// skipRow takes the content of the row whose start tag s stands at as one token, if nothing in it matters to a reader that
// leaves the row alone: no formula (f), no comment or CDATA section (!) that could hide the row's end, no other row (r).
func skipRow(s *xmlScanner) bool { return s.bulk("</"+s.ns+"row>", "f!r") }

// toCell moves to the cell whose tag s stands at.
func (c *xlsxCursor) toCell(s *xmlScanner) error {
	column := c.column + 1
	if r, ok := xmlAttr(s.attrs, "r"); ok {
		if column = xlsxColumn(r); column <= c.column {
			return fmt.Errorf("cell %q follows column %d of row %d", r, c.column+1, c.row+1)
		}
	}
	if column > placements.MaxColumn {
		return fmt.Errorf("column %d is beyond the last one", column+1)
	}
	c.column = column
	return nil
}

// xlsxColumn is the column, from zero, of a cell's reference; -1 when it has none.
func xlsxColumn(ref []byte) int {
	n := 0
	for _, b := range ref {
		if b < 'A' || b > 'Z' || n > placements.MaxColumn {
			break
		}
		n = n*26 + int(b-'A') + 1
	}
	return n - 1
}

// xlsxArea reads an attribute that holds a range, such as ref="B2:C3".
func xlsxArea(s *xmlScanner, name string) (placements.Rect, bool) {
	l, err := placements.ParseLocation(s.attr(name))
	if err != nil {
		return placements.Rect{}, false
	}
	end := l.End()
	return placements.Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}, true
}
