package checksum

// Plan says how to turn the block that stands into another: the moves and then the shifts in order, then the rows to write, in full, then
// the cells to clear.
type Plan struct {
	Moves  []Move
	Shifts []Shift
	Rows   []Span     // rows of the new table, ascending, apart from each other
	Clear  []CellRect // what the old block covered and the new one does not, and no row written covers

	// With shifts, what stands beside a record goes with its row, but for these, ascending each:
	Gone   []int // rows of the block as it stands whose cells are deleted, or whose record left them to another one
	Strays []int // rows of the new table in cells that were another record's: what stood beside that one stands beside them
	Anew   []int // rows of the new table whose record stands in the block already, but in cells that are deleted: these are inserted
	Joined bool  // there are more places to insert and delete rows at than the plan may have shifts: rows between are written in place
}

// Written is how many rows the plan writes.
func (p Plan) Written() int {
	rows := 0
	for _, span := range p.Rows {
		rows += span.To - span.From
	}
	return rows
}

// Empty reports whether nothing changes.
func (p Plan) Empty() bool {
	return len(p.Moves) == 0 && len(p.Shifts) == 0 && len(p.Rows) == 0 && len(p.Clear) == 0
}

// Diff is the plan, without shifts, that turns base into ours: the rows that differ, the rows and columns that are gone.
func Diff(base, ours Block) Plan {
	var p Plan
	p.rewrite(base.Fingerprints, ours.Fingerprints, 0)
	p.clear(base.Extent(), ours.Extent())
	return p
}

// rewrite adds the rows of ours, whose first is row at, that do not stand there already. Where base has no row, nothing
// stands, and an empty row needs no writing.
func (p *Plan) rewrite(base, ours []uint64, at int) {
	common := min(len(base), len(ours))
	for i := sharedHead(base, ours); i < common; i += sharedHead(base[i:], ours[i:]) {
		from := i
		for i < common && base[i] != ours[i] {
			i++
		}
		p.rows(at+from, at+i)
	}
	for i, row := range ours[common:] {
		if row != EmptyRow {
			p.rows(at+common+i, at+common+i+1)
		}
	}
}

// rows adds rows [from,to), which follow those already there.
func (p *Plan) rows(from, to int) {
	if last := len(p.Rows) - 1; last >= 0 && p.Rows[last].To == from {
		p.Rows[last].To = to
		return
	}
	p.Rows = append(p.Rows, Span{From: from, To: to})
}

// clear adds what base covers and ours does not: the columns to the right of ours, and the rows below.
func (p *Plan) clear(base, ours Extent) {
	common := min(base.Rows, ours.Rows)
	if lost := base.Columns - ours.Columns; lost > 0 && common > 0 {
		p.Clear = append(p.Clear, CellRect{Column: ours.Columns, Rows: common, Columns: lost})
	}
	if lost := base.Rows - ours.Rows; lost > 0 && base.Columns > 0 {
		p.Clear = append(p.Clear, CellRect{Row: common, Rows: lost, Columns: base.Columns})
	}
}
