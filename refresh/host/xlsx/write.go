package xlsx

import (
	"archive/zip"
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/xlsx/xml"
)

// newWriter reads what it takes to apply the patches and refuses those that cannot be applied.
func (p *archive) newWriter(ctx context.Context, wb *workbook, patches []*sheetPatch, identity host.Identity) (*writer, error) {
	w := &writer{
		archive: p, ctx: ctx, wb: wb, sheets: map[*zip.File]*partPatch{},
		new: map[*zip.File][]byte{}, added: map[string][]byte{}, dropped: map[*zip.File]bool{},
		moving: map[*zip.File]sheet{},
	}
	if err := w.sort(patches); err != nil {
		return nil, err
	}
	if err := w.moveCells(); err != nil {
		return nil, w.classify(err)
	}
	wb = w.wb
	edits, names := wb.setMarkers(w.patches)
	w.marks = len(edits)+len(names) > 0
	if !w.nothing() {
		stamps, more := wb.setStamps(w.patches)
		edits, names = append(edits, stamps...), append(names, more...)
		own, another := wb.setIdentity(identity)
		edits, names = append(edits, own...), append(names, another...)
	}
	edits = append(edits, wb.addNames(names)...)
	if len(w.sheets)+len(w.moving) > 0 {
		edits = append(edits, wb.recalculate()...)
		for _, sheet := range w.sheets {
			if err := w.setTables(sheet); err != nil {
				return nil, err
			}
			sheet.follow()
		}
		if err := w.readFills(); err != nil {
			return nil, err
		}
		if err := w.loadStyles(); err != nil {
			return nil, err
		}
	}
	if len(edits) > 0 {
		w.set(wb.part, xml.Apply(wb.doc, edits))
	}
	return w, nil
}

// sort checks each patch and puts those of one sheet together.
func (w *writer) sort(patches []*sheetPatch) error {
	bySheet := map[sheet][]*sheetPatch{}
	for _, x := range patches {
		sheet, ok := w.wb.find(x.Block.Sheet)
		if !ok {
			return noWorksheet(x.Block)
		}
		if w.part(sheet.part) == nil {
			return w.broken(fmt.Errorf("part %s is missing", sheet.part))
		}
		x.Block.Sheet = sheet.name
		if err := w.findTable(x); err != nil {
			return err
		}
		w.patches = append(w.patches, x)
	}
	if err := w.plan(); err != nil {
		return err
	}
	for _, x := range w.patches {
		x.settle()
		if err := w.check(x); err != nil {
			return err
		}
		if sheet, _ := w.wb.find(x.Block.Sheet); len(x.touched) > 0 {
			bySheet[sheet] = append(bySheet[sheet], x)
		}
	}
	for sheet, some := range bySheet {
		w.sheets[w.part(sheet.part)] = newPartPatch(w.document, sheet, some)
	}
	return nil
}

// nothing reports that the file is as the patches want it.
func (w *writer) nothing() bool { return len(w.sheets)+len(w.moving) == 0 && !w.marks }

// check refuses what no sheet or cell can hold.
func (w *writer) check(p *sheetPatch) error {
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
func (w *writer) checkText(p *sheetPatch) error {
	var cells []checksum.Cell
	for _, s := range p.Rows {
		for row := s.From; row < min(s.To, p.Grid.Rows()); row++ {
			if len(p.Grid.Row(row)) <= maxCellText {
				continue // no cell is longer than its row
			}
			cells = p.Grid.Cells(row, cells[:0])
			for column, c := range cells {
				if len(c.Text) > maxCellText && len(utf16.Encode([]rune(c.Text))) > maxCellText {
					return newFault(placements.Permanent, w.document, nil,
						"cannot hold the text in row %d, column %d of the result, which has more than %d characters: "+
							"shorten it in the query.", row+1, column+1, maxCellText)
				}
			}
		}
	}
	return nil
}

// checkFit refuses a block that reaches beyond the sheet, and dates where they are counted from another day.
func (w *writer) checkFit(p *sheetPatch) error {
	a, e := p.Block.Anchor, p.Extent
	if a.Row+e.Rows-1 > placements.MaxRow || a.Column+e.Columns-1 > placements.MaxColumn {
		return newFault(placements.Structure, w.document, nil,
			"has too few rows or columns below %s for a result of %d rows and %d columns: place the report further up, or narrow it.",
			a, e.Rows, e.Columns)
	}
	if !w.wb.date1904 {
		return nil
	}
	for _, f := range p.Formats {
		if isDateFormat(f) {
			return newFault(placements.Structure, w.document, nil,
				"counts dates from 1904: turn the 1904 date system off in the workbook's options, or leave dates out of the report.")
		}
	}
	return nil
}

// checkFormulas refuses formulas that only stand for what a cell has: a data table is not written as a cell's own formula, and one that
// was filled from another cell and cannot be told for its own has that other's text.
func (w *writer) checkFormulas(p *sheetPatch) error {
	for _, f := range p.Formulas {
		if !strings.HasPrefix(f.Text, "=TABLE(") && !formulaElsewhere.MatchString(f.Text) {
			continue
		}
		a := placements.Anchor{Row: p.Block.Anchor.Row + f.Row, Column: p.Block.Anchor.Column + f.Column}
		return newFault(placements.Conflict, w.document, nil, "has a formula to go to %s on sheet %q that cannot be moved: "+
			"enter it anew outside the block, or overwrite it.", a, p.Block.Sheet)
	}
	return nil
}

// readFills reads the formulas beside the last rows of blocks that gain some, as far as they are to be filled down. An array formula is
// not: it is one for all its cells.
func (w *writer) readFills() error {
	var passes []*pass
	found := map[*sheetPatch]*host.Found{}
	for _, sheet := range w.sheets {
		for _, p := range sheet.patches {
			if area, ok := p.fillSource(); ok {
				found[p] = &host.Found{}
				passes = addToPass(passes, sheet.sheet, &region{into: found[p], rect: area})
			}
		}
	}
	shared := w.lazyStrings(w.ctx, w.wb)
	for _, pass := range passes {
		err := w.readSheet(w.ctx, pass, shared)
		if err != nil {
			return err
		}
		for _, r := range pass.regions {
			r.finish(w.document, nil)
		}
	}
	for p, f := range found {
		if f.Err != nil {
			return f.Err
		}
		if err := w.fill(p, f.View.Formulas); err != nil {
			return w.classify(err)
		}
	}
	return nil
}
