package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
)

func TestMistakesOfCallersAreErrors(t *testing.T) {
	at := func(row, column, rows, columns int) Patch {
		return Patch{
			Block:  Block{Document: "d", Sheet: "S", Anchor: placements.Anchor{Row: row, Column: column}},
			Extent: checksum.Extent{Rows: rows, Columns: columns},
		}
	}
	with := func(p Patch, change func(*Patch)) Patch {
		change(&p)
		return p
	}
	formulas := func(all ...Formula) Patch {
		return with(at(0, 0, 9, 2), func(p *Patch) { p.Rows, p.Formulas = []checksum.Span{{From: 4, To: 6}, {From: 1, To: 2}}, all })
	}
	f := func(row, column int, text string) Formula {
		return Formula{Position: Position{Row: row, Column: column}, Text: text}
	}
	move := func(m checksum.Move) Patch {
		return with(at(0, 0, 9, 2), func(p *Patch) { p.Moves = []checksum.Move{m} })
	}
	shift := func(p Patch, rows int) Patch {
		return with(p, func(p *Patch) { p.Shifts = []checksum.Shift{{At: 1, Rows: rows}} })
	}
	clears := func(p Patch, r checksum.CellRect) Patch {
		return with(p, func(p *Patch) { p.Clear = []checksum.CellRect{r} })
	}
	for _, row := range []struct {
		fact    string
		patches []Patch
		good    bool
	}{
		{"another document", []Patch{with(at(0, 0, 1, 1), func(p *Patch) { p.Block.Document = "e" })}, false},
		{"one below the other", []Patch{at(0, 0, 3, 2), at(3, 0, 3, 2)}, true},
		{"one beside the other", []Patch{at(0, 0, 3, 2), at(1, 2, 3, 2)}, true},
		{"one over the other", []Patch{at(0, 0, 3, 2), at(2, 1, 3, 2)}, false},
		{"the same place of another sheet", []Patch{at(0, 0, 3, 2), with(at(0, 0, 3, 2), func(p *Patch) { p.Block.Sheet = "T" })}, true},
		{"the same sheet by another case", []Patch{at(0, 0, 3, 2), with(at(0, 0, 3, 2), func(p *Patch) { p.Block.Sheet = "s" })}, false},
		{
			"one clears what the other writes",
			[]Patch{clears(at(0, 0, 3, 2), checksum.CellRect{Row: 3, Rows: 2, Columns: 2}), at(4, 0, 3, 2)},
			false,
		},
		{"one grows by shifts over where the other stood", []Patch{shift(at(0, 0, 6, 2), 3), at(3, 0, 3, 2)}, true},
		{"one shrinks by shifts from before the other", []Patch{shift(at(0, 0, 3, 2), -3), at(6, 0, 3, 2)}, true},
		{"one that shrinks by shifts stood over the other", []Patch{shift(at(0, 0, 3, 2), -3), at(5, 0, 3, 2)}, false},
		{"blocks without cells", []Patch{at(0, 0, 0, 0), at(0, 0, 3, 2)}, true},
		{"formulas in order", []Patch{formulas(f(1, 0, ""), f(1, 1, "=A1"), f(4, 0, "=1"))}, true},
		{"formulas out of order", []Patch{formulas(f(4, 0, ""), f(1, 1, "=A1"))}, false},
		{"a formula twice", []Patch{formulas(f(1, 1, ""), f(1, 1, "=A1"))}, false},
		{"a formula in a row that is not written", []Patch{formulas(f(2, 0, "=A1"))}, false},
		{"a formula beyond the block", []Patch{formulas(f(1, 2, "=A1"))}, false},
		{"a formula without its =", []Patch{formulas(f(1, 1, "A1"))}, false},
		{"a formula of nothing but =", []Patch{formulas(f(1, 1, "="))}, false},
		{"a move up", []Patch{move(checksum.Move{From: 4, Rows: 2, To: 1})}, true},
		{"a move down", []Patch{move(checksum.Move{From: 1, Rows: 2, To: 4})}, true},
		{"a move into itself", []Patch{move(checksum.Move{From: 1, Rows: 2, To: 2})}, false},
		{"a move to where the rows are", []Patch{move(checksum.Move{From: 1, Rows: 2, To: 3})}, false},
		{"a move of nothing", []Patch{move(checksum.Move{From: 1, To: 5})}, false},
	} {
		t.Run(row.fact, func(t *testing.T) {
			if err := CheckPatches("d", row.patches); (err == nil) != row.good {
				t.Errorf("got %v, want it allowed: %t", err, row.good)
			}
		})
	}
}

func TestWrittenCountsEachRowOnce(t *testing.T) {
	var w Written
	w.Count(&Patch{
		Extent: checksum.Extent{Rows: 4, Columns: 2},
		Rows:   []checksum.Span{{From: 0, To: 2}},
		Clear:  []checksum.CellRect{{Row: 4, Rows: 3, Columns: 3}, {Row: 1, Column: 2, Rows: 3, Columns: 1}},
		Shifts: []checksum.Shift{{At: 1, Rows: -5}, {At: 2, Rows: 1}},
	})
	if diff := cmp.Diff(Written{Rows: 7 + 5, Cells: 4 + 9 + 3 + 5*2}, w); diff != "" {
		t.Error(diff)
	}
}
