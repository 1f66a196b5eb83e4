package xlsx

import (
	"slices"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
)

// standing is a block that a session read: where it was found, and where the session's own writes have moved it since.
type standing struct {
	sheet      string
	found, now placements.Anchor
}

// standings are the blocks of a session.
type standings []standing

// put notes a block that was just read.
func (s *standings) put(v host.View) {
	*s = slices.DeleteFunc(*s, func(b standing) bool { return b.sheet == v.Sheet && b.found == v.Anchor })
	*s = append(*s, standing{v.Sheet, v.Anchor, v.Anchor})
}

// now returns patches with their blocks where they stand now.
func (s standings) now(patches []host.Patch) []host.Patch {
	patches = slices.Clone(patches)
	for i := range patches {
		b := &patches[i].Block
		for _, block := range s {
			if block.sheet == b.Sheet && block.found == b.Anchor {
				b.Anchor = block.now
				break
			}
		}
	}
	return patches
}

// wrote notes that a write moved cells. The blocks that it wrote moved as the writer says: one whose first row was a shift's did not.
func (s standings) wrote(list formula.Shifts, patches []*sheetPatch) {
	for i := range s {
		b := &s[i]
		wrote := slices.IndexFunc(patches, func(p *sheetPatch) bool { return p.Block.Sheet == b.sheet && p.stood == b.now })
		if wrote >= 0 {
			b.now = patches[wrote].Block.Anchor
			continue
		}
		if row, ok := list.Cell(b.sheet, b.now.Row, b.now.Column); ok {
			b.now.Row = row
		}
	}
}
