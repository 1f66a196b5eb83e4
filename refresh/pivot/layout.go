package pivot

import (
	"slices"

	"mooring/checksum"
)

// The words that a pivot adds to those of the query.
const (
	measureTitle = "Measure"
	valueTitle   = "Value"
	totalLabel   = "Total"
	sumLabel     = "Total (sum)" // of what is added up here, whatever the measure itself is
)

// layout says where a pivot's sums stand. There is a header row for each label of a column, the lowest one naming the label
// columns; labels are repeated, never merged, so that each column can be found by its header alone.
type layout struct {
	*crosstab
	onRows bool   // the measures' names are labels of rows, else of columns
	across []lane // the columns after the label columns
	down   []lane // the rows below the header
}

// lane is a row or a column of the table: one of the axis, and one of the measures where the axis bears them.
type lane struct{ at, measure int }

// none is the measure of a lane on the axis without measures, total the place of one of totals.
const (
	none  = -1
	total = -1
)

func (v *crosstab) layout() layout {
	l := layout{crosstab: v, onRows: v.items.MeasuresAxis == "rows"}
	l.across = v.lanes(&v.columns, !l.onRows)
	l.down = v.lanes(&v.rows, l.onRows)
	if len(v.measures) == 0 && len(v.columns.members) == 0 {
		l.across = nil
	}
	if v.items.TotalsRows() && len(l.across) > 0 {
		l.across = append(l.across, l.totalLanes(!l.onRows)...)
	}
	if v.items.ShowColumnTotals && len(v.rows.members) > 0 {
		l.down = append(l.down, l.totalLanes(l.onRows)...)
	}
	return l
}

// lanes are the rows or columns of an axis, each once a measure where it bears them.
func (v *crosstab) lanes(a *axis, measures bool) []lane {
	var lanes []lane
	switch {
	case !measures || len(v.measures) == 0:
		for at := range a.labels {
			lanes = append(lanes, lane{at, none})
		}
	case v.measuresFirst():
		for m := range v.measures {
			for at := range a.labels {
				lanes = append(lanes, lane{at, m})
			}
		}
	default:
		for at := range a.labels {
			for m := range v.measures {
				lanes = append(lanes, lane{at, m})
			}
		}
	}
	return lanes
}

// measuresFirst is the default: measures before the members of their axis.
func (v *crosstab) measuresFirst() bool { return v.items.MeasuresPosition != "after" }

func (l *layout) grid() *checksum.Grid {
	var b checksum.Builder
	l.header(&b)
	for _, row := range l.down {
		b.Append(append(l.labels(&l.rows, row), l.values(row)...)...)
	}
	return b.Grid()
}

func (l *layout) header(b *checksum.Builder) {
	titles := l.titles()
	var columns [][]checksum.Cell // a label a header row
	for _, column := range l.across {
		labels := l.labels(&l.columns, column)
		if len(labels) == 0 {
			labels = []checksum.Cell{checksum.Str(valueTitle)}
		}
		columns = append(columns, labels)
	}
	rows := 1
	if len(columns) > 0 {
		rows = len(columns[0])
	}
	for i := range rows {
		cells := make([]checksum.Cell, len(titles), len(titles)+len(columns))
		if i == rows-1 {
			copy(cells, titles)
		}
		for _, labels := range columns {
			cells = append(cells, l.heading(i, labels[i]))
		}
		b.Append(cells...)
	}
}

// titles name the label columns.
func (l *layout) titles() []checksum.Cell {
	var titles []checksum.Cell
	for _, m := range l.rows.members {
		titles = append(titles, checksum.Str(l.source[m].Name))
	}
	if l.onRows && len(l.measures) > 0 {
		titles = l.withMeasure(titles, measureTitle)
	}
	return titles
}

// labels are those of a lane, with the name of its measure in its place among them.
func (l *layout) labels(a *axis, at lane) []checksum.Cell {
	labels := make([]checksum.Cell, len(a.members), len(a.members)+1)
	if at.at == total {
		labels[0] = l.totalTitle()
	} else {
		copy(labels, a.labels[at.at])
	}
	if at.measure == none {
		return labels
	}
	return l.withMeasure(labels, l.source[l.measures[at.measure]].Name)
}

func (l *layout) withMeasure(labels []checksum.Cell, name string) []checksum.Cell {
	if l.measuresFirst() {
		return slices.Insert(labels, 0, checksum.Str(name))
	}
	return append(labels, checksum.Str(name))
}

// heading is a column's label in header row i. A header cell has its column's number format, so a date in it becomes text.
func (l *layout) heading(i int, label checksum.Cell) checksum.Cell {
	if !l.onRows && len(l.measures) > 0 && l.measuresFirst() {
		i--
	}
	if i < 0 || i >= len(l.columns.members) || label.Kind != checksum.Number {
		return label
	}
	return dateText(label, l.source[l.columns.members[i]].Format)
}

// values are the cells of a row after its labels.
func (l *layout) values(row lane) []checksum.Cell {
	cells := make([]checksum.Cell, len(l.across))
	for i, column := range l.across {
		measure := max(row.measure, column.measure)
		if row.at == total || column.at == total {
			cells[i] = l.total(row.at, column.at, measure)
			continue
		}
		begin, ok := l.crossed[crossing{row.at, column.at}]
		if ok && measure != none {
			cells[i] = l.sums[begin+measure].total()
		}
	}
	return cells
}
