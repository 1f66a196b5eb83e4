package host

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

// TestLinesAreRowsOneByOne compares with a list that has a number for each row.
func TestLinesAreRowsOneByOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		before := 1 + random.IntN(8)
		var rows []int
		for i := range before {
			rows = append(rows, i)
		}
		var moves []checksum.RowMove
		for range random.IntN(3) {
			m := checksum.RowMove{From: random.IntN(before), To: random.IntN(before + 1)}
			if m.Rows = 1 + random.IntN(before-m.From); m.To > m.From && m.To < m.From+m.Rows {
				continue // into itself
			}
			moves = append(moves, m)
			cut := slices.Clone(rows[m.From : m.From+m.Rows])
			rows = slices.Delete(rows, m.From, m.From+m.Rows)
			to := m.To
			if to > m.From {
				to -= m.Rows
			}
			rows = slices.Insert(rows, to, cut...)
		}
		var shifts []checksum.Shift
		for range random.IntN(4) {
			at := random.IntN(len(rows) + 1)
			n := random.IntN(4) + 1
			if gone := min(n, len(rows)-at); random.IntN(2) == 0 && gone > 0 {
				shifts = append(shifts, checksum.Shift{At: at, Rows: -gone})
				rows = slices.Delete(rows, at, at+gone)
				continue
			}
			shifts = append(shifts, checksum.Shift{At: at, Rows: n})
			rows = slices.Insert(rows, at, slices.Repeat([]int{-1}, n)...)
		}
		now := random.IntN(12)
		for len(rows) < now {
			rows = append(rows, -1)
		}
		rows = rows[:now]

		p := Patch{Moves: moves, Shifts: shifts, Extent: checksum.Extent{Rows: now}}
		list := p.Lines(before)
		gained, first, was, at := make([]bool, now), 0, -1, -1
		for _, s := range list.Gained() {
			for row := s.From; row < s.To; row++ {
				gained[row] = true
			}
		}
		for i, row := range rows {
			if gained[i] != (row < 0) {
				t.Fatalf("%d rows after %+v, then %d: row %d gained %t", before, shifts, now, i, gained[i])
			}
			if row > was {
				was, at = row, i
			}
			if row > 0 && first == 0 {
				first = row
			}
		}
		if got, ok := list.First(); got != first || ok != (first > 0) {
			t.Fatalf("%d rows after %+v, then %d: first %d, %t, want %d", before, shifts, now, got, ok, first)
		}
		gotWas, gotAt := list.Last()
		if diff := cmp.Diff([]int{was, at}, []int{gotWas, gotAt}); diff != "" {
			t.Fatalf("%d rows after %+v, then %d: last (-want +got):\n%s", before, shifts, now, diff)
		}
	}
}
