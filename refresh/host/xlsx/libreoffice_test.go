package xlsx_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// office is LibreOffice with a profile of its own.
type office struct{ program, profile string }

// newOffice skips the test where there is no LibreOffice, and in short runs, for it takes seconds to start.
func newOffice(t *testing.T) office {
	program, err := exec.LookPath("soffice")
	if err != nil || testing.Short() {
		t.Skip("no LibreOffice, or a short run")
	}
	return office{program, t.TempDir()}
}

func (o office) run(t *testing.T, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.program,
		append([]string{"--headless", "--norestore", "-env:UserInstallation=file://" + o.profile}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("soffice %v: %v\n%s", args, err, out)
	}
}

// insertRows inserts n rows above row of a file's first sheet.
func (o office) insertRows(t *testing.T, path string, row, n int) {
	t.Helper()
	o.edit(t, path, fmt.Sprintf("book.Sheets(0).Rows.insertByIndex(%d, %d)", row-1, n))
}

// edit has LibreOffice open a file, do a statement of Basic with the book, and save it in place.
func (o office) edit(t *testing.T, path, statement string) {
	t.Helper()
	macro := fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Edit" script:language="StarBasic">
Sub EditBook
  Dim opened(0) As New com.sun.star.beans.PropertyValue
  opened(0).Name = "Hidden" : opened(0).Value = True
  book = StarDesktop.loadComponentFromURL("file://%[1]s", "_blank", 0, opened())
  %[2]s
  Dim stored(0) As New com.sun.star.beans.PropertyValue
  stored(0).Name = "FilterName" : stored(0).Value = "Calc MS Excel 2007 XML"
  book.storeToURL("file://%[1]s.new", stored())
  book.close(True)
End Sub
</script:module>`, path, statement)
	basic := filepath.Join(o.profile, "user", "basic", "Standard")
	if err := os.MkdirAll(basic, 0o755); err != nil {
		t.Fatal(err)
	}
	library := func(kind, inside string) []byte {
		return []byte(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE library:` + kind + ` PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "` + kind + `.dtd">
<library:` + kind + ` xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink" ` + inside)
	}
	writeFile(t, filepath.Join(basic, "Edit.xba"), []byte(macro))
	writeFile(t, filepath.Join(basic, "script.xlb"),
		library("library", `library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="Edit"/></library:library>`))
	writeFile(t, filepath.Join(basic, "..", "script.xlc"),
		library("libraries", `><library:library library:name="Standard" xlink:href="$(USER)/basic/Standard/script.xlb/" xlink:type="simple" library:link="false"/></library:libraries>`))
	o.run(t, "macro:///Standard.Edit.EditBook")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// csv is what LibreOffice shows in the first sheet.
func (o office) csv(t *testing.T, path string) string {
	t.Helper()
	out := t.TempDir()
	o.run(t, "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false", "--outdir", out, path)
	b, err := os.ReadFile(filepath.Join(out, strings.TrimSuffix(filepath.Base(path), ".xlsx")+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestInLibreOffice(t *testing.T) {
	o := newOffice(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "book.xlsx")
	fullWorkbook(t, path)
	b := openBook(t, dir, "book.xlsx")
	b.block.PlacementID = "0190C7e2-7f5e"
	g := table(
		line(checksum.Str("name"), checksum.Str("number"), checksum.Str("day")),
		line(checksum.Str("=1+1"), checksum.Num(0.125), checksum.Num(45000)),
		line(checksum.Str(" kept "), checksum.Bool(true), checksum.Num(45001)),
		line(checksum.Str(`"quoted" & <b>`), checksum.Err("#N/A")),
		line(checksum.Str("two\nlines"), checksum.Num(-3)),
	)
	stamp := strings.Repeat("aZ9._-", host.MaxStamp)[:host.MaxStamp]
	_, err := hosttest.WritePatch(b.host, host.Patch{
		Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 5}}, Extent: g.Extent(), Formats: []string{"", "", "yyyy-mm-dd"}, Stamp: stamp,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := ",,,\n,name,number,day\n,=1+1,0.125,2023-03-15\n, kept ,TRUE,2023-03-16\n,\"\"\"quoted\"\" & <b>\",#N/A,\n,\"two\nlines\",-3,\n"
	if got := o.csv(t, path); got != want {
		t.Errorf("LibreOffice shows\n%s\nwant\n%s", got, want)
	}

	o.insertRows(t, path, 2, 4)
	v := b.read(t, 0, 0)
	moved := placements.Anchor{Row: b.block.Anchor.Row + 4, Column: b.block.Anchor.Column}
	if !v.Marked || v.Anchor != moved || v.Extent != g.Extent() {
		t.Fatalf("found at %s, marked %t, %+v; want %s, marked, %+v", v.Anchor, v.Marked, v.Extent, moved, g.Extent())
	}
	if v.Stamp != stamp {
		t.Errorf("the stamp came back as %q, want %q", v.Stamp, stamp)
	}
	for i := range g.Rows() {
		if string(v.Cells.Row(i)) != string(g.Row(i)) {
			t.Errorf("row %d came back as %+v, want %+v", i, v.Cells.Cells(i, nil), g.Cells(i, nil))
		}
	}
	b.block.Anchor = v.Anchor
	b.mustPut(t, line(checksum.Str("again")))
	if got, want := o.csv(t, path), ",,,\n,,,\n,,,\n,,,\n,,,\n,again,number,day\n"; !strings.HasPrefix(got, want) {
		t.Errorf("LibreOffice shows\n%s\nwant a beginning of\n%s", got, want)
	}
}

// TestFormulasAndCopiedSheetsInLibreOffice writes formulas that LibreOffice then computes, and finds the block of a sheet that it copied.
func TestFormulasAndCopiedSheetsInLibreOffice(t *testing.T) {
	o := newOffice(t)
	b := newBook(t)
	g := table(
		line(checksum.Str("n"), checksum.Str("twice")),
		line(checksum.Num(2), checksum.Num(4)), // a number that stands is not computed again
		line(checksum.Num(3), checksum.Str("old")),
		line(checksum.Str("=B3"), checksum.Str("kept")),
	)
	s := hosttest.Open(t, b.host, b.block.Document)
	p := host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 4}}, Extent: g.Extent()}
	p.Formulas = []host.Formula{formulaAt(1, 1, "=B3*2"), formulaAt(2, 1, `=IF(B4>2,"<"&B4&">","")`)}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(err)
	}
	if got, want := o.csv(t, b.path()), ",,\n,n,twice\n,2,4\n,3,<3>\n,=B3,kept\n"; got != want {
		t.Errorf("LibreOffice shows\n%s\nwant\n%s", got, want)
	}
	o.edit(t, b.path(), `book.Sheets.copyByName("Sheet1", "Copy", 0)`)
	v := b.read(t, 0, 0)
	if !v.Marked || !v.Doubled || v.Sheet != "Sheet1" || v.Extent != g.Extent() {
		t.Errorf("found on %q, marked %t, doubled %t, %+v; want Sheet1, true, true, %+v", v.Sheet, v.Marked, v.Doubled, v.Extent,
			g.Extent())
	}
}

// TestTablesInLibreOffice grows and shrinks a table with totals that LibreOffice computes, and then one that it saved itself.
func TestTablesInLibreOffice(t *testing.T) {
	o := newOffice(t)
	columns := strings.NewReplacer(`name="name"`, `name="name" totalsRowLabel="Total"`, `name="n"`, `name="n" totalsRowFunction="sum"`).Replace(threeColumns)
	d := func(row int) string { return fmt.Sprintf(`<c r="D%[1]d"><f>T[[#This Row],[n]]*2</f></c>`, row) }
	b := tabled{
		ref: "B2:D5", more: ` totalsRowCount="1"`, filter: `<autoFilter ref="B2:D4"/>`, columns: columns, marked: 3,
		rows: headingRow("name", "n", "twice") + rowOf(3, "a", 1, d(3)) + rowOf(4, "b", 2, d(4)) +
			`<row r="5"><c r="B5" t="inlineStr"><is><t>Total</t></is></c><c r="C5"><f>SUBTOTAL(109,T[n])</f></c></row>` +
			`<row r="7"><c r="D7"><f>SUM(T[twice])</f></c></row>`,
	}.open(t)
	shift := func(at, rows, data int) {
		t.Helper()
		g := cities(data)
		b.block.Anchor = b.read(t, 0, 0).Anchor
		_, err := hosttest.WritePatch(b.host, host.Patch{
			Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent(),
			Shifts: []checksum.Shift{{At: at, Rows: rows}}, FillRight: checksum.Span{From: 3, To: 4},
		})
		if err != nil {
			t.Fatalf("Write: %v (%v)", err, unwrap(err))
		}
	}
	shows := func(want string) {
		t.Helper()
		if got := o.csv(t, b.path()); got != want {
			t.Errorf("LibreOffice shows\n%s\nwant\n%s", got, want)
		}
	}
	shift(2, 2, 4)
	shows(",,,\n,name,n,twice\n,a,1,2\n,b,2,4\n,c,3,6\n,d,4,8\n,Total,10,\n,,,\n,,,20\n")
	shift(1, -3, 1)
	shows(",,,\n,name,n,twice\n,a,1,2\n,Total,1,\n,,,\n,,,2\n")
	o.edit(t, b.path(), `book.Sheets(0).getCellByPosition(5, 0).Value = 1`)
	shift(2, 2, 3)
	soundTable(t, b.path())
	o.edit(t, b.path(), "book.calculateAll()") // it trusts the values of a file that it saved before
	shows(",,,,,1\n,name,n,twice,,\n,a,1,2,,\n,b,2,4,,\n,c,3,6,,\n,Total,6,,,\n,,,,,\n,,,12,,\n")
}
