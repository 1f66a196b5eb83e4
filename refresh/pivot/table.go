package pivot

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"mooring/checksum"
	"mooring/placements"
)

// Column is a column of a flat result: its name, and the number format of its cells, empty for none.
type Column struct{ Name, Format string }

// Items say which columns of the flat result become what (interface.md, PivotItems). Filters name what the query has filtered by already;
// they change nothing here and need not be among its columns.
type Items struct {
	Columns          []string
	DisplayScale     string // a key of scaleFormats, model, or empty
	Filters          []string
	Measures         []string
	MeasuresAxis     string // rows; anything else: columns
	MeasuresPosition string // after; anything else: before
	Rows             []string

	ShowAppliedFilters bool // which are no part of the table
	ShowColumnTotals   bool // a row of totals below the others, if there are members of rows
	ShowRowTotals      bool // a column of totals behind the others, one a measure, if there are members of columns
}

// Table returns a query's flat result, row 0 being its header, as the table that p describes, and a number format for each of its
// columns. Rows and columns of the table come in the order in which the result first names them, so the query's ORDER BY decides.
// Result rows that meet in one cell are added up, as are totals, which say so, unless the source has computed all that are shown: nil when
// it has not. A pivot of nothing is the result as it is. Errors, also for a table of more than maxCells, are *placements.Fault.
func Table(flat *checksum.Grid, columns []Column, p Items, computed *Totals, maxCells int) (*checksum.Grid, []string, error) {
	if len(p.Rows)+len(p.Columns)+len(p.Measures) == 0 {
		return flat, formatsOf(columns), nil
	}
	v := crosstab{items: p, source: columns}
	if err := v.resolve(); err != nil {
		return nil, nil, err
	}
	var cells []checksum.Cell
	for i := 1; i < flat.Rows(); i++ {
		cells = wholeRow(flat, i, len(columns), cells)
		v.add(cells)
		if v.size() > maxCells {
			return nil, nil, fault("the pivot has more than %d cells: take a member with fewer values for its columns", maxCells)
		}
	}
	v.take(computed)
	l := v.layout()
	return l.grid(), l.formats(), nil
}

// wholeRow is row i of a table with its trailing empty cells, in the memory of cells.
func wholeRow(g *checksum.Grid, i, columns int, cells []checksum.Cell) []checksum.Cell {
	cells = g.Cells(i, cells[:0])
	for len(cells) < columns {
		cells = append(cells, checksum.Cell{})
	}
	return cells
}

func formatsOf(columns []Column) []string {
	formats := make([]string, len(columns))
	for i, c := range columns {
		formats[i] = c.Format
	}
	return formats
}

// crosstab gathers a flat result by row and column. Members are columns of the flat result, by their number.
type crosstab struct {
	items    Items
	source   []Column
	measures []int
	rows     axis
	columns  axis
	crossed  map[crossing]int // where the sums of a crossing begin in sums
	sums     []sum            // one a measure for each crossing that the result has
	byColumn []sum            // totals: one a measure for each column,
	byRow    []sum            // for each row, if they are shown,
	all      []sum            // and for all of it
	computed *computed        // the same as the source computed them; nil when it did not
}

// crossing is a row and a column of the pivot. Only those that the result has take memory, however many there could be.
type crossing struct{ row, column int }

// axis is the rows or the columns of a pivot: one label a member for each of them.
type axis struct {
	members []int
	labels  [][]checksum.Cell
	places  map[string]int
	key     []byte
}

// resolve finds the members among the result's columns.
func (v *crosstab) resolve() (err error) {
	if v.rows.members, err = v.members("rows", v.items.Rows); err != nil {
		return err
	}
	if v.columns.members, err = v.members("columns", v.items.Columns); err != nil {
		return err
	}
	if v.measures, err = v.members("measures", v.items.Measures); err != nil {
		return err
	}
	if len(v.columns.members) == 0 {
		v.columns.place(nil) // all there is goes into one column a measure
	}
	return nil
}

func (v *crosstab) members(zone string, names []string) ([]int, error) {
	named := func(name string) func(Column) bool {
		return func(c Column) bool { return c.Name == name }
	}
	members := make([]int, len(names))
	for i, name := range names {
		at := slices.IndexFunc(v.source, named(name))
		if at < 0 {
			return nil, fault("pivotItems.%s names %q, which is no column of the query's result: it has %s", zone, name, v.columnNames())
		}
		if slices.ContainsFunc(v.source[at+1:], named(name)) {
			return nil, fault("pivotItems.%s names %q, and several columns of the query's result have that name: give each its own",
				zone, name)
		}
		members[i] = at
	}
	return members, nil
}

// columnNames lists the first columns of the result.
func (v *crosstab) columnNames() string {
	const shown = 20
	var names []string
	for i, c := range v.source {
		if i == shown {
			names = append(names, fmt.Sprintf("%d more", len(v.source)-shown))
			break
		}
		names = append(names, fmt.Sprintf("%q", c.Name))
	}
	return strings.Join(names, ", ")
}

func fault(format string, args ...any) *placements.Fault {
	return &placements.Fault{Class: placements.Structure, Message: fmt.Sprintf(format, args...)}
}

// size is how many sums and totals the rows have.
func (v *crosstab) size() int {
	width := len(v.columns.labels) * len(v.measures)
	if v.items.TotalsRows() {
		width += len(v.measures)
	}
	return len(v.rows.labels) * width
}

// add puts a row of the flat result where its labels say.
func (v *crosstab) add(cells []checksum.Cell) {
	at := crossing{v.rows.place(cells), v.columns.place(cells)}
	begin, ok := v.crossed[at]
	if !ok {
		if v.crossed == nil {
			v.crossed = make(map[crossing]int)
		}
		begin = len(v.sums)
		v.crossed[at] = begin
		v.sums = append(v.sums, make([]sum, len(v.measures))...)
	}
	for i, m := range v.measures {
		v.sums[begin+i].add(cells[m])
	}
	v.byColumn = v.addAt(v.byColumn, at.column, cells)
	if v.items.TotalsRows() {
		v.byRow, v.all = v.addAt(v.byRow, at.row, cells), v.addAt(v.all, 0, cells)
	}
}

// addAt adds the measures of a row of the flat result to the totals of a row or column.
func (v *crosstab) addAt(totals []sum, at int, cells []checksum.Cell) []sum {
	if missing := (at+1)*len(v.measures) - len(totals); missing > 0 {
		totals = append(totals, make([]sum, missing)...)
	}
	for i, m := range v.measures {
		totals[at*len(v.measures)+i].add(cells[m])
	}
	return totals
}

// find is the number of the row or column that the cells belong to, if there is one. It leaves its key in a.key.
func (a *axis) find(cells []checksum.Cell) (at int, ok bool) {
	a.key = a.key[:0]
	for _, m := range a.members {
		a.key = appendKey(a.key, cells[m])
	}
	at, ok = a.places[string(a.key)]
	return at, ok
}

// place is the number of the row or column that the cells belong to, a new one if need be.
func (a *axis) place(cells []checksum.Cell) int {
	if at, ok := a.find(cells); ok {
		return at
	}
	if a.places == nil {
		a.places = make(map[string]int)
	}
	at := len(a.labels)
	a.places[string(a.key)] = at
	labels := make([]checksum.Cell, len(a.members))
	for i, m := range a.members {
		labels[i] = cells[m]
	}
	a.labels = append(a.labels, labels)
	return at
}

// appendKey appends a cell so that no two lists of cells have the same key.
func appendKey(key []byte, c checksum.Cell) []byte {
	key = append(key, byte(c.Kind))
	key = binary.BigEndian.AppendUint64(key, math.Float64bits(c.Number))
	key = binary.AppendUvarint(key, uint64(len(c.Text)))
	return append(key, c.Text...)
}
