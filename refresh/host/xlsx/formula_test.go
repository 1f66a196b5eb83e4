package xlsx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/refresh/host"
	"mooring/refresh/host/hosttest/workbook"
)

func fixedAt(row, column int, text string) host.Formula {
	f := formulaAt(row, column, text)
	f.Fixed = true
	return f
}

func formulaAt(row, column int, text string) host.Formula {
	return host.Formula{Position: host.Position{Row: row, Column: column}, Text: text}
}

// TestTellsFormulas reads a block of 3 × 2 cells at B2.
func TestTellsFormulas(t *testing.T) {
	for name, test := range map[string]struct {
		rows string
		want []host.Formula
	}{
		"as the file has them, with their =": {
			`<row r="2"><c r="B2"><f>IF(A1&lt;2,"a &amp; b",<![CDATA[A1<3]]>)</f><v>1</v></c></row>`,
			[]host.Formula{formulaAt(0, 0, `=IF(A1<2,"a & b",A1<3)`)},
		},
		"each cell of a shared one by itself": {
			`<row r="2"><c r="B2"><f t="shared" ref="B2:C3" si="0">A2*$A$1</f></c><c r="C2"><f t="shared" si="0"/></c></row>` +
				`<row r="3"><c r="B3"><f t="shared" si="0"/></c><c r="C3"><f t="shared" si="0"></f></c></row>`,
			[]host.Formula{
				formulaAt(0, 0, "=A2*$A$1"), formulaAt(0, 1, "=B2*$A$1"), formulaAt(1, 0, "=A3*$A$1"),
				formulaAt(1, 1, "=B3*$A$1"),
			},
		},
		"filled from above and from beside the block": {
			`<row r="1"><c r="C1"><f t="shared" ref="C1:C2" si="0">D1</f></c></row>` +
				`<row r="2"><c r="A2"><f t="shared" ref="A2:B2" si="1">SUM(F2:F9)</f></c><c r="B2"><f t="shared" si="1"/></c><c r="C2"><f t="shared" si="0"/></c></row>`,
			[]host.Formula{formulaAt(0, 0, "=SUM(G2:G9)"), formulaAt(0, 1, "=D2")},
		},
		"a number used for one shared formula after another": {
			`<row r="2"><c r="B2"><f t="shared" ref="B2:C2" si="0">A1</f></c><c r="C2"><f t="shared" si="0"/></c></row>` +
				`<row r="3"><c r="B3"><f t="shared" ref="B3:C3" si="0">A9</f></c><c r="C3"><f t="shared" si="0"/></c></row>`,
			[]host.Formula{formulaAt(0, 0, "=A1"), formulaAt(0, 1, "=B1"), formulaAt(1, 0, "=A9"), formulaAt(1, 1, "=B9")},
		},
		"one that would leave the sheet by where it was filled from": {
			`<row r="2"><c r="B2"><f t="shared" ref="B2:C2" si="0">XFD1</f></c><c r="C2"><f t="shared" si="0"/></c></row>`,
			[]host.Formula{formulaAt(0, 0, "=XFD1"), formulaAt(0, 1, "=XFD1 (filled from B2)")},
		},
		"none for a truth value as LibreOffice saves it": {
			`<row r="2"><c r="B2" t="b"><f aca="false">TRUE()</f><v>1</v></c><c r="C2" t="b"><f>false()</f><v>0</v></c></row>` +
				`<row r="3"><c r="B3" t="b"><f>NOT(TRUE())</f><v>0</v></c><c r="C3" t="b"><f t="array" ref="C3">TRUE()</f><v>1</v></c></row>`,
			[]host.Formula{formulaAt(1, 0, "=NOT(TRUE())"), fixedAt(1, 1, "=TRUE()")},
		},
		"a shared one that was filled from nowhere has no text": {
			`<row r="2"><c r="B2"><f t="shared" si="4"/><v>1</v></c></row>`,
			[]host.Formula{formulaAt(0, 0, "")},
		},
		"an array where it was typed": {
			`<row r="2"><c r="B2"><f t="array" ref="B2:C2">A1:B1*2</f><v>1</v></c><c r="C2"><v>2</v></c></row>`,
			[]host.Formula{fixedAt(0, 0, "=A1:B1*2"), formulaAt(0, 1, "")},
		},
		"a data table of a column": {
			`<row r="2"><c r="B2"><f t="dataTable" ref="B2:B3" dt2D="0" dtr="0" r1="F1"/><v>1</v></c></row>`,
			[]host.Formula{fixedAt(0, 0, "=TABLE(,F1)"), formulaAt(1, 0, "")},
		},
		"a data table of a row": {
			`<row r="2"><c r="B2"><f t="dataTable" ref="B2:C2" dtr="1" r1="F1"/><v>1</v></c></row>`,
			[]host.Formula{fixedAt(0, 0, "=TABLE(F1,)"), formulaAt(0, 1, "")},
		},
		"a data table of both": {
			`<row r="2"><c r="B2"><f t="dataTable" ref="B2:B2" dt2D="1" dtr="1" r1="F1" r2="F2"/><v>1</v></c></row>`,
			[]host.Formula{fixedAt(0, 0, "=TABLE(F1,F2)")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + test.rows + "</sheetData>")})
			if diff := cmp.Diff(test.want, b.read(t, 3, 2).Formulas); diff != "" {
				t.Errorf("formulas (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTellsSharedFormulasOfALibrary reads what excelize wrote.
func TestTellsSharedFormulasOfALibrary(t *testing.T) {
	b := newBook(t)
	workbook.Editor{Path: b.path()}.Edit(t, func(f *excelize.File) error {
		kind, area := excelize.STCellFormulaTypeShared, "B2:B4"
		return f.SetCellFormula("Sheet1", "B2", "=A2&\"x\"", excelize.FormulaOpts{Type: &kind, Ref: &area})
	})
	want := []host.Formula{formulaAt(0, 0, `=A2&"x"`), formulaAt(1, 0, `=A3&"x"`), formulaAt(2, 0, `=A4&"x"`)}
	if diff := cmp.Diff(want, b.read(t, 3, 1).Formulas); diff != "" {
		t.Errorf("formulas (-want +got):\n%s", diff)
	}
}

// TestBoundsTheTextsOfSharedFormulas fills a long formula down further than its texts may go.
func TestBoundsTheTextsOfSharedFormulas(t *testing.T) {
	const rows, length = 6000, 8000
	text := "A1&\"" + strings.Repeat("x", length) + "\""
	var xml strings.Builder
	fmt.Fprintf(&xml, `<row r="2"><c r="B2"><f t="shared" ref="B2:B%d" si="0">%s</f></c></row>`, rows+1, text)
	for row := 3; row < rows+2; row++ {
		fmt.Fprintf(&xml, `<row r="%d"><c r="B%d"><f t="shared" si="0"/></c></row>`, row, row)
	}
	b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + xml.String() + "</sheetData>")})
	got := b.read(t, rows, 1).Formulas
	if len(got) != rows || !strings.HasPrefix(got[1].Text, "=A2&") {
		t.Fatalf("%d formulas, the second %.9s; want %d, and the second moved", len(got), got[1].Text, rows)
	}
	if last := got[rows-1].Text; last != "="+text+" (filled from B2)" {
		t.Errorf("the last is %.9s … %s, want where it was filled from", last, last[len(last)-20:])
	}
}
