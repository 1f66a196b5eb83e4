package shift

import (
	"strings"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// areaText names cells in the way that they were named before: a single cell as one where it was.
func areaText(area placements.Rect, before string) string {
	from := placements.Anchor{Row: area.Top, Column: area.Left}
	to := placements.Anchor{Row: area.Bottom, Column: area.Right}
	if from == to && !strings.Contains(before, ":") {
		return from.String()
	}
	return from.String() + ":" + to.String()
}

// setArea gives an attribute that names cells others.
func (e *editor) setArea(name string, before, after placements.Rect) {
	if after != before {
		e.set(name, areaText(after, e.Attr(name)))
	}
}

// whole returns where cells are afterwards of which head rows at the top and foot rows at the bottom only exist together with a row between
// them. It reports false when a shift would move some of their columns and not others, insert into head, or delete rows of head or
// foot or all between; unless later shifts undo that.
func (m *Moves) whole(sheet string, area placements.Rect, head, foot int) (placements.Rect, bool) {
	if moved, kept, whole := rigid(m.bandsOf(sheet), area); kept && whole {
		return moved, true
	}
	for _, s := range m.By {
		below := s.Row > area.Bottom || !strings.EqualFold(s.Sheet, sheet)
		if below || s.Left > area.Right || s.Right < area.Left {
			continue
		}
		if area.Left < s.Left || area.Right > s.Right {
			return area, false
		}
		moved, ok := formula.Shifts{s}.Area(sheet, area)
		if !ok || !spares(s, area, head, foot) {
			return area, false
		}
		area = moved
	}
	return area, true
}

// spares reports whether a shift keeps the head and foot rows of an area as they are, and a row between them.
func spares(s formula.CellShift, area placements.Rect, head, foot int) bool {
	from, to := area.Top+head, area.Bottom-foot+1 // the rows between
	if s.Rows > 0 {
		return s.Row <= area.Top || from <= s.Row && s.Row <= to
	}
	end := s.Row - s.Rows
	if end <= area.Top {
		return true
	}
	kept := max(min(s.Row, to)-from, 0) + max(to-max(end, from), 0)
	return kept > 0 && (head == 0 || s.Row >= from) && (foot == 0 || end <= to)
}
