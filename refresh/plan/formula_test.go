package plan

import (
	"slices"
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
		Last: last, Edits: d.before, Ours: g, Block: g.Block(), OnEdit: placements.Keep, Now: "now",
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
