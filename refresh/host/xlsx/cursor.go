package xlsx

import (
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// cellPlace is a cell's place in a sheet part, whose references may be left out where they just follow the one before.
type cellPlace struct{ row, column int } // from zero; -1 before the first

// toRow moves to the row whose tag s stands at.
func (p *cellPlace) toRow(s *xml.Scanner) error {
	row := p.row + 1
	if r, ok := xml.Attr(s.Attrs, "r"); ok {
		n, err := strconv.Atoi(string(r))
		if err != nil || n < 1 {
			return fmt.Errorf("row %q follows row %d", r, p.row+1)
		}
		row = n - 1
	}
	if row > placements.MaxRow {
		return fmt.Errorf("row %d is beyond the last one", row+1)
	}
	p.row, p.column = row, -1
	return nil
}

// toCell moves to the cell whose tag s stands at.
func (p *cellPlace) toCell(s *xml.Scanner) error {
	column := p.column + 1
	if r, ok := xml.Attr(s.Attrs, "r"); ok {
		if column = formula.ColumnIndex(r); column < 0 {
			return fmt.Errorf("cell %q follows column %d of row %d", r, p.column+1, p.row+1)
		}
	}
	if column > placements.MaxColumn {
		return fmt.Errorf("column %d is beyond the last one", column+1)
	}
	p.column = column
	return nil
}

// cursor is a place that moves in the order of a sheet: down its rows and along each.
type cursor struct{ cellPlace }

func newCursor() cursor { return cursor{cellPlace{-1, -1}} }

// toRow moves to the row whose tag s stands at, which must be below the one before.
func (c *cursor) toRow(s *xml.Scanner) error {
	before := c.row
	if err := c.cellPlace.toRow(s); err != nil {
		return err
	}
	if c.row <= before {
		return fmt.Errorf("row %d follows row %d: %w", c.row+1, before+1, errXLSXOrder)
	}
	return nil
}

// toCell moves to the cell whose tag s stands at, which must be right of the one before.
func (c *cursor) toCell(s *xml.Scanner) error {
	before := c.column
	if err := c.cellPlace.toCell(s); err != nil {
		return err
	}
	if c.column <= before {
		return fmt.Errorf("column %d follows column %d of row %d: %w", c.column+1, before+1, c.row+1, errXLSXOrder)
	}
	return nil
}

// skipRow takes the content of the row whose start tag s stands at as one token, if nothing in it matters to a reader that
// leaves the row alone: no formula (f), no comment or CDATA section (!) that could hide the row's end, no other row (r).
func skipRow(s *xml.Scanner) bool { return s.Bulk("</"+s.NS+"row>", "f!r") }

// area reads an attribute that holds a range, such as ref="B2:C3".
func area(s *xml.Scanner, name string) (placements.Rect, bool) {
	return parseXLSXArea(s.Attr(name))
}

func parseXLSXArea(ref string) (placements.Rect, bool) {
	l, err := placements.ParseLocation(ref)
	if err != nil {
		return placements.Rect{}, false
	}
	end := l.End()
	return placements.Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}, true
}
