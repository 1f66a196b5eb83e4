package shift_test

import "testing"

// vml is a drawing in VML with some shapes, in the way that Excel writes it.
func vml(shapes string) string {
	return `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shapetype id="_x0000_t202"/>` + shapes + `</xml>`
}

func vmlNote(anchor, row, column string) string {
	return `<v:shape id="s" style='z-index:1'><v:textbox><div>a<br>b</div></v:textbox><x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>` +
		anchor + `</x:Anchor><x:Row>` + row + `</x:Row><x:Column>` + column + `</x:Column></x:ClientData></v:shape>`
}

func vmlControl(data string) string {
	return `<v:rect id="s"><x:ClientData ObjectType="Drop">` + data + `</x:ClientData></v:rect>`
}

var vmlTests = []partTest{
	{
		name: "box of a comment moves with its cell", kind: "vmlDrawing", by: inserted,
		doc:  vml(vmlNote("\n 3, 15, 5, 10, 5, 31, 9, 9", "6", "2") + vmlNote("1, 1, 1, 1, 2, 2, 9, 9", "3", "1")),
		want: vml(vmlNote("\n 3, 15, 7, 10, 5, 31, 11, 9", "8", "2") + vmlNote("1, 1, 1, 1, 2, 2, 9, 9", "3", "1")),
	},
	{
		name: "box of a deleted comment goes", kind: "vmlDrawing", by: deleted,
		doc:  vml(vmlNote("3, 15, 3, 10, 5, 31, 7, 9", "4", "2") + vmlNote("3, 15, 0, 10, 5, 31, 4, 9", "6", "3")),
		want: vml(vmlNote("3, 15, 0, 10, 5, 31, 4, 9", "4", "3")),
	},
	{name: "box of a comment beside stays", kind: "vmlDrawing", by: inserted, doc: vml(vmlNote("3, 15, 5, 10, 5, 31, 9, 9", "6", "4"))},
	{
		name: "control moves and sizes", kind: "vmlDrawing", by: inserted,
		doc:  vml(vmlControl(`<x:Anchor>1,0,3,2,2,5,6,7</x:Anchor>`)),
		want: vml(vmlControl(`<x:Anchor>1,0,3,2,2,5,8,7</x:Anchor>`)),
	},
	{
		name: "control keeps its size", kind: "vmlDrawing", by: inserted,
		doc:  vml(vmlControl(`<x:SizeWithCells/><x:Anchor>1,0,4,2,2,5,6,7</x:Anchor>`)),
		want: vml(vmlControl(`<x:SizeWithCells/><x:Anchor>1,0,6,2,2,5,8,7</x:Anchor>`)),
	},
	{name: "control stays", kind: "vmlDrawing", by: inserted, doc: vml(vmlControl(`<x:MoveWithCells/><x:Anchor>1,0,4,2,2,5,6,7</x:Anchor>`))},
	{
		name: "control moves though it names the element", kind: "vmlDrawing", by: inserted,
		doc:  vml(vmlControl(`<x:MoveWithCells>False</x:MoveWithCells><x:Anchor>1,0,5,2,2,5,6,7</x:Anchor>`)),
		want: vml(vmlControl(`<x:MoveWithCells>False</x:MoveWithCells><x:Anchor>1,0,7,2,2,5,8,7</x:Anchor>`)),
	},
	{
		name: "cells of a control", kind: "vmlDrawing", by: inserted,
		doc:  vml(vmlControl(`<x:FmlaLink>$B$7</x:FmlaLink><x:FmlaRange>'My Sheet'!$B$7:$B$9</x:FmlaRange><x:FmlaMacro>B7</x:FmlaMacro>`)),
		want: vml(vmlControl(`<x:FmlaLink>$B$9</x:FmlaLink><x:FmlaRange>'My Sheet'!$B$7:$B$9</x:FmlaRange><x:FmlaMacro>B7</x:FmlaMacro>`)),
	},
}

func TestLegacyDrawing(t *testing.T) { runPartTests(t, vmlTests) }
