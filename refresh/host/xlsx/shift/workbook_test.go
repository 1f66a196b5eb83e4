package shift_test

import "testing"

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
		{
			name: "which document it is stays", by: inserted,
			doc: `<workbook><definedNames><definedName name="_mooring_document" hidden="1">"0b3f6a1e-5c0d-4f0a-9b1e-2d3c4b5a6978 Data-B6_C7-B6_D8-E9xy"</definedName></definedNames></workbook>`,
		},
		{name: "rows to repeat stay", by: inserted, doc: `<workbook><definedName name="_xlnm.Print_Titles">Data!$A:$B,Data!$5:$6</definedName></workbook>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			checkPart(t, tt, func(doc []byte, _ string) ([]byte, error) { return tt.by.Names(doc) })
		})
	}
}
