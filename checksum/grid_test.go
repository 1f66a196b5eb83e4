package checksum

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// table is a sheet's rectangle as plain cells: the naive model of a Grid.
type table [][]Cell

func (t table) grid() *Grid { return appended(t...) }

func TestGridOfNothing(t *testing.T) {
	for _, g := range []*Grid{{}, new(Builder).Grid(), table{{Num(1)}}.grid().Slice(1, 1)} {
		if g.Extent() != (Extent{}) || g.Size() != 0 || g.Crop(Extent{9, 9}).Rows() != 0 {
			t.Errorf("a table of nothing has extent %+v, size %d", g.Extent(), g.Size())
		}
	}
}

func TestRowIsTheEncodingBetweenItsNeighbours(t *testing.T) {
	rows := table{{Num(1)}, {}, {Str("a"), Bool(true)}}
	g := rows.grid()
	var all []byte
	for i := range g.Rows() {
		all = append(all, g.Row(i)...)
	}
	if len(all) != g.Size() {
		t.Errorf("rows have %d bytes, the table %d", len(all), g.Size())
	}
	if !bytes.Equal(g.Row(1), []byte{0}) {
		t.Errorf("row 1 is %x, want the empty row", g.Row(1))
	}
	if row := g.Row(0); cap(row) != len(row) {
		t.Error("appending to a row would write over the next")
	}
}

func TestCellsAppendsToWhatIsThere(t *testing.T) {
	g := table{{Num(1), {}, Str("x")}}.grid()
	want := []Cell{Bool(true), Num(1), {}, Str("x")}
	if diff := cmp.Diff(want, g.Cells(0, []Cell{Bool(true)})); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func TestDecodingCostsNoAllocation(t *testing.T) {
	g := table{{Num(1), Str("a text"), Bool(true), Err("#N/A")}}.grid()
	dst := make([]Cell, 0, 4)
	if n := testing.AllocsPerRun(100, func() { dst = g.Cells(0, dst[:0]) }); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func TestCropAndSliceAgreeWithPlainTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(rapid.SliceOfN(drawRow(), 0, 40).Draw(t, "rows"))
		g := rows.grid()
		plain := decoded(g)
		from := rapid.IntRange(0, len(rows)).Draw(t, "from")
		to := rapid.IntRange(from, len(rows)).Draw(t, "to")
		sameTable(t, g.Slice(from, to), plain[from:to])

		size := Extent{rapid.IntRange(0, 45).Draw(t, "rows"), rapid.IntRange(0, 14).Draw(t, "columns")}
		sameTable(t, g.Crop(size), cropped(plain, size))
	})
}

func TestSliceAcrossPages(t *testing.T) {
	var rows table
	for i := range 3000 {
		rows = append(rows, []Cell{Num(float64(i)), Str("to fill some pages of the table")})
	}
	g := rows.grid()
	if len(g.pages) < 4 {
		t.Fatalf("only %d pages", len(g.pages))
	}
	inner := g.Slice(100, 2900)
	if diff := cmp.Diff(decoded(inner.Slice(50, 2750)), [][]Cell(rows[150:2850])); diff != "" {
		t.Errorf("a slice of a slice (-got +want):\n%s", diff)
	}
	if want := rows[150:2850].grid().Checksum(); !inner.Slice(50, 2750).Checksum().Equal(want) {
		t.Error("a slice's checksum is not that of its rows")
	}
}

func cropped(rows [][]Cell, size Extent) [][]Cell {
	rows = rows[:min(size.Rows, len(rows))]
	var out [][]Cell
	for _, row := range rows {
		out = append(out, row[:min(size.Columns, len(row))])
	}
	return canonicalRows(out)
}

// sameTable checks a grid against its cells in every respect that does not show in them.
func sameTable(t *rapid.T, g *Grid, want [][]Cell) {
	t.Helper()
	built := table(want).grid()
	if g.Extent() != built.Extent() || g.Size() != built.Size() {
		t.Fatalf("extent %+v of %d bytes, want %+v of %d", g.Extent(), g.Size(), built.Extent(), built.Size())
	}
	if diff := cmp.Diff(built.Block().Fingerprints, g.Block().Fingerprints); diff != "" {
		t.Fatalf("fingerprints (-want +got):\n%s", diff)
	}
	for i := range want {
		if !bytes.Equal(g.Row(i), built.Row(i)) {
			t.Fatalf("row %d is %x, want %x", i, g.Row(i), built.Row(i))
		}
	}
}
