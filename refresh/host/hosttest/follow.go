package hosttest

import (
	"fmt"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// wantFormulas checks the formulas of cells of the block's sheet, and of the other sheet where a cell is named with it.
func wantFormulas(t *testing.T, b Book, want map[string]string) {
	t.Helper()
	for cell, formula := range want {
		sheet, at := b.Sheet, cell
		if l, err := placements.ParseLocation(cell); err == nil && l.Sheet != "" {
			sheet, at = l.Sheet, l.Anchor.String()
		}
		if _, got := b.Editor.Get(t, sheet, at); got != formula {
			t.Errorf("%s has formula %q, want %q", cell, got, formula)
		}
	}
}

// some are rows of a table in an order.
func some(g *checksum.Grid, order ...int) *checksum.Grid {
	var rows [][]checksum.Cell
	for _, i := range order {
		rows = append(rows, cells(g, i))
	}
	return grid(rows...)
}

// numbered is a block at the suite's anchor whose marker no other has: where rows are deleted, a marker's name may stay taken.
func (b Book) numbered(i int) host.Block {
	return b.blockAt(fmt.Sprint("number ", i), b.Sheet, anchor.Row, anchor.Column)
}

// around is a block of four rows below its header, with a total below it and formulas of other kinds around.
func around(t *testing.T, b Book, block host.Block) host.Block {
	block = place(t, b, block, names(4)) // C4:D8
	zero := checksum.Num(0)
	b.Editor.Set(t, b.Sheet, "C9", checksum.Str("Total"))
	b.Editor.SetFormula(t, b.Sheet, "D9", "COUNTA(D5:D8)", zero)
	b.Editor.SetFormula(t, b.Sheet, "G8", "COUNTA(D$5:D8)", zero)
	b.Editor.SetFormula(t, b.Sheet, "G9", "D9+1", zero)
	b.Editor.SetFormula(t, b.Sheet, "H4", "D5", zero)
	b.Editor.SetFormula(t, b.Other, "A1", b.Sheet+"!D9", zero)
	return block
}

// followsShifts lets a block gain and lose rows inside and at its end. What stands below moves, what refers to it follows, and a total
// below counts rows gained at the end, which a running total beside does not.
func followsShifts(t *testing.T, b Book) {
	if !b.Host.CanShift() {
		t.Skip("the host shifts no cells")
	}
	for i, test := range []struct {
		fact   string
		shifts []checksum.Shift
		after  *checksum.Grid
		rows   []checksum.Span
		total  string // the cell that the total moves to
		want   map[string]string
	}{
		{
			"rows gained at the end",
			[]checksum.Shift{{At: 5, Rows: 3}},
			names(7),
			[]checksum.Span{{From: 5, To: 8}},
			"C12",
			map[string]string{
				"D12": "COUNTA(D5:D11)", "G8": "COUNTA(D$5:D8)", "G9": "D12+1", "H4": "D5", b.Other + "!A1": b.Sheet + "!D12", "D9": "",
			},
		},
		{
			"rows gained inside",
			[]checksum.Shift{{At: 3, Rows: 2}},
			some(names(6), 0, 1, 2, 5, 6, 3, 4),
			[]checksum.Span{{From: 3, To: 5}},
			"C11",
			map[string]string{
				"D11": "COUNTA(D5:D10)", "G8": "COUNTA(D$5:D10)", "G9": "D11+1", b.Other + "!A1": b.Sheet + "!D11",
				b.Other + "!A2": "COUNTA(" + b.Sheet + "!D5:D10)",
			},
		},
		{
			"rows lost at the end",
			[]checksum.Shift{{At: 3, Rows: -2}},
			names(2), nil, "C7",
			map[string]string{
				"D7": "COUNTA(D5:D6)", "G8": "COUNTA(D$5:D6)", "G9": "D7+1", b.Other + "!A1": b.Sheet + "!D7",
				b.Other + "!A2": "COUNTA(" + b.Sheet + "!D5:D6)",
			},
		},
		{
			"a row lost inside",
			[]checksum.Shift{{At: 2, Rows: -1}},
			some(names(4), 0, 1, 3, 4), nil, "C8",
			map[string]string{
				"D8": "COUNTA(D5:D7)", "G9": "D8+1", b.Other + "!A1": b.Sheet + "!D8", b.Other + "!A2": "COUNTA(" + b.Sheet + "!D5:D7)",
			},
		},
		{
			"the first row lost", // to which a formula refers
			[]checksum.Shift{{At: 1, Rows: -1}},
			some(names(4), 0, 2, 3, 4), nil, "C8",
			map[string]string{"D8": "COUNTA(D5:D7)", "H4": "#REF!"},
		},
		{
			"a row lost inside and rows gained at the end",
			[]checksum.Shift{{At: 2, Rows: -1}, {At: 4, Rows: 2}},
			some(names(6), 0, 1, 3, 4, 5, 6),
			[]checksum.Span{{From: 4, To: 6}},
			"C10",
			map[string]string{"D10": "COUNTA(D5:D9)", "G9": "D10+1", b.Other + "!A1": b.Sheet + "!D10"},
		},
		{
			"rows gained under the header and at the end",
			[]checksum.Shift{{At: 1, Rows: 1}, {At: 6, Rows: 2}},
			some(names(7), 0, 5, 1, 2, 3, 4, 6, 7),
			[]checksum.Span{{From: 1, To: 2}, {From: 6, To: 8}},
			"C12",
			map[string]string{"G9": "D12+1", "H4": "D6", b.Other + "!A1": b.Sheet + "!D12"},
		},
	} {
		t.Run(test.fact, func(t *testing.T) {
			block := around(t, b, b.numbered(i))
			b.Editor.SetFormula(t, b.Other, "A2", "COUNTA("+b.Sheet+"!D5:D8)", checksum.Num(0))
			s := open(t, b)
			p := hostPatch(block, s.read(block, test.after.Extent()), test.after, test.rows...)
			p.Shifts = test.shifts
			s.write(p)
			v := read(t, b, block, checksum.Extent{})
			holds(t, v, test.after)
			if !v.Marked || v.Anchor != anchor || v.Extent != test.after.Extent() {
				t.Errorf("at %s, marked %t, %+v", v.Anchor, v.Marked, v.Extent)
			}
			wantCell(t, b, b.Sheet, test.total, checksum.Str("Total"), "")
			wantFormulas(t, b, test.want)
			b.Editor.DeleteRows(t, b.Sheet, 1, 40)
		})
	}
}

// growBoth grows two blocks with totals, one below the other, at their ends.
func growBoth(t *testing.T, b Book) {
	if !b.Host.CanShift() {
		t.Skip("the host shifts no cells")
	}
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("low", b.Sheet, 9, 2)}, names(2)) // C4:D6, C10:D12
	b.Editor.SetFormula(t, b.Sheet, "D7", "COUNTA(D5:D6)", checksum.Num(0))
	b.Editor.SetFormula(t, b.Sheet, "D13", "COUNTA(D11:D12)", checksum.Num(0))
	s := open(t, b)
	var patches []host.Patch
	for i, v := range s.readAll(wants(blocks)...) {
		p := hostPatch(blocks[i], v, names(4), checksum.Span{From: 3, To: 5})
		p.Shifts = []checksum.Shift{{At: 3, Rows: 2}}
		patches = append(patches, p)
	}
	s.writeAll(patches...)
	for i, row := range []int{3, 11} {
		v := read(t, b, blocks[i], checksum.Extent{})
		holds(t, v, names(4))
		if v.Anchor.Row != row || v.Extent != names(4).Extent() {
			t.Errorf("block %d stands in row %d, %+v, want row %d", i, v.Anchor.Row, v.Extent, row)
		}
	}
	wantFormulas(t, b, map[string]string{"D9": "COUNTA(D5:D8)", "D17": "COUNTA(D13:D16)", "D7": "", "D13": ""})
}

// opensBeside shifts rows over columns in which another block stands beside.
func opensBeside(t *testing.T, b Book) {
	if !b.Host.CanShift() {
		t.Skip("the host shifts no cells")
	}
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("beside", b.Sheet, 4, 5)}, names(4)) // C4:D8, F5:G9
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	p := hostPatch(blocks[0], views[0], names(6), checksum.Span{From: 3, To: 7})
	p.Shifts = []checksum.Shift{{At: 3, Rows: 2}}
	p.FillRight = host.Columns{From: 7, To: 8}
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{p})
	wantClass(t, err, placements.Conflict)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	p.FillRight = host.Columns{}
	s.write(p)
	for i, want := range []*checksum.Grid{names(6), names(4)} {
		holds(t, read(t, b, blocks[i], checksum.Extent{}), want)
	}
}

// formatsNewRows gives each row a number format of its own and inserts rows.
func formatsNewRows(t *testing.T, b Book) {
	if !b.Host.CanShift() {
		t.Skip("the host shifts no cells")
	}
	for i, test := range []struct {
		fact  string
		at    int
		order []int
		want  []string // the formats of rows 4 on
	}{
		{"at the end", 5, []int{0, 1, 2, 3, 4, 5, 6}, []string{"0%", "0.0", "0.00", "0.000", "0.0000", "0.0000", "0.0000"}},
		{"inside", 3, []int{0, 1, 2, 5, 6, 3, 4}, []string{"0%", "0.0", "0.00", "0.00", "0.00", "0.000", "0.0000"}},
		{"under the header", 1, []int{0, 5, 6, 1, 2, 3, 4}, []string{"0%", "0.0", "0.0", "0.0", "0.00", "0.000", "0.0000"}},
	} {
		t.Run(test.fact, func(t *testing.T) {
			block := place(t, b, b.numbered(i), names(4))
			for i, format := range []string{"0%", "0.0", "0.00", "0.000", "0.0000"} {
				for _, column := range []int{3, 5} {
					b.Editor.SetNumberFormat(t, b.Sheet, placements.Anchor{Row: 3 + i, Column: column}.String(), format)
				}
			}
			s := open(t, b)
			after := some(names(6), test.order...)
			p := hostPatch(block, s.read(block, after.Extent()), after, checksum.Span{From: test.at, To: test.at + 2})
			p.Shifts = []checksum.Shift{{At: test.at, Rows: 2}}
			p.FillRight = host.Columns{From: 5, To: 6}
			s.write(p)
			holds(t, read(t, b, block, checksum.Extent{}), after)
			for i, want := range test.want {
				for _, column := range []int{3, 5} {
					cell := placements.Anchor{Row: 3 + i, Column: column}.String()
					if got := b.Editor.NumberFormat(t, b.Sheet, cell); got != want {
						t.Errorf("%s has number format %q, want %q", cell, got, want)
					}
				}
			}
			b.Editor.DeleteRows(t, b.Sheet, 1, 40)
		})
	}
}

// tellsFollowing counts the formulas that rows gained at the end change: the total, one beside, and one on the other sheet.
func tellsFollowing(t *testing.T, b Book) {
	if !b.Host.CanShift() {
		t.Skip("the host shifts no cells")
	}
	block := around(t, b, b.block())
	s := open(t, b)
	p := hostPatch(block, s.read(block, names(7).Extent()), names(7), checksum.Span{From: 5, To: 8})
	p.Shifts = []checksum.Shift{{At: 5, Rows: 3}}
	state := b.State(t)
	follow, err := s.Session.(host.Follower).Follows(t.Context(), []host.Patch{p})
	if err != nil {
		t.Fatal(err)
	}
	if want := (host.Follow{Formulas: 3, Sheets: 2}); follow != want {
		t.Errorf("got %+v, want %+v", follow, want)
	}
	if b.State(t) != state {
		t.Error("the document changed")
	}
	s.write(p)
	wantFormulas(t, b, map[string]string{"D12": "COUNTA(D5:D11)"})
}
