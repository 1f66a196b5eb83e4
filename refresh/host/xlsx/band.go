package xlsx

import (
	"mooring/checksum"
	"mooring/placements"
)

// band returns the first and the last column of the cells that a patch's shifts insert and delete: those of the block before and after,
// of the formulas filled down beside it, and of the table that it is.
func (w *writer) band(p *sheetPatch) (left, right int, err error) {
	if err := w.findTable(p); err != nil {
		return 0, 0, err
	}
	left = p.Block.Anchor.Column
	right = left + max(p.before.Columns, p.Extent.Columns, 1) - 1
	right = max(right, p.FillRight.To-1)
	if p.table != nil {
		right = max(right, p.table.area.Right)
	}
	return left, min(right, placements.MaxColumn), nil
}

// standing is the extent that a patch's block has in the workbook, zero when no marker says so.
func (wb *workbook) standing(p *sheetPatch) checksum.Extent {
	b, ok := wb.marked(p.Block.PlacementID)
	if !ok || b.sheet.name != p.Block.Sheet || b.anchor != p.Block.Anchor {
		return checksum.Extent{}
	}
	return b.extent
}

// findTable finds the table that the patch's block is, and the block's extent before the patch.
func (w *writer) findTable(p *sheetPatch) error {
	if p.searched {
		return nil
	}
	p.searched, p.before = true, w.wb.standing(p)
	if len(p.Shifts) > 0 {
		p.before.Rows = p.Extent.Rows - p.Grows()
	}
	sheet, ok := w.wb.find(p.Block.Sheet)
	if !ok {
		return noWorksheet(p.Block)
	}
	tables, err := w.tables(sheet)
	if err != nil {
		return err
	}
	columns := p.before.Columns
	if columns == 0 {
		columns = p.Extent.Columns
	}
	for i := range tables {
		if tables[i].is(p.Block.Anchor, columns) {
			p.table = &tables[i]
		}
	}
	return nil
}
