package sheet

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/part"
)

// Patches is all that one Write changes on one sheet.
type Patches struct {
	part.Sheet
	document string
	Blocks   []*BlockPatch   // by their anchors' columns
	touched  []checksum.Span // rows that any of them writes or clears; ascending, merged
	Gone     []placements.Anchor
	Known    []Known // what is known of the sheet's cells once the patches are applied
}

// NewPatches puts patches of one sheet together, which do not overlap.
func NewPatches(document string, sheet part.Sheet, patches []*BlockPatch) *Patches {
	s := &Patches{Sheet: sheet, document: document, Blocks: slices.Clone(patches)}
	slices.SortStableFunc(s.Blocks, func(a, b *BlockPatch) int { return cmp.Compare(a.Block.Anchor.Column, b.Block.Anchor.Column) })
	s.touch()
	return s
}

// touch puts the rows that the patches touch together.
func (s *Patches) touch() {
	for _, p := range s.Blocks {
		s.touched = append(s.touched, p.touched...)
	}
	s.touched = host.MergeSpans(s.touched)
}

// from is the first touched row at or below row; false when there is none.
func (s *Patches) from(row int) (int, bool) {
	i := sort.Search(len(s.touched), func(i int) bool { return s.touched[i].To > row })
	if i == len(s.touched) {
		return 0, false
	}
	return max(row, s.touched[i].From), true
}

// take appends the cells of row that are written or cleared to dst, by column, and counts them as done.
func (s *Patches) take(row int, dst []cellWrite) []cellWrite {
	for _, p := range s.Blocks {
		if !host.Holds(p.touched, row) {
			continue
		}
		before := len(dst)
		dst = p.cells(row, dst)
		p.Done.Rows++
		p.Done.Cells += len(dst) - before
		dst = p.appendBeside(row, dst)
	}
	if !slices.IsSortedFunc(dst, byColumn) {
		slices.SortFunc(dst, byColumn)
	}
	// A cell beside one block may be another's, which then has it: its write comes first.
	return slices.CompactFunc(dst, func(a, b cellWrite) bool { return a.column == b.column })
}

// At is what the patches make of a cell; false when they leave it alone.
func (s *Patches) At(row, column int) (checksum.Cell, bool) {
	for _, p := range s.Blocks {
		for _, c := range p.cells(row, nil) {
			if c.column == column {
				return c.Cell, true
			}
		}
	}
	return checksum.Cell{}, false
}

// written is the rectangle that holds every cell of the rows written; false when there are none.
func (s *Patches) written() (all placements.Rect, any bool) {
	for _, p := range s.Blocks {
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

// Touches reports whether any cell of area is touched.
func (s *Patches) Touches(area placements.Rect) bool {
	return slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool { return p.touches(area) })
}

// covers reports whether one of the patches touches every cell of area.
func (s *Patches) covers(area placements.Rect) bool {
	return slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool { return p.covers(area) })
}

// Headings are the headings of the block as the patch leaves them; false where it does not write them. One that is no text is empty.
func (x *BlockPatch) Headings(t *part.Table) (list []string, ok bool) {
	top := x.Block.Anchor.Row
	if !host.Holds(x.rows, top) {
		return nil, false
	}
	list = make([]string, x.Extent.Columns)
	copy(list, t.Columns)
	for _, c := range x.cells(top, nil) {
		if i := c.column - x.Block.Anchor.Column; i < len(list) {
			list[i] = ""
			if c.Kind == checksum.Text && c.formula == "" {
				list[i] = strings.Clone(c.Text)
			}
		}
	}
	return list, true
}

// Owner is the patch whose block is the table in that part, nil for none.
func (s *Patches) Owner(path string) *BlockPatch {
	i := slices.IndexFunc(s.Blocks, func(p *BlockPatch) bool { return p.Table != nil && p.Table.Path == path })
	if i < 0 {
		return nil
	}
	return s.Blocks[i]
}

// TouchesAny reports whether the patch touches any cell.
func (x *BlockPatch) TouchesAny() bool { return len(x.touched) > 0 }
