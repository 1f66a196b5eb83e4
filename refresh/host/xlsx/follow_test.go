package xlsx_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// followed is a workbook with a block at B2:D4 of Sheet1, and around it what refers to cells of columns B to D.
func followed(t *testing.T, path string) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.NewSheet("Other sheet")
	must(err)
	for i, row := range [][]any{{"name", "number", "day"}, {"a", 1, 2}, {"b", 3, 4}} {
		cell, err := excelize.CoordinatesToCellName(2, 2+i)
		must(err)
		must(f.SetSheetRow("Sheet1", cell, &row))
	}
	must(f.SetSheetRow("Sheet1", "B12", &[]any{"x", "y", "z"}))
	must(f.SetSheetRow("Sheet1", "B13", &[]any{1, 2, 3}))
	must(f.AddTable("Sheet1", &excelize.Table{Range: "B12:D13", Name: "below"}))
	must(f.AddComment("Sheet1", excelize.Comment{Cell: "C9", Author: "me", Text: "moves"}))
	must(f.AddComment("Sheet1", excelize.Comment{Cell: "F9", Author: "me", Text: "stays"}))
	must(f.AddFormControl("Sheet1", excelize.FormControl{Cell: "B20", Type: excelize.FormControlCheckBox, Text: "on", CellLink: "$C$9"}))
	series := []excelize.ChartSeries{{Name: "Sheet1!$C$2", Categories: "Sheet1!$B$3:$B$4", Values: "Sheet1!$C$3:$C$4"}}
	chart := &excelize.Chart{
		Type: excelize.Col, Series: series, Dimension: excelize.ChartDimension{Width: 60, Height: 200},
		Format: excelize.GraphicOptions{Positioning: "twoCell"},
	}
	must(f.AddChart("Sheet1", "B15", chart))
	must(f.AddChart("Other sheet", "H1", chart))
	must(f.AddPivotTable(&excelize.PivotTableOptions{
		DataRange: "Sheet1!B2:D4", PivotTableRange: "Other sheet!A3:C9",
		Rows: []excelize.PivotTableField{{Data: "name"}}, Data: []excelize.PivotTableField{{Data: "number"}},
	}))
	must(f.SetDefinedName(&excelize.DefinedName{Name: "numbers", RefersTo: "Sheet1!$C$3:$C$4"}))
	must(f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", Scope: "Sheet1", RefersTo: "Sheet1!$A$1:$G$30"}))
	must(f.SetDefinedName(&excelize.DefinedName{Name: "low", RefersTo: "Sheet1!$C$13"}))
	must(f.SaveAs(path))
}

// grow writes a block of three columns at B2 that stood there with two rows of data, after a shift.
func (b *bookPart) grow(t *testing.T, shift checksum.Shift) error {
	t.Helper()
	rows := [][]checksum.Cell{line(checksum.Str("name"), checksum.Str("number"), checksum.Str("day"))}
	for range 2 + shift.Rows {
		rows = append(rows, line(checksum.Str("r"), checksum.Num(1), checksum.Num(2)))
	}
	g := table(rows...)
	_, err := hosttest.WritePatch(b.host, host.Patch{
		Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent(), Shifts: []checksum.Shift{shift},
	})
	return err
}

// Expressions for the references of charts, the rows that corners of objects lie in, and the cells of comments and controls.
var (
	chartFormulas  = regexp.MustCompile(`<(?:c:)?f>([^<]*)<`)
	rowsOfDrawings = regexp.MustCompile(`<xdr:row>([0-9]+)</xdr:row>`)
	notes          = regexp.MustCompile(`<x:(Row|Column|FmlaLink)>([^<]*)<`)
)

// followedSeries are what a chart refers to after two rows more.
var followedSeries = []string{"Sheet1!$C$2", "Sheet1!$B$3:$B$6", "Sheet1!$C$3:$C$6"}

// told are the submatches of an expression in the parts of a folder, joined.
func (b *bookPart) told(t *testing.T, folder string, expression *regexp.Regexp) (all []string) {
	t.Helper()
	for _, p := range readParts(t, b.path()) {
		if strings.HasPrefix(p.name, folder) {
			for _, m := range expression.FindAllStringSubmatch(p.doc, -1) {
				all = append(all, m[len(m)-1])
			}
		}
	}
	return all
}

func TestPartsFollowInsertedRows(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "book.xlsx")
	followed(t, path)
	b := openBook(t, dir, "book.xlsx")
	before := packed(t, path)
	if err := b.grow(t, checksum.Shift{At: 3, Rows: 2}); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{
		"charts":   b.told(t, "xl/charts/", chartFormulas),
		"drawings": b.told(t, "xl/drawings/drawing", rowsOfDrawings),
		"notes":    b.told(t, "xl/drawings/vml", notes),
	}
	want := map[string][]string{
		"charts":   slices.Concat(followedSeries, followedSeries),
		"drawings": {"0", "10", "16", "27"},
		"notes":    {"10", "2", "8", "5", "21", "1", "$C$11"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	checkFollowed(t, path)

	var same []string
	for name, bytes := range packed(t, path) {
		if before[name] == bytes {
			same = append(same, name)
		}
	}
	for _, name := range []string{
		"xl/drawings/drawing2.xml", "xl/pivotTables/pivotTable1.xml", "xl/worksheets/sheet2.xml", "xl/styles.xml", "xl/theme/theme1.xml", "[Content_Types].xml",
	} {
		if !slices.Contains(same, name) {
			t.Errorf("%s was written anew", name)
		}
	}
}

// checkFollowed compares what excelize reads of the workbook after two rows more.
func checkFollowed(t *testing.T, path string) {
	t.Helper()
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got := map[string]string{}
	for _, n := range f.GetDefinedName() {
		got[n.Name] = strings.ReplaceAll(n.RefersTo, "'", "")
	}
	tables, err := f.GetTables("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		got[table.Name] = table.Range
	}
	comments, err := f.GetComments("Sheet1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range comments {
		got["comments"] += c.Cell + " "
	}
	pivots, err := f.GetPivotTables("Other sheet")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pivots {
		got["pivot"] = p.DataRange
	}
	want := map[string]string{
		"numbers": "Sheet1!$C$3:$C$6", "low": "Sheet1!$C$15", "_xlnm.Print_Area": "Sheet1!$A$1:$G$30", "below": "B14:D15",
		"_mooring_p1": "Sheet1!$B$2:$D$6", "comments": "C11 F9 ", "pivot": "Sheet1!B2:D6",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("excelize reads (-want +got):\n%s", diff)
	}
}

// TestPartsOfPartsFollow finds references through parts of parts, of worksheets and of chart sheets, and links of shapes.
func TestPartsOfPartsFollow(t *testing.T) {
	relation := func(kind, target string) string {
		return relationships(`<Relationship Id="rId1" Type="` + relNS + "/" + kind + `" Target="` + target + `"/>`)
	}
	b := newBook(
		t,
		zipPart{"xl/_rels/workbook.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relNS + `/chartsheet" Target="/xl/chartsheets/sheet1.xml"/>`)},
		zipPart{"xl/worksheets/_rels/sheet1.xml.rels", relation("drawing", "../drawings/drawing1.xml")},
		zipPart{"xl/drawings/drawing1.xml", `<wsDr><absoluteAnchor><sp textlink="$B$9"/></absoluteAnchor></wsDr>`},
		zipPart{"xl/drawings/_rels/drawing1.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/chart" Target="../charts/chart1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relNS + `/hyperlink" Target="#Sheet1!C9"/>`)},
		zipPart{"xl/charts/chart1.xml", `<c:chartSpace xmlns:c="c"><c:f>Sheet1!$B$9</c:f></c:chartSpace>`},
		zipPart{"xl/charts/_rels/chart1.xml.rels", relation("chartUserShapes", "../drawings/drawing2.xml")},
		zipPart{"xl/drawings/drawing2.xml", `<c:userShapes xmlns:c="c"><sp textlink="Sheet1!$D$9"/></c:userShapes>`},
		zipPart{"xl/chartsheets/sheet1.xml", `<chartsheet/>`},
		zipPart{"xl/chartsheets/_rels/sheet1.xml.rels", relation("drawing", "../drawings/drawing3.xml")},
		zipPart{"xl/drawings/drawing3.xml", `<wsDr/>`},
		zipPart{"xl/drawings/_rels/drawing3.xml.rels", relation("chartEx", "../charts/chart2.xml")},
		zipPart{"xl/charts/chart2.xml", `<cx:chartSpace xmlns:cx="c"><cx:f>Sheet1!$B$8:$B$9</cx:f></cx:chartSpace>`},
	)
	if err := b.grow(t, checksum.Shift{At: 3, Rows: 2}); err != nil {
		t.Fatal(err, unwrap(err))
	}
	for name, want := range map[string]string{
		"xl/drawings/drawing1.xml":            `<wsDr><absoluteAnchor><sp textlink="$B$11"/></absoluteAnchor></wsDr>`,
		"xl/charts/chart1.xml":                `<c:chartSpace xmlns:c="c"><c:f>Sheet1!$B$11</c:f></c:chartSpace>`,
		"xl/drawings/drawing2.xml":            `<c:userShapes xmlns:c="c"><sp textlink="Sheet1!$D$11"/></c:userShapes>`,
		"xl/charts/chart2.xml":                `<cx:chartSpace xmlns:cx="c"><cx:f>Sheet1!$B$10:$B$11</cx:f></cx:chartSpace>`,
		"xl/charts/_rels/chart1.xml.rels":     relation("chartUserShapes", "../drawings/drawing2.xml"),
		"xl/drawings/_rels/drawing3.xml.rels": relation("chartEx", "../charts/chart2.xml"),
		"xl/drawings/_rels/drawing1.xml.rels": relationships(`<Relationship Id="rId1" Type="` + relNS + `/chart" Target="../charts/chart1.xml"/>` +
			`<Relationship Id="rId2" Type="` + relNS + `/hyperlink" Target="#Sheet1!C11"/>`),
	} {
		if diff := cmp.Diff(want, b.part(t, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPartsThatCannotFollow(t *testing.T) {
	for _, tt := range []struct{ name, kind, sheetKind, part, want string }{
		{name: "history of a shared workbook", kind: "revisionHeaders", part: "<headers/>", want: "is a shared workbook"},
		{name: "macros of Excel 4.0", kind: "xlMacrosheet", part: "<macrosheet/>", want: "has a sheet of Excel 4.0 macros"},
		{
			name: "table of some columns", sheetKind: "table", part: `<table displayName="T" ref="C9:F12"/>`,
			want: `the table "T" at C9:F12 on sheet "Sheet1"`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			parts := []zipPart{{"xl/other.xml", tt.part}}
			if tt.kind != "" {
				parts = append(parts, zipPart{"xl/_rels/workbook.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
					`<Relationship Id="rId2" Type="` + relNS + "/" + tt.kind + `" Target="other.xml"/>`)})
			}
			if tt.sheetKind != "" {
				parts = append(parts, zipPart{"xl/worksheets/_rels/sheet1.xml.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + "/" + tt.sheetKind + `" Target="../other.xml"/>`)})
			}
			b := newBook(t, parts...)
			before := packed(t, b.path())
			err := b.grow(t, checksum.Shift{At: 3, Rows: 2})
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Conflict || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a conflict that says %s", err, tt.want)
			}
			if diff := cmp.Diff(before, packed(t, b.path())); diff != "" {
				t.Errorf("the file changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestPartsFollowInLibreOffice has LibreOffice save the workbook after rows were inserted: what it kept it had read.
func TestPartsFollowInLibreOffice(t *testing.T) {
	o := newOffice(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "book.xlsx")
	followed(t, path)
	b := openBook(t, dir, "book.xlsx")
	if err := b.grow(t, checksum.Shift{At: 3, Rows: 2}); err != nil {
		t.Fatal(err)
	}
	if got, want := o.csv(t, path), ",,,,,\n,name,number,day,,\n"+strings.Repeat(",r,1,2,,\n", 4); !strings.HasPrefix(got, want) {
		t.Errorf("LibreOffice shows\n%s\nwant a beginning of\n%s", got, want)
	}
	o.edit(t, path, "")
	if diff := cmp.Diff(slices.Concat(followedSeries, followedSeries), b.told(t, "xl/charts/", chartFormulas)); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	checkFollowed(t, path)
}
