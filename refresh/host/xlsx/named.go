package xlsx

import (
	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/sheet"
)

// ownNames is what a session has the workbook's names say beside the patches.
type ownNames struct {
	identity host.Identity
	moved    formula.Shifts // since the cells of parameters were read
}

// parametersNow are the cells that patches want named, each name once, where shifts bring them that this session has made since it read
// them, and those that the patches make.
func parametersNow(patches []*sheet.BlockPatch, moved, by formula.Shifts) (list []host.ParameterCells) {
	named := map[string]bool{}
	for _, p := range patches {
		for _, cells := range p.Parameters {
			end := cells.At.End()
			area := placements.Rect{Top: cells.At.Anchor.Row, Left: cells.At.Anchor.Column, Bottom: end.Row, Right: end.Column}
			area, ok := moved.Area(cells.At.Sheet, area)
			if ok {
				area, ok = by.Area(cells.At.Sheet, area)
			}
			if !ok || named[cells.ID] {
				continue
			}
			named[cells.ID] = true
			cells.At = host.NewLocation(cells.At.Sheet, placements.Anchor{Row: area.Top, Column: area.Left},
				checksum.Extent{Rows: area.Bottom - area.Top + 1, Columns: area.Right - area.Left + 1})
			list = append(list, cells)
		}
	}
	return list
}
