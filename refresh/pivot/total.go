package pivot

import (
	"slices"

	"mooring/checksum"
)

// Totals are the totals of a pivot as a source computed them, with every measure. A part that it was not asked for is nil.
type Totals struct {
	ByColumn *Group // for each combination of labels of pivotItems.columns
	ByRow    *Group // for each combination of labels of pivotItems.rows
	All      *Group // a single one
}

// Group is a row for each combination of some labels, below a header.
type Group struct {
	Grid    *checksum.Grid
	Columns []Column
}

// TotalsColumns reports whether the columns have totals, in a row of their own. Without members of rows there is one row, which is its own
// total.
func (p *Items) TotalsColumns() bool {
	return p.ShowColumnTotals && len(p.Rows) > 0 && len(p.Measures) > 0
}

// TotalsRows reports whether the rows have totals, in columns of their own.
func (p *Items) TotalsRows() bool {
	return p.ShowRowTotals && len(p.Columns) > 0 && len(p.Measures) > 0
}

// computed are totals as a source computed them, one a measure for each column, each row, and for all of it, as far as they are shown.
type computed struct{ byColumn, byRow, all []checksum.Cell }

// take keeps the computed totals if they have every measure of all that is shown. The data may have changed since the result was read: then
// the totals are sums, for sums and computed ones in one table would mislead.
func (v *crosstab) take(t *Totals) {
	if t == nil {
		return
	}
	var c computed
	everything := axis{labels: [][]checksum.Cell{nil}, places: map[string]int{"": 0}}
	columns, rows := v.items.TotalsColumns(), v.items.TotalsRows()
	for _, part := range []struct {
		shown bool
		group *Group
		of    *axis
		into  *[]checksum.Cell
	}{
		{columns, t.ByColumn, &v.columns, &c.byColumn},
		{rows, t.ByRow, &v.rows, &c.byRow},
		{columns && rows, t.All, &everything, &c.all},
	} {
		if !part.shown {
			continue
		}
		cells, ok := v.totalsOf(part.of, part.group)
		if !ok {
			return
		}
		*part.into = cells
	}
	v.computed = &c
}

// totalsOf are the computed totals of the rows or columns of a pivot, one a measure for each; false unless all of them are there.
func (v *crosstab) totalsOf(a *axis, g *Group) (totals []checksum.Cell, ok bool) {
	if g == nil {
		return nil, false
	}
	from, ok := v.sourcesOf(a, g.Columns)
	if !ok {
		return nil, false
	}
	totals = make([]checksum.Cell, len(a.labels)*len(v.measures))
	found := make(map[int]bool)
	flat, cells := make([]checksum.Cell, len(v.source)), []checksum.Cell(nil)
	for i := 1; i < g.Grid.Rows(); i++ {
		cells = wholeRow(g.Grid, i, len(g.Columns), cells)
		for to, at := range from {
			flat[to] = cells[at]
		}
		at, ok := a.find(flat)
		if !ok {
			continue // a label that came up since
		}
		found[at] = true
		for k, m := range v.measures {
			totals[at*len(v.measures)+k] = flat[m]
		}
	}
	return totals, len(found) == len(a.labels)
}

// sourcesOf returns which of the columns of totals is which label or measure of the flat result.
func (v *crosstab) sourcesOf(a *axis, totals []Column) (from map[int]int, ok bool) {
	from = make(map[int]int)
	for _, m := range slices.Concat(a.members, v.measures) {
		name := v.source[m].Name
		at := slices.IndexFunc(totals, func(c Column) bool { return c.Name == name })
		if at < 0 {
			return nil, false
		}
		from[m] = at
	}
	return from, true
}

// totalTitle labels totals.
func (v *crosstab) totalTitle() checksum.Cell {
	if v.computed != nil {
		return checksum.Str(totalLabel)
	}
	return checksum.Str(sumLabel)
}

// totalLanes are the rows or columns of totals of an axis: one, or one a measure where it bears these.
func (l *layout) totalLanes(measures bool) []lane {
	if !measures || len(l.measures) == 0 {
		return []lane{{total, none}}
	}
	lanes := make([]lane, len(l.measures))
	for m := range lanes {
		lanes[m] = lane{total, m}
	}
	return lanes
}

// total is the total of a row, a column, or all of it: the source's own, or else a sum. One of both at least is that of totals.
func (l *layout) total(row, column, measure int) checksum.Cell {
	var c computed
	if l.computed != nil {
		c = *l.computed
	}
	switch {
	case measure == none:
		return checksum.Cell{}
	case row != total:
		return l.either(c.byRow, l.byRow, row, measure)
	case column != total:
		return l.either(c.byColumn, l.byColumn, column, measure)
	}
	return l.either(c.all, l.all, 0, measure)
}

// either is a computed total, or, where there are none, the sum. Dates have no sum.
func (l *layout) either(computed []checksum.Cell, sums []sum, of, measure int) checksum.Cell {
	at := of*len(l.measures) + measure
	switch {
	case l.computed != nil:
		return computed[at]
	case at >= len(sums), isDate(l.source[l.measures[measure]].Format):
		return checksum.Cell{}
	}
	cell := sums[at].total()
	if cell.Kind == checksum.Text || cell.Kind == checksum.True || cell.Kind == checksum.False {
		return checksum.Err(notSummable)
	}
	return cell
}
