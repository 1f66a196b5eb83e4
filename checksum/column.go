package checksum

import (
	"slices"
	"strconv"
)

// A ColumnEdit is what a person did to the columns of a block, as its header shows.
type ColumnEdit struct {
	Kind   ColumnEditKind
	Column int    // where it shows in the block as it stands; of a removed column, where it was
	Name   string // the heading concerned, empty if it has none
}

// ColumnEditKind says what was done.
type ColumnEditKind string

// The ways to change the columns inside a block.
const (
	ColumnInserted ColumnEditKind = "inserted"
	ColumnMoved    ColumnEditKind = "moved"
	ColumnRemoved  ColumnEditKind = "removed"
)

// Columns compares the headings of a block as it was left with those that stand there now. wider is how many columns more it has now.
// ok is false when nothing was done but rename headings in their places.
func Columns(left, stands []Cell, wider int) (change ColumnEdit, ok bool) {
	to := mapColumns(left, stands)
	displaced, last := none, none
	for i, at := range to {
		if at == none {
			continue
		}
		if at < last {
			return ColumnEdit{ColumnMoved, at, Heading(left, i)}, true
		}
		if displaced == none && at != i {
			displaced = i
		}
		last = at
	}
	switch {
	case wider > 0, wider == 0 && displaced != none && to[displaced] > displaced:
		at := firstMissing(inverse(to, len(stands)))
		return ColumnEdit{ColumnInserted, at, Heading(stands, at)}, true
	case wider < 0, displaced != none:
		at := firstMissing(to)
		return ColumnEdit{ColumnRemoved, at, Heading(left, at)}, true
	}
	return ColumnEdit{}, false
}

// InsertedColumn is which column a person inserted in the block that l left: change is what the headings tell. Of several with the same
// heading it is the one without which most rows stand as they were left.
func (l *Baseline) InsertedColumn(change ColumnEdit, stands *Grid) ColumnEdit {
	if change.Kind != ColumnInserted || change.Name == "" || stands.Columns() != l.Columns+1 {
		return change
	}
	headings := stands.Cells(0, nil)
	most := none
	for column := range headings {
		if Heading(headings, column) != change.Name {
			continue
		}
		others := make([]int, 0, l.Columns)
		for i := range stands.Columns() {
			if i != column {
				others = append(others, i)
			}
		}
		if n := shared(l.Fingerprints, stands.project(others).Block().Fingerprints); n > most {
			most, change.Column = n, column
		}
	}
	return change
}

// mapColumns is, for each heading of a, where b has it, none where it has not. Of a repeated heading the first stands for the first.
func mapColumns(a, b []Cell) []int {
	places := make(map[Cell][]int, len(b))
	for i, c := range b {
		places[c.rounded()] = append(places[c.rounded()], i)
	}
	to := make([]int, len(a))
	for i, c := range a {
		to[i] = none
		if at := places[c.rounded()]; len(at) > 0 {
			to[i], places[c.rounded()] = at[0], at[1:]
		}
	}
	return to
}

// inverse is, for each of n columns, which one to maps to it.
func inverse(to []int, n int) []int {
	from := make([]int, n)
	for i := range from {
		from[i] = none
	}
	for i, at := range to {
		if at != none {
			from[at] = i
		}
	}
	return from
}

// firstMissing is the first column that has no partner, or the one behind the last.
func firstMissing(to []int) int {
	for i, at := range to {
		if at == none {
			return i
		}
	}
	return len(to)
}

// Heading is the text of column i's heading, empty if it has none.
func Heading(header []Cell, i int) string {
	if i >= len(header) {
		return ""
	}
	switch c := header[i]; c.Kind {
	case Number:
		return strconv.FormatFloat(c.Number, 'g', 15, 64)
	case True:
		return "TRUE"
	case False:
		return "FALSE"
	default:
		return c.Text
	}
}

// Strangers are the rows of a block, its columns changed by a person, that hold a cell which is neither base's nor ours, ascending.
func Strangers(base Baseline, stands, ours *Grid) (rows []int) {
	var headings []Cell
	if stands.Rows() > 0 {
		headings = stands.Cells(0, nil)
	}
	to := mapColumns(base.Header, headings)
	strange := columnsWithout(inverse(to, stands.Columns()))
	known := base.Fingerprints
	if slices.Contains(to, none) { // base is known by whole rows only
		var ofOurs, ofStands []int
		for i, at := range mapColumns(ours.Cells(0, nil), headings) {
			if at != none {
				ofOurs, ofStands = append(ofOurs, i), append(ofStands, at)
			}
		}
		known, to = ours.project(ofOurs).Block().Fingerprints, ofStands
	}
	partners := matchEqual(known, stands.project(to).Block().Fingerprints, 0).toA
	var cells [][]byte
	filled := func(column int) bool { return column < len(cells) && CellKind(cells[column][0]) != Empty }
	for row := range stands.Rows() {
		cells = split(cells[:0], stands.Row(row))
		if partners[row] == none || slices.ContainsFunc(strange, filled) {
			rows = append(rows, row)
		}
	}
	return rows
}

// columnsWithout lists the columns that have no partner.
func columnsWithout(to []int) (columns []int) {
	for i, at := range to {
		if at == none {
			columns = append(columns, i)
		}
	}
	return columns
}

// ColumnsBefore is, for each of the first columns of a table with those headings, where it was in l. Where that is not known it was in
// the same place.
func (l *Baseline) ColumnsBefore(headings []Cell, columns int) []int {
	from := make([]int, columns)
	for i := range from {
		from[i] = i
	}
	for before, column := range mapColumns(l.Header, headings) {
		if column != none && column < columns {
			from[column] = before
		}
	}
	return from
}

// Stands reports whether a block is the one that l left: its header and at least half of its rows.
func (l *Baseline) Stands(b BlockRows) bool {
	if len(l.Fingerprints) == 0 || len(b.Fingerprints) == 0 || l.Fingerprints[0] != b.Fingerprints[0] {
		return false
	}
	rows := 0
	for _, partner := range matchEqual(l.Fingerprints, b.Fingerprints, 1).toB {
		if partner != none {
			rows++
		}
	}
	return 2*rows >= len(l.Fingerprints)-1
}
