package xlsx

import (
	"slices"
	"sort"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// beside is what a patch does next to the rows that its block gains or loses: a row gained looks like the last one, and has its formulas to
// the right of the block.
type beside struct {
	model    int             // row of the sheet whose formats the rows appended have, -1 for none
	appended checksum.Span   // rows that the block gains without a shift
	gained   []checksum.Span // all rows that it gains, ascending
	lost     checksum.Span   // rows that a table loses, and with them the formulas of its calculated columns
	columns  []column        // to the right of the block, ascending
	styles   map[int]int     // of the model by column, once it was passed
}

// column is a column to the right of a block.
type column struct {
	number     int
	fills      bool // with a formula
	calculated bool // of a table
	// parts are the formula, as it reads in a row; none while it is not known, or not to be filled down.
	parts []formula.Part
	row   int
}

// follow notes what is to stand beside the rows that the blocks gain or lose.
func (s *partPatch) follow() {
	for _, p := range s.patches {
		p.follow()
	}
	s.touch()
}

func (x *sheetPatch) follow() {
	rows := x.rowsBefore()
	if rows == 0 {
		return // nothing says what stood here
	}
	top, list := x.Block.Anchor.Row, x.Lines(rows)
	for _, s := range list.Gained() {
		x.beside.gained = append(x.beside.gained, checksum.Span{From: top + s.From, To: top + s.To})
	}
	x.beside.appended = checksum.Span{From: top + rows + x.Grows(), To: top + x.Extent.Rows}
	x.beside.model = -1
	if _, last := list.Last(); last > 0 {
		x.beside.model = top + last
	}
	x.beside.columns = x.columnsBeside()
	if x.grown != nil && len(x.Shifts) == 0 {
		x.beside.lost = checksum.Span{From: x.grown.bottom() + 1, To: x.table.bottom() + 1}
	}
	for _, s := range append(slices.Clone(x.beside.gained), x.beside.lost) {
		if len(x.beside.columns) > 0 {
			x.touched = append(x.touched, s)
		}
	}
	x.touched = host.MergeSpans(x.touched)
}

// rowsBefore is how many rows the block has as it stands, 0 if that is not known.
func (x *sheetPatch) rowsBefore() int {
	if x.before.Rows == 0 && x.table != nil {
		return x.table.bottom() - x.table.area.Top + 1
	}
	return x.before.Rows
}

// columnsBeside lists the columns to the right of the block that follow its rows: those to fill down, and those of its table, of which the
// calculated ones are filled.
func (x *sheetPatch) columnsBeside() (list []column) {
	left, is := x.Block.Anchor.Column, x.grown
	right := x.FillRight.To - 1
	if is != nil {
		right = max(right, is.area.Right)
	}
	for number := left + x.Extent.Columns; number <= min(right, placements.MaxColumn); number++ {
		c := column{number: number, fills: number >= x.FillRight.From && number < x.FillRight.To}
		inTable := is != nil && number <= is.area.Right
		if inTable && number-left < len(is.calculated) && is.calculated[number-left] != "" {
			c.calculated, c.fills = true, true
			if parts := formula.Cut(is.calculated[number-left]); placeless(parts) {
				c.parts = parts
			}
		}
		if inTable || c.fills {
			list = append(list, c)
		}
	}
	return list
}

// placeless reports whether a formula reads the same in every cell.
func placeless(parts []formula.Part) bool {
	here, _ := formula.Move(parts, 0, 0)
	there, ok := formula.Move(parts, 1, 1)
	return ok && here == there
}

// appendBeside appends the cells of a row to the right of the block, by column.
func (x *sheetPatch) appendBeside(row int, dst []cellWrite) []cellWrite {
	gained := host.Holds(x.beside.gained, row)
	lost := row >= x.beside.lost.From && row < x.beside.lost.To
	for i := range x.beside.columns {
		c := &x.beside.columns[i]
		switch {
		case gained:
			cell := cellWrite{column: c.number, patch: x, only: ifEmpty, like: x.styleLike(row, c.number)}
			if len(c.parts) > 0 {
				cell.formula, _ = formula.Move(c.parts, row-c.row, 0)
			}
			dst = append(dst, cell)
		case lost && c.calculated:
			dst = append(dst, cellWrite{column: c.number, patch: x, only: ifFormula})
		}
	}
	return dst
}

// styleLike is the style that a cell without one of its own gets from the model, 0 for none.
func (x *sheetPatch) styleLike(row, column int) int {
	if row < x.beside.appended.From || row >= x.beside.appended.To {
		return 0
	}
	return x.beside.styles[column]
}

// models reports whether rows that the block gains look like this one.
func (x *sheetPatch) models(row int) bool {
	return x.beside.model == row && x.beside.appended.From < x.beside.appended.To
}

// models reports whether rows that a block gains look like this one.
func (s *partPatch) models(row int) bool {
	return slices.ContainsFunc(s.patches, func(p *sheetPatch) bool { return p.models(row) })
}

// learn notes the style of a cell for those that are to look like it.
func (s *partPatch) learn(row, column, style int) {
	for _, p := range s.patches {
		if style == 0 || !p.models(row) {
			continue
		}
		if p.beside.styles == nil {
			p.beside.styles = map[int]int{}
		}
		p.beside.styles[column] = style
	}
}

// fillsIn reports whether a patch may fill formulas into cells of area.
func (s *partPatch) fillsIn(area placements.Rect) bool {
	return slices.ContainsFunc(s.patches, func(p *sheetPatch) bool {
		rows := p.beside.gained
		first := sort.Search(len(rows), func(i int) bool { return rows[i].To > area.Top })
		return first < len(rows) && rows[first].From <= area.Bottom && slices.ContainsFunc(p.beside.columns, func(c column) bool {
			return len(c.parts) > 0 && c.number >= area.Left && c.number <= area.Right
		})
	})
}

// growsOver reports whether a block's table grows over a cell of area.
func (s *partPatch) growsOver(area placements.Rect) bool {
	return slices.ContainsFunc(s.patches, func(p *sheetPatch) bool {
		return p.grown != nil && p.grown.area.Intersects(area) && !p.table.area.Intersects(area)
	})
}

// swallows reports whether a cell beside the block is one that its table grows over, and that is not to be left alone.
func (x *sheetPatch) swallows(row, column int) bool {
	return x.grown != nil && column <= x.grown.area.Right && row >= x.beside.appended.From && row > x.table.bottom() && len(x.Shifts) == 0 &&
		(column < x.FillRight.From || column >= x.FillRight.To)
}

// only is when a cell is written, and else left as it is.
type only uint8

const (
	always    only = iota
	ifEmpty        // has no value and no formula
	ifFormula      // has a formula
)
