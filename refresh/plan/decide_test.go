package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

// grid makes a table of texts; "" is an empty cell and "=x" in a view the formula =X() that shows x.
func grid(rows ...string) *checksum.Grid {
	var b checksum.Builder
	for _, row := range rows {
		for cell := range strings.SplitSeq(row, "|") {
			b.Text(strings.TrimPrefix(cell, "="))
		}
		b.EndRow()
	}
	return b.Grid()
}

func formulas(rows ...string) (at []Formula) {
	for i, row := range rows {
		for k, cell := range strings.Split(row, "|") {
			if strings.HasPrefix(cell, "=") {
				at = append(at, Formula{Position: Position{Row: i, Column: k}, Text: "=" + strings.ToUpper(cell[1:]) + "()"})
			}
		}
	}
	return at
}

// applied is what stands in the sheet once the plan was carried out, in the rows and columns that were read or written.
func applied(sheet []string, p Changes) []string {
	var cells [][]string
	for _, row := range sheet {
		cells = append(cells, strings.Split(row, "|"))
	}
	put := func(row, column int, text string) {
		for len(cells) <= row {
			cells = append(cells, nil)
		}
		for len(cells[row]) <= column {
			cells[row] = append(cells[row], "")
		}
		cells[row][column] = text
	}
	for _, s := range p.Shifts {
		for len(cells) < s.At {
			cells = append(cells, nil)
		}
		if s.Rows > 0 {
			cells = slices.Insert(cells, s.At, make([][]string, s.Rows)...)
		} else {
			cells = slices.Delete(cells, s.At, min(s.At-s.Rows, len(cells)))
		}
	}
	formulas := map[Position]string{}
	for _, f := range p.Formulas {
		formulas[f.Position] = f.Text
	}
	for _, span := range p.Rows {
		for row := span.From; row < span.To; row++ {
			shown := p.Grid.Cells(row, nil)
			for column := range p.Grid.Columns() {
				text, formula := formulas[Position{Row: row, Column: column}]
				switch {
				case formula && text != "":
					put(row, column, "="+strings.ToLower(strings.TrimSuffix(text[1:], "()")))
				case !formula:
					put(row, column, checksum.CellAt(shown, column).Text)
				}
			}
		}
	}
	for _, r := range p.Clear {
		for row := r.Row; row < r.Row+r.Rows; row++ {
			for column := r.Column; column < r.Column+r.Columns; column++ {
				put(row, column, "")
			}
		}
	}
	var out []string
	for _, row := range cells {
		out = append(out, strings.TrimRight(strings.Join(row, "|"), "|"))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// writtenAs is what is known of a write that left g, and nothing of a person in it.
func writtenAs(g *checksum.Grid) Last {
	return Last{Completed: &checksum.Baseline{BlockRows: g.Block(), Header: header(g)}, Extent: g.Extent()}
}

func TestDecide(t *testing.T) {
	base := []string{"name|n", "a|1", "b|2", "c|3"}
	for _, tt := range []struct {
		name     string
		base     []string // written last; nil: nothing is known
		claimed  checksum.Extent
		reported bool // the claim came with a digest of base
		sheet    []string
		unmarked bool
		marker   checksum.Extent // zero: as large as base
		ours     []string
		onEdit   placements.OnEdit
		want     []string
		rows     int // written
		edited   []int
		conflict string
	}{
		{
			name: "an unchanged block is not touched",
			base: base, sheet: base, ours: base, want: base,
		},
		{
			name: "only the changed row is written",
			base: base, sheet: base, ours: []string{"name|n", "a|1", "b|5", "c|3"},
			want: []string{"name|n", "a|1", "b|5", "c|3"}, rows: 1,
		},
		{
			name: "lost rows and columns are cleared",
			base: base, sheet: base, ours: []string{"name", "a"},
			want: []string{"name", "a"}, rows: 2,
		},
		{
			name: "a row edited by hand stays by default, and the others are refreshed",
			base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"}, ours: []string{"name|n", "a|7", "b|2", "c|3"},
			want: []string{"name|n", "a|7", "b|by hand", "c|3"}, rows: 1, edited: []int{4},
		},
		{
			name: "an edited row whose data changed too stays as well",
			base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"}, ours: []string{"name|n", "a|1", "b|9", "c|3"},
			want: []string{"name|n", "a|1", "b|by hand", "c|3"}, edited: []int{4},
		},
		{
			name: "an edit is overwritten when asked for",
			base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"}, ours: base, onEdit: placements.Overwrite,
			want: base, rows: 1, edited: []int{4},
		},
		{
			name: "an edit stops the run when asked for",
			base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"}, ours: base, onEdit: placements.Stop,
			conflict: "C4 (n) was edited by hand",
		},
		{
			name: "a formula is an edit, whatever it shows",
			base: base, sheet: []string{"name|n", "a|1", "b|=2", "c|3"}, ours: []string{"name|n", "a|1", "b|4", "c|4"},
			want: []string{"name|n", "a|1", "b|=2", "c|4"}, rows: 1, edited: []int{4},
		},
		{
			name: "a formula on a row that moves goes along",
			base: base, sheet: []string{"name|n", "a|1", "b|=2", "c|3"}, ours: []string{"name|n", "x|0", "a|1", "b|2", "c|3"},
			want: []string{"name|n", "x|0", "a|1", "b|=2", "c|3"}, rows: 4, edited: []int{5},
		},
		{
			name: "an edit that says what the data now says is no edit",
			base: base, sheet: []string{"name|n", "a|1", "b|5", "c|3"}, ours: []string{"name|n", "a|1", "b|5", "c|3"},
			onEdit: placements.Stop,
			want:   []string{"name|n", "a|1", "b|5", "c|3"},
		},
		{
			name: "rows deleted by hand come back",
			base: base, sheet: []string{"name|n", "a|1", "c|3"}, marker: checksum.Extent{Rows: 3, Columns: 2}, ours: base,
			onEdit: placements.Keep,
			want:   base, rows: 2,
		},
		{
			name: "a row cut out of the block and inserted right below it comes back",
			base: base, sheet: []string{"name|n", "b|2", "c|3", "a|1", "total|6"}, marker: checksum.Extent{Rows: 3, Columns: 2}, ours: base,
			onEdit: placements.Stop,
			want:   append(base[:4:4], "total|6"), rows: 3,
		},
		{
			name: "a row that a row inserted in a block without its marker pushed out comes back",
			base: base, sheet: []string{"name|n", "a|1", "mine|9", "b|2", "c|3", "total|6"}, unmarked: true, ours: base,
			want: []string{"name|n", "a|1", "mine|9", "b|2", "c|3", "total|6"}, edited: []int{4},
		},
		{
			name: "a row of the block copied below it is a person's",
			base: base, sheet: append(base[:4:4], "a|1"), ours: []string{"name|n", "a|1", "b|5", "c|3"},
			want: []string{"name|n", "a|1", "b|5", "c|3", "a|1"}, rows: 1,
		},
		{
			name: "a formula below the block that shows one of its rows is a person's",
			base: base, sheet: []string{"name|n", "b|2", "c|3", "a|=1"}, marker: checksum.Extent{Rows: 3, Columns: 2}, ours: base,
			conflict: "Sheet1!B5:C5 holds something that is not its own",
		},
		{
			name: "growing over empty cells",
			base: base, sheet: base, ours: append(base[:4:4], "d|4"),
			want: append(base[:4:4], "d|4"), rows: 1,
		},
		{
			name: "growing down into cells that are not ours stops",
			base: base, sheet: append(base[:4:4], "total|6"), ours: append(base[:4:4], "d|4"),
			conflict: "Sheet1!B6:C6 holds something that is not its own: refresh with shiftRows, insert a row above row 6, clear those cells or move the report",
		},
		{
			name: "growing down by several rows says how many are to be inserted",
			base: base, sheet: append(base[:4:4], "", "total"), ours: append(base[:4:4], "d|4", "e|5", "f|6"),
			conflict: "Sheet1!B7 holds something that is not its own: refresh with shiftRows, insert 2 rows above row 7, clear that cell or move the report",
		},
		{
			name: "growing sideways into cells that are not ours stops",
			base: base, sheet: []string{"name|n", "a|1|note", "b|2", "c|3"}, ours: []string{"name|n|m", "a|1|1", "b|2|2", "c|3|3"},
			conflict: "Sheet1!D3 holds something that is not its own: insert a column left of column D, clear that cell or move the report",
		},
		{
			name: "growing both ways into cells that are not ours says no more than to clear them",
			base: base, sheet: []string{"name|n", "a|1|note", "b|2", "c|3", "total"},
			ours:     []string{"name|n|m", "a|1|1", "b|2|2", "c|3|3", "d|4|4"},
			conflict: "Sheet1!B3:D6 holds something that is not its own: clear those cells or move the report",
		},
		{
			name: "growing into a formula stops even when it shows nothing",
			base: base, sheet: append(base[:4:4], "="), ours: append(base[:4:4], "d|4"),
			conflict: "Sheet1!B6 holds something",
		},
		{
			name: "neighbours that the block does not grow into are no matter",
			base: base, sheet: []string{"name|n|left alone", "a|1", "b|2", "c|3", "", "below"},
			ours: []string{"name|n", "a|2", "b|2", "c|3"},
			want: []string{"name|n|left alone", "a|2", "b|2", "c|3", "", "below"}, rows: 1,
		},
		{
			name: "an attempt that wrote and died finds its own cells, not a conflict",
			base: base, sheet: []string{"name|n|m", "a|1|1", "b|2|2", "c|3|3", "d|4|4"}, onEdit: placements.Stop,
			ours: []string{"name|n|m", "a|1|1", "b|2|2", "c|3|3", "d|4|4"},
			want: []string{"name|n|m", "a|1|1", "b|2|2", "c|3|3", "d|4|4"},
		},
		{
			name:  "a block that was let go of and is placed again needs no write",
			sheet: base, unmarked: true, ours: base, want: base,
		},
		{
			name:  "a first write takes empty cells",
			sheet: nil, unmarked: true, ours: base, want: base, rows: 4,
		},
		{
			name:  "a first write does not take what is filled",
			sheet: []string{"", "|mine"}, unmarked: true, ours: base,
			conflict: "Sheet1!C3 holds something that is not its own: clear that cell or move the report",
		},
		{
			name:    "what an add-in wrote and measured is ours",
			claimed: checksum.Extent{Rows: 4, Columns: 2}, reported: true, base: base, sheet: base, unmarked: true,
			ours: []string{"key|n", "a|1", "b|2", "c|4"}, want: []string{"key|n", "a|1", "b|2", "c|4"}, rows: 2,
		},
		{
			name:    "what an add-in wrote, and a person then edited, is not proved by its digest",
			claimed: checksum.Extent{Rows: 4, Columns: 2}, reported: true, base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"},
			unmarked: true, ours: []string{"name|n", "a|1", "b|2", "c|4"},
			conflict: "Sheet1!B4:C5 holds something that is not its own",
		},
		{
			name:    "nor is it where a marker stands: rows of another digest are no edits",
			claimed: checksum.Extent{Rows: 4, Columns: 2}, reported: true, base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"},
			marker: checksum.Extent{Rows: 4, Columns: 2}, ours: []string{"name|n", "a|1", "b|2", "c|4"},
			conflict: "B4:C5 in the block at Sheet1!B2 are not as the client said that wrote there last",
		},
		{
			name:    "they are overwritten when that is asked",
			claimed: checksum.Extent{Rows: 4, Columns: 2}, reported: true, base: base, sheet: []string{"name|n", "a|1", "b|by hand", "c|3"},
			marker: checksum.Extent{Rows: 4, Columns: 2}, ours: []string{"name|n", "a|1", "b|2", "c|4"}, onEdit: placements.Overwrite,
			want: []string{"name|n", "a|1", "b|2", "c|4"}, rows: 2, edited: []int{4, 5},
		},
		{
			name:    "a digest of fewer rows than were said makes the block as large as they are",
			claimed: checksum.Extent{Rows: 9, Columns: 2}, reported: true, base: base, sheet: []string{"name|n", "a|1", "b|2", "c|3", "their|note"},
			unmarked: true, ours: []string{"key|n", "a|1", "b|2", "c|4", "d|5"},
			conflict: "Sheet1!B6:C6 holds something that is not its own",
		},
		{
			name:    "a claim without a digest holds where the header stands",
			claimed: checksum.Extent{Rows: 4, Columns: 2}, sheet: base, unmarked: true,
			ours: []string{"name|n", "a|1", "b|2"}, want: []string{"name|n", "a|1", "b|2"},
		},
		{
			name:    "a claim on cells that were filled by somebody does not hold",
			claimed: checksum.Extent{Rows: 4, Columns: 2}, sheet: []string{"my|own", "table|1"}, unmarked: true, ours: base,
			conflict: "Sheet1!B2:C3 holds something that is not its own: clear those cells or move the report",
		},
		{
			name: "without its marker a block is found by its header and rows",
			base: base, sheet: base, unmarked: true, ours: []string{"name|n", "a|1", "b|2", "c|4"},
			want: []string{"name|n", "a|1", "b|2", "c|4"}, rows: 1,
		},
		{
			name: "without its marker and with other rows below its header a block is lost",
			base: base, sheet: []string{"name|n", "x|1", "y|2", "z|3"}, unmarked: true, ours: base,
			conflict: "the marker of the block is gone",
		},
		{
			name: "without its marker a block is written anew where nothing stands",
			base: base, sheet: []string{"", "", "", "", "", "below"}, unmarked: true, ours: base,
			want: []string{"name|n", "a|1", "b|2", "c|3", "", "below"}, rows: 4,
		},
		{
			name: "without marker and header a block is lost",
			base: base, sheet: []string{"", "", "", "name|n"}, unmarked: true, ours: base,
			conflict: "the marker of the block is gone, and what stands at Sheet1!B2 is not the block: clear Sheet1!B2:C5 to have the block written there again, " +
				"or connect the report to Sheet1!B5, where its headings stand",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Input{Ours: grid(tt.ours...), OnEdit: tt.onEdit}
			p.Block = p.Ours.Block()
			p.View = View{
				Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 1}, Cells: grid(tt.sheet...), Formulas: formulas(tt.sheet...),
			}
			p.Last = Last{Extent: tt.claimed}
			switch {
			case tt.reported:
				sum := grid(tt.base...).Checksum()
				p.Last = Last{Report: &sum, Said: tt.claimed, Extent: checksum.Extent{Rows: 1, Columns: 1}}
			case tt.base != nil:
				p.Last = writtenAs(grid(tt.base...))
			}
			if !tt.unmarked {
				p.View.Marked, p.View.Extent = true, p.Last.Extent
				if tt.marker.Rows > 0 {
					p.View.Extent = tt.marker
				}
			}
			plan, fault := Decide(p)
			if tt.conflict != "" {
				if fault == nil || fault.Class != placements.Conflict || !strings.Contains(fault.Message, tt.conflict) {
					t.Fatalf("got %v, want a conflict with %q", fault, tt.conflict)
				}
				checkClash(t, p, fault.Clash)
				return
			}
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tt.want, applied(tt.sheet, plan)); diff != "" {
				t.Errorf("the sheet afterwards (-want +got):\n%s", diff)
			}
			if got := plan.Written(); got != tt.rows {
				t.Errorf("writes %d rows, want %d", got, tt.rows)
			}
			if diff := cmp.Diff(tt.edited, plan.EditedRows); diff != "" {
				t.Errorf("edited rows (-want +got):\n%s", diff)
			}
		})
	}
}

// checkClash checks that a conflict names those options of a run that end it, and no others.
func checkClash(t *testing.T, p Input, c *placements.Clash) {
	t.Helper()
	over, shifting := p, p
	over.OnEdit, over.Asked, over.Means.Shifts = placements.Overwrite, true, 0
	shifting.Means.Shifts = 256
	var said placements.Clash
	if c != nil {
		said = *c
	}
	if _, fault := Decide(over); said.Overwrite != (fault == nil) {
		t.Errorf("overwrite is offered: %t, and it ends in %v", said.Overwrite, fault)
	}
	if _, fault := Decide(shifting); (said.Room != nil && said.Room.ShiftRows) != (fault == nil) {
		t.Errorf("shiftRows is offered in %+v, and it ends in %v", said.Room, fault)
	}
}

// What a block lacks is said in numbers: how far it grows, what is in the way, and how many rows a person inserts.
func TestTheRoomThatABlockLacks(t *testing.T) {
	base := []string{"name|n", "a|1", "b|2", "c|3"}
	for _, tt := range []struct {
		name        string
		sheet, ours []string
		want        placements.MissingRoom
	}{
		{
			"below an empty row", append(base[:4:4], "", "total|=sum"), append(base[:4:4], "d|4", "e|5"),
			placements.MissingRoom{Cells: "Sheet1!B7:C7", Filled: 2, Rows: 2, InsertRows: 1, ShiftRows: true},
		},
		{
			"beside it",
			[]string{"name|n", "a|1|note", "b|2", "c|3"},
			[]string{"name|n|m", "a|1|1", "b|2|2", "c|3|3"},
			placements.MissingRoom{Cells: "Sheet1!D3", Filled: 1, Columns: 1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ours := grid(tt.ours...)
			_, fault := Decide(Input{
				Last: writtenAs(grid(base...)), Ours: ours, Block: ours.Block(),
				View: View{
					Marked: true, Extent: grid(base...).Extent(), Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 1},
					Cells: grid(tt.sheet...), Formulas: formulas(tt.sheet...),
				},
			})
			if fault == nil || fault.Clash == nil {
				t.Fatalf("got %v, want a conflict", fault)
			}
			if diff := cmp.Diff(placements.Clash{Room: &tt.want}, *fault.Clash); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOverwriteKeepsWhatWasTyped(t *testing.T) {
	base := grid("name|n", "a|1", "b|2")
	type formula = overwrittenFormula
	for _, tt := range []struct {
		name   string
		sheet  []string
		filled bool // by the formula of another cell
		want   []OverwrittenRow
	}{
		{
			name:  "values",
			sheet: []string{"name|n", "typed|by hand", "b|2"},
			want:  []OverwrittenRow{{Row: 2, Values: []any{"typed", "by hand"}}},
		},
		{
			name:  "a row that was emptied",
			sheet: []string{"name|n", "", "b|2"},
			want:  []OverwrittenRow{{Row: 2, Values: []any{}}},
		},
		{
			name:  "a formula beside a value",
			sheet: []string{"name|n", "a|1", "by hand|=x"},
			want:  []OverwrittenRow{{Row: 3, Values: []any{"by hand", formula{"=X()", "x"}}}},
		},
		{
			name:  "formulas of one row after another",
			sheet: []string{"name|n", "=x|=y", "b|=z"},
			want: []OverwrittenRow{
				{Row: 2, Values: []any{formula{"=X()", "x"}, formula{"=Y()", "y"}}},
				{Row: 3, Values: []any{"b", formula{"=Z()", "z"}}},
			},
		},
		{
			name:  "a formula that shows nothing",
			sheet: []string{"name|n", "|="},
			want:  []OverwrittenRow{{Row: 2, Values: []any{nil, formula{"=()", nil}}}},
		},
		{
			name:  "a formula beside the block is not overwritten",
			sheet: []string{"name|n", "a|by hand|=x", "b|2"},
			want:  []OverwrittenRow{{Row: 2, Values: []any{"a", "by hand"}}},
		},
		{
			name:  "a cell that another one's formula fills is its value",
			sheet: []string{"name|n", "a|=x", "b|2"}, filled: true,
			want: []OverwrittenRow{{Row: 2, Values: []any{"a", "x"}}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := Input{Ours: base, Block: base.Block(), OnEdit: placements.Overwrite}
			p.Last = writtenAs(base)
			p.View = View{Marked: true, Extent: base.Extent(), Sheet: "Sheet1", Cells: grid(tt.sheet...), Formulas: formulas(tt.sheet...)}
			for i := range p.View.Formulas {
				if tt.filled {
					p.View.Formulas[i].Text = ""
				}
			}
			plan, fault := Decide(p)
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff(tt.want, plan.Overwritten); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// Where a block goes that was never written, cells are replaced only for who asked for that and is told what they were.
func TestCellsWhereABlockGoes(t *testing.T) {
	ours := grid("name|n", "a|1", "b|2")
	sheet := []string{"Mine", "", "|=x|beside", "below"}
	begun := Last{Begun: []checksum.Baseline{{BlockRows: ours.Block(), Header: header(ours)}}}
	for _, tt := range []struct {
		name     string
		last     Last
		onEdit   placements.OnEdit
		unasked  bool
		over     bool // the run was asked to write over
		conflict string
	}{
		{name: "a run that is to write over", over: true, onEdit: placements.Keep},
		{name: "whatever it does with edits", over: true, onEdit: placements.Stop},
		{name: "and again, as nothing came of that", over: true, last: begun, onEdit: placements.Keep},
		{name: "overwrite that was asked for", onEdit: placements.Overwrite},
		{name: "and again, as nothing came of it", last: begun, onEdit: placements.Overwrite},
		{name: "overwrite by habit", onEdit: placements.Overwrite, unasked: true, conflict: "Sheet1!A1:B3 holds something that is not its own"},
		{name: "keep", onEdit: placements.Keep, conflict: "holds something that is not its own"},
		{name: "stop", onEdit: placements.Stop, conflict: "holds something that is not its own"},
		{name: "a block that was written and is gone", last: writtenAs(ours), onEdit: placements.Overwrite, conflict: "the marker of the block is gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes, fault := Decide(Input{
				Last: tt.last, Ours: ours, Block: ours.Block(), OnEdit: tt.onEdit, Asked: !tt.unasked, WriteOver: tt.over,
				View: View{Sheet: "Sheet1", Cells: grid(sheet...), Formulas: formulas(sheet...)},
			})
			if tt.conflict != "" {
				if fault == nil || !strings.Contains(fault.Message, tt.conflict) {
					t.Errorf("got %v, want %q", fault, tt.conflict)
				}
				return
			}
			if fault != nil {
				t.Fatal(fault)
			}
			if diff := cmp.Diff([]string{"name|n", "a|1", "b|2|beside", "below"}, applied(sheet, changes)); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
			want := []OverwrittenRow{{Row: 1, Values: []any{"Mine"}}, {Row: 3, Values: []any{nil, overwrittenFormula{"=X()", "x"}}}}
			if diff := cmp.Diff(want, changes.Overwritten); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// A run that is to write over keeps what it replaces, and replaces no more than it can keep.
func TestNoMoreCellsAreWrittenOverThanAreKept(t *testing.T) {
	rows := []string{"name|n"}
	for i := range 600 {
		rows = append(rows, fmt.Sprintf("%d|x", i))
	}
	ours := grid(rows...)
	for _, filled := range []int{MaxOverwritten, MaxOverwritten + 1} {
		var sheet []string
		for i := 0; i < filled; i += 2 {
			sheet = append(sheet, []string{"mine|mine", "mine"}[max(0, i+2-filled)])
		}
		changes, fault := Decide(Input{
			Ours: ours, Block: ours.Block(), OnEdit: placements.Keep, WriteOver: true, View: View{Sheet: "Sheet1", Cells: grid(sheet...)},
		})
		if filled <= MaxOverwritten {
			if fault != nil || changes.Difference.Restorable != filled || !changes.Over {
				t.Errorf("of %d cells %d can be put back: %v", filled, changes.Difference.Restorable, fault)
			}
		} else if fault == nil || !strings.Contains(fault.Message, "1001 cells are filled where the block goes at Sheet1!A1:B601, more than the 1000") {
			t.Errorf("of %d cells: %v", filled, fault)
		}
	}
}

// TestOverwriteKeepsAFormulaBelowAllCells has a formula that shows nothing in a row that is not among the cells read: empty rows at the
// end may be missing there.
func TestOverwriteKeepsAFormulaBelowAllCells(t *testing.T) {
	base := grid("name|n", "a|1", "b|2")
	p := Input{Ours: base, Block: base.Block(), OnEdit: placements.Overwrite}
	p.Last = writtenAs(base)
	p.View = View{Marked: true, Extent: base.Extent(), Cells: grid("name|n", "a|1"), Formulas: formulas("name|n", "a|1", "=")}
	plan, fault := Decide(p)
	if fault != nil {
		t.Fatal(fault)
	}
	want := []OverwrittenRow{{Row: 3, Values: []any{overwrittenFormula{"=()", nil}}}}
	if diff := cmp.Diff(want, plan.Overwritten); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}
