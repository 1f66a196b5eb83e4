package xlsx_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// tabled is a workbook whose block at B2, of columns name and n, is a table or a part of one.
type tabled struct {
	ref     string // of the table
	more    string // attributes of it
	filter  string // elements before its columns
	columns string // elements; empty for name and n alone
	rows    string // elements of the sheet
	behind  string // elements behind the rows
	marked  int    // rows of the block, its heading included
}

// Columns of a table.
const (
	twoColumns   = `<tableColumn id="1" name="name"/><tableColumn id="2" name="n"/>`
	threeColumns = twoColumns + `<tableColumn id="3" name="twice"><calculatedColumnFormula>T[[#This Row],[n]]*2</calculatedColumnFormula></tableColumn>`
	totalColumns = `<tableColumn id="1" name="name" totalsRowLabel="Total"/><tableColumn id="2" name="n" totalsRowFunction="sum"/>`
)

// rowOf is a row of the sheet with a name, a number and, where more is given, the cells behind them.
func rowOf(row int, name string, n int, more string) string {
	return fmt.Sprintf(`<row r="%[1]d"><c r="B%[1]d" t="inlineStr"><is><t>%[2]s</t></is></c><c r="C%[1]d"><v>%[3]d</v></c>%[4]s</row>`, row, name, n, more)
}

// headingRow is the second row of the sheet.
func headingRow(names ...string) string {
	cells := ""
	for i, name := range names {
		cells += fmt.Sprintf(`<c r="%c2" t="inlineStr"><is><t>%s</t></is></c>`, 'B'+i, name)
	}
	return `<row r="2">` + cells + `</row>`
}

func (d tabled) open(t *testing.T) *bookPart {
	t.Helper()
	if d.columns == "" {
		d.columns = twoColumns
	}
	marker := fmt.Sprintf(`<definedNames><definedName name="_mooring_p1" hidden="1">'Sheet1'!$B$2:$C$%d</definedName></definedNames>`, d.marked+1)
	if d.marked == 0 {
		marker = ""
	}
	const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>`
	return newBook(t,
		zipPart{"[Content_Types].xml", types},
		zipPart{"xl/workbook.xml", workbookXML(marker)},
		zipPart{"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + d.rows + "</sheetData>" + d.behind + `<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`)},
		zipPart{"xl/worksheets/_rels/sheet1.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/table" Target="../tables/table1.xml"/>`)},
		zipPart{"xl/tables/table1.xml", fmt.Sprintf(`<table xmlns="%s" id="1" name="T" displayName="T" ref="%s"%s>%s<tableColumns count="%d">%s</tableColumns></table>`,
			mainNS, d.ref, d.more, d.filter, strings.Count(d.columns, "<tableColumn "), d.columns)},
	)
}

// tableOf returns a table's part without what never changes.
func tableOf(t *testing.T, b *bookPart) string {
	t.Helper()
	doc := b.part(t, "xl/tables/table1.xml")
	_, doc, _ = strings.Cut(doc, `displayName="T" `)
	return strings.TrimSuffix(doc, "</table>")
}

// cities are a header row and n rows of a name and a number.
func cities(n int) *checksum.Grid {
	rows := [][]checksum.Cell{line(checksum.Str("name"), checksum.Str("n"))}
	for i := range n {
		rows = append(rows, line(checksum.Str(string(rune('a'+i))), checksum.Num(float64(i+1))))
	}
	return table(rows...)
}

// resize is the patch that makes a block of cities that had so many rows, its heading included, one of others.
func (b *bookPart) resize(before int, g *checksum.Grid) host.Patch {
	p := host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent()}
	if before > g.Rows() {
		p.Clear = []checksum.CellRect{{Row: g.Rows(), Rows: before - g.Rows(), Columns: g.Columns()}}
	}
	return p
}

func TestTableFollowsItsBlock(t *testing.T) {
	two := rowOf(3, "a", 1, "") + rowOf(4, "b", 2, "")
	for name, test := range map[string]struct {
		book tabled
		rows int // of data afterwards
		want string
	}{
		"grown": {
			tabled{ref: "B2:C4", filter: `<autoFilter ref="B2:C4"><filterColumn colId="1"/></autoFilter><sortState ref="B3:C4"><sortCondition ref="C3:C4"/></sortState>`, rows: headingRow("name", "n") + two, marked: 3},
			4,
			`ref="B2:C6"><autoFilter ref="B2:C6"><filterColumn colId="1"/></autoFilter><sortState ref="B3:C6"><sortCondition ref="C3:C6"/></sortState><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
		"shrunk": {
			tabled{ref: "B2:C4", filter: `<autoFilter ref="B2:C4"/>`, rows: headingRow("name", "n") + two, marked: 3},
			1,
			`ref="B2:C3"><autoFilter ref="B2:C3"/><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
		"never without a row of data": {
			tabled{ref: "B2:C4", rows: headingRow("name", "n") + two, marked: 3},
			0,
			`ref="B2:C3"><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
		"left behind by an earlier write": {
			tabled{ref: "B2:C3", rows: headingRow("name", "n") + two, marked: 3},
			3,
			`ref="B2:C5"><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
		"with rows that a person added below": {
			tabled{ref: "B2:C9", rows: headingRow("name", "n") + two, marked: 3},
			4,
			`ref="B2:C9"><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
		"shrunk above its totals": {
			tabled{ref: "B2:C5", more: ` totalsRowCount="1"`, columns: totalColumns, rows: headingRow("name", "n") + two + rowOf(5, "Total", 3, ""), marked: 3},
			1,
			`ref="B2:C5" totalsRowCount="1"><tableColumns count="2">` + totalColumns + `</tableColumns>`,
		},
		"grown into rows above its totals": {
			tabled{ref: "B2:C8", more: ` totalsRowCount="1"`, filter: `<autoFilter ref="B2:C7"/>`, columns: totalColumns, rows: headingRow("name", "n") + two + rowOf(8, "Total", 3, ""), marked: 3},
			5,
			`ref="B2:C8" totalsRowCount="1"><autoFilter ref="B2:C7"/><tableColumns count="2">` + totalColumns + `</tableColumns>`,
		},
		"of fewer columns than the block": {
			tabled{ref: "B2:B4", columns: `<tableColumn id="1" name="name"/>`, rows: headingRow("name", "n") + two, marked: 3},
			4,
			`ref="B2:B4"><tableColumns count="1"><tableColumn id="1" name="name"/></tableColumns>`,
		},
		"that was empty": {
			tabled{ref: "B2:C3", more: ` insertRow="1"`, rows: headingRow("name", "n"), marked: 1},
			2,
			`ref="B2:C4" insertRow="0"><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
		"without headings": {
			tabled{ref: "B2:C4", more: ` headerRowCount="0"`, rows: headingRow("name", "n") + two, marked: 3},
			4,
			`ref="B2:C4" headerRowCount="0"><tableColumns count="2">` + twoColumns + `</tableColumns>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := test.book.open(t)
			if _, err := hosttest.WritePatch(b.host, b.resize(test.book.marked, cities(test.rows))); err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if diff := cmp.Diff(test.want, tableOf(t, b)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			soundTable(t, b.path())
		})
	}
}

// soundTable checks what Excel asks of the table in a file's only table part: it has a row of data, its columns are as many as it counts,
// their ids differ, their headings are texts of the cells above them, and its filter covers all but the totals.
func soundTable(t *testing.T, path string) {
	t.Helper()
	var doc struct {
		Ref            string `xml:"ref,attr"`
		HeaderRowCount string `xml:"headerRowCount,attr"`
		TotalsRowCount int    `xml:"totalsRowCount,attr"`
		AutoFilter     struct {
			Ref string `xml:"ref,attr"`
		} `xml:"autoFilter"`
		Columns struct {
			Count int `xml:"count,attr"`
			List  []struct {
				ID   int    `xml:"id,attr"`
				Name string `xml:"name,attr"`
			} `xml:"tableColumn"`
		} `xml:"tableColumns"`
	}
	for _, p := range readParts(t, path) {
		if p.name == "xl/tables/table1.xml" {
			if err := xml.Unmarshal([]byte(p.doc), &doc); err != nil {
				t.Fatal(err)
			}
		}
	}
	area, err := placements.ParseLocation(doc.Ref)
	if err != nil || area.Rows < 2+doc.TotalsRowCount && doc.HeaderRowCount != "0" || area.Columns != len(doc.Columns.List) || doc.Columns.Count != area.Columns {
		t.Errorf("table over %q with %d totals, %d columns of %d: %v", doc.Ref, doc.TotalsRowCount, len(doc.Columns.List), doc.Columns.Count, err)
	}
	if filter, err := placements.ParseLocation(doc.AutoFilter.Ref); doc.AutoFilter.Ref != "" &&
		(err != nil || filter.Anchor != area.Anchor || filter.Columns != area.Columns || filter.Rows != area.Rows-doc.TotalsRowCount) {
		t.Errorf("filter over %q of a table over %q: %v", doc.AutoFilter.Ref, doc.Ref, err)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ids := map[int]bool{}
	for i, c := range doc.Columns.List {
		at := placements.Anchor{Row: area.Anchor.Row, Column: area.Anchor.Column + i}.String()
		name := strings.NewReplacer("_x000a_", "\n", "_x005F_", "_").Replace(c.Name)
		kind, _ := f.GetCellType("Sheet1", at)
		shown, err := f.GetCellValue("Sheet1", at)
		text := kind == excelize.CellTypeInlineString || kind == excelize.CellTypeSharedString
		if doc.HeaderRowCount != "0" && (shown != name || !text) || ids[c.ID] || err != nil {
			t.Errorf("column %d has the name %q and in %s %q of type %d: %v", c.ID, c.Name, at, shown, kind, err)
		}
		ids[c.ID] = true
	}
}

func TestCalculatedColumnsFollowTheirBlock(t *testing.T) {
	const twice = `<f>T[[#This Row],[n]]*2</f>`
	d := func(row int, inside string) string { return fmt.Sprintf(`<c r="D%d">%s</c>`, row, inside) }
	rows := headingRow("name", "n", "twice") + rowOf(3, "a", 1, d(3, twice)) + rowOf(4, "b", 2, d(4, twice))
	for name, test := range map[string]struct {
		book tabled
		rows int
		ref  string
		want map[int]string // formulas of column D by row
	}{
		"into rows gained": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: rows, marked: 3},
			4, "B2:D6",
			map[int]string{3: "T[[#This Row],[n]]*2", 4: "T[[#This Row],[n]]*2", 5: "T[[#This Row],[n]]*2", 6: "T[[#This Row],[n]]*2"},
		},
		"out of rows lost": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: rows, marked: 3},
			1, "B2:D3",
			map[int]string{3: "T[[#This Row],[n]]*2", 4: ""},
		},
		"relative references from the last row": {
			tabled{
				ref: "B2:D4", columns: strings.Replace(threeColumns, "T[[#This Row],[n]]*2", "C3*2", 1), marked: 3,
				rows: headingRow("name", "n", "twice") + rowOf(3, "a", 1, d(3, `<f t="shared" ref="D3:D4" si="0">C3*2</f>`)) + rowOf(4, "b", 2, d(4, `<f t="shared" si="0"/>`)),
			},
			4, "B2:D6",
			map[int]string{5: "C5*2", 6: "C6*2"},
		},
		"but not over a value": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: rows + `<row r="5">` + d(5, `<v>9</v>`) + `</row>`, marked: 3},
			4, "B2:D6",
			map[int]string{4: "T[[#This Row],[n]]*2", 5: "", 6: "T[[#This Row],[n]]*2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := test.book.open(t)
			if _, err := hosttest.WritePatch(b.host, b.resize(test.book.marked, cities(test.rows))); err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if got := tableOf(t, b); !strings.HasPrefix(got, `ref="`+test.ref+`"`) {
				t.Errorf("table %s, want ref %s", got, test.ref)
			}
			f, err := excelize.OpenFile(b.path())
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			for row, want := range test.want {
				if got, err := f.GetCellFormula("Sheet1", fmt.Sprintf("D%d", row)); err != nil || got != want {
					t.Errorf("D%d has %q, %v; want %q", row, got, err, want)
				}
			}
		})
	}
}

func TestTableInTheWay(t *testing.T) {
	two := rowOf(3, "a", 1, "") + rowOf(4, "b", 2, "")
	for name, test := range map[string]struct {
		book tabled
		grid *checksum.Grid
		says string
	}{
		"its totals row": {
			tabled{ref: "B2:C5", more: ` totalsRowCount="1"`, columns: totalColumns, rows: headingRow("name", "n") + two + rowOf(5, "Total", 3, ""), marked: 3},
			cities(3), `has the totals row of table "T" in the way: refresh with shiftRows, turn it off, or move one of the two.`,
		},
		"a formula below a calculated column": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: headingRow("name", "n", "twice") + two + `<row r="6"><c r="D6"><f>SUM(D3:D4)</f></c></row>`, marked: 3},
			cities(4), `has a formula in D6 on sheet "Sheet1" in the way of table "T"`,
		},
		"merged cells below a calculated column": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: headingRow("name", "n", "twice") + two, behind: `<mergeCells><mergeCell ref="D6:E6"/></mergeCells>`, marked: 3},
			cities(4), `has merged cells D6:E6 on sheet "Sheet1" in the way`,
		},
		"headings of a table that was there first": {
			tabled{ref: "B2:C4", rows: headingRow("name", "n")},
			table(line(checksum.Str("name"), checksum.Str("m"))), `has the headings of table "T" in the way`,
		},
		"a heading that is no text": {
			tabled{ref: "B2:C4", rows: headingRow("name", "n") + two, marked: 3},
			table(line(checksum.Str("name"), checksum.Num(5))), `has the headings of table "T" in the way`,
		},
		"two headings of one name": {
			tabled{ref: "B2:C4", rows: headingRow("name", "n") + two, marked: 3},
			table(line(checksum.Str("name"), checksum.Str("NAME"))), `has the headings of table "T" in the way`,
		},
		"a column lost before others of the table": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: headingRow("name", "n", "twice") + two, marked: 3},
			table(line(checksum.Str("name"))), `has the headings of table "T" in the way`,
		},
		"a column lost from above a totals row": {
			tabled{ref: "B2:C5", more: ` totalsRowCount="1"`, columns: totalColumns, rows: headingRow("name", "n") + two + rowOf(5, "Total", 3, ""), marked: 3},
			table(line(checksum.Str("name"))), `has table "T" in the way of the report's other columns`,
		},
		"a heading that a formula names": {
			tabled{ref: "B2:C4", rows: headingRow("name", "n") + two + `<row r="9"><c r="A9"><f>SUM(T[n])</f></c></row>`, marked: 3},
			table(line(checksum.Str("name"), checksum.Str("m"))), `has a formula in A9 on sheet "Sheet1" that names a heading of table "T"`,
		},
		"a heading that a calculated column names": {
			tabled{ref: "B2:D4", columns: threeColumns, rows: headingRow("name", "n", "twice") + two, marked: 3},
			table(line(checksum.Str("name"), checksum.Str("m"))), `has a formula in column "twice" that names a heading of table "T"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := test.book.open(t)
			before := fileHash(t, b.path())
			_, err := hosttest.WritePatch(b.host, b.resize(test.book.marked, test.grid))
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Conflict || !strings.Contains(fault.Message, test.says) {
				t.Errorf("Write: %v; want a conflict that says\n%s", err, test.says)
			}
			if fileHash(t, b.path()) != before {
				t.Error("the file changed")
			}
		})
	}
}

func TestTableTakesTheBlocksHeadings(t *testing.T) {
	rows := headingRow("name", "n") + rowOf(3, "a", 1, "")
	row := func(names ...string) *checksum.Grid {
		var cells []checksum.Cell
		for _, name := range names {
			cells = append(cells, checksum.Str(name))
		}
		return table(cells)
	}
	const styled = `<tableColumn id="1" name="name" dataDxfId="3"/><tableColumn id="4" name="n"><extLst/></tableColumn>`
	for name, test := range map[string]struct {
		book tabled
		grid *checksum.Grid
		want string
	}{
		"renamed": {
			tabled{ref: "B2:C3", columns: styled, rows: rows, marked: 2},
			row("name", "a \"b\"\n_x0041_"),
			`ref="B2:C3"><tableColumns count="2"><tableColumn id="1" name="name" dataDxfId="3"/><tableColumn id="4" name="a &quot;b&quot;_x000a__x005F_x0041_"><extLst/></tableColumn></tableColumns>`,
		},
		"in another case, which formulas do not see": {
			tabled{ref: "B2:D3", columns: threeColumns, rows: headingRow("name", "n", "twice") + rowOf(3, "a", 1, ""), marked: 2},
			row("Name", "N"),
			`ref="B2:D3"><tableColumns count="3">` + strings.NewReplacer(`"name"`, `"Name"`, `"n"`, `"N"`).Replace(threeColumns) + `</tableColumns>`,
		},
		"one more": {
			tabled{ref: "B2:C3", filter: `<autoFilter ref="B2:C3"/>`, columns: styled, rows: rows, marked: 2},
			row("name", "m", "n"),
			`ref="B2:D3"><autoFilter ref="B2:D3"/><tableColumns count="3"><tableColumn id="1" name="name" dataDxfId="3"/><tableColumn id="5" name="m"/><tableColumn id="4" name="n"><extLst/></tableColumn></tableColumns>`,
		},
		"one less": {
			tabled{ref: "B2:C3", columns: styled, rows: rows, marked: 2},
			row("n"),
			`ref="B2:B3"><tableColumns count="1"><tableColumn id="4" name="n"><extLst/></tableColumn></tableColumns>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := test.book.open(t)
			p := b.resize(1, test.grid)
			p.Clear = []checksum.CellRect{{Column: test.grid.Columns(), Rows: 2, Columns: 5}}
			if strings.Contains(test.book.columns, "twice") {
				p.Clear = nil
			}
			if _, err := hosttest.WritePatch(b.host, p); err != nil {
				t.Fatalf("Write: %v (%v)", err, unwrap(err))
			}
			if diff := cmp.Diff(test.want, tableOf(t, b)); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
			soundTable(t, b.path())
		})
	}
}

// TestTableWithTotalsOverSeveralShifts grows and shrinks a table with a calculated column and totals, a formula below it and columns filled down
// beside it, as shifts have it.
func TestTableWithTotalsOverSeveralShifts(t *testing.T) {
	columns := strings.NewReplacer(`name="name"`, `name="name" totalsRowLabel="Total"`, `name="n"`, `name="n" totalsRowFunction="sum"`).Replace(threeColumns)
	d := func(row int) string {
		return fmt.Sprintf(`<c r="D%[1]d"><f>T[[#This Row],[n]]*2</f></c><c r="E%[1]d"><f>C%[1]d+$C$9</f></c>`, row)
	}
	book := tabled{
		ref: "B2:D5", more: ` totalsRowCount="1"`, filter: `<autoFilter ref="B2:D4"/>`, columns: columns, marked: 3,
		rows: headingRow("name", "n", "twice") + rowOf(3, "a", 1, d(3)) + rowOf(4, "b", 2, d(4)) +
			`<row r="5"><c r="B5" t="inlineStr"><is><t>Total</t></is></c><c r="C5"><f>SUBTOTAL(109,T[n])</f></c></row>` +
			`<row r="9"><c r="C9"><v>100</v></c><c r="D9"><f>SUM(C3:C4)+SUM(T[twice])</f></c></row>`,
	}
	b := book.open(t)
	rows := 3
	for _, step := range []struct {
		at, data int
		ref      string
		foot     int    // row of the totals
		formulas string // of rows 3 on, in columns D and E
		sum      string
	}{
		{3, 4, "B2:D7", 7, "twice C3+$C$11, twice C4+$C$11, twice C5+$C$11, twice C6+$C$11", "SUM(C3:C6)+SUM(T[twice])"},
		{2, 5, "B2:D8", 8, "twice C3+$C$12, twice C4+$C$12, twice C5+$C$12, twice C6+$C$12, twice C7+$C$12", "SUM(C3:C7)+SUM(T[twice])"},
		{2, 2, "B2:D5", 5, "twice C3+$C$9, twice C4+$C$9", "SUM(C3:C4)+SUM(T[twice])"},
		{2, 0, "B2:D4", 4, "twice C3+$C$8", "SUM(C3:C3)+SUM(T[twice])"},
		{2, 3, "B2:D6", 6, "twice C3+$C$10, twice C4+$C$10, twice C5+$C$10", "SUM(C3:C5)+SUM(T[twice])"},
	} {
		g := cities(step.data).Padded(2) // a block keeps a row below its headings
		b.read(t, 0, 0)
		p := host.Patch{
			Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent(),
			Shifts: []checksum.Shift{{At: step.at, Rows: g.Rows() - rows}}, FillRight: host.Columns{From: 4, To: 5},
		}
		rows = g.Rows()
		if _, err := hosttest.WritePatch(b.host, p); err != nil {
			t.Fatalf("Write: %v (%v)", err, unwrap(err))
		}
		if got := tableOf(t, b); !strings.HasPrefix(got, `ref="`+step.ref+`"`) || !strings.Contains(got, columns) {
			t.Errorf("%d rows: table %s, want ref %s", step.data, got, step.ref)
		}
		soundTable(t, b.path())
		f, err := excelize.OpenFile(b.path())
		if err != nil {
			t.Fatal(err)
		}
		formula := func(column string, row int) string {
			text, err := f.GetCellFormula("Sheet1", fmt.Sprint(column, row))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if got := formula("C", step.foot); got != "SUBTOTAL(109,T[n])" {
			t.Errorf("%d rows: C%d has %q", step.data, step.foot, got)
		}
		var got []string
		for row := 3; row < step.foot; row++ {
			got = append(got, strings.ReplaceAll(formula("D", row), "T[[#This Row],[n]]*2", "twice")+" "+formula("E", row))
		}
		if diff := cmp.Diff(step.formulas, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%d rows: formulas (-want +got):\n%s", step.data, diff)
		}
		if got := formula("D", step.foot+4); got != step.sum {
			t.Errorf("%d rows: D%d has %q, want %q", step.data, step.foot+4, got, step.sum)
		}
		f.Close()
	}
}
