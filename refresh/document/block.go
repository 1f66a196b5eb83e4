package document

import (
	"fmt"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage/record"
	"mooring/storage/work"
)

// separate refuses the blocks that would grow into cells which another one of the batch takes: as if that one had been written already.
func separate(blocks []*draft) {
	for i, b := range blocks {
		for _, other := range blocks[:i] {
			if b.out.Err != nil || other.out.Err != nil || !b.collides(other) {
				continue
			}
			takes, yields := b, other
			if yields.before(takes.target) < 0 {
				takes, yields = yields, takes
			}
			yields.out.Err = plan.Conflict("the report would grow into cells that report %d takes, which was placed at %s: move or disconnect one of the two",
				takes.task.Report.ID, takes.now.ResultLocation)
		}
	}
}

// forget drops the cells that were read and planned, once they are written.
func (b *draft) forget() {
	b.strayed = b.plan.Strayed(b.at)
	b.view.Cells, b.view.Formulas = nil, nil
	b.plan.RowPlan, b.plan.Grid, b.plan.Formulas = checksum.RowPlan{}, nil, nil
}

// unchanged reports whether the block is as it should be and has its marker, and what stands above it too, so that there is nothing to write.
func (b *draft) unchanged() bool {
	return b.plan.Empty() && b.view.Marked && b.view.Extent == b.shows && (b.filters == nil || !b.filters.write)
}

// writeAhead is what to note before the write.
func (b *draft) writeAhead() (work.WriteAhead, error) {
	if err := b.noteChange(); err != nil {
		return work.WriteAhead{}, err
	}
	of := b.origin()
	of.Foreign = b.foreign
	of.Beside = b.othersValues()
	rows, err := encodeWriteAhead(b.now.Placement, b.plan, b.change, b.task.Claim.Run.ID, b.sidesBegun(), of)
	return work.WriteAhead{Attempt: b.task.Claim, PlacementID: b.now.ID, Rows: rows}, err
}

// sidesBegun are the cells that a write-ahead record names: whose markers the write sets.
func (b *target) sidesBegun() (begun outside) {
	if b.status != nil && b.status.write {
		begun.Status = b.now.StatusCell
	}
	begun.Filters = bytesOf(b.filtersTold(b.told))
	return begun
}

// noteChange makes what the plan changes the change of the block. One that is there already, of an earlier attempt whose write is found
// complete, stays.
func (b *draft) noteChange() error {
	if b.plan.Empty() {
		return nil
	}
	d := b.plan.Difference
	c := &record.BlockChange{
		RunID: b.task.Claim.Run.ID, RunAs: b.valuesOf(), Columns: d.Columns, Top: d.Top,
		Counts: record.ChangeCounts{Changed: d.Changed, Added: d.Added, Removed: d.Removed, Moved: d.Moved},
	}
	if !d.Dropped {
		var err error
		if c.Packed, err = record.PackRows(converted(d.Rows, storageChange)); err != nil {
			return err
		}
	}
	c.Kept, c.Over = c.Packed != nil, b.plan.Over
	if c.Restores = b.task.Claim.Run.Restores; c.Kept {
		c.Restorable = d.Restorable
	}
	b.change, b.plan.Difference.Rows = c, nil
	return nil
}

// othersValues reports whether the rows that the plan replaces may have values of others: what stood in the block, or beside it, in columns
// that the options of the placement name.
func (b *draft) othersValues() bool {
	return b.foreign || b.beside || b.plan.Beside > 0 && !b.task.addin() && b.task.level(record.Behalf(b.now.Placement)) < record.MayEdit
}

// wrote takes over what the host did with a patch.
func (b *draft) wrote(p host.Patch, w host.Written) {
	b.out.Written = w
	b.out.Calls += w.Calls
	b.learn(p.Grid, w.Held)
	b.out.Done = true
}

// collides reports whether the writes of both blocks may touch the same cell.
func (b *draft) collides(other *draft) bool {
	return b.reach().Intersects(other.reach()) && strings.EqualFold(b.view.Sheet, other.view.Sheet)
}

// what it holds.
func (b *draft) refreshed(stamp placements.Stamp) (p placements.Placement, rows []byte, err error) {
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
	sum := b.task.Table.Grid.Checksum()
	p.ResultChecksum = &sum
	p.QueryChecksum, p.Used = stamp.QueryChecksum, stamp.Used
	b.followCells(&p)
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
	rows, err = encodeMemory(p, b.plan.Memory, outside{cell, bytesOf(b.filtersLeft())}, b.origin())
	return p, rows, err
}

// words are what the plan shifts, what follows that, what people had done to the block, and why cells outside it were left alone.
func (b *draft) words() (list []string) {
	if b.moves != "" {
		list = append(list, b.moves)
	}
	switch f := b.follow; {
	case f == nil:
	case f.Formulas == 0:
		list = append(list, "no formula follows")
	default:
		list = append(list, fmt.Sprintf("%d %s in %d %s %s", f.Formulas, plan.Plural(f.Formulas, "formula", "formulas"),
			f.Sheets, plan.Plural(f.Sheets, "sheet", "sheets"), plan.Plural(f.Formulas, "follows", "follow")))
	}
	list = append(list, b.plan.Words(b.view.Anchor)...)
	return append(list, b.notes()...)
}

// summed is what a run says of totals that are not those of the source.
const summed = "the totals are sums, since the source cannot total a query that leaves out rows by a limit or by a measure"

// notes say what of the sheet could not stay with its record, which hidden rows are shown now, what its totals are, and why cells outside it
// were left alone.
func (b *draft) notes() (list []string) {
	list = append(list, b.strayed...)
	list = append(list, b.plan.Strayed(b.at)...)
	list = append(list, b.plan.Notices(b.at)...)
	list = append(list, uncoveredNotes(b.out.Written.Shown, b.out.Written.Vanished)...)
	if b.task.Table.Summed {
		list = append(list, summed)
	}
	return append(list, b.sideNotes()...)
}
