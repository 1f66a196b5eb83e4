package pivot

import (
	"slices"

	"mooring/checksum"
)

// Totals are the totals of a pivot's columns as a source computed them: below a header, a row for each combination of labels of
// pivotItems.columns, a single one without any, with every measure.
type Totals struct {
	Grid    *checksum.Grid
	Columns []Column
}

// take keeps the computed totals if they have every measure of every column of the pivot. The data may have changed since the result
// was read: then the totals are sums, for sums and computed ones in one row would mislead.
func (v *crosstab) take(t *Totals) {
	if t == nil {
		return
	}
	from, ok := v.sourcesOf(t.Columns)
	if !ok {
		return
	}
	computed, found := make([]checksum.Cell, v.width()), make(map[int]bool)
	flat, cells := make([]checksum.Cell, len(v.source)), []checksum.Cell(nil)
	for i := 1; i < t.Grid.Rows(); i++ {
		cells = wholeRow(t.Grid, i, len(t.Columns), cells)
		for to, at := range from {
			flat[to] = cells[at]
		}
		column, ok := v.columns.find(flat)
		if !ok {
			continue // a label that came up since
		}
		found[column] = true
		for k, m := range v.measures {
			computed[column*len(v.measures)+k] = flat[m]
		}
	}
	if len(found) == len(v.columns.labels) {
		v.computed = computed
	}
}

// sourcesOf returns which of the columns of totals is which label or measure of the flat result.
func (v *crosstab) sourcesOf(totals []Column) (from map[int]int, ok bool) {
	from = make(map[int]int)
	for _, m := range slices.Concat(v.columns.members, v.measures) {
		name := v.source[m].Name
		at := slices.IndexFunc(totals, func(c Column) bool { return c.Name == name })
		if at < 0 {
			return nil, false
		}
		from[m] = at
	}
	return from, true
}

// totalRows adds a row of totals, or one a measure where the measures are on the rows.
func (l *layout) totalRows(b *checksum.Builder) {
	label, measures := sumLabel, []int{none}
	if l.computed != nil {
		label = totalLabel
	}
	if l.onRows && len(l.measures) > 0 {
		measures = make([]int, len(l.measures))
		for i := range measures {
			measures[i] = i
		}
	}
	for _, m := range measures {
		labels := make([]checksum.Cell, len(l.rows.members))
		labels[0] = checksum.Str(label)
		if m != none {
			labels = l.withMeasure(labels, l.source[l.measures[m]].Name)
		}
		for _, column := range l.across {
			labels = append(labels, l.total(column.at, max(m, column.measure)))
		}
		b.Append(labels...)
	}
}

// total is a column's total: the source's own, or else a sum. Dates have no sum.
func (l *layout) total(column, measure int) checksum.Cell {
	at := column*len(l.measures) + measure
	switch {
	case measure == none:
		return checksum.Cell{}
	case l.computed != nil:
		return l.computed[at]
	case at >= len(l.totals), isDate(l.source[l.measures[measure]].Format):
		return checksum.Cell{}
	}
	cell := l.totals[at].total()
	if cell.Kind == checksum.Text || cell.Kind == checksum.True || cell.Kind == checksum.False {
		return checksum.Err(notSummable)
	}
	return cell
}
