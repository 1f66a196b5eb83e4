package hosttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// exactCases let a block gain rows at two places and lose one in one patch: each record keeps its cells, and what a person has beside them
// or refers to them with stays with it.
func exactCases() (list []testCase) {
	for _, e := range []exactly{
		{
			"two gained above and one lost below",
			[]checksum.Shift{{At: 2, Rows: 1}, {At: 4, Rows: 1}, {At: 6, Rows: -1}},
			[]int{0, 1, 7, 2, 8, 3, 5, 6},
			[]checksum.Span{{From: 2, To: 3}, {From: 4, To: 5}},
		},
		{
			"one lost between two gained",
			[]checksum.Shift{{At: 1, Rows: 1}, {At: 4, Rows: -1}, {At: 6, Rows: 1}},
			[]int{0, 7, 1, 2, 4, 5, 8, 6},
			[]checksum.Span{{From: 1, To: 2}, {From: 6, To: 7}},
		},
		{
			"one replaced by two, and the last lost",
			[]checksum.Shift{{At: 3, Rows: 2}, {At: 5, Rows: -1}, {At: 7, Rows: -1}},
			[]int{0, 1, 2, 7, 8, 4, 5},
			[]checksum.Span{{From: 3, To: 5}},
		},
	} {
		list = append(list, testCase{"notes, formulas and names stay with their records where there are " + e.fact, e.run})
	}
	return list
}

// exactly is a block of six rows that gains and loses rows.
type exactly struct {
	fact   string
	shifts []checksum.Shift
	after  []int // rows of the table: those above 6 are new
	rows   []checksum.Span
}

// exactCell is a cell of a row of the block, of a column of the sheet.
func exactCell(row, column int) string {
	return placements.Anchor{Row: anchor.Row + row, Column: column}.String()
}

func (e exactly) run(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	table := names(8)
	block := place(t, b, b.block(), some(table, 0, 1, 2, 3, 4, 5, 6)) // C4:D10
	named := e.surround(t, b)

	g := some(table, e.after...)
	s := open(t, b)
	p := hostPatch(block, s.read(block, g.Extent()), g, e.rows...)
	p.Shifts, p.FillRight = e.shifts, checksum.Span{From: 5, To: 6}
	s.write(p)
	s.Close()

	holds(t, read(t, b, block, checksum.Extent{}), g)
	for record := 1; record <= 6; record++ {
		e.check(t, b, record, named[record])
		wantCell(t, b, b.Sheet, exactCell(record, 7), checksum.Num(float64(record)), "")
	}
	for _, gained := range e.rows {
		for row := gained.From; row < gained.To; row++ {
			wantCell(t, b, b.Sheet, exactCell(row, 4), checksum.Cell{}, "")
		}
	}
}

// surround puts beside each record a note, to which a name refers if the record stays, a formula, and a note behind the columns that shift;
// and a formula on another sheet that refers to the record.
func (e exactly) surround(t *testing.T, b Spreadsheet) (named map[int]host.Block) {
	named = map[int]host.Block{}
	for record := 1; record <= 6; record++ {
		note := checksum.Num(float64(record))
		if slices.Contains(e.after, record) {
			named[record] = place(t, b, b.blockAt(fmt.Sprint("note", record), b.Sheet, anchor.Row+record, 4), grid(row(note)))
		} else {
			b.Editor.Set(t, b.Sheet, exactCell(record, 4), note)
		}
		b.Editor.SetFormula(t, b.Sheet, exactCell(record, 5), "LEN("+exactCell(record, 3)+")", checksum.Num(0))
		b.Editor.Set(t, b.Sheet, exactCell(record, 7), note)
		b.Editor.SetFormula(t, b.Other, exactCell(record, 0), b.Sheet+"!"+exactCell(record, 3), checksum.Num(0))
	}
	return named
}

// check holds a record to its note, its formulas and its name.
func (e exactly) check(t *testing.T, b Spreadsheet, record int, named host.Block) {
	t.Helper()
	row := slices.Index(e.after, record)
	if row < 0 {
		if _, got := b.Editor.Get(t, b.Other, exactCell(record, 0)); !strings.Contains(got, "#REF!") {
			t.Errorf("record %d left, and what refers to it is %q", record, got)
		}
		return
	}
	wantCell(t, b, b.Sheet, exactCell(row, 4), checksum.Num(float64(record)), "")
	wantFormulas(t, b, map[string]string{
		exactCell(row, 5): "LEN(" + exactCell(row, 3) + ")", "Other!" + exactCell(record, 0): "Data!" + exactCell(row, 3),
	})
	if v := read(t, b, named, checksum.Extent{}); !v.Marked || v.Anchor.Row != anchor.Row+row {
		t.Errorf("the name of record %d is at %s, marked %t, want it in row %d", record, v.Anchor, v.Marked, anchor.Row+row+1)
	}
}
