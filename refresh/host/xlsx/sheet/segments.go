package sheet

import (
	"archive/zip"
	"context"
	"io"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/xlsx/archive"
)

// Contents are the cells of a rectangle of a sheet, by the fingerprints of its rows: 0 of one that is not known.
type Contents struct {
	Area placements.Rect
	Rows []uint64 // from Area.Top on
}

// columns are those that c tells of.
func (c *Contents) columns() archive.Columns {
	return archive.Columns{Left: c.Area.Left, Right: c.Area.Right}
}

// digest is one of the cells in rows [from,to); 0 if they are not known.
func (c *Contents) digest(from, to int) uint64 {
	from, to = from-c.Area.Top, to-c.Area.Top
	if from < 0 || to > len(c.Rows) || slices.Contains(c.Rows[from:to], 0) {
		return 0
	}
	return checksum.RowsDigest(c.Rows[from:to])
}

// maxAreas is of how many ranges of columns the segments of a sheet say what they hold.
const maxAreas = 16

// areas are the ranges of columns that contents are of, and those that were known before.
func areas(contents []Contents, before *archive.Segments) (list []archive.Columns) {
	for i := range contents {
		list = append(list, contents[i].columns())
	}
	if before != nil {
		list = append(list, before.Areas...)
	}
	var unique []archive.Columns
	for _, c := range list {
		if len(unique) < maxAreas && !slices.Contains(unique, c) {
			unique = append(unique, c)
		}
	}
	return unique
}

// cells are the digests, for each area, of rows [from,to).
func cells(of []archive.Columns, contents []Contents, from, to int) []uint64 {
	list := make([]uint64, len(of))
	for i := range contents {
		if at := slices.Index(of, contents[i].columns()); at >= 0 && list[at] == 0 {
			list[at] = contents[i].digest(from, to)
		}
	}
	return list
}

// segments are those of a sheet part that was written in several; nil for any other.
func (s *Sheets) segments(f *zip.File) *archive.Segments {
	if s.shuffled[f] {
		return nil
	}
	index, ok := s.indexes[f]
	if !ok {
		index = s.archive.Segments(f)
		s.indexes[f] = index
	}
	return index
}

// openRegions opens what of a sheet part must be read of it to know what stands in regions, and has these take the rest for known.
func (s *Sheets) openRegions(ctx context.Context, f *zip.File, regions []*region) (io.ReadCloser, error) {
	index := s.segments(f)
	if index == nil {
		return s.Open(ctx, f)
	}
	var read []archive.Segment
	for i := range index.List {
		x := &index.List[i]
		if x.To == 0 || slices.ContainsFunc(regions, func(r *region) bool { return r.reads(index.Areas, x) }) {
			read = append(read, *x)
			continue
		}
		for _, r := range regions {
			r.know(x)
		}
	}
	return s.archive.UnpackSegments(ctx, f, read, archive.MaxSheet)
}

// meets reports whether a segment has rows of the rectangle.
func (r *region) meets(x *archive.Segment) bool { return x.From <= r.rect.Bottom && x.To > r.rect.Top }

// reads reports whether a segment must be read to know what stands in the rectangle.
func (r *region) reads(areas []archive.Columns, x *archive.Segment) bool {
	if !r.meets(x) {
		return false
	}
	at := slices.Index(areas, archive.Columns{Left: r.rect.Left, Right: r.rect.Right})
	if at < 0 || x.To > r.rect.Bottom+1 {
		return true
	}
	if r.likely.Rows.Columns > r.rect.Right-r.rect.Left+1 {
		return true
	}
	likely := Contents{Area: r.rect, Rows: r.likely.Rows.Fingerprints}
	digest := likely.digest(x.From, x.To)
	return digest == 0 || digest != x.Cells[at]
}

// know takes the rows of a segment for those that are likely.
func (r *region) know(x *archive.Segment) {
	if r.meets(x) {
		r.known = append(r.known, checksum.Span{From: x.From, To: x.To})
	}
}

// joined adds a known row, and those behind it, to the grid; 0 if it is not known.
func (r *region) joined(row, below int) int {
	for len(r.known) > 0 && r.known[0].To <= row {
		r.known = r.known[1:]
	}
	if len(r.known) == 0 || r.known[0].From > row {
		return 0
	}
	n := min(r.known[0].To, below) - row
	r.grid.Join(r.likely.Cells, row-r.rect.Top, row-r.rect.Top+n)
	return n
}

// openSplice opens what of a sheet part must be read to apply patches to it, and returns the segments that are copied as they are packed.
func (s *Sheets) openSplice(ctx context.Context, f *zip.File, patch *Patches) (in io.ReadCloser, copied []archive.Segment, err error) {
	index := s.segments(f)
	if index == nil {
		in, err = s.Open(ctx, f)
		return in, nil, err
	}
	var read []archive.Segment
	for _, x := range index.List {
		if x.To == 0 || patch.needs(x.From, x.To) {
			read = append(read, x)
		} else {
			copied = append(copied, x)
		}
	}
	in, err = s.archive.UnpackSegments(ctx, f, read, archive.MaxSheet)
	return in, copied, err
}

// needs reports whether the patches change rows [from,to), or must look at them.
func (s *Patches) needs(from, to int) bool {
	row, touched := s.from(from)
	return touched && row < to || slices.ContainsFunc(s.Blocks, func(p *BlockPatch) bool {
		model := p.models(p.beside.model) && p.beside.model >= from && p.beside.model < to
		return model || slices.ContainsFunc(p.beside.gained, func(g checksum.Span) bool { return g.From < to && g.To > from })
	})
}

// Contents returns what is known of the block's cells once the patch is applied, of which some were read, as rows of the sheet that now
// stand in the rectangle area. Rows that patches of others write there are not known.
func (x *BlockPatch) Contents(read Contents) Contents {
	c := Contents{Area: read.Area, Rows: slices.Clone(read.Rows)}
	c.forget(x.touched)
	if c.Area.Right-c.Area.Left+1 != x.Extent.Columns || c.Area.Left != x.Block.Anchor.Column || c.Area.Top != x.Block.Anchor.Row {
		return c
	}
	for _, s := range x.rows {
		x.fingerprints(&c, s)
	}
	return c
}

// fingerprints notes those of the rows that the patch writes.
func (x *BlockPatch) fingerprints(c *Contents, rows checksum.Span) {
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

// forget makes the rows that patches touch unknown.
func (c *Contents) forget(rows []checksum.Span) {
	for _, s := range rows {
		for row := max(s.From, c.Area.Top); row < min(s.To, c.Area.Top+len(c.Rows)); row++ {
			c.Rows[row-c.Area.Top] = 0
		}
	}
}

// Forget makes the rows that a patch of another block writes unknown, if it may write cells of the rectangle.
func (c *Contents) Forget(x *BlockPatch) {
	if left, right := x.reach(); left <= c.Area.Right && right >= c.Area.Left {
		c.forget(x.touched)
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
