package xlsx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// blockOf is a workbook whose block at B2, of columns name and n, had so many rows, its heading included.
func blockOf(t *testing.T, marked int, sheet string, parts ...zipPart) *bookPart {
	t.Helper()
	marker := fmt.Sprintf(`<definedNames><definedName name="_mooring_p1" hidden="1">'Sheet1'!$B$2:$C$%d</definedName></definedNames>`, marked+1)
	return newBook(t, append(parts, zipPart{"xl/workbook.xml", workbookXML(marker)}, zipPart{"xl/worksheets/sheet1.xml", sheetXML(sheet)})...)
}

func TestFormulasAreFilledDownBesideRowsGained(t *testing.T) {
	cell := func(at, inside string) string { return fmt.Sprintf(`<c r="%s">%s</c>`, at, inside) }
	head := headingRow("name", "n")
	for name, test := range map[string]struct {
		rows   string
		marked int
		right  string // columns to fill
		data   int    // rows afterwards
		want   string // formulas of the sheet
	}{
		"relative, absolute and mixed references": {
			head + rowOf(3, "a", 1, cell("D3", `<f>C3*$A$1+SUM(C$3:C3)&amp;Other!B3</f>`)), 2, "D:D", 3,
			"D3==C3*$A$1+SUM(C$3:C3)&Other!B3 D4==C4*$A$1+SUM(C$3:C4)&Other!B4 D5==C5*$A$1+SUM(C$3:C5)&Other!B5",
		},
		"those of the last row alone": {
			head + rowOf(3, "a", 1, cell("D3", `<f>1</f>`)+cell("E3", `<f>2</f>`)) + rowOf(4, "b", 2, cell("E4", `<f>B4</f>`)+cell("F4", `<v>3</v>`)), 3, "D:F", 3,
			"D3==1 E3==2 E4==B4 E5==B5",
		},
		"a shared formula": {
			head + rowOf(3, "a", 1, cell("D3", `<f t="shared" ref="D3:D4" si="0">C3+1</f>`)) + rowOf(4, "b", 2, cell("D4", `<f t="shared" si="0"/>`)), 3, "D:D", 3,
			"D3==C3+1 D4==C4+1 D5==C5+1",
		},
		"no array formula": {
			head + rowOf(3, "a", 1, cell("D3", `<f t="array" ref="D3">SUM(B3:C3*2)</f>`)), 2, "D:D", 2, "D3==SUM(B3:C3*2)",
		},
		"into cells that are empty": {
			head + rowOf(3, "a", 1, cell("D3", `<f>C3</f>`)) + `<row r="4">` + cell("D4", "<v>7</v>") + `</row><row r="5">` + cell("D5", "<f>9</f>") + `</row><row r="6"><c r="D6"></c></row>`, 2, "D:D", 4,
			"D3==C3 D5==9 D6==C6",
		},
		"only in the columns named": {
			head + rowOf(3, "a", 1, cell("D3", `<f>1</f>`)+cell("E3", `<f>2</f>`)), 2, "E:E", 2, "D3==1 E3==2 E4==2",
		},
		"nothing beside a heading": {
			`<row r="2"><c r="D2"><f>1</f></c></row>`, 1, "D:D", 2, "D2==1",
		},
		"nothing where rows are lost": {
			head + rowOf(3, "a", 1, cell("D3", `<f>C3</f>`)) + rowOf(4, "b", 2, cell("D4", `<f>C4</f>`)), 3, "D:D", 1, "D3==C3 D4==C4",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := blockOf(t, test.marked, "<sheetData>"+test.rows+"</sheetData>")
			p := b.resize(test.marked, cities(test.data))
			p.FillRight = checksum.Span{From: int(test.right[0] - 'A'), To: int(test.right[2]-'A') + 1}
			written, err := hosttest.WritePatch(b.host, p)
			if err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if n := (test.data+1)*2 + 2*max(0, test.marked-test.data-1); written.Cells != n {
				t.Errorf("%d cells written, want the block's %d", written.Cells, n)
			}
			f, err := excelize.OpenFile(b.path())
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var got []string
			for row := 2; row < 8; row++ {
				for column := 'D'; column <= 'F'; column++ {
					at := fmt.Sprintf("%c%d", column, row)
					if formula, err := f.GetCellFormula("Sheet1", at); err != nil || formula != "" {
						got = append(got, fmt.Sprint(at, "==", formula))
					}
				}
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("formulas (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRowsGainedLookLikeTheLastOne(t *testing.T) {
	styles := []zipPart{
		{"xl/styles.xml", `<styleSheet xmlns="` + mainNS + `"><cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="0" fillId="1"/>` +
			`<xf numFmtId="4"/><xf numFmtId="0" borderId="1"/><xf numFmtId="0" fillId="2"/></cellXfs></styleSheet>`},
		{"xl/_rels/workbook.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relNS + `/styles" Target="styles.xml"/>`)},
	}
	const (
		head  = `<row r="2"><c r="B2" s="1"/><c r="C2" s="1"/></row>`
		first = `<row r="3"><c r="B3" s="3" t="inlineStr"><is><t>a</t></is></c><c r="C3" s="2"><v>1</v></c><c r="D3" s="4"><f>C3</f></c><c r="E3" s="4"/></row>`
		aThen = `<row r="2"><c r="B2" s="1" t="inlineStr"><is><t>name</t></is></c><c r="C2" s="1" t="inlineStr"><is><t>n</t></is></c></row>` + first
	)
	g := table(line(checksum.Str("name"), checksum.Str("n")), line(checksum.Str("a"), checksum.Num(1)), line(checksum.Str("b"), checksum.Num(2)), line(checksum.Str("c")))
	for name, test := range map[string]struct {
		rows, want string
		marked     int
		right      checksum.Span
	}{
		"cell by cell, empty ones too": {
			head + first, aThen + `<row r="4"><c r="B4" s="3" t="inlineStr"><is><t>b</t></is></c><c r="C4" s="2"><v>2</v></c></row>` +
				`<row r="5"><c r="B5" s="3" t="inlineStr"><is><t>c</t></is></c><c r="C5" s="2"/></row>`, 2, checksum.Span{},
		},
		"where cells have no format of their own": {
			head + first + `<row r="4"><c r="B4" s="4"/><c r="C4" s="0"/></row><row r="5" s="1" customFormat="1"><c r="C5"></c></row>`,
			aThen + `<row r="4"><c r="B4" s="4" t="inlineStr"><is><t>b</t></is></c><c r="C4" s="2"><v>2</v></c></row>` +
				`<row r="5" s="1" customFormat="1"><c r="B5" s="3" t="inlineStr"><is><t>c</t></is></c><c r="C5" s="2"/></row>`, 2,
			checksum.Span{},
		},
		"in the columns filled down": {
			head + first,
			aThen + `<row r="4"><c r="B4" s="3" t="inlineStr"><is><t>b</t></is></c><c r="C4" s="2"><v>2</v></c><c r="D4" s="4"><f>C4</f></c><c r="E4" s="4"/></row>` +
				`<row r="5"><c r="B5" s="3" t="inlineStr"><is><t>c</t></is></c><c r="C5" s="2"/><c r="D5" s="4"><f>C5</f></c><c r="E5" s="4"/></row>`, 2,
			checksum.Span{From: 3, To: 5},
		},
		"never like the heading": {
			head, `<row r="2"><c r="B2" s="1" t="inlineStr"><is><t>name</t></is></c><c r="C2" s="1" t="inlineStr"><is><t>n</t></is></c></row>` +
				`<row r="3"><c r="B3" t="inlineStr"><is><t>a</t></is></c><c r="C3"><v>1</v></c></row>` +
				`<row r="4"><c r="B4" t="inlineStr"><is><t>b</t></is></c><c r="C4"><v>2</v></c></row><row r="5"><c r="B5" t="inlineStr"><is><t>c</t></is></c></row>`, 1, checksum.Span{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := blockOf(t, test.marked, "<sheetData>"+test.rows+"</sheetData>", styles...)
			p := b.resize(test.marked, g)
			p.FillRight = test.right
			if _, err := hosttest.WritePatch(b.host, p); err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if diff := cmp.Diff(test.want, b.rowsOf(t)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCellsOfAnotherBlockAreItsOwn(t *testing.T) {
	b := blockOf(t, 2, "<sheetData>"+headingRow("name", "n", "x")+rowOf(3, "a", 1, `<c r="D3"><f>C3</f></c>`)+"</sheetData>")
	mine, other := b.resize(2, cities(3)), b.resize(2, table(line(checksum.Str("x")), line(checksum.Num(7)), line(checksum.Num(8))))
	mine.FillRight = checksum.Span{From: 3, To: 4}
	other.Block.PlacementID, other.Block.Anchor.Column = "p2", 3
	s := hosttest.Open(t, b.host, b.block.Document)
	if _, err := s.Write(t.Context(), []host.Patch{mine, other}); err != nil {
		t.Fatalf("Write: %v (%v)", err, unwrap(err))
	}
	want := `<row r="4"><c r="B4" t="inlineStr"><is><t>b</t></is></c><c r="C4"><v>2</v></c><c r="D4"><v>8</v></c></row>` +
		`<row r="5"><c r="B5" t="inlineStr"><is><t>c</t></is></c><c r="C5"><v>3</v></c><c r="D5"><f>C5</f></c></row>`
	if got := b.rowsOf(t); !strings.HasSuffix(got, want) {
		t.Errorf("rows = %s, want an end of %s", got, want)
	}
}
