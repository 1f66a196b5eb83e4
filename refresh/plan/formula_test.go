package plan

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
)

// withFormulas is a desk whose formulas are typed out: a cell that begins with = holds that formula and shows f.
func (d *blockDesk) withFormulas(sheet ...string) (cells []string, formulas []Formula) {
	for row, line := range sheet {
		texts := strings.Split(line, "|")
		for column, text := range texts {
			if strings.HasPrefix(text, "=") {
				formulas = append(formulas, Formula{Position: Position{Row: row, Column: column}, Text: text})
				texts[column] = "f"
			}
		}
		cells = append(cells, strings.Join(texts, "|"))
	}
	return cells, formulas
}

// planFormulas plans a refresh of a block at B2 that kept has left so, with formulas.
func (d *blockDesk) planFormulas(ours []string, sheet ...string) (Changes, *placements.Fault) {
	d.Helper()
	cells, formulas := d.withFormulas(sheet...)
	g := grid(ours...)
	last, marked := d.last()
	p := Input{
		Last: last, Edits: d.before, Ours: g, Block: g.Block(), RowKey: d.rowKey, OnEdit: placements.Keep, Now: "now",
		Means: d.means, ShiftRight: d.right,
		View: View{
			Marked: marked, Extent: checksum.Extent{Rows: len(sheet), Columns: g.Columns()}, Sheet: "Sheet1",
			Anchor: placements.Anchor{Row: 1, Column: 1}, Cells: grid(cells...), Formulas: formulas,
		},
	}
	plan, fault := Decide(p)
	if fault == nil {
		d.before = plan.Edits
		d.memory = &plan.Memory
	}
	return plan, fault
}

func TestRowsWithFormulasAreFoundAgainAfterSorting(t *testing.T) {
	source := []string{"name|n|twice", "a|1|x", "b|2|y", "c|3|z"}
	d := newBlockDesk(t, source...)
	first, fault := d.planFormulas(source, "name|n|twice", "a|1|=C3*2", "b|2|=C4*2", "c|3|=C5*2")
	if fault != nil {
		t.Fatal(fault)
	}
	sorted, fault := d.planFormulas(source, "name|n|twice", "c|3|=C3*2", "b|2|=C4*2", "a|1|=C5*2")
	if fault != nil {
		t.Fatal(fault)
	}
	if len(sorted.Edits) != 3 {
		t.Fatalf("%d cells are edited, want the three formulas: %+v", len(sorted.Edits), sorted.Edits)
	}
	for i, e := range sorted.Edits {
		if e.ID != first.Edits[i].ID || e.Column != 2 {
			t.Errorf("the edit became %+v, was %+v", e, first.Edits[i])
		}
	}
	var moved []string
	for _, f := range sorted.Formulas {
		moved = append(moved, f.Text)
	}
	if want := []string{"=C3*2", "=C5*2"}; !slices.Equal(moved, want) {
		t.Errorf("formulas %q are written, want %q", moved, want)
	}
}

func TestAnEditShowsItsFormulaWhereItStandsNow(t *testing.T) {
	d := newBlockDesk(t, "name|n", "a|1", "b|2")
	if _, fault := d.planFormulas([]string{"name|n", "a|1", "b|2"}, "name|n", "a|1", "b|=B4&C3"); fault != nil {
		t.Fatal(fault)
	}
	ours := []string{"name|n", "x|0", "a|1", "b|2"}
	plan, fault := d.planFormulas(ours, "name|n", "a|1", "b|=B4&C3")
	if fault != nil {
		t.Fatal(fault)
	}
	e := plan.Edits[0]
	if formula, ok := e.Yours.(overwrittenFormula); !ok || formula.Formula != "=B5&C4" || e.Row != 3 {
		t.Errorf("the edit is %+v, want =B5&C4 in row 3 of the block", e)
	}
	again, fault := d.planFormulas(ours, "name|n", "x|0", "a|1", "b|=B5&C4")
	if fault != nil {
		t.Fatal(fault)
	}
	if len(again.Edits) != 1 || again.Edits[0].ID != e.ID || !again.Empty() {
		t.Errorf("without a change the edits are %+v, written %+v", again.Edits, again.Rows)
	}
}

func TestAFormulaThatAnotherCellFillsCannotMove(t *testing.T) {
	for _, f := range []Formula{{}, {Text: "=SUM(C2:C3*2)", Fixed: true}} {
		p := Input{Ours: grid("name|n", "x|0", "a|1", "b|2"), OnEdit: placements.Keep, Last: writtenAs(grid("name|n", "a|1", "b|2"))}
		p.Block = p.Ours.Block()
		f.Position = Position{Row: 1, Column: 1}
		p.View = View{Marked: true, Extent: p.Last.Extent, Sheet: "Sheet1", Cells: grid("name|n", "a|7", "b|2"), Formulas: []Formula{f}}
		if _, fault := Decide(p); fault == nil || !strings.Contains(fault.Message, "the formula that fills Sheet1!B2 cannot move") {
			t.Errorf("%+v: got %v, want a conflict that names Sheet1!B2", f, fault)
		}
		p.Ours = grid("name|n", "a|1", "b|3")
		p.Block = p.Ours.Block()
		plan, fault := Decide(p)
		if fault != nil || len(plan.Edits) != 1 {
			t.Errorf("%+v: in its place it is %+v, %v; want one edit", f, plan.Edits, fault)
		}
	}
}

func TestAFormulaInItsPlaceIsLeftAlone(t *testing.T) {
	d := newBlockDesk(t, "name|n|note", "a|1|x", "b|2|y")
	d.sheet = []string{"name|n|note", "a|1|x", "b|2|=mine"}
	d.refreshed(placements.Keep, []string{"name|n|note", "a|1|x", "b|2|y"}, "name|n|note", "a|1|x", "b|2|=mine")
	d.refreshed(placements.Keep, []string{"name|n|note", "a|1|x", "b|7|z"}, "name|n|note", "a|1|x", "b|7|=mine")
	if got := d.plan.Formulas; len(got) != 1 || got[0] != (Formula{Position: Position{Row: 2, Column: 2}}) {
		t.Errorf("formulas %+v are written, want one without a text in row 2, column 2", got)
	}
	d.wantEdits("D4 note={=MINE() mine}<z")
}

func TestAKeptFormulaFollowsTheCellsThatItNames(t *testing.T) {
	before := []string{"name|n|note", "a|1|x", "b|2|y", "c|3|z"} // at B2 of Sheet1, so that a stands in row 3
	for _, tt := range []struct {
		name, formula, want string // of b, which goes to row 5
	}{
		{"its own row", "=C4*FY4_rate", "=C5*FY4_rate"},
		{"names and functions like cells", "=HEX2DEC(C4)+Q4.total", "=HEX2DEC(C5)+Q4.total"},
		{"beside the block", "=$K$4+A4", "=$K$4+A4"},
		{"its own sheet", "=Sheet1!C4+'sheet1'!$C$5", "=Sheet1!C5+'sheet1'!$C$6"},
		{"a row that leaves", "=C3+SUM(C3:D3)", "=#REF!+SUM(#REF!)"},
		{"all rows", "=C4/SUM(C$3:C$5)", "=C5/SUM(C$3:C$6)"},
		{"below", "=C4/C9", "=C5/C9"},
	} {
		d := newBlockDesk(t, before...)
		sheet := []string{"name|n|note", "a|1|x", "b|2|" + tt.formula, "c|3|z"}
		if _, fault := d.planFormulas(before, sheet...); fault != nil {
			t.Fatal(fault)
		}
		plan, fault := d.planFormulas([]string{"name|n|note", "u|7|x", "v|8|y", "b|2|y", "c|3|z"}, sheet...)
		if fault != nil {
			t.Fatal(fault)
		}
		if got := plan.Formulas; len(got) != 1 || got[0].Text != tt.want || got[0].Row != 3 {
			t.Errorf("%s: %+v is written, want %s in row 3", tt.name, got, tt.want)
		}
	}
}

func TestAKeptFormulaReadsAsAfterTheShifts(t *testing.T) {
	sorted := []string{"name|n", "c|3", "b|2", "a|1"} // by a person; at B2, the total in row 7
	for _, tt := range []struct {
		name, formula, want string // of c, which goes from row 3 to row 6
	}{
		{"its own row and the total", "=C3/C7", "=C6/C9"},
		{"another row, and the own sheet", "=C5*Sheet1!C$5", "=C3*Sheet1!C$3"},
		{"beside the block", "=$K$3+E7", "=$K$3+E7"},
		{"beside it, in columns that shift", "=D7", "=D9"},
		{"all rows", "=C3/SUM(C$3:C$5)", "=C6/SUM(C$3:C$7)"},
	} {
		d := newBlockDesk(t, "name|n", "a|1", "b|2", "c|3")
		d.means, d.right = checksum.Means{Shifts: 256}, 3
		if _, fault := d.planFormulas([]string{"name|n", "a|1", "b|2", "c|3"}, "name|n", "a|1", "b|2", "c|3"); fault != nil {
			t.Fatal(fault)
		}
		sorted[1] = "c|" + tt.formula
		plan, fault := d.planFormulas([]string{"name|n", "a|1", "b|2", "b2|2", "c|3", "d|4"}, sorted...)
		if fault != nil {
			t.Fatal(fault)
		}
		if got := plan.Formulas; len(got) != 1 || got[0].Text != tt.want || got[0].Row != 4 {
			t.Errorf("%s: %+v is written, want %s in row 4; shifts %v", tt.name, got, tt.want, plan.Shifts)
		}
	}
}

func TestAFormulaInItsPlaceFollowsRowsThatMove(t *testing.T) {
	d := newBlockDesk(t, "name|n|note", "a|1|x", "b|2|y", "c|3|z")
	sheet := []string{"name|n|note", "a|1|=C5", "b|2|y", "c|3|z"}
	if _, fault := d.planFormulas([]string{"name|n|note", "a|1|x", "b|2|y", "c|3|z"}, sheet...); fault != nil {
		t.Fatal(fault)
	}
	ours := []string{"name|n|note", "a|1|x", "c|3|z", "b|2|y"}
	plan, fault := d.planFormulas(ours, sheet...)
	if fault != nil {
		t.Fatal(fault)
	}
	if got := plan.Formulas; len(got) != 1 || got[0].Text != "=C4" || got[0].Row != 1 {
		t.Errorf("%+v is written, want =C4 in row 1", got)
	}
	if want := []checksum.Span{{From: 1, To: 4}}; !slices.Equal(plan.Rows, want) {
		t.Errorf("rows %v are written, want %v", plan.Rows, want)
	}
	if again, fault := d.planFormulas(ours, "name|n|note", "a|1|=C4", "c|3|z", "b|2|y"); fault != nil || !again.Empty() || len(again.Edits) != 1 {
		t.Errorf("the same again: %+v, %v", again, fault)
	}
}

func TestAFormulaThatShiftsCarryIsLeftAlone(t *testing.T) {
	d := newBlockDesk(t, "name|n", "a|1", "b|2")
	d.means = checksum.Means{Shifts: 256}
	ours := []string{"name|n"}
	sheet := []string{"name|n"}
	for i := range 20 {
		ours = append(ours, "k"+strconv.Itoa(i)+"|1")
	}
	sheet = append(sheet, ours[1:]...)
	sheet[20] = "k19|=C22/C30"
	for range 2 {
		if _, fault := d.planFormulas(ours, sheet...); fault != nil {
			t.Fatal(fault)
		}
	}
	plan, fault := d.planFormulas(slices.Insert(slices.Clone(ours), 1, "new|1"), sheet...)
	if fault != nil {
		t.Fatal(fault)
	}
	if len(plan.Formulas) > 0 || len(plan.Shifts) != 1 || len(plan.Rows) != 1 {
		t.Errorf("shifts %v, rows %v, formulas %+v; want one row inserted and written", plan.Shifts, plan.Rows, plan.Formulas)
	}
	if e := plan.Edits[0]; e.Yours.(overwrittenFormula).Formula != "=C23/C31" || e.Row != 21 {
		t.Errorf("the edit is %+v, want =C23/C31 in row 21 of the block", e)
	}
}

// TestADroppedRowIsNotTakenForOneThatAPersonDeletes deletes a row to which the formula of a kept row refers, so that it reads otherwise.
func TestADroppedRowIsNotTakenForOneThatAPersonDeletes(t *testing.T) {
	for _, key := range [][]string{nil, {"name"}} {
		d := newBlockDesk(t, "name|n", "a|1", "b|2", "c|3")
		d.rowKey = key
		plan := func(ours []string, sheet ...string) Changes {
			t.Helper()
			plan, fault := d.planFormulas(ours, sheet...)
			if fault != nil {
				t.Fatal(fault)
			}
			return plan
		}
		plan([]string{"name|n", "a|1", "b|2", "c|3"}, "name|n", "a|1", "b|=C5", "c|3")
		ours := []string{"name|n", "a|1", "c|3"}
		plan(ours, "name|n", "a|1", "b|=C5", "c|3") // b is dropped, and stays
		got := plan(ours, "name|n", "a|1", "b|=#REF!")
		if got.Returned != 1 || got.Grid.Rows() != 4 || checksum.CellAt(got.Grid.Cells(3, nil), 0) != checksum.Str("c") {
			t.Errorf("key %v: %d rows come back, of %d; want c below b", key, got.Returned, got.Grid.Rows())
		}
	}
}
