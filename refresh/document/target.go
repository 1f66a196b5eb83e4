package document

import (
	"cmp"
	"strings"

	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage/work"
)

// load takes over what is recorded of the placement. One that was disconnected, moved to another document or taken over by another person
// is not for this batch: the table may not be that person's rows, and who asked for the run may not be allowed to refresh it. Nor is one
// where another run has written a newer table meanwhile.
func (b *target) load(r work.Block) {
	b.now = r.Placed
	tenant := b.task.Deployment.Tenant
	was, is := b.sites.Of(tenant, b.task.Placement.Placement), b.sites.Of(tenant, b.now.Placement)
	if is.Host == nil && b.now.Host == b.task.Placement.Host && b.now.Home() == b.task.Placement.Home() {
		is = was // as the attempt found
	}
	b.now = is.On(b.now)
	b.out.Now = b.now
	elsewhere := is != was
	taken := b.task.behalf(r.Placed) != b.task.behalf(b.task.Placement) || r.Placed.Behalf().UID != b.task.Placement.Behalf().UID
	newer := b.now.AsOf != b.task.Placement.AsOf && b.now.AsOf > placements.Time(b.task.Table.AsOf) && !b.task.Table.AsOf.IsZero()
	if b.out.Left = !r.Found || elsewhere || taken || newer; b.out.Left {
		return
	}
	if b.newer = r.Newer; len(b.newer) > 0 && !b.options().ShiftRows.Or(false) {
		b.out.Err = takenBy(b.newer[0])
		return
	}
	b.kept, b.behind = r.Rows, r.Behind
	b.out.Err = b.locate()
}

// asOf is when the source was asked for what the block shows after a refresh that ends at now. It never goes back, unless the store's clock
// was set back.
func (b *target) asOf(now string) string {
	asked, before := placements.Time(b.task.Table.AsOf), b.now.AsOf
	if before > asked && before <= now {
		return before
	}
	return asked
}

// locate finds out where the block should stand and what was written there last.
func (b *target) locate() error {
	a, ok := b.now.Address()
	if !ok {
		return &placements.Fault{
			Class:   placements.Structure,
			Message: "the placement names no sheet and cell: connect the report again",
		}
	}
	last, err := lastWritten(b.now.Placement, b.kept, b.task.Table.Grid.Columns(), b.task.Claim.Run.ID)
	if err != nil {
		return err
	}
	b.last, b.foreign, b.unwritten, b.change = last.Last, last.foreign, last.unwritten(), last.change
	b.proof, b.opened, b.beside, b.told = last.proof, last.opened, last.beside, last.filters
	b.out.Opened = b.opened
	b.where = host.Block{Document: b.document(), SheetID: b.now.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	if b.unproven = len(b.kept.Completed)+len(b.kept.Begun) == 0; last.marked || b.unproven {
		b.where.PlacementID = b.now.ID // else an old marker may stand where the placement was moved from
	}
	b.locateStatus()
	b.locateFilters()
	return nil
}

// document is the id of the block's document at its host.
func (b *target) document() string {
	return b.sites.Of(b.task.Deployment.Tenant, b.now.Placement).ID
}

// stray reports whether a marker was found that is an old one, so that the block is read as without. Of a block that is remembered, it is one
// that does not prove it. Of one that is not, it is any but that of a write which the storage has lost. Such a marker stands where the block is
// recorded and has the stamp of a later write than is known. None is believed where a reader placed the report: perhaps under the id of
// another person's placement that was disconnected.
func (b *target) stray(f host.Found) bool {
	v := f.View
	switch {
	case f.Err != nil || !v.Marked:
		return false
	case !b.unproven:
		return !b.provenBy(v)
	}
	here := v.Anchor == b.where.Anchor && strings.EqualFold(v.Sheet, b.where.Sheet)
	return b.now.Placer == placements.PlacedByReader || !here || !b.last.Generations.Lacks(v.Stamp)
}

// belowRows is how many rows below the block are read: what was dragged out of it is looked for there.
const belowRows = 16

// wanted asks for all cells that the block covers, or may cover afterwards.
func (b *target) wanted() host.Wanted {
	extent := b.last.Reach().Union(b.task.Table.Grid.Extent())
	extent.Rows += belowRows
	return host.Wanted{Block: b.where, Extent: extent, Likely: b.likely()}
}

// likely is what stands in the block where neither the source nor people changed anything; zero where the document is known to hold other cells
// than it is given.
func (b *target) likely() host.Likely {
	if len(b.last.Held) > 0 {
		return host.Likely{}
	}
	return host.Likely{Cells: b.task.Table.Grid, Rows: b.task.Table.Block()}
}

// reads is about how many bytes the block's cells take that are read, if they are as long as those of its table.
func (b *target) reads() int {
	ours := b.task.Table.Grid
	extent := b.last.Reach().Union(ours.Extent())
	cell := ours.Size()/max(ours.Rows()*ours.Columns(), 1) + 1
	return max(ours.Size(), extent.Rows*extent.Columns*cell)
}

// valuesOf is the user who may see what stood in the block, 0 for none: row-level security may have shown the rows before to another user
// only.
func (b *target) valuesOf() int64 {
	if b.foreign {
		return 0
	}
	return b.now.Behalf().UID
}

// refreshed is the placement's record after the write, and what to keep beside it: where the block really stands, how large it is and
// before is negative if b takes the cells that both blocks need, positive if other does: a block that a reader placed gives way, else the one
// that was placed first.
func (b *target) before(other *target) int {
	byReader := b.now.Placer == placements.PlacedByReader
	switch {
	case byReader == (other.now.Placer == placements.PlacedByReader):
		return cmp.Compare(other.now.Claim, b.now.Claim)
	case byReader:
		return 1
	}
	return -1
}
