package rest

import (
	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// ParameterMoves know where cells of parameters stand that a session read: its writes may have moved them since.
type ParameterMoves struct{ made []*PlacedPatch }

// Read notes that the cells were read anew.
func (m *ParameterMoves) Read() { m.made = nil }

// Wrote notes what patches moved that were written.
func (m *ParameterMoves) Wrote(placed []PlacedPatch) {
	for i := range placed {
		m.made = append(m.made, placed[i].structure())
	}
}

// NamedCells are cells of a parameter that are to have a name: where they stand before a Write, and after it.
type NamedCells struct {
	ID            string
	Before, After placements.Location
}

// Size is how many cells a location has.
func Size(l placements.Location) checksum.Extent {
	return checksum.Extent{Rows: l.Rows, Columns: l.Columns}
}

// Names returns the cells that patches want named, each name once, without those that are deleted.
func (m *ParameterMoves) Names(placed []PlacedPatch) (list []NamedCells) {
	moves := make([]*PlacedPatch, len(placed))
	for i := range placed {
		moves[i] = &placed[i]
	}
	named := map[string]bool{}
	for _, p := range placed {
		for _, cells := range p.Parameters {
			before, ok := led(m.made, cells.At)
			after, stays := led(moves, before)
			if ok && stays && !named[cells.ID] {
				named[cells.ID] = true
				list = append(list, NamedCells{ID: cells.ID, Before: before, After: after})
			}
		}
	}
	return list
}

// led returns where patches bring cells, one after the other; false where they delete them.
func led(by []*PlacedPatch, l placements.Location) (placements.Location, bool) {
	text := host.Reference(l.Sheet, l.Anchor, Size(l))
	for _, p := range by {
		if len(p.Shifts)+len(p.Moves) > 0 {
			text = p.rearranges(0).Rewrite(text, formula.Place{Sheet: l.Sheet, Row: -1})
		}
	}
	to, err := placements.ParseLocation(text)
	return host.NewLocation(l.Sheet, to.Anchor, Size(to)), err == nil
}
