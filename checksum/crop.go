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
