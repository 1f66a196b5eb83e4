package xlsx_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// parameterBook is a workbook with cells as other programs write them, some out of order, and styles 0 to 4: general, a built-in date, a
// date of its own, a quoted word with the letters of one, and a time in East Asia.
func parameterBook(t testing.TB, properties, names string) *bookPart {
	return newBook(
		t,
		zipPart{"xl/_rels/workbook.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relNS + `/styles" Target="styles.xml"/>`)},
		zipPart{"xl/styles.xml", `<styleSheet xmlns="` + mainNS + `"><numFmts count="2"><numFmt numFmtId="164" formatCode="d/m/yy"/>` +
			`<numFmt numFmtId="165" formatCode="0 &quot;days&quot;"/></numFmts><cellXfs count="5"><xf numFmtId="0"/><xf numFmtId="14"/>` +
			`<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="55"/></cellXfs></styleSheet>`},
		zipPart{"xl/workbook.xml", strings.Replace(workbookXML("<definedNames>"+names+"</definedNames>"), "<sheets>", properties+"<sheets>", 1)},
		zipPart{sheet1, sheetXML(`<sheetData><row r="9"><c r="A9"><v>9</v></c></row>` +
			`<row r="1"><c r="A1"><f>NOW()</f></c><c r="B1" t="str"><f>""</f><v></v></c><c r="C1" t="str"><f>"x"</f><v>x</v></c><c r="D1" s="1"><v>46023</v></c>` +
			`<c r="E1" s="2"><v>46023</v></c><c r="F1" s="3"><v>3</v></c><c r="G1" s="4"><v>0.5</v></c><c r="H1" t="d"><v>2026-01-01</v></c>` +
			`<c r="I1" t="e"><v>#N/A</v></c><c r="J1" t="inlineStr"><is><t>in</t></is></c><c r="K1" s="1"/><c r="L1" t="b"><v>1</v></c></row></sheetData>` +
			`<mergeCells count="1"><mergeCell ref="L1:M2"/></mergeCells>`)},
	)
}

func parametersOf(t testing.TB, b *bookPart, cells ...host.ParameterCells) []host.FoundParameter {
	t.Helper()
	s := hosttest.Open(t, b.host, b.block.Document)
	_, found, err := s.(host.ParameterReader).ReadParameters(t.Context(), nil, cells)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	return found
}

func cellsAt(t testing.TB, id, at string) host.ParameterCells {
	t.Helper()
	l, err := placements.ParseLocation(at)
	if err != nil {
		t.Fatal(err)
	}
	return host.ParameterCells{ID: id, At: l, List: l.Range}
}

func TestParametersAreReadAsOtherProgramsWriteThem(t *testing.T) {
	for name, test := range map[string]struct {
		properties string
		days       float64 // of 2026-01-01
	}{
		"from 1900": {"", 46023},
		"from 1904": {`<workbookPr date1904="1"/>`, 46023 - 1462},
	} {
		t.Run(name, func(t *testing.T) {
			b := parameterBook(t, test.properties, "")
			found := parametersOf(t, b, cellsAt(t, "", "Sheet1!A1:M1"), cellsAt(t, "", "Sheet1!A9"))
			want := []host.TypedCell{
				{Unknown: true},
				{Value: checksum.Str("")},
				{Value: checksum.Str("x")},
				{Value: checksum.Num(46023), Date: true},
				{Value: checksum.Num(46023), Date: true},
				{Value: checksum.Num(3)},
				{Value: checksum.Num(0.5), Date: true},
				{Value: checksum.Num(test.days), Date: true},
				{Value: checksum.Err("#N/A")},
				{Value: checksum.Str("in")},
				{},
				{Value: checksum.Bool(true)},
				{Covered: true},
			}
			if diff := cmp.Diff(want, found[0].Cells); diff != "" || found[0].Err != nil || found[0].Date1904 != (test.properties != "") {
				t.Errorf("%v, from 1904: %t (-want +got):\n%s", found[0].Err, found[0].Date1904, diff)
			}
			if got := found[1].Cells; len(got) != 1 || got[0].Value != checksum.Num(9) {
				t.Errorf("the cell in a row out of order holds %v, %v", got, found[1].Err)
			}
		})
	}
}

func TestNamesThatAreNoCellsOfTheWorkbook(t *testing.T) {
	for ref, want := range map[string]error{
		"#REF!": host.ErrParameterDeleted, "Sheet1!#REF!": host.ErrParameterDeleted, "'Gone'!$A$1": host.ErrParameterDeleted,
		"[1]Sheet1!$A$1": host.ErrParameterShape, "Sheet1!$A$1,Sheet1!$C$1": host.ErrParameterShape, "42": host.ErrParameterShape,
		`"a text"`: host.ErrParameterShape, "OFFSET(Sheet1!$A$1,1,0)": host.ErrParameterShape, "Sheet1!$A:$A": host.ErrParameterShape,
		"$A$1": host.ErrParameterShape, "Sheet1!$A$1:$A$20000": host.ErrParameterShape, " Sheet1!$C$1 ": nil, "'Sheet1'!$C$1:$C$1": nil,
	} {
		id := host.ParameterID("p1", 3)
		b := parameterBook(t, "", `<definedName name="_MOORING_P_p1_3" hidden="1">`+ref+`</definedName>`+
			`<definedName name="_mooring_p_p1_4" localSheetId="0">Sheet1!$A$9</definedName>`)
		found := parametersOf(t, b, cellsAt(t, id, "Sheet1!D1"), cellsAt(t, host.ParameterID("p1", 4), "Sheet1!J1"))
		if !errors.Is(found[0].Err, want) || want == nil && (found[0].At.String() != "Sheet1!C1" || !found[0].Marked || found[0].Cells[0].Value.Text != "x") {
			t.Errorf("%s: %+v, want %v", ref, found[0], want)
		}
		if f := found[1]; f.Err != nil || f.Marked || f.Cells[0].Value.Text != "in" {
			t.Errorf("a name of one sheet is followed: %+v", f)
		}
	}
}

func TestParametersAreReadWhileNothingIsWritten(t *testing.T) {
	b := parameterBook(t, "", "")
	before, err := os.ReadFile(b.path())
	if err != nil {
		t.Fatal(err)
	}
	found := parametersOf(t, b, cellsAt(t, "", "Sheet1!C1"), cellsAt(t, "", "sheet1!J1"))
	if found[0].Calls != 1 || found[1].Calls != 0 || found[1].At.String() != "Sheet1!J1" {
		t.Errorf("%+v", found)
	}
	after, err := os.ReadFile(b.path())
	if err != nil || string(after) != string(before) {
		t.Errorf("the file changed: %v", err)
	}
	if err := os.WriteFile(b.path(), []byte("no workbook"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = b.host.Open(t.Context(), b.block.Document)
	hosttest.WantFault(t, err, placements.Structure)
}

func TestNamesOfParametersAreHiddenAndEscaped(t *testing.T) {
	b := newBook(t)
	g := table(line(checksum.Str("a")))
	cells := cellsAt(t, host.ParameterID("P-1", 2), "Sheet1!F3:F4")
	p := host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent(), Parameters: []host.ParameterCells{cells}}
	if _, err := hosttest.WritePatch(b.host, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if want := `<definedName name="_mooring_p_.50.2d1_2" hidden="1">'Sheet1'!$F$3:$F$4</definedName>`; !strings.Contains(b.part(t, "xl/workbook.xml"), want) {
		t.Errorf("the workbook is %s, want %s", b.part(t, "xl/workbook.xml"), want)
	}
	p.Parameters[0].At.Columns = 2
	if _, err := hosttest.WritePatch(b.host, p); err == nil {
		t.Error("a name was given to two columns")
	}
}
