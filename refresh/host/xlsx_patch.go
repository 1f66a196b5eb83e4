package host

import (
	"cmp"
	"slices"
	"sort"

	"mooring/checksum"
	"mooring/placements"
)

// xlsxPatch is a Patch seen from its sheet: rows and columns count from the sheet's corner.
type xlsxPatch struct {
	Patch
	rows    []checksum.Span // of the sheet, that are written; ascending
	touched []checksum.Span // of the sheet, that are written or cleared; ascending, merged
	values  []checksum.Cell // scratch
}

// xlsxCell is a cell to write, or to clear when it is Empty.
type xlsxCell struct {
	checksum.Cell
	column int
}

func newXLSXPatch(p Patch) *xlsxPatch {
	x := &xlsxPatch{Patch: p}
	top := p.Block.Anchor.Row
	if p.Extent.Columns > 0 {
		for _, s := range p.Rows {
			x.rows = append(x.rows, checksum.Span{From: top + s.From, To: top + s.To})
		}
	}
	x.rows = mergeSpans(x.rows)
	x.touched = slices.Clone(x.rows)
	for _, c := range p.Clear {
		if c.Columns > 0 {
			x.touched = append(x.touched, checksum.Span{From: top + c.Row, To: top + c.Row + c.Rows})
		}
	}
	x.touched = mergeSpans(x.touched)
	return x
}

// mergeSpans gives the same rows as ascending spans that do not meet.
func mergeSpans(spans []checksum.Span) []checksum.Span {
	slices.SortFunc(spans, func(a, b checksum.Span) int { return cmp.Compare(a.From, b.From) })
	var merged []checksum.Span
	for _, s := range spans {
		last := len(merged) - 1
		switch {
		case s.To <= s.From:
		case last >= 0 && s.From <= merged[last].To:
			merged[last].To = max(merged[last].To, s.To)
		default:
			merged = append(merged, s)
		}
	}
	return merged
}

// holds tells whether row is in spans, which mergeSpans made.
func holds(spans []checksum.Span, row int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].To > row })
	return i < len(spans) && spans[i].From <= row
}

// empty tells that no cell is touched.
func (x *xlsxPatch) empty() bool { return len(x.touched) == 0 }

// from is the first touched row at or below row; false when there is none.
func (x *xlsxPatch) from(row int) (int, bool) {
	i := sort.Search(len(x.touched), func(i int) bool { return x.touched[i].To > row })
	if i == len(x.touched) {
		return 0, false
	}
	return max(row, x.touched[i].From), true
}

// cells appends the cells of row that are written or cleared to dst, by column.
func (x *xlsxPatch) cells(row int, dst []xlsxCell) []xlsxCell {
	from, left, inGrid := len(dst), x.Block.Anchor.Column, row-x.Block.Anchor.Row
	if holds(x.rows, row) {
		x.values = x.values[:0]
		if inGrid < x.Grid.Rows() {
			x.values = x.Grid.Cells(inGrid, x.values)
		}
		for i := range x.Extent.Columns {
			cell := xlsxCell{column: left + i}
			if i < len(x.values) {
				cell.Cell = x.values[i]
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
			dst = append(dst, xlsxCell{column: left + c.Column + i})
		}
	}
	if len(dst) == written {
		return dst
	}
	// A cell both written and cleared is written: the sort is stable and writes come first.
	slices.SortStableFunc(dst[from:], func(a, b xlsxCell) int { return cmp.Compare(a.column, b.column) })
	unique := slices.CompactFunc(dst[from:], func(a, b xlsxCell) bool { return a.column == b.column })
	return dst[:from+len(unique)]
}

// at is what the patch makes of a cell; false when it leaves the cell alone.
func (x *xlsxPatch) at(row, column int) (checksum.Cell, bool) {
	for _, c := range x.cells(row, nil) {
		if c.column == column {
			return c.Cell, true
		}
	}
	return checksum.Cell{}, false
}

// written is the rectangle that holds every cell of the rows written; false when there are none.
func (x *xlsxPatch) written() (placements.Rect, bool) {
	if len(x.rows) == 0 {
		return placements.Rect{}, false
	}
	left := x.Block.Anchor.Column
	return placements.Rect{
		Top: x.rows[0].From, Bottom: x.rows[len(x.rows)-1].To - 1,
		Left: left, Right: left + x.Extent.Columns - 1,
	}, true
}

// parts yields the rectangles of cells that the patch touches and that meet area.
func (x *xlsxPatch) parts(area placements.Rect, yield func(placements.Rect) bool) {
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

// touches tells whether the patch touches any cell of area.
func (x *xlsxPatch) touches(area placements.Rect) bool {
	met := false
	x.parts(area, func(placements.Rect) bool {
		met = true
		return false
	})
	return met
}

// covers tells whether the patch touches every cell of area. An area put together from several rectangles side by side counts
// as not covered, which errs on the side of leaving it alone.
func (x *xlsxPatch) covers(area placements.Rect) bool {
	next := area.Top
	x.parts(area, func(r placements.Rect) bool {
		if r.Top <= next && r.Left <= area.Left && r.Right >= area.Right {
			next = max(next, r.Bottom+1)
		}
		return true
	})
	return next > area.Bottom
}
