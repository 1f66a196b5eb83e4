package xlsx

import (
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

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

// fillSource are the cells with the formulas that the patch fills down; false when it fills none.
func (x *sheetPatch) fillSource() (area placements.Rect, ok bool) {
	was, _ := x.Lines(x.rowsBefore()).Last()
	if was < 1 || len(x.beside.gained) == 0 {
		return area, false
	}
	row := x.stood.Row + was
	for _, c := range x.beside.columns {
		if !c.fills || len(c.parts) > 0 {
			continue
		}
		if !ok {
			area, ok = placements.Rect{Top: row, Bottom: row, Left: c.number}, true
		}
		area.Right = c.number
	}
	return area, ok
}

// fill takes up the formulas of the row that fillSource names, as they read once cells have moved.
func (w *writer) fill(x *sheetPatch, formulas []host.Formula) error {
	area, _ := x.fillSource()
	_, now := x.Lines(x.rowsBefore()).Last()
	moves := formula.Rewriter{By: w.moves.By, Sheets: w.moves.Sheets}
	for _, f := range formulas {
		if f.Fixed || f.Text == "" || formulaElsewhere.MatchString(f.Text) {
			continue
		}
		text, err := moves.Rewrite(f.Text, formula.Place{Sheet: x.Block.Sheet, Row: area.Top, Column: area.Left + f.Column})
		if err != nil {
			return err
		}
		for i := range x.beside.columns {
			c := &x.beside.columns[i]
			if c.number == area.Left+f.Column && c.fills && len(c.parts) == 0 {
				c.parts, c.row = formula.Cut(text), x.Block.Anchor.Row+now
			}
		}
	}
	return nil
}
