package xlsx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
)

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}

const stylesRels = `<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relNS + `/styles" Target="styles.xml"/>`

func putDates(t *testing.T, b *bookPart, formats ...string) {
	t.Helper()
	g := table(line(checksum.Str("day"), checksum.Str("n")), line(checksum.Num(45000), checksum.Num(1)),
		line(checksum.Num(45001), checksum.Num(2)))
	_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 3}}, Extent: g.Extent(), Formats: formats})
	if err != nil {
		t.Fatalf("Write: %v (%v)", err, unwrap(err))
	}
}

func TestDerivesStylesThatDifferByTheNumberFormat(t *testing.T) {
	styles := `<styleSheet xmlns="` + mainNS + `"><numFmts count="1"><numFmt numFmtId="170" formatCode="0.0"/></numFmts><fonts count="1"><font/></fonts>` +
		`<cellStyleXfs count="1"><xf numFmtId="0"/></cellStyleXfs>` +
		`<cellXfs count="3"><xf numFmtId="0" fontId="0" xfId="0"/><xf numFmtId="0" fontId="7" xfId="0" u="1"><alignment wrapText="1"/></xf><xf numFmtId="14" xfId="0"/></cellXfs>` +
		`<dxfs count="1"><dxf><numFmt numFmtId="200" formatCode="x"/></dxf></dxfs></styleSheet>`
	b := newBook(t,
		zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)}, zipPart{"xl/styles.xml", styles},
		zipPart{
			"xl/worksheets/sheet1.xml",
			sheetXML(`<sheetData><row r="2"><c r="B2" s="1"/></row><row r="3"><c r="B3" s="1"/><c r="C3" s="1"/></row><row r="4"><c r="B4" s="2"/></row></sheetData>`),
		},
	)
	putDates(t, b, "yyyy-mm-dd")
	wantRows := `<row r="2"><c r="B2" s="1" t="inlineStr"><is><t>day</t></is></c><c r="C2" t="inlineStr"><is><t>n</t></is></c></row>` +
		`<row r="3"><c r="B3" s="3"><v>45000</v></c><c r="C3" s="1"><v>1</v></c></row>` +
		`<row r="4"><c r="B4" s="2"><v>45001</v></c><c r="C4"><v>2</v></c></row>`
	if got := b.rowsOf(t); got != wantRows {
		t.Errorf("rows\ngot  %s\nwant %s", got, wantRows)
	}
	want := strings.Replace(styles, `</numFmts>`, `<numFmt numFmtId="171" formatCode="yyyy-mm-dd"/></numFmts>`, 1)
	want = strings.Replace(want, `numFmts count="1"`, `numFmts count="2"`, 1)
	want = strings.Replace(want, `cellXfs count="3"`, `cellXfs count="4"`, 1)
	want = strings.Replace(want, `</cellXfs>`,
		`<xf numFmtId="171" fontId="7" xfId="0" u="1" applyNumberFormat="1"><alignment wrapText="1"/></xf></cellXfs>`, 1)
	if got := b.part(t, "xl/styles.xml"); got != want {
		t.Errorf("styles\ngot  %s\nwant %s", got, want)
	}
	putDates(t, b, "yyyy-mm-dd")
	if got := b.part(t, "xl/styles.xml"); got != want {
		t.Errorf("written again, the styles grew:\n%s", got)
	}
}

func TestTakesTheFormatGeneralForNone(t *testing.T) {
	styles := `<styleSheet xmlns="` + mainNS + `"><numFmts count="2"><numFmt numFmtId="164" formatCode="General"/><numFmt numFmtId="165" formatCode="0.0"/></numFmts>` +
		`<cellXfs count="2"><xf numFmtId="164" fontId="0" xfId="0"/><xf numFmtId="165" fontId="0" xfId="0"/></cellXfs></styleSheet>`
	b := newBook(t,
		zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)}, zipPart{"xl/styles.xml", styles},
		zipPart{
			"xl/worksheets/sheet1.xml",
			sheetXML(`<sheetData><row r="3"><c r="B3" s="0"/></row><row r="4"><c r="B4" s="1"/></row></sheetData>`),
		},
	)
	putDates(t, b, "yyyy-mm-dd")
	if got := b.rowsOf(t); !strings.Contains(got, `<c r="B3" s="2"><v>45000</v></c>`) || !strings.Contains(got, `<c r="B4" s="1"><v>45001</v></c>`) {
		t.Errorf("rows\n%s\nwant B3 in a new style and B4 in the one that somebody chose", got)
	}
	want := `<xf numFmtId="166" fontId="0" xfId="0" applyNumberFormat="1"/></cellXfs>`
	if got := b.part(t, "xl/styles.xml"); !strings.Contains(got, want) {
		t.Errorf("styles\n%s\nwant %s", got, want)
	}
}

func TestTakesAFormatBackAsLibreOfficeSavesIt(t *testing.T) {
	styles := `<styleSheet xmlns="` + mainNS + `"><numFmts count="2"><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm"/><numFmt numFmtId="166" formatCode="0.0"/></numFmts>` +
		`<cellXfs count="3"><xf numFmtId="0" fontId="0"/><xf numFmtId="165" fontId="0"/><xf numFmtId="166" fontId="0"/></cellXfs></styleSheet>`
	b := newBook(t,
		zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)}, zipPart{"xl/styles.xml", styles},
		zipPart{
			"xl/worksheets/sheet1.xml",
			sheetXML(`<sheetData><row r="2"><c r="B2" s="1"/><c r="C2" s="1"/></row><row r="3"><c r="B3" s="1"/><c r="C3" s="2"/></row></sheetData>`),
		},
	)
	g := table(line(checksum.Str("n"), checksum.Str("text")), line(checksum.Num(1), checksum.Num(2)))
	p := host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 2}}, Extent: g.Extent()}
	p.FormatsBefore = []string{"yyyy-mm-dd hh:mm", "yyyy-mm-dd hh:mm"}
	if _, err := hosttest.WritePatch(b.host, p); err != nil {
		t.Fatal(err)
	}
	want := `<row r="2"><c r="B2" s="3" t="inlineStr"><is><t>n</t></is></c><c r="C2" s="3" t="inlineStr"><is><t>text</t></is></c></row>` +
		`<row r="3"><c r="B3" s="3"><v>1</v></c><c r="C3" s="2"><v>2</v></c></row>`
	if got := b.rowsOf(t); got != want {
		t.Errorf("rows\ngot  %s\nwant %s", got, want)
	}
}

func TestGivesAWorkbookWithoutStylesSome(t *testing.T) {
	b := newBook(t)
	putDates(t, b, "", `d "of" mmm & "<yy>"`)
	format := workbook.Editor{Path: b.path()}.NumberFormat(t, "Sheet1", "C3")
	if want := `d "of" mmm & "<yy>"`; format != want {
		t.Errorf("number format %q, want %q", format, want)
	}
	if format := (workbook.Editor{Path: b.path()}).NumberFormat(t, "Sheet1", "B3"); format != "" {
		t.Errorf("number format %q, want none", format)
	}
}

func TestReadsWhatOthersWrite(t *testing.T) {
	rels := relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="/xl/worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relNS + `/sharedStrings" Target="sharedStrings.xml"/>`)
	shared := `<sst xmlns="` + mainNS + `" count="9"><si><t>plain</t></si><si><r><rPr><b/></rPr><t xml:space="preserve">rich </t></r><r><t>text</t></r><rPh sb="0" eb="1"><t>hint</t></rPh></si>` +
		`<si><t>_x0041__x005F_x0042_ _xD83D__xDE00_ &#x41;&amp;<![CDATA[<&>]]></t></si><si/><si><t>a&#13;
b</t></si></sst>`
	for name, test := range map[string]struct {
		cell string
		want checksum.Cell
	}{
		"a shared string":              {`<c r="B2" t="s"><v>0</v></c>`, checksum.Str("plain")},
		"rich text without hints":      {`<c r="B2" t="s"><v> 1 </v></c>`, checksum.Str("rich text")},
		"escapes":                      {`<c r="B2" t="s"><v>2</v></c>`, checksum.Str("A_x0042_ 😀 A&<&>")},
		"an empty string":              {`<c r="B2" t="s"><v>3</v></c>`, checksum.Cell{}},
		"line ends":                    {`<c r="B2" t="s"><v>4</v></c>`, checksum.Str("a\nb")},
		"an inline string":             {`<c r="B2" t="inlineStr"><is><t> in_x000A_line </t></is></c>`, checksum.Str(" in\nline ")},
		"inline rich text":             {`<c r="B2" t="inlineStr"><is><r><t>a</t></r><r><t>b</t></r></is></c>`, checksum.Str("ab")},
		"a number":                     {`<c r="B2"><v>-1.5E-3</v></c>`, checksum.Num(-0.0015)},
		"a typed number":               {`<c r="B2" t="n" s="4"><v>7</v></c>`, checksum.Num(7)},
		"true":                         {`<c r="B2" t="b"><v>1</v></c>`, checksum.Bool(true)},
		"false":                        {`<c r="B2" t="b"><v>0</v></c>`, checksum.Bool(false)},
		"an error":                     {`<c r="B2" t="e"><v>#DIV/0!</v></c>`, checksum.Err("#DIV/0!")},
		"a date of ISO 8601":           {`<c r="B2" t="d"><v>2023-03-15T12:00:00Z</v></c>`, checksum.Num(45000.5)},
		"a formula's text":             {`<c r="B2" t="str"><f>"a"</f><v>a_x0042_</v></c>`, checksum.Str("aB")},
		"a formula's number":           {`<c r="B2"><f>1+1</f><v>2</v></c>`, checksum.Num(2)},
		"a formula not yet computed":   {`<c r="B2"><f>1+1</f></c>`, checksum.Cell{}},
		"a cell with a style alone":    {`<c r="B2" s="3"/>`, checksum.Cell{}},
		"a comment inside a value":     {`<c r="B2"><v>1<!-- x -->2</v></c>`, checksum.Num(12)},
		"a cell after one without ref": {`<c><v>0</v></c><c><v>3</v></c>`, checksum.Num(3)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/_rels/workbook.xml.rels", rels}, zipPart{"xl/sharedStrings.xml", shared},
				zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData><row r="2">` + test.cell + `</row></sheetData>`)})
			v := b.read(t, 2, 2)
			got := append(v.Cells.Cells(0, nil), checksum.Cell{})[0]
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if wantFormula := strings.Contains(test.cell, "<f>"); wantFormula != (len(v.Formulas) == 1) {
				t.Errorf("formulas at %v", v.Formulas)
			}
		})
	}
}

func TestSeesEveryCellThatAFormulaFills(t *testing.T) {
	b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData><row r="1"><c r="B1"><f t="array" ref="B1:C3">X1:Y3</f><v>1</v></c></row><row r="3"><c r="D3"><f>1</f></c></row></sheetData>`)})
	want := []host.Formula{formulaAt(0, 0, ""), formulaAt(0, 1, ""), formulaAt(1, 0, ""), formulaAt(1, 1, ""), formulaAt(1, 2, "=1")}
	if diff := cmp.Diff(want, b.read(t, 3, 3).Formulas); diff != "" {
		t.Errorf("formulas (-want +got):\n%s", diff)
	}
}
