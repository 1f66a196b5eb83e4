package host

import (
	"context"
	"fmt"
	"unicode/utf16"

	"mooring/checksum"
	"mooring/placements"
)

// Write applies a patch as Host says, in one replacement of the file. A patch without cells whose marker stands already writes nothing.
func (x *XLSX) Write(ctx context.Context, patch Patch) (Written, error) {
	document := patch.Block.Document
	if len(patch.Shifts) > 0 {
		return Written{}, fmt.Errorf("spreadsheet %q: an .xlsx host shifts no cells", document)
	}
	name, err := x.locate(document)
	if err != nil {
		return Written{}, err
	}
	if err := x.heldOpen(document, name); err != nil {
		return Written{}, err
	}
	p, err := x.openXLSX(document, name)
	if err != nil {
		return Written{}, err
	}
	defer p.close()
	if patch.Revision != "" && patch.Revision != p.revision {
		return Written{}, xlsxStale(document)
	}
	w, err := p.newWriter(ctx, patch)
	if err != nil || w.nothing() {
		return Written{Calls: 1}, err
	}
	if p.info.Mode().Perm()&0o222 == 0 {
		return Written{}, xlsxFault(placements.Auth, document, nil, "is read-only: make the file writable.")
	}
	if err := x.replace(p, name, w.write); err != nil {
		return Written{}, w.classify(err)
	}
	w.done.Calls = 1
	return w.done, nil
}

// xlsxWriter makes the new file out of the old one and a patch.
type xlsxWriter struct {
	*xlsxPackage
	ctx    context.Context
	wb     *xlsxWorkbook
	sheet  xlsxSheet
	patch  *xlsxPatch
	styles *xlsxStyles // nil when the patch gives no formats
	marker []xmlEdit
	done   Written
	gone   []placements.Anchor // formula cells that were overwritten
	new    map[string][]byte   // whole parts, by name in lower case, that are replaced
	added  []string            // names of parts in new that the file does not have
}

// newWriter reads what it takes to apply the patch and refuses one that cannot be applied.
func (p *xlsxPackage) newWriter(ctx context.Context, patch Patch) (*xlsxWriter, error) {
	w := &xlsxWriter{xlsxPackage: p, ctx: ctx, patch: newXLSXPatch(patch), new: map[string][]byte{}}
	var err error
	if w.wb, err = p.workbook(); err != nil {
		return nil, err
	}
	b := patch.Block
	var ok bool
	if w.sheet, ok = w.wb.find(b.Sheet); !ok {
		return nil, noWorksheet(b)
	}
	if p.part(w.sheet.part) == nil {
		return nil, xlsxBroken(b.Document, fmt.Errorf("part %s is missing", w.sheet.part))
	}
	if err := w.checkFit(); err != nil {
		return nil, err
	}
	if err := w.checkText(); err != nil {
		return nil, err
	}
	w.marker = w.wb.setMarker(b.PlacementID, w.sheet.name, b.Anchor, patch.Extent)
	edits := w.marker
	if !w.patch.empty() {
		edits = append(edits, w.wb.recalculate()...)
		if err := p.checkTables(w.sheet, w.patch); err != nil {
			return nil, err
		}
		if err := w.loadStyles(); err != nil {
			return nil, err
		}
	}
	if len(edits) > 0 {
		w.set(w.wb.part, applyXMLEdits(w.wb.doc, edits))
	}
	return w, nil
}

// nothing tells that the file is as the patch wants it.
func (w *xlsxWriter) nothing() bool { return w.patch.empty() && len(w.marker) == 0 }

// xlsxMaxCellText is the most a cell holds, in UTF-16 units. A file with more is taken for damaged.
const xlsxMaxCellText = 32_767

// checkText refuses text that is too long for a cell.
func (w *xlsxWriter) checkText() error {
	var cells []checksum.Cell
	for _, s := range w.patch.Rows {
		for row := s.From; row < min(s.To, w.patch.Grid.Rows()); row++ {
			if len(w.patch.Grid.Row(row)) <= xlsxMaxCellText {
				continue // no cell is longer than its row
			}
			cells = w.patch.Grid.Cells(row, cells[:0])
			for column, c := range cells {
				if len(c.Text) > xlsxMaxCellText && len(utf16.Encode([]rune(c.Text))) > xlsxMaxCellText {
					return xlsxFault(placements.Permanent, w.document, nil, "cannot hold the text in row %d, column %d of the result, which has more than %d characters: shorten it in the query.", row+1, column+1, xlsxMaxCellText)
				}
			}
		}
	}
	return nil
}

// checkFit refuses a block that reaches beyond the sheet, and dates where they are counted from another day.
func (w *xlsxWriter) checkFit() error {
	a, e := w.patch.Block.Anchor, w.patch.Extent
	if a.Row+e.Rows-1 > placements.MaxRow || a.Column+e.Columns-1 > placements.MaxColumn {
		return xlsxFault(placements.Structure, w.document, nil, "has too few rows or columns below %s for a result of %d rows and %d columns: place the report further up, or narrow it.", a, e.Rows, e.Columns)
	}
	if !w.wb.date1904 {
		return nil
	}
	for _, f := range w.patch.Formats {
		if isDateFormat(f) {
			return xlsxFault(placements.Structure, w.document, nil, "counts dates from 1904: turn the 1904 date system off in the workbook's options, or leave dates out of the report.")
		}
	}
	return nil
}
