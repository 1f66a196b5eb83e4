package xlsx

import (
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/sheet"
)

// standing is a block that a session read: where it was found, and where the session's own writes have moved it since.
type standing struct {
	sheet      string
	found, now placements.Anchor
	known      placements.Anchor // where it stood when its cells were read or written
	made       formula.Shifts    // by the session's writes since
	read       sheet.Known       // of the file as it is; zero when it was written since
}

// standings are the blocks of a session.
type standings []standing

// put notes a block that was just read.
func (s *standings) put(v host.View) {
	*s = slices.DeleteFunc(*s, func(b standing) bool { return b.sheet == v.Sheet && b.found == v.Anchor })
	*s = append(*s, standing{sheet: v.Sheet, found: v.Anchor, now: v.Anchor, known: v.Anchor})
}

// note notes the cells that were read of a block, of which so many were wanted.
func (s standings) note(v host.View, wanted checksum.Extent) {
	for i := range s {
		if b := &s[i]; b.sheet == v.Sheet && b.found == v.Anchor {
			b.read = sheet.Known{Area: covering(v.Anchor, v.Extent, wanted), Rows: v.Cells.Block().Fingerprints}
		}
	}
}

// left is what is known of the cells of a sheet once patches are applied that move none.
func (s standings) left(patches *sheet.Patches) (list []sheet.Known) {
	blocks := slices.Clone(patches.Blocks)
	for _, b := range s {
		if b.sheet != patches.Name || len(b.read.Rows) == 0 {
			continue
		}
		known := sheet.Known{Area: b.read.Area, Rows: slices.Clone(b.read.Rows)}
		for _, p := range patches.Blocks {
			known.Forget(p)
		}
		if own := slices.IndexFunc(blocks, func(p *sheet.BlockPatch) bool { return p.Stood == b.now }); own >= 0 {
			known = blocks[own].Leaves(known)
			blocks = slices.Delete(blocks, own, own+1)
		}
		list = append(list, known)
	}
	for _, p := range blocks {
		list = append(list, p.Leaves(sheet.Known{Area: covering(p.Block.Anchor, p.Extent, p.Extent)}))
	}
	return list
}

// now returns patches with their blocks where they stand now.
func (s standings) now(patches []host.Patch) []*target {
	list := make([]*target, len(patches))
	for i, p := range patches {
		known, made := p.Block.Anchor, formula.Shifts(nil)
		for _, block := range s {
			if block.sheet == p.Block.Sheet && block.found == p.Block.Anchor {
				p.Block.Anchor, known, made = block.now, block.known, slices.Clip(block.made)
				break
			}
		}
		list[i] = &target{Patch: p, stood: p.Block.Anchor, known: known, made: made}
	}
	return list
}

// wrote notes that a write moved cells. The blocks that it wrote moved as the writer says: one whose first row was a shift's did not.
func (s standings) wrote(list formula.Shifts, patches []*sheet.BlockPatch) {
	for i := range s {
		b := &s[i]
		b.read = sheet.Known{}
		wrote := slices.IndexFunc(patches, func(p *sheet.BlockPatch) bool { return p.Block.Sheet == b.sheet && p.Stood == b.now })
		if wrote >= 0 {
			b.now = patches[wrote].Block.Anchor
			b.known, b.made = b.now, nil
			continue
		}
		b.made = append(b.made, list...)
		if row, ok := list.Cell(b.sheet, b.now.Row, b.now.Column); ok {
			b.now.Row = row
		}
	}
}

// covering is the rectangle from anchor that covers both extents, as far as the sheet goes.
func covering(anchor placements.Anchor, a, b checksum.Extent) placements.Rect {
	return placements.Rect{
		Top: anchor.Row, Left: anchor.Column,
		Bottom: min(anchor.Row+max(a.Rows, b.Rows)-1, placements.MaxRow),
		Right:  min(anchor.Column+max(a.Columns, b.Columns)-1, placements.MaxColumn),
	}
}
