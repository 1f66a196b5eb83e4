package formula

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mooring/placements"
)

// swapped is a block of headings and eight rows at B3 of Data, of four columns; what stood in its rows 5, 6 and 9 changed places.
func swapped(by ...CellShift) *Rearrangement {
	rows := []int{2, 3, 8, 4, 6, 7, 5, 9, 10}
	for i, row := range rows {
		rows[i], _ = Shifts(by).Cell("Data", row, 1)
	}
	return NewRearrangement("Data", placements.Rect{Top: 2, Left: 1, Bottom: 10, Right: 4}, rows, []int{1, 2, 3, 4}, by)
}

func TestReferencesFollowRowsThatAreWrittenInAnotherOrder(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a cell":                              {"=C5*2", "=C9*2"},
		"fixed or not":                        {"=$C$5*C$5+$C6", "=$C$9*C$9+$C5"},
		"a name that looks like a cell":       {"=C5*FY5_rate+Q5.total+_C5", "=C9*FY5_rate+Q5.total+_C5"},
		"a function that looks like one":      {"=HEX2DEC(C5)+LOG5(C5)", "=HEX2DEC(C9)+LOG5(C9)"},
		"its own sheet":                       {"=Data!C5+DATA!C5+'data'!$C$5", "=Data!C9+DATA!C9+'data'!$C$9"},
		"another sheet":                       {"='C5'!C5+Other!C5+[1]Data!C5", "='C5'!C5+Other!C5+[1]Data!C5"},
		"a cell beside the block":             {"=$K$5+A5+F5+C5", "=$K$5+A5+F5+C9"},
		"a cell above, one below":             {"=C2+C3+C12", "=C2+C3+C12"},
		"a range in the row":                  {"=SUM(B5:E5)", "=SUM(B9:E9)"},
		"a range beyond the block's columns":  {"=SUM(A5:E5,B5:F5)", "=SUM(A5:E5,B5:F5)"},
		"a range of all rows":                 {"=C5/SUM(C$4:C$11)", "=C9/SUM(C$4:C$11)"},
		"a range of rows that stay together":  {"=SUM(C5:C7,C7:C8)", "=SUM(C5:C7,C7:C8)"},
		"a range that another row comes into": {"=SUM(C6:C7)", "=SUM(C6:C7)"},
		"a range below, and one from above":   {"=SUM(C12:C20)+SUM(C1:C4)", "=SUM(C12:C20)+SUM(C1:C4)"},
		"whole columns and rows":              {"=SUM(C:C,5:5)", "=SUM(C:C,5:5)"},
		"open at an end":                      {"=SUM(C4:C,C12:C)", "=SUM(C4:C,C12:C)"},
		"a text, a table":                     {`="C5"&T1[C5]`, `="C5"&T1[C5]`},
		"sheets from one to another":          {"=SUM(Data:Other!C5)", "=SUM(Data:Other!C5)"},
	} {
		if got := swapped().Rewrite(test.text, Place{Sheet: "Data", Row: 4, Column: 4}); got != test.want {
			t.Errorf("%s: %s became %s, want %s", name, test.text, got, test.want)
		}
	}
}

func TestReferencesFollowBothShiftsAndAnotherOrder(t *testing.T) {
	insert := CellShift{Sheet: "Data", Left: 1, Right: 6, Row: 6, Rows: 2, Block: placements.Rect{Top: 2, Left: 1, Bottom: 10, Right: 4}}
	end := CellShift{Sheet: "Data", Left: 1, Right: 6, Row: 13, Rows: 1, Block: placements.Rect{Top: 2, Left: 1, Bottom: 12, Right: 4}}
	for name, test := range map[string]struct{ text, want string }{
		"the total below":                   {"=C5/C12", "=C11/C15"},
		"the formula beside, in fillRight":  {"=G5+G9", "=G5+G11"},
		"a cell beyond":                     {"=H9+A9", "=H9+A9"},
		"a range of all rows":               {"=SUM(C$4:C$11)", "=SUM(C$4:C$14)"},
		"one that grows at neither end":     {"=SUM(C4:C11)", "=SUM(C4:C13)"},
		"rows that stand together no more":  {"=SUM(C5:C7)", "=SUM(C5:C9)"},
		"a range below":                     {"=SUM(C12:C20)", "=SUM(C15:C23)"},
		"a range with columns of fillRight": {"=SUM(D9:G9)", "=SUM(D11:G11)"},
	} {
		if got := swapped(insert, end).Rewrite(test.text, Place{Sheet: "Data", Row: 4, Column: 4}); got != test.want {
			t.Errorf("%s: %s became %s, want %s", name, test.text, got, test.want)
		}
	}
}

func TestReferencesFollowColumnsAndLoseWhatIsGone(t *testing.T) {
	r := NewRearrangement("Data", placements.Rect{Top: 2, Left: 1, Bottom: 5, Right: 4}, []int{2, 4, -1, 3}, []int{2, 1, -1, 4}, nil)
	for _, test := range []struct{ text, want string }{
		{"=B4*C4", "=C5*B5"},
		{"=$B$4+SUM(B4:C4)", "=$C$5+SUM(B5:C5)"},
		{"=C4:B4", "=C5:B5"},
		{"=B5+SUM(B5:C5)+B4", "=#REF!+SUM(#REF!)+C5"},
		{"=Data!D4+E4", "=#REF!+E5"},
		{"=SUM(B4:B6)", "=SUM(C4:C6)"},
		{"=B7+B3", "=B7+C3"},
	} {
		if got := r.Rewrite(test.text, Place{Sheet: "Data", Row: 3, Column: 4}); got != test.want {
			t.Errorf("%s became %s, want %s", test.text, got, test.want)
		}
	}
}

func TestAFormulaReadsTheSameInTheRowsThatItIsFilledInto(t *testing.T) {
	for _, test := range []struct{ in4, in9 string }{
		{"=C4*2", "=C9*2"},
		{"=C4-C3", "=C9-C8"},
		{"=SUM(B4:D6)", "=SUM(B9:D11)"},
		{"=C$4*$D4+E$1:E4", "=C$4*$D9+E$1:E9"},
		{"=Data!C4+'data'!$C$4", "=Data!C9+'data'!$C$4"},
		{"=C4*FY4_rate+HEX4DEC(Q4.total)", "=C9*FY4_rate+HEX4DEC(Q4.total)"},
		{`=IF(C4="C4",'C4'!C4,Other!C4)&LOG4(C4)`, `=IF(C9="C4",'C4'!C4,Other!C4)&LOG4(C9)`},
	} {
		relative := Relative(test.in4, Place{Sheet: "Data", Row: 3}, "|")
		if other := Relative(test.in9, Place{Sheet: "Data", Row: 8}, "|"); other != relative {
			t.Errorf("%s in row 4 is %q, %s in row 9 %q", test.in4, relative, test.in9, other)
		}
	}
}

// rearranged is a block that is drawn, with the shifts of it, and the sheet before and after: its cells, numbered, have been moved one by
// one. Rows of the block are gone, or stand in another order than the shifts leave them.
func rearranged(t *rapid.T) (r *Rearrangement, before, after model) {
	top, left := rapid.IntRange(1, 4).Draw(t, "top"), rapid.IntRange(0, 2).Draw(t, "left")
	block := placements.Rect{Top: top, Left: left, Bottom: top + rapid.IntRange(1, 9).Draw(t, "below"), Right: left + 1}
	right := rapid.IntRange(block.Right, modelColumns-1).Draw(t, "right")
	before, after = newModel(), newModel()
	var by Shifts
	end := block.Bottom
	for range rapid.IntRange(0, 3).Draw(t, "shifts") {
		s := CellShift{Sheet: "Data", Left: left, Right: right, Row: rapid.IntRange(top+1, end).Draw(t, "row")}
		if s.Rows = rapid.IntRange(s.Row-end, 3).Draw(t, "rows"); s.Rows == 0 {
			continue
		}
		end += s.Rows
		by = append(by, s)
		after.shift(s)
	}
	rows := make([]int, block.Bottom-block.Top+1)
	places := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Perm(end - top + 1)
	for row := range rows {
		rows[row] = -1
		if row < len(places) && rapid.IntRange(0, 4).Draw(t, "gone") > 0 {
			rows[row] = top + places[row]
		}
	}
	if rapid.Bool().Draw(t, "in order") {
		some := slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return row < 0 })
		slices.Sort(some)
		for row := range rows {
			if rows[row] >= 0 {
				rows[row], some = some[0], some[1:]
			}
		}
	}
	for column := left; column <= block.Right; column++ {
		for row := top; row <= end; row++ {
			after[column][row] = 0
		}
		for row, to := range rows {
			if to >= 0 {
				after[column][to] = before[column][top+row]
			}
		}
	}
	columns := []int{left, left + 1}
	if rapid.Bool().Draw(t, "columns change places") {
		columns = []int{left + 1, left}
		for row := top; row <= end; row++ {
			after[left][row], after[left+1][row] = after[left+1][row], after[left][row]
		}
	}
	return NewRearrangement("Data", block, rows, columns, by), before, after
}

// TestAReferenceFollowsTheCellThatItNamed compares with a sheet whose cells were moved one by one. A range names all of its cells that are
// left and no others, if any range does.
func TestAReferenceFollowsTheCellThatItNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, before, after := rearranged(t)
		row := rapid.IntRange(r.block.Top-1, r.block.Bottom+2)
		column := rapid.OneOf(rapid.IntRange(0, modelColumns-1), rapid.IntRange(r.block.Left, r.block.Right))
		at := placements.Anchor{Row: row.Draw(t, "row"), Column: column.Draw(t, "column")}
		to := placements.Anchor{Row: row.Draw(t, "row"), Column: column.Draw(t, "column")}
		text := at.String()
		if rapid.Bool().Draw(t, "range") {
			text += ":" + to.String()
		}
		area := References(text)[0].Area
		want := after.standing(before.numbers(area))
		got := r.Rewrite("=2*DATA!"+text+"+Other!A1", Place{Sheet: "Data", Row: 1})
		list := References(got)
		if len(list) == 1 {
			if len(want) > 0 && rangeOf(after, want) && !torn(r, area) {
				t.Fatalf("%s became %s, and %v are there", text, got, want)
			}
			return
		}
		can := len(want) == 0 || rangeOf(after, want)
		if have := after.sorted(list[0].Area); !slices.Equal(have, want) && can && !torn(r, area) {
			t.Fatalf("%s became %s: cells %v, want %v", text, got, have, want)
		}
	})
}

// torn reports whether an area has columns of which only some are the block's, or shifted.
func torn(r *Rearrangement, area placements.Rect) bool {
	partly := func(left, right int) bool {
		return area.Left <= right && area.Right >= left && (area.Left < left || area.Right > right)
	}
	return partly(r.block.Left, r.block.Right) || len(r.by) > 0 && partly(r.by[0].Left, r.by[0].Right) ||
		area.Left != area.Right && (area.Top < r.block.Top || area.Bottom > r.block.Bottom)
}

// standing returns those of the numbers that stand somewhere, ascending.
func (m model) standing(numbers []int) (list []int) {
	for _, n := range numbers {
		for c := range m {
			if slices.Contains(m[c], n) {
				list = append(list, n)
			}
		}
	}
	slices.Sort(list)
	return list
}

// sorted returns the cells of an area that were not inserted, ascending.
func (m model) sorted(area placements.Rect) []int {
	list := m.numbers(area)
	slices.Sort(list)
	return list
}

// rangeOf reports whether a range names those numbers and no others.
func rangeOf(m model, numbers []int) bool {
	hull := placements.Rect{Top: placements.MaxRow, Left: modelColumns}
	for c := range m {
		for row, n := range m[c] {
			if slices.Contains(numbers, n) {
				hull = placements.Rect{Top: min(hull.Top, row), Left: min(hull.Left, c), Bottom: max(hull.Bottom, row), Right: max(hull.Right, c)}
			}
		}
	}
	return len(numbers) > 0 && slices.Equal(m.sorted(hull), numbers)
}

func TestWhatRefersToRowsThatLeftIsGone(t *testing.T) {
	// Of rows 3 to 6, row 4 left, and another record came into its cells.
	r := NewRearrangement("Data", placements.Rect{Top: 2, Left: 1, Bottom: 5, Right: 4}, []int{2, 3, 4, 5}, []int{1, 2, 3, 4}, nil).Without([]int{3})
	for text, want := range map[string]string{
		"=B4+$C$4": "=#REF!+#REF!", "=SUM(B4:C4)": "=SUM(#REF!)", "=SUM(B3:B4)+B3": "=SUM(B3:B4)+B3", "=SUM(B:B)+4:4+F4": "=SUM(B:B)+4:4+F4",
	} {
		if got := r.Rewrite(text, Place{Sheet: "Data", Row: 2, Column: 1}); got != want {
			t.Errorf("%s reads %s, want %s", text, got, want)
		}
	}
}
