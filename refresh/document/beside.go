package document

import (
	"cmp"
	"context"
	"slices"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/formula"
	"mooring/refresh/plan"
)

// readBeside reads what stands beside the rows whose cells the plans delete, or give to other records, and has the runs keep what a person
// typed there: it goes with the cells.
func (w *write) readBeside(ctx context.Context, s host.Session, blocks []*draft) error {
	var list []host.Wanted
	var of []*draft
	for _, one := range blocks {
		if want, ok := one.wantedBeside(); ok {
			list, of = append(list, want), append(of, one)
		}
	}
	if len(list) == 0 {
		return nil
	}
	found, err := s.Read(ctx, list)
	if err != nil {
		return err
	}
	for i, one := range of {
		one.keepBeside(found[i])
	}
	return nil
}

// wantedBeside asks for the rows of the block and what stands beside them, as far as cells go along with the rows.
func (b *draft) wantedBeside() (w host.Wanted, ok bool) {
	columns := b.goesAlong()
	if len(b.plan.Gone) == 0 || columns <= b.besideFrom() {
		return w, false
	}
	return host.Wanted{Block: b.where, Extent: checksum.Extent{Rows: slices.Max(b.plan.Gone) + 2, Columns: columns}}, true
}

// besideFrom is the first column beside the block, counted from its first.
func (b *draft) besideFrom() int { return max(b.view.Extent.Columns, b.shows.Columns) }

// keepBeside notes the rows that are gone beside which a person typed something.
func (b *draft) keepBeside(found host.Found) {
	w, _ := b.wantedBeside()
	switch v := found.View; {
	case found.Err != nil:
		b.out.Err = found.Err
		return
	case v.Anchor != b.view.Anchor || v.Sheet != b.view.Sheet:
		b.out.Err = &placements.Fault{Class: placements.Transient, Message: "the block moved while it was read: the next attempt reads it anew"}
		return
	}
	view := planView(found.View)
	typed := typedBeside(view, b.besideFrom(), w.Extent.Columns)
	for _, row := range slices.Sorted(slices.Values(b.plan.Gone)) {
		if !typed[row] {
			continue
		}
		b.plan.Beside++
		b.plan.KeepRow(view, row, w.Extent.Columns)
	}
	slices.SortFunc(b.plan.Overwritten, func(x, y plan.OverwrittenRow) int { return cmp.Compare(x.Row, y.Row) })
	if n := len(b.plan.Overwritten); b.plan.Beside > 0 && n > plan.MaxOverwritten {
		b.out.Err = plan.Conflict("%d rows that leave the report have something typed beside them, more than the %d that a run can keep: "+
			"move it away, or refresh without moving rows", n, plan.MaxOverwritten)
		return
	}
	if fault := b.plan.Overfull(); fault != nil {
		b.out.Err = fault
	}
}

// typedBeside are the rows with cells of columns [from,to) that a person typed: all but formulas that read as the one above or below, filled
// down.
func typedBeside(v plan.View, from, to int) map[int]bool {
	texts := make(map[plan.Position]string, len(v.Formulas))
	for _, f := range v.Formulas {
		if f.Column >= from && f.Column < to {
			texts[f.Position] = f.Text
		}
	}
	typed := map[int]bool{}
	for at, text := range texts {
		if !filledDown(texts, at, text) {
			typed[at.Row] = true
		}
	}
	var cells []checksum.Cell
	for row := range v.Cells.Rows() {
		cells = v.Cells.Cells(row, cells[:0])
		for column := from; column < min(to, len(cells)); column++ {
			if _, is := texts[plan.Position{Row: row, Column: column}]; !is && cells[column].Kind != checksum.Empty {
				typed[row] = true
			}
		}
	}
	return typed
}

// filledDown reports whether a formula reads as the one above or below it, moved to its row.
func filledDown(texts map[plan.Position]string, at plan.Position, text string) bool {
	if text == "" {
		return true // another cell's formula fills it
	}
	parts := formula.Cut(text)
	for _, by := range []int{-1, 1} {
		other, is := texts[plan.Position{Row: at.Row + by, Column: at.Column}]
		if moved, ok := formula.Move(parts, by, 0); is && ok && moved == other {
			return true
		}
	}
	return false
}
