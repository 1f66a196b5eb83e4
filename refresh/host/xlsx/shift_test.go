package xlsx_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

const (
	sheet1 = "xl/worksheets/sheet1.xml"
	sheet2 = "xl/worksheets/sheet2.xml"
)

// twoSheets are the parts of a workbook with two sheets, of which the first has what stands inside its root, and the second a formula.
func twoSheets(inside, formula string) []zipPart {
	return []zipPart{
		{
			"xl/workbook.xml",
			`<workbook xmlns="` + mainNS + `" xmlns:r="` + relNS + `"><sheets><sheet name="Sheet1" sheetId="7" r:id="rId1"/>` +
				`<sheet name="Two" sheetId="8" r:id="rId2"/></sheets></workbook>`,
		},
		{
			"xl/_rels/workbook.xml.rels",
			relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
				`<Relationship Id="rId2" Type="` + relNS + `/worksheet" Target="worksheets/sheet2.xml"/>`),
		},
		{sheet1, sheetXML(inside)},
		{sheet2, sheetXML(`<sheetData><row r="1"><c r="A1"><f>` + formula + `</f><v>0</v></c></row></sheetData>`)},
	}
}

// grown is the patch that adds rows at the end of a block at B2:C3 of one heading row and one of data.
func (b *bookPart) grown(rows int) host.Patch {
	list := [][]checksum.Cell{line(checksum.Str("a"), checksum.Str("b"))}
	for i := range rows + 1 {
		list = append(list, line(checksum.Num(float64(i)), checksum.Num(1)))
	}
	g := table(list...)
	return host.Patch{
		Block: b.block, Grid: g, Extent: g.Extent(),
		Shifts: []checksum.Shift{{At: 2, Rows: rows}}, Rows: []checksum.Span{{From: 2, To: 2 + rows}},
	}
}

// standingBlock are rows with that block and a total below.
const standingBlock = `<row r="2"><c r="B2" t="str"><v>a</v></c><c r="C2" t="str"><v>b</v></c></row>` +
	`<row r="3"><c r="B3" s="0"><v>0</v></c><c r="C3"><v>1</v></c><c r="E3"><f>C3*2</f></c></row><row r="4"><c r="C4"><f>SUM(C2:C3)</f></c></row>`

func TestABlockGrowsAndItsTotalFollows(t *testing.T) {
	b := newBook(t, twoSheets("<sheetData>"+standingBlock+"</sheetData>", "Sheet1!C4")...)
	if _, err := hosttest.WritePatch(b.host, b.grown(2)); err != nil {
		t.Fatal(err, unwrap(err))
	}
	const want = `<row r="2"><c r="B2" t="str"><v>a</v></c><c r="C2" t="str"><v>b</v></c></row>` +
		`<row r="3"><c r="B3" s="0"><v>0</v></c><c r="C3"><v>1</v></c><c r="E3"><f>C3*2</f></c></row>` +
		`<row r="4"><c r="B4"><v>1</v></c><c r="C4"><v>1</v></c></row><row r="5"><c r="B5"><v>2</v></c><c r="C5"><v>1</v></c></row>` +
		`<row r="6"><c r="C6"><f>SUM(C2:C5)</f></c></row>`
	if diff := cmp.Diff(want, b.rowsOf(t)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if doc := b.part(t, sheet2); !strings.Contains(doc, "<f>Sheet1!C6</f>") {
		t.Errorf("the other sheet has %s", doc)
	}
	if doc := b.part(t, "xl/workbook.xml"); !strings.Contains(doc, `fullCalcOnLoad="1"`) {
		t.Errorf("the formulas are not computed anew: %s", doc)
	}
}

func TestASheetThatNamesNoMovedCellStaysAsPacked(t *testing.T) {
	b := newBook(t, twoSheets("<sheetData>"+standingBlock+"</sheetData>", "Sheet1!C2+A9")...)
	before := packed(t, b.path())
	if _, err := hosttest.WritePatch(b.host, b.grown(2)); err != nil {
		t.Fatal(err, unwrap(err))
	}
	if packed(t, b.path())[sheet2] != before[sheet2] {
		t.Error("it was written anew")
	}
}

func TestFollowsCountsAndWritesNothing(t *testing.T) {
	b := newBook(t, twoSheets("<sheetData>"+standingBlock+"</sheetData>", "Sheet1!C4")...)
	before := fileHash(t, b.path())
	s, err := b.host.Open(t.Context(), b.block.Document)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := s.(host.Follower).Follows(t.Context(), []host.Patch{b.grown(2)})
	if want := (host.Follow{Formulas: 2, Sheets: 2}); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
}

func TestWhatCannotMoveIsAConflict(t *testing.T) {
	rows := func(behind string) string { return "<sheetData>" + standingBlock + "</sheetData>" + behind }
	for name, test := range map[string]struct{ inside, want string }{
		"merged cells":      {rows(`<mergeCells><mergeCell ref="C6:D7"/></mergeCells>`), `has the merged cells at C6:D7 on sheet "Sheet1" in the way`},
		"a filter":          {rows(`<autoFilter ref="A6:B9"/>`), `has the filter at A6:B9 on sheet "Sheet1" in the way`},
		"a protected sheet": {rows(`<sheetProtection sheet="1"/>`), `has a protected sheet "Sheet1"`},
		"an array formula": {
			"<sheetData>" + standingBlock + `<row r="8"><c r="C8"><f t="array" ref="C8:D8">1</f></c></row></sheetData>`,
			`has the array formula at C8:D8 on sheet "Sheet1" in the way`,
		},
		"the last rows of the sheet": {
			"<sheetData>" + standingBlock + `<row r="1048576"><c r="C1048576"><v>1</v></c></row></sheetData>`, `would be pushed off`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, twoSheets(test.inside, "1")...)
			before := fileHash(t, b.path())
			_, err := hosttest.WritePatch(b.host, b.grown(2))
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Conflict || !strings.Contains(fault.Message, test.want) {
				t.Errorf("got %v, want a conflict that says %s", err, test.want)
			}
			if fileHash(t, b.path()) != before {
				t.Error("the file changed")
			}
			onlyFile(t, b.dir)
		})
	}
}

func TestOtherBlocksMoveAsAWholeOrAreAConflict(t *testing.T) {
	for name, test := range map[string]struct{ ref, want string }{
		"below, in the same columns":                    {"$B$9:$C$10", "'Sheet1'!$B$11:$C$12"},
		"beside":                                        {"$E$3:$F$4", "'Sheet1'!$E$3:$F$4"},
		"left over where the block stands":              {"$B$2:$C$4", "'Sheet1'!$B$2:$C$6"},
		"below, wider than the cells that move":         {"$A$9:$C$10", ""},
		"left over below and cut off by the first rows": {"$C$4:$D$4", ""},
	} {
		t.Run(name, func(t *testing.T) {
			parts := twoSheets("<sheetData>"+standingBlock+"</sheetData>", "1")
			parts[0].doc = strings.Replace(parts[0].doc, "</sheets>", `</sheets><definedNames><definedName name="`+host.MarkerName("other")+
				`" hidden="1">'Sheet1'!`+test.ref+`</definedName></definedNames>`, 1)
			b := newBook(t, parts...)
			_, err := hosttest.WritePatch(b.host, b.grown(2))
			var fault *placements.Fault
			if conflict := errors.As(err, &fault) && fault.Class == placements.Conflict; conflict != (test.want == "") {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if doc := b.part(t, "xl/workbook.xml"); !strings.Contains(doc, test.want) {
				t.Errorf("got %s, want %s", doc, test.want)
			}
		})
	}
}

// TestRowsThatRollMoveNothingBelow deletes the first row of data and appends one.
func TestRowsThatRollMoveNothingBelow(t *testing.T) {
	const below = `<row r="8"><c r="A8"><v>8</v></c><c r="C8"><v>9</v></c></row>` +
		`<row r="9"><c r="C9"><f t="array" ref="C9:D9">C8:D8</f></c></row>`
	parts := twoSheets("<sheetData>"+standingBlock+below+`</sheetData><mergeCells><mergeCell ref="A8:B8"/></mergeCells>`, "1")
	parts[0].doc = strings.Replace(parts[0].doc, "</sheets>", `</sheets><definedNames><definedName name="`+host.MarkerName("other")+
		`" hidden="1">'Sheet1'!$A$8:$C$9</definedName></definedNames>`, 1)
	b := newBook(t, parts...)
	p := b.grown(1)
	p.Shifts = []checksum.Shift{{At: 1, Rows: -1}, {At: 2, Rows: 1}}
	if _, err := hosttest.WritePatch(b.host, p); err != nil {
		t.Fatal(err, unwrap(err))
	}
	if rows := b.rowsOf(t); !strings.HasSuffix(rows, below) {
		t.Errorf("the rows are %s, want at their end %s", rows, below)
	}
	if doc := b.part(t, "xl/workbook.xml"); !strings.Contains(doc, "'Sheet1'!$A$8:$C$9<") {
		t.Errorf("the other block has moved: %s", doc)
	}
}

func TestShiftsASheetThatIsOutOfOrder(t *testing.T) {
	b := newBook(t, twoSheets(`<sheetData><row r="4"><c r="C4"><f>C3</f></c></row><row r="3"><c r="C3"><v>1</v></c><c r="B3"><v>0</v></c></row></sheetData>`, "Sheet1!C4")...)
	if _, err := hosttest.WritePatch(b.host, b.grown(1)); err != nil {
		t.Fatal(err, unwrap(err))
	}
	const want = `<row r="3"><c r="B3"><v>0</v></c><c r="C3"><v>1</v></c></row><row r="4"><c r="B4"><v>1</v></c><c r="C4"><v>1</v></c></row>` +
		`<row r="5"><c r="C5"><f>C3</f></c></row>`
	if diff := cmp.Diff(want, b.rowsOf(t)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// withWorkbookPart adds a relationship of the workbook with a part of a kind.
func withWorkbookPart(parts []zipPart, kind, name, doc string) []zipPart {
	parts[1].doc = strings.Replace(parts[1].doc, "</Relationships>", `<Relationship Id="`+name+`" Type="`+relNS+"/"+kind+`" Target="`+name+`"/></Relationships>`, 1)
	return append(parts, zipPart{"xl/" + name, doc})
}

// TestALargeCalculationChainIsDropped leaves it to programs to make one anew, and keeps a small one.
func TestALargeCalculationChainIsDropped(t *testing.T) {
	for entries, kept := range map[int]bool{100: true, 100_000: false} {
		chain := `<calcChain xmlns="` + mainNS + `"><c r="C4" i="7"/>` + strings.Repeat(`<c r="A1" i="8"/>`, entries) + `</calcChain>`
		b := newBook(t, withWorkbookPart(twoSheets("<sheetData>"+standingBlock+"</sheetData>", "Sheet1!C4"), "calcChain", "calcChain.xml", chain)...)
		if _, err := hosttest.WritePatch(b.host, b.grown(2)); err != nil {
			t.Fatal(err, unwrap(err))
		}
		if doc := b.part(t, "xl/_rels/workbook.xml.rels"); strings.Contains(doc, "calcChain") != kept {
			t.Errorf("%d entries: the workbook has %s", entries, doc)
		}
		if doc := b.part(t, "xl/calcChain.xml"); kept && !strings.Contains(doc, `<c r="C6" i="7"/><c r="A1" i="8"/>`) {
			t.Errorf("%d entries: the chain is %s", entries, doc)
		}
	}
}

// TestPartsMadeToExhaustAreRefused has connections whose parts are small only as they are packed.
func TestPartsMadeToExhaustAreRefused(t *testing.T) {
	parts := twoSheets("<sheetData>"+standingBlock+"</sheetData>", "1")
	large := `<connections><connection><parameters><parameter cell="Sheet1!$C$4"/></parameters></connection>` + strings.Repeat(strings.Repeat(" ", 1<<20)+"<a/>", 60) + `</connections>`
	for i := range 5 {
		parts = withWorkbookPart(parts, "connections", fmt.Sprintf("connections%d.xml", i), large)
	}
	b := newBook(t, parts...)
	before := fileHash(t, b.path())
	_, err := hosttest.WritePatch(b.host, b.grown(2))
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Conflict || !strings.Contains(fault.Message, "than can follow the cells") {
		t.Errorf("got %v, want a conflict", err)
	}
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
}

// TestASharedFormulaMadeToExhaustIsRefused fills a long formula into many cells, some of which move.
func TestASharedFormulaMadeToExhaustIsRefused(t *testing.T) {
	var rows strings.Builder
	rows.WriteString(`<row r="1"><c r="B1"><f t="shared" si="0" ref="B1:B40000">A1&amp;"` + strings.Repeat("x", 8000) + `"</f></c></row>`)
	for row := 5; row <= 40_000; row++ {
		fmt.Fprintf(&rows, `<row r="%d"><c r="B%[1]d"><f t="shared" si="0"/></c></row>`, row)
	}
	b := newBook(t, twoSheets("<sheetData>"+rows.String()+"</sheetData>", "1")...)
	before := fileHash(t, b.path())
	_, err := hosttest.WritePatch(b.host, b.grown(2))
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Conflict || !strings.Contains(fault.Message, `has too many formulas filled from one on sheet "Sheet1"`) {
		t.Errorf("got %v, want a conflict", err)
	}
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
	onlyFile(t, b.dir)
}

// TestShiftsKeepMemorySmall grows a block above a sheet that is a hundred times larger than another.
func TestShiftsKeepMemorySmall(t *testing.T) {
	grow := func(rows int) uint64 {
		var below strings.Builder
		for row := 5; row < rows+5; row++ {
			fmt.Fprintf(&below, `<row r="%d">`, row)
			for column := 'A'; column < 'A'+20; column++ {
				fmt.Fprintf(&below, `<c r="%c%d"><v>%[2]d.5</v></c>`, column, row)
			}
			below.WriteString("</row>")
		}
		b := newBook(t, twoSheets("<sheetData>"+standingBlock+below.String()+"</sheetData>", "Sheet1!C4")...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := hosttest.WritePatch(b.host, b.grown(20)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	grow(10) // what is allocated once
	small, large := grow(200), grow(20_000)
	if large > small+small/2 {
		t.Errorf("%d bytes were allocated for 200 rows, %d for 20,000", small, large)
	}
}

// TestAReferenceToSeveralSheetsInTheBlockIsRefused grows a block in one of whose cells a person named cells of two sheets, be the cell
// written or not.
func TestAReferenceToSeveralSheetsInTheBlockIsRefused(t *testing.T) {
	rows := strings.Replace(standingBlock, `<c r="C3"><v>1</v></c>`, `<c r="C3"><f>SUM(Sheet1:Sheet2!C4)</f></c>`, 1)
	b := newBook(t, twoSheets("<sheetData>"+rows+"</sheetData>", "1")...)
	p := b.grown(2)
	for _, from := range []int{2, 1} {
		p.Rows[0].From = from
		_, err := hosttest.WritePatch(b.host, p)
		if f := hosttest.WantFault(t, err, placements.Conflict); !strings.Contains(f.Message, "Sheet1:Sheet2!C4") {
			t.Errorf("from row %d on: %s", from, f.Message)
		}
		p.Formulas = []host.Formula{{Position: host.Position{Row: 1, Column: 1}, Text: "=SUM(Sheet1:Sheet2!C4)"}}
	}
}
