package checksum

// Crop is the part of the table within the rectangle of that size at its top left. A table smaller than that stays as it is.
func (g *Grid) Crop(to Extent) *Grid {
	top := g.Slice(0, min(max(to.Rows, 0), g.rows))
	if top.columns <= to.Columns {
		return top
	}
	var b Builder
	for row := range top.each {
		if width(row) <= to.Columns {
			b.encoded(row)
			continue
		}
		b.beginning(row, to.Columns)
	}
	return b.Grid()
}

// encoded adds a whole row in its encoding.
func (b *Builder) encoded(row []byte) { b.beginning(row, width(row)) }

// beginning adds a row: the first columns cells of an encoded one.
func (b *Builder) beginning(row []byte, columns int) {
	for r := readRow(row); columns > 0; columns-- {
		b.encodedCell(r.skip())
	}
	b.EndRow()
}

// encodedCell adds a cell in its encoding to the current row.
func (b *Builder) encodedCell(cell []byte) {
	if Kind(cell[0]) == Empty {
		b.Empty()
		return
	}
	copy(b.room(len(cell)), cell)
	b.open.long = b.open.long || !short15Cell(cell)
}

// Extent is the size of a rectangle of cells.
type Extent struct{ Rows, Columns int }

// Union is the smallest size that covers both.
func (e Extent) Union(other Extent) Extent {
	return Extent{Rows: max(e.Rows, other.Rows), Columns: max(e.Columns, other.Columns)}
}

// Span is a range of rows [From,To).
type Span struct{ From, To int }

// CellRect is a rectangle of cells, relative to a block's anchor, from zero.
type CellRect struct{ Row, Column, Rows, Columns int }

// Shift moves the cells of a block below row At: Rows > 0 inserts that many empty rows of cells at At, Rows < 0 deletes -Rows
// rows from At on. At refers to the block as the shifts before it left it.
type Shift struct{ At, Rows int }

// Move cuts the Rows rows of a block from row From on and inserts them before row To; the rows between close up. Both are counted as the
// block stands before the move, and To lies outside [From, From+Rows].
type Move struct{ From, Rows, To int }
