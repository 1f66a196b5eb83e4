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
		cell := r.skip()
		if Kind(cell[0]) == Empty {
			b.Empty()
			continue
		}
		copy(b.room(len(cell)), cell)
	}
	b.EndRow()
}

// FirstOutside finds the first non-empty cell, by row and then column, outside the rectangle of that size at the top left.
func (g *Grid) FirstOutside(inside Extent) (row, column int, ok bool) {
	for encoded := range g.each {
		from := 0
		if row < inside.Rows {
			from = inside.Columns
		}
		if width(encoded) > from {
			r := readRow(encoded)
			return row, r.firstFilled(from), true
		}
		row++
	}
	return 0, 0, false
}
