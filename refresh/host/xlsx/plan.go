package xlsx

import (
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/archive"
	"mooring/refresh/host/xlsx/part"
	"mooring/refresh/host/xlsx/shift"
)

// planner works out how cells move for the shifts of patches.
type planner struct {
	document string
	wb       *part.Workbook
	targets  []*target
	moves    *shift.Moves // gets the shifts
}

// plan makes the patches' shifts in the patches' order, and moves the blocks along.
func (p *planner) plan() error {
	for _, s := range p.wb.Sheets {
		p.moves.Sheets = append(p.moves.Sheets, s.Name)
	}
	for _, x := range p.targets {
		mine := x.shifts()
		if len(mine) == 0 {
			continue
		}
		if err := p.checkMarked(x, mine); err != nil {
			return err
		}
		x.putBehind(mine)
		for _, other := range p.targets {
			if other != x {
				other.moveBy(mine)
			}
		}
		p.moves.By = append(p.moves.By, mine...)
	}
	return p.followOthers()
}

// checkMarked refuses shifts of a patch that would move a part of another block only, or delete one.
func (p *planner) checkMarked(x *target, mine formula.Shifts) error {
	own, block := host.MarkerName(x.Block.PlacementID), x.area()
	for _, n := range p.wb.Names {
		if !p.wb.MarksBlock(n.Name) || strings.EqualFold(n.Name, own) {
			continue
		}
		l, err := placements.ParseLocation(strings.TrimSpace(n.Ref))
		if err != nil {
			continue
		}
		end := l.End()
		area := placements.Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}
		area, ok := p.moves.By.Area(l.Sheet, area)
		if strings.EqualFold(l.Sheet, x.Block.Sheet) && area.Intersects(block) {
			continue // blocks never overlap: it is left over from a report that is not placed any more
		}
		if x.Grows() == 0 && area.Top > block.Bottom {
			continue // it moves there and back
		}
		if ok && tears(mine, l.Sheet, area) {
			return archive.NewFault(placements.Conflict, p.document, nil, "cannot have the rows below %s on sheet %q moved: the report at %s reaches "+
				"beyond the cells that would move. Place one of the two elsewhere, or refresh without moving rows.",
				x.Block.Anchor, x.Block.Sheet, placements.Anchor{Row: area.Top, Column: area.Left})
		}
	}
	return nil
}

// followOthers lets the formulas that patches write follow the cells that others have moved.
func (p *planner) followOthers() error {
	for _, x := range p.targets {
		if len(x.made) == 0 {
			continue
		}
		others := formula.Rewriter{By: x.made, Sheets: p.moves.Sheets}.Prepared()
		x.Formulas = slices.Clone(x.Formulas)
		for i := range x.Formulas {
			f := &x.Formulas[i]
			at := formula.Place{Sheet: x.Block.Sheet, Row: x.known.Row + f.Row, Column: x.known.Column + f.Column}
			var err error
			if f.Text, err = others.Rewrite(f.Text, at); err != nil {
				return refused(p.document, err)
			}
		}
	}
	return nil
}
