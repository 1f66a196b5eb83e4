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
}

// ChangedRow is a row before and after a run, as JSON shows its cells: an error is an ErrorCell, a formula has what it showed before the
// run. Before is nil for a row that was added, After for one that was removed.
type ChangedRow struct {
	Row    int // of the sheet after the run, from 1; of one that was removed, before it
	Before []any
	After  []any
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
	d := checksum.Compare(before, after, key, MaxChangedRows)
	headings := header(p.tables.Ours)
	columns := make([]string, p.tables.Ours.Columns())
	for i := range columns {
		columns[i] = strings.Clone(columnName(headings, i))
	}
	plan.Difference = Difference{Columns: columns, Changed: d.Changed, Added: d.Added, Removed: d.Removed, Moved: d.Moved}
	was := cellReader{typed: before.Grid, shows: p.tables.View.Cells, formulas: p.tables.formulas}
	is := cellReader{typed: after.Grid, shows: plan.Grid, formulas: p.placed}
	var rows []ChangedRow
	for _, pair := range d.Rows {
		row := ChangedRow{Row: p.tables.sheetRow(pair.Before)}
		if pair.After >= 0 {
			row.Row, row.After = p.tables.sheetRow(pair.After), is.row(pair.After)
		}
		if pair.Before >= 0 && before.Fingerprints[pair.Before] != checksum.EmptyRow {
			row.Before = was.row(pair.Before)
		}
		if rows = append(rows, row); was.bytes+is.bytes > maxChangedBytes {
			rows = nil
			break
		}
	}
	plan.Difference.Rows, plan.Difference.Dropped = rows, len(rows) < d.Changed+d.Added+d.Removed
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
