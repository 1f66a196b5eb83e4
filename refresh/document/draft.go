package document

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/fault"
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/refresh/trace"
	"mooring/storage/record"
)

// draft takes over what stands in the document, and plans with the means that the host has; nil where that could not be read.
func (t *target) draft(ctx context.Context, f host.Found, has checksum.Means) *draft {
	t.out.Calls = f.View.Calls
	if t.out.Err = f.Err; t.out.Err != nil {
		return nil
	}
	t.trust(f.View)
	b := &draft{target: t, view: f.View, at: f.View.Anchor}
	t.out.draft = b
	if !b.options().ShiftRows.Or(false) {
		has = checksum.Means{}
	}
	b.shifting = has.Shift()
	ours, held := b.last.Held.In(b.task.Table.Grid)
	rows := b.task.Table.Block
	if len(held) > 0 {
		rows = ours.Block
	}
	_, digest := trace.Start(ctx, "digest")
	digested := rows()
	digest.End()
	changes, fault := safeDecide(plan.Input{
		Last: b.last, Edits: converted(b.kept.Edits, planEdit), View: planView(b.view), Ours: ours, Held: held, Block: digested,
		WriteOver: b.writesOver(), Kept: b.task.keptBefore(), RowKey: b.task.Report.RowKey, Formats: b.task.Table.Formats, OnEdit: b.options().OnEdit.Or(placements.Keep), Means: has, ShiftRight: b.view.Anchor.Column + b.goesAlong() - 1,
		Asked: b.asked(), Claimed: b.origin().Claimed,
		Now: placements.Time(b.task.Clock.Now()), Personal: b.task.Personal, Restored: b.now.RestoredAt, Behind: b.behind,
	})
	if fault != nil {
		b.out.Err = fault
	}
	if b.plan = changes; changes.Grid != nil {
		b.shows = changes.Grid.Extent()
	}
	if d := changes.Difference; b.unwritten && !b.task.addin() && (len(changes.Overwritten)+len(changes.Edits) > 0 || d.Changed+d.Removed > 0) {
		b.foreign = true // whoever filled the cells where the block goes
	}
	if k := b.task.Kept; k != nil && k.RunAs != b.now.Behalf().UID {
		b.foreign = true // whose cells they were that are put back
	}
	if fault := b.checkFillRight(); fault != nil {
		b.out.Err = fault // and what stands in those columns is not what is in the way
	}
	b.moves = changes.Shifted(placements.Location{Sheet: b.view.Sheet, Anchor: b.view.Anchor})
	return b
}

// asked reports whether the run was asked for with a policy of its own and for this block alone, by who may decide about what stands where
// the block goes: with edit access to the report, or in the sheet itself.
func (b *target) asked() bool {
	run := b.task.Claim.Run
	asked := run.Trigger == record.TriggerManual && run.PlacementID == b.now.ID && run.OnEdit.Or("") != ""
	return asked && (b.task.addin() || b.task.level(run.RequestedBy) >= record.MayEdit)
}

// writesOver reports whether the run was asked to write over what stands where this block goes, by who may decide about that.
func (b *target) writesOver() bool {
	run := b.task.Claim.Run
	return run.WriteOver && run.PlacementID == b.now.ID &&
		(b.task.addin() || b.task.level(run.RequestedBy) >= record.MayEdit || b.now.InOwnDocument(run.RequestedBy.ID))
}

// safeDecide turns a panic into a fault: it must not end what is written along with the block.
func safeDecide(in plan.Input) (changes plan.Changes, f *placements.Fault) {
	defer func() {
		if r := recover(); r != nil {
			f = fault.Of(fmt.Errorf("plan panicked: %v\n%s", r, debug.Stack()))
		}
	}()
	return plan.Decide(in)
}

// patch is what to write, where the block was found.
func (b *draft) patch() host.Patch {
	at := b.where
	at.PlacementID, at.SheetID, at.Sheet, at.Anchor = b.now.ID, b.view.SheetID, b.view.Sheet, b.view.Anchor
	return host.Patch{
		Block: at,
		Grid:  b.last.Held.Back(b.plan.Grid, b.plan.Rows), Formats: b.task.Table.Formats, FormatsBefore: b.plan.FormatsBefore,
		Moves: b.plan.Moves, Shifts: b.plan.Shifts, FillRight: b.fillRight(),
		Rows: b.plan.Rows, Formulas: converted(b.plan.Formulas, hostFormula), Clear: b.plan.Clear, Extent: b.shows,
		Parameters: b.names(), Stamp: b.plan.Stamp, BreakSignature: b.options().BreakSignature.Or(false),
	}
}

// learn takes over what a write told of the cells of its patch: from then on the rows are remembered as the document holds them.
func (b *draft) learn(wrote *checksum.Grid, told []host.Held) {
	if len(told) == 0 {
		return
	}
	held := plan.Held{}
	maps.Copy(held, b.plan.Memory.Held)
	for _, t := range told {
		cell := checksum.CellAt(wrote.Cells(t.Row, nil), t.Column)
		cell.Text = strings.Clone(cell.Text)
		held[plan.HeldCell{Column: t.Column, Cell: cell}] = t.Cell
	}
	b.plan.Memory.Learn(b.task.Table.Grid, held)
}
