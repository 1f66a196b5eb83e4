package checksum

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestEncodingOfCells(t *testing.T) {
	tests := []struct {
		name string
		in   []Cell
		want string // hex: decisions.md §8 by hand
	}{
		{"an empty row is a count of zero", nil, "00"},
		{"an empty cell is 00", []Cell{{}, Bool(true)}, "02 00 03"},
		{"a number is 01 and a big-endian double", []Cell{Num(1.5)}, "01 01 3ff8000000000000"},
		{"minus zero is zero", []Cell{Num(math.Copysign(0, -1))}, "01 01 0000000000000000"},
		{"text is 02, its length in bytes, and UTF-8", []Cell{Str("aé")}, "01 02 03 61c3a9"},
		{"true is 03 and false 04", []Cell{Bool(true), Bool(false)}, "02 03 04"},
		{"an error is 05 and its code", []Cell{Err("#N/A")}, "01 05 04 234e2f41"},
		{"NaN is an error", []Cell{Num(math.NaN())}, "01 05 05 234e554d21"},
		{"trailing empty cells and texts do not count", []Cell{Bool(true), {}, Str("")}, "01 03"},
		{"a length of 128 takes two bytes", []Cell{Str(strings.Repeat("x", 128))}, "01 02 8001 " + strings.Repeat("78", 128)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(tt.want, " ", "")
			if got := hex.EncodeToString(appended(tt.in).Row(0)); got != want {
				t.Errorf("appended: %s, want %s", got, want)
			}
			if got := hex.EncodeToString(appendedLater(tt.in).Row(0)); got != want {
				t.Errorf("appended later: %s, want %s", got, want)
			}
			if got := hex.EncodeToString(streamed(tt.in).Row(0)); got != want {
				t.Errorf("streamed: %s, want %s", got, want)
			}
		})
	}
}

func appended(rows ...[]Cell) *Grid {
	var b Builder
	for _, row := range rows {
		b.Append(row...)
	}
	return b.Grid()
}

// appendedLater is a row that finds a page to go into in one go, unlike the first row of a table.
func appendedLater(row []Cell) *Grid {
	return appended([]Cell{Bool(true)}, row).Slice(1, 2)
}

// streamed is appended, cell by cell.
func streamed(rows ...[]Cell) *Grid {
	var b Builder
	for _, row := range rows {
		for i := range row {
			b.cell(&row[i])
		}
		b.EndRow()
	}
	return b.Grid()
}

func TestBuilderMakesCellsCanonical(t *testing.T) {
	long := strings.Repeat("é", 100)
	tests := []struct {
		name string
		in   []Cell
		want []Cell
	}{
		{"empty cells inside stay", []Cell{{}, Num(1)}, []Cell{{}, Num(1)}},
		{"a row may be empty", []Cell{{}, {}}, nil},
		{"infinity is an error", []Cell{Num(math.Inf(1)), Num(math.Inf(-1))}, []Cell{Err(NotANumber), Err(NotANumber)}},
		{"empty text is empty", []Cell{Str(""), Bool(true), Str("")}, []Cell{{}, Bool(true)}},
		{"line ends are LF", []Cell{Str("a\r\nb\rc\n\r\n")}, []Cell{Str("a\nb\nc\n\n")}},
		{"CR in a longer text is LF", []Cell{Str("0123456789abcdef\r0123456789")}, []Cell{Str("0123456789abcdef\n0123456789")}},
		{"a run of invalid bytes is one U+FFFD", []Cell{Str("a\xff\xfeb\xc3")}, []Cell{Str("a\uFFFDb\uFFFD")}},
		{"U+FFFD itself stays", []Cell{Str("\uFFFD\uFFFD")}, []Cell{Str("\uFFFD\uFFFD")}},
		{"overlong UTF-8 is invalid", []Cell{Str("\xc0\xaf")}, []Cell{Str("\uFFFD")}},
		{"text beyond ASCII stays", []Cell{Str("zażółć 🦭"), Str(long)}, []Cell{Str("zażółć 🦭"), Str(long)}},
		{"CR after text beyond ASCII is LF", []Cell{Str("é\r")}, []Cell{Str("é\n")}},
		{"an error may have no code", []Cell{Err("")}, []Cell{Err("")}},
		{"an error's code is canonical text", []Cell{Err("#A\r\n")}, []Cell{Err("#A\n")}},
		{"an unknown kind is empty", []Cell{{Kind: 9}, Num(2)}, []Cell{{}, Num(2)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range []*Grid{appended(tt.in), appendedLater(tt.in), streamed(tt.in)} {
				if diff := cmp.Diff(tt.want, g.Cells(0, nil)); diff != "" {
					t.Errorf("cells (-want +got):\n%s", diff)
				}
				if got := g.Columns(); got != len(tt.want) {
					t.Errorf("columns = %d, want %d", got, len(tt.want))
				}
			}
		})
	}
}

func TestBuilderKeepsRowsOfAnySize(t *testing.T) {
	wide := make([]Cell, 20_000) // a count of three bytes, and more than the first pages hold
	for i := range wide {
		wide[i] = Num(float64(i))
	}
	tests := []struct {
		name string
		rows [][]Cell
	}{
		{"127 cells, then 128", [][]Cell{wide[:127], wide[:128]}},
		{"a row wider than a page", [][]Cell{wide[:1], wide, wide[:2]}},
		{"a text longer than the largest page", [][]Cell{{Str("a")}, {Str(strings.Repeat("b", 2*largestPage))}, {Str("c")}}},
		{"a wide row whose count no longer fits its page", widening()},
		{"only empty rows", [][]Cell{nil, {{}}, nil}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, g := range []*Grid{appended(tt.rows...), streamed(tt.rows...)} {
				if diff := cmp.Diff(canonicalRows(tt.rows), decoded(g)); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// widening ends the first page exactly at the last cell of a row of 128, so that its longer count has no room left.
func widening() [][]Cell {
	truths := make([]Cell, 128)
	for i := range truths {
		truths[i] = Bool(true)
	}
	const before = smallestPage - (1 + 128)
	return [][]Cell{{Str(strings.Repeat("x", before-4))}, truths, truths}
}

// decoded is all cells of a table.
func decoded(g *Grid) [][]Cell {
	rows := make([][]Cell, g.Rows())
	for i := range rows {
		rows[i] = g.Cells(i, nil)
	}
	return rows
}

// canonicalRows drops trailing empty cells.
func canonicalRows(rows [][]Cell) [][]Cell {
	out := make([][]Cell, len(rows))
	for i, row := range rows {
		for len(row) > 0 && row[len(row)-1].Kind == Empty {
			row = row[:len(row)-1]
		}
		if len(row) > 0 {
			out[i] = row
		}
	}
	return out
}

func TestBuilderCountsForLimits(t *testing.T) {
	var b Builder
	b.Append(Num(1), Cell{}, Cell{})
	b.Append(Cell{})
	b.Text("a")
	b.Empty()
	if b.Rows() != 2 || b.Cells() != 6 {
		t.Errorf("rows %d, cells %d; want 2 and 6: empty cells count, the open row does not", b.Rows(), b.Cells())
	}
	if g := b.Grid(); g.Rows() != 3 || g.Columns() != 1 {
		t.Errorf("extent %+v: the open row must be ended", g.Extent())
	}
	if b.Rows() != 0 || b.Grid().Rows() != 0 {
		t.Error("the builder is not empty after Grid")
	}
}

func TestAppendEndsAnOpenRow(t *testing.T) {
	var b Builder
	b.Empty()
	b.Number(1)
	b.Append(Str("x"))
	want := [][]Cell{{{}, Num(1), Str("x")}}
	if diff := cmp.Diff(want, decoded(b.Grid())); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestAppendedAndStreamedRowsAreAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(drawRow(), 0, 50).Draw(t, "rows")
		a, s := appended(rows...), streamed(rows...)
		if diff := cmp.Diff(decoded(a), decoded(s)); diff != "" {
			t.Fatalf("(-appended +streamed):\n%s", diff)
		}
		if !a.Checksum().Equal(s.Checksum()) {
			t.Fatal("checksums differ")
		}
	})
}

// drawRow draws rows of every kind of cell, among them texts that are not canonical.
func drawRow() *rapid.Generator[[]Cell] {
	return rapid.SliceOfN(drawCell(), 0, 12)
}

func drawCell() *rapid.Generator[Cell] {
	return rapid.OneOf(
		rapid.Just(Cell{}),
		rapid.Map(rapid.Float64(), Num),
		rapid.Map(rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1)}), Num),
		rapid.Map(rapid.String(), Str),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(p []byte) Cell { return Str(string(p)) }),
		rapid.Map(rapid.Bool(), Bool),
		rapid.Map(rapid.SampledFrom([]string{"#N/A", "#DIV/0!", ""}), Err),
	)
}

func TestRowsCostNoAllocation(t *testing.T) {
	row := []Cell{Num(1), Str("some text"), Str("Überfällig"), Bool(true), {}, Err("#N/A"), Str("a\r\nb")}
	var b Builder
	const rows = 20_000
	perRow := testing.AllocsPerRun(1, func() {
		for range rows {
			b.Append(row...)
			b.Int(1 << 60)
			b.Float32(0.1)
			b.Decimal("12.50")
			b.Binary([]byte{1, 2, 3})
			b.UUID([16]byte{})
			b.EndRow()
		}
	}) / (2 * rows)
	if perRow > 0.01 { // a page holds thousands of rows
		t.Errorf("%v allocations a row, want none but the pages", perRow)
	}
}

func TestBuilderSizeIsWhatTheGridTakes(t *testing.T) {
	var b Builder
	for i := range 5000 {
		b.Append(Num(float64(i)), Str(strings.Repeat("x", i%700)), Cell{}, Str("end"))
	}
	if got, want := b.Size(), b.Grid().Size(); got != want {
		t.Errorf("%d bytes while it is built, %d in the end", got, want)
	}
	if b.Size() != 0 {
		t.Errorf("an empty builder has %d bytes", b.Size())
	}
}
