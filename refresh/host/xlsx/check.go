package xlsx

import (
	"strings"
	"unicode/utf16"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/sheet"
)

// check refuses what no sheet or cell can hold.
func (w *writer) check(p *sheet.BlockPatch) error {
	if err := w.checkFit(p); err != nil {
		return err
	}
	if err := w.checkFormulas(p); err != nil {
		return err
	}
	return w.checkText(p)
}

// maxCellText is the most a cell holds, in UTF-16 units. A file with more is taken for damaged.
const maxCellText = 32_767

// CheckText refuses text that is too long for a cell.
func (w *writer) checkText(p *sheet.BlockPatch) error {
	var cells []checksum.Cell
	for _, s := range p.Rows {
		for row := s.From; row < min(s.To, p.Grid.Rows()); row++ {
			if len(p.Grid.Row(row)) <= maxCellText {
				continue // no cell is longer than its row
			}
			cells = p.Grid.Cells(row, cells[:0])
			for column, c := range cells {
				if len(c.Text) > maxCellText && len(utf16.Encode([]rune(c.Text))) > maxCellText {
					return archive.NewFault(placements.Permanent, w.archive.Document, nil,
						"cannot hold the text in row %d, column %d of the result, which has more than %d characters: "+
							"shorten it in the query.", row+1, column+1, maxCellText)
				}
			}
		}
	}
	return nil
}

// checkFit refuses a block that reaches beyond the sheet, and dates where they are counted from another day.
func (w *writer) checkFit(p *sheet.BlockPatch) error {
	a, e := p.Block.Anchor, p.Extent
	if a.Row+e.Rows-1 > placements.MaxRow || a.Column+e.Columns-1 > placements.MaxColumn {
		return archive.NewFault(placements.Structure, w.archive.Document, nil,
			"has too few rows or columns below %s for a result of %d rows and %d columns: place the report further up, or narrow it.",
			a, e.Rows, e.Columns)
	}
	if !w.wb.Date1904 {
		return nil
	}
	for _, f := range p.Formats {
		if host.IsDateFormat(f) {
			return archive.NewFault(placements.Structure, w.archive.Document, nil,
				"counts dates from 1904: turn the 1904 date system off in the workbook's options, or leave dates out of the report.")
		}
	}
	return nil
}

// checkFormulas refuses formulas that only stand for what a cell has: a data table is not written as a cell's own formula, and one that
// was filled from another cell and cannot be told for its own has that other's text.
func (w *writer) checkFormulas(p *sheet.BlockPatch) error {
	for _, f := range p.Formulas {
		if !strings.HasPrefix(f.Text, "=TABLE(") && !sheet.IsElsewhere(f.Text) {
			continue
		}
		a := placements.Anchor{Row: p.Block.Anchor.Row + f.Row, Column: p.Block.Anchor.Column + f.Column}
		return w.archive.Conflict("has a formula to go to %s on sheet %q that cannot be moved: "+
			"enter it anew outside the block, or overwrite it.", a, p.Block.Sheet)
	}
	return nil
}
