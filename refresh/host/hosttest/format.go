package hosttest

import (
	"testing"

	"mooring/checksum"
	"mooring/placements"
)

// inserted are rows inserted into a block of four rows, each with a number format of its own.
type inserted struct {
	fact  string
	at    int
	order []int
	want  []string // the formats of rows 4 on
}

// formatCases insert rows, which have the formats of the row above; under the header, where they would look like headings, those of the
// row below.
func formatCases() (list []testCase) {
	for _, f := range []inserted{
		{"at the end", 5, []int{0, 1, 2, 3, 4, 5, 6}, []string{"0%", "0.0", "0.00", "0.000", "0.0000", "0.0000", "0.0000"}},
		{"inside", 3, []int{0, 1, 2, 5, 6, 3, 4}, []string{"0%", "0.0", "0.00", "0.00", "0.00", "0.000", "0.0000"}},
		{"under the header", 1, []int{0, 5, 6, 1, 2, 3, 4}, []string{"0%", "0.0", "0.0", "0.0", "0.00", "0.000", "0.0000"}},
	} {
		list = append(list, testCase{"new rows have the formats of those beside them " + f.fact, f.run})
	}
	return list
}

func (f inserted) run(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	block := place(t, b, b.block(), names(4))
	columns := []int{3, 5} // of the block, and behind it
	cell := func(row, column int) string { return placements.Anchor{Row: 3 + row, Column: column}.String() }
	for row, format := range []string{"0%", "0.0", "0.00", "0.000", "0.0000"} {
		for _, column := range columns {
			b.Editor.SetNumberFormat(t, b.Sheet, cell(row, column), format)
		}
	}
	s := open(t, b)
	after := some(names(6), f.order...)
	p := hostPatch(block, s.read(block, after.Extent()), after, checksum.Span{From: f.at, To: f.at + 2})
	p.Shifts = []checksum.Shift{{At: f.at, Rows: 2}}
	p.FillRight = checksum.Span{From: 5, To: 6}
	s.write(p)
	holds(t, read(t, b, block, checksum.Extent{}), after)
	for row, want := range f.want {
		for _, column := range columns {
			if got := b.Editor.NumberFormat(t, b.Sheet, cell(row, column)); got != want {
				t.Errorf("%s has number format %q, want %q", cell(row, column), got, want)
			}
		}
	}
}
