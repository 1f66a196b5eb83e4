package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/plan"
	"mooring/storage/record"
	"mooring/storage/work"
)

// column is a grid of one column.
func column(values ...string) *checksum.Grid {
	var b checksum.Builder
	for _, v := range values {
		b.Append(checksum.Str(v))
	}
	return b.Grid()
}

// piped is a table of texts, a row each, its cells parted by |.
func piped(rows ...string) *checksum.Grid {
	var b checksum.Builder
	for _, row := range rows {
		var cells []checksum.Cell
		for _, text := range strings.Split(row, "|") {
			cells = append(cells, checksum.Str(text))
		}
		b.Append(cells...)
	}
	return b.Grid()
}

// TestAttemptsThatDieOneAfterTheOther lets attempts die before and after their writes, each with another result: none takes the rows or the
// columns of an earlier one for edited by hand.
func TestAttemptsThatDieOneAfterTheOther(t *testing.T) {
	p := placements.Placement{
		ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", QueryChecksum: "q",
		RefreshedAt: "2026-03-01T07:00:00.000Z",
	}
	stands := column("head", "a", "b")
	var kept work.Rows
	var err error
	kept.Completed, err = encodeMemory(p, plan.Memory{Rows: stands.Block(), Header: stands.Cells(0, nil)}, outside{}, origin{})
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
		{piped("head|more", "k|1", "l|2"), true},
		{piped("head|others", "k|3", "l|4"), false},
		{column("head", "k", "l"), false},
		{piped("head|most", "k|5"), true},
		{piped("most|more|head", "5|1|k"), true},
		{column("head", "m"), false},
		{column("head", "n"), false},
	} {
		last, err := lastWritten(p, kept, 1, "run")
		must(t, err)
		view := plan.View{Marked: last.marked, Extent: stands.Extent(), Cells: stands, Sheet: "S"}
		changes, fault := plan.Decide(plan.Input{
			Last: last.Last, View: view, Ours: attempt.result, Block: attempt.result.Block(), OnEdit: placements.Stop,
		})
		if fault != nil {
			t.Fatalf("attempt %d: %s", i+1, fault.Message)
		}
		kept.Begun, err = encodeWriteAhead(p, changes, nil, "run", outside{}, origin{})
		must(t, err)
		if attempt.writes {
			stands = attempt.result
		}
		if stands.Columns() > last.Reach().Union(attempt.result.Extent()).Columns {
			t.Errorf("attempt %d: a block of %d columns reaches to %+v", i+1, stands.Columns(), last.Reach())
		}
	}
}

func TestFormatsOfAFirstWriteThatWasNotCompletedAreKnown(t *testing.T) {
	p := placements.Placement{ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1"}
	changes := plan.Changes{Memory: plan.Memory{Rows: column("day", "1").Block(), Formats: []string{"yyyy-mm-dd"}}}
	begun, err := encodeWriteAhead(p, changes, nil, "run", outside{}, origin{})
	must(t, err)
	last, err := lastWritten(p, work.Rows{Begun: begun}, 1, "run")
	must(t, err)
	if diff := cmp.Diff(changes.Memory.Formats, last.Formats); diff != "" {
		t.Errorf("formats (-want +got):\n%s", diff)
	}
}

// TestWhatIsKnownOfTheLastWrite has a row for each case of lastWritten. The agent's write was of two rows, the one begun since of three,
// what an add-in reported of four.
func TestWhatIsKnownOfTheLastWrite(t *testing.T) {
	p := placements.Placement{
		ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", EndResultCell: "A4", QueryChecksum: "q",
		RefreshedAt: "2026-03-01T07:00:00.000Z",
	}
	memoryOf := func(g *checksum.Grid, format string) plan.Memory {
		return plan.Memory{Rows: g.Block(), Formats: []string{format}}
	}
	completed, err := encodeMemory(p, memoryOf(column("head", "a"), "0"), outside{}, origin{})
	must(t, err)
	begun, err := encodeWriteAhead(p, plan.Changes{
		Memory: memoryOf(column("head", "a", "b"), "0.0"), Overwritten: []plan.OverwrittenRow{{Row: 2}},
	}, &record.BlockChange{RunID: "run"}, "run", outside{}, origin{})
	must(t, err)
	moved, rewritten, unwritten := p, p, p
	moved.AnchorCell, moved.EndResultCell = "B1", "B4"
	rewritten.RefreshedAt = "2026-03-02T07:00:00.000Z"
	unwritten.QueryChecksum, unwritten.RefreshedAt = "", ""
	write := p.LastWrite()
	told, toldFirst := rewritten, rewritten
	told.EndResultCell, told.Base = "Z99", &placements.Base{Kept: &write}
	toldFirst.Base = &placements.Base{Kept: &placements.Write{}}
	both := work.Rows{Completed: completed, Begun: begun}
	for _, tt := range []struct {
		name        string
		p           placements.Placement
		kept        work.Rows
		run         string
		rows        int // of the last write
		completed   bool
		begun       bool
		marked      bool
		format      string
		overwritten int
		change      bool
	}{
		{name: "nothing was written", p: unwritten},
		{name: "an add-in wrote", p: p, rows: 4},
		{name: "the agent wrote last", p: p, kept: work.Rows{Completed: completed}, rows: 2, completed: true, marked: true, format: "0"},
		{name: "an add-in wrote after it", p: rewritten, kept: work.Rows{Completed: completed}, rows: 4, marked: true},
		{name: "a reader told so after it", p: told, kept: work.Rows{Completed: completed}, rows: 2, completed: true, marked: true, format: "0"},
		{name: "a reader told so of what was never written", p: toldFirst},
		{name: "an add-in moved it", p: moved, kept: both, rows: 4},
		{name: "a first write was begun", p: unwritten, kept: work.Rows{Begun: begun}, begun: true, marked: true, format: "0.0", overwritten: 1},
		{
			name: "another run began a write since", p: p, kept: both, run: "other", rows: 2, completed: true, begun: true, marked: true,
			format: "0", overwritten: 1,
		},
		{
			name: "the same run began a write since", p: p, kept: both, run: "run", rows: 2, completed: true, begun: true, marked: true,
			format: "0", overwritten: 1, change: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			last, err := lastWritten(tt.p, tt.kept, 1, tt.run)
			must(t, err)
			if last.Extent.Rows != tt.rows || last.marked != tt.marked || (last.Completed != nil) != tt.completed || (last.Begun != nil) != tt.begun {
				t.Errorf("got %+v", last)
			}
			if (last.change != nil) != tt.change {
				t.Errorf("the change that was begun is %+v", last.change)
			}
			if format := append(last.Formats, "")[0]; format != tt.format || len(last.Overwritten) != tt.overwritten {
				t.Errorf("the format is %q, want %q; overwritten are %+v, want %d rows", format, tt.format, last.Overwritten,
					tt.overwritten)
			}
		})
	}
}

// TestWhoseRowsStand has a row for each reason why what stood in a block is not to be shown to the user on whose behalf it is queried.
func TestWhoseRowsStand(t *testing.T) {
	p := placements.Placement{
		ID: "p", WorkbookID: "book", SheetName: "S", AnchorCell: "A1", QueryChecksum: "q", RefreshedAt: "2026-03-01T07:00:00.000Z",
		RunAs: &placements.RunAs{UID: 7},
	}
	rows := func(uid int64) []byte {
		as := p
		as.RunAs = &placements.RunAs{UID: uid}
		blob, err := encodeMemory(as, plan.Memory{Rows: column("head", "a").Block()}, outside{}, origin{})
		must(t, err)
		return blob
	}
	beside, err := encodeWriteAhead(p, plan.Changes{}, nil, "run", outside{}, origin{Foreign: true})
	must(t, err)
	write := p.LastWrite()
	for _, tt := range []struct {
		name    string
		base    *placements.Base
		kept    work.Rows
		foreign bool
	}{
		{"written for them", nil, work.Rows{Completed: rows(7)}, false},
		{"written for another", nil, work.Rows{Completed: rows(8)}, true},
		{"begun for another", nil, work.Rows{Completed: rows(7), Begun: rows(8)}, true},
		{"begun where another's may stand", nil, work.Rows{Completed: rows(7), Begun: beside}, true},
		{"told by an add-in", nil, work.Rows{}, true},
		{"taken over", &placements.Base{Behalf: 8, Kept: &write}, work.Rows{Completed: rows(8)}, true},
		{"written since, with edits of before", &placements.Base{Behalf: 8}, work.Rows{Completed: rows(7)}, true},
		{"told by another since", &placements.Base{Behalf: 7, Kept: &write}, work.Rows{Completed: rows(7)}, false},
	} {
		p.Base = tt.base
		if last, err := lastWritten(p, tt.kept, 1, "run"); err != nil || last.foreign != tt.foreign {
			t.Errorf("%s: %t, %v, want %t", tt.name, last.foreign, err, tt.foreign)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
