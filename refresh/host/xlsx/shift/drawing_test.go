package shift_test

import (
	"fmt"
	"testing"
)

// twoCell is an anchor over columns C and D.
func twoCell(attrs string, top, topOff, bottom, bottomOff int) string {
	return fmt.Sprintf(`<xdr:wsDr><xdr:twoCellAnchor%s><xdr:from><xdr:col>2</xdr:col><xdr:colOff>5</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>%d</xdr:rowOff></xdr:from>`+
		`<xdr:to><xdr:col>3</xdr:col><xdr:colOff>9</xdr:colOff><xdr:row>%d</xdr:row><xdr:rowOff>%d</xdr:rowOff></xdr:to><xdr:pic/></xdr:twoCellAnchor></xdr:wsDr>`,
		attrs, top, topOff, bottom, bottomOff)
}

var drawingTests = []partTest{
	{name: "object below moves", kind: "drawing", by: inserted, doc: twoCell("", 6, 0, 9, 3), want: twoCell("", 8, 0, 11, 3)},
	{name: "object across grows", kind: "drawing", by: inserted, doc: twoCell("", 2, 0, 9, 3), want: twoCell("", 2, 0, 11, 3)},
	{
		name: "object across keeps its size", kind: "drawing", by: inserted, doc: twoCell(` editAs="oneCell"`, 2, 0, 9, 3),
	},
	{
		name: "object below that keeps its size moves", kind: "drawing", by: inserted,
		doc: twoCell(` editAs="oneCell"`, 4, 0, 9, 3), want: twoCell(` editAs="oneCell"`, 6, 0, 11, 3),
	},
	{name: "object fixed on the page stays", kind: "drawing", by: inserted, doc: twoCell(` editAs="absolute"`, 6, 0, 9, 3)},
	{name: "object that ends where the rows are inserted stays", kind: "drawing", by: inserted, doc: twoCell("", 1, 0, 4, 0)},
	{name: "object that begins there moves", kind: "drawing", by: inserted, doc: twoCell("", 4, 0, 4, 9), want: twoCell("", 6, 0, 6, 9)},
	{name: "object across deleted rows shrinks", kind: "drawing", by: deleted, doc: twoCell("", 2, 0, 9, 3), want: twoCell("", 2, 0, 7, 3)},
	{name: "object over deleted cells stays", kind: "drawing", by: deleted, doc: twoCell("", 5, 1, 5, 7), want: twoCell("", 4, 1, 4, 7)},
	{
		name: "object wider than the band stays", kind: "drawing", by: inserted,
		doc: `<wsDr><twoCellAnchor><from><col>2</col><colOff>0</colOff><row>6</row><rowOff>0</rowOff></from>` +
			`<to><col>4</col><colOff>1</colOff><row>7</row><rowOff>0</rowOff></to></twoCellAnchor></wsDr>`,
	},
	{
		name: "object that ends where the band does moves", kind: "drawing", by: inserted,
		doc: `<wsDr><twoCellAnchor><from><col>2</col><colOff>0</colOff><row>6</row><rowOff>0</rowOff></from>` +
			`<to><col>4</col><colOff>0</colOff><row>7</row><rowOff>0</rowOff></to></twoCellAnchor></wsDr>`,
		want: `<wsDr><twoCellAnchor><from><col>2</col><colOff>0</colOff><row>8</row><rowOff>0</rowOff></from>` +
			`<to><col>4</col><colOff>0</colOff><row>9</row><rowOff>0</rowOff></to></twoCellAnchor></wsDr>`,
	},
	{
		name: "object with a size of its own", kind: "drawing", by: inserted,
		doc:  `<xdr:wsDr><xdr:oneCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row> 7 </xdr:row></xdr:from><xdr:ext cx="1" cy="2"/></xdr:oneCellAnchor></xdr:wsDr>`,
		want: `<xdr:wsDr><xdr:oneCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:row>9</xdr:row></xdr:from><xdr:ext cx="1" cy="2"/></xdr:oneCellAnchor></xdr:wsDr>`,
	},
	{
		name: "object at a place on the page", kind: "drawing", by: inserted,
		doc: `<xdr:wsDr><xdr:absoluteAnchor><xdr:pos x="0" y="0"/><xdr:ext cx="1" cy="2"/></xdr:absoluteAnchor></xdr:wsDr>`,
	},
	{
		name: "both branches of an alternative", kind: "drawing", by: inserted,
		doc: `<wsDr xmlns:mc="m"><mc:AlternateContent><mc:Choice Requires="a14"><oneCellAnchor><from><col>1</col><row>7</row></from></oneCellAnchor></mc:Choice>` +
			`<mc:Fallback><oneCellAnchor><from><col>1</col><row>7</row></from></oneCellAnchor></mc:Fallback></mc:AlternateContent></wsDr>`,
		want: `<wsDr xmlns:mc="m"><mc:AlternateContent><mc:Choice Requires="a14"><oneCellAnchor><from><col>1</col><row>9</row></from></oneCellAnchor></mc:Choice>` +
			`<mc:Fallback><oneCellAnchor><from><col>1</col><row>9</row></from></oneCellAnchor></mc:Fallback></mc:AlternateContent></wsDr>`,
	},
	{
		name: "what a shape and a picture show", kind: "drawing", by: inserted,
		doc: `<xdr:wsDr><xdr:absoluteAnchor><xdr:sp macro="" textlink="Data!$C$8"/><xdr:pic><a14:cameraTool cellRange="$B$6:$C$7" spid="1"/></xdr:pic>` +
			`<xdr:sp textlink=""/></xdr:absoluteAnchor></xdr:wsDr>`,
		want: `<xdr:wsDr><xdr:absoluteAnchor><xdr:sp macro="" textlink="Data!$C$10"/><xdr:pic><a14:cameraTool cellRange="$B$8:$C$9" spid="1"/></xdr:pic>` +
			`<xdr:sp textlink=""/></xdr:absoluteAnchor></xdr:wsDr>`,
	},
	{
		name: "shape in a moved anchor", kind: "drawing", by: inserted,
		doc:  `<wsDr><oneCellAnchor><from><col>1</col><row>7</row></from><sp textlink="$B$9"/></oneCellAnchor></wsDr>`,
		want: `<wsDr><oneCellAnchor><from><col>1</col><row>9</row></from><sp textlink="$B$11"/></oneCellAnchor></wsDr>`,
	},
	{
		name: "text box on a chart", kind: "chartUserShapes", by: inserted,
		doc:  `<c:userShapes><cdr:relSizeAnchor><cdr:from><cdr:x>0.1</cdr:x><cdr:y>0.2</cdr:y></cdr:from><cdr:sp textlink="'Data'!$B$5"/></cdr:relSizeAnchor></c:userShapes>`,
		want: `<c:userShapes><cdr:relSizeAnchor><cdr:from><cdr:x>0.1</cdr:x><cdr:y>0.2</cdr:y></cdr:from><cdr:sp textlink="'Data'!$B$7"/></cdr:relSizeAnchor></c:userShapes>`,
	},
}

func TestDrawing(t *testing.T) { runPartTests(t, drawingTests) }
