package shift_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/host/formula"
	"mooring/refresh/host/xlsx/shift"
)

// inserted inserts two rows before row 5 in columns B to D of sheet Data, deleted deletes rows 5 and 6 there.
var (
	inserted = moves(formula.CellShift{Row: 4, Rows: 2})
	deleted  = moves(formula.CellShift{Row: 4, Rows: -2})
)

// moves are moves of columns B to D of sheet Data.
func moves(list ...formula.CellShift) *shift.Moves {
	for i := range list {
		list[i].Sheet, list[i].Left, list[i].Right = "Data", 1, 3
	}
	return &shift.Moves{By: list, Sheets: []string{"Data", "My Sheet", "Sum"}}
}

// partTest is what a part on sheet Data reads after moves. Torn is where something would be torn apart; nothing changes when both want and
// torn are empty.
type partTest struct {
	name, kind string
	by         *shift.Moves
	doc, want  string
	torn       string
}

func runPartTests(t *testing.T, tests []partTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkPart(t, tt, tt.by.Part(tt.kind))
		})
	}
}

func checkPart(t *testing.T, tt partTest, rewrite func(doc []byte, sheet string) ([]byte, error)) {
	t.Helper()
	doc := []byte(tt.doc)
	got, err := rewrite(doc, "Data")
	if tt.torn != "" {
		if torn := (*shift.Torn)(nil); !errors.As(err, &torn) || torn.Error() != tt.torn {
			t.Errorf("got %q, %v; want %s", got, err, tt.torn)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if tt.want == "" {
		if &got[0] != &doc[0] {
			t.Errorf("the part was copied: %s", got)
		}
		return
	}
	if diff := cmp.Diff(tt.want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if string(doc) != tt.doc {
		t.Error("the old part was changed in place")
	}
}

func TestKindsWithoutReferences(t *testing.T) {
	for _, kind := range []string{
		"worksheet", "styles", "sharedStrings", "theme", "image", "queryTable", "printerSettings", "externalLink", "pivotCacheRecords", "person",
		"slicer", "slicerCache", "timelineCache", "sheetMetadata", "vbaProject", "hyperlink", "customXml", "chartStyle", "chartColorStyle",
	} {
		if inserted.Part(kind) != nil {
			t.Errorf("parts of kind %q are rewritten", kind)
		}
	}
}

// Whatever stands in a part, rewriting it does not panic, and without shifts nothing changes.
func FuzzPart(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed.kind, seed.doc, uint16(4), int8(2))
		f.Add(seed.kind, seed.doc, uint16(2), int8(-3))
	}
	f.Fuzz(func(t *testing.T, kind, text string, row uint16, rows int8) {
		rewriters := func(m *shift.Moves) []func([]byte, string) ([]byte, error) {
			return []func([]byte, string) ([]byte, error){
				m.Part(kind),
				func(doc []byte, _ string) ([]byte, error) { return m.Names(doc) },
				func(doc []byte, _ string) ([]byte, error) { return m.Topics(doc, map[string]string{"1": "Data"}) },
				func(doc []byte, _ string) ([]byte, error) {
					doc, _, err := m.CalcChain(doc, map[string]string{"1": "Data"})
					return doc, err
				},
			}
		}
		for _, rewrite := range rewriters(moves()) {
			if rewrite == nil {
				continue
			}
			if got, err := rewrite([]byte(text), "Data"); err == nil && string(got) != text {
				t.Errorf("%s without shifts: %q became %q", kind, text, got)
			}
		}
		for _, rewrite := range rewriters(moves(formula.CellShift{Row: int(row), Rows: int(rows)})) {
			if rewrite == nil {
				continue
			}
			doc := []byte(text)
			if _, err := rewrite(doc, "Data"); err == nil && !bytes.Equal(doc, []byte(text)) {
				t.Errorf("%s: the part was changed in place", kind)
			}
		}
	})
}

// fuzzSeeds are the parts of the tests.
var fuzzSeeds = slices.Concat(tableTests, commentTests, drawingTests, vmlTests, chartTests, pivotTests, controlTests)

var commentTests = []partTest{
	{
		name: "comments move", kind: "comments", by: inserted,
		doc:  `<comments><commentList><comment ref="A9"/><comment ref="B9" authorId="0"><text><t>B9</t></text></comment><comment ref="B4"/></commentList></comments>`,
		want: `<comments><commentList><comment ref="A9"/><comment ref="B11" authorId="0"><text><t>B9</t></text></comment><comment ref="B4"/></commentList></comments>`,
	},
	{
		name: "comments of deleted cells go", kind: "comments", by: deleted,
		doc:  `<x:comments><x:commentList><x:comment ref="C5"><x:text><x:t>a</x:t></x:text></x:comment> <x:comment ref="C7"/><x:comment ref="D6"/></x:commentList></x:comments>`,
		want: `<x:comments><x:commentList> <x:comment ref="C5"/></x:commentList></x:comments>`,
	},
	{name: "comments above stay", kind: "comments", by: deleted, doc: `<comments><commentList><comment ref="C4"/></commentList></comments>`},
	{
		name: "threads move with their replies, and go with them", kind: "threadedComment", by: deleted,
		doc: `<ThreadedComments><threadedComment ref="B5" id="{1}"><text>a</text></threadedComment><threadedComment ref="B5" id="{2}" parentId="{1}"><text>b</text>` +
			`</threadedComment><threadedComment ref="B8" id="{3}"><text>c</text></threadedComment><threadedComment ref="B8" id="{4}" parentId="{3}"/></ThreadedComments>`,
		want: `<ThreadedComments><threadedComment ref="B6" id="{3}"><text>c</text></threadedComment><threadedComment ref="B6" id="{4}" parentId="{3}"/></ThreadedComments>`,
	},
}

func TestComments(t *testing.T) { runPartTests(t, commentTests) }

func TestACommentIsNotPushedOffTheSheet(t *testing.T) {
	_, err := inserted.Part("comments")([]byte(`<comments><commentList><comment ref="B1048575"/></commentList></comments>`), "Data")
	if full := (*shift.Full)(nil); !errors.As(err, &full) || full.At.String() != "B1048575" {
		t.Errorf("got %v, want that B1048575 would be pushed off", err)
	}
}

// appended inserts three rows behind the block B2:D4 of sheet Data.
var appended = moves(formula.CellShift{Row: 4, Rows: 3, Block: placements.Rect{Top: 1, Left: 1, Bottom: 3, Right: 3}})

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
		name: "series of a block's only row grows, and its name does not", kind: "chart",
		by: moves(formula.CellShift{Row: 4, Rows: 3, Block: placements.Rect{Top: 2, Left: 1, Bottom: 3, Right: 3}}),
		doc: `<c:ser><c:tx><c:f>Data!$B$4</c:f></c:tx><c:cat><c:f>Data!$B$4</c:f></c:cat><c:val><c:f>Data!$C$4</c:f></c:val></c:ser>` +
			`<c:title><c:tx><c:f>Data!$C$4</c:f></c:tx></c:title>`,
		want: `<c:ser><c:tx><c:f>Data!$B$4</c:f></c:tx><c:cat><c:f>Data!$B$4:$B$7</c:f></c:cat><c:val><c:f>Data!$C$4:$C$7</c:f></c:val></c:ser>` +
			`<c:title><c:tx><c:f>Data!$C$4</c:f></c:tx></c:title>`,
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

func TestLinks(t *testing.T) {
	links := func(target string) string {
		return `<Relationships><Relationship Id="rId1" Type="r/hyperlink" Target="` + target + `"/><Relationship Id="rId2" Type="r/image" Target="#Data!B9"/>` +
			`<Relationship Id="rId3" Type="r/hyperlink" Target="#Data!B9" TargetMode="External"/></Relationships>`
	}
	for _, tt := range []partTest{
		{name: "link of a shape", by: inserted, doc: links("#'Data'!B9"), want: links("#'Data'!B11")},
		{name: "link to another sheet", by: inserted, doc: links("#'My Sheet'!B9")},
		{name: "link elsewhere", by: inserted, doc: links("https://example.com/Data!B9")},
	} {
		t.Run(tt.name, func(t *testing.T) { checkPart(t, tt, tt.by.Links) })
	}
}
