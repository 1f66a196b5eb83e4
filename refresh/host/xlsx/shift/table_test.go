package shift_test

import (
	"testing"

	"mooring/refresh/host/formula"
)

var tableTests = []partTest{
	{
		name: "below the rows moves", kind: "table", by: inserted,
		doc:  `<table xmlns="x" displayName="T" ref="B6:D9"><autoFilter ref="B6:D9"/></table>`,
		want: `<table xmlns="x" displayName="T" ref="B8:D11"><autoFilter ref="B8:D11"/></table>`,
	},
	{
		name: "rows inserted between its rows grow it", kind: "table", by: inserted,
		doc:  `<table displayName='T' ref='B3:D9'><autoFilter ref='B3:D9'/><sortState ref='B4:D9'><sortCondition ref='C4:C9'/></sortState></table>`,
		want: `<table displayName='T' ref='B3:D11'><autoFilter ref='B3:D11'/><sortState ref='B4:D11'><sortCondition ref='C4:C11'/></sortState></table>`,
	},
	{
		name: "rows inserted before the totals grow the filter", kind: "table", by: inserted,
		doc:  `<x:table displayName="T" ref="B2:D5" totalsRowCount="1"><x:autoFilter ref="B2:D4"/><x:sortState ref="B3:D4"/></x:table>`,
		want: `<x:table displayName="T" ref="B2:D7" totalsRowCount="1"><x:autoFilter ref="B2:D6"/><x:sortState ref="B3:D6"/></x:table>`,
	},
	{
		name: "rows inserted behind its last stay outside", kind: "table", by: inserted,
		doc: `<table displayName="T" ref="B2:D4"/>`,
	},
	{
		name: "rows deleted between its rows shrink it", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B4:D9"><autoFilter ref="B4:D9"/></table>`,
		want: `<table displayName="T" ref="B4:D7"><autoFilter ref="B4:D7"/></table>`,
	},
	{
		name: "last rows deleted", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B2:D6"><autoFilter ref="B2:D6"/></table>`,
		want: `<table displayName="T" ref="B2:D4"><autoFilter ref="B2:D4"/></table>`,
	},
	{name: "beside the band stays", kind: "table", by: inserted, doc: `<table displayName="T" ref="F6:H9"/>`},
	{name: "above stays though wider", kind: "table", by: inserted, doc: `<table displayName="T" ref="A1:H4"/>`},
	{
		name: "columns partly in the band", kind: "table", by: inserted,
		doc:  `<table displayName="T" ref="C6:E9"/>`,
		torn: `the table "T" at C6:E9 on sheet "Data" would be torn apart`,
	},
	{
		name: "headings deleted", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B6:D9"/>`,
		torn: `the table "T" at B6:D9 on sheet "Data" would be torn apart`,
	},
	{
		name: "totals deleted", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B2:D5" totalsRowCount="1"/>`,
		torn: `the table "T" at B2:D5 on sheet "Data" would be torn apart`,
	},
	{
		name: "all data deleted", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B4:D6"/>`,
		torn: `the table "T" at B4:D6 on sheet "Data" would be torn apart`,
	},
	{
		name: "all of it deleted", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B5:D6"/>`,
		torn: `the table "T" at B5:D6 on sheet "Data" would be torn apart`,
	},
	{
		name: "without headings its first row may go", kind: "table", by: deleted,
		doc:  `<table displayName="T" ref="B6:D9" headerRowCount="0"/>`,
		want: `<table displayName="T" ref="B5:D7" headerRowCount="0"/>`,
	},
	{
		name: "each shift sees what those before it left", kind: "table",
		by:   moves(formula.Shift{Row: 1, Rows: 3}, formula.Shift{Row: 6, Rows: -1}),
		doc:  `<table displayName="T" ref="B3:D9"/>`,
		want: `<table displayName="T" ref="B6:D11"/>`,
	},
	{
		name: "formulas of its columns", kind: "table", by: inserted,
		doc: `<table displayName="T" ref="B3:D9"><tableColumns count="3"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"><calculatedColumnFormula>` +
			`T[[#This Row],[a]]*Data!$C$8&amp;"x"</calculatedColumnFormula><totalsRowFormula>SUM($B$5:$B$6)</totalsRowFormula></tableColumn></tableColumns></table>`,
		want: `<table displayName="T" ref="B3:D11"><tableColumns count="3"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"><calculatedColumnFormula>` +
			`T[[#This Row],[a]]*Data!$C$10&amp;"x"</calculatedColumnFormula><totalsRowFormula>SUM($B$7:$B$8)</totalsRowFormula></tableColumn></tableColumns></table>`,
	},
}

func TestTable(t *testing.T) { runPartTests(t, tableTests) }
