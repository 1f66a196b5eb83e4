package plan

import (
	"fmt"
	"strconv"
	"strings"

	"mooring/checksum"
)

// describeEdits says what a person did to the block, by cells and columns.
func (p *comparison) describeEdits(m *checksum.Merged) string {
	var parts, cells, inserted, dropped []string
	for _, row := range m.People {
		at := strconv.Itoa(p.sheetRow(row.Theirs))
		switch {
		case row.Ours >= 0:
			cells = append(cells, p.cellsOf(row)...)
		case row.Base >= 0:
			dropped = append(dropped, at)
		default:
			inserted = append(inserted, at)
		}
	}
	if n := len(cells); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s edited by hand", shortList(cells), wereWas(n)))
	}
	if n := len(dropped); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s edited by hand, and %s gone from the report", rowList(dropped), wereWas(n), Plural(n, "is", "are")))
	}
	if n := len(inserted); n > 0 {
		parts = append(parts, fmt.Sprintf("%s %s inserted by hand", rowList(inserted), wereWas(n)))
	}
	if n := len(m.Deleted); n > 0 && !p.cleared() {
		parts = append(parts, fmt.Sprintf("%d %s of the block %s deleted by hand", n, Plural(n, "row", "rows"), wereWas(n)))
	}
	return strings.Join(parts, "; ")
}

func rowList(rows []string) string { return Plural(len(rows), "row ", "rows ") + shortList(rows) }

// cellsOf names the cells of a person in a row of the source, with their columns; where they are not known, the row.
func (p *comparison) cellsOf(row checksum.PersonRow) []string {
	columns, known := p.touched(row)
	if !known {
		return []string{fmt.Sprintf("row %d", p.sheetRow(row.Theirs))}
	}
	cells := make([]string, len(columns))
	for i, column := range columns {
		cells[i] = spotCell(p.View.Anchor, row.Theirs, p.columnBefore(column)) + " (" + columnName(header(p.Ours), column) + ")"
	}
	return cells
}

// mostTouched bounds the cells of a row among which those that a person edited are looked for.
const mostTouched = 12

// touched are the columns of a row in which a person typed. Of a row that the source has changed too since it was written only the
// fingerprint is known: those cells are the person's with whose new values, among what else stands, the row was as it was written. known is
// false where there are none, as when a person and the source changed the same cell.
func (p *comparison) touched(row checksum.PersonRow) (columns []int, known bool) {
	n := len(row.Columns)
	if row.Before != nil || n == 1 {
		return row.Columns, true
	}
	if row.Base < 0 || row.Base >= len(p.base.Fingerprints) || n > mostTouched || p.columnsDiffer() {
		return nil, false
	}
	ours := p.Ours.Cells(row.Ours, nil)
	was := make([]checksum.Cell, p.Ours.Columns())
	for mask := 1<<n - 1; mask > 0; mask-- { // a bit for each cell that is the person's
		p.stood(row.Theirs, was)
		columns = columns[:0]
		for i, column := range row.Columns {
			if mask&(1<<i) != 0 {
				was[column] = checksum.CellAt(ours, column)
				columns = append(columns, column)
			}
		}
		if checksum.RowFingerprint(was) == p.base.Fingerprints[row.Base] {
			return columns, true
		}
	}
	return nil, false
}

// stood sets cells to those of a row of the block as it stands.
func (p *comparison) stood(row int, cells []checksum.Cell) {
	var stands []checksum.Cell
	if row < p.stands.Rows() {
		stands = p.stands.Cells(row, nil)
	}
	for column := range cells {
		cells[column] = checksum.CellAt(stands, column)
	}
}

// columnsDiffer reports whether the source's columns are others than those of the last write, or in another order.
func (p *comparison) columnsDiffer() bool {
	for column := range p.Ours.Columns() {
		if p.columnBefore(column) != column {
			return true
		}
	}
	return p.base.Columns != p.Ours.Columns()
}
