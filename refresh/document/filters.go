package document

import (
	"context"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/refresh/host"
)

// noRowAbove is what a run says of a block whose report was set to show its filters since it was placed.
const noRowAbove = "the applied filters are not shown: they stand in the cell above the block, which begins in row 1: insert a row above it"

// locateFilters finds out where the cell for the applied filters should stand: at its marker, else above the block. One that holds
// what an earlier write left is emptied once nothing is to stand there.
func (b *target) locateFilters() {
	want := ""
	if b.task.Report.ShowsFilters() {
		want = b.task.Table.FiltersText()
	}
	if want == "" && len(b.told) == 0 {
		return
	}
	at := b.where
	at.PlacementID, at.Anchor.Row = "", max(at.Anchor.Row-1, 0)
	if b.where.PlacementID != "" && len(b.told) > 0 {
		at.PlacementID = host.FiltersID(b.now.ID)
	}
	b.filters = &filtersCell{want: want, sideCell: sideCell{
		id: host.FiltersID(b.now.ID), name: "the cell for the applied filters", where: at,
	}}
}

// readAbove reads the cells for the applied filters anew that have no marker and are not above their block, which was found elsewhere than it
// is recorded, and those whose block's marker is stray.
func readAbove(ctx context.Context, s host.Session, blocks []*draft) error {
	var list []host.Wanted
	var which []*filtersCell
	for _, b := range blocks {
		if c := b.filters; c != nil && b.astray(c) {
			c.where.PlacementID, c.where.SheetID, c.where.Sheet = "", b.view.SheetID, b.view.Sheet
			c.where.Anchor = b.view.Anchor
			c.where.Anchor.Row--
			list, which = append(list, c.wanted()), append(which, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	found, err := s.Read(ctx, list)
	for i, f := range found {
		which[i].take(f)
		blocks[0].out.Calls += f.View.Calls
	}
	return err
}

// marksFilters reports whether the cell for the applied filters was found by its marker, which counts if that of the block does, and the
// block has not come to stand there.
func (b *draft) marksFilters() bool {
	v := b.filters.found.View
	return v.Marked && b.where.PlacementID != "" && !b.stands(v.Sheet, v.Anchor)
}

// astray reports whether the cell was read elsewhere than above the block, and not by a marker that counts.
func (b *draft) astray(c *filtersCell) bool {
	v := c.found.View
	above := v.Anchor.Column == b.view.Anchor.Column && v.Anchor.Row == b.view.Anchor.Row-1 && strings.EqualFold(v.Sheet, b.view.Sheet)
	return !b.marksFilters() && b.view.Anchor.Row > 0 && (v.Marked || !above)
}

// planFilters decides what the cells for the applied filters are to hold, of blocks that all are known. A block that is as it should be
// is written for that alone.
func planFilters(all []*draft) {
	for _, b := range all {
		if b.filters != nil {
			b.planFilters(all)
		}
	}
}

func (b *draft) planFilters(all []*draft) {
	c := b.filters
	marked := b.marksFilters()
	if !marked && b.view.Anchor.Row == 0 {
		if c.want != "" {
			c.note = noRowAbove
		}
		return
	}
	if !b.reachable(&c.sideCell, all) {
		return
	}
	stands, ok := c.stands()
	as := checksum.Str(c.want)
	switch {
	case c.want == "":
		c.write = ok && b.wroteSide(stands)
	case ok && stands == as && marked:
	case ok && (stands.Kind == checksum.Empty || stands == as || b.wroteSide(stands)):
		c.write, c.text = true, c.want
	default:
		c.leave(notOurs)
	}
}

// wroteSide reports whether an earlier write may have left a cell for the applied filters so.
func (b *target) wroteSide(stands checksum.Cell) bool {
	return stands.Kind == checksum.Text && slices.Contains(b.told, checksum.RowFingerprint([]checksum.Cell{stands}))
}

// filtersTold are the texts that may stand in the cell for the applied filters once this is written, where those before may.
func (b *target) filtersTold(before []uint64) []uint64 {
	if c := b.filters; c != nil && c.write && c.text != "" {
		text := checksum.RowFingerprint([]checksum.Cell{checksum.Str(c.text)})
		return append(slices.DeleteFunc(slices.Clone(before), func(f uint64) bool { return f == text }), text)
	}
	return before
}

// filtersLeft are the texts that may stand in the cell for the applied filters after the write.
func (b *target) filtersLeft() []uint64 {
	c := b.filters
	switch {
	case c == nil || !c.write && c.note != "":
		return b.told // what stands there is not known to have changed
	case c.write:
		return b.filtersTold(nil)
	case c.want == "":
		return nil
	}
	return b.told
}
