package formula

import (
	"strings"

	"mooring/placements"
)

// Shift inserts or deletes cells of a sheet, as a spreadsheet program does where it is told to shift cells down or up.
type Shift struct {
	Sheet       string
	Left, Right int // the columns of the cells
	Row         int // the first row inserted before, or deleted
	Rows        int // inserted; deleted when negative
	// Block are the cells that the rows are inserted into. Where they are inserted behind its last row, a range of several rows that
	// ends there grows along, unless its formula stands beside the block: a total below is to count them, a running total beside is not.
	Block placements.Rect
}

// Shifts are made in their order: each refers to the sheet as those before it left it.
type Shifts []Shift

// Cell returns the row that a cell stands in afterwards; false when it is deleted, or would leave the sheet.
func (list Shifts) Cell(sheet string, row, column int) (int, bool) {
	for _, s := range list {
		if !s.on(sheet) || column < s.Left || column > s.Right || row < s.Row {
			continue
		}
		if row < s.Row-s.Rows {
			return 0, false
		}
		if row += s.Rows; row > placements.MaxRow {
			return 0, false
		}
	}
	return row, true
}

// Area returns the cells that an area is afterwards, grown or shrunk where rows were inserted into or deleted from it; false when all of
// it is deleted. An area that has columns which are not shifted stays as it is, as it does in a spreadsheet program.
func (list Shifts) Area(sheet string, area placements.Rect) (placements.Rect, bool) {
	for _, s := range list {
		if !s.on(sheet) || area.Left < s.Left || area.Right > s.Right {
			continue
		}
		var ok bool
		if area.Top, area.Bottom, ok = s.lines(area.Top, area.Bottom); !ok {
			return placements.Rect{}, false
		}
	}
	return area, true
}

// lines are the rows that an area's rows are afterwards.
func (s Shift) lines(top, bottom int) (int, int, bool) {
	if top == 0 && bottom == placements.MaxRow {
		return top, bottom, true // whole columns
	}
	if s.Rows > 0 {
		if top >= s.Row {
			top += s.Rows
		}
		if bottom >= s.Row {
			bottom += s.Rows
		}
		return top, min(bottom, placements.MaxRow), top <= placements.MaxRow
	}
	end := s.Row - s.Rows // the first row behind those deleted
	if top >= s.Row && bottom < end {
		return 0, 0, false
	}
	if top >= s.Row {
		top = max(top, end) + s.Rows
	}
	if bottom >= s.Row {
		bottom = max(bottom, end-1) + s.Rows
	}
	return top, bottom, true
}

// on reports whether the shift is of the sheet.
func (s Shift) on(sheet string) bool { return strings.EqualFold(s.Sheet, sheet) }
