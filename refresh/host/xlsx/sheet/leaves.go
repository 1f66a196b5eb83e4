package sheet

import (
	"slices"

	"mooring/checksum"
)

// Leaves adds what the patch writes to what stays known of a rectangle, if that covers just the columns of the block, from its first row on.
func (x *BlockPatch) Leaves(c Known) Known {
	if c.Area.Right-c.Area.Left+1 != x.Extent.Columns || c.Area.Left != x.Block.Anchor.Column || c.Area.Top != x.Block.Anchor.Row {
		return c
	}
	for _, s := range x.rows {
		x.fingerprints(&c, s)
	}
	return c
}

// fingerprints notes those of the rows that the patch writes.
func (x *BlockPatch) fingerprints(c *Known, rows checksum.Span) {
	top := c.Area.Top
	if add := rows.To - top - len(c.Rows); add > 0 {
		c.Rows = append(c.Rows, make([]uint64, add)...)
		c.Area.Bottom = max(c.Area.Bottom, rows.To-1)
	}
	rows.To = min(rows.To, top+x.Grid.Rows())
	for row := rows.From - top; row < rows.To-top; row++ {
		if !x.readsOtherwise(row) {
			c.Rows[row] = x.Grid.Fingerprint(row)
		}
	}
}

// readsOtherwise reports whether a row of the block that the patch writes may read as another than it was given: one with a formula, or with an
// error, as some are texts in a file.
func (x *BlockPatch) readsOtherwise(row int) bool {
	if len(x.FormulasIn(row)) > 0 {
		return true
	}
	x.values = x.Grid.Cells(row, x.values[:0])
	return slices.ContainsFunc(x.values, func(c checksum.Cell) bool { return c.Kind == checksum.Error })
}

// Forget drops what is known of rows in which a patch touches cells of the rectangle.
func (c *Known) Forget(x *BlockPatch) {
	if left, right := x.reach(); left > c.Area.Right || right < c.Area.Left {
		return
	}
	for _, s := range x.touched {
		for row := max(s.From, c.Area.Top); row < min(s.To, c.Area.Top+len(c.Rows)); row++ {
			c.Rows[row-c.Area.Top] = 0
		}
	}
}

// reach returns the first and the last column of cells that the patch touches.
func (x *BlockPatch) reach() (left, right int) {
	left = x.Block.Anchor.Column
	right = left + x.Extent.Columns - 1
	for _, c := range x.Clear {
		right = max(right, left+c.Column+c.Columns-1)
	}
	for _, c := range x.beside.columns {
		right = max(right, c.number)
	}
	return left, right
}
