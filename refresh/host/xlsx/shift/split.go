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

// split returns the areas that an area of the sheet is afterwards: its columns may move by different numbers of rows. Those that grows, as
// ranges do at the end of a block, are told by the function that is given.
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

// squares returns a list of areas as it is after the shifts. ok is false where it is none or nothing changes.
func (m *mover) squares(text string) (before, after []placements.Rect, ok bool) {
	for _, ref := range strings.Fields(text) {
		area, known := cursor.ParseArea(ref)
		if !known {
			return nil, nil, false
		}
		before = append(before, area)
		after = append(after, m.split(area, true)...)
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

// origin returns the cell before the shifts that stands at a cell after them, or else another one.
func (m *mover) origin(at, or placements.Anchor) placements.Anchor {
	for i := range m.bands {
		if b := &m.bands[i]; at.Column >= b.left && at.Column <= b.right {
			if row, ok := b.before(at.Row); ok {
				return placements.Anchor{Row: row, Column: at.Column}
			}
		}
	}
	return or
}
