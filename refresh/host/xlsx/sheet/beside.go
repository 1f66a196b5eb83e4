package sheet

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

// Follow notes what is to stand beside the rows that the blocks gain or lose.
func (s *Patches) Follow() {
	for _, p := range s.Blocks {
		p.follow()
	}
	s.touch()
}

func (x *BlockPatch) follow() {
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
	if x.Grown != nil && len(x.Shifts) == 0 {
		x.beside.lost = checksum.Span{From: x.Grown.Bottom() + 1, To: x.Table.Bottom() + 1}
	}
	for _, s := range append(slices.Clone(x.beside.gained), x.beside.lost) {
		if len(x.beside.columns) > 0 {
			x.touched = append(x.touched, s)
		}
	}
	x.touched = host.MergeSpans(x.touched)
}

// rowsBefore is how many rows the block has as it stands, 0 if that is not known.
func (x *BlockPatch) rowsBefore() int {
	if x.Before.Rows == 0 && x.Table != nil {
		return x.Table.Bottom() - x.Table.Area.Top + 1
	}
	return x.Before.Rows
}

// columnsBeside lists the columns to the right of the block that follow its rows: those to fill down, and those of its table, of which the
// calculated ones are filled.
func (x *BlockPatch) columnsBeside() (list []column) {
	left, is := x.Block.Anchor.Column, x.Grown
	right := x.FillRight.To - 1
	if is != nil {
		right = max(right, is.Area.Right)
	}
	for number := left + x.Extent.Columns; number <= min(right, placements.MaxColumn); number++ {
		c := column{number: number, fills: number >= x.FillRight.From && number < x.FillRight.To}
		inTable := is != nil && number <= is.Area.Right
		if inTable && number-left < len(is.Calculated) && is.Calculated[number-left] != "" {
			c.calculated, c.fills = true, true
			if parts := formula.Cut(is.Calculated[number-left]); placeless(parts) {
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
func (x *BlockPatch) appendBeside(row int, dst []cellWrite) []cellWrite {
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
func (x *BlockPatch) styleLike(row, column int) int {
	if row < x.beside.appended.From || row >= x.beside.appended.To {
		return 0
	}
	return x.beside.styles[column]
}

// models reports whether rows that the block gains look like this one.
func (x *BlockPatch) models(row int) bool {
	return x.beside.model == row && x.beside.appended.From < x.beside.appended.To
}

// models reports whether rows that a block gains look like this one.
func (s *Patches) models(row int) bool {
	return slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool { return p.models(row) })
}

// learn notes the style of a cell for those that are to look like it.
func (s *Patches) learn(row, column, style int) {
	for _, p := range s.Blocks {
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
func (s *Patches) fillsIn(area placements.Rect) bool {
	return slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool {
		rows := p.beside.gained
		first := sort.Search(len(rows), func(i int) bool { return rows[i].To > area.Top })
		return first < len(rows) && rows[first].From <= area.Bottom && slices.ContainsFunc(p.beside.columns, func(c column) bool {
			return len(c.parts) > 0 && c.number >= area.Left && c.number <= area.Right
		})
	})
}

// growsOver reports whether a block's table grows over a cell of area.
func (s *Patches) growsOver(area placements.Rect) bool {
	return slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool {
		return p.Grown != nil && p.Grown.Area.Intersects(area) && !p.Table.Area.Intersects(area)
	})
}

// swallows reports whether a cell beside the block is one that its table grows over, and that is not to be left alone.
func (x *BlockPatch) swallows(row, column int) bool {
	return x.Grown != nil && column <= x.Grown.Area.Right && row >= x.beside.appended.From && row > x.Table.Bottom() && len(x.Shifts) == 0 &&
		(column < x.FillRight.From || column >= x.FillRight.To)
}

// only is when a cell is written, and else left as it is.
type only uint8

const (
	always    only = iota
	ifEmpty        // has no value and no formula
	ifFormula      // has a formula
)

// Shown notes a row that is shown now.
func (x *BlockPatch) Shown(row int) {
	x.Done.Shown = host.MergeSpans(append(x.Done.Shown, checksum.Span{From: row, To: row + 1}))
}

// FillSource are the cells with the formulas that the patch fills down; false when it fills none.
func (x *BlockPatch) FillSource() (area placements.Rect, ok bool) {
	was, _ := x.Lines(x.rowsBefore()).Last()
	if was < 1 || len(x.beside.gained) == 0 {
		return area, false
	}
	row := x.Stood.Row + was
	for _, c := range x.beside.columns {
		if !c.fills || len(c.parts) > 0 {
			continue
		}
		if !ok {
			area, ok = placements.Rect{Top: row, Bottom: row, Left: c.number}, true
		}
		area.Right = c.number
	}
	return area, ok
}

// Fill has a formula of the cells that FillSource names, as it reads once cells have moved, filled down its column.
func (x *BlockPatch) Fill(number int, text string) {
	_, now := x.Lines(x.rowsBefore()).Last()
	for i := range x.beside.columns {
		c := &x.beside.columns[i]
		if c.number == number && c.fills && len(c.parts) == 0 {
			c.parts, c.row = formula.Cut(text), x.Block.Anchor.Row+now
		}
	}
}

// needs reports whether the patches change rows [from,to), or must look at them.
func (s *Patches) needs(from, to int) bool {
	row, touched := s.from(from)
	return touched && row < to || slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool {
		model := p.models(p.beside.model) && p.beside.model >= from && p.beside.model < to
		return model || slices.ContainsFunc(p.beside.gained, func(g checksum.Span) bool { return g.From < to && g.To > from })
	})
}
