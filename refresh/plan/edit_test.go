package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// blockDesk is a sheet with one block at B2, refreshed by decisions that remember one another as agents do.
type blockDesk struct {
	*testing.T
	sheet  []string
	extent checksum.Extent // of the marker
	rowKey []string
	means  checksum.Means
	right  int     // the last column that shifts reach to
	memory *Memory // nil: nothing was written yet
	before []Edit
	runs   int
	plan   Changes // of the last run

	restore *Kept // what the next run is to put back
	over    bool  // the next run writes over what stands there
	died    *Last // what is known instead, as after an attempt that died
}

// last is what is known of the run before, and whether the block has its marker.
func (d *blockDesk) last() (last Last, marked bool) {
	if d.died != nil {
		return *d.died, true
	}
	if d.memory == nil {
		return Last{}, false
	}
	return After(*d.memory), true
}

// run refreshes the block and returns the sentence of a conflict, empty without one.
func (d *blockDesk) run(onEdit placements.OnEdit, ours ...string) string {
	d.Helper()
	d.runs++
	g := grid(ours...)
	last, marked := d.last()
	p := Input{
		Last: last, Edits: d.before, Ours: g, Block: g.Block(), RowKey: d.rowKey, OnEdit: onEdit, Kept: d.restore, WriteOver: d.over, Means: d.means, Now: fmt.Sprint("run ", d.runs),
		View: View{
			Marked: marked, Extent: d.extent, Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 1},
			Cells: grid(d.sheet...), Formulas: formulas(d.sheet...),
		},
	}
	plan, fault := Decide(p)
	if fault != nil {
		if fault.Class != placements.Conflict {
			d.Fatal(fault)
		}
		return fault.Message
	}
	d.plan, d.sheet, d.extent = plan, applied(d.sheet, plan), plan.Grid.Extent()
	d.memory = &plan.Memory
	text, err := json.Marshal(plan.Edits) // as the storage keeps them
	if err != nil {
		d.Fatal(err)
	}
	d.before = nil
	if err := json.Unmarshal(text, &d.before); err != nil {
		d.Fatal(err)
	}
	return ""
}

// refreshed runs and wants the sheet to be so afterwards.
func (d *blockDesk) refreshed(onEdit placements.OnEdit, ours []string, want ...string) {
	d.Helper()
	if conflict := d.run(onEdit, ours...); conflict != "" {
		d.Fatalf("conflict: %s", conflict)
	}
	if diff := cmp.Diff(want, d.sheet); diff != "" {
		d.Fatalf("the sheet after run %d (-want +got):\n%s", d.runs, diff)
	}
}

// edits lists the edits of the last run as cell=yours<source.
func (d *blockDesk) edits() string {
	var list []string
	for _, e := range d.plan.Edits {
		at := placements.Anchor{Row: 1 + e.Row, Column: 1 + e.Column}
		list = append(list, fmt.Sprintf("%s %s=%v<%v", at, e.Name, e.Yours, e.Source))
	}
	return strings.Join(list, ", ")
}

func (d *blockDesk) wantEdits(want string) {
	d.Helper()
	if got := d.edits(); got != want {
		d.Errorf("edits %q, want %q", got, want)
	}
}

func newBlockDesk(t *testing.T, first ...string) *blockDesk {
	d := &blockDesk{T: t}
	d.refreshed(placements.Keep, first, first...)
	return d
}

func TestOnlyTheCellsThatAPersonTypedStay(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y"}
	d := newBlockDesk(t, source...)
	d.sheet = []string{"name|n|note", "a|1|x", "b|2|mine"}
	d.refreshed(placements.Keep, source, "name|n|note", "a|1|x", "b|2|mine")
	d.wantEdits("D4 note=mine<y")
	first := d.plan.Edits[0]

	d.refreshed(placements.Keep, []string{"name|n|note", "a|1|x", "b|7|z"}, "name|n|note", "a|1|x", "b|7|mine")
	d.wantEdits("D4 note=mine<z")
	if e := d.plan.Edits[0]; e.ID != first.ID || e.SeenAt != first.SeenAt {
		t.Errorf("the edit became %+v, was %+v", e, first)
	}

	slices.Reverse(d.sheet[1:])
	d.refreshed(placements.Keep, []string{"name|n|note", "c|0|w", "a|1|x", "b|8|z"}, "name|n|note", "c|0|w", "a|1|x", "b|8|mine")
	d.wantEdits("D5 note=mine<z")

	d.sheet[3] = "b|8|z"
	d.refreshed(placements.Keep, []string{"name|n|note", "c|0|w", "a|1|x", "b|8|z"}, "name|n|note", "c|0|w", "a|1|x", "b|8|z")
	d.wantEdits("")
}

func TestACellGivenBackFollowsItsRow(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y", "c|3|z"}
	d := newBlockDesk(t, source...)
	d.sheet = []string{"name|n|note", "a|9|mine", "b|2|y", "c|3|z"}
	d.refreshed(placements.Keep, source, d.sheet...)
	d.wantEdits("C3 n=9<1, D3 note=mine<x")
	d.before[1].Returned = true
	slices.Reverse(d.sheet[1:])
	d.refreshed(placements.Keep, source, "name|n|note", "a|9|x", "b|2|y", "c|3|z")
	d.wantEdits("C3 n=9<1")
	want := []OverwrittenRow{{Row: 5, Values: []any{"a", "9", "mine"}}}
	if diff := cmp.Diff(want, d.plan.Overwritten); diff != "" {
		t.Errorf("kept in the run (-want +got):\n%s", diff)
	}
}

func TestACellTypedAnewIsNotGivenBack(t *testing.T) {
	source := []string{"name|n", "a|1"}
	d := newBlockDesk(t, source...)
	d.sheet[1] = "a|mine"
	d.refreshed(placements.Keep, source, "name|n", "a|mine")
	d.before[0].Returned = true
	d.sheet[1] = "a|again"
	d.refreshed(placements.Keep, source, "name|n", "a|again")
	d.wantEdits("C3 n=again<1")
}

func TestCellsAtTheEndOfARowStayEmptied(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y", "c|3|z"}
	d := newBlockDesk(t, source...)
	d.sheet = []string{"name|n|note", "a|1", "", "c|3|z"}
	for range 2 {
		d.refreshed(placements.Keep, source, "name|n|note", "a|1", "", "c|3|z")
		d.wantEdits("D3 note=<nil><x, B4 name=<nil><b, C4 n=<nil><2, D4 note=<nil><y")
	}
}

func TestAnInsertedRowStaysAPersonsOwn(t *testing.T) {
	d := newBlockDesk(t, "name|n", "a|1", "b|2")
	d.sheet = []string{"name|n", "a|1", "mine|5", "b|2"}
	d.extent.Rows++
	for range 2 {
		d.refreshed(placements.Keep, []string{"name|n", "a|1", "b|2"}, "name|n", "a|1", "mine|5", "b|2")
		d.wantEdits("B4 name=mine<<nil>, C4 n=5<<nil>")
	}
	d.refreshed(placements.Keep, []string{"name|n", "a|1"}, "name|n", "a|1", "mine|5")
	d.wantEdits("B4 name=mine<<nil>, C4 n=5<<nil>")
}

func TestColumnsThatAPersonChanged(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y", "c|3|z"}
	for _, tt := range []struct {
		name     string
		sheet    []string
		wide     int
		conflict string
		kept     []OverwrittenRow // when overwritten
	}{
		{
			name: "inserted", sheet: []string{"name|mine|n|note", "a||1|x", "b|typed|2|y", "c||3|z"}, wide: 4,
			conflict: `column C ("mine") was inserted inside the block at Sheet1!B2`,
			kept: []OverwrittenRow{
				{Row: 2, Values: []any{"name", "mine", "n", "note"}},
				{Row: 4, Values: []any{"b", "typed", "2", "y"}},
			},
		},
		{
			name: "inserted under the heading of another", sheet: []string{"name|n|n|note", "a||1|x", "b|typed|2|y", "c||3|z"}, wide: 4,
			conflict: `column C ("n") was inserted inside the block at Sheet1!B2`,
			kept: []OverwrittenRow{
				{Row: 2, Values: []any{"name", "n", "n", "note"}},
				{Row: 3, Values: []any{"a", nil, "1", "x"}},
				{Row: 4, Values: []any{"b", "typed", "2", "y"}},
				{Row: 5, Values: []any{"c", nil, "3", "z"}},
			},
		},
		{
			name: "inserted without a heading", sheet: []string{"name||n|note", "a||1|x", "b||2|y", "c||3|z"}, wide: 4,
			conflict: `column C was inserted inside the block at Sheet1!B2`, kept: []OverwrittenRow{},
		},
		{
			name: "moved", sheet: []string{"name|note|n", "a|x|1", "b|y|2", "c|z|3"}, wide: 3,
			conflict: `was moved inside the block at Sheet1!B2`, kept: []OverwrittenRow{},
		},
		{
			name: "removed", sheet: []string{"name|note", "a|x", "b|typed", "c|z"}, wide: 2,
			conflict: `column "n" was removed inside the block at Sheet1!B2`, kept: []OverwrittenRow{{Row: 4, Values: []any{"b", "typed"}}},
		},
		{
			name: "the last one removed", sheet: []string{"name|n", "a|1", "b|2", "c|3"}, wide: 2,
			conflict: `column "note" was removed inside the block`, kept: []OverwrittenRow{},
		},
		{
			name: "edited with most rows", sheet: []string{"name|other|note", "a|p|x", "b|q|y", "c|3|z"}, wide: 3,
			conflict: `C2 (n) and most rows below were edited together inside the block at Sheet1!B2`,
			kept: []OverwrittenRow{
				{Row: 2, Values: []any{"name", "other", "note"}},
				{Row: 3, Values: []any{"a", "p", "x"}},
				{Row: 4, Values: []any{"b", "q", "y"}},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newBlockDesk(t, source...)
			d.sheet, d.extent.Columns = tt.sheet, tt.wide
			for _, onEdit := range []placements.OnEdit{placements.Keep, placements.Stop} {
				conflict := d.run(onEdit, source...)
				if !strings.Contains(conflict, tt.conflict) && (onEdit == placements.Keep || conflict == "") {
					t.Errorf("%s: got %q, want a conflict with %q", onEdit, conflict, tt.conflict)
				}
			}
			d.refreshed(placements.Overwrite, source, source...)
			if diff := cmp.Diff(tt.kept, d.plan.Overwritten); diff != "" {
				t.Errorf("kept in the run (-want +got):\n%s", diff)
			}
			d.refreshed(placements.Keep, source, source...)
		})
	}
}

func TestColumnsThatTheSourceChangedAreNoConflict(t *testing.T) {
	d := newBlockDesk(t, "name|n|note", "a|1|x", "b|2|y")
	d.refreshed(placements.Stop, []string{"note|name", "x|a", "y|b"}, "note|name", "x|a", "y|b")
	d.refreshed(placements.Stop, []string{"note|name|new", "x|a|1", "y|b|2"}, "note|name|new", "x|a|1", "y|b|2")
}

func TestATypedCellDoesNotGoWithItsColumn(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y"}
	d := newBlockDesk(t, source...)
	d.sheet[2] = "b|2|mine"
	d.refreshed(placements.Keep, source, "name|n|note", "a|1|x", "b|2|mine")
	conflict := d.run(placements.Keep, "name|n", "a|1", "b|2")
	if !strings.Contains(conflict, "Sheet1!D4 (note) was typed by hand in a column that the report does not have any more") {
		t.Errorf("got %q", conflict)
	}
	d.refreshed(placements.Overwrite, []string{"name|n", "a|1", "b|2"}, "name|n", "a|1", "b|2")
}

func TestAClearedBlockIsFilledUnderEveryPolicy(t *testing.T) {
	source := []string{"name|n", "a|1", "b|2"}
	for _, onEdit := range []placements.OnEdit{placements.Keep, placements.Overwrite, placements.Stop} {
		for _, sheet := range [][]string{{"name|n", "", ""}, {"", "", ""}} {
			d := newBlockDesk(t, source...)
			d.sheet = sheet
			d.refreshed(onEdit, source, source...)
			d.wantEdits("")
		}
	}
}

func TestSortingIsNoEdit(t *testing.T) {
	source := []string{"name|n", "a|1", "b|2", "c|3"}
	for _, onEdit := range []placements.OnEdit{placements.Keep, placements.Overwrite, placements.Stop} {
		d := newBlockDesk(t, source...)
		slices.Reverse(d.sheet[1:])
		d.refreshed(onEdit, source, source...)
		if d.plan.Moved != 2 || len(d.plan.EditedRows)+len(d.plan.Overwritten) > 0 {
			t.Errorf("%s: %d rows moved, %v edited, %v overwritten", onEdit, d.plan.Moved, d.plan.EditedRows, d.plan.Overwritten)
		}
	}
}

func TestRowsDraggedOutOfTheBlockLeaveNoGap(t *testing.T) {
	source := []string{"name|n", "a|1", "b|2", "c|3"}
	d := newBlockDesk(t, source...)
	d.sheet = []string{"name|n", "a|1", "", "c|3", "b|2"}
	d.refreshed(placements.Keep, source, "name|n", "a|1", "b|2", "c|3", "b|2")
	if d.plan.Returned != 1 {
		t.Errorf("%d rows came back, want 1", d.plan.Returned)
	}
}

func TestStopNamesWhatWasDone(t *testing.T) {
	source := []string{"name|n", "a|1", "b|2", "c|3"}
	for _, tt := range []struct {
		sheet []string
		rows  int
		want  string
	}{
		{[]string{"name|n", "a|mine", "b|2", "c|3"}, 4, `C3 (n) was edited by hand`},
		{[]string{"name|n", "a|1", "x|y", "b|2", "c|3"}, 5, `row 4 was inserted by hand`},
		{[]string{"name|n", "a|1", "c|3"}, 3, `1 row of the block was deleted by hand`},
		{[]string{"name|n", "c|3", "x|y", "b|mine"}, 4, `by hand`},
	} {
		d := newBlockDesk(t, source...)
		d.sheet, d.extent.Rows = tt.sheet, tt.rows
		if got := d.run(placements.Stop, source...); !strings.HasPrefix(got, tt.want) && !strings.Contains(got, tt.want+":") {
			t.Errorf("%q: got %q, want %q", tt.sheet, got, tt.want)
		}
	}
}

func TestStopNamesOnlyWhatAPersonTouched(t *testing.T) {
	source := []string{"name|n|m", "a|1|5", "b|2|6", "c|3|7"}
	for _, tt := range []struct {
		fact        string
		sheet, ours []string
		want        string
	}{
		{
			"not the cell that the source has changed",
			[]string{"name|n|m", "a|1|5", "b|mine|6", "c|3|7"},
			[]string{"name|n|m", "a|1|5", "b|2|66", "c|3|7"},
			"C4 (n) was edited by hand",
		},
		{
			"both cells of a person, of three that differ",
			[]string{"name|n|m", "a|1|5", "B|mine|6", "c|3|7"},
			[]string{"name|n|m", "a|1|5", "b|2|66", "c|3|7"},
			"B4 (name), C4 (n) were edited by hand",
		},
		{
			"the row, where a person and the source have changed the same cell, and the source another one",
			[]string{"name|n|m", "a|1|5", "b|mine|6", "c|3|7"},
			[]string{"name|n|m", "a|1|5", "b|22|66", "c|3|7"},
			"row 4 was edited by hand",
		},
		{
			"an edited row that the source dropped",
			[]string{"name|n|m", "a|1|5", "b|mine|6", "c|3|7"},
			[]string{"name|n|m", "a|1|5", "c|3|7"},
			"row 4 was edited by hand, and is gone from the report",
		},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			d := newBlockDesk(t, source...)
			d.sheet, d.extent.Rows = tt.sheet, len(tt.sheet)
			if got := d.run(placements.Stop, tt.ours...); !strings.HasPrefix(got, tt.want+":") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestARowKeyThatIsNone(t *testing.T) {
	for _, tt := range []struct {
		rowKey []string
		want   string
	}{
		{[]string{"id"}, `rowKey names column "id", which its result does not have`},
		{[]string{"name"}, `rowKey "name" does not tell rows apart: "a" stands in two rows`},
		{[]string{"name", "n"}, `rowKey "name", "n" does not tell rows apart: "a", "1" stands in two rows`},
	} {
		d := &blockDesk{T: t, rowKey: tt.rowKey}
		if got := d.run(placements.Keep, "name|n", "a|1", "b|2", "a|1"); !strings.Contains(got, tt.want) {
			t.Errorf("%v: got %q, want %q", tt.rowKey, got, tt.want)
		}
	}
	d := &blockDesk{T: t, rowKey: []string{"name", "n"}}
	d.refreshed(placements.Keep, []string{"name|n", "a|1", "a|2"}, "name|n", "a|1", "a|2")
	own := Input{Ours: grid("name|n", "secret|1", "secret|2"), RowKey: []string{"name"}, Personal: true}
	if _, fault := Decide(own); fault == nil || strings.Contains(fault.Message, "secret") || !strings.Contains(fault.Message, `rowKey "name"`) {
		t.Errorf("of a result that only one person may see: %v, want the key's name without a value", fault)
	}
}

func TestWhatAPersonEmptiedStaysEmpty(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y", "c|3|z"}
	tests := map[string]struct {
		sheet []string
		edits string
	}{
		"the last cell of a row": {
			[]string{"name|n|note", "a|1|x", "b|2", "c|3|z"}, "D4 note=<nil><y",
		},
		"all cells of a row": {
			[]string{"name|n|note", "a|1|x", "", "c|3|z"}, "B4 name=<nil><b, C4 n=<nil><2, D4 note=<nil><y",
		},
		"the last heading": {
			[]string{"name|n", "a|1|x", "b|2|y", "c|3|z"}, "D2 note=<nil><note",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := newBlockDesk(t, source...)
			d.sheet = slices.Clone(test.sheet)
			d.refreshed(placements.Keep, source, test.sheet...)
			d.wantEdits(test.edits)
		})
	}
}

func TestOverwriteKeepsInTheRunWhatNoCellHoldsAnyMore(t *testing.T) {
	source := []string{"name|n|note", "a|1|x", "b|2|y"}
	tests := map[string]struct {
		sheet, ours []string
		back        bool // the edits are given back before the run
		want        OverwrittenRow
	}{
		"a cell that was given back": {
			[]string{"name|n|note", "a|1|x", "b|mine|y"},
			source, true,
			OverwrittenRow{Row: 4, Values: []any{"b", "mine", "y"}},
		},
		"a cell in a column that the source drops": {
			[]string{"name|n|note", "a|1|x", "b|mine|y"},
			[]string{"name|note", "a|x", "b|y"},
			false,
			OverwrittenRow{Row: 4, Values: []any{"b", "mine", "y"}},
		},
		"a heading that the source renames": {
			[]string{"name|mine|note", "a|1|x", "b|2|y"},
			[]string{"name|number|note", "a|1|x", "b|2|y"},
			false,
			OverwrittenRow{Row: 2, Values: []any{"name", "mine", "note"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := newBlockDesk(t, source...)
			d.sheet = test.sheet
			d.refreshed(placements.Keep, source, test.sheet...)
			for i := range d.before {
				d.before[i].Returned = test.back
			}
			d.refreshed(placements.Overwrite, test.ours, test.ours...)
			if diff := cmp.Diff([]OverwrittenRow{test.want}, d.plan.Overwritten); diff != "" {
				t.Errorf("kept in the run (-want +got):\n%s", diff)
			}
		})
	}
}

// Nothing is overwritten of which a run cannot keep what it replaces.
func TestMoreRowsThanARunCanKeepAreNotOverwritten(t *testing.T) {
	for _, tt := range []struct {
		rows    int
		refused bool
	}{{MaxOverwritten, false}, {MaxOverwritten + 1, true}} {
		source, edited := []string{"name|n"}, []string{"name|n"}
		for i := range tt.rows {
			source, edited = append(source, fmt.Sprintf("%d|source", i)), append(edited, fmt.Sprintf("%d|mine", i))
		}
		d := newBlockDesk(t, source...)
		d.sheet = edited
		if conflict := d.run(placements.Overwrite, source...); (conflict != "") != tt.refused {
			t.Errorf("%d edited rows: the conflict is %q", tt.rows, conflict)
		}
	}
}

// What an attempt replaced that died before it could say so is in the run with what the next one replaces, and nothing that still stands,
// wherever a person has moved it.
func TestWhatAnEarlierAttemptReplacedIsKeptInTheRun(t *testing.T) {
	row := func(row int, values ...any) OverwrittenRow { return OverwrittenRow{Row: row, Values: values} }
	for _, tt := range []struct {
		name    string
		onEdit  placements.OnEdit
		stands  *checksum.Grid
		earlier []OverwrittenRow
		want    []OverwrittenRow
	}{
		{
			"rows that were replaced", placements.Overwrite, grid("name|n", "a|1", "b|mine"),
			[]OverwrittenRow{row(2, "a", "before"), row(3, "b", "before")},
			[]OverwrittenRow{row(3, "b", "mine"), row(2, "a", "before")},
		},
		{
			"one that is replaced only now", placements.Overwrite, grid("name|n", "a|1", "b|mine"),
			[]OverwrittenRow{row(3, "b", "mine")},
			[]OverwrittenRow{row(3, "b", "mine")},
		},
		{"one that was not, and is kept", placements.Keep, grid("name|n", "a|1", "b|mine"), []OverwrittenRow{row(3, "b", "mine")}, nil},
		{"one that a person has moved", placements.Keep, grid("name|n", "b|mine", "a|1"), []OverwrittenRow{row(3, "b", "mine")}, nil},
		{
			"one of two like it", placements.Keep, grid("name|n", "a|1", "b|mine"),
			[]OverwrittenRow{row(3, "b", "mine"), row(4, "b", "mine")},
			[]OverwrittenRow{row(4, "b", "mine")},
		},
	} {
		base := grid("name|n", "a|1", "b|2")
		p := Input{Ours: base, Block: base.Block(), OnEdit: tt.onEdit, Last: writtenAs(base)}
		p.View = View{Marked: true, Extent: base.Extent(), Sheet: "Sheet1", Cells: tt.stands}
		p.Last.Overwritten = tt.earlier
		plan, fault := Decide(p)
		if fault != nil {
			t.Fatal(fault)
		}
		if diff := cmp.Diff(tt.want, plan.Replaced()); diff != "" {
			t.Errorf("%s: kept in the run (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Runs that are lost one after the other do not add up to more rows than a run can keep.
func TestARunKeepsNoMoreRowsThanItCanThoughEarlierOnesWereLost(t *testing.T) {
	source, edited := []string{"name|n"}, []string{"name|n"}
	for i := range 10 {
		source, edited = append(source, fmt.Sprintf("%d|source", i)), append(edited, fmt.Sprintf("%d|mine", i))
	}
	base := grid(source...)
	p := Input{Ours: base, Block: base.Block(), OnEdit: placements.Overwrite, Last: writtenAs(base)}
	p.View = View{Marked: true, Extent: base.Extent(), Sheet: "Sheet1", Cells: grid(edited...)}
	for i := range MaxOverwritten - 5 {
		p.Last.Overwritten = append(p.Last.Overwritten, OverwrittenRow{Row: 100 + i, Values: []any{i}})
	}
	if _, fault := Decide(p); fault == nil || !strings.Contains(fault.Message, "more than the 1000 whose values a run can keep") {
		t.Errorf("got %v", fault)
	}
	p.OnEdit = placements.Keep
	if plan, fault := Decide(p); fault != nil || len(plan.Inherited) != MaxOverwritten-5 {
		t.Errorf("%d rows are told, %v", len(plan.Inherited), fault)
	}
}

func TestATextOfTheSourceNeverBecomesAFormula(t *testing.T) {
	const text = formulaSign + `=HYPERLINK("http://example.com","x")`
	d := newBlockDesk(t, "name|n", "a|1", text+"|1", "b|2")
	d.sheet[2] = text + "|mine"
	d.refreshed(placements.Keep, []string{"name|n", "first|0", "a|1", "x|0", "y|0", "b|2"},
		"name|n", "first|0", "a|1", text+"|mine", "x|0", "y|0", "b|2") // the person's row is kept whole, one row further down
	if len(d.plan.Formulas) > 0 {
		t.Errorf("formulas %v, want none", d.plan.Formulas)
	}
	if got := d.plan.Edits[0].Yours; got != text {
		t.Errorf("the edit shows %v, want the text", got)
	}
}

func TestManyRowsAreGivenBackByOneRunAfterTheOther(t *testing.T) {
	source, edited := []string{"name|n"}, []string{"name|n"}
	for i := range MaxOverwritten + 2 {
		source, edited = append(source, fmt.Sprintf("%d|source", i)), append(edited, fmt.Sprintf("%d|mine", i))
	}
	d := newBlockDesk(t, source...)
	d.sheet = edited
	d.refreshed(placements.Keep, source, edited...)
	for _, left := range []int{2, 0} {
		for i := range d.before {
			d.before[i].Returned = true
		}
		before := len(d.before)
		if conflict := d.run(placements.Keep, source...); conflict != "" {
			t.Fatalf("conflict: %s", conflict)
		}
		if len(d.plan.Edits) != left || len(d.plan.Overwritten) != before-left {
			t.Errorf("%d edits are left and %d rows are kept in the run, want %d and %d",
				len(d.plan.Edits), len(d.plan.Overwritten), left, before-left)
		}
	}
}

func TestFormatsStandWhereTheirColumnsStand(t *testing.T) {
	for _, tt := range []struct {
		name  string
		sheet []string
		ours  []string
		want  []string
	}{
		{"in their columns", []string{"name|day|n", "a|1|x"}, []string{"name|day|n", "a|1|y"}, []string{"", "date", ""}},
		{
			"where they stood before the source reordered its columns",
			[]string{"name|day|n", "a|1|x"},
			[]string{"day|n|name", "1|x|a"},
			[]string{"", "date", ""},
		},
		{"where a person moved them", []string{"day|name|n", "1|a|x"}, []string{"name|day|n", "a|1|x"}, []string{"date", "", ""}},
		{"nowhere in a block that is gone", nil, []string{"name|day|n", "a|1|x"}, nil},
	} {
		base := grid("name|day|n", "a|1|x")
		p := Input{Last: writtenAs(base), Ours: grid(tt.ours...), OnEdit: placements.Overwrite}
		p.Block, p.Last.Formats, p.Formats = p.Ours.Block(), []string{"", "date", ""}, []string{"new"}
		p.View = View{Marked: tt.sheet != nil, Extent: base.Extent(), Sheet: "Sheet1", Cells: grid(tt.sheet...)}
		plan, fault := Decide(p)
		if fault != nil {
			t.Fatal(fault)
		}
		if diff := cmp.Diff(tt.want, plan.FormatsBefore); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if last := After(plan.Memory); !slices.Equal(last.Formats, p.Formats) {
			t.Errorf("%s: the formats %q are remembered; want those written", tt.name, last.Formats)
		}
	}
}

func TestARowIsKeptWithAFormulaThatShowsNothingYet(t *testing.T) {
	var b checksum.Builder
	b.Append(checksum.Str("a"))
	at := Position{Row: 0, Column: 2}
	var c Changes
	c.KeepRow(View{Cells: b.Grid(), Formulas: []Formula{{Position: at, Text: "=A1&A2"}}}, 0, 3)
	want := []OverwrittenRow{{Row: 1, Values: []any{"a", nil, overwrittenFormula{Formula: "=A1&A2"}}}}
	if diff := cmp.Diff(want, c.Overwritten); diff != "" {
		t.Error(diff)
	}
}
