package checksum

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNumbersAreRoundedAsSpreadsheetProgramsKeepThem(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    float64
		want float64
	}{
		{"a third keeps 15 digits", 1.0 / 3, 0.333333333333333},
		{"two thirds round up", 2.0 / 3, 0.666666666666667},
		{"a negative one as its positive", -2.0 / 3, -0.666666666666667},
		{"a sum of decimals becomes the decimal", 0.1 + 0.2, 0.3},
		{"a decimal stays", 12.34, 12.34},
		{"seven decimal places stay", 0.1234567, 0.1234567},
		{"a large integer loses its last digit", 1<<53 - 1, 9007199254740990},
		{"a tie rounds away from zero", 1000000000000.125, 1000000000000.13},
		{"a negative tie too", -1000000000000.125, -1000000000000.13},
		{"the shortest digits are rounded, not the number", 5313137244109.085, 5313137244109.09},
		{"17 digits", 0.094204382942769951, 0.0942043829427700},
		{"digits that carry", 9.999999999999995, 10},
		{"a tiny number stays", 5e-324, 5e-324},
		{"the largest number does not become infinite", math.MaxFloat64, math.MaxFloat64},
	} {
		if got := rounded(tt.v); got != tt.want {
			t.Errorf("%s: %v became %v, want %v", tt.name, tt.v, got, tt.want)
		}
	}
}

func TestWhatIsToldAtOnceNeedsNoRounding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64Range(-1e16, 1e16),
			rapid.Map(rapid.Int64Range(-1e16, 1e16), func(n int64) float64 { return float64(n) / 1e4 })).Draw(t, "v")
		shortest := strconv.FormatFloat(math.Abs(v), 'e', -1, 64)
		digits := strings.IndexByte(shortest, 'e') - strings.Count(shortest, ".")
		if short15(v) && digits > precision {
			t.Fatalf("%v has %d digits", v, digits)
		}
		r := rounded(v)
		if digits <= precision && r != v {
			t.Fatalf("%v became %v", v, r)
		}
		if again := rounded(r); again != r || math.Abs(r-v) > math.Abs(v)*6e-15 {
			t.Fatalf("%v became %v and then %v", v, r, again)
		}
	})
}

// saved is a table as a spreadsheet program leaves it that only saved it.
func saved(rows table) table {
	out := make(table, len(rows))
	for i, row := range rows {
		out[i] = slices.Clone(row)
		for k := range row {
			out[i][k] = row[k].rounded()
		}
	}
	return out
}

func TestASavedTableHasTheFingerprintsThatWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := table(rapid.SliceOfN(drawRow(), 0, 40).Draw(t, "rows"))
		rows = append(rows, []Cell{Str("third"), Num(1.0 / 3)})
		want := rows.grid().Block().Fingerprints
		for _, g := range []*Grid{saved(rows).grid(), appended(saved(rows)...).Crop(Extent{Rows: len(rows), Columns: 20})} {
			if !slices.Equal(want, g.Block().Fingerprints) {
				t.Fatal("the fingerprints differ")
			}
		}
		for i, row := range rows {
			if got := RowFingerprint(row); got != want[i] {
				t.Fatalf("row %d has the fingerprint %x by itself, %x in its table", i, got, want[i])
			}
		}
	})
}

func TestLongNumbersKeepTheirFingerprintsInEveryPage(t *testing.T) {
	var rows table
	for i := range 3000 {
		rows = append(rows, []Cell{Num(float64(i)), Str("to fill some pages of the table"), Num(float64(i) / 3)})
	}
	g, other := rows.grid(), saved(rows).grid()
	if len(g.pages) < 4 {
		t.Fatalf("only %d pages", len(g.pages))
	}
	columns := []int{2, 0}
	for _, pair := range [][2]*Grid{{g, other}, {g.Slice(100, 2900), other.Slice(100, 2900)}, {g.project(columns), other.project(columns)}} {
		if !slices.Equal(pair[0].Block().Fingerprints, pair[1].Block().Fingerprints) {
			t.Error("a table that was only saved has other fingerprints")
		}
	}
	if !slices.Equal(other.Row(1), saved(rows).grid().Row(1)) || slices.Equal(g.Row(1), other.Row(1)) {
		t.Error("rounding changed what a table holds")
	}
}

func TestOnlyWhatAPersonTypedIsAnEditInASavedRow(t *testing.T) {
	source := table{
		{Str("id"), Str("third"), Str("n")},
		{Num(1.0 / 7), Num(1.0 / 3), Num(1)},
		{Num(2.0 / 7), Num(2.0 / 3), Num(2)},
		{Num(3.0 / 7), Num(4.0 / 3), Num(3)},
	}
	theirs := saved(source)
	slices.Reverse(theirs[1:])
	theirs[1][2] = Str("mine")
	theirs[2][2] = Str("mine")
	out := merged(t, written(source), theirs, source)
	for _, p := range out.People {
		if !slices.Equal(p.Columns, []int{2}) {
			t.Errorf("row %d: columns %v are edited, want [2]", p.Row, p.Columns)
		}
	}
	if len(out.People) != 2 {
		t.Errorf("%d rows hold cells of a person, want 2", len(out.People))
	}
	out = merged(t, written(source), theirs, source, "id")
	if len(out.People) != 2 || out.People[0].Ours != 2 || out.People[1].Ours != 3 {
		t.Errorf("by the key, %+v", out.People)
	}
}
