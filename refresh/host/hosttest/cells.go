package hosttest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/refresh/host"
)

// everyKind holds what a cell can be and what hosts are known to spoil.
func everyKind() *checksum.Grid {
	third := 1.0
	third /= 3
	return grid(
		row(checksum.Str("text"), checksum.Str("number"), checksum.Str("other")),
		row(checksum.Str("plain"), checksum.Num(0), checksum.Bool(true)),
		row(checksum.Str(" spaces  kept "), checksum.Num(-1.5), checksum.Bool(false)),
		row(checksum.Str("two\nlines\tand a tab"), checksum.Num(third), checksum.Err("#N/A")),
		row(checksum.Str(`<a href="x">&amp;</a> 'quoted'`), checksum.Num(1.7976931348623157e308), checksum.Err("#DIV/0!")),
		row(checksum.Str("Grüße, 日本, 👩‍👩‍👧"), checksum.Num(5e-324), checksum.Err("#VALUE!")),
		row(checksum.Str("_x0041_ and _x005F_"), checksum.Num(1<<53), checksum.Err("#REF!")),
		row(checksum.Str("'leading apostrophe"), checksum.Num(-123456789.12345679), checksum.Err("#NAME?")),
		row(checksum.Str("#N/A"), checksum.Num(1e21), checksum.Err("#NUM!")),
		row(checksum.Str("TRUE"), checksum.Num(1e-7), checksum.Err("#NULL!")),
		row(checksum.Str("0042"), checksum.Num(45000.25)),
		row(checksum.Str("zero\u200bwidth, and a bell\a"), checksum.Num(0.1)),
		row(),
		row(checksum.Cell{}, checksum.Cell{}, checksum.Str("after gaps")),
		row(checksum.Str(strings.Repeat("long ", 6000))),
	)
}

func roundTrip(t *testing.T, b Spreadsheet) {
	g := everyKind()
	block, g := placeHeld(t, b, b.block(), g)
	holds(t, read(t, b, block, g.Extent()), g)
}

// placeHeld is place; the table is the one that the document then holds, as the write told.
func placeHeld(t *testing.T, b Spreadsheet, block host.Block, g *checksum.Grid) (host.Block, *checksum.Grid) {
	t.Helper()
	s := open(t, b)
	defer s.Close()
	v := s.read(block, g.Extent())
	w := s.write(patchAll(block, v, g))
	if !b.Alters && len(w.Held) > 0 {
		t.Errorf("the document holds something else than it was given: %+v", w.Held)
	}
	var rows [][]checksum.Cell
	for i := range g.Rows() {
		rows = append(rows, cells(g, i))
	}
	for _, h := range w.Held {
		rows[h.Row][h.Column] = h.Cell
	}
	return at(block, v), grid(rows...)
}

// formulaLike are texts that a spreadsheet would compute, or make a number or date of, if they were typed in.
var formulaLike = []string{
	"=1+1", "+1+1", "-1+1", "@SUM(A1)", "=HYPERLINK(\"http://example.com\",\"x\")", "=cmd|' /C calc'!A0", "\t=1+1", "'=1+1",
	"1e5", "12:30", "2024-02-29", "50%", "$5", "FALSE", "{=1}", "=", "#REF!",
}

func injection(t *testing.T, b Spreadsheet) {
	var rows [][]checksum.Cell
	for _, s := range formulaLike {
		rows = append(rows, row(checksum.Str(s)))
	}
	block, g := placeHeld(t, b, b.block(), grid(rows...))
	v := read(t, b, block, g.Extent())
	holds(t, v, g)
	if len(v.Formulas) > 0 {
		t.Errorf("formulas came into being at %v", v.Formulas)
	}
	for i := range formulaLike {
		wantCell(t, b, b.Sheet, fmt.Sprintf("C%d", 4+i), cells(g, i)[0], "")
	}
}

func dates(t *testing.T, b Spreadsheet) {
	g := grid(row(checksum.Str("day"), checksum.Str("n")), row(checksum.Num(45000), checksum.Num(1)),
		row(checksum.Num(45001.5), checksum.Num(2)))
	s := open(t, b)
	p := patchAll(b.block(), s.read(b.block(), g.Extent()), g)
	p.Formats = []string{"yyyy-mm-dd", ""}
	s.write(p)
	holds(t, read(t, b, b.block(), g.Extent()), g)
	for cell, want := range map[string]string{"C5": "yyyy-mm-dd", "C6": "yyyy-mm-dd", "D5": ""} {
		if got := b.Editor.NumberFormat(t, b.Sheet, cell); got != want {
			t.Errorf("%s has number format %q, want %q", cell, got, want)
		}
	}
}

// otherFormats moves a column of dates: the cells where it stood do not keep its format, those that it moves to get it.
func otherFormats(t *testing.T, b Spreadsheet) {
	g := grid(row(checksum.Str("day"), checksum.Str("n")), row(checksum.Num(45000), checksum.Num(1)),
		row(checksum.Num(45001.5), checksum.Num(2)))
	s := open(t, b)
	p := patchAll(b.block(), s.read(b.block(), g.Extent()), g)
	p.Formats = []string{"yyyy-mm-dd", ""}
	s.write(p)
	g = grid(row(checksum.Str("n"), checksum.Str("day")), row(checksum.Num(1), checksum.Num(45000)),
		row(checksum.Num(2), checksum.Num(45001.5)))
	s = open(t, b)
	p = patchAll(b.block(), s.read(b.block(), g.Extent()), g)
	p.Formats, p.FormatsBefore = []string{"", "yyyy-mm-dd"}, []string{"yyyy-mm-dd", ""}
	s.write(p)
	holds(t, read(t, b, b.block(), g.Extent()), g)
	for cell, want := range map[string]string{"C5": "", "C6": "", "D5": "yyyy-mm-dd", "D6": "yyyy-mm-dd"} {
		if got := b.Editor.NumberFormat(t, b.Sheet, cell); got != want {
			t.Errorf("%s has number format %q, want %q", cell, got, want)
		}
	}
}

func large(t *testing.T, b Spreadsheet) {
	rows := b.LargestRows
	if rows == 0 {
		rows = 100_000
	}
	if testing.Short() {
		rows /= 20
	}
	fill := func(changed int) *checksum.Grid {
		var g checksum.Builder
		for i := range rows {
			g.Text(fmt.Sprintf("row %d", i))
			g.Number(math.Sqrt(float64(i)))
			g.Bool(i%3 == 0)
			g.Number(float64(i * boolInt(i == changed)))
			g.EndRow()
		}
		return g.Grid()
	}
	g := fill(-1)
	block := place(t, b, b.block(), g)
	s := open(t, b)
	v := s.read(block, g.Extent())
	holds(t, v, g)
	g = fill(rows / 2)
	w := s.write(hostPatch(block, v, g, checksum.Span{From: rows / 2, To: rows/2 + 1}))
	if w.Rows != 1 || w.Cells != 4 || w.Calls != 1 {
		t.Errorf("one changed row: wrote %+v, want 1 row, 4 cells, 1 call", w)
	}
	holds(t, read(t, b, block, g.Extent()), g)
}

func boolInt(v bool) int {
	if v {
		return 1
	}
	return 0
}
