package formula

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/efp"
	"pgregory.net/rapid"

	"mooring/placements"
)

// model is a sheet as its columns, each the numbers of its cells from the first row on. What is inserted has number 0.
type model [][]int

const modelRows, modelColumns = 24, 5

func newModel() model {
	m := make(model, modelColumns)
	for c := range m {
		for r := range 4 * modelRows {
			m[c] = append(m[c], 1+c+r*modelColumns)
		}
	}
	return m
}

func (m model) shift(s CellShift) {
	for c := s.Left; c <= s.Right; c++ {
		if s.Rows > 0 {
			m[c] = slices.Insert(m[c], s.Row, make([]int, s.Rows)...)
		} else {
			m[c] = slices.Delete(m[c], s.Row, s.Row-s.Rows)
		}
	}
}

// numbers returns the cells of an area that were not inserted.
func (m model) numbers(area placements.Rect) (list []int) {
	for c := area.Left; c <= area.Right; c++ {
		for _, n := range m[c][area.Top : area.Bottom+1] {
			if n != 0 {
				list = append(list, n)
			}
		}
	}
	return list
}

// after returns those of the cells that are still there.
func (m model) after(numbers []int) (list []int) {
	for _, n := range numbers {
		if slices.Contains(m[(n-1)%modelColumns], n) {
			list = append(list, n)
		}
	}
	return list
}

func drawShifts(t *rapid.T) (list Shifts) {
	for range rapid.IntRange(1, 4).Draw(t, "shifts") {
		left := rapid.IntRange(0, modelColumns-1).Draw(t, "left")
		rows := rapid.IntRange(-5, 5).Filter(func(n int) bool { return n != 0 }).Draw(t, "rows")
		list = append(list, CellShift{
			Sheet: "Data", Left: left, Right: rapid.IntRange(left, modelColumns-1).Draw(t, "right"),
			Row: rapid.IntRange(0, modelRows).Draw(t, "row"), Rows: rows,
		})
	}
	return list
}

// TestReferencesNameTheSameCells compares with a sheet whose cells are numbered and moved one by one. A range that has columns that
// are not shifted stays.
func TestReferencesNameTheSameCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by, sheet := drawShifts(t), newModel()
		row, column := rapid.IntRange(0, modelRows), rapid.IntRange(0, modelColumns-1)
		corner := func() string {
			a := placements.Anchor{Row: row.Draw(t, "row"), Column: column.Draw(t, "column")}
			return a.String()
		}
		text := corner()
		if rapid.Bool().Draw(t, "range") {
			text += ":" + corner()
		}
		before := References(text)[0].Area
		want := sheet.numbers(before)
		for i, s := range by {
			sheet.shift(s)
			area, kept := by[:i+1].Area("Data", before)
			torn := kept && area.Left <= s.Right && area.Right >= s.Left && (area.Left < s.Left || area.Right > s.Right)
			if torn { // from here on it names what a spreadsheet program makes it name
				want = nil
				break
			}
			want = sheet.after(want)
			if len(want) == 0 {
				break
			}
			if got := sheet.numbers(area); !kept || !slices.Equal(got, want) {
				t.Fatalf("after %v, %s is at %v (%t): cells %v, want %v", by[:i+1], text, area, kept, got, want)
			}
		}
		got, err := Rewriter{By: by}.Rewrite("=Data!"+text, Place{Sheet: "Other"})
		area, kept := by.Area("Data", before)
		if refs := References(got); err != nil || kept != (len(refs) == 1) || kept && refs[0].Area != area {
			t.Fatalf("%s became %s (%v), want %v (%t)", text, got, err, area, kept)
		}
		if !kept && want != nil {
			t.Fatalf("%s is deleted, and cells %v are there", text, want)
		}
	})
}

// TestWhatStaysAndWhatGrowsIsKnownBefore draws shifts with a block at whose end, or before whose first row, they may insert.
func TestWhatStaysAndWhatGrowsIsKnownBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by, bottom := drawShifts(t), rapid.IntRange(2, modelRows)
		for i := range by {
			by[i].Block = placements.Rect{Top: 1, Bottom: bottom.Draw(t, "bottom"), Right: modelColumns - 1}
		}
		row, column := rapid.IntRange(0, modelRows), rapid.IntRange(0, modelColumns-1)
		area := placements.Rect{Top: row.Draw(t, "top"), Left: column.Draw(t, "left")}
		area.Bottom, area.Right = max(area.Top, row.Draw(t, "bottom")), max(area.Left, column.Draw(t, "right"))
		if got, ok := by.Range(area, "Data", Place{Row: -1}); !by.Touches("Data", area) && (!ok || got != area) {
			t.Fatalf("%v, which they do not touch, became %v (%t) by %v", area, got, ok, by)
		}
		moved, _ := by.Area("Data", area)
		if got, _ := by.Range(area, "Data", Place{Row: -1}); !by.Grows("Data", area) && got != moved {
			t.Fatalf("%v, which does not grow, became %v and not %v by %v", area, got, moved, by)
		}
		if by.Touches("Other", area) {
			t.Fatal("another sheet is touched")
		}
	})
}

// TestSweptHoldsWhatFilledFormulasReferTo fills formulas over areas and compares with each of them.
func TestSweptHoldsWhatFilledFormulasReferTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawFormula(t)
		row, column := rapid.IntRange(0, 5), rapid.IntRange(0, 5)
		at := placements.Anchor{Row: row.Draw(t, "row"), Column: column.Draw(t, "column")}
		over := placements.Rect{Top: at.Row, Left: at.Column, Bottom: at.Row + row.Draw(t, "down"), Right: at.Column + column.Draw(t, "right")}
		swept := Swept(text, at, over)
		for r := over.Top; r <= over.Bottom; r++ {
			for c := over.Left; c <= over.Right; c++ {
				filled, ok := Move(Cut(text), r-at.Row, c-at.Column)
				list := References(filled)
				if !ok || len(list) != len(swept) {
					t.Fatalf("%s sweeps %v, and %s refers to %v", text, swept, filled, list)
				}
				for i, got := range list {
					area, all := got.Area, swept[i].Area
					got.Area = all
					if got != swept[i] || area.Top < all.Top || area.Bottom > all.Bottom || area.Left < all.Left || area.Right > all.Right {
						t.Fatalf("%s sweeps %v, and %s refers to %v", text, swept[i], filled, list[i])
					}
				}
			}
		}
	})
}

// pieces are of formulas, each with one reference or none.
var pieces = rapid.SampledFrom([]string{
	"A1", "b2", "Z99", "B2:C9", "C9:b2", "3:5", "B:$D", "$B$2", "B$2:C9", "'it''s A1'!A1",
	"Q1!A1:B2", "[1]Q1!A1", "Jan:Mar!A1", "'C:\\[b 1.xlsx]Q1'!A1", `"B2 ""A1"" "`,
	"T1[A1]", "Räte1", "Rate", "1.5", "1E5", "LOG10(A1)", "SUM(A1,B2:C3)", "A1:INDEX(A1,1)",
	"#N/A", "{1,2;3,4}", "TRUE", "-A1%", "(A1 B2:C3)",
	"_xlfn.XLOOKUP(A1,B2:B9,_xlpm.x1)", "A1 : B2", "#REF!",
})

func drawFormula(t *rapid.T) string {
	return "=" + strings.Join(rapid.SliceOfN(pieces, 1, 6).Draw(t, "pieces"), rapid.SampledFrom([]string{"+", "&", ", ", "<="}).Draw(t, "by"))
}

// TestAllReadReferencesAlike moves formulas down by inserting rows above them and all that they refer to, and by filling them down.
func TestAllReadReferencesAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, rows := strings.ReplaceAll(drawFormula(t), "$", ""), rapid.IntRange(1, 99).Draw(t, "rows")
		var by Shifts
		for _, sheet := range []string{"Data", "it's A1", "Q1", "Jan", "Mar"} {
			by = append(by, CellShift{Sheet: sheet, Right: placements.MaxColumn, Rows: rows})
		}
		got, err := Rewriter{By: by}.Rewrite(text, Place{Sheet: "Data"})
		if err != nil {
			t.Fatal(err)
		}
		own := strings.NewReplacer("[1]Q1!", "_", `'C:\[b 1.xlsx]Q1'!`, "_").Replace // what lies elsewhere is no name here
		if filled, ok := Move(Cut(own(text)), rows, 0); !ok || !strings.EqualFold(filled, own(got)) {
			t.Fatalf("%s was rewritten as %s, and filled down as %s", text, own(got), filled)
		}
		want := References(text)
		for i := range want {
			if want[i].Name == "" && want[i].Table == "" && want[i].Area.Bottom < placements.MaxRow {
				want[i].Area.Top += rows
				want[i].Area.Bottom += rows
			}
		}
		if diff := cmp.Diff(want, References(got)); diff != "" {
			t.Fatalf("%s was rewritten as %s (-want +got):\n%s", text, got, diff)
		}
	})
}

// TestTheScannerReadsAsATokenizerDoes has xuri/efp as a second opinion on what the operands of a formula are, where it is right.
func TestTheScannerReadsAsATokenizerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.NewReplacer(" : ", ":", "A1:INDEX(", "INDEX(", "1E5", "15").Replace(drawFormula(t))
		parser := efp.ExcelParser()
		var got, want []string
		for _, token := range parser.Parse(text) {
			if token.TSubType == efp.TokenSubTypeRange {
				want = append(want, token.TValue)
			}
		}
		for s := (scanner{text: text}); ; {
			o, ok := s.next()
			if !ok {
				break
			}
			spelled := text[o.from:o.to]
			if o.sheet != "" {
				spelled = unquoted(o.sheet) + text[o.from+len(o.sheet):o.to]
			}
			got = append(got, spelled)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-efp +scanner):\n%s", text, diff)
		}
	})
}
