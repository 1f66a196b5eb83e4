package plan

import (
	"strings"

	"mooring/checksum"
)

// The bounds of the rows that a Difference holds: beyond either it only counts. What packs to the size that a run may keep is seldom longer.
const (
	MaxChangedRows  = 1000
	maxChangedBytes = 8 << 20
)

// Difference is what a run changes in its block, by rows of the sheet. Cells of a person that stay are no change.
type Difference struct {
	Columns                        []string // headings of the block afterwards
	Changed, Added, Removed, Moved int
	Rows                           []ChangedRow // the changed, added and removed ones from top to bottom
	Dropped                        bool         // they are too many, and Rows is empty
	Restorable                     int          // cells of Rows that can be put back
	Top                            int          // the sheet's row of the headings afterwards, from 1
}

// ErrorCell is what JSON shows of an error.
type ErrorCell struct {
	Error string `json:"error"`
}

// differs compares the block as it stands with what the plan makes of it. Both tables have formulas typed out.
func (p *decider) differs(plan *Changes, before, after checksum.Contents, key checksum.RowKey) {
	if plan.Empty() {
		return
	}
	var d checksum.Comparison
	if p.tables.over { // what was typed there is no row of the report's
		d = checksum.InPlace(before, after, MaxChangedRows)
	} else {
		d = checksum.Compare(before, after, key, MaxChangedRows)
	}
	columns := columnNames(atLeast(header(p.tables.Ours), p.tables.Ours.Columns()))
	to := p.becomes(before, columns)
	plan.Difference = Difference{Columns: columns, Changed: d.Changed, Added: d.Added, Removed: d.Removed, Moved: d.Moved, Top: p.tables.sheetRow(0)}
	was := cellReader{typed: before.Grid, shows: p.tables.View.Cells, formulas: p.tables.asItStands().formulas}
	is := cellReader{typed: after.Grid, shows: plan.Grid, formulas: p.placed}
	var rows []ChangedRow
	restorable := 0
	for _, pair := range d.Rows {
		row := ChangedRow{Row: p.tables.sheetRow(pair.Before)}
		if pair.After >= 0 {
			row.Row, row.After = p.tables.sheetRow(pair.After), is.row(pair.After)
		}
		if pair.Before >= 0 && before.Fingerprints[pair.Before] != checksum.EmptyRow {
			row.Before = was.row(pair.Before)
			restorable += p.restorable(before, after, pair, to)
			if pair.After >= 0 && pair.After != pair.Before {
				row.Was = p.tables.sheetRow(pair.Before)
			}
		}
		if rows = append(rows, row); was.bytes+is.bytes > maxChangedBytes {
			rows, restorable = nil, 0
			break
		}
	}
	plan.Difference.Restorable = restorable
	plan.Difference.Rows, plan.Difference.Dropped = rows, len(rows) < d.Changed+d.Added+d.Removed
}

// becomes says which of columns each of the block before becomes, -1 for none.
func (p *decider) becomes(before checksum.Contents, columns []string) []int {
	if p.tables.over {
		return columnsBetween(columns, columns)
	}
	return columnsBetween(columnNames(header(before.Grid)), columns)
}

// restorable is how many cells of a row before can be put back: those that are others in the row after it, filled ones alone if that is gone or
// the row before was none of the block's.
func (p *decider) restorable(before, after checksum.Contents, pair checksum.RowPair, to []int) (n int) {
	var is []checksum.Cell
	if pair.After >= 0 && pair.After < after.Rows() {
		is = after.Cells(pair.After, nil)
	}
	was := before.Cells(pair.Before, nil)
	for column, becomes := range to {
		c := checksum.CellAt(was, column)
		if becomes < 0 || c.Kind == checksum.Empty && (p.tables.over || pair.After < 0) || c.Same(checksum.CellAt(is, becomes)) {
			continue
		}
		n++
	}
	return n
}

// cellReader reads rows of a table as JSON shows them.
type cellReader struct {
	typed, shows *checksum.Grid      // with formulas typed out, and with what they show
	formulas     map[Position]string // empty for a cell that the formula of another one fills
	bytes        int                 // of the texts that were read, about
}

func (r *cellReader) row(row int) []any {
	list := []any{}
	if row >= r.typed.Rows() {
		return list
	}
	var shown []checksum.Cell
	if row < r.shows.Rows() {
		shown = r.shows.Cells(row, nil)
	}
	for column, c := range r.typed.Cells(row, nil) {
		text, formula := r.formulas[Position{row, column}]
		if formula {
			c = checksum.CellAt(shown, column)
		}
		r.bytes += len(text) + len(c.Text) + 8
		c.Text = strings.Clone(c.Text) // the row outlives the table
		switch {
		case text != "":
			list = append(list, overwrittenFormula{Formula: text, Value: value(c)})
		case c.Kind == checksum.Error:
			list = append(list, ErrorCell{c.Text})
		default:
			list = append(list, value(c))
		}
	}
	return list
}
