package parameter

import (
	"mooring/placements"
	"mooring/refresh/host"
)

// Feed is a parameter that a placement takes from a cell of its document, and where that is.
type Feed struct {
	*placements.Parameter
	Cells  host.ParameterCells
	Number int                  // of its hidden name
	Named  placements.NameState // whether that is of the cell
}

// Feeds are those of a placement of a report with these parameters. What the report no longer lets come from a cell is none.
func Feeds(p *placements.Placement, of []placements.Parameter) (list []Feed) {
	for i := range of {
		said := p.Parameters[of[i].Name]
		at, err := placements.ParseLocation(said.Cell)
		if said.Cell == "" || err != nil || !of[i].FromCells {
			continue
		}
		m := p.Marks[of[i].Name]
		f := Feed{Parameter: &of[i], Number: m.Number, Named: m.Named, Cells: host.ParameterCells{At: at, List: of[i].List}}
		if m.Named != placements.NameNone {
			f.Cells.ID = host.ParameterID(p.ID, m.Number)
		}
		list = append(list, f)
	}
	return list
}
