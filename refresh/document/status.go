package document

import (
	"encoding/json"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
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
	b.status = &statusCell{where: at}
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

// wantedStatuses asks for the status cells of blocks.
func wantedStatuses(blocks []*target) (list []host.Wanted) {
	for _, b := range blocks {
		if b.status != nil {
			list = append(list, host.Wanted{Block: b.status.where, Extent: checksum.Extent{Rows: 1, Columns: 1}})
		}
	}
	return list
}

// foundStatuses takes over what stands in them.
func foundStatuses(blocks []*target, found []host.Found) {
	for _, b := range blocks {
		if b.status != nil {
			b.status.found, found = found[0], found[1:]
			b.status.at = b.status.found.View.Anchor
		}
	}
}

// planStatuses decides what is written into the status cells of the blocks that are written. all are the blocks that are known in the
// document.
func planStatuses(writes, all []*draft) {
	if !slices.ContainsFunc(writes, func(b *draft) bool { return b.status != nil }) {
		return
	}
	var taken []host.Patch
	for _, b := range writes {
		taken = append(taken, b.patch())
	}
	for _, b := range writes {
		if b.status == nil {
			continue
		}
		b.status.text, b.status.note = b.statusText(all, taken)
		if b.status.text != "" {
			taken = append(taken, b.statusPatch())
		}
	}
}

// statusText is what to write into the status cell, or else why it is left alone.
func (b *draft) statusText(all []*draft, taken []host.Patch) (text, note string) {
	s := b.status
	v := s.found.View
	name := "the status cell " + v.Anchor.String()
	if s.found.Err != nil {
		return "", "the status cell " + b.now.StatusCell + " was left alone: " + fault.Of(s.found.Err).Message
	}
	if !strings.EqualFold(v.Sheet, b.view.Sheet) {
		return "", name + " was left alone: it was moved to the sheet " + v.Sheet
	}
	p := b.statusPatch()
	for _, other := range all {
		if other.stands(v.Sheet, v.Anchor) {
			return "", name + " was left alone: it lies inside a block"
		}
	}
	for i := range taken {
		if taken[i].Overlaps(&p) {
			return "", name + " was left alone: it lies inside what is written"
		}
	}
	stands := checksum.CellAt(v.Cells.Cells(0, nil), 0)
	text, ok := placements.StatusCellText(stands, b.task.Clock.Now().In(b.task.Location), b.rowsToWrite())
	if !ok || len(v.Formulas) > 0 {
		return "", name + " was left alone: it holds something else than a refresh wrote there"
	}
	return text, ""
}

// stands reports whether the block covers a cell as the document stands.
func (b *draft) stands(sheet string, cell placements.Anchor) bool {
	extent, at := b.view.Extent.Union(b.last.Reach()), b.view.Anchor
	covers := cell.Row >= at.Row && cell.Row < at.Row+extent.Rows && cell.Column >= at.Column && cell.Column < at.Column+extent.Columns
	return covers && strings.EqualFold(sheet, b.view.Sheet)
}

// rowsToWrite is how many rows the write of the block changes.
func (b *draft) rowsToWrite() int {
	var w host.Written
	p := b.patch()
	w.Count(&p)
	return w.Rows
}

// statusPatch is what to write into the status cell, where it was found.
func (b *draft) statusPatch() host.Patch {
	at, v := b.status.where, b.status.found.View
	at.PlacementID, at.SheetID, at.Sheet, at.Anchor = host.StatusID(b.now.ID), v.SheetID, v.Sheet, v.Anchor
	var grid checksum.Builder
	grid.Append(checksum.Str(b.status.text))
	return host.Patch{
		Block: at, Grid: grid.Grid(), Rows: []checksum.Span{{From: 0, To: 1}}, Extent: checksum.Extent{Rows: 1, Columns: 1},
		BreakSignature: b.options().BreakSignature.Or(false),
	}
}

// writesStatus reports whether the status cell is written with the block.
func (b *draft) writesStatus() bool { return b.status != nil && b.status.text != "" }

// dropStatus writes the block without its status cell.
func (b *draft) dropStatus(why error) {
	b.status.text = ""
	b.status.note = "the status cell " + b.status.found.View.Anchor.String() + " was left alone: " + fault.Of(why).Message
}

// statusBegun is the status cell that a write-ahead record names: whose marker the write sets.
func (b *draft) statusBegun() string {
	if b.writesStatus() {
		return b.now.StatusCell
	}
	return ""
}

// statusLeft is where the status cell stands after the write; marked reports whether its marker does.
func (b *draft) statusLeft() (cell string, marked bool) {
	if b.status == nil {
		return b.now.StatusCell, b.now.StatusCell != "" && statusMarked(b.now.Placement, b.kept)
	}
	v := b.status.found.View
	if b.status.found.Err != nil || !strings.EqualFold(v.Sheet, b.view.Sheet) || !v.Marked && !b.writesStatus() {
		return b.now.StatusCell, false
	}
	return b.status.at.String(), true
}

// statusNote says why the status cell was left alone; empty if it was not, or nothing was written.
func (b *draft) statusNote() string {
	if b.status == nil {
		return ""
	}
	return b.status.note
}
