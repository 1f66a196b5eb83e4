package refresh

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage/record"
	"mooring/storage/work"
)

// load takes over what is recorded of the placement. One that was disconnected, moved to another document or taken over by another person
// is not for this batch: the table may not be that person's rows, and who asked for the run may not be allowed to refresh it. Nor is one
// where another run has written a newer table meanwhile.
func (b *block) load(r work.Block) {
	b.now = r.Placed
	a := b.job.attempt
	was, is := a.documentOf(a.d.Tenant, b.known.Placement), a.documentOf(a.d.Tenant, b.now.Placement)
	if is.host == nil && b.now.Host == b.known.Host && b.now.Home() == b.known.Home() {
		is = was // as the attempt found
	}
	b.now = is.of(b.now)
	elsewhere := is != was
	taken := a.behalf(r.Placed) != a.behalf(b.known) || r.Placed.Behalf().UID != b.known.Behalf().UID
	newer := b.now.AsOf != b.known.AsOf && b.now.AsOf > placements.Time(b.table.asOf) && !b.table.asOf.IsZero()
	if b.left = !r.Found || elsewhere || taken || newer; b.left {
		return
	}
	if b.newer = r.Newer; len(b.newer) > 0 && !b.options().ShiftRows.Or(false) {
		b.err = takenBy(b.newer[0])
		return
	}
	b.kept, b.behind = r.Rows, r.Behind
	b.err = b.locate()
}

// asOf is when the source was asked for what the block shows after a refresh that ends at now. It never goes back, unless the store's clock
// was set back.
func (b *block) asOf(now string) string {
	asked, before := placements.Time(b.table.asOf), b.now.AsOf
	if before > asked && before <= now {
		return before
	}
	return asked
}

// locate finds out where the block should stand and what was written there last.
func (b *block) locate() error {
	a, ok := b.now.Address()
	if !ok {
		return &placements.Fault{
			Class:   placements.Structure,
			Message: "the placement names no sheet and cell: connect the report again",
		}
	}
	last, err := lastWritten(b.now.Placement, b.kept, b.table.grid.Columns(), b.job.attempt.run.ID)
	if err != nil {
		return err
	}
	b.last, b.foreign, b.unwritten, b.change = last.Last, last.foreign, last.unwritten(), last.change
	b.proof, b.opened, b.beside = last.proof, last.opened, last.beside
	b.where = host.Block{Document: b.document(), SheetID: b.now.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	if b.unproven = len(b.kept.Completed)+len(b.kept.Begun) == 0; last.marked || b.unproven {
		b.where.PlacementID = b.now.ID // else an old marker may stand where the placement was moved from
	}
	b.locateStatus()
	return nil
}

// document is the id of the block's document at its host.
func (b *block) document() string {
	a := b.job.attempt
	return a.documentOf(a.d.Tenant, b.now.Placement).id
}

// stray reports whether a marker was found that is an old one, so that the block is read as without. Of a block that is remembered, it is one
// that does not prove it. Of one that is not, it is any but that of a write which the storage has lost. Such a marker stands where the block is
// recorded and has the stamp of a later write than is known. None is believed where a reader placed the report: perhaps under the id of
// another person's placement that was disconnected.
func (b *block) stray(f host.Found) bool {
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
func (b *block) wanted() host.Wanted {
	extent := b.last.Reach().Union(b.table.grid.Extent())
	extent.Rows += belowRows
	return host.Wanted{Block: b.where, Extent: extent}
}

// reads is about how many bytes the block's cells take that are read, if they are as long as those of its table.
func (b *block) reads() int {
	ours := b.table.grid
	extent := b.last.Reach().Union(ours.Extent())
	cell := ours.Size()/max(ours.Rows()*ours.Columns(), 1) + 1
	return max(ours.Size(), extent.Rows*extent.Columns*cell)
}

// forget drops the cells that were read and planned, once they are written.
func (b *block) forget() {
	b.strayed = b.plan.Strayed(b.at)
	b.view.Cells, b.view.Formulas = nil, nil
	b.plan.Plan, b.plan.Grid, b.plan.Formulas = checksum.Plan{}, nil, nil
}

// unchanged reports whether the block is as it should be and has its marker, so that there is nothing to write.
func (b *block) unchanged() bool {
	return b.plan.Empty() && b.view.Marked && b.view.Extent == b.shows
}

// writeAhead is what to note before the write.
func (b *block) writeAhead() (work.WriteAhead, error) {
	if err := b.noteChange(); err != nil {
		return work.WriteAhead{}, err
	}
	of := b.origin()
	of.Foreign = b.foreign
	of.Beside = b.othersValues()
	rows, err := encodeWriteAhead(b.now.Placement, b.plan, b.change, b.job.attempt.run.ID, b.statusBegun(), of)
	return work.WriteAhead{Attempt: b.job.attempt.claim, PlacementID: b.now.ID, Rows: rows}, err
}

// noteChange makes what the plan changes the change of the block. One that is there already, of an earlier attempt whose write is found
// complete, stays.
func (b *block) noteChange() error {
	if b.plan.Empty() {
		return nil
	}
	d := b.plan.Difference
	c := &record.Change{
		RunID: b.job.attempt.run.ID, RunAs: b.valuesOf(), Columns: d.Columns,
		Counts: record.ChangeCounts{Changed: d.Changed, Added: d.Added, Removed: d.Removed, Moved: d.Moved},
	}
	if !d.Dropped {
		var err error
		if c.Packed, err = record.PackRows(converted(d.Rows, storageChange)); err != nil {
			return err
		}
	}
	c.Kept = c.Packed != nil
	b.change, b.plan.Difference.Rows = c, nil
	return nil
}

// valuesOf is the user who may see what stood in the block, 0 for none: row-level security may have shown the rows before to another user
// only.
func (b *block) valuesOf() int64 {
	if b.foreign {
		return 0
	}
	return b.now.Behalf().UID
}

// othersValues reports whether the rows that the plan replaces may have values of others: what stood in the block, or beside it, in columns
// that the options of the placement name.
func (b *block) othersValues() bool {
	a := b.job.attempt
	return b.foreign || b.beside || b.plan.Beside > 0 && !a.client() && a.level(record.Behalf(b.now.Placement)) < record.MayEdit
}

// wrote takes over what the host did with a patch.
func (b *block) wrote(p host.Patch, w host.Written) {
	b.written = w
	b.calls += w.Calls
	b.learn(p.Grid, w.Held)
	b.done = true
}

// collides reports whether the writes of both blocks may touch the same cell.
func (b *block) collides(other *block) bool {
	return b.reach().Intersects(other.reach()) && strings.EqualFold(b.view.Sheet, other.view.Sheet)
}

// errOvertaken: another attempt of the block's run has begun.
var errOvertaken = errors.New("another attempt of the run has begun")

// ended is the reason why what came of the block is not to be told: its attempt has ended, and that is what ended the block too.
func (b *block) ended(attempt context.Context) error {
	switch {
	case errors.Is(b.err, errOvertaken):
		return b.err
	case b.err != nil && attempt.Err() != nil:
		return context.Cause(attempt)
	}
	return nil
}

// refreshed is the placement's record after the write, and what to keep beside it: where the block really stands, how large it is and
// what it holds.
func (b *block) refreshed(stamp placements.Stamp) (p placements.Placement, rows []byte, err error) {
	p = b.now.Placement
	extent := b.shows
	at, before := b.at, p.AddressKey()
	p.SheetName, p.AnchorCell = b.view.Sheet, at.String()
	p.EndResultCell, p.Own = placements.Anchor{Row: at.Row + extent.Rows - 1, Column: at.Column + extent.Columns - 1}.String(), nil
	if p.Base = nil; b.foreign && len(b.plan.Edits) > 0 {
		p = p.WrittenOver(b.now.Placement)
	}
	if p.AddressKey() != before {
		p.ResultLocation = placements.Location{Sheet: p.SheetName, Anchor: at}.String()
	}
	if p.SheetID != "" && b.view.SheetID != "" {
		p.SheetID = b.view.SheetID
	}
	sum := b.table.grid.Checksum()
	p.ResultChecksum = &sum
	p.QueryChecksum = stamp.QueryChecksum
	p.RefreshedAt, p.RefreshedByUserID = placements.Time(stamp.Now), stamp.By.UID
	p.AsOf = b.asOf(p.RefreshedAt)
	p.RestoredAt = "" // what stands is known again
	if p.PlacedAt == "" {
		p.PlacedAt, p.PlacedByUserID = p.RefreshedAt, p.Behalf().UID
	}
	cell, marked := b.statusLeft()
	if p.StatusCell = cell; !marked {
		cell = ""
	}
	rows, err = encodeMemory(p, b.plan.Memory, cell, b.origin())
	return p, rows, err
}

// pending are the blocks that may still be written.
func pending(blocks []*block) []*block {
	var list []*block
	for _, b := range blocks {
		if !b.left && !b.done && b.err == nil {
			list = append(list, b)
		}
	}
	return list
}

// separate refuses the blocks that would grow into cells which another one of the batch takes: as if that one had been written already.
func separate(blocks []*block) {
	for i, b := range blocks {
		for _, other := range blocks[:i] {
			if b.err != nil || other.err != nil || !b.collides(other) {
				continue
			}
			takes, yields := b, other
			if yields.order(takes) < 0 {
				takes, yields = yields, takes
			}
			yields.err = plan.Conflict("the report would grow into cells that report %d takes, which was placed at %s: move or disconnect one of the two",
				takes.job.attempt.run.ReportID, takes.now.ResultLocation)
		}
	}
}

// order is negative if b takes the cells that both blocks need, positive if other does: a block that a reader placed gives way, else the one
// that was placed first.
func (b *block) order(other *block) int {
	byReader := b.now.Placer == placements.PlacedByReader
	switch {
	case byReader == (other.now.Placer == placements.PlacedByReader):
		return cmp.Compare(other.now.Claim, b.now.Claim)
	case byReader:
		return 1
	}
	return -1
}
