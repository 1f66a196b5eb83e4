package refresh

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/storage"
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
	settled := column("head", "a", "b")
	for _, tt := range []struct {
		name     string
		settled  *checksum.Grid
		intended *checksum.Grid
		stands   *checksum.Grid
		extent   int // rows, by the marker
		edited   []int
	}{
		{name: "the write did not happen", settled: settled, intended: column("head", "x", "y"), stands: settled, extent: 3},
		{name: "it did", settled: settled, intended: column("head", "x", "y"), stands: column("head", "x", "y"), extent: 3},
		{name: "it did, and the block grew", settled: settled, intended: column("head", "x", "y", "z"), stands: column("head", "x", "y", "z"), extent: 4},
		{name: "it did, and the block shrank", settled: settled, intended: column("head", "x"), stands: column("head", "x"), extent: 2},
		{name: "it did in part", settled: settled, intended: column("head", "x", "y"), stands: column("head", "x", "b"), extent: 3},
		{
			name: "it did, and a person edited a row then", settled: settled, intended: column("head", "x", "y"),
			stands: column("head", "x", "mine"), extent: 3, edited: []int{3},
		},
		{
			name: "it did not, and a person edited a row", settled: settled, intended: column("head", "x", "y"),
			stands: column("head", "mine", "b"), extent: 3, edited: []int{2},
		},
		{name: "the first write of all", intended: column("head", "x"), stands: column("head", "x"), extent: 2},
		{name: "the first write of all, edited since", intended: column("head", "x"), stands: column("head", "mine"), extent: 2, edited: []int{2}},
		{name: "without an intent an edit is an edit", settled: settled, stands: column("head", "x", "b"), extent: 3, edited: []int{2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w written
			if tt.settled != nil {
				w = writtenAs(tt.settled)
			}
			if tt.intended != nil {
				w.begun = writtenAs(tt.intended).done
			}
			ours := column("head", "new", "newer")
			p := planner{last: w, ours: ours, block: ours.Block(), onEdit: Keep}
			p.view = host.View{Marked: true, Extent: checksum.Extent{Rows: tt.extent, Columns: 1}, Cells: tt.stands}
			plan, fault := p.plan()
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

// TestAttemptsThatDieOneAfterTheOther lets attempts die before and after their writes, each with another result: none takes the rows of an
// earlier one for edited by hand.
func TestAttemptsThatDieOneAfterTheOther(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", QueryChecksum: "q", RefreshedAt: "2026-03-01T07:00:00.000Z"}
	stands := column("head", "a", "b")
	var kept storage.Rows
	var err error
	kept.Settled, err = encodeStored(p, memory{rows: stands.Block(), header: header(stands)})
	must(t, err)
	for i, attempt := range []struct {
		result *checksum.Grid
		writes bool
	}{
		{column("head", "c", "d"), true},
		{column("head", "e", "f"), false},
		{column("head", "g"), false},
		{column("head", "h", "i", "j"), true},
		{column("head", "k", "l"), true},
	} {
		w, marked, err := lastWritten(p, kept, 1, "run")
		must(t, err)
		view := host.View{Marked: marked, Extent: stands.Extent(), Cells: stands, Sheet: "S"}
		plan, fault := planner{last: w, view: view, ours: attempt.result, block: attempt.result.Block(), onEdit: Stop}.plan()
		if fault != nil {
			t.Fatalf("attempt %d: %s", i+1, fault.Message)
		}
		kept.Intended, err = encodeWriteAhead(p, plan, "run")
		must(t, err)
		if attempt.writes {
			stands = attempt.result
		}
	}
}

func TestFormatsOfAFirstWriteThatWasNotCompletedAreKnown(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1"}
	plan := Plan{memory: memory{rows: column("day", "1").Block(), formats: []string{"yyyy-mm-dd"}}}
	intent, err := encodeWriteAhead(p, plan, "run")
	must(t, err)
	w, _, err := lastWritten(p, storage.Rows{Intended: intent}, 1, "run")
	must(t, err)
	if diff := cmp.Diff(plan.memory.formats, w.formats); diff != "" {
		t.Errorf("formats (-want +got):\n%s", diff)
	}
}
