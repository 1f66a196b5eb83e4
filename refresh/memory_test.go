package refresh

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/plan"
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

// TestAttemptsThatDieOneAfterTheOther lets attempts die before and after their writes, each with another result: none takes the rows of an
// earlier one for edited by hand.
func TestAttemptsThatDieOneAfterTheOther(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", QueryChecksum: "q", RefreshedAt: "2026-03-01T07:00:00.000Z"}
	stands := column("head", "a", "b")
	var kept storage.Rows
	var err error
	kept.Settled, err = encodeMemory(p, plan.Memory{Rows: stands.Block(), Header: stands.Cells(0, nil)})
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
		last, marked, err := lastWritten(p, kept, 1, "run")
		must(t, err)
		view := plan.View{Marked: marked, Extent: stands.Extent(), Cells: stands, Sheet: "S"}
		changes, fault := plan.Decide(plan.Input{
			Last: last, View: view, Ours: attempt.result, Block: attempt.result.Block(), OnEdit: placements.Stop,
		})
		if fault != nil {
			t.Fatalf("attempt %d: %s", i+1, fault.Message)
		}
		kept.Intended, err = encodeWriteAhead(p, changes, "run")
		must(t, err)
		if attempt.writes {
			stands = attempt.result
		}
	}
}

func TestFormatsOfAFirstWriteThatWasNotCompletedAreKnown(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1"}
	changes := plan.Changes{Memory: plan.Memory{Rows: column("day", "1").Block(), Formats: []string{"yyyy-mm-dd"}}}
	begun, err := encodeWriteAhead(p, changes, "run")
	must(t, err)
	last, _, err := lastWritten(p, storage.Rows{Intended: begun}, 1, "run")
	must(t, err)
	if diff := cmp.Diff(changes.Memory.Formats, last.Formats); diff != "" {
		t.Errorf("formats (-want +got):\n%s", diff)
	}
}
