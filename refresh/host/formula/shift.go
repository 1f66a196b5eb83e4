package formula

import (
	"strings"

	"mooring/placements"
)

// CellShift inserts or deletes cells of a sheet, as a spreadsheet program does where it is told to shift cells down or up.
type CellShift struct {
	Sheet       string
	Left, Right int // the columns of the cells
	Row         int // the first row inserted before, or deleted
	Rows        int // inserted; deleted when negative
	// Block are the cells that the rows are inserted into, the first row of which is its headings; zero for none. Unlike in a spreadsheet
	// program, ranges grow that the rows are inserted at an end of, so that a total counts them:
	//
	//   - those that end in the block's last row, where rows are inserted behind it;
	//   - those that begin in its first row below the headings, and reach to its last, where rows are inserted before that.
	//
	// A range has several rows, or it is the only row that the block has below its headings; a cell that is no range stays as it is. In a
	// formula that stands beside the rows below the headings, or in them, only an end whose row has a $ grows: a running total, SUM(B$2:B9),
	// has its other end where its formula stands.
	Block placements.Rect
}

// Shifts are made in their order: each refers to the sheet as those before it left it.
type Shifts []CellShift

// Cell returns the row that a cell stands in afterwards; false when it is deleted, or would leave the sheet.
func (list Shifts) Cell(sheet string, row, column int) (int, bool) {
	for _, s := range list {
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

// Area returns the cells that an area is afterwards, grown or shrunk where rows were inserted into or deleted from it; false when all of
// it is deleted. An area that has columns which are not shifted stays as it is, as it does in a spreadsheet program, and one that reaches
// to the last row of the sheet still does.
func (list Shifts) Area(sheet string, area placements.Rect) (placements.Rect, bool) {
	return list.follow(sheet, area, Place{Row: -1}, growth{})
}

// Range returns the cells that an area is afterwards when a formula names it, or what is like one, such as a conditional format: as
// Area does, but grown where rows were inserted at an end of it (see CellShift). at is where that stands before the shifts.
func (list Shifts) Range(area placements.Rect, sheet string, at Place) (placements.Rect, bool) {
	return list.follow(sheet, area, at, growth{ranges: true})
}

// Touches reports whether the cells of an area may move, or references to some of them change.
func (list Shifts) Touches(sheet string, area placements.Rect) bool {
	for _, s := range list {
		first := s.Row
		if s.Rows > 0 && s.Row == s.Block.Bottom+1 {
			first-- // a range that ends there grows
		}
		if s.on(sheet) && area.Left <= s.Right && area.Right >= s.Left && area.Bottom >= first {
			return true
		}
	}
	return false
}

// Grows reports whether a range within an area may grow at an end of a block (see CellShift).
func (list Shifts) Grows(sheet string, area placements.Rect) bool {
	for i, s := range list {
		if !s.on(sheet) {
			continue
		}
		first, last := s.Block.Top+1, s.Block.Bottom
		ends := s.Row == last+1 && area.Top <= last && area.Bottom >= last || s.Row == first && area.Top <= first && area.Bottom >= first
		if s.Rows > 0 && ends && area.Left <= s.Right && area.Right >= s.Left {
			return true
		}
		var ok bool
		if area, ok = list[i:i+1].Area(sheet, area); !ok {
			return false
		}
	}
	return false
}

// growth says whether an area grows where rows are inserted at an end of it, and which of its ends do so wherever the formula stands.
type growth struct{ ranges, topFixed, bottomFixed bool }

// follow returns the cells that an area is afterwards. at is where the formula stands that names it.
func (list Shifts) follow(sheet string, area placements.Rect, at Place, g growth) (placements.Rect, bool) {
	for _, s := range list {
		if s.on(sheet) && area.Left >= s.Left && area.Right <= s.Right {
			up, down := s.grows(area, at, g)
			var ok bool
			if area.Top, area.Bottom, ok = s.lines(area.Top-up, area.Bottom+down); !ok {
				return placements.Rect{}, false
			}
			area.Top, area.Bottom = area.Top+up, area.Bottom-down
		}
		if at.Row >= 0 && s.on(at.Sheet) {
			at.Row, _ = s.cell(at.Row, at.Column)
		}
	}
	return area, true
}

// grows returns 1 for an end of an area that grows, as if it held one row more there.
func (s CellShift) grows(area placements.Rect, at Place, g growth) (up, down int) {
	b := s.Block
	only := b.Bottom == b.Top+1 && area.Top == b.Bottom
	beside := at.Row > b.Top && at.Row <= b.Bottom && s.on(at.Sheet)
	running := beside && g.topFixed != g.bottomFixed // with one row where it begins
	if !g.ranges || s.Rows < 0 || area.Top == area.Bottom && !only && !running {
		return 0, 0
	}
	if s.Row == b.Bottom+1 && area.Bottom == b.Bottom && (!beside || g.bottomFixed) {
		down = 1
	}
	if s.Row == b.Top+1 && area.Top == s.Row && b.Bottom > b.Top && (beside && g.topFixed || !beside && area.Bottom >= b.Bottom) {
		up = 1
	}
	return up, down
}

// cell returns the row that a cell of the sheet stands in afterwards; false when it is deleted, or would leave the sheet.
func (s CellShift) cell(row, column int) (int, bool) {
	if column < s.Left || column > s.Right || row < s.Row {
		return row, true
	}
	if row < s.Row-s.Rows {
		return -1, false
	}
	row += s.Rows
	return row, row <= placements.MaxRow
}

// lines are the rows that an area's rows are afterwards.
func (s CellShift) lines(top, bottom int) (int, int, bool) {
	if top == 0 && bottom == placements.MaxRow {
		return top, bottom, true // whole columns
	}
	open := bottom == placements.MaxRow && top < bottom
	if s.Rows > 0 {
		if top >= s.Row {
			top += s.Rows
		}
		if bottom >= s.Row {
			bottom = min(bottom+s.Rows, placements.MaxRow)
		}
		return top, bottom, top <= placements.MaxRow
	}
	end := s.Row - s.Rows // the first row behind those deleted
	if top >= s.Row && bottom < end {
		return 0, 0, false
	}
	if top >= s.Row {
		top = max(top, end) + s.Rows
	}
	if bottom >= s.Row && !open {
		bottom = max(bottom, end-1) + s.Rows
	}
	return top, bottom, true
}

// on reports whether the shift is of the sheet.
func (s CellShift) on(sheet string) bool { return strings.EqualFold(s.Sheet, sheet) }

// on reports whether one of the shifts is of the sheet.
func (list Shifts) on(sheet string) bool {
	for _, s := range list {
		if s.on(sheet) {
			return true
		}
	}
	return false
}
