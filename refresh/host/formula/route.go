package formula

import (
	"slices"
	"sort"
	"strings"

	"mooring/placements"
)

// Route is shifts prepared for many cells and references: those of the same columns that follow each other are one step, which takes no
// longer for thousands of them than for one.
type Route struct{ steps []step }

// step is a shift, or several of the same columns at which no range grows.
type step struct {
	CellShift        // the first of them
	list      Shifts // all; nil for one alone
	first     int    // the first row that any of them moves
	most      int    // rows that they insert
	top       line
	bottom    line
}

// line says where each row goes, as the first or as the last of a range.
type line []stretch

// stretch is rows, from one on, that go one behind the other to others, or all to the same one.
type stretch struct {
	from, to int
	flat     bool
}

// Route prepares shifts.
func (list Shifts) Route() *Route {
	r := &Route{}
	for i := 0; i < len(list); {
		end := i + 1
		for ; end < len(list) && !list[i].atEdge() && !list[end].atEdge() && list[end].beside(list[i]); end++ {
		}
		r.steps = append(r.steps, newStep(list[i:end]))
		i = end
	}
	return r
}

// atEdge reports whether ranges may grow at the shift.
func (s CellShift) atEdge() bool {
	return s.Rows > 0 && (s.Row == s.Block.Top+1 || s.Row == s.Block.Bottom+1)
}

// beside reports whether shifts are of the same columns.
func (s CellShift) beside(o CellShift) bool {
	return s.Left == o.Left && s.Right == o.Right && s.on(o.Sheet)
}

func newStep(list Shifts) step {
	s := step{CellShift: list[0]}
	if len(list) == 1 {
		return s
	}
	s.list, s.first = list, list[0].Row
	s.top, s.bottom = line{{}}, line{{}}
	for _, one := range list {
		s.first = min(s.first, one.Row)
		s.most += max(one.Rows, 0)
		s.top, s.bottom = s.top.shifted(one, one.Row), s.bottom.shifted(one, one.Row-1)
	}
	return s
}

// shifted returns where rows go after one more shift; those deleted go to the row gone.
func (l line) shifted(s CellShift, gone int) line {
	l = l.cut(s.Row)
	if s.Rows < 0 {
		l = l.cut(s.Row - s.Rows)
	}
	for i := l.goingTo(s.Row); i < len(l); i++ {
		if l[i].to < s.Row-s.Rows {
			l[i].to, l[i].flat = gone, true
		} else {
			l[i].to += s.Rows
		}
	}
	return l
}

// goingTo returns the first stretch that begins at a row or behind it.
func (l line) goingTo(row int) int {
	return sort.Search(len(l), func(i int) bool { return l[i].to >= row })
}

// cut makes a stretch begin where rows go to a row.
func (l line) cut(row int) line {
	i := l.goingTo(row)
	if i == 0 || l[i-1].flat {
		return l
	}
	at := l[i-1].from + row - l[i-1].to
	if i < len(l) && l[i].from <= at {
		return l
	}
	return slices.Insert(l, i, stretch{from: at, to: row})
}

// follow returns where a row goes; flat when others go there too.
func (l line) follow(row int) (to int, flat bool) {
	s := l[sort.Search(len(l), func(i int) bool { return l[i].from > row })-1]
	if s.flat {
		return s.to, true
	}
	return s.to + row - s.from, false
}

// cell is as that of a shift.
func (s *step) cell(row, column int) (int, bool) {
	switch {
	case s.list == nil:
		return s.CellShift.cell(row, column)
	case row+s.most > placements.MaxRow:
		return s.list.Cell(s.Sheet, row, column)
	case column < s.Left || column > s.Right:
		return row, true
	}
	to, gone := s.top.follow(row)
	if gone {
		return -1, false
	}
	return to, true
}

// area returns the cells that an area is after a step at which no range grows.
func (s *step) area(area placements.Rect) (placements.Rect, bool) {
	if area.Bottom+s.most >= placements.MaxRow {
		return s.list.Area(s.Sheet, area)
	}
	area.Top, _ = s.top.follow(area.Top)
	area.Bottom, _ = s.bottom.follow(area.Bottom)
	return area, area.Top <= area.Bottom
}

// Cell is as that of Shifts.
func (r *Route) Cell(sheet string, row, column int) (int, bool) {
	for i := range r.steps {
		s := &r.steps[i]
		if !s.on(sheet) {
			continue
		}
		var ok bool
		if row, ok = s.cell(row, column); !ok {
			return 0, false
		}
	}
	return row, true
}

// Area is as that of Shifts.
func (r *Route) Area(sheet string, area placements.Rect) (placements.Rect, bool) {
	return r.follow(sheet, area, Place{Row: -1}, growth{})
}

// Range is as that of Shifts.
func (r *Route) Range(area placements.Rect, sheet string, at Place) (placements.Rect, bool) {
	return r.follow(sheet, area, at, growth{ranges: true})
}

// Touches is as that of Shifts.
func (r *Route) Touches(sheet string, area placements.Rect) bool {
	for i := range r.steps {
		s := &r.steps[i]
		if s.list == nil && (Shifts{s.CellShift}).Touches(sheet, area) {
			return true
		}
		if s.list != nil && s.on(sheet) && area.Left <= s.Right && area.Right >= s.Left && area.Bottom >= s.first {
			return true
		}
	}
	return false
}

// Grows is as that of Shifts.
func (r *Route) Grows(sheet string, area placements.Rect) bool {
	for i := range r.steps {
		s := &r.steps[i]
		if !s.on(sheet) {
			continue
		}
		if s.list == nil && (Shifts{s.CellShift}).Grows(sheet, area) {
			return true
		}
		var ok bool
		if area, ok = (&Route{r.steps[i : i+1]}).Area(sheet, area); !ok {
			return false
		}
	}
	return false
}

// follow is as that of Shifts.
func (r *Route) follow(sheet string, area placements.Rect, at Place, g growth) (placements.Rect, bool) {
	for i := range r.steps {
		s := &r.steps[i]
		if s.on(sheet) && area.Left >= s.Left && area.Right <= s.Right {
			var ok bool
			if s.list == nil {
				area, ok = Shifts{s.CellShift}.follow(sheet, area, at, g)
			} else {
				area, ok = s.area(area)
			}
			if !ok {
				return placements.Rect{}, false
			}
		}
		if at.Row >= 0 && s.on(at.Sheet) {
			at.Row, _ = s.cell(at.Row, at.Column)
		}
	}
	return area, true
}

// on reports whether one of the shifts is of a sheet.
func (r *Route) on(sheet string) bool {
	return slices.ContainsFunc(r.steps, func(s step) bool { return strings.EqualFold(s.Sheet, sheet) })
}
