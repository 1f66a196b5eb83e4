package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// column is a grid of one column.
func column(values ...string) *checksum.Grid {
	var b checksum.Builder
	for _, v := range values {
		b.Append(checksum.Str(v))
	}
	return b.Grid()
}

// TestRowsOfAnIncompleteWriteAreOurs takes a block that was completed as "head a b", an attempt that died when it was about to write
// something else, and what stands there now; edited are the rows of the sheet that a person must have changed.
func TestRowsOfAnIncompleteWriteAreOurs(t *testing.T) {
	completed := column("head", "a", "b")
	for _, tt := range []struct {
		name      string
		completed *checksum.Grid
		begun     *checksum.Grid
		stands    *checksum.Grid
		extent    int // rows, by the marker
		edited    []int
	}{
		{name: "the write did not happen", completed: completed, begun: column("head", "x", "y"), stands: completed, extent: 3},
		{name: "it did", completed: completed, begun: column("head", "x", "y"), stands: column("head", "x", "y"), extent: 3},
		{
			name: "it did, and the block grew", completed: completed, begun: column("head", "x", "y", "z"),
			stands: column("head", "x", "y", "z"), extent: 4,
		},
		{name: "it did, and the block shrank", completed: completed, begun: column("head", "x"), stands: column("head", "x"), extent: 2},
		{name: "it did in part", completed: completed, begun: column("head", "x", "y"), stands: column("head", "x", "b"), extent: 3},
		{
			name: "it did, and a person edited a row then", completed: completed, begun: column("head", "x", "y"),
			stands: column("head", "x", "mine"), extent: 3, edited: []int{3},
		},
		{
			name: "it did not, and a person edited a row", completed: completed, begun: column("head", "x", "y"),
			stands: column("head", "mine", "b"), extent: 3, edited: []int{2},
		},
		{name: "the first write of all", begun: column("head", "x"), stands: column("head", "x"), extent: 2},
		{
			name: "the first write of all, edited since", begun: column("head", "x"), stands: column("head", "mine"), extent: 2,
			edited: []int{2},
		},
		{
			name: "without a begun write an edit is an edit", completed: completed, stands: column("head", "x", "b"), extent: 3,
			edited: []int{2},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var last Last
			if tt.completed != nil {
				last = writtenAs(tt.completed)
			}
			if tt.begun != nil {
				last.Begun = []checksum.Baseline{*writtenAs(tt.begun).Completed}
			}
			ours := column("head", "new", "newer")
			in := Input{Last: last, Ours: ours, Block: ours.Block(), OnEdit: placements.Keep}
			in.View = View{Marked: true, Extent: checksum.Extent{Rows: tt.extent, Columns: 1}, Cells: tt.stands}
			plan, fault := Decide(in)
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tt.edited, plan.EditedRows); diff != "" {
				t.Errorf("edited rows (-want +got):\n%s", diff)
			}
			if plan.Returned > 0 {
				t.Errorf("%d rows count as deleted", plan.Returned)
			}
		})
	}
}

// A copy of a row that a person put there stays, whatever writes were lost before.
func TestACopyOfARowIsAPersonsThoughWritesWereLost(t *testing.T) {
	last := writtenAs(column("head", "a", "b", "c"))
	last.Begun = []checksum.Baseline{*writtenAs(column("head", "a", "c")).Completed, *writtenAs(column("head", "a", "b", "c", "e")).Completed}
	stands, ours := column("head", "a", "b", "b", "c"), column("head", "a", "b", "c", "d")
	in := Input{Last: last, Ours: ours, Block: ours.Block(), OnEdit: placements.Keep}
	in.View = View{Marked: true, Extent: stands.Extent(), Cells: stands}
	plan, fault := Decide(in)
	if fault != nil {
		t.Fatal(fault)
	}
	if plan.Grid.Rows() != 6 || len(plan.Edits) == 0 {
		t.Errorf("the block has %d rows, %d of them with edits", plan.Grid.Rows(), len(plan.Edits))
	}
}

// What stands beside the block is not in its way though a write that did not come there was wider.
func TestAnOlderWiderWriteThatDidNotComeMakesNoConflict(t *testing.T) {
	ours := grid("name|n", "a|1", "b|2")
	in := Input{Ours: ours, Block: ours.Block(), OnEdit: placements.Keep, View: View{Sheet: "S", Cells: grid("", "||||note")}}
	in.Last.Begun = []checksum.Baseline{*writtenAs(grid("name|n", "a|0")).Completed, *writtenAs(grid("name|n|m|o|p", "a|1|1|1|1")).Completed}
	if _, fault := Decide(in); fault != nil {
		t.Error(fault)
	}
}
