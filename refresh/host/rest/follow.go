package rest

import (
	"errors"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// shiftsOf returns the shifts of patches in the order in which they are made. A range that ends in the last row of a block grows with rows
// inserted behind it, or begins in its first and grows with those before it, only where that block is the one of grows.
func shiftsOf(placed []PlacedPatch, grows *PlacedPatch) (list formula.Shifts) {
	for i := range placed {
		p := &placed[i]
		block := placements.Rect{
			Top: p.At.Row, Bottom: p.At.Row + p.Had.Rows - 1, Left: p.At.Column, Right: p.At.Column + p.Wide - 1,
		}
		for _, s := range p.Shifts {
			shift := formula.CellShift{Sheet: p.Title, Left: block.Left, Right: block.Right, Row: p.At.Row + s.At, Rows: s.Rows}
			if shift.Block = (placements.Rect{Bottom: -2}); p == grows { // else of no rows, so that none are behind it
				shift.Block = block
			}
			list = append(list, shift)
			block.Bottom += s.Rows
		}
	}
	return list
}

// Grown returns the formulas directly below the last of patches as they read once the patches' shifts were made, as far as they are to
// read otherwise than the service leaves them: a total is to count rows gained at an end of its block, beside the range that it names.
// Positions count from the block's anchor. sheets are all of the document in their order.
func Grown(placed []PlacedPatch, below []host.Formula, sheets []string) (grown []host.Formula) {
	p := &placed[len(placed)-1]
	want := formula.Rewriter{By: shiftsOf(placed, p), Sheets: sheets}
	does := formula.Rewriter{By: shiftsOf(placed, nil), Sheets: sheets}
	for _, f := range below {
		at := formula.Place{Sheet: p.Title, Row: p.At.Row + p.Had.Rows, Column: p.At.Column + f.Column}
		left, err := does.Rewrite(f.Text, at)
		text, other := want.Rewrite(f.Text, at)
		if errors.Join(err, other) == nil && text != left && !p.namesMoved(f.Text) {
			grown = append(grown, host.Formula{Position: host.Position{Row: p.Had.Rows + p.Grows(), Column: f.Column}, Text: text})
		}
	}
	return grown
}

// Left returns a formula of a cell around the last of patches, counted from its block's anchor, as the service leaves it when the patches'
// shifts were made. ok is false when no text says that.
func Left(placed []PlacedPatch, f host.Formula, sheets []string) (text string, ok bool) {
	p := &placed[len(placed)-1]
	rewriter := formula.Rewriter{By: shiftsOf(placed, nil), Sheets: sheets}
	text, err := rewriter.Rewrite(f.Text, formula.Place{Sheet: p.Title, Row: p.At.Row + f.Row, Column: p.At.Column + f.Column})
	return text, err == nil
}

// namesMoved reports whether a formula refers to rows of the block that the patch moves apart from others. The service lets it follow
// them, which its text as it was read does not say.
func (p *PlacedPatch) namesMoved(text string) bool {
	last := p.At.Row + p.Had.Rows - 1
	for _, r := range formula.References(text) {
		inside := r.Area.Bottom >= p.At.Row && r.Area.Top <= last
		if len(p.Moves) > 0 && inside && (r.Area.Top > p.At.Row+1 || r.Area.Bottom < last) {
			return true
		}
	}
	return false
}

// Followers counts the formulas whose texts the shifts of patches change.
type Followers struct {
	placed    []PlacedPatch
	rewriters map[*PlacedPatch]formula.Rewriter // of the formulas directly below a block; of others under nil
	found     map[string]int                    // by sheet
}

// NewFollowers returns a count of none. sheets are all of the document in their order.
func NewFollowers(placed []PlacedPatch, sheets []string) *Followers {
	f := &Followers{placed: placed, rewriters: map[*PlacedPatch]formula.Rewriter{}, found: map[string]int{}}
	for i := range placed {
		f.rewriters[&placed[i]] = formula.Rewriter{By: shiftsOf(placed, &placed[i]), Sheets: sheets}
	}
	f.rewriters[nil] = formula.Rewriter{By: shiftsOf(placed, nil), Sheets: sheets}
	return f
}

// Add counts those of the formulas of a sheet, whose positions count from an anchor, that change.
func (f *Followers) Add(sheet string, anchor placements.Anchor, formulas []host.Formula) {
	for _, one := range formulas {
		at := formula.Place{Sheet: sheet, Row: anchor.Row + one.Row, Column: anchor.Column + one.Column}
		within, below := f.stands(at)
		if text, err := f.rewriters[below].Rewrite(one.Text, at); err == nil && !within && text != one.Text {
			f.found[sheet]++
		}
	}
}

// stands reports whether a cell stands within the block of a patch, and directly below which.
func (f *Followers) stands(at formula.Place) (within bool, below *PlacedPatch) {
	for i := range f.placed {
		p := &f.placed[i]
		row, column := at.Row-p.At.Row, at.Column-p.At.Column
		if p.Title != at.Sheet || column < 0 || column >= p.Wide {
			continue
		}
		if row == p.Had.Rows {
			below = p
		}
		within = within || row >= 0 && row < p.Had.Rows && column < max(p.Extent.Columns, p.Had.Columns)
	}
	return within, below
}

// Follow returns the count.
func (f *Followers) Follow() (follow host.Follow) {
	for _, n := range f.found {
		follow.Formulas += n
		follow.Sheets++
	}
	return follow
}

// MaxFollowers bounds the cells of a document that are read to count what follows.
const MaxFollowers = 200_000

// Cells is how much of a sheet is read of which so many cells may still be.
func Cells(left int, size checksum.Extent) checksum.Extent {
	if size.Columns == 0 || left < size.Columns {
		return checksum.Extent{}
	}
	return checksum.Extent{Rows: min(size.Rows, left/size.Columns), Columns: size.Columns}
}
