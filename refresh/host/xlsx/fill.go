package xlsx

import (
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/sheet"
)

// readFills reads the formulas beside the last rows of blocks that gain some, as far as they are to be filled down. An array formula is
// not: it is one for all its cells.
func (w *writer) readFills() error {
	var passes sheet.Passes
	found := map[*sheet.BlockPatch]*host.Found{}
	for _, patch := range w.sheets {
		for _, x := range patch.Blocks {
			if area, ok := x.FillSource(); ok {
				found[x] = &host.Found{}
				passes.Add(patch.Sheet, area, host.Likely{}, found[x])
			}
		}
	}
	if err := w.parts.Read(w.ctx, &passes, part.NewStrings(w.ctx, w.archive, w.wb)); err != nil {
		return err
	}
	for x, f := range found {
		if f.Err != nil {
			return f.Err
		}
		if err := w.fill(x, f.View.Formulas); err != nil {
			return classify(w.archive, err)
		}
	}
	return nil
}

// fill takes up the formulas of the row that FillSource names, as they read once cells have moved.
func (w *writer) fill(x *sheet.BlockPatch, formulas []host.Formula) error {
	area, _ := x.FillSource()
	moves := formula.Rewriter{By: w.moves.By, Sheets: w.moves.Sheets}
	for _, f := range formulas {
		if f.Fixed || f.Text == "" || sheet.IsElsewhere(f.Text) {
			continue
		}
		column := area.Left + f.Column
		text, err := moves.Rewrite(f.Text, formula.Place{Sheet: x.Block.Sheet, Row: area.Top, Column: column})
		if err != nil {
			return err
		}
		x.Fill(column, text)
	}
	return nil
}
