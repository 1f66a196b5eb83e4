package cursor

import (
	"errors"
	"fmt"
	"strconv"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/xml"
)

// ErrOrder says that a sheet's rows, or the cells of one, do not stand in the order of their numbers.
var ErrOrder = errors.New("out of order")

// Spot is a cell's place in a sheet part, whose references may be left out where they just follow the one before.
type Spot struct{ Row, Column int } // from zero; -1 before the first

// ToRow moves to the row whose tag s stands at.
func (p *Spot) ToRow(s *xml.Scanner) error {
	row := p.Row + 1
	if r, ok := xml.Attr(s.Attrs, "r"); ok {
		n, err := strconv.Atoi(string(r))
		if err != nil || n < 1 {
			return fmt.Errorf("row %q follows row %d", r, p.Row+1)
		}
		row = n - 1
	}
	if row > placements.MaxRow {
		return fmt.Errorf("row %d is beyond the last one", row+1)
	}
	p.Row, p.Column = row, -1
	return nil
}

// ToCell moves to the cell whose tag s stands at.
func (p *Spot) ToCell(s *xml.Scanner) error {
	column := p.Column + 1
	if r, ok := xml.Attr(s.Attrs, "r"); ok {
		if column = formula.ColumnIndex(r); column < 0 {
			return fmt.Errorf("cell %q follows column %d of row %d", r, p.Column+1, p.Row+1)
		}
	}
	if column > placements.MaxColumn {
		return fmt.Errorf("column %d is beyond the last one", column+1)
	}
	p.Column = column
	return nil
}

// Ordered is a place that moves in the order of a sheet: down its rows and along each.
type Ordered struct{ Spot }

// New returns the place before the first row.
func New() Ordered { return Ordered{Spot{-1, -1}} }

// ToRow moves to the row whose tag s stands at, which must be below the one before.
func (c *Ordered) ToRow(s *xml.Scanner) error {
	before := c.Row
	if err := c.Spot.ToRow(s); err != nil {
		return err
	}
	if c.Row <= before {
		return fmt.Errorf("row %d follows row %d: %w", c.Row+1, before+1, ErrOrder)
	}
	return nil
}

// ToCell moves to the cell whose tag s stands at, which must be right of the one before.
func (c *Ordered) ToCell(s *xml.Scanner) error {
	before := c.Column
	if err := c.Spot.ToCell(s); err != nil {
		return err
	}
	if c.Column <= before {
		return fmt.Errorf("column %d follows column %d of row %d: %w", c.Column+1, before+1, c.Row+1, ErrOrder)
	}
	return nil
}

// SkipRow takes the content of the row whose start tag s stands at as one token, if nothing in it matters to a reader that
// leaves the row alone: no formula (f), no comment or CDATA section (!) that could hide the row's end, no other row (r).
func SkipRow(s *xml.Scanner) bool { return s.Bulk("</"+s.NS+"row>", "f!r") }

// Area reads an attribute that holds a range, such as ref="B2:C3".
func Area(s *xml.Scanner, name string) (placements.Rect, bool) {
	return ParseArea(s.Attr(name))
}

// ParseArea reads a range, such as B2:C3, or a cell.
func ParseArea(ref string) (placements.Rect, bool) {
	l, err := placements.ParseLocation(ref)
	if err != nil {
		return placements.Rect{}, false
	}
	end := l.End()
	return placements.Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}, true
}

// AreaName is a range as an attribute holds it, such as B2:C3, of a cell too.
func AreaName(area placements.Rect) string {
	return placements.Anchor{Row: area.Top, Column: area.Left}.String() + ":" +
		placements.Anchor{Row: area.Bottom, Column: area.Right}.String()
}
