package checksum

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	type result struct {
		Edited, Deleted, Conflicts []int
		Kept                       string // the letters of Kept's rows
	}
	tests := []struct {
		name               string
		base, theirs, ours string // a row a letter; . is an empty row
		want               result
	}{
		{"nobody changed anything", "abc", "abc", "abc", result{Kept: "abc"}},
		{"only the source changed", "abc", "abc", "aBcd", result{Kept: "aBcd"}},
		{"a run that died after its write", "abc", "aBcd", "aBcd", result{Kept: "aBcd"}},
		{"a person's edit stays", "abc", "aXc", "abc", result{Edited: []int{1}, Kept: "aXc"}},
		{"an edit beside a source's change", "abcd", "aXcd", "abcD", result{Edited: []int{1}, Kept: "aXcD"}},
		{"both changed a row", "abc", "aXc", "aBc", result{Edited: []int{1}, Conflicts: []int{1}, Kept: "aXc"}},
		{"both made the same change", "abc", "aBc", "aBc", result{Kept: "aBc"}},
		{"the source dropped an edited row", "abc", "aXc", "ac", result{Edited: []int{1}, Conflicts: []int{1}, Kept: "aXc"}},
		{"a person inserted a row", "abc", "aXbc", "abC", result{Edited: []int{1}, Kept: "aXbC"}},
		{"a person inserted the row that the source did", "abc", "aXbc", "aXbc", result{Kept: "aXbc"}},
		{"both inserted rows in one place", "ab", "aXYb", "aZYb", result{Edited: []int{1}, Kept: "aXZYb"}},
		{"a person deleted a row that the source still has", "abc", "ac", "abC", result{Deleted: []int{1}, Kept: "abC"}},
		{"both deleted a row", "abc", "ac", "ac", result{Kept: "ac"}},
		{"an edit moves with the rows that the source inserted", "abc", "aXc", "12abc", result{Edited: []int{1}, Kept: "12aXc"}},
		{"a row emptied by hand is an edit", "abc", "ab.", "abc", result{Edited: []int{2}, Kept: "ab."}},
		{"empty rows below the block are not the block's", "ab", "ab..", "abc", result{Kept: "abc"}},
		{"empty rows at the end that a host left out", "ab..", "ab", "abc.", result{Kept: "abc."}},
		{"a row typed below the last", "ab", "abX", "ab", result{Edited: []int{2}, Kept: "abX"}},
		{"everything deleted by hand", "abc", "", "abc", result{Deleted: []int{0, 1, 2}, Kept: "abc"}},
		{"everything dropped by the source", "abc", "abX", "", result{Edited: []int{2}, Conflicts: []int{2}, Kept: "X"}},
		{"nothing was written before", "", "X", "ab", result{Edited: []int{0}, Kept: "Xab"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, theirs, ours := lettered(tt.base), lettered(tt.theirs), lettered(tt.ours)
			m := Merge(base.grid().Block(), theirs.grid().Block(), ours.grid().Block())
			got := result{m.Edited, m.Deleted, m.Conflicts, spelled(m.Kept(theirs.grid(), ours.grid()))}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("merged (-want +got):\n%s", diff)
			}
		})
	}
}

func lettered(s string) table {
	rows := rowsOf(s, 1)
	for i := range rows {
		if s[i] == '.' {
			rows[i] = nil
		}
	}
	return rows
}

func spelled(g *Grid) string {
	var s []byte
	for i := range g.Rows() {
		if cells := g.Cells(i, nil); len(cells) > 0 {
			s = append(s, cells[0].Text[0])
		} else {
			s = append(s, '.')
		}
	}
	return string(s)
}

func TestKeepNeverWritesARowThatAPersonEditedInPlace(t *testing.T) {
	base, theirs, ours := lettered("abcdef"), lettered("abXdef"), lettered("ABCDEF")
	m := Merge(base.grid().Block(), theirs.grid().Block(), ours.grid().Block())
	if diff := cmp.Diff(Plan{Rows: []Span{{0, 2}, {3, 6}}}, m.Keep()); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestKeepShiftMovesAnEditedRowWithItsCells(t *testing.T) {
	base := counted(1, 100)
	theirs := slices.Clone(base)
	theirs[50] = 999
	ours := slices.Concat(counted(500, 2), base)
	m := Merge(Block{base, 1}, Block{theirs, 1}, Block{ours, 1})
	if diff := cmp.Diff(Plan{Shifts: []Shift{{0, 2}}, Rows: []Span{{0, 2}}}, m.KeepShift()); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Plan{Shifts: []Shift{{0, 2}}, Rows: []Span{{0, 2}, {52, 53}}}, m.OverwriteShift()); diff != "" {
		t.Errorf("overwriting plan (-want +got):\n%s", diff)
	}
}

func TestKeepLeavesAWideEditedRowWhole(t *testing.T) {
	base := table{{Str("a"), Num(1), Num(2)}, {Str("b"), Num(1), Num(2)}}
	theirs := table{{Str("a"), Num(1), Num(2)}, {Str("b"), Num(1), Str("mine")}}
	ours := table{{Str("a"), Num(1)}, {Str("b"), Num(1)}}
	m := Merge(base.grid().Block(), theirs.grid().Block(), ours.grid().Block())
	kept := m.Kept(theirs.grid(), ours.grid())
	want := table{ours[0], theirs[1]}
	if diff := cmp.Diff([][]Cell(want), decoded(kept)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(filledRows(want), filledRows(apply(theirs, m.Keep(), kept, kept.Columns()))); diff != "" {
		t.Errorf("sheet (-want +got):\n%s", diff)
	}
}

// three are tables that came of one another as a run finds them.
func drawThree(t *rapid.T) (base, theirs, ours table) {
	base = drawTable().Draw(t, "base")
	if rapid.IntRange(0, 9).Draw(t, "unrelated") == 0 {
		return base, drawTable().Draw(t, "theirs"), drawTable().Draw(t, "ours")
	}
	return base, drawChanged(t, base, "theirs"), drawChanged(t, base, "ours")
}

func TestMergedPlansGiveWhatTheyPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, theirs, ours := drawThree(t)
		oursGrid, theirsGrid := ours.grid(), theirs.grid()
		m := Merge(base.grid().Block(), theirsGrid.Block(), oursGrid.Block())
		kept := m.Kept(theirsGrid, oursGrid)
		for _, tt := range []struct {
			name string
			plan Plan
			grid *Grid
		}{
			{"Overwrite", m.Overwrite(), oursGrid},
			{"OverwriteShift", m.OverwriteShift(), oursGrid},
			{"Keep", m.Keep(), kept},
			{"KeepShift", m.KeepShift(), kept},
		} {
			got := apply(theirs, tt.plan, tt.grid, tt.grid.Columns())
			if diff := cmp.Diff(filledRows(decoded(tt.grid)), filledRows(got)); diff != "" {
				t.Fatalf("%s %+v (-want +got):\n%s", tt.name, tt.plan, diff)
			}
		}
		checkKept(t, m, decoded(kept), decoded(theirsGrid), decoded(oursGrid))
	})
}

// checkKept checks that Kept is the edited rows and rows of ours, both in their order, every edited one among them, and ours
// less no more rows than were edited.
func checkKept(t *rapid.T, m Merged, kept, theirs, ours [][]Cell) {
	if !slices.IsSorted(m.Edited) || !slices.IsSorted(m.Deleted) || !slices.IsSorted(m.Conflicts) {
		t.Fatalf("not ascending: %+v", m)
	}
	for _, row := range m.Conflicts {
		if !slices.Contains(m.Edited, row) {
			t.Fatalf("row %d is in conflict but not edited", row)
		}
	}
	var edited []int
	from := 0
	for i, p := range m.rows {
		source := ours
		if p.theirs {
			source = theirs
			edited = append(edited, p.row)
		} else {
			if p.row < from {
				t.Fatalf("row %d of ours comes after row %d", p.row, from)
			}
			from = p.row + 1
		}
		if diff := cmp.Diff(source[p.row], kept[i]); diff != "" {
			t.Fatalf("row %d of kept (-want +got):\n%s", i, diff)
		}
	}
	if !slices.Equal(edited, m.Edited) {
		t.Fatalf("kept rows %v of theirs, edited %v", edited, m.Edited)
	}
	if len(m.rows) < len(ours) {
		t.Fatalf("%d rows kept of %d", len(m.rows), len(ours))
	}
}

func TestWithoutAPersonsEditsMergeIsDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawTable().Draw(t, "base").grid().Block()
		ours := drawTable().Draw(t, "ours").grid().Block()
		m := Merge(base, base, ours)
		if len(m.Edited)+len(m.Deleted)+len(m.Conflicts) > 0 {
			t.Fatalf("edits that nobody made: %+v", m)
		}
		want := Diff(base, ours)
		if slices.Equal(base.Fingerprints[:filled(base.Fingerprints)], ours.Fingerprints[:filled(ours.Fingerprints)]) {
			want = Plan{} // empty rows at the end are nothing to clear
		}
		if diff := cmp.Diff(want, m.Keep()); diff != "" {
			t.Fatalf("plan (-Diff +Keep):\n%s", diff)
		}
		again := Merge(base, ours, ours)
		if len(again.Edited)+len(again.Deleted) > 0 {
			t.Fatalf("what stands already is an edit: %+v", again)
		}
		if !again.Keep().Empty() || !again.Overwrite().Empty() {
			t.Fatalf("what stands already is written again: %+v", again)
		}
	})
}

// In a block of distinct rows changed in place, a three-way merge is a merge of each row.
func TestMergeInPlaceIsAMergeRowByRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		base := counted(1, n)
		theirs, ours := slices.Clone(base), slices.Clone(base)
		var edited, conflicts []int
		want := slices.Clone(base)
		for i := range n {
			if rapid.IntRange(0, 3).Draw(t, "theirs") == 0 {
				theirs[i] = uint64(1000 + i)
			}
			switch rapid.IntRange(0, 5).Draw(t, "ours") {
			case 0:
				ours[i] = uint64(2000 + i)
			case 1:
				ours[i] = theirs[i]
			}
			want[i] = ours[i]
			if theirs[i] != base[i] && theirs[i] != ours[i] {
				want[i] = theirs[i]
				edited = append(edited, i)
				if ours[i] != base[i] {
					conflicts = append(conflicts, i)
				}
			}
		}
		m := Merge(Block{base, 1}, Block{theirs, 1}, Block{ours, 1})
		if !slices.Equal(m.Edited, edited) || !slices.Equal(m.Conflicts, conflicts) {
			t.Fatalf("edited %v, conflicts %v; want %v, %v", m.Edited, m.Conflicts, edited, conflicts)
		}
		if !slices.Equal(m.kept().Fingerprints, want) {
			t.Fatalf("kept %v, want %v", m.kept().Fingerprints, want)
		}
	})
}
