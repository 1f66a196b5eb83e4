package xlsx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

func TestWritesRowsAmongOthers(t *testing.T) {
	x, one := checksum.Str("x"), checksum.Num(1)
	for name, test := range map[string]struct{ before, after string }{
		"into an empty sheet": {
			``,
			`<row r="2"><c r="B2" t="inlineStr"><is><t>x</t></is></c><c r="C2"><v>1</v></c></row><row r="3"><c r="B3"><v>1</v></c></row>`,
		},
		"between rows that stay as they are": {
			`<row r="1" ht="20"><c r="A1"><v>5</v></c></row> <!-- kept --> <row r="9" x:a="b"/>`,
			`<row r="1" ht="20"><c r="A1"><v>5</v></c></row> <!-- kept --> <row r="2"><c r="B2" t="inlineStr"><is><t>x</t></is></c><c r="C2"><v>1</v></c></row><row r="3"><c r="B3"><v>1</v></c></row><row r="9" x:a="b"/>`,
		},
		"between cells that stay as they are": {
			`<row r="2" spans="1:1" ht="30" customHeight="1"><c r="A2"><v>1</v></c><!-- in between --><c r="C2" s="0"  q:w='e' t="s" cm="1"><v>0</v></c><c r="D2" t="str"><f>A2&amp;"x"</f><v>1x</v></c></row>`,
			`<row r="2" spans="1:3" ht="30" customHeight="1"><c r="A2"><v>1</v></c><!-- in between --><c r="B2" t="inlineStr"><is><t>x</t></is></c><c r="C2" q:w="e"><v>1</v></c><c r="D2" t="str"><f>A2&amp;"x"</f><v>1x</v></c></row><row r="3"><c r="B3"><v>1</v></c></row>`,
		},
		"with the style that a cell has": {
			`<row r="2"><c r="B2" s="3"/><c r="C2" s="4" t="b"><v>1</v></c></row>`,
			`<row r="2"><c r="B2" s="3" t="inlineStr"><is><t>x</t></is></c><c r="C2" s="4"><v>1</v></c></row><row r="3"><c r="B3"><v>1</v></c></row>`,
		},
		"with the style that a row gives to new cells": {
			`<row r="2" s="6" customFormat="1"/><row r="3" s="7"/>`,
			`<row r="2" s="6" customFormat="1"><c r="B2" s="6" t="inlineStr"><is><t>x</t></is></c><c r="C2" s="6"><v>1</v></c></row><row r="3" s="7"><c r="B3"><v>1</v></c></row>`,
		},
		"where rows and cells leave out their places": {
			`<row><c><v>1</v></c></row><row><c><v>2</v></c><c><v>3</v></c><c><v>4</v></c><c><v>5</v></c></row><row><c r="E3"><v>6</v></c></row><row><c><v>7</v></c></row>`,
			`<row><c><v>1</v></c></row><row><c r="A2"><v>2</v></c><c r="B2" t="inlineStr"><is><t>x</t></is></c><c r="C2"><v>1</v></c><c r="D2"><v>5</v></c></row><row><c r="B3"><v>1</v></c><c r="E3"><v>6</v></c></row><row><c><v>7</v></c></row>`,
		},
		"over a formula": {
			`<row r="3"><c r="B3" t="str" vm="2"><f>1&amp;1</f><v>11</v></c></row>`,
			`<row r="2"><c r="B2" t="inlineStr"><is><t>x</t></is></c><c r="C2"><v>1</v></c></row><row r="3"><c r="B3"><v>1</v></c></row>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + test.before + "</sheetData>")})
			b.mustPut(t, line(x, one), line(one))
			if diff := cmp.Diff(test.after, b.rowsOf(t)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClearsCells(t *testing.T) {
	b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData><row r="2"><c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="C2" s="1"><v>3</v></c><c r="D2" t="s"><v>0</v></c></row></sheetData>`)})
	w, err := hosttest.WritePatch(b.host, host.Patch{
		Block: b.block, Grid: table(), Extent: checksum.Extent{Rows: 1, Columns: 1},
		Clear: []checksum.CellRect{{Rows: 2, Columns: 2}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := (host.Written{Rows: 2, Cells: 4, Calls: 1}); w.Rows != want.Rows || w.Cells != want.Cells || w.Calls != want.Calls {
		t.Errorf("Written = %+v, want %+v", w, want)
	}
	// A cell with a style keeps it, one without goes; a row that is not there is not made.
	want := `<row r="2"><c r="A2"><v>1</v></c><c r="C2" s="1"/><c r="D2" t="s"><v>0</v></c></row>`
	if got := b.rowsOf(t); got != want {
		t.Errorf("rows = %s, want %s", got, want)
	}
}

func TestKeepsNamespacesAndTheRestOfTheSheet(t *testing.T) {
	before := `<?xml version="1.0"?><!-- head --><x:worksheet xmlns:x="` + mainNS + `" xmlns:r="` + relNS + `" xmlns:u="urn:u" u:mark="1">` +
		`<x:dimension ref="A1:A1" u:k="v"/><x:sheetViews><x:sheetView workbookViewId="0"/></x:sheetViews><x:cols><x:col min="3" max="3" style="5" width="9"/></x:cols>` +
		`<x:sheetData/><x:conditionalFormatting sqref="B2:B9"><x:cfRule type="cellIs" priority="1"><x:formula>1&lt;2</x:formula></x:cfRule></x:conditionalFormatting>` +
		`<x:dataValidations count="1"><x:dataValidation sqref="C1"/></x:dataValidations><x:drawing r:id="rId9"/><x:extLst><x:ext uri="{0}"><u:any><![CDATA[<row>]]></u:any></x:ext></x:extLst></x:worksheet><!-- tail -->`
	b := newBook(t,
		zipPart{"xl/worksheets/sheet1.xml", before},
		zipPart{"xl/workbook.xml", `<x:workbook xmlns:x="` + mainNS + `" xmlns:rel="` + relNS + `"><x:sheets><x:sheet name="Sheet1" sheetId="1" rel:id="rId1"/></x:sheets><x:calcPr calcId="9"/></x:workbook>`},
	)
	b.mustPut(t, line(checksum.Num(1), checksum.Num(2)))
	after := strings.Replace(before, `ref="A1:A1"`, `ref="A1:C2"`, 1)
	after = strings.Replace(after, `<x:sheetData/>`,
		`<x:sheetData><x:row r="2"><x:c r="B2"><x:v>1</x:v></x:c><x:c r="C2" s="5"><x:v>2</x:v></x:c></x:row></x:sheetData>`, 1)
	if diff := cmp.Diff(after, b.part(t, "xl/worksheets/sheet1.xml")); diff != "" {
		t.Errorf("sheet (-want +got):\n%s", diff)
	}
	wantBook := `</x:sheets><x:definedNames><x:definedName name="_mooring_p1" hidden="1">'Sheet1'!$B$2:$C$2</x:definedName></x:definedNames><x:calcPr calcId="9" fullCalcOnLoad="1"/></x:workbook>`
	if got := b.part(t, "xl/workbook.xml"); !strings.HasSuffix(got, wantBook) {
		t.Errorf("workbook = %s, want an end of %s", got, wantBook)
	}
}

func TestRefusesToBreakWhatBelongsTogether(t *testing.T) {
	tableParts := []zipPart{
		{
			"xl/worksheets/_rels/sheet1.xml.rels",
			relationships(`<Relationship Id="rId1" Type="` + relNS + `/table" Target="../tables/table1.xml"/>`),
		},
		{
			"xl/tables/table1.xml",
			`<table xmlns="` + mainNS + `" displayName="T" ref="B2:C5" totalsRowCount="1"><tableColumns count="2"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/></tableColumns></table>`,
		},
	}
	for name, test := range map[string]struct {
		sheet    string
		parts    []zipPart
		from     int // first row of the table below that is written
		conflict bool
	}{
		"merged cells inside the block": {sheet: `<sheetData/><mergeCells><mergeCell ref="C3:D3"/></mergeCells>`, conflict: true},
		"merged cells beside the block": {sheet: `<sheetData/><mergeCells><mergeCell ref="D2:E9"/><mergeCell ref="B5:C5"/></mergeCells>`},
		"the first of shared formulas": {
			sheet:    `<sheetData><row r="3"><c r="C3"><f t="shared" si="0" ref="C3:C9">1+1</f></c></row><row r="6"><c r="C6"><f t="shared" si="0"/></c></row></sheetData>`,
			conflict: true,
		},
		"all of shared formulas": {
			sheet: `<sheetData><row r="3"><c r="C3"><f t="shared" si="0" ref="C3:C4">1+1</f></c></row><row r="4"><c r="C4"><f t="shared" si="0"/></c></row></sheetData>`,
		},
		"a later one of shared formulas": {
			sheet: `<sheetData><row r="1"><c r="C1"><f t="shared" si="0" ref="C1:C9">1+1</f></c></row><row r="3"><c r="C3"><f t="shared" si="0"/></c></row><row r="9"><c r="C9"><f t="shared" si="0"/></c></row></sheetData>`,
		},
		"a part of an array formula":    {sheet: `<sheetData><row r="1"><c r="C1"><f t="array" ref="C1:C3">D1:D3</f></c></row></sheetData>`, conflict: true},
		"all of an array formula":       {sheet: `<sheetData><row r="2"><c r="B2"><f t="array" ref="B2:C4">D1:E3</f></c></row></sheetData>`},
		"an array formula of one cell":  {sheet: `<sheetData><row r="2"><c r="B2"><f t="array" ref="B2">D1</f></c></row></sheetData>`},
		"a data table beside the block": {sheet: `<sheetData><row r="2"><c r="E2"><f t="dataTable" ref="E2:F9" dt2D="1"/></c></row></sheetData>`},
		"the same headings of a table":  {sheet: `<sheetData/>`, parts: tableParts},
		"the totals row of a table": {
			sheet: `<sheetData/>`,
			parts: []zipPart{tableParts[0], {tableParts[1].name, strings.Replace(tableParts[1].doc, "B2:C5", "B1:C4", 1)}}, from: 1,
			conflict: true,
		},
		"other headings of a table": {
			sheet:    `<sheetData/>`,
			parts:    []zipPart{tableParts[0], {tableParts[1].name, strings.Replace(tableParts[1].doc, `name="b"`, `name="c"`, 1)}},
			conflict: true,
		},
		"a table without headings": {
			sheet: `<sheetData/>`,
			parts: []zipPart{tableParts[0], {tableParts[1].name, strings.Replace(tableParts[1].doc, `name="b"`, `name="c" `, 1)}}, from: 1,
		},
		"a table of which only rows stay": {sheet: `<sheetData/>`, parts: tableParts, from: 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, append(test.parts, zipPart{"xl/worksheets/sheet1.xml", sheetXML(test.sheet)})...)
			before := fileHash(t, b.path())
			g := table(line(checksum.Str("a"), checksum.Str("b")), line(checksum.Num(1), checksum.Num(2)),
				line(checksum.Num(3), checksum.Num(4)))
			_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: test.from, To: 3}}, Extent: g.Extent()})
			if !test.conflict {
				if err != nil {
					t.Fatalf("Write: %v (%v)", err, unwrap(err))
				}
				return
			}
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Conflict {
				t.Errorf("Write: %v, want a conflict", err)
			}
			if fileHash(t, b.path()) != before {
				t.Error("the file changed")
			}
		})
	}
}

func TestTakesOverwrittenFormulasOutOfTheChain(t *testing.T) {
	const sheet = `<sheetData><row r="2"><c r="B2"><f>1</f></c><c r="D2"><f>2</f></c></row></sheetData>`
	rels := relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relNS + `/calcChain" Target="calcChain.xml"/>`)
	for name, test := range map[string]struct{ before, after string }{
		"the next entry takes over the sheet it inherited": {
			`<calcChain xmlns="` + mainNS + `"><c r="A1" i="3"/><c r="B2" i="7" l="1"/><c r="D2"/><c r="B2" i="3"/></calcChain>`,
			`<calcChain xmlns="` + mainNS + `"><c r="A1" i="3"/><c r="D2" i="7"/><c r="B2" i="3"/></calcChain>`,
		},
		"a chain left empty is no longer referred to": {
			`<calcChain xmlns="` + mainNS + `"><c r="B2" i="7"/></calcChain>`, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(sheet)}, zipPart{"xl/_rels/workbook.xml.rels", rels},
				zipPart{"xl/calcChain.xml", test.before})
			b.mustPut(t, line(checksum.Num(5)))
			if test.after == "" {
				if got := b.part(t, "xl/_rels/workbook.xml.rels"); strings.Contains(got, "calcChain") {
					t.Errorf("relationships = %s", got)
				}
				return
			}
			if diff := cmp.Diff(test.after, b.part(t, "xl/calcChain.xml")); diff != "" {
				t.Errorf("chain (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWritesFormulas writes a row of three cells from B2 on: one stays, one gets a formula, one a value.
func TestWritesFormulas(t *testing.T) {
	const chain = `<calcChain xmlns="` + mainNS + `"><c r="B2" i="7"/><c r="C2"/><c r="D2"/></calcChain>`
	rels := relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="` + relNS + `/calcChain" Target="calcChain.xml"/>`)
	for name, test := range map[string]struct {
		before, after string
		shows         checksum.Cell // what the formula shows
		chain         string
	}{
		"in place of formulas, which leave the chain": {
			before: `<row r="2"><c r="B2" s="2"><f>1</f><v>1</v></c><c r="C2"><f>2</f></c><c r="D2"><f>3</f></c></row>`,
			after:  `<row r="2"><c r="B2" s="2"><f>1</f><v>1</v></c><c r="C2"><f>A1&lt;2</f><v>7</v></c><c r="D2"><v>5</v></c></row>`,
			shows:  checksum.Num(7),
			chain:  `<calcChain xmlns="` + mainNS + `"><c r="B2" i="7"/><c r="C2"/></calcChain>`,
		},
		"a text": {
			"", `<row r="2"><c r="C2" t="str"><f>A1&lt;2</f><v>=x &amp; y</v></c><c r="D2"><v>5</v></c></row>`,
			checksum.Str("=x & y"), chain,
		},
		"a truth": {
			"", `<row r="2"><c r="C2" t="b"><f>A1&lt;2</f><v>1</v></c><c r="D2"><v>5</v></c></row>`, checksum.Bool(true),
			chain,
		},
		"an error": {
			"", `<row r="2"><c r="C2" t="e"><f>A1&lt;2</f><v>#N/A</v></c><c r="D2"><v>5</v></c></row>`, checksum.Err("#N/A"),
			chain,
		},
		"no value": {"", `<row r="2"><c r="C2"><f>A1&lt;2</f></c><c r="D2"><v>5</v></c></row>`, checksum.Cell{}, chain},
		"in no order": {
			`<row r="2"><c r="D2" t="b"><v>1</v></c></row>`,
			`<row r="2"><c r="C2"><f>A1&lt;2</f><v>0</v></c><c r="D2"><v>5</v></c></row>`, checksum.Num(0), chain,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + test.before + "</sheetData>")},
				zipPart{"xl/_rels/workbook.xml.rels", rels}, zipPart{"xl/calcChain.xml", chain})
			g := table(line(checksum.Str("not written"), test.shows, checksum.Num(5)))
			_, err := hosttest.WritePatch(b.host, host.Patch{
				Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent(),
				Formulas: []host.Formula{formulaAt(0, 0, ""), formulaAt(0, 1, "=A1<2")},
			})
			if err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if diff := cmp.Diff(test.after, b.rowsOf(t)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.chain, b.part(t, "xl/calcChain.xml")); diff != "" {
				t.Errorf("chain (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLeavesCellsOfSharedAndArrayFormulasAlone writes rows around cells that stay, and refuses what would take a part of a whole.
func TestLeavesCellsOfSharedAndArrayFormulasAlone(t *testing.T) {
	const array = `<row r="2"><c r="C2"><f t="array" ref="C2:C3">D1:D2</f><v>1</v></c></row><row r="3"><c r="C3"><v>2</v></c></row>`
	const shared = `<row r="2"><c r="C2"><f t="shared" si="0" ref="C2:C9">A1</f></c></row><row r="9"><c r="C9"><f t="shared" si="0"/></c></row>`
	left := []host.Formula{formulaAt(0, 1, ""), formulaAt(1, 1, "")}
	for name, test := range map[string]struct {
		rows     string
		formulas []host.Formula
		conflict bool
	}{
		"all of an array stays":               {array, left, false},
		"a part of an array stays":            {array, left[:1], true},
		"no cell of an array stays":           {array, nil, false},
		"the first of shared formulas stays":  {shared, left, false},
		"the first of shared formulas goes":   {shared, []host.Formula{formulaAt(0, 1, "=A1")}, true},
		"a data table's text is no formula":   {"", []host.Formula{formulaAt(0, 1, "=TABLE(,F1)")}, true},
		"a text of elsewhere is no formula":   {"", []host.Formula{formulaAt(0, 1, "=XFD1 (filled from B2)")}, true},
		"a formula that only ends in a brace": {"", []host.Formula{formulaAt(0, 1, "=SUM(A1)")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + test.rows + "</sheetData>")})
			before := fileHash(t, b.path())
			g := table(line(checksum.Num(1), checksum.Num(2)), line(checksum.Num(3), checksum.Num(4)))
			_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 2}}, Extent: g.Extent(), Formulas: test.formulas})
			if !test.conflict {
				if err != nil {
					t.Fatalf("Write: %v (%v)", err, unwrap(err))
				}
				return
			}
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Conflict || fileHash(t, b.path()) != before {
				t.Errorf("Write: %v, want a conflict and the file as it was", err)
			}
		})
	}
}

// TestWritesTwoSheetsAtOnce takes formulas of both sheets out of the chain, and sets the same new style in both.
func TestWritesTwoSheetsAtOnce(t *testing.T) {
	rels := relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + relNS + `/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="` + relNS + `/calcChain" Target="calcChain.xml"/>`)
	const rows = `<sheetData><row r="2"><c r="B2"><f>1</f></c><c r="D2"><f>2</f></c></row></sheetData>`
	b := newBook(
		t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(rows)}, zipPart{"xl/worksheets/sheet2.xml", sheetXML(rows)},
		zipPart{"xl/_rels/workbook.xml.rels", rels},
		zipPart{"xl/workbook.xml", strings.Replace(workbookXML(""), "</sheets>", `<sheet name="Two" sheetId="9" r:id="rId2"/></sheets>`, 1)},
		zipPart{"xl/calcChain.xml", `<calcChain xmlns="` + mainNS + `"><c r="B2" i="7"/><c r="D2"/><c r="B2" i="9"/><c r="D2"/></calcChain>`},
	)
	g := table(line(checksum.Str("day")), line(checksum.Num(45000)))
	one := host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 2}}, Extent: g.Extent(), Formats: []string{"yyyy-mm-dd"}}
	two := one
	two.Block.PlacementID, two.Block.Sheet = "p2", "two"
	s := hosttest.Open(t, b.host, b.block.Document)
	if _, err := s.Write(t.Context(), []host.Patch{one, two}); err != nil {
		t.Fatalf("Write: %v (%v)", err, unwrap(err))
	}
	if diff := cmp.Diff(`<calcChain xmlns="`+mainNS+`"><c r="D2" i="7"/><c r="D2" i="9"/></calcChain>`, b.part(t, "xl/calcChain.xml")); diff != "" {
		t.Errorf("chain (-want +got):\n%s", diff)
	}
	if got := strings.Count(b.part(t, "xl/styles.xml"), `formatCode="yyyy-mm-dd"`); got != 1 {
		t.Errorf("the styles have the format %d times, want once", got)
	}
	if diff := cmp.Diff(b.part(t, "xl/worksheets/sheet1.xml"), b.part(t, "xl/worksheets/sheet2.xml")); diff != "" {
		t.Errorf("the sheets differ:\n%s", diff)
	}
	names := b.part(t, "xl/workbook.xml")
	for _, want := range []string{`<definedName name="_mooring_p1" hidden="1">'Sheet1'!$B$2:$B$3</definedName>`, `<definedName name="_mooring_p2" hidden="1">'Two'!$B$2:$B$3</definedName>`} {
		if !strings.Contains(names, want) {
			t.Errorf("workbook = %s, want %s in it", names, want)
		}
	}
	if strings.Count(names, "<definedNames>") != 1 {
		t.Errorf("workbook = %s, want one list of names", names)
	}
}
