package plan

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/formula"
)

// CellShifts are the shifts of a block, in the rows and columns of its sheet. They reach over its columns, and to the right up to another
// one if that is beyond. block are its cells before the shifts.
func CellShifts(shifts []checksum.Shift, sheet string, block placements.Rect, right int) (list formula.Shifts) {
	top := block.Top
	for _, s := range shifts {
		list = append(list, formula.CellShift{
			Sheet: sheet, Left: block.Left, Right: max(block.Right, right), Row: top + s.At, Rows: s.Rows, Block: block,
		})
		block.Bottom += s.Rows
	}
	return list
}

// following works out how the formulas that are kept read once a plan is carried out, and which of them its host does not leave so: hosts
// let formulas follow moves and shifts, but not rows that are written in another order, and not all let ranges grow.
type following struct {
	tables  *comparison
	plan    *Changes
	block   placements.Rect // before
	after   *formula.Rearrangement
	carried *formula.Rearrangement // by the plan's moves and shifts alone
	to      []int                  // by row of the block: that of the sheet which these make it
}

func (p *decider) newFollowing(plan *Changes, m *checksum.Merged) *following {
	at := p.tables.View.Anchor
	f := &following{tables: p.tables, plan: plan, block: placements.Rect{
		Top: at.Row, Bottom: at.Row + max(p.tables.extent.Rows, p.tables.stands.Rows()) - 1,
		Left: at.Column, Right: at.Column + max(p.tables.extent.Columns, m.Kept.Columns()) - 1,
	}}
	shifts := CellShifts(plan.Shifts, p.tables.View.Sheet, f.block, p.tables.ShiftRight)
	does := slices.Clone(shifts)
	for i := range does {
		does[i].Block = placements.Rect{Bottom: -2} // of no rows, so that no range grows
	}
	f.to = f.carriedRows(does)
	stay := make([]int, f.block.Right-f.block.Left+1)
	for column := range stay {
		stay[column] = f.block.Left + column
	}
	f.carried = formula.NewRearrangement(p.tables.View.Sheet, f.block, f.to, stay, does)
	rows, left := f.rows(m, shifts)
	f.after = formula.NewRearrangement(p.tables.View.Sheet, f.block, rows, f.columns(), shifts).Without(left)
	return f
}

// carriedRows are the rows of the sheet that the plan's moves and then shifts make of those of the block, -1 for one that they delete.
func (f *following) carriedRows(shifts formula.Shifts) []int {
	to := make([]int, f.block.Bottom-f.block.Top+1)
	for row := range to {
		moved := row
		for _, move := range f.plan.Moves {
			moved = move.Follow(moved)
		}
		to[row] = -1
		if moved, ok := shifts.Cell(f.tables.View.Sheet, f.block.Top+moved, f.block.Left); ok {
			to[row] = moved
		}
	}
	return to
}

// rows are the rows of the sheet that those of the block become, -1 for one that is gone. One whose record is not there any more, or that
// has none, is where the shifts leave it, unless another one came there. left are those that had a record.
func (f *following) rows(m *checksum.Merged, shifts formula.Shifts) (rows, left []int) {
	rows = slices.Repeat([]int{-1}, len(f.to))
	taken := make([]bool, m.Kept.Rows()+len(rows))
	for row, to := range m.Records() {
		if to >= 0 && row < len(rows) {
			rows[row], taken[to] = f.block.Top+to, true
		}
	}
	stood := m.Stands().Fingerprints
	for row := range rows {
		if rows[row] >= 0 {
			continue
		}
		if row < len(stood) && stood[row] != checksum.EmptyRow {
			left = append(left, f.block.Top+row)
		}
		if to, ok := shifts.Cell(f.tables.View.Sheet, f.block.Top+row, f.block.Left); ok && !taken[to-f.block.Top] {
			rows[row], taken[to-f.block.Top] = to, true
		}
	}
	return rows, left
}

// columns are the columns of the sheet that those of the block become, -1 for one that is gone. One that the source does not have any more
// stays, unless another one came there.
func (f *following) columns() []int {
	columns := make([]int, f.block.Right-f.block.Left+1)
	for column := range columns {
		columns[column] = -1
	}
	for column := range f.tables.Ours.Columns() {
		// Of two that were in one place, the one that was not known is in the same place still.
		if before := f.tables.columnBefore(column); before < len(columns) && (columns[before] < 0 || before != column) {
			columns[before] = f.block.Left + column
		}
	}
	for column := range columns {
		if to := f.block.Left + column; columns[column] < 0 && !slices.Contains(columns, to) {
			columns[column] = to
		}
	}
	return columns
}

// place returns the formulas in a row of Kept as they read there, and adds them to the plan where that writes the row. It does if one of
// them would else not follow.
func (f *following) place(row checksum.PersonRow) (list []Formula, fault *placements.Fault) {
	written := writes(f.plan.Rows, row.Row)
	writing, stays := written, []Formula(nil)
	for _, column := range row.Columns {
		from, to := Position{Row: row.Theirs, Column: f.tables.columnBefore(column)}, Position{Row: row.Row, Column: column}
		text, ok := f.tables.formulas[from]
		if !ok {
			continue
		}
		one, left, fault := f.formula(from, to, text)
		if fault != nil {
			return nil, fault
		}
		list = append(list, one)
		if stays = append(stays, one); left || !written && !f.carries(from, to) { // an equal row stands there
			stays[len(stays)-1].Text = ""
		} else {
			writing = true
		}
	}
	if writing {
		f.plan.Formulas = append(f.plan.Formulas, stays...)
		f.plan.Rows = withRow(f.plan.Rows, row.Row)
	}
	return list, nil
}

// formula returns a formula of the block as it reads in another place. stays reports whether the host leaves it so.
func (f *following) formula(from, to Position, text string) (one Formula, stays bool, fault *placements.Fault) {
	one, stays = Formula{Position: to}, f.carries(from, to)
	_, put := f.tables.put[from.Row][from.Column]
	fixed := !put && (text == "" || f.tables.fixed(from.Row, from.Column))
	stays = stays && !put
	if fixed && !stays {
		return one, false, Overwritable("the formula that fills %s cannot move with its row: "+
			"move it out of the block, or refresh with onEdit \"overwrite\"", spot(f.tables.View, from.Row, from.Column))
	}
	if text == "" {
		return one, stays, nil
	}
	at := formula.Place{Sheet: f.tables.View.Sheet, Row: f.block.Top + from.Row, Column: f.block.Left + from.Column}
	one.Text = f.carried.Rewrite(text, at)
	if after := f.after.Rewrite(text, at); !fixed && after != one.Text {
		one.Text, stays = after, false
	}
	return one, stays, nil
}

// carries reports whether the plan's moves and shifts make one cell of the block another.
func (f *following) carries(from, to Position) bool {
	return from.Column == to.Column && f.to[from.Row] == f.block.Top+to.Row
}

// placeFormulas says how the formulas of a person read in their place afterwards: of those in rows that are written, and of those that
// would else not follow the cells which they refer to, so that their rows are written. It puts what they show into the plan's grid.
func (p *decider) placeFormulas(plan *Changes, m *checksum.Merged) *placements.Fault {
	if len(p.tables.formulas) == 0 {
		return nil
	}
	f := p.newFollowing(plan, m)
	p.placed = map[Position]string{}
	var rows []int
	var kept, shown checksum.Builder
	for _, row := range m.People {
		cells := m.Kept.Cells(row.Row, nil)
		formulas, fault := f.place(row)
		if fault != nil {
			return fault
		}
		if len(formulas) == 0 {
			continue
		}
		rows = append(rows, row.Row)
		shows, before := slices.Clone(cells), p.tables.shows(row.Theirs, nil)
		for _, f := range formulas {
			shows[f.Column] = checksum.CellAt(before, p.tables.columnBefore(f.Column))
			cells[f.Column] = formulaCell(f, p.tables.View.at())
			p.placed[f.Position] = f.Text
		}
		kept.Append(cells...)
		shown.Append(shows...)
	}
	plan.Grid = m.Kept.Replace(rows, shown.Grid())
	m.Kept = m.Kept.Replace(rows, kept.Grid())
	return nil
}
