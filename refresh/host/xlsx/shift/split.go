package shift

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
)

// sheetMoves is how the cells of a sheet move.
type sheetMoves struct {
	sheet string
	all   *Moves // of the workbook
	bands []band
	stays int // how many rows from the top on stay as they are
}

func newSheetMoves(sheet string, m *Moves) *sheetMoves {
	s := &sheetMoves{sheet: sheet, all: m, bands: slices.Clone(m.bandsOf(sheet)), stays: placements.MaxRow + 1}
	for i := range s.bands {
		s.stays = min(s.stays, s.bands[i].stays())
	}
	return s
}

// none reports whether no cells of the sheet move.
func (m *sheetMoves) none() bool { return m.stays > placements.MaxRow }

// nowhere is the place of a formula that stands in no cell.
func (m *sheetMoves) nowhere() formula.Place { return formula.Place{Sheet: m.sheet, Row: -1} }

// part is the cells of an area of the sheet in columns that move alike, before the shifts and afterwards.
type part struct {
	was, is placements.Rect
	of      int // which of several areas
}

// parts returns the parts of areas, without those that are deleted. With grows they grow where rows are inserted at the end of a block, as
// ranges in formulas do.
func (m *sheetMoves) parts(areas []placements.Rect, grows bool) (list []part) {
	for of, area := range areas {
		for i := range m.bands {
			b := &m.bands[i]
			was := placements.Rect{Top: area.Top, Bottom: area.Bottom, Left: max(area.Left, b.left), Right: min(area.Right, b.right)}
			if was.Left > was.Right {
				continue
			}
			if is, ok := m.after(was, grows); ok {
				list = append(list, part{was, is, of})
			}
		}
	}
	return list
}

// after returns an area of columns that move alike as it is after the shifts.
func (m *sheetMoves) after(area placements.Rect, grows bool) (placements.Rect, bool) {
	if grows {
		return m.all.by().Range(area, m.sheet, m.nowhere())
	}
	return m.all.by().Area(m.sheet, area)
}

// merged returns the areas that parts are afterwards: those of one area that are still beside each other are one.
func merged(parts []part) (list []placements.Rect) {
	for i, p := range parts {
		if last := len(list) - 1; i > 0 && parts[i-1].of == p.of {
			before := &list[last]
			if before.Right == p.is.Left-1 && before.Top == p.is.Top && before.Bottom == p.is.Bottom {
				before.Right = p.is.Right
				continue
			}
		}
		list = append(list, p.is)
	}
	return list
}

// split returns the areas that an area of the sheet is afterwards, as parts and merged do.
func (m *sheetMoves) split(area placements.Rect, grows bool) []placements.Rect {
	return merged(m.parts([]placements.Rect{area}, grows))
}

// areasOf reads a list of areas; false where the text is none.
func areasOf(text string) (list []placements.Rect, ok bool) {
	for _, ref := range strings.Fields(text) {
		area, known := cursor.ParseArea(ref)
		if !known {
			return nil, false
		}
		list = append(list, area)
	}
	return list, len(list) > 0
}

// names are areas as a list.
func names(areas []placements.Rect) string {
	var list []string
	for _, a := range areas {
		list = append(list, rangeName(a))
	}
	return strings.Join(list, " ")
}

// cornerOf is the first cell of an area.
func cornerOf(area placements.Rect) placements.Anchor {
	return placements.Anchor{Row: area.Top, Column: area.Left}
}

// areaOf is a cell as an area.
func areaOf(a placements.Anchor) placements.Rect {
	return placements.Rect{Top: a.Row, Bottom: a.Row, Left: a.Column, Right: a.Column}
}

// base is the first cell of the rectangle around areas, which formulas for all of them are written for.
func base(areas []placements.Rect) placements.Anchor {
	a := cornerOf(areas[0])
	for _, area := range areas[1:] {
		a.Row, a.Column = min(a.Row, area.Top), min(a.Column, area.Left)
	}
	return a
}

// begins reports whether one of areas has the first cell of the rectangle around them. Of others, programs differ in which cell is their
// first.
func begins(areas []placements.Rect) bool {
	from := base(areas)
	return slices.ContainsFunc(areas, func(area placements.Rect) bool { return cornerOf(area) == from })
}

// origin is a cell before the shifts that rules of a part can be rewritten for, when they are written for its corner.
type origin struct {
	placements.Anchor
	rows int // from the corner, as it is afterwards, down to where the cell stands then
}

// originOf returns what stood, before the shifts, at the corner of a part as it is after them. Where that was inserted, it is the second
// row that was not: the first one may name the row above it, from which it was parted.
func (m *sheetMoves) originOf(p part) origin {
	found := origin{Anchor: cornerOf(p.was)}
	b := m.bandOf(p.is.Left)
	for row, first := p.is.Top, true; row <= p.is.Bottom; row++ {
		before, ok := b.before(row)
		if !ok {
			continue
		}
		found = origin{placements.Anchor{Row: before, Column: p.is.Left}, row - p.is.Top}
		if row == p.is.Top || !first {
			break
		}
		first = false
	}
	return found
}

// bandOf returns the band that has a column.
func (m *sheetMoves) bandOf(column int) *band {
	i := sort.Search(len(m.bands), func(i int) bool { return m.bands[i].right >= column })
	return &m.bands[i]
}

// rewrite returns a formula as it reads after the shifts.
func (m *sheetMoves) rewrite(text string, at formula.Place) (string, error) {
	text, err := m.all.rewrites().Rewrite(text, at)
	if at.Row < 0 || err == nil {
		return text, err
	}
	return "", fmt.Errorf("%s of sheet %q: %w", placements.Anchor{Row: at.Row, Column: at.Column}, at.Sheet, err)
}

// rangeName is an area as attributes name it.
func rangeName(area placements.Rect) string {
	from := placements.Anchor{Row: area.Top, Column: area.Left}.String()
	if area.Top == area.Bottom && area.Left == area.Right {
		return from
	}
	return from + ":" + placements.Anchor{Row: area.Bottom, Column: area.Right}.String()
}
