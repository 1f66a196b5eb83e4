package document

import (
	"encoding/json"
	"slices"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/work"
)

// locateStatus finds out where the status cell should stand.
func (b *target) locateStatus() {
	cell, err := placements.ParseAnchor(b.now.StatusCell)
	if err != nil {
		return
	}
	at := b.where
	at.Anchor, at.PlacementID = cell, ""
	if b.where.PlacementID != "" && statusMarked(b.now.Placement, b.kept) {
		at.PlacementID = host.StatusID(b.now.ID)
	}
	b.status = &sideCell{id: host.StatusID(b.now.ID), name: "the status cell", where: at}
}

// statusMarked reports whether the marker in the document stands at the status cell that the placement has: a connect may have named
// another one since.
func statusMarked(p placements.Placement, kept work.Rows) bool {
	for _, blob := range [][]byte{kept.Completed, kept.Begun} {
		var s struct{ Address, Status string }
		if len(blob) > 0 && json.Unmarshal(blob, &s) == nil && s.Address == p.AddressKey() && s.Status == p.StatusCell {
			return true
		}
	}
	return false
}

// planSides decides what is written into the cells outside of the blocks that are written. all are the blocks that are known in the document.
func planSides(writes, all []*draft) {
	for _, b := range writes {
		if b.status != nil {
			b.planStatus(all)
		}
	}
	if !slices.ContainsFunc(writes, (*draft).writesSides) {
		return
	}
	var taken []host.Patch
	for _, b := range writes {
		taken = append(taken, b.patch())
	}
	for _, b := range writes {
		for _, c := range b.sides() {
			if !c.write {
				continue
			}
			p := b.sidePatch(c)
			if slices.ContainsFunc(taken, func(other host.Patch) bool { return other.Overlaps(&p) }) {
				c.leave("it lies inside what is written")
				continue
			}
			taken = append(taken, p)
		}
	}
}

// planStatus decides what is written into the status cell of a block that is written.
func (b *draft) planStatus(all []*draft) {
	s := b.status
	if !b.reachable(s, all) {
		return
	}
	stands, ok := s.stands()
	s.text, s.write = placements.StatusCellText(stands, b.task.Clock.Now().In(b.task.Location), b.rowsChanged())
	if s.write = s.write && ok; !s.write {
		s.leave(notOurs)
	}
}

// rowsToWrite is how many rows the write of the block changes.
func (b *draft) rowsToWrite() int {
	var w host.Written
	p := b.patch()
	w.Count(&p)
	return w.Rows
}

// rowsChanged is what a status cell counts: rows that are only put back in order are not changed.
func (b *draft) rowsChanged() int {
	if d := b.plan.Difference; d.Moved > 0 {
		return d.Changed + d.Added + d.Removed
	}
	return b.rowsToWrite()
}

// statusLeft is where the status cell stands after the write; marked reports whether its marker does.
func (b *draft) statusLeft() (cell string, marked bool) {
	if b.status == nil {
		return b.now.StatusCell, b.now.StatusCell != "" && statusMarked(b.now.Placement, b.kept)
	}
	v := b.status.found.View
	if b.status.found.Err != nil || !strings.EqualFold(v.Sheet, b.view.Sheet) || !v.Marked && !b.status.write {
		return b.now.StatusCell, false
	}
	return b.status.at.String(), true
}
