package document

import (
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
)

// wantedSides asks for the cells outside of blocks.
func wantedSides(blocks []*target) (list []host.Wanted) {
	for _, b := range blocks {
		for _, c := range b.sides() {
			list = append(list, c.wanted())
		}
	}
	return list
}

// wanted asks for the cell.
func (c *sideCell) wanted() host.Wanted {
	return host.Wanted{Block: c.where, Extent: checksum.Extent{Rows: 1, Columns: 1}}
}

// foundSides takes over what stands in them.
func foundSides(blocks []*target, found []host.Found) {
	for _, b := range blocks {
		for _, c := range b.sides() {
			c.take(found[0])
			found = found[1:]
		}
	}
}

// take takes over what stands in the cell.
func (c *sideCell) take(f host.Found) { c.found, c.at = f, f.View.Anchor }

// stands is what the cell holds, without a formula.
func (c *sideCell) stands() (cell checksum.Cell, ok bool) {
	v := c.found.View
	return checksum.CellAt(v.Cells.Cells(0, nil), 0), len(v.Formulas) == 0
}

// notOurs is why a cell outside a block is left alone.
const notOurs = "it holds something else than a refresh wrote there"

// leave says why the cell is left alone.
func (c *sideCell) leave(why string) {
	c.write, c.note = false, c.name+" "+c.found.View.Anchor.String()+" was left alone: "+why
}

// reachable reports whether the cell can be written at all, and says in its note why not.
func (b *draft) reachable(c *sideCell, all []*draft) bool {
	v := c.found.View
	switch {
	case c.found.Err != nil:
		c.note = c.name + " " + c.where.Anchor.String() + " was left alone: " + fault.Of(c.found.Err).Message
		return false
	case !strings.EqualFold(v.Sheet, b.view.Sheet):
		c.leave("it was moved to the sheet " + v.Sheet)
		return false
	}
	for _, other := range all {
		if other.stands(v.Sheet, v.Anchor) {
			c.leave("it lies inside a block")
			return false
		}
	}
	return true
}

// sidePatch is what to write into a cell outside the block, where it was found.
func (b *target) sidePatch(c *sideCell) host.Patch {
	at, v := c.where, c.found.View
	at.PlacementID, at.SheetID, at.Sheet, at.Anchor = c.id, v.SheetID, v.Sheet, v.Anchor
	var grid checksum.Builder
	if c.text == "" {
		grid.Append(checksum.Cell{})
	} else {
		grid.Append(checksum.Str(c.text))
	}
	return host.Patch{
		Block: at, Grid: grid.Grid(), Rows: []checksum.Span{{From: 0, To: 1}}, Extent: checksum.Extent{Rows: 1, Columns: 1},
		BreakSignature: b.options().BreakSignature.Or(false),
	}
}

// writesSides reports whether a cell outside the block is written with it.
func (b *target) writesSides() bool {
	return slices.ContainsFunc(b.sides(), func(c *sideCell) bool { return c.write })
}

// dropSide writes the block without one of those cells, the last one that is left; false if none is.
func (b *target) dropSide(why error) bool {
	sides := b.sides()
	for i := len(sides) - 1; i >= 0; i-- {
		if sides[i].write {
			sides[i].leave(fault.Of(why).Message)
			return true
		}
	}
	return false
}

// sideNotes say why cells outside the block were left alone.
func (b *target) sideNotes() (list []string) {
	for _, c := range b.sides() {
		if c.note != "" {
			list = append(list, c.note)
		}
	}
	return list
}

// stands reports whether the block covers a cell as the document stands.
func (b *draft) stands(sheet string, cell placements.Anchor) bool {
	extent, at := b.view.Extent.Union(b.last.Reach()), b.view.Anchor
	covers := cell.Row >= at.Row && cell.Row < at.Row+extent.Rows && cell.Column >= at.Column && cell.Column < at.Column+extent.Columns
	return covers && strings.EqualFold(sheet, b.view.Sheet)
}
