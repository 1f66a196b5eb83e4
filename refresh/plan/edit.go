package plan

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
)

// remember notes the cells of a person that the plan keeps: for the user, and for the next run.
func (p *decider) remember(plan *Changes, m *checksum.Merged) {
	headings := header(p.tables.Ours)
	known := make(map[string]Edit, len(p.tables.Edits))
	for _, e := range p.tables.Edits {
		known[e.ID] = e
	}
	seen, numbers := map[string]int{}, map[int]bool{}
	var kept, source []checksum.Cell
	for _, row := range m.People {
		kept = m.Kept.Cells(row.Row, kept[:0])
		source = source[:0]
		if row.Ours >= 0 {
			source = p.tables.Ours.Cells(row.Ours, source)
		}
		id := p.rowID(row, kept, seen)
		p.rememberRow(&plan.Memory, row, id, kept, source)
		plan.EditedRows = append(plan.EditedRows, p.tables.sheetRow(row.Row))
		for _, column := range row.Columns {
			name := columnName(headings, column)
			e := Edit{
				ID: editID(id, name, checksum.CellAt(kept, column)), Row: row.Row, Column: column, Name: name,
				Yours: p.value(kept, column, row), Inserted: row.Ours < 0, SeenAt: p.tables.Now,
			}
			if row.Ours >= 0 {
				e.Source = value(checksum.CellAt(source, column))
			}
			if before, ok := known[e.ID]; ok {
				e.SeenAt = before.SeenAt
			}
			e.TextAmongNumbers = row.Row > 0 && p.isText(kept, column, row) && p.numbers(column, numbers)
			plan.Edits = append(plan.Edits, e)
		}
	}
}

// isText reports whether a cell of a row of a person holds a text, and no formula.
func (p *decider) isText(kept []checksum.Cell, column int, row checksum.PersonRow) bool {
	_, formula := p.tables.formulas[Position{Row: row.Theirs, Column: p.tables.columnBefore(column)}]
	return !formula && checksum.CellAt(kept, column).Kind == checksum.Text
}

// numberRows is in how many rows is looked for what a column holds.
const numberRows = 1000

// numbers reports whether the source has numbers in a column, and nothing else; known has the answers so far.
func (p *decider) numbers(column int, known map[int]bool) bool {
	is, ok := known[column]
	if ok {
		return is
	}
	var cells []checksum.Cell
	for row := 1; row < min(p.tables.Ours.Rows(), numberRows); row++ {
		cells = p.tables.Ours.Cells(row, cells[:0])
		switch checksum.CellAt(cells, column).Kind {
		case checksum.Empty:
		case checksum.Number:
			is = true
		default:
			known[column] = false
			return false
		}
	}
	known[column] = is
	return is
}

// rowID is the id of a row with cells of a person: that of the run which first saw it.
func (p *decider) rowID(row checksum.PersonRow, kept []checksum.Cell, seen map[string]int) string {
	switch {
	case row.Before != nil:
		return row.Before.ID
	case row.Ours >= 0:
		return newRowID()
	}
	id := strconv.FormatUint(checksum.RowFingerprint(kept), 36) // an inserted row is known by what it holds
	seen[id]++
	return id + "-" + strconv.Itoa(seen[id])
}

// editID is the id of an edit: a cell of the row into which another value is typed is another edit.
func editID(row, column string, yours checksum.Cell) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\x00%x", column, checksum.RowFingerprint([]checksum.Cell{yours}))
	return row + "." + strconv.FormatUint(h.Sum64(), 36)
}

func (p *decider) rememberRow(m *Memory, row checksum.PersonRow, id string, kept, source []checksum.Cell) {
	switch {
	case row.Ours < 0:
		m.Inserted = append(m.Inserted, checksum.RowFingerprint(kept))
		if loosely, ok := withoutFormulas(kept); ok {
			m.Inserted = append(m.Inserted, loosely)
		}
	case len(m.Edited) < MaxRemembered:
		m.Edited = append(m.Edited, checksum.EditedRow{ID: id, Row: row.Ours, Source: slices.Clone(source), Kept: slices.Clone(kept)})
	}
}

// withReturned is last with the cells of a person that were given back to the source since: those of as many rows as a run can keep the
// values of. The others wait for the runs after this one.
func withReturned(last *checksum.Baseline, edits []Edit) *checksum.Baseline {
	returned := map[string]bool{}
	for _, e := range edits {
		if e.Returned {
			returned[e.ID] = true
		}
	}
	if last == nil || len(returned) == 0 {
		return last
	}
	out := *last
	out.Edited = slices.Clone(last.Edited)
	rows := 0
	for i := range out.Edited {
		if rows == MaxOverwritten {
			break
		}
		e := &out.Edited[i]
		if e.Returned = returnedColumns(*e, last.Header, returned); e.Returned != nil {
			rows++
		}
	}
	return &out
}

// returnedColumns are the columns of a row whose edits were given back, nil without any.
func returnedColumns(e checksum.EditedRow, headings []checksum.Cell, returned map[string]bool) (columns map[int]bool) {
	for column := range max(len(e.Kept), len(e.Source)) {
		yours := checksum.CellAt(e.Kept, column)
		if yours.Same(checksum.CellAt(e.Source, column)) || !returned[editID(e.ID, columnName(headings, column), yours)] {
			continue
		}
		if columns == nil {
			columns = map[int]bool{}
		}
		columns[column] = true
	}
	return columns
}

// overwrittenFormula is what a run keeps of a cell that held a formula: the formula as it was typed, and the value that it showed.
type overwrittenFormula struct {
	Formula string `json:"formula"`
	Value   any    `json:"value"`
}

// value is a cell of a person in its place in the new block as JSON shows it, with what a formula shows.
func (p *decider) value(cells []checksum.Cell, column int, row checksum.PersonRow) any {
	at := Position{Row: row.Theirs, Column: p.tables.columnBefore(column)}
	text, formula := p.tables.formulas[at]
	if !formula {
		return value(checksum.CellAt(cells, column))
	}
	shows := value(checksum.CellAt(p.tables.shows(at.Row, nil), at.Column))
	if text == "" {
		return shows
	}
	return overwrittenFormula{Formula: p.placed[Position{Row: row.Row, Column: column}], Value: shows}
}

// overwritten is what stands in rows of the block: the values, and for a formula an overwrittenFormula. A cell that the formula of another
// one fills is kept as its value.
func (p *comparison) overwritten(rows []int) []OverwrittenRow {
	list := make([]OverwrittenRow, 0, len(rows))
	for _, row := range rows {
		values := []any{} // a row that was emptied is [] in JSON, not null
		if row < p.stands.Rows() {
			cells := p.stands.Cells(row, nil)
			for column, c := range cells {
				text, formula := p.formulas[Position{Row: row, Column: column}]
				switch {
				case !formula:
					values = append(values, value(c))
				case text == "":
					values = append(values, value(checksum.CellAt(p.shows(row, nil), column)))
				default:
					values = append(values, overwrittenFormula{text, value(checksum.CellAt(p.shows(row, nil), column))})
				}
			}
		}
		list = append(list, OverwrittenRow{Row: p.sheetRow(row), Values: values})
	}
	return list
}

// KeepRow keeps a row as it stands, up to so many columns, among those that are overwritten.
func (c *Changes) KeepRow(v View, row, columns int) {
	formulas := map[int]string{}
	for _, f := range v.Formulas {
		if f.Row == row && f.Column < columns {
			formulas[f.Column] = f.Text
		}
	}
	var cells []checksum.Cell
	if row < v.Cells.Rows() {
		cells = v.Cells.Cells(row, nil)
	}
	filled := len(cells)
	for column := range formulas {
		filled = max(filled, column+1) // one that shows nothing yet
	}
	values := []any{}
	for column := range min(filled, columns) {
		cell := checksum.CellAt(cells, column)
		if text := formulas[column]; text != "" {
			values = append(values, overwrittenFormula{text, value(cell)})
			continue
		}
		cell.Text = strings.Clone(cell.Text) // the row outlives the table
		values = append(values, value(cell))
	}
	kept := OverwrittenRow{Row: v.Anchor.Row + row + 1, Values: values}
	if i := slices.IndexFunc(c.Overwritten, func(r OverwrittenRow) bool { return r.Row == kept.Row }); i >= 0 {
		c.Overwritten[i] = kept // which has more of it
		return
	}
	c.Overwritten = append(c.Overwritten, kept)
}

// sheetRow is a row of the block as the sheet numbers it.
func (p *comparison) sheetRow(row int) int { return p.View.Anchor.Row + row + 1 }

// sheetRows are rows of the block as the sheet numbers them.
func (p *comparison) sheetRows(rows []int) []int {
	out := make([]int, len(rows))
	for i, row := range rows {
		out[i] = p.sheetRow(row)
	}
	return out
}

// value is a cell as JSON shows it.
func value(c checksum.Cell) any {
	switch c.Kind {
	case checksum.Number:
		return c.Number
	case checksum.True, checksum.False:
		return c.Kind == checksum.True
	case checksum.Text, checksum.Error:
		return c.Text
	}
	return nil
}
