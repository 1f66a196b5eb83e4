package hosttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/host"
)

// writesFormulas writes rows of which one cell keeps a person's formula and its format, another gets a formula, and text stays text.
func writesFormulas(t *testing.T, b Spreadsheet) {
	block := place(t, b, b.block(), people(4))
	b.Editor.SetFormula(t, b.Sheet, "D5", "1+1", checksum.Num(2))
	b.Editor.SetFormula(t, b.Sheet, "E8", "D8>1", checksum.Bool(true))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	g := grid(
		cells(people(4), 0),
		row(checksum.Str("first"), checksum.Num(1), checksum.Num(1.5)),
		row(checksum.Str("second"), checksum.Num(42), checksum.Bool(true)),
		row(checksum.Str("=1+1"), checksum.Num(3), checksum.Str("=D6")),
		row(checksum.Str("fourth"), checksum.Num(4), checksum.Cell{}),
	)
	p := hostPatch(block, v, g, checksum.Span{From: 1, To: 5})
	p.Formats = []string{"", "0.00", ""}
	p.Formulas = []host.Formula{
		{Position: host.Position{Row: 1, Column: 1}},
		{Position: host.Position{Row: 2, Column: 1}, Text: `=IF("<a> & ""b"""="",1,20+22)`},
		{Position: host.Position{Row: 4, Column: 2}},
	}
	if w := s.write(p); w.Rows != 4 || w.Cells != 10 {
		t.Errorf("wrote %+v, want 4 rows, 10 cells", w)
	}
	v = read(t, b, block, checksum.Extent{})
	want := []host.Formula{
		{Position: host.Position{Row: 1, Column: 1}, Text: "=1+1"},
		p.Formulas[1],
		{Position: host.Position{Row: 4, Column: 2}, Text: "=D8>1"},
	}
	if diff := cmp.Diff(want, v.Formulas); diff != "" {
		t.Errorf("formulas (-want +got):\n%s", diff)
	}
	wantCell(t, b, b.Sheet, "D5", checksum.Num(2), "1+1")
	wantCell(t, b, b.Sheet, "C5", checksum.Str("first"), "")
	wantCell(t, b, b.Sheet, "E5", checksum.Num(1.5), "")
	wantCell(t, b, b.Sheet, "C7", checksum.Str("=1+1"), "")
	wantCell(t, b, b.Sheet, "E7", checksum.Str("=D6"), "")
	for cell, want := range map[string]string{"D5": "", "D7": "0.00", "D8": "0.00"} {
		if got := b.Editor.NumberFormat(t, b.Sheet, cell); got != want {
			t.Errorf("%s has number format %q, want %q", cell, got, want)
		}
	}
}

// moves cuts rows and inserts them elsewhere in the block: upwards, downwards and to its end. Formulas inside and outside, also one that
// covers the block, follow as cut and paste lets them, and nothing beside or below the block moves.
func moves(t *testing.T, b Spreadsheet) {
	if !b.Host.CanMove() {
		t.Skip("the host moves no cells")
	}
	old := people(5)
	for _, test := range []struct {
		fact  string
		move  checksum.RowMove
		order []int  // of the old rows
		above string // what the formula "=D6", of old row 2, becomes
	}{
		{"one row down", checksum.RowMove{From: 2, Rows: 1, To: 5}, []int{0, 1, 3, 4, 2, 5}, "D8"},
		{"two rows up", checksum.RowMove{From: 4, Rows: 2, To: 1}, []int{0, 4, 5, 1, 2, 3}, "D8"},
		{"one row to the end", checksum.RowMove{From: 2, Rows: 1, To: 6}, []int{0, 1, 3, 4, 5, 2}, "D9"},
		{"several rows to the end", checksum.RowMove{From: 1, Rows: 3, To: 6}, []int{0, 4, 5, 1, 2, 3}, "D8"},
	} {
		t.Run(test.fact, func(t *testing.T) {
			surround(t, b)
			block := place(t, b, b.block(), old)
			b.Editor.SetFormula(t, b.Sheet, "E6", "D6*2", checksum.Num(0))
			b.Editor.SetFormula(t, b.Sheet, "H6", "D6", checksum.Num(0))
			s := open(t, b)
			v := s.read(block, checksum.Extent{})
			var moved checksum.Builder
			at := 0
			for i, from := range test.order {
				moved.Append(cells(v.Cells, from)...)
				if from == 2 {
					at = i
				}
			}
			p := hostPatch(block, v, moved.Grid())
			p.Moves = []checksum.RowMove{test.move}
			s.write(p)
			v = read(t, b, block, checksum.Extent{})
			holds(t, v, p.Grid)
			if !v.Marked || v.Anchor != anchor || v.Extent != old.Extent() {
				t.Errorf("at %s, marked %t, %+v", v.Anchor, v.Marked, v.Extent)
			}
			want := []host.Formula{{Position: host.Position{Row: at, Column: 2}, Text: "=" + test.above + "*2"}}
			if diff := cmp.Diff(want, v.Formulas); diff != "" {
				t.Errorf("formulas (-want +got):\n%s", diff)
			}
			if _, formula := b.Editor.Get(t, b.Sheet, "H6"); formula != test.above {
				t.Errorf("the formula that reads a moved cell became %q, want %q", formula, test.above)
			}
			stillSurrounded(t, b)
		})
	}
}
