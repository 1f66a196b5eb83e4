package xlsx

import (
	"cmp"
	"slices"
	"sort"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// partPatch is all that one Write changes on one sheet.
type partPatch struct {
	sheet
	document string
	patches  []*sheetPatch   // by their anchors' columns
	touched  []checksum.Span // rows that any of them writes or clears; ascending, merged
	gone     []placements.Anchor
}

// newPartPatch puts patches of one sheet together, which do not overlap.
func newPartPatch(document string, sheet sheet, patches []*sheetPatch) *partPatch {
	s := &partPatch{sheet: sheet, document: document, patches: slices.Clone(patches)}
	slices.SortStableFunc(s.patches, func(a, b *sheetPatch) int { return cmp.Compare(a.Block.Anchor.Column, b.Block.Anchor.Column) })
	s.touch()
	return s
}

// touch puts the rows that the patches touch together.
func (s *partPatch) touch() {
	for _, p := range s.patches {
		s.touched = append(s.touched, p.touched...)
	}
	s.touched = host.MergeSpans(s.touched)
}

// from is the first touched row at or below row; false when there is none.
func (s *partPatch) from(row int) (int, bool) {
	i := sort.Search(len(s.touched), func(i int) bool { return s.touched[i].To > row })
	if i == len(s.touched) {
		return 0, false
	}
	return max(row, s.touched[i].From), true
}

// take appends the cells of row that are written or cleared to dst, by column, and counts them as done.
func (s *partPatch) take(row int, dst []cellWrite) []cellWrite {
	for _, p := range s.patches {
		if !host.Holds(p.touched, row) {
			continue
		}
		before := len(dst)
		dst = p.cells(row, dst)
		p.done.Rows++
		p.done.Cells += len(dst) - before
		dst = p.appendBeside(row, dst)
	}
	if !slices.IsSortedFunc(dst, byColumn) {
		slices.SortFunc(dst, byColumn)
	}
	// A cell beside one block may be another's, which then has it: its write comes first.
	return slices.CompactFunc(dst, func(a, b cellWrite) bool { return a.column == b.column })
}

// at is what the patches make of a cell; false when they leave it alone.
func (s *partPatch) at(row, column int) (checksum.Cell, bool) {
	for _, p := range s.patches {
		for _, c := range p.cells(row, nil) {
			if c.column == column {
				return c.Cell, true
			}
		}
	}
	return checksum.Cell{}, false
}

// written is the rectangle that holds every cell of the rows written; false when there are none.
func (s *partPatch) written() (all placements.Rect, any bool) {
	for _, p := range s.patches {
		r, ok := p.written()
		switch {
		case ok && any:
			all = placements.Rect{
				Top: min(all.Top, r.Top), Left: min(all.Left, r.Left),
				Bottom: max(all.Bottom, r.Bottom), Right: max(all.Right, r.Right),
			}
		case ok:
			all, any = r, true
		}
	}
	return all, any
}

// touches reports whether any cell of area is touched.
func (s *partPatch) touches(area placements.Rect) bool {
	return slices.ContainsFunc(s.patches, func(p *sheetPatch) bool { return p.touches(area) })
}

// covers reports whether one of the patches touches every cell of area.
func (s *partPatch) covers(area placements.Rect) bool {
	return slices.ContainsFunc(s.patches, func(p *sheetPatch) bool { return p.covers(area) })
}
