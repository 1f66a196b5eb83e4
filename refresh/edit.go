package refresh

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
)

// remember notes the cells of a person that the plan keeps: for the user, and for the next run.
func (p *planner) remember(plan *Plan, m *checksum.Merged) {
	headings := header(p.ours)
	known := make(map[string]storage.Edit, len(p.edits))
	for _, e := range p.edits {
		known[e.ID] = e
	}
	seen, to := map[string]int{}, p.moves(m)
	var kept, source []checksum.Cell
	for _, row := range m.People {
		kept = m.Kept.Cells(row.Row, kept[:0])
		source = source[:0]
		if row.Ours >= 0 {
			source = p.ours.Cells(row.Ours, source)
		}
		id := p.rowID(row, kept, seen)
		p.rememberRow(&plan.memory, row, id, kept, source)
		plan.EditedRows = append(plan.EditedRows, p.sheetRow(row.Row))
		for _, column := range row.Columns {
			name := columnName(headings, column)
			e := storage.Edit{
				ID: editID(id, name, checksum.CellAt(kept, column)), Row: row.Row, Column: column, Name: name,
				Yours: p.value(kept, column, row, to), Inserted: row.Ours < 0, SeenAt: p.now,
			}
			if row.Ours >= 0 {
				e.Source = value(checksum.CellAt(source, column))
			}
			if before, ok := known[e.ID]; ok {
				e.SeenAt = before.SeenAt
			}
			plan.Edits = append(plan.Edits, e)
		}
	}
}

// rowID is the id of a row with cells of a person: that of the run which first saw it.
func (p *planner) rowID(row checksum.PersonRow, kept []checksum.Cell, seen map[string]int) string {
	switch {
	case row.Before != nil:
		return row.Before.ID
	case row.Ours >= 0:
		return rand.Text()[:12]
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

func (p *planner) rememberRow(m *memory, row checksum.PersonRow, id string, kept, source []checksum.Cell) {
	switch {
	case row.Ours < 0:
		m.inserted = append(m.inserted, checksum.RowFingerprint(kept))
	case len(m.edited) < maxRemembered:
		m.edited = append(m.edited, checksum.EditedRow{ID: id, Row: row.Ours, Source: slices.Clone(source), Kept: slices.Clone(kept)})
	}
}

// markReturned notes which cells of a person were given back to the source since last was written: those of as many rows as a run can keep
// the values of. The others wait for the runs after this one.
func markReturned(last *checksum.Last, edits []storage.Edit) {
	returned := map[string]bool{}
	for _, e := range edits {
		if e.Returned {
			returned[e.ID] = true
		}
	}
	if len(returned) == 0 {
		return
	}
	rows := 0
	for i := range last.Edited {
		if rows == maxOverwritten {
			return
		}
		e := &last.Edited[i]
		for column := range max(len(e.Kept), len(e.Source)) {
			yours := checksum.CellAt(e.Kept, column)
			if yours.Same(checksum.CellAt(e.Source, column)) || !returned[editID(e.ID, columnName(last.Header, column), yours)] {
				continue
			}
			if e.Returned == nil {
				e.Returned = map[int]bool{}
				rows++
			}
			e.Returned[column] = true
		}
	}
}

// overwrittenFormula is what a run keeps of a cell that held a formula: the formula as it was typed, and the value that it showed.
type overwrittenFormula struct {
	Formula string `json:"formula"`
	Value   any    `json:"value"`
}

// value is a cell of a person in its place in the new block as JSON shows it, with what a formula shows. to is as moveFormula takes it.
func (p *planner) value(cells []checksum.Cell, column int, row checksum.PersonRow, to func(row int) int) any {
	at := host.Position{Row: row.Theirs, Column: p.columnBefore(column)}
	text, formula := p.formulas[at]
	if !formula {
		return value(checksum.CellAt(cells, column))
	}
	shows := value(checksum.CellAt(p.shows(at.Row, nil), at.Column))
	if text == "" {
		return shows
	}
	return overwrittenFormula{Formula: moveFormula(text, to), Value: shows}
}

// overwritten is what stands in rows of the block: the values, and for a formula an overwrittenFormula. A cell that the formula of another
// one fills is kept as its value.
func (p *planner) overwritten(rows []int) []storage.OverwrittenRow {
	list := make([]storage.OverwrittenRow, 0, len(rows))
	for _, row := range rows {
		values := []any{} // a row that was emptied is [] in JSON, not null
		if row < p.stands.Rows() {
			cells := p.stands.Cells(row, nil)
			for column, c := range cells {
				text, formula := p.formulas[host.Position{Row: row, Column: column}]
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
		list = append(list, storage.OverwrittenRow{Row: p.sheetRow(row), Values: values})
	}
	return list
}

// sheetRow is a row of the block as the sheet numbers it.
func (p *planner) sheetRow(row int) int { return p.view.Anchor.Row + row + 1 }

// sheetRows are rows of the block as the sheet numbers them.
func (p *planner) sheetRows(rows []int) []int {
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

// columnName is a column's heading, or where it stands in the block if it has none.
func columnName(headings []checksum.Cell, column int) string {
	if name := checksum.Heading(headings, column); name != "" && !strings.HasPrefix(name, formulaSign) {
		return name
	}
	return "column " + strconv.Itoa(column+1)
}

// describeEdits says what a person did to the block, by cells and columns.
func (p *planner) describeEdits(m *checksum.Merged) string {
	var parts, cells, inserted []string
	for _, row := range m.People {
		if row.Ours < 0 {
			inserted = append(inserted, strconv.Itoa(p.sheetRow(row.Theirs)))
			continue
		}
		cells = append(cells, p.cellsOf(row)...)
	}
	if len(cells) > 0 {
		parts = append(parts, shortList(cells)+" "+wereWas(len(cells))+" edited by hand")
	}
	if len(inserted) > 0 {
		parts = append(parts, plural(len(inserted), "row ", "rows ")+shortList(inserted)+" "+wereWas(len(inserted))+" inserted by hand")
	}
	if n := len(m.Deleted); n > 0 && !p.cleared() {
		parts = append(parts, fmt.Sprintf("%d %s of the block %s deleted by hand", n, plural(n, "row", "rows"), wereWas(n)))
	}
	return strings.Join(parts, "; ")
}

// words says what a plan found that a person had done to the block.
func (p Plan) words(v host.View) (found []string) {
	if p.Moved > 0 {
		found = append(found, fmt.Sprintf("%d moved %s put back in order", p.Moved, plural(p.Moved, "row", "rows")))
	}
	if p.Returned > 0 {
		found = append(found, fmt.Sprintf("%d deleted %s written again", p.Returned, plural(p.Returned, "row", "rows")))
	}
	if n := len(p.Edits); n > 0 {
		var cells []string
		for _, e := range p.Edits {
			cells = append(cells, spotCell(v, e.Row, e.Column)+" ("+e.Name+")")
		}
		found = append(found, fmt.Sprintf("%d %s typed by hand kept: %s", n, plural(n, "cell", "cells"), shortList(cells)))
	}
	if n := len(p.Overwritten); n > 0 {
		found = append(found, fmt.Sprintf("%d %s typed by hand replaced, and kept in the run", n, plural(n, "row", "rows")))
	}
	return found
}

// cellsOf names the cells of a person in a row of the source, with their columns.
func (p *planner) cellsOf(row checksum.PersonRow) []string {
	cells := make([]string, len(row.Columns))
	for i, column := range row.Columns {
		cells[i] = spotCell(p.view, row.Theirs, p.columnBefore(column)) + " (" + columnName(header(p.ours), column) + ")"
	}
	return cells
}

// spotCell names a cell of the block without its sheet.
func spotCell(v host.View, row, column int) string {
	return placements.Anchor{Row: v.Anchor.Row + row, Column: v.Anchor.Column + column}.String()
}

// shortList names the first few of a list.
func shortList(names []string) string {
	const shown = 5
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

func wereWas(n int) string { return plural(n, "was", "were") }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func quoted(name string) string { return "\"" + name + "\"" }

func names(list []string) string {
	out := make([]string, len(list))
	for i, name := range list {
		out[i] = quoted(name)
	}
	return strings.Join(out, ", ")
}

// values names cells as a message does.
func values(cells []checksum.Cell) string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = quoted(checksum.Heading(cells, i))
		if c.Kind == checksum.Empty {
			out[i] = "an empty cell"
		}
	}
	return strings.Join(out, ", ")
}
