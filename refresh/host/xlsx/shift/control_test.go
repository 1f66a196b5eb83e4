package shift_test

import "testing"

var controlTests = []partTest{
	{
		name: "form control", kind: "ctrlProp", by: inserted,
		doc:  `<formControlPr objectType="Drop" fmlaLink="$B$7" fmlaRange="Data!$C$6:$C$9" fmlaGroup="$E$9" sel="2"/>`,
		want: `<formControlPr objectType="Drop" fmlaLink="$B$9" fmlaRange="Data!$C$8:$C$11" fmlaGroup="$E$9" sel="2"/>`,
	},
	{
		name: "parameter of a query", kind: "connections", by: inserted,
		doc:  `<connections><connection id="1"><parameters><parameter cell="Data!$B$7" parameterType="cell"/></parameters></connection></connections>`,
		want: `<connections><connection id="1"><parameters><parameter cell="Data!$B$9" parameterType="cell"/></parameters></connection></connections>`,
	},
	{
		name: "cell mapped to XML data", kind: "tableSingleCells", by: inserted,
		doc:  `<singleXmlCells><singleXmlCell id="1" r="C9" connectionId="0"/></singleXmlCells>`,
		want: `<singleXmlCells><singleXmlCell id="1" r="C11" connectionId="0"/></singleXmlCells>`,
	},
	{
		name: "deleted cell mapped to XML data", kind: "tableSingleCells", by: deleted,
		doc:  `<singleXmlCells><singleXmlCell id="1" r="C5" connectionId="0"/></singleXmlCells>`,
		torn: `a cell mapped to XML data at C5 on sheet "Data" would be torn apart`,
	},
	{
		name: "view of a sheet", kind: "namedSheetView", by: inserted,
		doc:  `<namedSheetViews><namedSheetView name="v"><nsvFilter filterId="{1}" ref="B2:D9"/></namedSheetView></namedSheetViews>`,
		want: `<namedSheetViews><namedSheetView name="v"><nsvFilter filterId="{1}" ref="B2:D11"/></namedSheetView></namedSheetViews>`,
	},
}

func TestControls(t *testing.T) { runPartTests(t, controlTests) }

func TestTopics(t *testing.T) {
	topics := func(cell string) string {
		return `<volTypes><volType type="realTimeData"><main first="rtd"><tp t="n"><v>1</v><tr r="` + cell + `" s="7"/><tr r="B9" s="8"/></tp></main></volType></volTypes>`
	}
	for _, tt := range []partTest{
		{name: "cell with live data moves", by: inserted, doc: topics("B9"), want: topics("B11")},
		{name: "deleted cell with live data", by: deleted, doc: topics("B5"), torn: `a cell with live data at B5 on sheet "Data" would be torn apart`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkPart(t, tt, func(doc []byte, _ string) ([]byte, error) {
				return tt.by.Topics(doc, map[string]string{"7": "Data", "8": "Sum"})
			})
		})
	}
}

func TestCalcChain(t *testing.T) {
	for _, tt := range []struct {
		partTest
		left int
	}{
		{
			partTest: partTest{
				name: "cells move on their sheet alone", by: inserted,
				doc:  `<calcChain><c r="B9" i="1"/><c r="C9" l="1"/><c r="B9" i="2" s="1"/><c r="A9" i="1"/></calcChain>`,
				want: `<calcChain><c r="B11" i="1"/><c r="C11" l="1"/><c r="B9" i="2" s="1"/><c r="A9" i="1"/></calcChain>`,
			},
			left: 4,
		},
		{
			partTest: partTest{
				name: "deleted cells go, and leave their sheet to the next", by: deleted,
				doc:  `<calcChain><c r="B5" i="1" l="1"/><c r="C6"/><c r="C7"/><c r="D2"/><c r="D5" i="1"/><c r="A1" i="2"/></calcChain>`,
				want: `<calcChain><c r="C5" i="1"/><c r="D2"/><c r="A1" i="2"/></calcChain>`,
			},
			left: 3,
		},
		{partTest: partTest{name: "nothing left", by: deleted, doc: `<calcChain><c r="B5" i="1"/></calcChain>`, want: `<calcChain></calcChain>`}},
		{partTest: partTest{name: "above", by: deleted, doc: `<calcChain><c r="B4" i="1"/></calcChain>`}, left: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkPart(t, tt.partTest, func(doc []byte, _ string) ([]byte, error) {
				chain, left, err := tt.by.CalcChain(doc, map[string]string{"1": "Data", "2": "Sum"})
				if left != tt.left {
					t.Errorf("%d cells left, want %d", left, tt.left)
				}
				return chain, err
			})
		})
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []partTest{
		{
			name: "names", by: inserted,
			doc: `<workbook><definedNames><definedName name="a">Data!$B$6:$D$9</definedName><definedName name="_xlnm.Print_Area" localSheetId="0">Data!$B$2:$D$9,Data!$F$1</definedName>` +
				`<definedName name="rel">Data!B6</definedName><definedName name="f">SUM('My Sheet'!$B$6,Data!$C$7)&amp;"Data!$B$6"</definedName></definedNames></workbook>`,
			want: `<workbook><definedNames><definedName name="a">Data!$B$8:$D$11</definedName><definedName name="_xlnm.Print_Area" localSheetId="0">Data!$B$2:$D$11,Data!$F$1</definedName>` +
				`<definedName name="rel">Data!B6</definedName><definedName name="f">SUM('My Sheet'!$B$6,Data!$C$9)&amp;"Data!$B$6"</definedName></definedNames></workbook>`,
		},
		{
			name: "deleted", by: deleted,
			doc:  `<workbook><definedNames><definedName name="a">Data!$B$5:$D$6</definedName></definedNames></workbook>`,
			want: `<workbook><definedNames><definedName name="a">#REF!</definedName></definedNames></workbook>`,
		},
		{name: "rows to repeat stay", by: inserted, doc: `<workbook><definedName name="_xlnm.Print_Titles">Data!$A:$B,Data!$5:$6</definedName></workbook>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkPart(t, tt, func(doc []byte, _ string) ([]byte, error) { return tt.by.Names(doc) })
		})
	}
}
