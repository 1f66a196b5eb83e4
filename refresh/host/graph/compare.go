package graph

import (
	"bytes"
	"context"
	"slices"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

// compared is a run of a block's rows to be written over, and what of the block was read.
type compared struct {
	*cellArea
	run rowPieces
	was *rest.Reading
}

func areasCompared(compared []compared) []*cellArea {
	areas := make([]*cellArea, len(compared))
	for i, c := range compared {
		areas[i] = c.cellArea
	}
	return areas
}

// writtenOver are the rows to be written over of which it is known what was read.
func (w *writing) writtenOver() (rows []compared) {
	for i := range w.blocks {
		b := w.block(&w.blocks[i])
		read := w.read.At(b.Sheet, b.Block.Anchor)
		if read == nil {
			continue
		}
		for _, run := range joinSpans(b.over(read.Size), gapCells/max(read.Size.Columns, 1)) {
			place := b.place(run.From, 0, checksum.Extent{Rows: run.To - run.From, Columns: read.Size.Columns})
			rows = append(rows, compared{newArea(place), run, &read.Reading})
		}
	}
	return rows
}

// compare makes sure that rows are as they were read. The document's tag does not say so: what sessions write reaches the file up to 20 s
// later, and what a person types only with the next save.
func (w *writing) compare(ctx context.Context, before []compared) error {
	if err := w.readAreas(ctx, areasCompared(before)); err != nil {
		return err
	}
	for _, c := range before {
		if !c.same() {
			return w.changed(nil)
		}
	}
	return nil
}

// over are the rows of what was read that the patch writes or clears; all of them when it moves rows.
func (b *block) over(read checksum.Extent) []checksum.Span {
	spans := slices.Clone(b.Rows)
	for _, r := range b.Clear {
		spans = append(spans, checksum.Span{From: r.Row, To: r.Row + r.Rows})
	}
	if len(b.Shifts) > 0 {
		spans = append(spans, checksum.Span{To: read.Rows})
	}
	for i := range spans {
		spans[i].To = min(spans[i].To, read.Rows)
	}
	return host.MergeSpans(slices.DeleteFunc(spans, func(s checksum.Span) bool { return s.From >= s.To }))
}

// same reports whether the rows of the run's spans are as they were read. A formula is compared by its text: what it shows changes by
// itself.
func (c compared) same() bool {
	now := c.cells.Grid()
	was := formulasByRow(c.was.Formulas, 0)
	are := formulasByRow(c.formulas, c.run.From)
	for _, s := range c.run.spans {
		for row := s.From; row < s.To; row++ {
			if !slices.Equal(was[row], are[row]) {
				return false
			}
			if !sameRow(c.was.Cells, row, now, row-c.run.From, was[row]) {
				return false
			}
		}
	}
	return true
}

func formulasByRow(formulas []host.Formula, down int) map[int][]host.Formula {
	rows := map[int][]host.Formula{}
	for _, f := range formulas {
		f.Row += down
		rows[f.Row] = append(rows[f.Row], f)
	}
	return rows
}

// sameRow reports whether two rows have the same cells but for those with formulas.
func sameRow(a *checksum.Grid, i int, b *checksum.Grid, j int, formulas []host.Formula) bool {
	if len(formulas) == 0 {
		return bytes.Equal(rowOf(a, i), rowOf(b, j))
	}
	return bytes.Equal(withoutFormulas(a, i, formulas), withoutFormulas(b, j, formulas))
}

// rowOf is an encoded row, that of no cells beyond the end.
func rowOf(g *checksum.Grid, i int) []byte {
	if i >= g.Rows() {
		return []byte{0}
	}
	return g.Row(i)
}

func withoutFormulas(g *checksum.Grid, i int, formulas []host.Formula) []byte {
	var cells []checksum.Cell
	if i < g.Rows() {
		cells = g.Cells(i, nil)
	}
	for _, f := range formulas {
		if f.Column < len(cells) {
			cells[f.Column] = checksum.Cell{}
		}
	}
	var b checksum.Builder
	b.Append(cells...)
	return b.Grid().Row(0)
}

// readBack reads one of the cells that were written. Without a session of the service a write may be answered and yet not be kept.
func (w *writing) readBack(ctx context.Context) error {
	for i := range w.blocks {
		b := w.block(&w.blocks[i])
		at, want, ok := b.anyWritten()
		if !ok {
			continue
		}
		place := b.place(at.Row, at.Column, checksum.Extent{Rows: 1, Columns: 1})
		place.anchor.Row += b.After.Row - b.At.Row
		area := newArea(place)
		if err := w.readAreas(ctx, []*cellArea{area}); err != nil {
			return err
		}
		var wanted checksum.Builder
		wanted.Append(want)
		if !bytes.Equal(area.cells.Grid().Row(0), wanted.Grid().Row(0)) {
			return w.faults.NotKept(w.document)
		}
		return nil
	}
	return nil
}

// anyWritten is a cell of the patch that has a value.
func (b *block) anyWritten() (host.Position, checksum.Cell, bool) {
	var cells []checksum.Cell
	for _, s := range b.Rows {
		for row := s.From; row < s.To; row++ {
			formulas := b.FormulasIn(row)
			cells = b.Grid.Cells(row, cells[:0])
			for column, c := range cells[:min(len(cells), b.Extent.Columns)] {
				formula := slices.ContainsFunc(formulas, func(f host.Formula) bool { return f.Column == column })
				if c.Kind != checksum.Empty && c.Kind != checksum.Error && !formula {
					return host.Position{Row: row, Column: column}, c, true
				}
			}
		}
	}
	return host.Position{}, checksum.Cell{}, false
}
