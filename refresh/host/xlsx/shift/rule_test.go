package shift

import (
	"regexp"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// rulesAround is a sheet without rows but with what stands behind them.
func rulesAround(behind string) string { return `<sheetData></sheetData>` + behind }

// TestRulesPart moves some of the columns that rules are for: two rows are inserted before row 5 of the columns B to D.
func TestRulesPart(t *testing.T) {
	format := func(area, more string) string {
		return `<conditionalFormatting sqref="` + area + `">` + more + `</conditionalFormatting>`
	}
	highlight := func(priority, text string) string {
		return `<cfRule type="expression" dxfId="3" priority="` + priority + `"><formula>` + text + `</formula></cfRule>`
	}
	const scale = `<cfRule type="colorScale" priority="2"><colorScale><cfvo type="min"/><cfvo type="num" val="$F$9"/></colorScale></cfRule>`
	runSheetTests(t, map[string]sheetTest{
		"a highlight of rows by a column that stays": {
			moves: inserted(),
			in:    rulesAround(format("B5:H9", highlight("1", "$F5&gt;100"))),
			want:  rulesAround(format("B7:D11", highlight("1", "$F5&gt;100")) + format("E5:H9", highlight("2", "$F5&gt;100"))),
		},
		"one by a column that moves": {
			moves: inserted(),
			in:    rulesAround(format("B5:H9", highlight("1", "$C5&gt;100"))),
			want:  rulesAround(format("B7:D11", highlight("1", "$C7&gt;100")) + format("E5:H9", highlight("2", "$C7&gt;100"))),
		},
		"rows inserted in the midst part nothing": {
			moves: inserted(),
			in:    rulesAround(format("B3:H9", highlight("1", "$F3&gt;100"))),
			want:  rulesAround(format("B3:D11 E3:H9", highlight("1", "$F3&gt;100"))),
		},
		"one that says the same of all its cells stays one": {
			moves: inserted(),
			in:    rulesAround(format("A5:H9", highlight("1", "A5&gt;$F$1"))),
			want:  rulesAround(format("A5:A9 B7:D11 E5:H9", highlight("1", "A5&gt;$F$1"))),
		},
		"unless none of its areas begins at their corner, where programs differ": {
			moves: inserted(),
			in:    rulesAround(format("B5:H9", highlight("1", "B5&gt;$F$1"))),
			want:  rulesAround(format("B7:D11", highlight("1", "B7&gt;$F$1")) + format("E5:H9", highlight("2", "E5&gt;$F$1"))),
		},
		"of several rules only those that must, in their order": {
			moves: inserted(),
			in: rulesAround(format("B5:H9", highlight("1", "$F5&gt;1")+scale+highlight("3", "$F5=2")) +
				format("F1", highlight("9", "F1")) + format("F2", highlight("4", "F2"))),
			want: rulesAround(format("B7:D11", highlight("1", "$F5&gt;1")+highlight("4", "$F5=2")) +
				format("E5:H9", highlight("2", "$F5&gt;1")+highlight("5", "$F5=2")) +
				format("B7:D11 E5:H9", strings.Replace(scale, `"2"`, `"3"`, 1)) +
				format("F1", highlight("9", "F1")) + format("F2", highlight("6", "F2"))),
		},
		"pivot tables name rules by their priorities": {
			moves: inserted(),
			in: rulesAround(format("B5:H9", highlight("1", "$F5&gt;1")) +
				`<conditionalFormatting pivot="1" sqref="F1">` + highlight("2", "F1") + `</conditionalFormatting>`),
			want: rulesAround(format("B7:D11", highlight("1", "$F5&gt;1")) + format("E5:H9", highlight("1", "$F5&gt;1")) +
				`<conditionalFormatting pivot="1" sqref="F1">` + highlight("2", "F1") + `</conditionalFormatting>`),
		},
		"areas in any order stay together where none parts": {
			moves: inserted(),
			in:    rulesAround(format("H5:H9 F9:F12 F5:F6", highlight("1", "F5&gt;B5"))),
			want:  rulesAround(format("H5:H9 F9:F12 F5:F6", highlight("1", "F5&gt;B7"))),
		},
		"areas of one rule that part from each other": {
			moves: inserted(),
			in:    rulesAround(format("B3:C3 B5:C9", highlight("1", "$F3&gt;100"))),
			want:  rulesAround(format("B3:C3", highlight("1", "$F3&gt;100")) + format("B7:C11", highlight("2", "$F5&gt;100"))),
		},
		"a list of choices in a column that stays": {
			moves: inserted(),
			in: rulesAround(`<dataValidations count="2"><dataValidation type="list" sqref="D5:E9" xr:uid="{1}"><formula1>$F5:$H5</formula1>` +
				`</dataValidation><dataValidation sqref="A1"><formula1>1</formula1></dataValidation></dataValidations>`),
			want: rulesAround(`<dataValidations count="3"><dataValidation type="list" sqref="D7:D11" xr:uid="{1}"><formula1>$F5:$H5</formula1>` +
				`</dataValidation><dataValidation type="list" sqref="E5:E9"><formula1>$F5:$H5</formula1></dataValidation>` +
				`<dataValidation sqref="A1"><formula1>1</formula1></dataValidation></dataValidations>`),
		},
		"a choice among the rows above": {
			moves: inserted(),
			in: rulesAround(`<dataValidations count="1"><dataValidation type="list" sqref="D8:E9"><formula1>$F6:$F7</formula1></dataValidation>` +
				`</dataValidations>`),
			want: rulesAround(`<dataValidations count="2"><dataValidation type="list" sqref="D10:D11"><formula1>$F6:$F7</formula1></dataValidation>` +
				`<dataValidation type="list" sqref="E8:E9"><formula1>$F6:$F7</formula1></dataValidation></dataValidations>`),
		},
		"a rule that reaches over the sheet's end stays one": {
			moves: inserted(),
			in:    rulesAround(format("H1 B5:H9", highlight("1", "$F1048576&gt;1"))),
			want:  rulesAround(format("H1 B7:D11 E5:H9", highlight("1", "$F1048576&gt;1"))),
		},
		"extensions that name a column that stays": {
			moves: inserted(),
			in: rulesAround(`<extLst><ext><x14:dataValidations count="1"><x14:dataValidation type="list"><x14:formula1><xm:f>$F5:$H5</xm:f>` +
				`</x14:formula1><xm:sqref>D5:E9</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>`),
			want: rulesAround(`<extLst><ext><x14:dataValidations count="2"><x14:dataValidation type="list"><x14:formula1><xm:f>$F5:$H5</xm:f>` +
				`</x14:formula1><xm:sqref>D7:D11</xm:sqref></x14:dataValidation><x14:dataValidation type="list"><x14:formula1><xm:f>$F5:$H5</xm:f>` +
				`</x14:formula1><xm:sqref>E5:E9</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>`),
		},
	})
}

// TestCopiesOfRulesHaveIDsOfTheirOwn parts a data bar, which a rule and its extension describe together.
func TestCopiesOfRulesHaveIDsOfTheirOwn(t *testing.T) {
	const id = "{0B5A2F10-0001-4000-8000-000000000001}"
	in := rulesAround(`<conditionalFormatting sqref="B5:H9"><cfRule type="dataBar" priority="1"><dataBar/><formula>$F5</formula><extLst><ext><x14:id>` + id +
		`</x14:id></ext></extLst></cfRule></conditionalFormatting><extLst><ext><x14:conditionalFormattings><x14:conditionalFormatting>` +
		`<x14:cfRule type="dataBar" id="` + id + `"><xm:f>$F5</xm:f></x14:cfRule><xm:sqref>B5:H9</xm:sqref></x14:conditionalFormatting>` +
		`<x14:conditionalFormatting><x14:cfRule priority="2"><xm:f>F1</xm:f></x14:cfRule><xm:sqref>F1</xm:sqref></x14:conditionalFormatting>` +
		`</x14:conditionalFormattings></ext></extLst>`)
	got, _, err := runSheet(sheetTest{moves: inserted(), in: in})
	if err != nil {
		t.Fatal(err)
	}
	ids := regexp.MustCompile(`\{[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}\}`).FindAllString(got, -1)
	if len(ids) != 4 || ids[0] != id || ids[2] != id || ids[1] == id || ids[3] != ids[1] {
		t.Errorf("the ids are %v in\n%s", ids, got)
	}
	for _, want := range []string{`<x14:cfRule priority="3"><xm:f>F1`, `<xm:sqref>B7:D11</xm:sqref>`, `<xm:sqref>E5:H9</xm:sqref>`} {
		if strings.Count(got, want) != 1 {
			t.Errorf("no %s, or several, in\n%s", want, got)
		}
	}
}

// TestRulesPartedOftenStayFew inserts rows at many places of some columns of a rule.
func TestRulesPartedOftenStayFew(t *testing.T) {
	m := &Moves{Sheets: []string{"Data"}}
	for i := range 200 {
		m.By = append(m.By, formula.CellShift{
			Sheet: "Data", Left: 1, Right: 3, Row: 10 + 5*i, Rows: 1 - 2*(i%2), Block: placements.Rect{Top: 1, Left: 1, Bottom: 2000, Right: 3},
		})
	}
	in := rulesAround(`<conditionalFormatting sqref="B3:H1500"><cfRule priority="1"><formula>$F3&gt;100</formula></cfRule></conditionalFormatting>`)
	got, _, err := runSheet(sheetTest{moves: m, in: in})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(got, "<cfRule"); n != 1 {
		t.Errorf("%d rules:\n%s", n, got)
	}
}
