package checksum

import "slices"

// tables are the three of a Merge. Their rows count from their header, which is row 0.
type tables struct {
	last     *Baseline
	standing *Grid
	wide     int            // columns of the block as it stands
	takes    int            // rows of the sheet that it takes
	below    []uint64       // fingerprints of the rows right below it
	loosely  map[int]uint64 // by row of theirs
	theirs   []uint64       // fingerprints of standing, with the empty rows at its end that the block has
	stood    []uint64       // of the document, where that does not hold theirs yet; nil: it does
	ours     *Grid
	block    BlockRows // of ours
	key      RowKey
	toOurs   []int // by column of base: that of ours, none for one that is gone; nil: they are the same
}

// standingRows is theirs with the empty rows at its end that the block has: hosts tell of too few, or of some below the block.
func standingRows(base, theirs, ours []uint64) []uint64 {
	full := theirs[:filled(theirs)]
	if slices.Equal(full, ours[:filled(ours)]) {
		return ours
	}
	rows := max(len(full), min(len(theirs), len(base)))
	theirs = theirs[:rows:rows]
	if filled(base) > rows {
		return theirs
	}
	for len(theirs) < len(base) {
		theirs = append(theirs, EmptyRow)
	}
	return theirs
}

// layout finds where the columns of base went in ours.
func (m *tables) layout() {
	if m.last.Header == nil || m.ours.Rows() == 0 {
		return
	}
	from, to := widened(m.last.Header, m.last.Columns), widened(m.ours.Cells(0, nil), m.ours.Columns())
	if !slices.Equal(from, to) {
		m.toOurs = mapColumns(from, to)
	}
}

// widened is cells with empty ones up to that number.
func widened(cells []Cell, columns int) []Cell {
	return append(slices.Clip(cells), make([]Cell, max(0, columns-len(cells)))...)
}

// column is where a column of the block as it stands goes in ours; none for one that is gone.
func (m *tables) column(i int) int {
	switch {
	case m.toOurs == nil:
		return i
	case i < len(m.toOurs):
		return m.toOurs[i]
	}
	return none
}

// cleared reports whether a person emptied all below the header.
func (m *tables) cleared() bool { return filled(m.theirs) <= 1 }

// keyColumns are the columns of the key in the block as it stands.
func (m *tables) keyColumns() []int {
	if m.toOurs == nil {
		return m.key.columns
	}
	from := inverse(m.toOurs, m.ours.Columns())
	columns := make([]int, len(m.key.columns))
	for i, column := range m.key.columns {
		columns[i] = from[column]
	}
	return columns
}

// columnsFrom is, for each column of ours, which one of the block as it stands it continues, none without one.
func (m *tables) columnsFrom() []int {
	if m.toOurs != nil {
		return inverse(m.toOurs, m.ours.Columns())
	}
	from := make([]int, m.ours.Columns())
	for i := range from {
		from[i] = i
	}
	return from
}

// halfEqual reports whether at least half of the filled cells of a row of theirs and of one of ours are equal.
func (m *tables) halfEqual(theirs, ours []Cell) bool {
	filled, equal := 0, 0
	for i, c := range theirs {
		if c.Kind == Empty {
			continue
		}
		filled++
		if c.Same(CellAt(ours, m.column(i))) {
			equal++
		}
	}
	return 2*equal >= filled
}
