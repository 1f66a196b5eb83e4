package shift

import (
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
)

// nowhere is the place of a formula that stands in no cell.
func (m *mover) nowhere() formula.Place { return formula.Place{Sheet: m.sheet, Row: -1} }

// split returns the areas that an area of the sheet is afterwards: its columns may move by different numbers of rows. With grows it grows
// where rows are inserted at the end of a block, as ranges in formulas do.
func (m *mover) split(area placements.Rect, grows bool) (list []placements.Rect) {
	for i := range m.bands {
		b := &m.bands[i]
		part := placements.Rect{Top: area.Top, Bottom: area.Bottom, Left: max(area.Left, b.left), Right: min(area.Right, b.right)}
		if part.Left > part.Right {
			continue
		}
		part, ok := m.after(part, grows)
		if !ok {
			continue
		}
		if last := len(list) - 1; last >= 0 && list[last].Right == part.Left-1 && list[last].Top == part.Top && list[last].Bottom == part.Bottom {
			list[last].Right = part.Right
			continue
		}
		list = append(list, part)
	}
	return list
}

// after returns an area of columns that move alike as it is after the shifts.
func (m *mover) after(area placements.Rect, grows bool) (placements.Rect, bool) {
	if grows {
		return m.moves.By.Range(area, m.sheet, m.nowhere())
	}
	return m.moves.By.Area(m.sheet, area)
}

// squares returns the areas of a list, and those that they are after the shifts. changed is false, too, where the text is no such list.
func (m *mover) squares(text string, grows bool) (before, after []placements.Rect, changed bool) {
	for _, ref := range strings.Fields(text) {
		area, known := cursor.ParseArea(ref)
		if !known {
			return nil, nil, false
		}
		before = append(before, area)
		after = append(after, m.split(area, grows)...)
	}
	return before, after, !slices.Equal(before, after)
}

// names are areas as a list.
func names(areas []placements.Rect) string {
	var list []string
	for _, a := range areas {
		list = append(list, rangeName(a))
	}
	return strings.Join(list, " ")
}

// base is the top-left corner of the rectangle around areas, which formulas for all of them are written for.
func base(areas []placements.Rect) placements.Anchor {
	a := placements.Anchor{Row: areas[0].Top, Column: areas[0].Left}
	for _, area := range areas[1:] {
		a.Row, a.Column = min(a.Row, area.Top), min(a.Column, area.Left)
	}
	return a
}

// origin is a cell before the shifts that rules of an area can be rewritten for, when they are written for its corner.
type origin struct {
	placements.Anchor
	rows int // from the corner, as it is afterwards, down to where the cell stands then
}

// originOf returns what stood, before the shifts, at the corner of an area as it is after them. Where that was inserted, it is the second
// row that was not: the first one may name the row above it, from which it was parted. or is the corner before the shifts.
func (m *mover) originOf(corner placements.Anchor, last int, or placements.Anchor) origin {
	found := origin{Anchor: or}
	for i := range m.bands {
		b := &m.bands[i]
		if corner.Column < b.left || corner.Column > b.right {
			continue
		}
		for row, first := corner.Row, true; row <= last; row++ {
			before, ok := b.before(row)
			if !ok {
				continue
			}
			found = origin{placements.Anchor{Row: before, Column: corner.Column}, row - corner.Row}
			if row == corner.Row || !first {
				break
			}
			first = false
		}
	}
	return found
}
