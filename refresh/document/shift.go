package document

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
	"mooring/storage/record"
)

// A run that may shift rows moves what stands below its block (decisions.md §7c). The other blocks of the document are then where the
// shifts have moved them, and a block needs no room below it.

// grows is by how many rows the plan moves what stands below the block.
func (b *draft) grows() (rows int) {
	for _, s := range b.plan.Shifts {
		rows += s.Rows
	}
	return rows
}

// reach is the rectangle that the write may touch, as the document stands before it. What the shifts move is none of it.
func (b *draft) reach() placements.Rect {
	extent := b.view.Extent.Union(b.shows)
	if b.shifting {
		extent.Rows = max(b.view.Extent.Rows, b.shows.Rows-b.grows())
	} else {
		extent = extent.Union(b.proven())
	}
	return rectAt(b.view.Anchor, extent)
}

// proven is how far the block reaches by its last write. What an add-in says of that counts as far as it is Mooring's own, or is cleared now.
func (b *draft) proven() checksum.Extent {
	last := b.last
	if last.Report == nil {
		return last.Reach()
	}
	_, own, _ := b.now.Owned()
	last.Extent = own.Extent()
	reach := last.Reach()
	for _, r := range b.plan.Clear {
		reach = reach.Union(checksum.Extent{Rows: r.Row + r.Rows, Columns: r.Column + r.Columns})
	}
	return reach
}

func rectAt(at placements.Anchor, e checksum.Extent) placements.Rect {
	return placements.Rect{Top: at.Row, Left: at.Column, Bottom: at.Row + e.Rows - 1, Right: at.Column + e.Columns - 1}
}

// fillRight are the columns to the right of the block whose formulas follow its rows.
func (b *target) fillRight() checksum.Span {
	beside, ok := b.now.Beside()
	if !ok {
		return checksum.Span{}
	}
	return checksum.Span{From: beside.First, To: beside.Last + 1}
}

// checkFillRight refuses a block that takes columns which its fillRight names.
func (b *draft) checkFillRight() *placements.Fault {
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
func (b *draft) shifts() formula.Shifts {
	area := b.reach()
	area.Top, area.Bottom = b.at.Row, b.at.Row+b.shows.Rows-b.grows()-1
	return plan.CellShifts(b.plan.Shifts, b.view.Sheet, area, b.view.Anchor.Column+b.goesAlong()-1)
}

// goesAlong is how many columns, from the block's first, move along with its rows for its fillRight and for the table that it is.
func (b *draft) goesAlong() int {
	return max(b.fillRight().To-b.view.Anchor.Column, b.view.Table, 0)
}

// lowestFirst are blocks in an order in which the shifts of none move one that comes later.
func lowestFirst(blocks []*draft) []*draft {
	return slices.SortedStableFunc(slices.Values(blocks), func(a, b *draft) int { return cmp.Compare(b.at.Row, a.at.Row) })
}

// moved notes where the blocks that were read stand once some were written.
func (w *write) moved(written []*draft) {
	for _, by := range lowestFirst(written) {
		shifts := by.shifts()
		for _, one := range w.found {
			one.made = append(one.made, shifts...)
			if one != by {
				one.at = shifted(shifts, one.view.Sheet, one.at)
			}
			for _, c := range one.sides() {
				c.at = shifted(shifts, c.found.View.Sheet, c.at)
			}
		}
		w.made = append(w.made, shifts...)
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
func (w *write) meet(ctx context.Context, s host.Session, blocks []*draft) error {
	shifts := func(one *draft) bool { return len(one.plan.Shifts) > 0 }
	if slices.ContainsFunc(blocks, shifts) {
		if err := w.loadOthers(ctx); err != nil {
			return err
		}
	}
	for _, one := range blocks {
		if err := one.checkNewer(ctx, s); err != nil {
			return err
		}
		for _, o := range w.others {
			if !shifts(one) || !one.tears(o.Placement) {
				continue
			}
			if _, err := s.Read(ctx, []host.Wanted{standingNow(w.ref.ID, o.Placement)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// loadOthers loads what is recorded in the document besides the blocks of the batch.
func (w *write) loadOthers(ctx context.Context) error {
	taken := map[blockRef]bool{}
	for _, one := range w.all {
		taken[one.task.ref()] = true
	}
	w.others = nil
	for _, id := range w.ref.IDs() {
		if err := w.loadUnder(ctx, id, taken); err != nil {
			return err
		}
	}
	return nil
}

// loadUnder is loadOthers of what is recorded under an id of the document.
func (w *write) loadUnder(ctx context.Context, id string, taken map[blockRef]bool) error {
	for after := ""; ; {
		page, err := w.by.Records.Placements().InDocument(ctx, w.ref.Tenant, id, after, othersPage)
		if err != nil {
			return err
		}
		for _, o := range page.Items {
			there := w.by.Sites.Of(w.ref.Tenant, o.Placement) == w.ref
			if there && !taken[blockRef{o.DeploymentID, o.ReportID, o.Placement.ID}] {
				w.others = append(w.others, o)
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
func (b *draft) tears(other placements.Placement) bool {
	a, is, ok := other.Owned()
	if !ok || !strings.EqualFold(a.Sheet, b.view.Sheet) || is.Bottom < b.at.Row {
		return false
	}
	s := b.shifts()[0]
	return is.Left <= s.Right && is.Right >= s.Left && (is.Left < s.Left || is.Right > s.Right)
}

// standingNow asks where a placement in that document stands.
func standingNow(document string, p placements.Placement) host.Wanted {
	a, _ := p.Address()
	at := host.Block{Document: document, PlacementID: p.ID, SheetID: p.SheetID, Sheet: a.Sheet, Anchor: a.Anchor}
	return host.Wanted{Block: at, Extent: checksum.Extent{Rows: 1, Columns: 1}}
}

// checkNewer refuses to write a block over newer ones.
func (b *draft) checkNewer(ctx context.Context, s host.Session) error {
	for _, newer := range b.newer {
		a, recorded, ok := newer.Placement.Owned()
		if !ok || !recorded.Intersects(b.reach()) || !strings.EqualFold(a.Sheet, b.view.Sheet) {
			continue
		}
		found, err := s.Read(ctx, []host.Wanted{standingNow(b.where.Document, newer.Placement)})
		if err != nil {
			return err
		}
		v := found[0].View
		elsewhere := v.Marked && (!strings.EqualFold(v.Sheet, b.view.Sheet) || !rectAt(v.Anchor, v.Extent).Intersects(b.reach()))
		if found[0].Err != nil || !elsewhere {
			b.out.Err = takenBy(newer)
			return nil
		}
	}
	return nil
}
