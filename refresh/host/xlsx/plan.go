package xlsx

import (
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// plan works out how cells move for the patches' shifts, made in the patches' order, and where the patches' blocks stand afterwards.
func (w *writer) plan() error {
	for _, s := range w.wb.sheets {
		w.moves.Sheets = append(w.moves.Sheets, s.name)
	}
	for _, p := range w.patches {
		mine, err := w.shiftsOf(p)
		if err != nil {
			return err
		}
		if len(mine) == 0 {
			continue
		}
		if err := w.checkMarked(p, mine); err != nil {
			return err
		}
		p.putBehind(mine)
		for _, other := range w.patches {
			if other != p {
				other.moveBy(mine)
			}
		}
		w.moves.By = append(w.moves.By, mine...)
	}
	return w.followOthers()
}

// shiftsOf returns the shifts of a patch whose block stands where those of the patches before have moved it.
func (w *writer) shiftsOf(p *sheetPatch) (list formula.Shifts, err error) {
	if len(p.Shifts) == 0 {
		return nil, nil
	}
	left, right, err := w.band(p)
	if err != nil {
		return nil, err
	}
	top := p.Block.Anchor.Row
	block := placements.Rect{Top: top, Bottom: top + p.Extent.Rows - p.Grows() - 1, Left: left, Right: right}
	for _, s := range p.Shifts {
		list = append(list, formula.Shift{
			Sheet: p.Block.Sheet, Left: left, Right: right, Row: top + s.At, Rows: s.Rows, Block: block,
		})
		block.Bottom += s.Rows
	}
	return list, nil
}

// moveBy moves a patch's block along with the cells that another patch's shifts move, and with it the table that it is.
func (x *sheetPatch) moveBy(list formula.Shifts) {
	x.made = append(x.made, list...)
	a := &x.Block.Anchor
	row, ok := list.Cell(x.Block.Sheet, a.Row, a.Column)
	if !ok {
		return // refused: it would be torn
	}
	if x.table != nil {
		x.table.area.Top += row - a.Row
		x.table.area.Bottom += row - a.Row
	}
	a.Row = row
}

// checkMarked refuses shifts of a patch that would move a part of another block only, or delete one.
func (w *writer) checkMarked(p *sheetPatch, mine formula.Shifts) error {
	own, block := host.MarkerName(p.Block.PlacementID), p.area()
	for _, n := range w.wb.names {
		if !host.IsMarker(n.name) || strings.EqualFold(n.name, own) {
			continue
		}
		l, err := placements.ParseLocation(strings.TrimSpace(n.ref))
		if err != nil {
			continue
		}
		end := l.End()
		area := placements.Rect{Top: l.Anchor.Row, Left: l.Anchor.Column, Bottom: end.Row, Right: end.Column}
		area, ok := w.moves.By.Area(l.Sheet, area)
		if strings.EqualFold(l.Sheet, p.Block.Sheet) && area.Intersects(block) {
			continue // blocks never overlap: it is left over from a report that is not placed any more
		}
		if p.Grows() == 0 && area.Top > block.Bottom {
			continue // it moves there and back
		}
		if ok && tears(mine, l.Sheet, area) {
			return newFault(placements.Conflict, w.document, nil, "cannot have the rows below %s on sheet %q moved: the report at %s reaches "+
				"beyond the cells that would move. Place one of the two elsewhere, or refresh without moving rows.",
				p.Block.Anchor, p.Block.Sheet, placements.Anchor{Row: area.Top, Column: area.Left})
		}
	}
	return nil
}

// area are the cells of the patch's block before its own shifts.
func (x *sheetPatch) area() placements.Rect {
	a := x.Block.Anchor
	return placements.Rect{
		Top: a.Row, Bottom: a.Row + max(x.Extent.Rows-x.Grows(), 1) - 1,
		Left: a.Column, Right: a.Column + max(x.before.Columns, x.Extent.Columns, 1) - 1,
	}
}

// tears reports whether shifts move or delete some cells of an area and not others.
func tears(list formula.Shifts, sheet string, area placements.Rect) bool {
	for _, s := range list {
		if !strings.EqualFold(s.Sheet, sheet) || s.Row > area.Bottom || s.Left > area.Right || s.Right < area.Left {
			continue
		}
		if area.Left < s.Left || area.Right > s.Right || area.Top < s.Row+max(-s.Rows, 0) {
			return true
		}
		area.Top += s.Rows
		area.Bottom += s.Rows
	}
	return false
}

// shifting reports whether the shifts are of a sheet.
func (w *writer) shifting(sheet string) bool {
	return slices.ContainsFunc(w.moves.By, func(s formula.Shift) bool { return strings.EqualFold(s.Sheet, sheet) })
}
