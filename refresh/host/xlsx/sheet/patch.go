package sheet

import (
	"cmp"
	"slices"
	"sort"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/part"
)

// BlockPatch is a patch seen from its sheet, whose block stands where it will: rows and columns count from the sheet's corner.
type BlockPatch struct {
	host.Patch
	Stood   placements.Anchor // of the block before the patches' shifts; that of the Patch is where it stands after them
	Before  checksum.Extent   // of the block as it stands, zero when no marker says so
	Table   *part.Table       // that the block is, as it stands; nil for none
	rows    []checksum.Span   // of the sheet, that are written; ascending
	touched []checksum.Span   // of the sheet, that are written or cleared; ascending, merged
	values  []checksum.Cell   // scratch
	Done    host.Written
	Grown   *part.Table // the table afterwards
	beside  beside
}

// NewBlockPatch returns a patch of a block that stood at an anchor with an extent, zero if it is not known, and is a table unless that is nil.
func NewBlockPatch(p host.Patch, stood placements.Anchor, before checksum.Extent, is *part.Table) *BlockPatch {
	x := &BlockPatch{Patch: p, Stood: stood, Before: before, Table: is}
	x.Done.Rows, x.Done.Cells = p.Deleted(), p.Deleted()*p.Extent.Columns
	top := p.Block.Anchor.Row
	if p.Extent.Columns > 0 {
		for _, s := range p.Rows {
			x.rows = append(x.rows, checksum.Span{From: top + s.From, To: top + s.To})
		}
	}
	x.rows = host.MergeSpans(x.rows)
	x.touched = slices.Clone(x.rows)
	for _, c := range p.Clear {
		if c.Columns > 0 {
			x.touched = append(x.touched, checksum.Span{From: top + c.Row, To: top + c.Row + c.Rows})
		}
	}
	x.touched = host.MergeSpans(x.touched)
	return x
}

// cellWrite is a cell to write, or to clear when it is blank.
type cellWrite struct {
	checksum.Cell
	formula string // with its =; empty for a value
	column  int
	patch   *BlockPatch
	only    only
	like    int // the style of a cell without one of its own, 0 for none
}

// blank reports that nothing is to stand in the cell.
func (c *cellWrite) blank() bool { return c.Kind == checksum.Empty && c.formula == "" }

// cells appends the cells of row that are written or cleared to dst, by column.
func (x *BlockPatch) cells(row int, dst []cellWrite) []cellWrite {
	from, left, inGrid := len(dst), x.Block.Anchor.Column, row-x.Block.Anchor.Row
	formulas := x.FormulasIn(inGrid)
	if host.Holds(x.rows, row) {
		x.values = x.values[:0]
		if inGrid < x.Grid.Rows() {
			x.values = x.Grid.Cells(inGrid, x.values)
		}
		next := formulas
		for i := range x.Extent.Columns {
			cell := cellWrite{column: left + i, patch: x, like: x.styleLike(row, left+i)}
			if i < len(x.values) {
				cell.Cell = x.values[i]
			}
			if len(next) > 0 && next[0].Column == i {
				cell.formula, next = next[0].Text, next[1:]
				if cell.formula == "" {
					continue // stays as it is
				}
			}
			dst = append(dst, cell)
		}
	}
	written := len(dst)
	for _, c := range x.Clear {
		if inGrid < c.Row || inGrid >= c.Row+c.Rows {
			continue
		}
		for i := range c.Columns {
			if !host.Stays(formulas, c.Column+i) {
				dst = append(dst, cellWrite{column: left + c.Column + i, patch: x})
			}
		}
	}
	if len(dst) == written {
		return dst
	}
	// A cell both written and cleared is written: the sort is stable and writes come first.
	slices.SortStableFunc(dst[from:], byColumn)
	unique := slices.CompactFunc(dst[from:], func(a, b cellWrite) bool { return a.column == b.column })
	return dst[:from+len(unique)]
}

// byColumn orders the cells of a row, those that are written whatever they hold before others.
func byColumn(a, b cellWrite) int {
	return cmp.Or(cmp.Compare(a.column, b.column), cmp.Compare(a.only, b.only))
}

// written is the rectangle that holds every cell of the rows written, those beside the block too; false when there are none.
func (x *BlockPatch) written() (placements.Rect, bool) {
	if len(x.rows) == 0 {
		return placements.Rect{}, false
	}
	left := x.Block.Anchor.Column
	right := left + x.Extent.Columns - 1
	if n := len(x.beside.columns); n > 0 && len(x.beside.gained) > 0 {
		right = x.beside.columns[n-1].number
	}
	return placements.Rect{Top: x.rows[0].From, Bottom: x.rows[len(x.rows)-1].To - 1, Left: left, Right: right}, true
}

// parts yields the rectangles of cells that the patch touches and that meet area.
func (x *BlockPatch) parts(area placements.Rect, yield func(placements.Rect) bool) {
	a := x.Block.Anchor
	first := sort.Search(len(x.rows), func(i int) bool { return x.rows[i].To > area.Top })
	for _, s := range x.rows[first:] {
		r := placements.Rect{Top: s.From, Bottom: s.To - 1, Left: a.Column, Right: a.Column + x.Extent.Columns - 1}
		if s.From > area.Bottom || r.Intersects(area) && !yield(r) {
			break
		}
	}
	for _, c := range x.Clear {
		r := placements.Rect{
			Top: a.Row + c.Row, Bottom: a.Row + c.Row + c.Rows - 1,
			Left: a.Column + c.Column, Right: a.Column + c.Column + c.Columns - 1,
		}
		if r.Intersects(area) && !yield(r) {
			return
		}
	}
}

// touches reports whether the patch touches any cell of area.
func (x *BlockPatch) touches(area placements.Rect) bool {
	met := false
	x.parts(area, func(r placements.Rect) bool {
		r = common(r, area)
		met = (r.Bottom-r.Top+1)*(r.Right-r.Left+1) > x.staying(r)
		return !met
	})
	return met
}

// covers reports whether the patch touches every cell of area. An area put together from several rectangles side by side counts
// as not covered, which errs on the side of leaving it alone.
func (x *BlockPatch) covers(area placements.Rect) bool {
	next := area.Top
	x.parts(area, func(r placements.Rect) bool {
		if r.Top <= next && r.Left <= area.Left && r.Right >= area.Right {
			next = max(next, r.Bottom+1)
		}
		return true
	})
	return next > area.Bottom && x.staying(area) == 0
}

// staying is how many cells of area the patch leaves as they are although it writes their rows.
func (x *BlockPatch) staying(area placements.Rect) int {
	n, a := 0, x.Block.Anchor
	from := sort.Search(len(x.Formulas), func(i int) bool { return a.Row+x.Formulas[i].Row >= area.Top })
	for _, f := range x.Formulas[from:] {
		if a.Row+f.Row > area.Bottom {
			break
		}
		if column := a.Column + f.Column; f.Text == "" && column >= area.Left && column <= area.Right {
			n++
		}
	}
	return n
}

// common is the rectangle that two which intersect share.
func common(a, b placements.Rect) placements.Rect {
	return placements.Rect{
		Top: max(a.Top, b.Top), Left: max(a.Left, b.Left),
		Bottom: min(a.Bottom, b.Bottom), Right: min(a.Right, b.Right),
	}
}
