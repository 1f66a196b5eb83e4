package shift_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/shift"
)

var tableTests = []partTest{
	{
		name: "below the rows moves", kind: "table", by: inserted,
		doc:  `<table xmlns="x" displayName="T" ref="B6:D9"><autoFilter ref="B6:D9"/></table>`,
		want: `<table xmlns="x" displayName="T" ref="B8:D11"><autoFilter ref="B8:D11"/></table>`,
	},
	{
		name: "below as many rows inserted as deleted stays, wider though it is", kind: "table",
		by:  moves(formula.CellShift{Row: 2, Rows: -2}, formula.CellShift{Row: 5, Rows: 2}),
		doc: `<table displayName="T" ref="A9:E12" totalsRowCount="1"><autoFilter ref="A9:E11"/></table>`,
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
		by:   moves(formula.CellShift{Row: 1, Rows: 3}, formula.CellShift{Row: 6, Rows: -1}),
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

// TestTableMovesAsItsCells holds a table against where its cells are, each by itself.
func TestTableMovesAsItsCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
		head, foot := draw("headings", 0, 1), draw("totals", 0, 1)
		area := placements.Rect{Top: draw("top", 0, 8), Left: draw("left", 0, 4)}
		area.Bottom, area.Right = area.Top+head+foot+draw("rows", 0, 4), area.Left+draw("columns", 0, 3)
		s := formula.CellShift{Row: draw("row", 0, 14), Rows: rapid.SampledFrom([]int{-5, -3, -2, -1, 1, 2, 4}).Draw(t, "shifted")}
		m := moves(s)
		doc := fmt.Sprintf(`<table displayName="T" ref="%s" headerRowCount="%d" totalsRowCount="%d"/>`, areaName(area), head, foot)
		got, err := m.Part("table")([]byte(doc), "Data")
		after, ok := movedTable(m, area, head, foot)
		var torn *shift.Torn
		if errors.As(err, &torn) == ok {
			t.Fatalf("%s after %+v: %s, %v; the cells say %v, %v", doc, s, got, err, after, ok)
		}
		want := fmt.Sprintf(`<table displayName="T" ref="%s" headerRowCount="%d" totalsRowCount="%d"/>`, areaName(after), head, foot)
		if ok && string(got) != want {
			t.Fatalf("%s after %+v is %s, want %s", doc, s, got, want)
		}
	})
}

func areaName(a placements.Rect) string {
	return placements.Anchor{Row: a.Top, Column: a.Left}.String() + ":" + placements.Anchor{Row: a.Bottom, Column: a.Right}.String()
}

// movedTable is where the cells of a table are. ok is false where its columns move differently, where headings or totals are lost or
// parted from the table, or no row between is left.
func movedTable(m *shift.Moves, area placements.Rect, head, foot int) (after placements.Rect, ok bool) {
	var rows []int // where each is, -1 for one deleted
	for column := area.Left; column <= area.Right; column++ {
		var here []int
		for row := area.Top; row <= area.Bottom; row++ {
			at, stands := m.By.Cell("Data", row, column)
			if !stands {
				at = -1
			}
			here = append(here, at)
		}
		if rows != nil && !slices.Equal(rows, here) {
			return after, false
		}
		rows = here
	}
	gone := func(at int) bool { return at < 0 }
	between := rows[head : len(rows)-foot]
	kept := slices.DeleteFunc(slices.Clone(rows), gone)
	if slices.ContainsFunc(rows[:head], gone) || slices.ContainsFunc(rows[len(rows)-foot:], gone) ||
		!slices.Equal(rows, kept) && !slices.ContainsFunc(between, func(at int) bool { return at >= 0 }) {
		return after, false
	}
	return placements.Rect{Top: kept[0], Left: area.Left, Bottom: kept[len(kept)-1], Right: area.Right}, true
}
