package shift_test

import (
	"testing"

	"mooring/placements"
	"mooring/refresh/host/formula"
)

// appended inserts three rows behind the block B2:D4 of sheet Data.
var appended = moves(formula.Shift{Row: 4, Rows: 3, Block: placements.Rect{Top: 1, Left: 1, Bottom: 3, Right: 3}})

var chartTests = []partTest{
	{
		name: "series", kind: "chart", by: inserted,
		doc: `<c:chartSpace><c:ser><c:tx><c:strRef><c:f>Data!$B$6</c:f></c:strRef></c:tx><c:cat><c:numRef><c:f>'Data'!$B$3:$B$9</c:f><c:numCache><c:v>1</c:v></c:numCache>` +
			`</c:numRef></c:cat><c:val><c:f>(Data!$C$3:$C$9,'My Sheet'!$A$9)</c:f></c:val></c:ser></c:chartSpace>`,
		want: `<c:chartSpace><c:ser><c:tx><c:strRef><c:f>Data!$B$8</c:f></c:strRef></c:tx><c:cat><c:numRef><c:f>'Data'!$B$3:$B$11</c:f><c:numCache><c:v>1</c:v></c:numCache>` +
			`</c:numRef></c:cat><c:val><c:f>(Data!$C$3:$C$11,'My Sheet'!$A$9)</c:f></c:val></c:ser></c:chartSpace>`,
	},
	{
		name: "series that ends in the block's last row grows", kind: "chart", by: appended,
		doc:  `<c:f>Data!$C$3:$C$4</c:f>`,
		want: `<c:f>Data!$C$3:$C$7</c:f>`,
	},
	{
		name: "labels and filtered series of newer programs", kind: "chart", by: inserted,
		doc: `<c:chartSpace><c:ext><c15:datalabelsRange><c15:f>Data!$B$5:$B$6</c15:f></c15:datalabelsRange><c15:formulaRef><c15:sqref>Data!$B$7:$B$9</c15:sqref></c15:formulaRef>` +
			`</c:ext></c:chartSpace>`,
		want: `<c:chartSpace><c:ext><c15:datalabelsRange><c15:f>Data!$B$7:$B$8</c15:f></c15:datalabelsRange><c15:formulaRef><c15:sqref>Data!$B$9:$B$11</c15:sqref></c15:formulaRef>` +
			`</c:ext></c:chartSpace>`,
	},
	{
		name: "deleted series", kind: "chart", by: deleted,
		doc:  `<c:f>Data!$B$5:$B$6</c:f>`,
		want: `<c:f>#REF!</c:f>`,
	},
	{
		name: "newer chart", kind: "chartEx", by: inserted,
		doc:  `<cx:chartSpace><cx:strDim type="cat"><cx:f dir="row">Data!$B$5</cx:f></cx:strDim><cx:f>_xlchart.v1.0</cx:f></cx:chartSpace>`,
		want: `<cx:chartSpace><cx:strDim type="cat"><cx:f dir="row">Data!$B$7</cx:f></cx:strDim><cx:f>_xlchart.v1.0</cx:f></cx:chartSpace>`,
	},
	{name: "chart of other cells", kind: "chart", by: inserted, doc: `<c:f>Data!$F$5:$F$6</c:f>`},
}

func TestChart(t *testing.T) { runPartTests(t, chartTests) }
