package xlsx

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// spare changes the shifts of a patch whose block is a table so that the table always has a row of data, as it must: of a block that loses
// all its rows one is emptied instead, and a block that has none grows from the empty one.
func (w *writer) spare(p *sheetPatch) error {
	switch {
	case p.table == nil || len(p.Shifts) == 0 || p.table.bottom() > p.Block.Anchor.Row+max(p.before.Rows, 2)-1:
	case p.before.Rows > 1 && p.Extent.Rows <= 1:
		p.spareLast()
	case p.before.Rows == 1 && len(p.Shifts) == 1 && p.Shifts[0].At == 1 && p.Shifts[0].Rows > 0:
		empty, err := w.isEmpty(p, p.Block.Anchor.Row+1)
		if err != nil || !empty {
			return err
		}
		p.before.Rows, p.Shifts = 2, nil
		if rows := p.Extent.Rows - 2; rows > 0 {
			p.Shifts = []checksum.Shift{{At: 2, Rows: rows}}
		}
	}
	return nil
}

// spareLast empties the last row that the patch deletes.
func (x *sheetPatch) spareLast() {
	x.Shifts = slices.Clone(x.Shifts)
	for i := len(x.Shifts) - 1; i >= 0; i-- {
		if s := &x.Shifts[i]; s.Rows < 0 {
			if s.Rows++; s.Rows == 0 {
				x.Shifts = slices.Delete(x.Shifts, i, i+1)
			}
			x.Clear = append(slices.Clone(x.Clear), checksum.Rect{Row: 1, Rows: 1, Columns: x.before.Columns})
			return
		}
	}
}

// isEmpty reports whether a row of the sheet has nothing in the columns of the block.
func (w *writer) isEmpty(p *sheetPatch, row int) (bool, error) {
	sheet, _ := w.wb.find(p.Block.Sheet)
	found := &host.Found{}
	left := p.Block.Anchor.Column
	area := placements.Rect{Top: row, Bottom: row, Left: left, Right: left + max(p.before.Columns, p.Extent.Columns) - 1}
	one := &pass{sheet: sheet, regions: []*region{{into: found, rect: area}}}
	if err := w.readSheet(w.ctx, one, w.lazyStrings(w.ctx, w.wb)); err != nil {
		return false, err
	}
	one.regions[0].finish(w.document, nil)
	return found.Err == nil && len(found.View.Formulas) == 0 && len(found.View.Cells.Cells(0, nil)) == 0, found.Err
}
