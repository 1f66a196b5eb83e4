package checksum

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDiffMove(t *testing.T) {
	rows := counted(1, 200)
	block := func(parts ...[]uint64) Block { return Block{slices.Concat(parts...), 1} }
	for _, tt := range []struct {
		name       string
		base, ours Block
		want       Plan
	}{
		{"nothing moved", block(rows), block(rows), Plan{}},
		{
			"rows cut from the top and inserted at the end", block(rows[50:], rows[:50]), block(rows),
			Plan{Moves: []Move{{From: 150, Rows: 50, To: 0}}},
		},
		{
			"rows cut from the middle", block(rows[:20], rows[60:120], rows[20:60], rows[120:]), block(rows),
			Plan{Moves: []Move{{From: 80, Rows: 40, To: 20}}},
		},
		{
			"three parts in reverse", block(rows[150:], rows[100:150], rows[:100]), block(rows),
			Plan{Moves: []Move{{From: 50, Rows: 50, To: 200}, {From: 0, Rows: 50, To: 200}}},
		},
		{"few rows are rewritten", block(rows[10:20], rows[:10], rows[20:]), block(rows), Plan{Rows: []Span{{0, 20}}}},
		{"rows moved and others inserted", block(rows[50:], rows[:50]), block(rows[:50], counted(900, 10), rows[50:]), Plan{
			Moves: []Move{{From: 150, Rows: 50, To: 0}}, Shifts: []Shift{{50, 10}}, Rows: []Span{{50, 60}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, DiffMove(tt.base, tt.ours)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
	slices.Reverse(rows)
	if plan := DiffMove(block(rows), block(counted(1, 200))); len(plan.Moves) > 0 {
		t.Errorf("reversed rows are moved one by one: %+v", plan)
	}
}

// TestMovesOfLongRunsGiveWhatTheyPromise cuts blocks of rows and inserts them elsewhere.
func TestMovesOfLongRunsGiveWhatTheyPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours := counted(1, rapid.IntRange(60, 400).Draw(t, "rows"))
		base := slices.Clone(ours)
		for range rapid.IntRange(1, 4).Draw(t, "cuts") {
			n := rapid.IntRange(1, 50).Draw(t, "n")
			from := rapid.IntRange(0, len(base)-n).Draw(t, "from")
			to := rapid.SampledFrom([]int{0, len(base), max(0, from-1), min(len(base), from+n+1)}).Draw(t, "to")
			if to >= from && to <= from+n {
				continue
			}
			base = Move{From: from, Rows: n, To: to}.apply(base)
		}
		base = append(base, counted(5000, rapid.IntRange(0, 30).Draw(t, "lost"))...)
		plan := DiffMove(Block{base, 1}, Block{ours, 1})
		checkNet(t, plan, len(ours)-len(base))
		sheet := make(table, len(base))
		for i, v := range base {
			sheet[i] = []Cell{Num(float64(v))}
		}
		grid := make(table, len(ours))
		for i, v := range ours {
			grid[i] = []Cell{Num(float64(v))}
		}
		if diff := cmp.Diff(filledRows(grid), filledRows(apply(sheet, plan, grid.grid(), 1))); diff != "" {
			t.Fatalf("%+v (-want +got):\n%s", plan, diff)
		}
		if plan.cost() > DiffShift(Block{base, 1}, Block{ours, 1}).cost() {
			t.Fatalf("moving costs %d, shifting less", plan.cost())
		}
	})
}

// A header that is paired as such is no match of the rows below it.
func TestTheOneRowThatStandsElsewhereIsFound(t *testing.T) {
	if p := matchEqual([]uint64{9, 1, 5}, []uint64{9, 1, 1, 5, 6}, 1); p.toB[2] != 3 {
		t.Errorf("the last row is paired with row %d, want 3", p.toB[2])
	}
}
