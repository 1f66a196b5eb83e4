package book

import (
	"maps"
	"slices"
)

// Cell returns the cell at a row and column, from zero; one that was never set is empty.
func (s *Sheet) Cell(row, column int) Content {
	if row >= len(s.cells) || column >= len(s.cells[row]) {
		return Content{}
	}
	return s.cells[row][column]
}

// Set puts a value into a cell, in place of any formula, and leaves its format.
func (s *Sheet) Set(row, column int, value any) {
	c := s.cell(row, column)
	c.Value, c.Formula = value, ""
	s.book.Revision++
}

// SetFormula puts a formula, with its leading =, and what it shows into a cell.
func (s *Sheet) SetFormula(row, column int, formula string, value any) {
	c := s.cell(row, column)
	c.Value, c.Formula = value, formula
	s.book.Revision++
}

// SetFormat sets the number format of a cell.
func (s *Sheet) SetFormat(row, column int, format string) {
	s.cell(row, column).Format = format
	s.book.Revision++
}

// cell makes room for a cell; the sheet itself does not grow.
func (s *Sheet) cell(row, column int) *Content {
	for len(s.cells) <= row {
		s.cells = append(s.cells, nil)
	}
	if n := column + 1 - len(s.cells[row]); n > 0 {
		s.cells[row] = append(s.cells[row], make([]Content, n)...)
	}
	return &s.cells[row][column]
}

// Fits reports whether a rectangle lies within the sheet.
func (s *Sheet) Fits(r Region) bool {
	return r.Row >= 0 && r.Column >= 0 && r.Rows >= 0 && r.Columns >= 0 &&
		r.Row+r.Rows <= s.Rows && r.Column+r.Columns <= s.Columns
}

// InsertRows inserts n whole rows, as a person does above a block. The sheet grows.
func (s *Sheet) InsertRows(at, n int) {
	if at < len(s.cells) {
		s.cells = slices.Insert(s.cells, at, make([][]Content, n)...)
	}
	s.Rows += n
	s.moveHiding(at, n)
	s.book.moveNames(s, at, n, func(Region) bool { return true })
}

// moveHiding moves what hides rows along with whole rows inserted or deleted.
func (s *Sheet) moveHiding(at, n int) {
	moved := map[int]Hiding{}
	for row, by := range s.hidden {
		switch {
		case row < at:
			moved[row] = by
		case row >= at-min(n, 0):
			moved[row+n] = by
		}
	}
	s.hidden = moved
}

// Hide hides a row, or shows it. Cells that shift leave it as it is.
func (s *Sheet) Hide(row int, by Hiding) {
	hidden := maps.Clone(s.hidden)
	if hidden == nil {
		hidden = map[int]Hiding{}
	}
	if hidden[row] = by; by == Shown {
		delete(hidden, row)
	}
	s.hidden = hidden
	s.book.Revision++
}

// Hidden returns what hides a row.
func (s *Sheet) Hidden(row int) Hiding { return s.hidden[row] }

// Hiding is what hides a row.
type Hiding uint8

// A row is shown, or hidden by hand or by a filter.
const (
	Shown Hiding = iota
	ByHand
	ByFilter
)

// DeleteRows deletes n whole rows. The sheet shrinks.
func (s *Sheet) DeleteRows(at, n int) {
	if at < len(s.cells) {
		s.cells = slices.Delete(s.cells, at, min(at+n, len(s.cells)))
	}
	s.Rows -= n
	s.moveHiding(at, -n)
	s.book.moveNames(s, at, -n, func(Region) bool { return true })
}

// InsertCells inserts empty cells at r and moves what stood there and below it down. The sheet grows if something would fall off its end.
func (s *Sheet) InsertCells(r Region) {
	for row := len(s.cells) - 1; row >= r.Row; row-- {
		for column := r.Column; column < r.Column+r.Columns; column++ {
			if c := s.Cell(row, column); c != (Content{}) {
				*s.cell(row+r.Rows, column) = c
				*s.cell(row, column) = Content{}
			}
		}
	}
	s.Rows = max(s.Rows, s.Used())
	s.book.moveNames(s, r.Row, r.Rows, r.spans)
}

// DeleteCells deletes the cells of r and moves what stands below it up.
func (s *Sheet) DeleteCells(r Region) {
	for row := r.Row; row < len(s.cells); row++ {
		for column := r.Column; column < r.Column+r.Columns; column++ {
			*s.cell(row, column) = s.Cell(row+r.Rows, column)
		}
	}
	s.book.moveNames(s, r.Row, -r.Rows, r.spans)
}

// MoveCells cuts the cells of r and pastes them from a place on, over what stood there. Names and formulas that refer to cells of r follow
// them; those that refer to cells pasted over refer to nothing any more.
func (s *Sheet) MoveCells(r Region, row, column int) { s.MoveTo(s, r, row, column) }

// MoveTo is MoveCells to a place of another sheet, which formulas do not follow.
func (s *Sheet) MoveTo(on *Sheet, r Region, row, column int) {
	cut := make([]Content, 0, r.Rows*r.Columns)
	for i := range r.Rows {
		for j := range r.Columns {
			cut = append(cut, s.Cell(r.Row+i, r.Column+j))
			*s.cell(r.Row+i, r.Column+j) = Content{}
		}
	}
	for i, c := range cut {
		*on.cell(row+i/r.Columns, column+i%r.Columns) = c
	}
	pasted := Region{Row: row, Column: column, Rows: r.Rows, Columns: r.Columns}
	to := func(ref Region) (Region, bool) {
		if ref.inside(r) {
			ref.Row, ref.Column = ref.Row+row-r.Row, ref.Column+column-r.Column
			return ref, true
		}
		return ref, on != s || !ref.inside(pasted)
	}
	if on == s {
		s.book.follow(s, to)
	}
	for _, name := range s.book.Names {
		switch {
		case name.Sheet == s && name.Rect.inside(r):
			name.Sheet = on
			name.Rect, _ = to(name.Rect)
		case name.Sheet == on && name.Rect.inside(pasted):
			name.Sheet = nil
		}
	}
	s.book.Revision++
}

// InsertColumns inserts n whole columns. The sheet grows.
func (s *Sheet) InsertColumns(at, n int) {
	for i, row := range s.cells {
		if at < len(row) {
			s.cells[i] = slices.Insert(row, at, make([]Content, n)...)
		}
	}
	s.Columns += n
	s.moveColumns(at, n)
}

// DeleteColumns deletes n whole columns. The sheet shrinks.
func (s *Sheet) DeleteColumns(at, n int) {
	for i, row := range s.cells {
		if at < len(row) {
			s.cells[i] = slices.Delete(row, at, min(at+n, len(row)))
		}
	}
	s.Columns -= n
	s.moveColumns(at, -n)
}

// moveColumns lets names and formulas follow whole columns inserted (n > 0) or deleted.
func (s *Sheet) moveColumns(at, n int) {
	to := func(r Region) (Region, bool) {
		turned := Region{Row: r.Column, Rows: r.Columns}
		ok := turned.shift(at, n)
		r.Column, r.Columns = turned.Row, turned.Rows
		return r, ok
	}
	s.book.follow(s, to)
	for _, name := range s.book.Names {
		if name.Sheet != s {
			continue
		}
		var ok bool
		if name.Rect, ok = to(name.Rect); !ok {
			name.Sheet = nil
		}
	}
	s.book.Revision++
}

// Merge merges cells.
func (s *Sheet) Merge(r Region) {
	s.merges = append(slices.Clone(s.merges), r)
	s.book.Revision++
}

// Merges are the merged cells of the sheet.
func (s *Sheet) Merges() []Region { return s.merges }

// inside reports whether all of a rectangle lies in another.
func (r Region) inside(in Region) bool {
	return r.Row >= in.Row && r.Column >= in.Column && r.Row+r.Rows <= in.Row+in.Rows && r.Column+r.Columns <= in.Column+in.Columns
}

// Holds reports whether a cell lies in a rectangle.
func (r Region) Holds(row, column int) bool {
	return Region{Row: row, Column: column, Rows: 1, Columns: 1}.inside(r)
}

// Meets reports whether two rectangles have a cell in common.
func (r Region) Meets(s Region) bool {
	return r.Row < s.Row+s.Rows && s.Row < r.Row+r.Rows && r.Column < s.Column+s.Columns && s.Column < r.Column+r.Columns
}

// Used is the number of rows down to the last one that holds something.
func (s *Sheet) Used() int {
	for row := len(s.cells) - 1; row >= 0; row-- {
		if slices.ContainsFunc(s.cells[row], func(c Content) bool { return c != Content{} }) {
			return row + 1
		}
	}
	return 0
}

// Filled is the smallest rectangle that holds all cells with a value or a formula; the first cell when there is none.
func (s *Sheet) Filled() Region {
	top, left, bottom, right := s.Rows, s.Columns, 0, 0
	for row := range s.cells {
		for column, c := range s.cells[row] {
			if c.Value != nil || c.Formula != "" {
				top, left = min(top, row), min(left, column)
				bottom, right = max(bottom, row+1), max(right, column+1)
			}
		}
	}
	if bottom == 0 {
		return Region{Rows: 1, Columns: 1}
	}
	return Region{Row: top, Column: left, Rows: bottom - top, Columns: right - left}
}

// spans reports whether moving the cells of r moves all of a name's columns, so that the name can follow.
func (r Region) spans(name Region) bool {
	return r.Column <= name.Column && name.Column+name.Columns <= r.Column+r.Columns
}

// moveNames lets names and formulas follow the rows inserted (n > 0) or deleted at a row, where what moved covers them.
func (b *Book) moveNames(s *Sheet, at, n int, covers func(Region) bool) {
	b.Revision++
	b.follow(s, func(r Region) (Region, bool) {
		ok := !covers(r) || r.shift(at, n)
		return r, ok
	})
	for _, name := range b.Names {
		if name.Sheet == s && covers(name.Rect) && !name.Rect.shift(at, n) {
			name.Sheet = nil
		}
	}
}

// shift moves or resizes r as n rows are inserted or deleted at a row; false if all its rows were deleted.
func (r *Region) shift(at, n int) bool {
	end := r.Row + r.Rows
	if n > 0 {
		switch {
		case at <= r.Row:
			r.Row += n
		case at < end:
			r.Rows += n
		}
		return true
	}
	// Each end moves up by the deleted rows before it.
	before := func(row int) int { return max(0, min(row, at-n)-at) }
	start := r.Row - before(r.Row)
	r.Row, r.Rows = start, end-before(end)-start
	return r.Rows > 0
}

// Rename changes the sheet's title.
func (s *Sheet) Rename(title string) {
	s.Title = title
	s.book.Revision++
}
