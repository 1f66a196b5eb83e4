package formula

import (
	"strings"

	"mooring/placements"
)

// operand is a piece of a formula that refers to something: cells, when it has corners, or else a table or a name.
type operand struct {
	from, to int    // in the formula, with the sheet
	sheet    string // as it is spelled; two with a colon between are the sheets from one to the other
	foreign  bool   // of another workbook, of a deleted sheet, or of whichever sheet uses a name
	corners  int    // 1: a cell, 2: a range
	corner   [2]corner
	name     string
	table    string // what stands in brackets behind a table, brackets included
}

// corner is a cell that a range begins or ends with, or its column or row alone.
type corner struct {
	column, row           int // from zero; -1 when it has none
	columnAt, rowAt       int // where their letters and digits stand in the formula
	fixedColumn, fixedRow bool
	to                    int // where it ends in the formula
}

// parseCorner reads a word of a formula; at is where it stands there.
func parseCorner(word string, at int) (c corner, ok bool) {
	rest, fixed := strings.CutPrefix(word, "$")
	c.columnAt, c.to = at+len(word)-len(rest), at+len(word)
	if c.column = ColumnIndex(rest); c.column >= 0 {
		c.fixedColumn = fixed
		for rest != "" && isLetter(rest[0]) {
			rest = rest[1:]
		}
		rest, fixed = strings.CutPrefix(rest, "$")
	}
	c.rowAt, c.fixedRow = at+len(word)-len(rest), fixed
	if c.row, ok = rowIndex(rest); !ok || c.column > placements.MaxColumn {
		return c, false
	}
	return c, c.row >= 0 || c.column >= 0 && !fixed
}

// rowIndex returns the row, from zero, that digits name; -1 when there are none.
func rowIndex(digits string) (row int, ok bool) {
	if digits == "" {
		return -1, true
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' || row > placements.MaxRow {
			return 0, false
		}
		row = row*10 + int(digits[i]-'0')
	}
	return row - 1, 0 < row && row <= placements.MaxRow+1
}

func isLetter(b byte) bool { return 'A' <= b&^0x20 && b&^0x20 <= 'Z' }

// isCell reports whether a word is a cell.
func isCell(word string) bool {
	c, ok := parseCorner(word, 0)
	return ok && c.row >= 0 && c.column >= 0
}

// isConstant reports whether a word is a number or a truth value.
func isConstant(word string) bool {
	digits := strings.TrimPrefix(word, ".")
	return digits != "" && '0' <= digits[0] && digits[0] <= '9' || strings.EqualFold(word, "TRUE") || strings.EqualFold(word, "FALSE")
}

// spans reports whether a range may lie between the corners: columns, rows, cells, or a cell and the column or row that the range is open
// to.
func (c corner) spans(d corner) bool {
	return c.row >= 0 && d.row >= 0 || c.column >= 0 && d.column >= 0
}

// columnTo returns where the letters of the column end in the formula.
func (c corner) columnTo() int {
	if c.row >= 0 && c.fixedRow {
		return c.rowAt - len("$")
	}
	return c.rowAt
}

// letters returns what stands before the row's number, both $ included.
func (c corner) letters(text string) string {
	if c.fixedColumn {
		return text[c.columnAt-len("$") : c.rowAt]
	}
	return text[c.columnAt:c.rowAt]
}

// area returns the cells of an operand that has corners.
func (o *operand) area() placements.Rect {
	row, column := o.rows(), o.columns()
	return placements.Rect{
		Top: min(row[0], row[1]), Left: min(column[0], column[1]),
		Bottom: max(row[0], row[1]), Right: max(column[0], column[1]),
	}
}

// rows returns the rows of the corners. A corner that has none is of the sheet's first row if it is the first corner, else of its last.
func (o *operand) rows() [2]int {
	return open(o.corner[0].row, o.corner[o.corners-1].row, placements.MaxRow)
}

// columns returns the columns of the corners, as rows does.
func (o *operand) columns() [2]int {
	return open(o.corner[0].column, o.corner[o.corners-1].column, placements.MaxColumn)
}

// open returns where a range begins and ends, which may be open at each end.
func open(from, to, last int) [2]int {
	if to < 0 {
		to = last
	}
	return [2]int{max(from, 0), to}
}

// order returns which corner is the upper one, and which the lower.
func (o *operand) order() (top, bottom int) {
	if row := o.rows(); row[0] > row[1] {
		return 1, 0
	}
	return 0, o.corners - 1
}

// left returns which corner is the left one.
func (o *operand) left() int {
	if column := o.columns(); column[0] > column[1] {
		return 1
	}
	return 0
}

// unquoted returns a sheet's name as a formula spells it.
func unquoted(sheet string) string {
	if strings.HasPrefix(sheet, "'") {
		return strings.ReplaceAll(sheet[1:len(sheet)-1], "''", "'")
	}
	return sheet
}
