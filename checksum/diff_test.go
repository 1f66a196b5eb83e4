package checksum

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// rowsOf is a table of one row a letter, each of that many columns.
func rowsOf(letters string, columns int) table {
	var t table
	for _, letter := range letters {
		var row []Cell
		for i := range columns {
			row = append(row, Str(fmt.Sprintf("%c%d", letter, i)))
		}
		t = append(t, row)
	}
	return t
}

func TestDiff(t *testing.T) {
	tests := []struct {
		name       string
		base, ours table
		want       Plan
	}{
		{"lost rows are cleared", rowsOf("abc", 2), rowsOf("a", 2), Plan{Clear: []CellRect{{1, 0, 2, 2}}}},
		{"lost columns are cleared", rowsOf("ab", 3), rowsOf("ab", 1), Plan{
			Rows: []Span{{0, 2}}, Clear: []CellRect{{0, 1, 2, 2}},
		}},
		{"lost rows and columns are cleared", rowsOf("abc", 3), rowsOf("a", 2), Plan{
			Rows: []Span{{0, 1}}, Clear: []CellRect{{0, 2, 1, 1}, {1, 0, 2, 3}},
		}},
		{"the same is nothing", rowsOf("abc", 2), rowsOf("abc", 2), Plan{}},
		{"nothing to nothing is nothing", nil, nil, Plan{}},
		{"everything is new", nil, rowsOf("ab", 2), Plan{Rows: []Span{{0, 2}}}},
		{"everything is gone", rowsOf("ab", 2), nil, Plan{Clear: []CellRect{{0, 0, 2, 2}}}},
		{"rows changed side by side are one span", rowsOf("abcdef", 2), rowsOf("axxdeX", 2), Plan{Rows: []Span{{1, 3}, {5, 6}}}},
		{"a changed last row and new ones are one span", rowsOf("ab", 2), rowsOf("axyz", 2), Plan{Rows: []Span{{1, 4}}}},
		{"a gained column rewrites its rows", rowsOf("ab", 1), rowsOf("ab", 2), Plan{Rows: []Span{{0, 2}}}},
		{"empty rows added need no writing where nothing stood", rowsOf("a", 1), table{rowsOf("a", 1)[0], {}, {Num(1)}, {}}, Plan{
			Rows: []Span{{2, 3}},
		}},
		{"empty rows lost need no clearing where nothing stood", table{{}, {}}, nil, Plan{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Diff(tt.base.grid().Block(), tt.ours.grid().Block())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if got.Empty() != (len(tt.want.Rows)+len(tt.want.Clear) == 0) {
				t.Errorf("Empty() = %v", got.Empty())
			}
		})
	}
}

// apply writes a plan onto cells as a host does: shifts, then the rows of grid over columns, then the rectangles to clear.
func apply(stands table, p Plan, grid *Grid, columns int) table {
	sheet := make(table, len(stands)+400) // a sheet goes on below the block
	for i, row := range stands {
		sheet[i] = append([]Cell(nil), row...)
	}
	for _, m := range p.Moves {
		cut := append(table(nil), sheet[m.From:m.From+m.Rows]...)
		rest := append(append(table(nil), sheet[:m.From]...), sheet[m.From+m.Rows:]...)
		to := m.To
		if to > m.From {
			to -= m.Rows
		}
		sheet = append(append(append(table(nil), rest[:to]...), cut...), rest[to:]...)
	}
	for _, shift := range p.Shifts {
		if shift.Rows > 0 {
			below := append(make(table, shift.Rows), sheet[shift.At:]...)
			sheet = append(sheet[:shift.At:shift.At], below...)
			continue
		}
		sheet = append(sheet[:shift.At:shift.At], sheet[shift.At-shift.Rows:]...)
	}
	for _, span := range p.Rows {
		for i := span.From; i < span.To; i++ {
			sheet = sheet.write(i, columns, grid.Cells(i, nil))
		}
	}
	for _, rect := range p.Clear {
		for i := rect.Row; i < rect.Row+rect.Rows; i++ {
			for k := rect.Column; k < rect.Column+rect.Columns && k < len(sheet[i]); k++ {
				sheet[i][k] = Cell{}
			}
		}
	}
	return sheet
}

// write puts cells into the first columns of row i; those that are missing become empty.
func (t table) write(i, columns int, cells []Cell) table {
	for len(t) <= i {
		t = append(t, nil)
	}
	for len(t[i]) < columns {
		t[i] = append(t[i], Cell{})
	}
	clear(t[i][:columns])
	copy(t[i], cells)
	return t
}

// filledRows are the canonical rows up to the last filled one: what can be seen of a sheet.
func filledRows(rows table) [][]Cell {
	out := canonicalRows(rows)
	for len(out) > 0 && out[len(out)-1] == nil {
		out = out[:len(out)-1]
	}
	return out
}

// someShifts are more than the plans of most tests have.
const someShifts = 256

// diffShift is the plan that shifts rows, which are known by their fingerprints alone.
func diffShift(base, ours Block) Plan { return Means{Shifts: someShifts}.among(base, ours) }

// among is the plan between blocks whose rows are known by their fingerprints alone.
func (by Means) among(base, ours Block) Plan {
	return by.diff(base, len(base.Fingerprints), ours, func() []run {
		return identify(Table{new(Grid), base.Fingerprints}, Table{new(Grid), ours.Fingerprints}, Key{}, nil, nil)
	})
}

// drawTable draws a small table of few different rows of different widths, so that rows repeat, move and vanish.
func drawTable() *rapid.Generator[table] {
	row := rapid.Custom(func(t *rapid.T) []Cell {
		return rapid.SliceOfN(rapid.SampledFrom([]Cell{{}, Num(1), Num(2), Str("a")}), 0, 4).Draw(t, "row")
	})
	return rapid.Map(rapid.SliceOfN(row, 0, 14), func(rows [][]Cell) table { return rows })
}

// drawChanged draws a table that came of another by inserting, deleting, changing and moving rows.
func drawChanged(t *rapid.T, from table, label string) table {
	out := append(table(nil), from...)
	for range rapid.IntRange(0, 5).Draw(t, label+" changes") {
		at := rapid.IntRange(0, len(out)).Draw(t, label+" at")
		other := drawTable().Draw(t, label+" rows")
		switch rapid.IntRange(0, 2).Draw(t, label+" how") {
		case 0:
			out = append(out[:at:at], append(other, out[at:]...)...)
		case 1:
			out = append(out[:at:at], out[min(at+len(other), len(out)):]...)
		default:
			if at < len(out) && len(other) > 0 {
				out = append(append(out[:at:at], other[0]), out[at+1:]...)
			}
		}
	}
	return out
}

func TestAPlanAppliedToTheOldBlockGivesTheNewOne(t *testing.T) {
	plans := map[string]func(base, ours Block) Plan{
		"Diff": Diff, "shifting": diffShift,
		"with few shifts": func(base, ours Block) Plan { return Means{Shifts: 2}.among(base, ours) },
		"moving":          func(base, ours Block) Plan { return Means{Shifts: someShifts, Move: true}.among(base, ours) },
	}
	for name, plan := range plans {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				base := drawTable().Draw(t, "base")
				ours := drawTable().Draw(t, "ours")
				if rapid.Bool().Draw(t, "related") {
					ours = drawChanged(t, base, "ours")
				}
				p := plan(base.grid().Block(), ours.grid().Block())
				if name != "Diff" && len(base) > 0 {
					checkNet(t, p, Means{Shifts: 1}.Takes(len(base), len(ours))-len(base))
				}
				grid := ours.grid()
				if name != "Diff" {
					grid = grid.Padded(Means{Shifts: 1}.Takes(len(base), len(ours)))
				}
				got := apply(base, p, grid, grid.Columns())
				if diff := cmp.Diff(filledRows(ours), filledRows(got)); diff != "" {
					t.Fatalf("plan %+v (-want +got):\n%s", p, diff)
				}
				checkSpans(t, p)
			})
		})
	}
}

// checkNet: the shifts of a plan insert as many rows of cells as its block grows by.
func checkNet(t interface{ Fatalf(string, ...any) }, p Plan, grows int) {
	for _, s := range p.Shifts {
		grows -= s.Rows
	}
	if grows != 0 {
		t.Fatalf("the block grows by %d rows more than %+v shift", grows, p.Shifts)
	}
}

func TestShiftsAreBounded(t *testing.T) {
	var base, ours table
	for i := range 40_000 {
		if ours = append(ours, []Cell{Num(float64(i))}); i%20 > 0 {
			base = append(base, ours[i])
		}
	}
	for _, most := range []int{1, 7, 256, 1999, 2000} {
		p := Means{Shifts: most}.among(base.grid().Block(), ours.grid().Block())
		if n := len(p.Shifts); n == 0 || n > most {
			t.Errorf("%d shifts, want some and %d at most", n, most)
		}
		if exact := most >= 2000; p.Joined == exact || exact != (len(p.Strays) == 0) {
			t.Errorf("%d shifts at most: joined %t, %d strays", most, p.Joined, len(p.Strays))
		}
		checkNet(t, p, len(ours)-len(base))
	}
}

func checkSpans(t *rapid.T, p Plan) {
	end := -1
	for _, span := range p.Rows {
		if span.From <= end || span.To <= span.From {
			t.Fatalf("spans %v are not ascending and apart", p.Rows)
		}
		end = span.To
	}
}

func TestDiffOfEqualRowsWritesNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawTable().Draw(t, "rows")
		if p := Diff(rows.grid().Block(), rows.grid().Block()); !p.Empty() {
			t.Fatalf("plan %+v", p)
		}
	})
}
