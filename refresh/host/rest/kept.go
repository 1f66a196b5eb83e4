package rest

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// Follow lets the formulas that patches write follow what the patches before them move, and what earlier writes of the session have moved
// since their blocks were read. What later ones move the service lets them follow.
func (s Standings) Follow(placed []PlacedPatch) {
	for i := range placed {
		p := &placed[i]
		if !slices.ContainsFunc(p.Formulas, func(f host.Formula) bool { return f.Text != "" }) {
			continue
		}
		known, made := p.At, []*PlacedPatch(nil)
		if read := s.At(p.Sheet, p.Block.Anchor); read != nil {
			known, made = read.known, slices.Clone(read.made)
		}
		for k := range placed[:i] {
			made = append(made, &placed[k])
		}
		p.follow(known, made)
	}
}

// follow lets the formulas of a patch, whose block stood at a cell, follow what others have moved since.
func (p *PlacedPatch) follow(at placements.Anchor, made []*PlacedPatch) {
	stands := formula.Place{Sheet: p.Title, Row: -1}
	kept := *p.Patch
	kept.Formulas = slices.Clone(p.Formulas)
	for _, other := range made {
		if len(other.Shifts)+len(other.Moves) == 0 {
			continue
		}
		down := 0 // where what stands below the block is once the patch has made its own shifts
		if other.Sheet == p.Sheet && other.At.Row > at.Row && other.At.Column >= at.Column && other.At.Column < at.Column+p.Wide {
			down = p.Grows()
		}
		at = movedBy([]PlacedPatch{*other}, p.Sheet, at)
		moves := other.rearranges(down)
		for i := range kept.Formulas {
			kept.Formulas[i].Text = moves.Rewrite(kept.Formulas[i].Text, stands)
		}
	}
	p.Patch = &kept
}

// rearranges says where the patch's moves and shifts bring the cells of its sheet, if its block stands so many rows further down.
func (p *PlacedPatch) rearranges(down int) *formula.Rearrangement {
	there := *p
	there.At.Row += down
	by := shiftsOf([]PlacedPatch{there}, nil)
	block := placements.Rect{
		Top: there.At.Row, Bottom: there.At.Row + p.Had.Rows - 1, Left: p.At.Column, Right: p.At.Column + p.Wide - 1,
	}
	rows := make([]int, p.Had.Rows)
	for row := range rows {
		rows[row] = -1
		if to, ok := by.Cell(p.Title, block.Top+moved(p.Moves, row), block.Left); ok {
			rows[row] = to
		}
	}
	columns := make([]int, p.Wide)
	for column := range columns {
		columns[column] = block.Left + column
	}
	return formula.NewRearrangement(p.Title, block, rows, columns, by)
}

// moved is where moves bring a row of the block.
func moved(list []checksum.RowMove, row int) int {
	for _, m := range list {
		row = m.Follow(row)
	}
	return row
}

// structure is the patch without the cells that it writes, for the session to remember.
func (p *PlacedPatch) structure() *PlacedPatch {
	light := *p
	light.Patch, light.Found = &host.Patch{Moves: p.Moves, Shifts: p.Shifts, Extent: p.Extent}, nil
	return &light
}
