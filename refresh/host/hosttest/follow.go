package hosttest

import (
	"slices"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// wantFormulas checks the formulas of cells of the block's sheet, Data, and of the other one, Other.
func wantFormulas(t *testing.T, b Spreadsheet, want map[string]string) {
	t.Helper()
	for cell, formula := range want {
		sheet, at := b.Sheet, cell
		if other, ok := strings.CutPrefix(cell, "Other!"); ok {
			sheet, at = b.Other, other
		}
		if _, got := b.Editor.Get(t, sheet, at); got != strings.ReplaceAll(formula, "Data!", b.Sheet+"!") {
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

// around is a block of four rows below its header, with a total below it and formulas of other kinds around.
func around(t *testing.T, b Spreadsheet) host.Block {
	block := place(t, b, b.block(), names(4)) // C4:D8
	zero := checksum.Num(0)
	b.Editor.Set(t, b.Sheet, "C9", checksum.Str("Total"))
	b.Editor.SetFormula(t, b.Sheet, "D9", "COUNTA(D5:D8)", zero)
	b.Editor.SetFormula(t, b.Sheet, "G8", "COUNTA(D$5:D8)", zero)
	b.Editor.SetFormula(t, b.Sheet, "G9", "D9+1", zero)
	b.Editor.SetFormula(t, b.Sheet, "H4", "D5", zero)
	b.Editor.SetFormula(t, b.Other, "A1", b.Sheet+"!D9", zero)
	return block
}

// following is a block of four rows that gains and loses rows, what it holds then, and what becomes of what stands around it.
type following struct {
	fact   string
	shifts []checksum.Shift
	after  *checksum.Grid
	rows   []checksum.Span
	total  string            // the cell that C9 moves to
	want   map[string]string // formulas; the block's sheet is Data, the other one Other
}

// followCases let a block gain and lose rows inside and at its end. What stands below moves, what refers to it follows, and a total
// below counts rows gained at the end, which a running total beside does not.
func followCases() (list []testCase) {
	for _, f := range slices.Concat(gaining(), losing()) {
		list = append(list, testCase{"what stands around a block follows " + f.fact, f.run})
	}
	return list
}

func gaining() []following {
	return []following{
		{
			"rows gained at the end",
			[]checksum.Shift{{At: 5, Rows: 3}},
			names(7),
			[]checksum.Span{{From: 5, To: 8}},
			"C12",
			map[string]string{
				"D12": "COUNTA(D5:D11)", "G8": "COUNTA(D$5:D8)", "G9": "D12+1", "H4": "D5", "Other!A1": "Data!D12", "D9": "",
			},
		},
		{
			"rows gained inside",
			[]checksum.Shift{{At: 3, Rows: 2}},
			some(names(6), 0, 1, 2, 5, 6, 3, 4),
			[]checksum.Span{{From: 3, To: 5}},
			"C11",
			map[string]string{
				"D11": "COUNTA(D5:D10)", "G8": "COUNTA(D$5:D10)", "G9": "D11+1", "Other!A1": "Data!D11",
				"Other!A2": "COUNTA(Data!D5:D10)",
			},
		},
		{
			"a row lost inside and rows gained at the end",
			[]checksum.Shift{{At: 2, Rows: -1}, {At: 4, Rows: 2}},
			some(names(6), 0, 1, 3, 4, 5, 6),
			[]checksum.Span{{From: 4, To: 6}},
			"C10",
			map[string]string{"D10": "COUNTA(D5:D9)", "G9": "D10+1", "Other!A1": "Data!D10"},
		},
		{
			"rows gained under the header and at the end",
			[]checksum.Shift{{At: 1, Rows: 1}, {At: 6, Rows: 2}},
			some(names(7), 0, 5, 1, 2, 3, 4, 6, 7),
			[]checksum.Span{{From: 1, To: 2}, {From: 6, To: 8}},
			"C12",
			map[string]string{"D12": "COUNTA(D5:D11)", "G9": "D12+1", "H4": "D6", "Other!A1": "Data!D12"},
		},
	}
}

func losing() []following {
	return []following{
		{
			"rows lost at the end",
			[]checksum.Shift{{At: 3, Rows: -2}},
			names(2), nil, "C7",
			map[string]string{
				"D7": "COUNTA(D5:D6)", "G8": "COUNTA(D$5:D6)", "G9": "D7+1", "Other!A1": "Data!D7",
				"Other!A2": "COUNTA(Data!D5:D6)",
			},
		},
		{
			"a row lost inside",
			[]checksum.Shift{{At: 2, Rows: -1}},
			some(names(4), 0, 1, 3, 4), nil, "C8",
			map[string]string{
				"D8": "COUNTA(D5:D7)", "G9": "D8+1", "Other!A1": "Data!D8", "Other!A2": "COUNTA(Data!D5:D7)",
			},
		},
		{
			"the first row lost", // to which a formula refers
			[]checksum.Shift{{At: 1, Rows: -1}},
			some(names(4), 0, 2, 3, 4), nil, "C8",
			map[string]string{"D8": "COUNTA(D5:D7)", "H4": "#REF!"},
		},
	}
}

func (f following) run(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := around(t, b)
	b.Editor.SetFormula(t, b.Other, "A2", "COUNTA("+b.Sheet+"!D5:D8)", checksum.Num(0))
	s := open(t, b)
	p := hostPatch(block, s.read(block, f.after.Extent()), f.after, f.rows...)
	p.Shifts = f.shifts
	s.write(p)
	v := read(t, b, block, checksum.Extent{})
	holds(t, v, f.after)
	if !v.Marked || v.Anchor != anchor || v.Extent != f.after.Extent() {
		t.Errorf("at %s, marked %t, %+v", v.Anchor, v.Marked, v.Extent)
	}
	wantCell(t, b, b.Sheet, f.total, checksum.Str("Total"), "")
	wantFormulas(t, b, f.want)
}

// twoTotals are two blocks with totals, one below the other, and patches that let each grow at its end.
func twoTotals(t *testing.T, b Spreadsheet) (blocks []host.Block, s session, patches []host.Patch) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	blocks = placeAll(t, b, []host.Block{b.block(), b.blockAt("low", b.Sheet, 9, 2)}, names(2)) // C4:D6, C10:D12
	b.Editor.SetFormula(t, b.Sheet, "D7", "COUNTA(D5:D6)", checksum.Num(0))
	b.Editor.SetFormula(t, b.Sheet, "D13", "COUNTA(D11:D12)", checksum.Num(0))
	s = open(t, b)
	wanted := wants(blocks)
	for i := range wanted {
		wanted[i].Extent = names(4).Extent()
	}
	for i, v := range s.readAll(wanted...) {
		p := hostPatch(blocks[i], v, names(4), checksum.Span{From: 3, To: 5})
		p.Shifts = []checksum.Shift{{At: 3, Rows: 2}}
		patches = append(patches, p)
	}
	return blocks, s, patches
}

func wantTwoTotals(t *testing.T, b Spreadsheet, blocks []host.Block) {
	t.Helper()
	for i, row := range []int{3, 11} {
		v := read(t, b, blocks[i], checksum.Extent{})
		holds(t, v, names(4))
		if v.Anchor.Row != row || v.Extent != names(4).Extent() {
			t.Errorf("block %d stands in row %d, %+v, want row %d", i, v.Anchor.Row, v.Extent, row)
		}
	}
	wantFormulas(t, b, map[string]string{"D9": "COUNTA(D5:D8)", "D17": "COUNTA(D13:D16)", "D7": "", "D13": ""})
}

func growTogether(t *testing.T, b Spreadsheet) {
	blocks, s, patches := twoTotals(t, b)
	s.writeAll(patches...)
	wantTwoTotals(t, b, blocks)
}

// growApart writes the upper block first, which moves what was read of the lower one.
func growApart(t *testing.T, b Spreadsheet) {
	blocks, s, patches := twoTotals(t, b)
	for _, p := range patches {
		s.write(p)
	}
	wantTwoTotals(t, b, blocks)
}

// opensBeside shifts rows over columns in which another block stands beside.
func opensBeside(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	blocks := placeAll(t, b, []host.Block{b.block(), b.blockAt("beside", b.Sheet, 4, 5)}, names(4)) // C4:D8, F5:G9
	s := open(t, b)
	views := s.readAll(wants(blocks)...)
	p := hostPatch(blocks[0], views[0], names(6), checksum.Span{From: 3, To: 7})
	p.Shifts = []checksum.Shift{{At: 3, Rows: 2}}
	p.FillRight = checksum.Span{From: 7, To: 8}
	state := b.State(t)
	_, err := s.Write(t.Context(), []host.Patch{p})
	wantClass(t, err, placements.Conflict)
	if b.State(t) != state {
		t.Error("the document changed")
	}
	p.FillRight = checksum.Span{}
	s.write(p)
	for i, want := range []*checksum.Grid{names(6), names(4)} {
		holds(t, read(t, b, blocks[i], checksum.Extent{}), want)
	}
}

// tellsFollowing counts the formulas that rows gained at the end change: the total, one beside, and one on the other sheet.
func tellsFollowing(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := around(t, b)
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
