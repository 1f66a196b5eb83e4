package checksum

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMove(t *testing.T) {
	rows := counted(1, 200)
	block := func(parts ...[]uint64) BlockRows {
		return BlockRows{slices.Concat([]uint64{7_000}, slices.Concat(parts...)), 1}
	}
	for _, tt := range []struct {
		name       string
		base, ours BlockRows
		want       RowPlan
	}{
		{"nothing moved", block(rows), block(rows), RowPlan{}},
		{
			"rows cut from the top and inserted at the end", block(rows[50:], rows[:50]), block(rows),
			RowPlan{Moves: []RowMove{{From: 151, Rows: 50, To: 1}}},
		},
		{
			"rows cut from the middle", block(rows[:20], rows[60:120], rows[20:60], rows[120:]), block(rows),
			RowPlan{Moves: []RowMove{{From: 81, Rows: 40, To: 21}}},
		},
		{
			"three parts in reverse", block(rows[150:], rows[100:150], rows[:100]), block(rows),
			RowPlan{Moves: []RowMove{{From: 51, Rows: 50, To: 201}, {From: 1, Rows: 50, To: 201}}},
		},
		{"few rows are moved", block(rows[10:20], rows[:9], rows[20:]), block(rows[:9], rows[10:]), RowPlan{
			Moves: []RowMove{{From: 11, Rows: 9, To: 1}},
		}},
		{"a row moved while another is lost", block(rows[:3], rows[9:10], rows[3:6]), block(rows[9:10], rows[:2], rows[3:6]), RowPlan{
			Moves: []RowMove{{From: 4, Rows: 1, To: 1}}, Shifts: []Shift{{4, -1}}, Gone: []int{3},
		}},
		{"rows moved and others inserted", block(rows[50:], rows[:50]), block(rows[:50], counted(900, 10), rows[50:]), RowPlan{
			Moves: []RowMove{{From: 151, Rows: 50, To: 1}}, Shifts: []Shift{{51, 10}}, Rows: []Span{{51, 61}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, diffMove(tt.base, tt.ours)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
	slices.Reverse(rows)
	if plan := diffMove(block(rows), block(counted(1, 200))); len(plan.Moves) > 0 {
		t.Errorf("reversed rows are moved one by one: %+v", plan)
	}
}

// diffMove is the plan that moves rows, which are known by their fingerprints alone.
func diffMove(base, ours BlockRows) RowPlan {
	return Means{Shifts: someShifts, Move: true}.among(base, ours)
}

// TestMovesOfLongRunsGiveWhatTheyPromise cuts blocks of rows and inserts them elsewhere.
func TestMovesOfLongRunsGiveWhatTheyPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours := counted(1, rapid.IntRange(60, 400).Draw(t, "rows"))
		base := slices.Clone(ours[1:])
		for range rapid.IntRange(1, 4).Draw(t, "cuts") {
			n := rapid.IntRange(1, 50).Draw(t, "n")
			from := rapid.IntRange(0, len(base)-n).Draw(t, "from")
			to := rapid.SampledFrom([]int{0, len(base), max(0, from-1), min(len(base), from+n+1)}).Draw(t, "to")
			if to >= from && to <= from+n {
				continue
			}
			base = carried(base, RowMove{From: from, Rows: n, To: to})
		}
		base = append(base, counted(5000, rapid.IntRange(0, 30).Draw(t, "lost"))...)
		base = slices.Insert(base, 0, ours[0])
		plan := diffMove(BlockRows{base, 1}, BlockRows{ours, 1})
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
		if plan.Strays != nil || plan.Anew != nil {
			t.Fatalf("%+v: not every record keeps its cells", plan)
		}
	})
}

// A header that is paired as such is no match of the rows below it.
func TestTheOneRowThatStandsElsewhereIsFound(t *testing.T) {
	if p := matchEqual([]uint64{9, 1, 5}, []uint64{9, 1, 1, 5, 6}, 1); p.toB[2] != 3 {
		t.Errorf("the last row is paired with row %d, want 3", p.toB[2])
	}
}
