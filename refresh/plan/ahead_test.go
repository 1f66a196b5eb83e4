package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

func TestASheetAheadOfWhatIsRemembered(t *testing.T) {
	remembered, lost := []string{"name|n", "a|1", "b|2", "c|3"}, []string{"name|n", "b|2", "c|4", "d|5"}
	last := writtenAs(grid(remembered...))
	last.Generations = Generations{Completed: 100, Begun: []int64{150}}
	stamped := func(generation int64, rows []string) string {
		g := grid(rows...)
		return newStamp(generation, g.Columns(), g.Block().Fingerprints, nil).String()
	}
	const conflict = "in the block at Data!B3 is neither as the storage has it nor as the report: the storage is behind the sheet"
	for _, tt := range []struct {
		name     string
		sheet    []string
		stamp    string
		ours     []string
		behind   string
		want     []string
		edits    int
		conflict string
	}{
		{name: "as it was written", sheet: lost, stamp: stamped(200, lost), ours: []string{"name|n", "c|7", "e|6"}, want: []string{"name|n", "c|7", "e|6"}},
		{name: "all of it gone from the source", sheet: lost, stamp: stamped(200, lost), ours: []string{"name|n"}, want: []string{"name|n"}},
		{
			name: "other columns", sheet: []string{"name|n|t", "a|1|x", "b|2|y"}, stamp: stamped(200, []string{"name|n|t", "a|1|x", "b|2|y"}),
			ours: []string{"name|t", "a|z"}, want: []string{"name|t", "a|z"},
		},
		{
			name: "a row typed over since", sheet: []string{"name|n", "b|2", "c|typed", "d|5"}, stamp: stamped(200, lost), ours: remembered,
			conflict: "B5:C5 " + conflict,
		},
		{
			name: "a row typed in since", sheet: []string{"name|n", "b|2", "mine|typed", "c|4", "d|5"}, stamp: stamped(200, lost), ours: remembered,
			conflict: "B5:C5 " + conflict,
		},
		{
			name: "a copy of a row", sheet: []string{"name|n", "b|2", "b|2", "c|4", "d|5"}, stamp: stamped(200, lost), ours: remembered,
			conflict: "B5:C5 " + conflict,
		},
		{
			name: "a stamp of other rows", sheet: []string{"name|n", "x|1"}, stamp: stamped(200, lost), ours: remembered, conflict: "B4:C4 " + conflict,
		},
		{
			name: "a write that is remembered", sheet: []string{"name|n", "a|typed", "b|2", "c|3"}, stamp: stamped(100, remembered), ours: remembered,
			want: []string{"name|n", "a|typed", "b|2", "c|3"}, edits: 1,
		},
		{
			name: "a write that was begun", sheet: []string{"name|n", "a|typed", "b|2", "c|3"}, stamp: stamped(150, remembered), ours: remembered,
			want: []string{"name|n", "a|typed", "b|2", "c|3"}, edits: 1,
		},
		{
			name: "an earlier write", sheet: []string{"name|n", "a|typed", "b|2", "c|3"}, stamp: stamped(50, lost), ours: remembered, behind: "now",
			want: []string{"name|n", "a|typed", "b|2", "c|3"}, edits: 1,
		},
		{
			name: "no stamp", sheet: []string{"name|n", "a|typed", "b|2", "c|3"}, stamp: "garbage", ours: remembered,
			want: []string{"name|n", "a|typed", "b|2", "c|3"}, edits: 1,
		},
		{
			name: "no stamp, and a storage that fell back", sheet: []string{"name|n", "a|typed", "b|2", "c|3"}, ours: remembered, behind: "2026-03-02T07:00:00.000Z",
			conflict: "B4:C4 in the block at Data!B3 is neither as the storage has it nor as the report: " +
				"the storage came back at 2026-03-02T07:00:00.000Z without its last seconds",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ours := grid(tt.ours...)
			view := View{Marked: true, Sheet: "Data", Anchor: placements.Anchor{Row: 2, Column: 1}, Cells: grid(tt.sheet...), Stamp: tt.stamp}
			view.Extent = view.Cells.Extent()
			changes, fault := Decide(Input{Last: last, Ours: ours, Block: ours.Block(), OnEdit: placements.Keep, View: view, Behind: tt.behind})
			if tt.conflict != "" {
				if fault == nil || fault.Class != placements.Conflict || !strings.HasPrefix(fault.Message, tt.conflict) {
					t.Fatalf("%v, want a conflict that begins with %q", fault, tt.conflict)
				}
				return
			}
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tt.want, shown(changes.Grid)); diff != "" {
				t.Errorf("the sheet afterwards (-want +got):\n%s", diff)
			}
			if len(changes.Edits) != tt.edits {
				t.Errorf("%d edits, want %d: %+v", len(changes.Edits), tt.edits, changes.Edits)
			}
		})
	}
}

// shown are the rows of a grid without the empty ones at its end.
func shown(g *checksum.Grid) (rows []string) {
	for row := range g.Rows() {
		var cells []string
		for _, c := range g.Cells(row, nil) {
			cells = append(cells, c.Text)
		}
		rows = append(rows, strings.Join(cells, "|"))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// fallible is a block in a sheet, and a storage that loses its last writes now and then.
type fallible struct {
	*testing.T
	*rand.Rand
	source  []string // without the header
	sheet   []string
	stamp   string
	kept    []Last // what the storage had after each write
	typed   int
	touched bool // by a person, since the last write that left nothing of theirs
	clock   int
	lost    int // writes that were lost when the next run came
	doubts  int
}

// TestNoRowOfOursIsTakenForAPersons makes random changes to a source, a sheet and a storage. Where no person was at work, every run leaves
// what the source has and nothing else; where one was, nothing that they typed is lost, and nothing else counts as theirs.
func TestNoRowOfOursIsTakenForAPersons(t *testing.T) {
	lost, doubts := 0, 0
	for seed := range uint64(300) {
		f := &fallible{T: t, Rand: rand.New(rand.NewPCG(seed, 13)), kept: []Last{{}}}
		for range 1 + f.IntN(40) {
			f.source = append(f.source, f.row())
		}
		for range 25 {
			f.step()
			if t.Failed() {
				t.Fatalf("with seed %d", seed)
			}
		}
		lost, doubts = lost+f.lost, doubts+f.doubts
	}
	if lost == 0 || doubts == 0 {
		t.Errorf("%d writes were lost, and %d runs in doubt: the test shows nothing", lost, doubts)
	}
}

func (f *fallible) row() string {
	f.typed++
	return fmt.Sprintf("k%d|v%d|w%d", f.typed, f.IntN(5), f.IntN(5))
}

func (f *fallible) step() {
	for range f.IntN(4) {
		f.changeSource()
	}
	if f.IntN(3) == 0 && len(f.sheet) > 1 {
		f.person()
	}
	if f.IntN(2) == 0 {
		back := f.IntN(min(len(f.kept), 4))
		f.kept = f.kept[:len(f.kept)-back]
		f.lost += back
	}
	f.run()
}

func (f *fallible) changeSource() {
	at := f.IntN(len(f.source) + 1)
	switch {
	case at == len(f.source) || f.IntN(3) == 0:
		f.source = slices.Insert(f.source, at, f.row())
	case f.IntN(2) == 0:
		f.source = slices.Delete(f.source, at, at+1)
	default:
		key, _, _ := strings.Cut(f.source[at], "|")
		f.source[at] = fmt.Sprintf("%s|v%d|w%d", key, f.IntN(5), f.IntN(5))
	}
}

// person types over a cell, inserts a row, deletes one or moves one.
func (f *fallible) person() {
	f.touched = true
	f.typed++
	at := 1 + f.IntN(len(f.sheet)-1)
	switch f.IntN(4) {
	case 0:
		cells := strings.Split(f.sheet[at], "|")
		cells[f.IntN(len(cells))] = fmt.Sprint("typed", f.typed)
		f.sheet[at] = strings.Join(cells, "|")
	case 1:
		f.sheet = slices.Insert(f.sheet, at, fmt.Sprintf("typed%d|x|y", f.typed))
	case 2:
		f.sheet = slices.Delete(f.sheet, at, at+1)
	case 3:
		row := f.sheet[at]
		f.sheet = slices.Insert(slices.Delete(f.sheet, at, at+1), 1+f.IntN(len(f.sheet)-1), row)
	}
}

// run refreshes the block, with overwrite after a conflict.
func (f *fallible) run() {
	ours := grid(append([]string{"key|v|w"}, f.source...)...)
	f.clock++
	in := Input{
		Last: f.kept[len(f.kept)-1], Ours: ours, Block: ours.Block(), OnEdit: placements.Keep, Means: checksum.Means{Shifts: 256},
		Now:  fmt.Sprintf("2026-03-02T%02d:%02d:00.000Z", f.clock/60, f.clock%60),
		View: View{Sheet: "Data", Cells: grid(f.sheet...), Stamp: f.stamp, Marked: len(f.sheet) > 0},
	}
	if in.View.Marked {
		in.View.Extent = in.View.Cells.Extent()
	}
	changes, fault := Decide(in)
	if fault != nil {
		if f.doubts++; !f.touched {
			f.Errorf("where nobody typed: %v", fault)
		}
		in.OnEdit = placements.Overwrite
		if changes, fault = Decide(in); fault != nil {
			f.Fatal(fault)
		}
	} else {
		f.check(shown(changes.Grid), changes)
	}
	f.sheet, f.stamp = shown(changes.Grid), changes.Stamp
	f.touched = len(changes.Edits) > 0
	f.kept = append(f.kept, After(changes.Memory))
}

// check checks what a run leaves.
func (f *fallible) check(after []string, c Changes) {
	if want := append([]string{"key|v|w"}, f.source...); !f.touched && (!slices.Equal(after, want) || len(c.Edits) > 0) {
		f.Errorf("where nobody typed, %d edits, and (-want +got):\n%s", len(c.Edits), cmp.Diff(want, after))
	}
	all := strings.Join(after, "\n") + fmt.Sprint(c.Overwritten)
	for _, word := range strings.FieldsFunc(strings.Join(f.sheet, "|"), func(r rune) bool { return r == '|' }) {
		if strings.HasPrefix(word, "typed") && !strings.Contains(all, word) {
			f.Errorf("%s is gone from:\n%s", word, strings.Join(f.sheet, "\n"))
		}
	}
	left := map[string]int{}
	for _, row := range f.source {
		left[row]++
	}
	for _, row := range after[1:] {
		if left[row]--; left[row] < 0 && !strings.Contains(row, "typed") {
			f.Errorf("%s is neither the source's nor a person's:\n%s", row, strings.Join(f.sheet, "\n"))
		}
	}
}

// The stamp of a block is later than the one that stands, but what a client says of that is not to choose it.
func TestAClaimedStampChoosesNoGeneration(t *testing.T) {
	rows := grid("name|n", "a|1")
	const ahead = int64(1) << 60
	for _, claimed := range []bool{false, true} {
		changes, fault := Decide(Input{
			View: View{
				Marked: true, Sheet: "Data", Extent: rows.Extent(), Cells: rows, Stamp: newStamp(ahead, 2, rows.Block().Fingerprints, nil).String(),
			},
			Claimed: claimed, Ours: grid("name|n", "a|2"), Block: grid("name|n", "a|2").Block(), OnEdit: placements.Overwrite, Asked: true,
			Now: "2026-03-01T07:00:00.000Z",
		})
		if got := changes.Memory.Generation; fault != nil || got > ahead == claimed || got == 0 {
			t.Errorf("claimed %t: generation %d (%v), the sheet says %d", claimed, got, fault, ahead)
		}
	}
}
