package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// besideFormulas puts formulas into F5:F8, beside the rows of a block at C4, and a value beside the last one.
func besideFormulas(t *testing.T, b Book) {
	t.Helper()
	for row := 5; row <= 8; row++ {
		cell := placements.Anchor{Row: row - 1, Column: 3}.String()
		beside := placements.Anchor{Row: row - 1, Column: 5}.String()
		b.Editor.SetFormula(t, b.Sheet, beside, "LEN("+cell+")/$H$1", checksum.Num(0))
	}
	b.Editor.Set(t, b.Sheet, "G8", checksum.Num(7))
}

// filling is a block of four rows that gains rows by shifts, beside which formulas stand.
type filling struct {
	fact   string
	shifts []checksum.Shift
	after  *checksum.Grid
	rows   checksum.Span
	total  string // the cell that F9 moves to
	sum    string // what it then sums
}

// fillCases let a block gain rows at its end, inside, and where its last row goes. Shifts move the formulas beside with their rows.
func fillCases() (list []testCase) {
	for _, f := range []filling{
		{"at the end", []checksum.Shift{{At: 5, Rows: 2}}, names(6), checksum.Span{From: 5, To: 7}, "F11", "SUM(F5:F10)"},
		{"inside", []checksum.Shift{{At: 3, Rows: 1}}, some(names(5), 0, 1, 2, 5, 3, 4), checksum.Span{From: 3, To: 4}, "F10", "SUM(F5:F9)"},
		{
			"inside, where the last row is lost",
			[]checksum.Shift{{At: 4, Rows: -1}, {At: 2, Rows: 2}},
			some(names(5), 0, 1, 4, 5, 2, 3),
			checksum.Span{From: 2, To: 4},
			"F10", "SUM(F5:F9)",
		},
	} {
		list = append(list, testCase{"formulas beside a block are filled down beside rows gained " + f.fact, f.run})
	}
	return list
}

func (f filling) run(t *testing.T, b Book) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := place(t, b, b.block(), names(4)) // C4:D8
	besideFormulas(t, b)
	b.Editor.SetFormula(t, b.Sheet, "F9", "SUM(F5:F8)", checksum.Num(0))
	b.Editor.Set(t, b.Sheet, "I9", checksum.Str("stays"))
	s := open(t, b)
	p := hostPatch(block, s.read(block, f.after.Extent()), f.after, f.rows)
	p.Shifts, p.FillRight = f.shifts, host.Columns{From: 5, To: 7}
	s.write(p)
	holds(t, read(t, b, block, checksum.Extent{}), f.after)
	want := map[string]string{f.total: f.sum}
	for row := 4; row < 3+f.after.Rows(); row++ {
		cell := placements.Anchor{Row: row, Column: 3}.String()
		want[placements.Anchor{Row: row, Column: 5}.String()] = "LEN(" + cell + ")/$H$1"
	}
	wantFormulas(t, b, want)
	wantCell(t, b, b.Sheet, "I9", checksum.Str("stays"), "")
	for row := f.rows.From; row < f.rows.To; row++ {
		wantCell(t, b, b.Sheet, placements.Anchor{Row: 3 + row, Column: 6}.String(), checksum.Cell{}, "")
	}
}

// fillsEmpty lets a block grow over the rows below it, beside which a cell holds something.
func fillsEmpty(t *testing.T, b Book) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := place(t, b, b.block(), names(4))
	besideFormulas(t, b)
	b.Editor.Set(t, b.Sheet, "F10", checksum.Str("mine"))
	s := open(t, b)
	p := hostPatch(block, s.read(block, names(7).Extent()), names(7), checksum.Span{From: 5, To: 8})
	p.FillRight = host.Columns{From: 5, To: 7}
	s.write(p)
	holds(t, read(t, b, block, checksum.Extent{}), names(7))
	wantFormulas(t, b, map[string]string{"F8": "LEN(D8)/$H$1", "F9": "LEN(D9)/$H$1", "F11": "LEN(D11)/$H$1", "F12": ""})
	wantCell(t, b, b.Sheet, "F10", checksum.Str("mine"), "")
	for _, cell := range []string{"G9", "G11"} {
		wantCell(t, b, b.Sheet, cell, checksum.Cell{}, "")
	}
}

// fillsNothing lets a block without rows gain some, beside a heading with a formula, and one lose some without shifts.
func fillsNothing(t *testing.T, b Book) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := place(t, b, b.block(), names(0))
	b.Editor.SetFormula(t, b.Sheet, "F4", "1+1", checksum.Num(2))
	s := open(t, b)
	p := hostPatch(block, s.read(block, names(4).Extent()), names(4), checksum.Span{From: 1, To: 5})
	p.FillRight = host.Columns{From: 5, To: 7}
	s.write(p)
	wantFormulas(t, b, map[string]string{"F4": "1+1", "F5": "", "F8": ""})

	besideFormulas(t, b)
	s = open(t, b)
	p = hostPatch(block, s.read(block, checksum.Extent{}), names(2))
	p.Clear = []checksum.CellRect{{Row: 3, Rows: 2, Columns: 2}}
	p.FillRight = host.Columns{From: 5, To: 7}
	s.write(p)
	wantFormulas(t, b, map[string]string{"F6": "LEN(D6)/$H$1", "F7": "LEN(D7)/$H$1", "F8": "LEN(D8)/$H$1", "F9": ""})
}
