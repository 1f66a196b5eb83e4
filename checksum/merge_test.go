package checksum

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lines is a table of texts: a row a line, its cells between bars. The first one is the header.
func lines(rows ...string) table {
	out := make(table, len(rows))
	for i, row := range rows {
		for cell := range strings.SplitSeq(row, "|") {
			c := Str(cell)
			if cell == "" {
				c = Cell{}
			}
			out[i] = append(out[i], c)
		}
	}
	return out
}

// written is table as a run left it that had nothing of a person to keep.
func written(t table) Baseline {
	g := t.grid()
	last := Baseline{BlockRows: g.Block()}
	if g.Rows() > 0 {
		last.Header = g.Cells(0, nil)
	}
	return last
}

// lettered is a table of one column: a row a letter, an empty one a period.
func lettered(s string) table {
	rows := rowsOf(s, 1)
	for i := range rows {
		if s[i] == '.' {
			rows[i] = nil
		}
	}
	return rows
}

func standing(t table, wide int) Theirs {
	g := t.grid()
	return Theirs{Grid: g, Block: BlockRows{g.Block().Fingerprints, max(wide, g.Columns())}, Rows: g.Rows()}
}

// merged merges tables; the block that stands is as wide as it was left.
func merged(t testing.TB, last Baseline, theirs, ours table, rowKey ...string) Merged {
	t.Helper()
	g := ours.grid()
	key, err := NewRowKey(g, rowKey)
	if err != nil {
		t.Fatal(err)
	}
	return Merge(last, standing(theirs, last.Columns), g, g.Block(), key)
}

// texts is a table as lines writes it.
func texts(g *Grid) []string {
	var out []string
	for i := range g.Rows() {
		var cells []string
		for _, c := range g.Cells(i, nil) {
			cells = append(cells, c.Text)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out
}

// remember is what the run that kept m knows of it the next time, ours being what it wrote.
func remember(m Merged, ours table) Baseline {
	g := ours.grid()
	last := written(ours)
	for _, p := range m.People {
		kept := m.Kept.Cells(p.Row, nil)
		if p.Ours < 0 {
			last.Inserted = append(last.Inserted, RowFingerprint(kept))
			continue
		}
		last.Edited = append(last.Edited, EditedRow{Row: p.Ours, Source: g.Cells(p.Ours, nil), Kept: kept})
	}
	return last
}

// edits names the cells of a person in Kept, by row and column.
func edits(m Merged) string {
	var cells []string
	for _, p := range m.People {
		for _, column := range p.Columns {
			cells = append(cells, fmt.Sprintf("%d:%d", p.Row, column))
		}
	}
	return strings.Join(cells, " ")
}

func TestMerge(t *testing.T) {
	abc := lines("k|n", "a|1", "b|2", "c|3")
	for _, tt := range []struct {
		name               string
		base, theirs, ours table
		rowKey             []string
		kept               []string
		edits              string // row:column of kept
		moved              int
		deleted            []int
	}{
		{name: "nobody changed anything", base: abc, theirs: abc, ours: abc, kept: texts(abc.grid())},
		{
			name: "only the source changed", base: abc, theirs: abc, ours: lines("k|n", "a|1", "b|5", "d|4"),
			kept: []string{"k|n", "a|1", "b|5", "d|4"},
		},
		{
			name: "a run that died after its write", base: abc, theirs: lines("k|n", "a|1", "b|5", "c|3", "d|4"),
			ours: lines("k|n", "a|1", "b|5", "c|3", "d|4"), kept: []string{"k|n", "a|1", "b|5", "c|3", "d|4"},
		},

		// Rows that were moved.
		{
			name: "sorted by hand is put in order", base: abc, theirs: lines("k|n", "c|3", "b|2", "a|1"), ours: abc,
			kept: texts(abc.grid()), moved: 2,
		},
		{
			name: "ten rows sorted from Z to A stand once", moved: 9,
			base:   lines("k", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"),
			theirs: lines("k", "J", "I", "H", "G", "F", "E", "D", "C", "B", "A"),
			ours:   lines("k", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"),
			kept:   []string{"k", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J"},
		},
		{name: "two rows swapped", base: abc, theirs: lines("k|n", "b|2", "a|1", "c|3"), ours: abc, kept: texts(abc.grid()), moved: 1},
		{
			name: "a row cut and inserted elsewhere", base: abc, theirs: lines("k|n", "b|2", "c|3", "a|1"), ours: abc,
			kept: texts(abc.grid()), moved: 1,
		},
		{
			name: "the header sorted into the rows", base: abc, theirs: lines("a|1", "b|2", "k|n", "c|3"), ours: abc,
			kept: texts(abc.grid()), moved: 1,
		},
		{
			name: "sorted, and the source changed a row meanwhile", base: abc, theirs: lines("k|n", "c|3", "b|2", "a|1"),
			ours: lines("k|n", "a|1", "b|9", "c|3"),
			kept: []string{"k|n", "a|1", "b|9", "c|3"}, moved: 2,
		},
		{
			name: "equal rows stand as often as the source has them", base: lines("k", "x", "x", "y"), theirs: lines("k", "y", "x", "x"),
			ours: lines("k", "x", "x", "y"),
			kept: []string{"k", "x", "x", "y"}, moved: 1,
		},

		// Cells that were edited.
		{
			name: "an edited cell stays", base: abc, theirs: lines("k|n", "a|1", "b|mine", "c|3"), ours: abc,
			kept: []string{"k|n", "a|1", "b|mine", "c|3"}, edits: "2:1",
		},
		{
			name: "an edited cell beside rows of the source", base: abc, theirs: lines("k|n", "a|1", "b|mine", "c|3"),
			ours: lines("k|n", "a|7", "b|2", "c|3", "d|4"),
			kept: []string{"k|n", "a|7", "b|mine", "c|3", "d|4"}, edits: "2:1",
		},
		{
			name: "sorted, and one of the cells edited", base: abc, theirs: lines("k|n", "c|3", "b|mine", "a|1"), ours: abc,
			kept: []string{"k|n", "a|1", "b|mine", "c|3"}, edits: "2:1", moved: 2,
		},
		{
			name: "sorted and then two of three columns edited", base: lines("k|n|t", "a|1|x", "b|2|y", "c|3|z"),
			theirs: lines("k|n|t", "c|3|z", "b|7|mine", "a|1|x"),
			ours:   lines("k|n|t", "a|1|x", "b|2|y", "c|3|z"), kept: []string{"k|n|t", "a|1|x", "b|7|mine", "c|3|z"}, edits: "2:1 2:2",
			moved: 2,
		},
		{
			name: "one row typed over with another", base: lines("k", "a", "b"), theirs: lines("k", "a", "a"), ours: lines("k", "a", "b"),
			kept: []string{"k", "a", "a"}, edits: "2:0",
		},
		{
			name: "one of two equal rows edited", base: lines("k", "x", "x", "y"), theirs: lines("k", "x", "x'", "y"),
			ours: lines("k", "x", "x", "y"),
			kept: []string{"k", "x", "x'", "y"}, edits: "2:0",
		},
		{
			name: "the first of two equal rows edited", base: lines("k", "x", "x", "y"), theirs: lines("k", "x'", "x", "y"),
			ours: lines("k", "x", "x", "y"),
			kept: []string{"k", "x'", "x", "y"}, edits: "1:0",
		},
		{
			name: "the source dropped an edited row", base: lines("k", "a", "b", "c"), theirs: lines("k", "a", "b'", "c"),
			ours: lines("k", "a", "c"),
			kept: []string{"k", "a", "b'", "c"}, edits: "2:0",
		},
		{
			name: "where the source changed the row too it stays whole", base: lines("k|n|t", "a|1|x", "b|2|y"),
			theirs: lines("k|n|t", "a|1|x", "b|mine|y"),
			ours:   lines("k|n|t", "a|1|x", "b|3|z"), kept: []string{"k|n|t", "a|1|x", "b|mine|y"}, edits: "2:1 2:2",
		},
		{
			name: "typed as the source has it now", base: abc, theirs: lines("k|n", "a|1", "b|5", "c|3"),
			ours: lines("k|n", "a|1", "b|5", "c|3"), kept: []string{"k|n", "a|1", "b|5", "c|3"},
		},
		{
			name: "a heading renamed", base: abc, theirs: lines("k|number", "a|1", "b|2", "c|3"), ours: abc,
			kept: []string{"k|number", "a|1", "b|2", "c|3"}, edits: "0:1",
		},
		{
			name: "most equal cells tell sorted rows apart", base: lines("k|n|t|u", "a|1|x|p", "a|1|y|q", "b|2|x|q"),
			theirs: lines("k|n|t|u", "b|2|x|q", "a|1|y|mine", "a|1|x|p"),
			ours:   lines("k|n|t|u", "a|1|x|p", "a|1|y|q", "b|2|x|q"), kept: []string{"k|n|t|u", "a|1|x|p", "a|1|y|mine", "b|2|x|q"},
			edits: "2:3", moved: 2,
		},
		{
			name: "one row left on each side of a gap", base: lines("k", "a", "b", "c", "d"), theirs: lines("k", "d", "a", "mine", "c"),
			ours: lines("k", "a", "b", "c", "d"),
			kept: []string{"k", "a", "mine", "c", "d"}, edits: "2:0", moved: 1,
		},
		{
			name: "one row left on each side of two gaps", base: lines("k", "a", "b", "c", "d"), theirs: lines("k", "d", "mine", "c", "a"),
			ours: lines("k", "a", "b", "c", "d"),
			kept: []string{"k", "a", "b", "c", "d", "mine"}, edits: "5:0", moved: 2, deleted: []int{2},
		},
		{
			name:   "an edited row that the source dropped is no new one with the same number",
			base:   table{{Str("k"), Str("n")}, {Str("k10"), Num(10)}, {Str("k20"), Num(20)}, {Str("k25"), Num(17)}, {Str("k30"), Num(30)}},
			theirs: table{{Str("k"), Str("n")}, {Str("k10"), Num(10)}, {Str("k20"), Num(20)}, {Str("k25"), Num(18)}, {Str("k30"), Num(30)}},
			ours:   table{{Str("k"), Str("n")}, {Str("k05"), Num(18)}, {Str("k10"), Num(10)}, {Str("k20"), Num(20)}, {Str("k30"), Num(30)}},
			kept:   []string{"k|n", "k05|", "k10|", "k20|", "k25|", "k30|"}, edits: "4:0 4:1",
		},

		{
			name: "rows sorted the other way round stand between the same neighbours", base: lines("k", "a", "b", "c", "d", "e"), moved: 4,
			theirs: lines("k", "e", "mine", "also", "b", "a"), ours: lines("k", "a", "b", "c", "d", "e"),
			kept: []string{"k", "a", "b", "also", "mine", "e"}, edits: "3:0 4:0",
		},
		{
			name: "a distinct column tells sorted rows apart", base: lines("k|n|t", "a|1|x", "b|2|x", "c|3|x", "d|4|x"), moved: 3,
			theirs: lines("k|n|t", "d|7|mine", "c|3|x", "b|8|also", "a|1|x"), ours: lines("k|n|t", "a|1|x", "b|2|x", "c|3|x", "d|4|x"),
			kept: []string{"k|n|t", "a|1|x", "b|8|also", "c|3|x", "d|7|mine"}, edits: "2:1 2:2 4:1 4:2",
		},
		{
			name: "sorted with a cell typed into every row", base: lines("k|n|t", "a|1|x", "b|2|x", "c|3|x"),
			theirs: lines("k|n|t", "c|3|for c", "b|2|for b", "a|1|for a"), ours: lines("k|n|t", "a|1|x", "b|2|x", "c|3|x"),
			kept: []string{"k|n|t", "a|1|for a", "b|2|for b", "c|3|for c"}, edits: "1:2 2:2 3:2", moved: 2,
		},
		{
			name: "most equal cells tell two sorted rows apart", base: lines("k|n|t|u", "a|1|x|p", "a|1|y|q", "b|2|x|q", "b|1|z|q"),
			moved:  3,
			theirs: lines("k|n|t|u", "b|1|z|mine", "b|2|x|q", "a|1|y|also", "a|1|x|p"),
			ours:   lines("k|n|t|u", "a|1|x|p", "a|1|y|q", "b|2|x|q", "b|1|z|q"),
			kept:   []string{"k|n|t|u", "a|1|x|p", "a|1|y|also", "b|2|x|q", "b|1|z|mine"}, edits: "2:3 4:3",
		},

		// A row key.
		{
			name: "a key tells rows apart where no column does", base: lines("k|n|t", "a|1|x", "b|1|x", "c|1|x"), rowKey: []string{"k"},
			moved:  2,
			theirs: lines("k|n|t", "c|1|x", "b|9|mine", "c|1|x", "a|1|x"), ours: lines("k|n|t", "a|1|x", "b|1|x", "c|1|x"),
			kept: []string{"k|n|t", "a|1|x", "b|9|mine", "c|1|x", "c|1|x"}, edits: "2:1 2:2 3:0 3:1 3:2",
		},
		{
			name: "an unedited row keeps its key though the source changed it", base: lines("k|n", "a|1", "b|2"), rowKey: []string{"k"},
			theirs: lines("k|n", "a|1", "b|2", "b|7"), ours: lines("k|n", "a|1", "new|0", "b|5"),
			kept: []string{"k|n", "a|1", "new|0", "b|5", "b|7"}, edits: "4:0 4:1",
		},
		{
			name: "a key finds an edited row wherever it stands", base: lines("k|n|t", "a|1|x", "b|2|x", "c|3|x", "d|4|x"),
			rowKey: []string{"k"},
			theirs: lines("k|n|t", "d|mine|x", "c|3|x", "b|2|also", "a|1|x"), ours: lines("k|n|t", "a|1|x", "b|2|x", "c|3|x", "d|4|x"),
			kept: []string{"k|n|t", "a|1|x", "b|2|also", "c|3|x", "d|mine|x"}, edits: "2:2 4:1", moved: 3,
		},
		{
			name: "a copied row with the key of an unedited one was inserted", base: abc, theirs: lines("k|n", "a|1", "b|2", "b|7", "c|3"),
			ours: abc, rowKey: []string{"k"},
			kept: []string{"k|n", "a|1", "b|2", "b|7", "c|3"}, edits: "3:0 3:1",
		},
		{
			name: "an edited key falls through to the place", base: abc, theirs: lines("k|n", "a|1", "B|2", "c|3"), ours: abc,
			rowKey: []string{"k"},
			kept:   []string{"k|n", "a|1", "B|2", "c|3"}, edits: "2:0",
		},
		{
			name: "a key tells a changed row from a new one in its place", base: abc, theirs: lines("k|n", "a|1", "b|mine", "c|3"),
			ours:   lines("k|n", "a|1", "z|9", "c|3"),
			rowKey: []string{"k"}, kept: []string{"k|n", "a|1", "b|mine", "z|9", "c|3"}, edits: "2:0 2:1",
		},
		{
			name: "a distinct column finds the edited row that the source changed below a new one", base: lines("k|n|t", "b|2|x", "a|1|x"),
			theirs: lines("k|n|t", "b|2|mine", "a|1|x"), ours: lines("k|n|t", "c|0|x", "b|3|x", "a|1|x"),
			kept: []string{"k|n|t", "c|0|x", "b|2|mine", "a|1|x"}, edits: "2:1 2:2",
		},

		// Rows that were inserted, deleted, emptied.
		{
			name: "an inserted row stays", base: abc, theirs: lines("k|n", "a|1", "mine|0", "b|2", "c|3"), ours: abc,
			kept: []string{"k|n", "a|1", "mine|0", "b|2", "c|3"}, edits: "2:0 2:1",
		},
		{
			name: "an inserted row stays behind the nearest row that remains", base: abc,
			theirs: lines("k|n", "a|1", "b|2", "mine|0", "c|3"), ours: lines("k|n", "c|3", "a|1"),
			kept: []string{"k|n", "c|3", "a|1", "mine|0"}, edits: "3:0 3:1",
		},
		{
			name: "an inserted row without such a one stays behind the header", base: lines("k", "a"), theirs: lines("k", "a", "mine"),
			ours: lines("k", "z", "y"), kept: []string{"k", "mine", "z", "y"}, edits: "1:0",
		},
		{
			name: "a row typed below the last", base: lines("k", "a"), theirs: lines("k", "a", "mine"), ours: lines("k", "a"),
			kept: []string{"k", "a", "mine"}, edits: "2:0",
		},
		{
			name: "a deleted row comes back", base: abc, theirs: lines("k|n", "a|1", "c|3"), ours: abc, kept: texts(abc.grid()),
			deleted: []int{2},
		},
		{name: "a deleted header comes back", base: abc, theirs: lines("a|1", "b|2", "c|3"), ours: abc, kept: texts(abc.grid())},
		{
			name: "both deleted a row", base: abc, theirs: lines("k|n", "a|1", "c|3"), ours: lines("k|n", "a|1", "c|3"),
			kept: []string{"k|n", "a|1", "c|3"},
		},
		{
			name: "an emptied row stays empty", base: abc, theirs: lines("k|n", "a|1", "", "c|3"), ours: abc,
			kept: []string{"k|n", "a|1", "", "c|3"}, edits: "2:0 2:1",
		},
		{
			name: "an emptied last row stays empty", base: abc, theirs: lines("k|n", "a|1", "b|2", ""), ours: abc,
			kept: []string{"k|n", "a|1", "b|2", ""}, edits: "3:0 3:1",
		},
		{
			name: "rows moved apart leave no empty ones", base: abc, theirs: lines("k|n", "c|3", "", "a|1"), ours: abc,
			kept: texts(abc.grid()), moved: 1, deleted: []int{2},
		},
		{
			name: "an emptied row comes back where others were moved", base: lines("k", "a", "b", "c", "d", "e"),
			theirs: lines("k", "a", "", "c", "e", "d"),
			ours:   lines("k", "a", "b", "c", "d", "e"), kept: []string{"k", "a", "b", "c", "d", "e"}, moved: 1, deleted: []int{2},
		},
		{name: "a blank row inserted goes", base: abc, theirs: lines("k|n", "a|1", "", "b|2", "c|3"), ours: abc, kept: texts(abc.grid())},
		{
			name: "a cleared body is filled again", base: abc, theirs: lines("k|n", "", "", ""), ours: abc, kept: texts(abc.grid()),
			deleted: []int{1, 2, 3},
		},
		{
			name: "all of a block cleared", base: abc, theirs: lines("", "", "", ""), ours: abc, kept: texts(abc.grid()),
			deleted: []int{1, 2, 3},
		},
		{name: "nothing stands any more", base: abc, theirs: table{}, ours: abc, kept: texts(abc.grid()), deleted: []int{1, 2, 3}},
		{name: "all rows deleted by hand", base: abc, theirs: lines("k|n"), ours: abc, kept: texts(abc.grid()), deleted: []int{1, 2, 3}},
		{
			name: "empty rows below the block are not the block's", base: lines("k", "a"), theirs: lines("k", "a", "", ""),
			ours: lines("k", "a", "b"), kept: []string{"k", "a", "b"},
		},
		{
			name: "empty rows at the end that a host left out", base: lines("k", "a", ""), theirs: lines("k", "a"),
			ours: lines("k", "a", "b", ""), kept: []string{"k", "a", "b", ""},
		},
		{
			name: "everything dropped by the source", base: abc, theirs: lines("k|n", "a|1", "b|mine", "c|3"), ours: lines("k|n"),
			kept: []string{"k|n", "b|mine"}, edits: "1:0 1:1",
		},
		{name: "what nobody wrote stands as the source has it", theirs: abc, ours: abc, kept: texts(abc.grid())},
		{name: "nothing was written before", theirs: lines("mine"), ours: lines("k", "a"), kept: []string{"k", "mine", "a"}, edits: "1:0"},

		// Columns of the source.
		{
			name: "the source drops a column while nobody touched the sheet", base: lines("k|n|t", "a|1|x", "b|2|y"),
			theirs: lines("k|n|t", "a|1|x", "b|2|y"),
			ours:   lines("k|t", "a|x", "b|y"), kept: []string{"k|t", "a|x", "b|y"},
		},
		{
			name: "the source reorders columns while nobody touched the sheet", base: lines("k|n|t", "a|1|x", "b|2|y"),
			theirs: lines("k|n|t", "a|1|x", "b|2|y"),
			ours:   lines("t|k|n", "x|a|1", "y|b|2"), kept: []string{"t|k|n", "x|a|1", "y|b|2"},
		},
		{
			name: "rows follow a reordered column, and inserted ones stay", base: lines("k|n", "a|1", "b|2"),
			theirs: lines("k|n", "a|1", "mine|7", "b|2"),
			ours:   lines("n|k|t", "2|b|y", "1|a|x"), kept: []string{"n|k|t", "2|b|y", "1|a|x", "7|mine"}, edits: "3:0 3:1",
		},
		{
			name: "an edited row follows the columns", base: lines("k|n", "a|1", "b|2", "c|3"),
			theirs: lines("k|n", "a|1", "b|mine", "c|3"),
			ours:   lines("n|k|t", "1|a|x", "2|b|y", "3|c|z"), kept: []string{"n|k|t", "1|a|x", "mine|b|y", "3|c|z"}, edits: "2:0",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merged(t, written(tt.base), tt.theirs, tt.ours, tt.rowKey...)
			if diff := cmp.Diff(tt.kept, texts(m.Kept)); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
			if got := edits(m); got != tt.edits {
				t.Errorf("edits %q, want %q", got, tt.edits)
			}
			if m.Moved != tt.moved || !slices.Equal(m.Deleted, tt.deleted) {
				t.Errorf("moved %d, deleted %v; want %d, %v", m.Moved, m.Deleted, tt.moved, tt.deleted)
			}
			if diff := cmp.Diff(filledRows(decoded(m.Kept)), filledRows(apply(tt.theirs, m.Keep(Means{}), m.Kept, m.Kept.Columns()))); diff != "" {
				t.Errorf("the sheet after the plan %+v (-want +got):\n%s", m.Keep(Means{}), diff)
			}
		})
	}
}

func TestARowKnownForAPersonsIsNotTakenForAnEdit(t *testing.T) {
	base := lines("k|n", "a|1", "b|2", "c|3")
	last := written(base)
	last.Inserted = []uint64{RowFingerprint(lines("mine|0")[0])}
	m := merged(t, last, lines("k|n", "a|1", "mine|0", "c|3"), base) // and b was deleted
	if diff := cmp.Diff([]string{"k|n", "a|1", "mine|0", "b|2", "c|3"}, texts(m.Kept)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestWhatWasDraggedOutLeavesNoGap(t *testing.T) {
	base := lines("k|n", "a|1", "b|2", "c|3")
	stands := standing(lines("k|n", "a|1", "", "c|3"), 2)
	stands.Below = []uint64{RowFingerprint(base[2])}
	g := base.grid()
	m := Merge(written(base), stands, g, g.Block(), RowKey{})
	if diff := cmp.Diff(texts(g), texts(m.Kept)); diff != "" || !slices.Equal(m.Deleted, []int{2}) {
		t.Errorf("deleted %v, kept (-want +got):\n%s", m.Deleted, diff)
	}
}

func TestACellGivenBackMayGoWithItsColumn(t *testing.T) {
	base := lines("k|n|t", "a|1|x", "b|2|y")
	last := written(base)
	last.Edited = []EditedRow{{Row: 2, Source: base[2], Kept: lines("b|mine|y")[0], Returned: map[int]bool{1: true}}}
	m := merged(t, last, lines("k|n|t", "a|1|x", "b|mine|y"), lines("k|t", "a|x", "b|y"))
	if diff := cmp.Diff([]LostCell{{Row: 2, Column: 1, Returned: true, Known: true}}, m.Lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
}

func TestCellsGivenBackToTheSource(t *testing.T) {
	base := lines("k|n|t", "a|1|x", "b|2|y")
	last := written(base)
	last.Edited = []EditedRow{{Row: 2, Source: base[2], Kept: lines("b|mine|also")[0], Returned: map[int]bool{1: true}}}
	for _, tt := range []struct {
		stands, kept string
		lost         []LostCell
	}{
		{"b|mine|also", "b|2|also", []LostCell{{Row: 2, Column: 1, Returned: true, Known: true}}},
		{"b|typed anew|also", "b|typed anew|also", nil},
	} {
		m := merged(t, last, lines("k|n|t", "a|1|x", tt.stands), base)
		if got := texts(m.Kept)[2]; got != tt.kept {
			t.Errorf("%s became %s, want %s", tt.stands, got, tt.kept)
		}
		if diff := cmp.Diff(tt.lost, m.Lost); diff != "" {
			t.Errorf("lost (-want +got):\n%s", diff)
		}
	}
}

// cpuTime is how long this process has computed, which other processes do not change.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}

// TestColumnsOfTheWidestTableAreFoundInTime has a limit hundreds of times what the work takes; with a walk through the row for each of its
// cells it would take minutes.
func TestColumnsOfTheWidestTableAreFoundInTime(t *testing.T) {
	before, after := make(table, 200), make(table, 200)
	for row := range before {
		for column := range 16_384 {
			before[row] = append(before[row], Num(float64(row*16_384+column)))
		}
		after[row] = slices.Clone(before[row])
		after[row][0], after[row][1] = after[row][1], after[row][0]
	}
	begun := cpuTime(t)
	m := merged(t, written(before), before, after)
	if took := cpuTime(t) - begun; took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	if len(m.People) > 0 || len(m.Deleted) > 0 {
		t.Errorf("%d rows of a person and %d deleted, want none: only the source changed", len(m.People), len(m.Deleted))
	}
}

func TestPlaceFindsEveryRowOfTheSourceAgain(t *testing.T) {
	base := lines("key|n", "a|1", "b|2", "c|3", "d|4")
	theirs := lines("key|n", "d|4", "mine|", "b|typed", "own|", "a|1", "c|3")
	out := merged(t, written(base), theirs, lines("key|n", "x|0", "a|1", "b|2", "d|4"))
	for row, cells := range theirs {
		at := out.place(row)
		switch key := cells[0].Text; key {
		case "mine", "own", "c":
			if at != none {
				t.Errorf("%s is found at %d", key, at)
			}
		default:
			if at == none || out.Kept.Cells(at, nil)[0].Text != key {
				t.Errorf("%s is found at %d of\n%s", key, at, strings.Join(texts(out.Kept), "\n"))
			}
		}
	}
	if out.place(-1) != none || out.place(len(theirs)) != none {
		t.Error("rows beyond the block are found in it")
	}
}

func TestRecordsAreThoseOfThePlan(t *testing.T) {
	base := lines("key|n", "a|1", "b|2", "c|3", "d|4")
	theirs := lines("key|n", "a|1", "mine|", "b|typed", "c|3", "d|4")
	// c leaves and x comes into its gap, which is of as many rows as before; d has another value.
	out := merged(t, written(base), theirs, lines("key|n", "y|0", "a|1", "b|2", "x|3", "d|5"))
	if got, want := out.Records(), []int{0, 2, 3, 4, none, 6}; !slices.Equal(got, want) {
		t.Errorf("records %v, want %v in\n%s", got, want, strings.Join(texts(out.Kept), "\n"))
	}
}

func TestRowsWithEditsThatWereMovedCountAsMoved(t *testing.T) {
	base := lines("k|n", "a|1", "b|2", "c|3")
	last := written(base)
	for row, kept := range map[int]string{1: "a|x", 2: "b|y", 3: "c|z"} {
		last.Edited = append(last.Edited, EditedRow{Row: row, Source: base[row], Kept: lines(kept)[0]})
	}
	if out := merged(t, last, lines("k|n", "c|z", "b|y", "a|x"), base); out.Moved != 2 || len(out.People) != 3 {
		t.Errorf("%d rows moved, %d hold edits, want 2 and 3", out.Moved, len(out.People))
	}
}

func TestRowsOfAWriteThatWasBrokenOffAreWritten(t *testing.T) {
	done, begun, theirs := lettered("hab"), lettered("habcdef"), lettered("habc.e.")
	last := Likeliest(written(done), []Baseline{written(begun)}, theirs.grid().Block())
	out := merged(t, last, theirs, begun)
	if got := texts(out.Kept); !slices.Equal(got, texts(begun.grid())) || len(out.Edited) > 0 {
		t.Errorf("kept %q with the edited rows %v", got, out.Edited)
	}
	last.Edited = []EditedRow{{Row: 4, Source: begun[4], Kept: nil}}
	out = merged(t, last, theirs, begun)
	if got := texts(out.Kept); got[4] != "" || got[6] == "" || !slices.Equal(out.Edited, []int{4}) {
		t.Errorf("kept %q with the edited rows %v", got, out.Edited)
	}
}

func TestAnInsertedRowStaysBelowTheUpdatedRowThatATextNames(t *testing.T) {
	base := lines("key|n", "a|1", "b|2", "c|3")
	theirs := lines("key|n", "a|1", "b|2", "mine|", "c|3")
	ours := lines("key|n", "x|7", "a|4", "y|8", "b|5", "z|9", "c|6")
	out := merged(t, written(base), theirs, ours)
	want := texts(lines("key|n", "x|7", "a|4", "y|8", "b|5", "mine|", "z|9", "c|6").grid())
	if got := texts(out.Kept); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}

func TestUpdatedRowsThatChangePlacesKeepTheirEdits(t *testing.T) {
	base := lines("key|n|m", "a|1|1", "b|2|2", "c|3|3")
	out := merged(t, written(base), lines("key|n|m", "a|1|1", "b|2|mine", "c|3|3"), lines("key|n|m", "a|1|1", "c|4|3", "b|5|2"))
	want := texts(lines("key|n|m", "a|1|1", "c|4|3", "b|2|mine").grid()) // which of b's cells were typed is not known: it stays whole
	if got := texts(out.Kept); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
}
