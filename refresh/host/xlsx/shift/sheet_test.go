package shift

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/cursor"
)

// inserted are two rows inserted before row 5 of columns B to D on the sheet Data, in a block at B2:D9.
func inserted() *Moves { return movesOf(formula.CellShift{Row: 4, Rows: 2}) }

// deleted are rows 5 and 6 of the same block.
func deleted() *Moves { return movesOf(formula.CellShift{Row: 4, Rows: -2}) }

// appended are two rows behind the block's last.
func appended() *Moves { return movesOf(formula.CellShift{Row: 9, Rows: 2}) }

func movesOf(s formula.CellShift) *Moves {
	s.Sheet, s.Left, s.Right = "Data", 1, 3
	s.Block = placements.Rect{Top: 1, Left: 1, Bottom: 8, Right: 3}
	return &Moves{By: formula.Shifts{s}, Sheets: []string{"Data", "Other"}}
}

// sheetTest is what becomes of a sheet; in and want are what stands in its root element.
type sheetTest struct {
	moves    *Moves
	sheet    string // Data when empty
	in, want string // want is empty for what stays
	formulas int
}

// of is the sheet that the test is of.
func (test sheetTest) of() string {
	if test.sheet == "" {
		return "Data"
	}
	return test.sheet
}

func runSheet(test sheetTest) (string, Followed, error) {
	var out strings.Builder
	const open, end = `<worksheet xmlns:mc="mc" xmlns:x14="http://schemas.microsoft.com/office/x14">`, "</worksheet>"
	followed, err := Sheet(strings.NewReader(open+test.in+end), &out, test.of(), test.moves)
	return strings.TrimSuffix(strings.TrimPrefix(out.String(), open), end), followed, err
}

func runSheetTests(t *testing.T, tests map[string]sheetTest) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, followed, err := runSheet(test)
			if err != nil {
				t.Fatal(err)
			}
			stays := test.want == ""
			if stays {
				test.want = test.in
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if followed.Formulas != test.formulas || followed.Changed == stays {
				t.Errorf("%+v, want %d formulas and changed %t", followed, test.formulas, !stays)
			}
		})
	}
}

func TestSheetCells(t *testing.T) {
	runSheetTests(t, map[string]sheetTest{
		"cells of the columns move, those beside and the rows' own attributes stay": {
			moves: inserted(),
			in: `<sheetData><row r="4" ht="9"><c r="B4"/></row><row r="5" spans="1:5" ht="20"><c r="A5"><v>1</v></c><c r="B5"><v>2</v></c>` +
				`<c r="E5"><v>3</v></c></row></sheetData>`,
			want: `<sheetData><row r="4" ht="9"><c r="B4"/></row><row r="5" ht="20"><c r="A5"><v>1</v></c><c r="E5"><v>3</v></c></row>` +
				`<row r="7"><c r="B7"><v>2</v></c></row></sheetData>`,
		},
		"what a cell holds is copied byte for byte": {
			moves: inserted(),
			in: `<sheetData><row r="5"><c t="inlineStr" r='B5' cm="1" s="3"><is><r><t>a &amp; b</t></r></is></c><c r="C5" x:y="1"><f>1</f><v></v>` +
				`<extLst/></c></row></sheetData>`,
			want: `<sheetData><row r="5"></row><row r="7"><c t="inlineStr" r='B7' cm="1" s="3"><is><r><t>a &amp; b</t></r></is></c>` +
				`<c r="C7" x:y="1"><f>1</f><v></v><extLst/></c></row></sheetData>`,
		},
		"rows inserted have the styles of the row above them": {
			moves: inserted(),
			in:    `<sheetData><row r="4"><c r="A4" s="9"/><c r="B4" s="1"><v>1</v></c><c r="D4" s="2"/></row></sheetData>`,
			want: `<sheetData><row r="4"><c r="A4" s="9"/><c r="B4" s="1"><v>1</v></c><c r="D4" s="2"/></row>` +
				`<row r="5"><c r="B5" s="1"/><c r="D5" s="2"/></row><row r="6"><c r="B6" s="1"/><c r="D6" s="2"/></row></sheetData>`,
		},
		"cells that move between rows of other styles look as before": {
			moves: inserted(),
			in: `<cols><col min="3" max="3" style="4"/></cols><sheetData><row r="4"><c r="B4"><v>1</v></c></row>` +
				`<row r="5" s="8" customFormat="1"><c r="B5" s="8"><v>2</v></c></row></sheetData>`,
			want: `<cols><col min="3" max="3" style="4"/></cols><sheetData><row r="4"><c r="B4"><v>1</v></c></row>` +
				`<row r="5" s="8" customFormat="1"><c r="B5" s="0"/><c r="C5" s="4"/><c r="D5" s="0"/></row><row r="6"><c r="B6" s="0"/></row>` +
				`<row r="7"><c r="B7" s="8"><v>2</v></c><c r="C7" s="8"/><c r="D7" s="8"/></row></sheetData>`,
		},
		"below the header they have those of the row below": {
			moves: movesOf(formula.CellShift{Row: 2, Rows: 1}),
			in:    `<sheetData><row r="2"><c r="B2" s="1"/></row><row r="3"><c r="B3" s="2"><v>1</v></c></row></sheetData>`,
			want: `<sheetData><row r="2"><c r="B2" s="1"/></row><row r="3"><c r="B3" s="2"/></row><row r="4"><c r="B4" s="2"><v>1</v></c></row>` +
				`</sheetData>`,
		},
		"deleted cells go and those below move up": {
			moves: deleted(),
			in:    `<sheetData><row r="5"><c r="B5"/><c r="E5"/></row><row r="7"><c r="A7"/><c r="D7"><v>1</v></c></row></sheetData>`,
			want:  `<sheetData><row r="5"><c r="D5"><v>1</v></c><c r="E5"/></row><row r="7"><c r="A7"/></row></sheetData>`,
		},
		"an alternative that counts stands for all": {
			moves: inserted(),
			in: `<sheetData><row r="5"><mc:AlternateContent><mc:Choice Requires="x14"><c r="B5"/></mc:Choice><mc:Fallback><c r="B5"><v>0</v></c>` +
				`</mc:Fallback></mc:AlternateContent></row></sheetData>`,
			want: `<sheetData><row r="5"></row><row r="7"><c r="B7"/></row></sheetData>`,
		},
	})
}

func TestSheetFormulas(t *testing.T) {
	runSheetTests(t, map[string]sheetTest{
		"a formula follows the cells that it names": {
			moves: inserted(), sheet: "Other", formulas: 1,
			in:   `<sheetData><row r="1"><c r="A1"><f>SUM(Data!B2:B9)&amp;""</f><v>1</v></c><c r="B1"><f>B9</f></c></row></sheetData>`,
			want: `<sheetData><row r="1"><c r="A1"><f>SUM(Data!B2:B11)&amp;""</f><v>1</v></c><c r="B1"><f>B9</f></c></row></sheetData>`,
		},
		"a sheet that names none of them stays": {
			moves: inserted(), sheet: "Other",
			in: `<sheetData><row spans="1:2"><c><f ca="1">Data!A5*B5</f></c></row><row r="9"><c r="A9"><f t="shared" ref="A9:A10" si="0">A1</f></c></row>` +
				`<row r="10"><c r="A10"><f t="shared" si="0"/></c></row></sheetData><mergeCells count="1"><mergeCell ref="B5:C6"/></mergeCells>`,
		},
		"the order of rows does not matter where none moves": {
			moves: inserted(), sheet: "Other", formulas: 1,
			in:   `<sheetData><row r="9"><c r="B9"><f>1</f></c><c r="A9"><f>Data!B5</f></c></row><row r="2"/><row r="9"/></sheetData>`,
			want: `<sheetData><row r="9"><c r="B9"><f>1</f></c><c r="A9"><f>Data!B7</f></c></row><row r="2"/><row r="9"/></sheetData>`,
		},
		"a shared formula that moves as one stays one": {
			moves: inserted(), formulas: 2,
			in: `<sheetData><row r="6"><c r="C6"><f t="shared" ref="C6:C7" si="0">B6+$A$1</f></c></row><row r="7"><c r="C7"><f t="shared" si="0"/></c></row></sheetData>`,
			want: `<sheetData><row r="6"></row><row r="7"></row><row r="8"><c r="C8"><f t="shared" ref="C8:C9" si="0">B8+$A$1</f></c></row>` +
				`<row r="9"><c r="C9"><f t="shared" si="0"/></c></row></sheetData>`,
		},
		"a shared formula whose cells part is written out": {
			moves: inserted(), formulas: 1,
			in:   `<sheetData><row r="4"><c r="C4"><f t="shared" ref="C4:C5" si="0">B4+1</f></c></row><row r="5"><c r="C5"><f t="shared" si="0"/><v>2</v></c></row></sheetData>`,
			want: `<sheetData><row r="4"><c r="C4"><f>B4+1</f></c></row><row r="5"></row><row r="7"><c r="C7"><f>B7+1</f><v>2</v></c></row></sheetData>`,
		},
		"a shared formula whose references part is written out": {
			moves: inserted(), sheet: "Other", formulas: 1,
			in:   `<sheetData><row r="4"><c r="A4"><f t="shared" ref="A4:A5" si="0">Data!B4</f></c></row><row r="5"><c r="A5"><f t="shared" si="0"/></c></row></sheetData>`,
			want: `<sheetData><row r="4"><c r="A4"><f>Data!B4</f></c></row><row r="5"><c r="A5"><f>Data!B7</f></c></row></sheetData>`,
		},
		"the cell that others were filled from is deleted": {
			moves: deleted(), formulas: 1,
			in:   `<sheetData><row r="6"><c r="C6"><f t="shared" ref="C6:C7" si="0">B6+1</f></c></row><row r="7"><c r="C7"><f t="shared" si="0"/></c></row></sheetData>`,
			want: `<sheetData><row r="5"><c r="C5"><f>B5+1</f></c></row><row r="6"></row><row r="7"></row></sheetData>`,
		},
		"an array formula moves as a whole": {
			moves: inserted(), formulas: 1,
			in:   `<sheetData><row r="5"><c r="B5" cm="1"><f t="array" ref="B5:B6">D5:D6*2</f><v>1</v></c></row></sheetData>`,
			want: `<sheetData><row r="5"></row><row r="7"><c r="B7" cm="1"><f t="array" ref="B7:B8">D7:D8*2</f><v>1</v></c></row></sheetData>`,
		},
		"a data table moves and its input cells too": {
			moves: inserted(), formulas: 1,
			in:   `<sheetData><row r="6"><c r="C6"><f t="dataTable" ref="C6:D7" dt2D="1" r1="B5" r2="A1"/><v>1</v></c></row></sheetData>`,
			want: `<sheetData><row r="6"></row><row r="8"><c r="C8"><f t="dataTable" ref="C8:D9" dt2D="1" r1="B7" r2="A1"/><v>1</v></c></row></sheetData>`,
		},
	})
}

func TestSheetBesideTheRows(t *testing.T) {
	const rows = `<sheetData></sheetData>`
	runSheetTests(t, map[string]sheetTest{
		"the used area": {
			moves: inserted(), in: `<dimension ref="A1:E9"/>` + rows, want: `<dimension ref="A1:E11"/>` + rows,
		},
		"merged cells move, and go with their cells": {
			moves: deleted(),
			in:    rows + `<mergeCells count="3"><mergeCell ref="B5:C6"/><mergeCell ref="B8:C9"/><mergeCell ref="E5:F9"/></mergeCells>`,
			want:  rows + `<mergeCells count="2"><mergeCell ref="B6:C7"/><mergeCell ref="E5:F9"/></mergeCells>`,
		},
		"the last merged cells take the list along": {
			moves: deleted(), in: rows + `<mergeCells count="1"><mergeCell ref="B5:C6"/></mergeCells><x/>`, want: rows + `<x/>`,
		},
		"the area of a conditional format parts with its columns": {
			moves: inserted(),
			in:    rows + `<conditionalFormatting sqref="A1:C9 F1"><cfRule type="expression"><formula>$B5&gt;A1</formula></cfRule></conditionalFormatting>`,
			want: rows + `<conditionalFormatting sqref="A1:A9 B1:C11 F1"><cfRule type="expression"><formula>$B7&gt;A1</formula></cfRule>` +
				`</conditionalFormatting>`,
		},
		"a conditional format whose first rows are deleted": {
			moves: deleted(),
			in:    rows + `<conditionalFormatting sqref="C5:C9"><cfRule><formula>C5&gt;1</formula></cfRule></conditionalFormatting>`,
			want:  rows + `<conditionalFormatting sqref="C5:C7"><cfRule><formula>C5&gt;1</formula></cfRule></conditionalFormatting>`,
		},
		"validations": {
			moves: inserted(),
			in: rows + `<dataValidations count="1"><dataValidation sqref="D6"><formula1>$B$6</formula1><formula2>2</formula2></dataValidation>` +
				`</dataValidations>`,
			want: rows + `<dataValidations count="1"><dataValidation sqref="D8"><formula1>$B$8</formula1><formula2>2</formula2></dataValidation>` +
				`</dataValidations>`,
		},
		"hyperlinks": {
			moves: inserted(),
			in:    rows + `<hyperlinks><hyperlink ref="B9" location="Data!C9"/><hyperlink ref="F9" r:id="r1" location="Data!C9"/></hyperlinks>`,
			want:  rows + `<hyperlinks><hyperlink ref="B11" location="Data!C11"/><hyperlink ref="F9" r:id="r1" location="Data!C9"/></hyperlinks>`,
		},
		"a filter grows and its sort order with it": {
			moves: inserted(),
			in:    rows + `<autoFilter ref="B2:D9"><filterColumn colId="0"/><sortState ref="B3:D9"><sortCondition ref="B3:B9"/></sortState></autoFilter>`,
			want: rows + `<autoFilter ref="B2:D11"><filterColumn colId="0"/><sortState ref="B3:D11"><sortCondition ref="B3:B11"/></sortState>` +
				`</autoFilter>`,
		},
		"a filter grows at the block's end": {
			moves: appended(), in: rows + `<autoFilter ref="B2:D9"/>`, want: rows + `<autoFilter ref="B2:D11"/>`,
		},
		"protected ranges, ignored errors, watches and scenarios": {
			moves: inserted(),
			in: rows + `<protectedRanges><protectedRange sqref="B9" name="x"/></protectedRanges><scenarios sqref="B9"><scenario sqref="B9">` +
				`<inputCells r="B9" val="1"/></scenario></scenarios><cellWatches><cellWatch r="B9"/></cellWatches><ignoredErrors>` +
				`<ignoredError sqref="B4:B9"/></ignoredErrors>`,
			want: rows + `<protectedRanges><protectedRange sqref="B11" name="x"/></protectedRanges><scenarios sqref="B11"><scenario sqref="B11">` +
				`<inputCells r="B11" val="1"/></scenario></scenarios><cellWatches><cellWatch r="B11"/></cellWatches><ignoredErrors>` +
				`<ignoredError sqref="B4:B11"/></ignoredErrors>`,
		},
		"smart tags": {
			moves: deleted(),
			in:    rows + `<smartTags><cellSmartTags r="B5"><cellSmartTag type="1"/></cellSmartTags><cellSmartTags r="B9"><cellSmartTag type="1"/></cellSmartTags></smartTags>`,
			want:  rows + `<smartTags><cellSmartTags r="B7"><cellSmartTag type="1"/></cellSmartTags></smartTags>`,
		},
		"extensions": {
			moves: inserted(),
			in: rows + `<extLst><ext><x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule><xm:f>$B$9</xm:f></x14:cfRule>` +
				`<xm:sqref>B9:B10</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext><ext><x14:dataValidations count="1">` +
				`<x14:dataValidation><x14:formula1><xm:f>Data!$B$9</xm:f></x14:formula1><xm:sqref>F1</xm:sqref></x14:dataValidation>` +
				`</x14:dataValidations></ext></extLst>`,
			want: rows + `<extLst><ext><x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule><xm:f>$B$11</xm:f></x14:cfRule>` +
				`<xm:sqref>B11:B12</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext><ext><x14:dataValidations count="1">` +
				`<x14:dataValidation><x14:formula1><xm:f>Data!$B$11</xm:f></x14:formula1><xm:sqref>F1</xm:sqref></x14:dataValidation>` +
				`</x14:dataValidations></ext></extLst>`,
		},
		"cells that an add-in has bound": {
			moves: inserted(),
			in: rows + `<extLst><ext><x15:webExtensions><x15:webExtension appRef="{1}"><xm:f>Data!$B$5:$C$9</xm:f></x15:webExtension>` +
				`<x15:webExtension appRef="{2}"><xm:f>$F$9</xm:f></x15:webExtension></x15:webExtensions></ext></extLst>`,
			want: rows + `<extLst><ext><x15:webExtensions><x15:webExtension appRef="{1}"><xm:f>Data!$B$7:$C$11</xm:f></x15:webExtension>` +
				`<x15:webExtension appRef="{2}"><xm:f>$F$9</xm:f></x15:webExtension></x15:webExtensions></ext></extLst>`,
		},
		"sparklines, of which one is deleted": {
			moves: deleted(),
			in: rows + `<extLst><ext><x14:sparklineGroups><x14:sparklineGroup><xm:f>Data!$B$9</xm:f><x14:sparklines><x14:sparkline><xm:f>Data!B8:C8</xm:f>` +
				`<xm:sqref>D8</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup><x14:sparklineGroup><x14:sparklines><x14:sparkline>` +
				`<xm:f>Data!B5:C5</xm:f><xm:sqref>D5</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>`,
			want: rows + `<extLst><ext><x14:sparklineGroups><x14:sparklineGroup><xm:f>Data!$B$7</xm:f><x14:sparklines><x14:sparkline><xm:f>Data!B6:C6</xm:f>` +
				`<xm:sqref>D6</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>`,
		},
		"another sheet's names of the cells": {
			moves: inserted(), sheet: "Other",
			in: rows + `<dataConsolidate><dataRefs><dataRef ref="B2:D9" sheet="Data"/><dataRef ref="B2:D9" sheet="Other"/></dataRefs></dataConsolidate>` +
				`<conditionalFormatting sqref="B5:B9"><cfRule><formula>Data!B9</formula><colorScale><cfvo type="formula" val="Data!$B$9"/></colorScale>` +
				`</cfRule></conditionalFormatting><hyperlinks><hyperlink ref="B9" location="Data!C9"/></hyperlinks>`,
			want: rows + `<dataConsolidate><dataRefs><dataRef ref="B2:D11" sheet="Data"/><dataRef ref="B2:D9" sheet="Other"/></dataRefs></dataConsolidate>` +
				`<conditionalFormatting sqref="B5:B9"><cfRule><formula>Data!B11</formula><colorScale><cfvo type="formula" val="Data!$B$11"/></colorScale>` +
				`</cfRule></conditionalFormatting><hyperlinks><hyperlink ref="B9" location="Data!C11"/></hyperlinks>`,
		},
		"views, breaks and sheet's protection for others stay": {
			moves: inserted(),
			in: `<sheetViews><sheetView topLeftCell="B9"><selection sqref="B9"/></sheetView></sheetViews>` + rows +
				`<sheetProtection sheet="1" insertRows="0"/><rowBreaks count="1"><brk id="9"/></rowBreaks>`,
		},
	})
}

// TestRulesGrowUpwards inserts two rows before the first below the headings of the block at B2:D9.
func TestRulesGrowUpwards(t *testing.T) {
	rule := func(area, text string) string {
		return `<sheetData></sheetData><conditionalFormatting sqref="` + area + `"><cfRule><formula>` + text + `</formula></cfRule></conditionalFormatting>`
	}
	first := movesOf(formula.CellShift{Row: 2, Rows: 2})
	only := movesOf(formula.CellShift{Row: 3, Rows: 2})
	only.By[0].Block.Bottom = 2
	const sparkline = `<sheetData></sheetData><extLst><ext><x14:sparkline><xm:f>Data!$B3:$C3</xm:f><xm:sqref>D3</xm:sqref></x14:sparkline></ext></extLst>`
	runSheetTests(t, map[string]sheetTest{
		"a rule that names its own row":            {moves: first, in: rule("B3:D9", "B3=$F$1"), want: rule("B3:D11", "B3=$F$1")},
		"one that names the row above":             {moves: first, in: rule("B3:D9", "B3=B2"), want: rule("B3:D11", "B3=B2")},
		"one that names all rows":                  {moves: first, in: rule("B3:D9", "B3=MAX(B$3:B$9)"), want: rule("B3:D11", "B3=MAX(B$3:B$11)")},
		"one that names a cell of the rows":        {moves: first, in: rule("B3:D9", "B3=B$5"), want: rule("B3:D11", "B3=B$7")},
		"one that does not begin in the first row": {moves: first, in: rule("B4:D9", "B4=B3"), want: rule("B6:D11", "B6=B5")},
		"one for the only row":                     {moves: only, in: rule("B3:D3", "B3=B2"), want: rule("B3:D5", "B3=B2")},
		"a sparkline stays one cell":               {moves: only, in: sparkline},
	})
}

func TestSheetRefuses(t *testing.T) {
	const rows = `<sheetData></sheetData>`
	for name, test := range map[string]struct {
		sheetTest
		err string
	}{
		"merged cells of which some move": {
			sheetTest{moves: inserted(), in: rows + `<mergeCells><mergeCell ref="A6:B6"/></mergeCells>`},
			`the merged cells at A6:B6 on sheet "Data" would be torn apart`,
		},
		"an array formula that rows are inserted into": {
			sheetTest{moves: inserted(), in: `<sheetData><row r="4"><c r="B4"><f t="array" ref="B4:B5">1</f></c></row></sheetData>`},
			`the array formula at B4:B5 on sheet "Data" would be torn apart`,
		},
		"a part of a data table is deleted": {
			sheetTest{moves: deleted(), in: `<sheetData><row r="6"><c r="B6"><f t="dataTable" ref="B6:B7" r1="A1"/></c></row></sheetData>`},
			`the data table at B6:B7 on sheet "Data" would be torn apart`,
		},
		"a data table whose formulas above stay": {
			sheetTest{moves: inserted(), in: `<sheetData><row r="5"><c r="C5"><f t="dataTable" ref="C5:D6" dt2D="1" r1="C1" r2="A1"/></c></row></sheetData>`},
			`the data table at B4:D6 on sheet "Data" would be torn apart`,
		},
		"a data table whose values to the left stay": {
			sheetTest{moves: inserted(), in: `<sheetData><row r="6"><c r="B6"><f t="dataTable" ref="B6:C7" r1="A1"/></c></row></sheetData>`},
			`the data table at A5:C7 on sheet "Data" would be torn apart`,
		},
		"a filter of which some columns move": {
			sheetTest{moves: inserted(), in: rows + `<autoFilter ref="A2:D9"/>`},
			`the filter at A2:D9 on sheet "Data" would be torn apart`,
		},
		"a cell at the end of the sheet": {
			sheetTest{moves: inserted(), in: `<sheetData><row r="1048575"><c r="B1048575"><v>1</v></c></row></sheetData>`},
			`the cell B1048575 of sheet "Data" would be pushed off the sheet`,
		},
		"a protected sheet": {
			sheetTest{moves: inserted(), in: rows + `<sheetProtection sheet="1" deleteRows="0"/>`}, `the sheet "Data" is protected`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := runSheet(test.sheetTest); err == nil || err.Error() != test.err {
				t.Errorf("got %v, want %s", err, test.err)
			}
		})
	}
	test := sheetTest{moves: inserted(), in: `<sheetData><row r="9"/><row r="8"/></sheetData>`}
	if _, _, err := runSheet(test); !errors.Is(err, cursor.ErrOrder) {
		t.Errorf("got %v, want %v", err, cursor.ErrOrder)
	}
}

func TestSheetKeepsItsPrefix(t *testing.T) {
	const part = `<?xml version="1.0"?><x:worksheet><x:sheetData><x:row r="5"><x:c r="B5"><x:f>B6</x:f></x:c></x:row></x:sheetData></x:worksheet>`
	const want = `<?xml version="1.0"?><x:worksheet><x:sheetData><x:row r="5"></x:row><x:row r="7"><x:c r="B7"><x:f>B8</x:f></x:c></x:row>` +
		`</x:sheetData></x:worksheet>`
	var out strings.Builder
	if _, err := Sheet(strings.NewReader(part), &out, "Data", inserted()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzSheet moves what stands in a sheet, which may be anything. Where nothing moves it stays as it is.
func FuzzSheet(f *testing.F) {
	for _, seed := range []string{
		`<dimension ref="A1:D9"/><cols><col min="2" max="3" style="1"/></cols><sheetData><row r="5" s="2" customFormat="1"><c r="B5"/></row></sheetData>`,
		`<sheetData><row r="4"><c r="C4"><f t="shared" ref="C4:C5" si="0">B4+1</f></c></row><row><c r="C5"><f t="shared" si="0"/></c></row></sheetData>`,
		`<sheetData><row r="6"><c r="B6"><f t="dataTable" ref="B6:B7" r1="A1"/></c><c><f t="array" ref="C6:D7"><![CDATA[1]]></f></c></row></sheetData>`,
		`<sheetData/><mergeCells count="1"><mergeCell ref="B5:C6"/></mergeCells><conditionalFormatting sqref="B5 C1:D9"><cfRule><formula>B5</formula>` +
			`<cfvo val="1"/></cfRule></conditionalFormatting><extLst><ext><x14:sparklineGroups><x14:sparklineGroup><x14:sparklines><x14:sparkline>` +
			`<xm:f>Data!B5:C5</xm:f><xm:sqref>D5</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>`,
		`<sheetData><row r="5"><mc:AlternateContent><mc:Choice Requires="x14"><c/></mc:Choice><mc:Fallback><c/></mc:Fallback></mc:AlternateContent></row></sheetData>`,
		`<sheetData><row><c><f t="shared" ref="A2" si="0">0</f></c><c><f t="shared" si="0"/></c></row></sheetData>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, m := range []*Moves{inserted(), deleted(), appended()} {
			_, _, _ = runSheet(sheetTest{moves: m, in: in}) // it may be refused, and must come to an end
		}
		same, _, err := runSheet(sheetTest{moves: &Moves{}, in: in})
		if err == nil && same != in {
			t.Errorf("%q became %q", in, same)
		}
	})
}
