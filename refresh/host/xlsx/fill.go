package xlsx

import (
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

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
