package document

import (
	"strings"
	"time"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/result"
	"mooring/refresh/site"
)

// SheetPlan is what an add-in is to write to make a block show its table. It takes memory until it is closed.
type SheetPlan struct {
	Marker   string // the name that is to stand on the block
	Patch    host.Patch
	Beside   int                     // columns from the block's first that the shifts reach over, if the block has fewer; 0 without shifts
	Formulas []ClientFormulas        // around the block, to write behind the patch's own cells
	Status   *ClientStatus           // nil: the status cell is left alone, or there is none
	Filters  *ClientStatus           // likewise for the cell for the applied filters; without a text it is to be emptied
	Checksum checksum.ResultChecksum // of the table
	// EditedRows and EditedCells count what stands in the block afterwards and is a person's.
	EditedRows, EditedCells int
	MovedRows               int
	Message                 string // what people had done to the block, and why cells outside it are left alone; empty for nothing

	table *result.Answer
}

// ClientStatus is what an add-in is to write into a cell outside the block of a placement.
type ClientStatus struct {
	Cell   string // of the block's sheet, as it stands before the patch: shifts move it
	Text   string
	Marker string // the name that is to stand on it
}

// Close releases the plan's memory. Nothing of its patch may be used afterwards.
func (p *SheetPlan) Close() {
	p.Patch.Grid = nil
	p.table.Close()
}

// clientShifts bounds what a plan of an add-in shifts: each is an operation of its own in the program that the add-in runs in, which shows
// nothing else meanwhile.
const clientShifts = 256

// PlanSheet plans what an add-in is to write to its sheet to make the block of a task show its table, as Write does it to a document, and
// notes it. The outcome's error is a *NeedError when more of the sheet is needed; p is nil unless the block can be written.
func (w *Editor) PlanSheet(lease Lease, ref site.Ref, sheet Sheet, o *Task) (out *Receipt, p *SheetPlan) {
	start := time.Now()
	outs := outcomes([]*Task{o})
	out = &outs[0]
	s := &sheetSession{sheet: sheet}
	one := &write{by: w, ref: ref, sheet: s}
	targets, err := one.load(lease.Context, outs)
	if err == nil {
		if s.target = out.target; sheet.Status == nil {
			s.target.status = nil
		}
		if sheet.Filters == nil {
			s.target.filters = nil
		}
		err = one.parts(lease, s, targets, checksum.Means{Shifts: clientShifts})
	}
	fail(outs, err)
	out.Took = time.Since(start)
	if out.Err != nil || out.Left {
		return out, nil
	}
	return out, out.draft.sheetPlan(s)
}

// sheetPlan is the plan of a draft that was written to a session.
func (b *draft) sheetPlan(s *sheetSession) *SheetPlan {
	patch, beside := s.patch, 0
	if patch.Grid == nil { // nothing is to be written
		patch = host.Patch{Block: b.where, Extent: b.shows}
		patch.Block.PlacementID, patch.Block.Sheet, patch.Block.Anchor = b.now.ID, b.view.Sheet, b.view.Anchor
	}
	if len(patch.Shifts) > 0 {
		beside = b.goesAlong()
	}
	plan := &SheetPlan{
		Marker: host.MarkerName(b.now.ID), Patch: patch, Beside: beside, Formulas: s.formulas,
		Checksum:   b.task.Table.Grid.Checksum(),
		EditedRows: len(b.plan.EditedRows), EditedCells: len(b.plan.Edits), MovedRows: b.plan.Moved,
		Message: strings.Join(b.words(), "; "), table: b.task.Table,
	}
	if b.status != nil {
		plan.Status = b.status.clientCell()
	}
	if b.filters != nil {
		plan.Filters = b.filters.clientCell()
	}
	return plan
}

// clientCell is what an add-in is to write into a cell outside the block, nil for nothing.
func (c *sideCell) clientCell() *ClientStatus {
	if !c.write {
		return nil
	}
	return &ClientStatus{Cell: c.found.View.Anchor.String(), Text: c.text, Marker: host.MarkerName(c.id)}
}
