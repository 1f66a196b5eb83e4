package checksum

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// letterRows is a table with two columns of texts; each line has a letter a cell.
func letterRows(rows ...string) Contents {
	var b Builder
	for _, row := range rows {
		for _, cell := range row {
			b.Text(string(cell))
		}
		b.EndRow()
	}
	g := b.Grid()
	return Contents{g, g.Block().Fingerprints}
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after Contents
		most          int
		want          Comparison
	}{
		{"equal tables", letterRows("hh", "ab", "cd"), letterRows("hh", "ab", "cd"), 9, Comparison{}},
		{"nothing stood", letterRows(), letterRows("hh", "ab", "cd"), 9, Comparison{Added: 2, Rows: []RowPair{{-1, 1}, {-1, 2}}}},
		{"more than are wanted", letterRows(), letterRows("hh", "ab", "cd"), 1, Comparison{Added: 2}},
		{"nothing is left", letterRows("hh", "ab"), letterRows("hh"), 9, Comparison{Removed: 1, Rows: []RowPair{{1, -1}}}},
		{"another header", letterRows("hh", "ab"), letterRows("hi", "ab"), 9, Comparison{Changed: 1, Rows: []RowPair{{0, 0}}}},
		{
			"a row of which nothing is left, in its place", letterRows("hh", "ab", "cd", "ef"), letterRows("hh", "ab", "xy", "ef"), 9,
			Comparison{Changed: 1, Rows: []RowPair{{2, 2}}},
		},
		{
			"the row that is most alike is the same", letterRows("hhh", "abc", "uuu"), letterRows("hhh", "xyz", "abq", "uuu"), 9,
			Comparison{Changed: 1, Added: 1, Rows: []RowPair{{-1, 1}, {1, 2}}},
		},
		{
			"rows that are equal are matched as often as both have them", letterRows("hh", "aa", "aa", "bb"), letterRows("hh", "aa", "bb", "aa", "aa"), 9,
			Comparison{Added: 1, Rows: []RowPair{{-1, 4}}, Moved: 1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Compare(tt.before, tt.after, RowKey{}, tt.most)); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCompareAccountsForEveryRow: each row of both tables is equal to one of the other or in one pair.
func TestCompareAccountsForEveryRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := func(name string) (Contents, []string) {
			rows := rapid.SliceOfN(rapid.StringMatching(`[a-c]{2}`), 1, 12).Draw(t, name)
			return letterRows(rows...), rows
		}
		before, old := table("before")
		after, now := table("after")
		var key RowKey
		d := Compare(before, after, key, 100)
		left := map[string]int{}
		gone, come := map[int]bool{0: true}, map[int]bool{0: true}
		for _, p := range d.Rows {
			if p.Before >= 0 && p.After >= 0 && old[p.Before] == now[p.After] {
				t.Errorf("rows %v are equal", p)
			}
			if p.Before > 0 && gone[p.Before] || p.After > 0 && come[p.After] {
				t.Errorf("row of %v is in two pairs", p)
			}
			gone[p.Before], come[p.After] = true, true
		}
		for i, row := range old {
			if !gone[i] {
				left[row]++
			}
		}
		for i, row := range now {
			if !come[i] {
				left[row]--
			}
		}
		for row, n := range left {
			if n != 0 {
				t.Errorf("%q: %d more before than after, beside %v", row, n, d.Rows)
			}
		}
		if d.Changed+d.Added+d.Removed != len(d.Rows) || len(now)-len(old) != d.Added-d.Removed {
			t.Errorf("counts of %+v", d)
		}
	})
}
