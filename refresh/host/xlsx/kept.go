package xlsx

import (
	"slices"

	"mooring/refresh/host/formula"
)

// putBehind makes shifts that others made before the patch's own count as if they were made behind these: what stands below the block is
// then further down.
func (x *sheetPatch) putBehind(own formula.Shifts) {
	list := slices.Clone(x.made)
	for i, at := 0, x.known; i < len(list); i++ {
		s := &list[i]
		below := s.Sheet == x.Block.Sheet && s.Row > at.Row && s.Left >= own[0].Left && s.Left <= own[0].Right
		at.Row, _ = list[i:i+1].Cell(x.Block.Sheet, at.Row, at.Column) // a block that is written was not deleted
		if below {
			s.Row += x.Grows()
			s.Block.Top += x.Grows()
			s.Block.Bottom += x.Grows()
		}
	}
	x.made = list
}

// followOthers lets the formulas that patches write follow the cells that others have moved.
func (w *writer) followOthers() error {
	for _, p := range w.patches {
		if len(p.made) == 0 {
			continue
		}
		others := formula.Rewriter{By: p.made, Sheets: w.moves.Sheets}.Prepared()
		p.Formulas = slices.Clone(p.Formulas)
		for i := range p.Formulas {
			f := &p.Formulas[i]
			at := formula.Place{Sheet: p.Block.Sheet, Row: p.known.Row + f.Row, Column: p.known.Column + f.Column}
			var err error
			if f.Text, err = others.Rewrite(f.Text, at); err != nil {
				return refused(w.document, err)
			}
		}
	}
	return nil
}
