package checksum

import "slices"

// composer puts Kept together out of runs of rows of ours and, between them, rows of a person.
type composer struct {
	merge  *merge
	out    *Merged
	at     map[int]int   // by row of ours: the edited row of theirs in its place
	after  map[int][]int // by row of ours: the rows of theirs inserted behind it; none: above all
	people Builder       // the person's rows
	parts  []part
	cells  []Cell // scratch: a row of theirs
	row    []Cell // scratch: a row of Kept
	before []Cell // scratch: what the source had there
}

// part is rows [from,to) of ours or, if own, of the person's.
type part struct {
	from, to int
	own      bool
}

// compose makes the table that keeps a person's rows and cells.
func (m *merge) compose() Merged {
	out := Merged{stands: BlockRows{m.theirs, m.wide}, ours: m.block, pick: m.pick, Moved: m.moved, merge: m}
	if out.stood = out.stands; m.stood != nil {
		out.stood.Fingerprints = m.stood
	}
	for _, b := range m.loose.base {
		if o := m.next.toB[b]; o != none && m.rows.toB[b] == none {
			out.Deleted = append(out.Deleted, int(o))
		}
	}
	slices.Sort(out.Deleted)
	c := &composer{merge: m, out: &out, at: map[int]int{}, after: map[int][]int{}}
	out.kept = make([]uint64, 0, m.ours.Rows()+len(m.theirs)/8)
	next := 0
	for _, o := range c.arrange() {
		if o != none {
			c.add(next, o)
			c.replace(o)
			next = o + 1
		}
		c.insertBehind(o)
	}
	c.add(next, m.ours.Rows())
	slices.Sort(out.Edited)
	c.finish()
	return out
}

// arrange finds the place of every row of a person, and returns the rows of ours there, ascending. An inserted one stays behind the
// nearest row above it that remains, else behind the header.
func (c *composer) arrange() (places []int) {
	last, before := min(0, c.merge.ours.Rows()-1), none
	place := func(t int) {
		for above := t - 1; above > before; above-- {
			if c.merge.pick[above] != none {
				last = int(c.merge.pick[above])
				break
			}
		}
		before = t
		switch pick := c.merge.pick[t]; {
		case pick != none:
			last = int(pick)
			if c.merge.state[t] == edited || c.merge.state[t] == emptied {
				c.at[last] = t
				places = append(places, last)
			}
		case c.merge.state[t] == edited:
			c.after[last] = append(c.after[last], t)
			places = append(places, last)
		}
	}
	if len(c.merge.theirs) > 0 && c.merge.rows.toA[0] != none {
		place(0)
	}
	for _, t := range c.merge.loose.theirs {
		place(t)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// replace adds row o of ours, with the cells in it that a person typed.
func (c *composer) replace(o int) {
	if t, ok := c.at[o]; ok {
		if columns := c.mergeRow(t, o); len(columns) > 0 {
			b := int(c.merge.rows.toA[t])
			c.addPerson(PersonRow{Theirs: t, Ours: o, Base: b, Columns: columns, Before: c.merge.history[b]})
			return
		}
	}
	c.add(o, o+1) // what was typed is what the source has
}

// insertBehind adds the rows that a person inserted behind row o of ours.
func (c *composer) insertBehind(o int) {
	for _, t := range c.after[o] {
		columns := c.ownRow(t)
		c.out.inserted = append(c.out.inserted, len(c.out.kept))
		c.addPerson(PersonRow{Theirs: t, Ours: none, Base: int(c.merge.rows.toA[t]), Columns: columns})
	}
}

// add adds rows [from,to) of ours as they are.
func (c *composer) add(from, to int) {
	if from == to {
		return
	}
	if last := len(c.parts) - 1; last >= 0 && !c.parts[last].own && c.parts[last].to == from {
		c.parts[last].to = to
	} else {
		c.parts = append(c.parts, part{from: from, to: to})
	}
	c.out.kept = append(c.out.kept, c.merge.block.Fingerprints[from:to]...)
}

// addPerson adds the row that was put together in c.row.
func (c *composer) addPerson(p PersonRow) {
	p.Row = len(c.out.kept)
	c.out.People = append(c.out.People, p)
	c.out.Edited = append(c.out.Edited, p.Theirs)
	at := c.people.Rows()
	c.people.Append(c.row...)
	c.parts = append(c.parts, part{from: at, to: at + 1, own: true})
	c.out.kept = append(c.out.kept, 0) // finish knows it
}

// finish joins the parts.
func (c *composer) finish() {
	people := c.people.Grid()
	fingerprints := people.Block().Fingerprints
	for i, p := range c.out.People {
		c.out.kept[p.Row] = fingerprints[i]
	}
	if len(c.out.People) == 0 {
		c.out.Kept = c.merge.ours
		return
	}
	kept := new(Grid)
	for _, p := range c.parts {
		from := c.merge.ours
		if p.own {
			from = people
		}
		kept.join(from, p.from, p.to)
	}
	kept.columns = max(c.merge.ours.Columns(), people.Columns())
	c.out.Kept = kept
}

// theirCells is row t of theirs.
func (c *composer) theirCells(t int) []Cell {
	c.cells = c.cells[:0]
	if t < c.merge.standing.Rows() {
		c.cells = c.merge.standing.Cells(t, c.cells)
	}
	return c.cells
}

// mergeRow puts into c.row the row o of ours with the cells of row t that a person edited, and returns their columns.
func (c *composer) mergeRow(t, o int) (columns []int) {
	theirs, e := c.theirCells(t), c.merge.history[int(c.merge.rows.toA[t])]
	c.row = c.merge.ours.Cells(o, c.row[:0])
	source, known := c.source(e, int(c.merge.rows.toA[t]), o)
	for i := range max(len(theirs), len(source), c.known()) {
		cell := CellAt(theirs, i)
		if known && cell.Same(CellAt(source, i)) {
			continue
		}
		column := c.merge.column(i)
		switch returned := known && e.returned(i, cell); {
		case column == none || returned:
			c.lose(t, i, cell, known, returned)
		case !cell.Same(CellAt(c.row, column)):
			c.row = widened(c.row, column+1)
			c.row[column] = cell
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	return columns
}

// known is how many columns the block had that ours may have too.
func (c *composer) known() int {
	if c.merge.toOurs != nil {
		return len(c.merge.toOurs)
	}
	return c.merge.ours.Columns()
}

// source is what the source had in a row as of the last run, which is row b of base and o of ours; known is false when that is not known.
func (c *composer) source(e *EditedRow, b, o int) (cells []Cell, known bool) {
	switch {
	case e != nil:
		return e.Source, true
	case b != none && c.merge.same(b):
		c.before = append(c.before[:0], c.row...)
		return c.before, true
	}
	return nil, false
}

// returned reports whether a cell was given back to the source and has not been typed anew.
func (e *EditedRow) returned(column int, now Cell) bool {
	return e != nil && e.Returned[column] && CellAt(e.Kept, column).Same(now)
}

// lose notes a cell that Kept does not hold.
func (c *composer) lose(row, column int, cell Cell, known, returned bool) {
	if cell.Kind != Empty || returned {
		c.out.Lost = append(c.out.Lost, LostCell{Row: row, Column: column, Returned: returned, Known: known})
	}
}

// ownRow puts into c.row the row t, which is a person's alone, and returns the columns of its filled cells.
func (c *composer) ownRow(t int) (columns []int) {
	c.row = c.row[:0]
	for i, cell := range c.theirCells(t) {
		if cell.Kind == Empty {
			continue
		}
		column := c.merge.column(i)
		if column == none {
			c.lose(t, i, cell, true, false)
			continue
		}
		c.row = widened(c.row, column+1)
		c.row[column] = cell
		columns = append(columns, column)
	}
	slices.Sort(columns)
	return columns
}
