package refresh

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/plan"
	"mooring/storage"
	"mooring/storage/record"
)

// A run that may shift rows moves what stands below its block (decisions.md §7c). The other blocks of the document are then where the
// shifts have moved them, and a block needs no room below it.

// grows is by how many rows the plan moves what stands below the block.
func (b *block) grows() (rows int) {
	for _, s := range b.plan.Shifts {
		rows += s.Rows
	}
	return rows
}

// reach is the rectangle that the write may touch, as the document stands before it. What the shifts move is none of it.
func (b *block) reach() placements.Rect {
	extent := b.view.Extent.Union(b.shows)
	if b.shifting {
		extent.Rows = max(b.view.Extent.Rows, b.shows.Rows-b.grows())
	} else {
		extent = extent.Union(b.last.Reach())
	}
	return rectAt(b.view.Anchor, extent)
}

func rectAt(at placements.Anchor, e checksum.Extent) placements.Rect {
	return placements.Rect{Top: at.Row, Left: at.Column, Bottom: at.Row + e.Rows - 1, Right: at.Column + e.Columns - 1}
}

// fillRight are the columns to the right of the block whose formulas follow its rows.
func (b *block) fillRight() host.Columns {
	beside, ok := b.now.Beside()
	if !ok {
		return host.Columns{}
	}
	return host.Columns{From: beside.First, To: beside.Last + 1}
}

// checkFillRight refuses a block that takes columns which its fillRight names.
func (b *block) checkFillRight() *placements.Fault {
	beside, ok := b.now.Beside()
	last := rectAt(b.view.Anchor, b.view.Extent.Union(b.shows)).Right
	if !ok || beside.First > last {
		return nil
	}
	at := placements.Location{Sheet: b.view.Sheet, Anchor: b.view.Anchor}
	column := strings.TrimRight(placements.Anchor{Column: last}.String(), "0123456789")
	return plan.Conflict("the report at %s takes the columns up to %s, and its fillRight names %s: "+
		"name columns to the right of the block, or none", at, column, beside)
}

// shifts are those of the plan in the rows and columns of the sheet, where the block stands now.
func (b *block) shifts() (list formula.Shifts) {
	area := b.reach()
	area.Bottom = b.at.Row + b.shows.Rows - b.grows() - 1
	right := max(area.Right, b.fillRight().To-1)
	for _, s := range b.plan.Shifts {
		list = append(list, formula.Shift{
			Sheet: b.view.Sheet, Left: area.Left, Right: right, Row: b.at.Row + s.At, Rows: s.Rows,
			Block: placements.Rect{Top: b.at.Row, Left: area.Left, Bottom: area.Bottom, Right: area.Right},
		})
		area.Bottom += s.Rows
	}
	return list
}

// lowestFirst are blocks in an order in which the shifts of none move one that comes later.
func lowestFirst(blocks []*block) []*block {
	return slices.SortedStableFunc(slices.Values(blocks), func(a, b *block) int { return cmp.Compare(b.at.Row, a.at.Row) })
}

// moved notes where the blocks that were read stand once some were written.
func (b *batch) moved(written []*block) {
	for _, w := range lowestFirst(written) {
		shifts := w.shifts()
		for _, one := range b.found {
			if one != w {
				one.at = shifted(shifts, one.view.Sheet, one.at)
			}
			if one.status != nil {
				one.status.at = shifted(shifts, one.status.found.View.Sheet, one.status.at)
			}
		}
		b.made = append(b.made, shifts...)
	}
}

// shifted is where a cell stands after shifts; one that they delete stays where it was.
func shifted(by formula.Shifts, sheet string, cell placements.Anchor) placements.Anchor {
	if row, ok := by.Cell(sheet, cell.Row, cell.Column); ok {
		cell.Row = row
	}
	return cell
}

// takenBy is why a block is not written over a newer one.
func takenBy(newer record.DocumentPlacement) *placements.Fault {
	return plan.Conflict("report %d was placed at %s after this one and now owns those cells: "+
		"move or disconnect one of the two, or connect this one again",
		newer.ReportID, newer.Placement.ResultLocation)
}

// meet looks where other blocks stand that the shifts or the growth of blocks may meet. What is recorded of them may be out of date. The
// host refuses to tear apart those that its session has read.
func (b *batch) meet(ctx context.Context, s host.Session, blocks []*block) error {
	shifts := func(one *block) bool { return len(one.plan.Shifts) > 0 }
	if slices.ContainsFunc(blocks, shifts) {
		if err := b.loadOthers(ctx); err != nil {
			return err
		}
	}
	for _, one := range blocks {
		if err := one.checkNewer(ctx, s); err != nil {
			return err
		}
		for _, o := range b.others {
			if !shifts(one) || !one.tears(o.Placement) {
				continue
			}
			if _, err := s.Read(ctx, []host.Wanted{standingNow(o.Placement)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadOthers loads what is recorded in the document besides the blocks of the batch.
func (b *batch) loadOthers(ctx context.Context) error {
	taken := map[blockRef]bool{}
	for _, one := range b.all {
		taken[one.ref()] = true
	}
	b.others = nil
	for after := ""; ; {
		page, err := b.records.DocumentPlacements(ctx, b.ref.tenant, b.ref.id, after, othersPage)
		if err != nil {
			return err
		}
		for _, o := range page.Items {
			if !taken[blockRef{o.DeploymentID, o.ReportID, o.Placement.ID}] {
				b.others = append(b.others, o)
			}
		}
		if after = page.EndCursor; !page.HasNextPage {
			return nil
		}
	}
}

// othersPage is how many placements are read at a time.
const othersPage = 500

// tears reports whether the plan shifts some of the columns of another block below, as far as that is recorded where it stands.
func (b *block) tears(other placements.Placement) bool {
	a, is, ok := other.Standing()
	if !ok || !strings.EqualFold(a.Sheet, b.view.Sheet) || is.Bottom < b.at.Row {
		return false
	}
	s := b.shifts()[0]
	return is.Left <= s.Right && is.Right >= s.Left && (is.Left < s.Left || is.Right > s.Right)
}

// standingNow asks where a placement stands.
func standingNow(p placements.Placement) host.Wanted {
	a, _ := p.Address()
	at := host.Block{Document: a.Document, PlacementID: p.ID, SheetID: p.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	return host.Wanted{Block: at, Extent: checksum.Extent{Rows: 1, Columns: 1}}
}

// checkNewer refuses to write a block over newer ones.
func (b *block) checkNewer(ctx context.Context, s host.Session) error {
	for _, newer := range b.newer {
		a, recorded, ok := newer.Placement.Standing()
		if !ok || !recorded.Intersects(b.reach()) || !strings.EqualFold(a.Sheet, b.view.Sheet) {
			continue
		}
		found, err := s.Read(ctx, []host.Wanted{standingNow(newer.Placement)})
		if err != nil {
			return err
		}
		v := found[0].View
		elsewhere := v.Marked && (!strings.EqualFold(v.Sheet, b.view.Sheet) || !rectAt(v.Anchor, v.Extent).Intersects(b.reach()))
		if found[0].Err != nil || !elsewhere {
			b.err = takenBy(newer)
			return nil
		}
	}
	return nil
}

// followed records where the writes of the batch have moved blocks that it did not write. One whose record cannot be changed is
// found by its marker, as is one that a person moves.
func (b *batch) followed(ctx context.Context) {
	if len(b.made) == 0 {
		return
	}
	var moves []movedPlacement
	for _, o := range append(b.unwritten(), b.others...) {
		if m, ok := moveOf(o, b.made); ok {
			moves = append(moves, m)
		}
	}
	slices.SortStableFunc(moves, movedPlacement.before)
	for _, m := range moves {
		d := record.Deployment{Tenant: b.ref.tenant, ID: m.DeploymentID}
		if err := b.recordMove(ctx, d, m); err != nil {
			b.log.WarnContext(ctx, "placement not recorded where shifts have moved it", "tenant", d.Tenant, "deployment", d.ID,
				"report", m.ReportID, "placement", m.Placement.ID, "error", err)
		}
	}
}

// unwritten are the placements of the batch whose blocks were not written, and are not completed for that.
func (b *batch) unwritten() (list []record.DocumentPlacement) {
	for _, one := range b.all {
		if !one.done && one.now.ID != "" && documentOf(b.ref.tenant, one.now) == b.ref {
			a := one.job.attempt
			list = append(list, record.DocumentPlacement{DeploymentID: a.d.ID, ReportID: a.run.ReportID, Placement: one.now.Placement})
		}
	}
	return list
}

// movedPlacement is a placement whose block, or status cell, shifts have moved.
type movedPlacement struct {
	record.DocumentPlacement
	now  placements.Placement
	row  int // of its block, before
	down int // by how many rows that was moved
}

// moveOf is how shifts have moved a placement; false when they have not.
func moveOf(o record.DocumentPlacement, by formula.Shifts) (m movedPlacement, moved bool) {
	a, was, ok := o.Placement.Standing()
	if !ok {
		return m, false
	}
	m = movedPlacement{DocumentPlacement: o, now: o.Placement, row: was.Top}
	if cell, err := placements.ParseAnchor(o.Placement.StatusCell); err == nil {
		m.now.StatusCell = shifted(by, a.Sheet, cell).String()
		moved = shifted(by, a.Sheet, cell) != cell
	}
	if is, stands := by.Area(a.Sheet, was); stands && is.Top != was.Top {
		at, end := placements.Anchor{Row: is.Top, Column: is.Left}, placements.Anchor{Row: is.Bottom, Column: is.Right}
		m.now.AnchorCell, m.now.EndResultCell = at.String(), end.String()
		m.now.ResultLocation = placements.Location{Sheet: a.Sheet, Anchor: at}.String()
		m.down, moved = is.Top-was.Top, true
	}
	return m, moved
}

// before orders moves so that none takes the address that another one has yet to leave: from below where they go down, then from above.
func (m movedPlacement) before(other movedPlacement) int {
	switch {
	case m.down > 0 && other.down > 0:
		return cmp.Compare(other.row, m.row)
	case m.down > 0:
		return -1
	case other.down > 0:
		return 1
	}
	return cmp.Compare(m.row, other.row)
}

// recordMove records it, and so what is remembered of the rows.
func (b *batch) recordMove(ctx context.Context, d record.Deployment, m movedPlacement) error {
	known, err := b.queue.Blocks(ctx, d.Tenant, []storage.BlockQuery{{
		Deployment: d, ReportID: m.ReportID, Known: storage.Placed{Placement: m.Placement},
	}})
	if err != nil || !known[0].Found || known[0].Placed.AddressKey() != m.Placement.AddressKey() {
		return err
	}
	move := storage.Move{Before: known[0].Placed, Now: m.now}
	if move.Completed, err = movedMemory(known[0].Rows.Completed, m.Placement, m.now); err != nil {
		return err
	}
	if move.Begun, err = movedMemory(known[0].Rows.Begun, m.Placement, m.now); err != nil {
		return err
	}
	return b.queue.Move(ctx, d, m.ReportID, move)
}
