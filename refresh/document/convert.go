package document

import (
	"mooring/refresh/host"
	"mooring/refresh/plan"
	"mooring/storage/record"
)

func planView(v host.View) plan.View {
	return plan.View{
		Marked: v.Marked, Sheet: v.Sheet, Anchor: v.Anchor, Extent: v.Extent, Cells: v.Cells,
		Formulas: converted(v.Formulas, planFormula), Stamp: v.Stamp,
	}
}

func planFormula(f host.Formula) plan.Formula {
	return plan.Formula{Position: plan.Position(f.Position), Text: f.Text, Fixed: f.Fixed}
}

func hostFormula(f plan.Formula) host.Formula {
	return host.Formula{Position: host.Position(f.Position), Text: f.Text, Fixed: f.Fixed}
}

func planEdit(e record.Edit) plan.Edit { return plan.Edit(e) }

func storageEdit(e plan.Edit) record.Edit { return record.Edit(e) }

func planRow(r record.OverwrittenRow) plan.OverwrittenRow { return plan.OverwrittenRow(r) }

func storageRow(r plan.OverwrittenRow) record.OverwrittenRow { return record.OverwrittenRow(r) }

func storageChange(r plan.ChangedRow) record.ChangedRow { return record.ChangedRow(r) }

func planChange(r record.ChangedRow) plan.ChangedRow { return plan.ChangedRow(r) }

// keptBefore is what the run is to put back; nil for nothing.
func (o *Task) keptBefore() *plan.Kept {
	if o.Kept == nil {
		return nil
	}
	return &plan.Kept{Columns: o.Kept.Columns, Rows: converted(o.Kept.Rows, planChange), Over: o.Kept.Over, Top: o.Kept.Top}
}

// converted is a list with each element converted; nil stays nil.
func converted[A, B any](list []A, one func(A) B) []B {
	if list == nil {
		return nil
	}
	out := make([]B, len(list))
	for i, e := range list {
		out[i] = one(e)
	}
	return out
}
