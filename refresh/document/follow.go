package document

import (
	"cmp"
	"context"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// followed records where the writes of the batch have moved blocks that it did not write. One whose record cannot be changed is
// found by its marker, as is one that a person moves.
func (w *write) followed(ctx context.Context) {
	if len(w.made) == 0 {
		return
	}
	var moves []movedPlacement
	for _, o := range append(w.unwritten(), w.others...) {
		if m, ok := moveOf(o, w.made); ok {
			moves = append(moves, m)
		}
	}
	slices.SortStableFunc(moves, movedPlacement.before)
	for _, m := range moves {
		d := record.Deployment{Tenant: w.ref.Tenant, ID: m.DeploymentID}
		if err := w.recordMove(ctx, d, m); err != nil {
			w.by.Log.WarnContext(ctx, "placement not recorded where shifts have moved it", "tenant", d.Tenant, "deployment", d.ID,
				"report", m.ReportID, "placement", m.Placement.ID, "error", err)
		}
	}
}

// unwritten are the placements of the batch whose blocks were not written, and are not completed for that.
func (w *write) unwritten() (list []record.DocumentPlacement) {
	for _, one := range w.all {
		if !one.out.Done && one.now.ID != "" && w.by.Sites.Of(w.ref.Tenant, one.now.Placement) == w.ref {
			list = append(list, record.DocumentPlacement{
				DeploymentID: one.task.Deployment.ID, ReportID: one.task.Report.ID, Placement: one.now.Placement,
			})
		}
	}
	return list
}

// movedPlacement is a placement whose block, status cell or cell of a parameter shifts have moved.
type movedPlacement struct {
	record.DocumentPlacement
	now  placements.Placement
	row  int // of its block, before
	down int // by how many rows that was moved
}

// moveOf is how shifts have moved a placement; false when they have not.
func moveOf(o record.DocumentPlacement, by formula.Shifts) (m movedPlacement, moved bool) {
	a, was, ok := o.Placement.Owned()
	if !ok {
		return m, false
	}
	m = movedPlacement{DocumentPlacement: o, now: o.Placement, row: was.Top}
	moved = moveCells(&m.now, by)
	if cell, err := placements.ParseAnchor(o.Placement.StatusCell); err == nil {
		m.now.StatusCell = shifted(by, a.Sheet, cell).String()
		moved = moved || shifted(by, a.Sheet, cell) != cell
	}
	if is, stands := by.Area(a.Sheet, was); stands && is.Top != was.Top {
		at := placements.Anchor{Row: is.Top, Column: is.Left}
		_, whole, _ := o.Placement.Standing() // as clients say, too
		end := placements.Anchor{Row: min(whole.Bottom+is.Bottom-was.Bottom, placements.MaxRow), Column: whole.Right}
		m.now.AnchorCell, m.now.EndResultCell = at.String(), end.String()
		m.now.ResultLocation = placements.Location{Sheet: a.Sheet, Anchor: at}.String()
		m.down, moved = is.Top-was.Top, true
	}
	return m, moved
}

// moveCells moves the cells from which p takes values and for which the document has no names yet: the others are followed by those. It reports
// whether shifts have moved any.
func moveCells(p *placements.Placement, by formula.Shifts) (moved bool) {
	for name, said := range p.Parameters {
		at, err := placements.ParseLocation(said.Cell)
		m, marked := p.Marks[name]
		if said.Cell == "" || err != nil || !marked || m.Named != placements.NameNone {
			continue
		}
		was := rectAt(at.Anchor, checksum.Extent{Rows: at.Rows, Columns: at.Columns})
		is, stands := by.Area(at.Sheet, was)
		if !stands || is == was {
			continue
		}
		at.Anchor, at.Rows = placements.Anchor{Row: is.Top, Column: is.Left}, is.Bottom-is.Top+1
		p.Follow(name, at, placements.NameNone)
		moved = true
	}
	return moved
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
func (w *write) recordMove(ctx context.Context, d record.Deployment, m movedPlacement) error {
	known, err := w.by.Queue.Blocks(ctx, d.Tenant, []work.BlockQuery{{
		Deployment: d, ReportID: m.ReportID, Known: storage.Placed{Placement: m.Placement},
	}})
	if err != nil || !known[0].Found || known[0].Placed.AddressKey() != m.Placement.AddressKey() {
		return err
	}
	if is := &known[0].Placed; !is.Parameters.Equal(m.Placement.Parameters) || !placements.EqualMarks(is.Marks, m.Placement.Marks) {
		m.now.Parameters, m.now.Marks = is.Parameters, is.Marks // as a user has said meanwhile
	}
	move := work.Move{Before: known[0].Placed, Now: m.now}
	if move.Completed, err = movedMemory(known[0].Rows.Completed, m.Placement, m.now); err != nil {
		return err
	}
	if move.Begun, err = movedMemory(known[0].Rows.Begun, m.Placement, m.now); err != nil {
		return err
	}
	return w.by.Queue.Move(ctx, d, m.ReportID, move)
}
