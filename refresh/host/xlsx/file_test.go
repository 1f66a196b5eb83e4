package xlsx_test

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
)

// fullWorkbook is a file with what people have in workbooks, beside where a block will stand.
func fullWorkbook(t testing.TB, path string) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.NewSheet("Other sheet")
	must(nil, err)
	must(nil, f.SetSheetRow("Other sheet", "A1", &[]any{"month", "sales"}))
	must(nil, f.SetSheetRow("Other sheet", "A2", &[]any{"may", 12}))
	must(nil, f.SetCellFormula("Other sheet", "C2", "SUM(Sheet1!C2:C9)"))
	must(nil, f.AddChart("Other sheet", "E1", &excelize.Chart{Type: excelize.Col, Series: []excelize.ChartSeries{{Name: "Sales", Categories: "'Other sheet'!$A$2:$A$2", Values: "'Other sheet'!$B$2:$B$2"}}}))
	must(nil, f.AddTable("Other sheet", &excelize.Table{Range: "A1:B2", Name: "sales"}))
	must(nil, f.AddComment("Sheet1", excelize.Comment{Cell: "A1", Author: "me", Text: "a note"}))
	must(nil, f.SetDefinedName(&excelize.DefinedName{Name: "vat", RefersTo: "Sheet1!$A$1"}))
	validation := excelize.NewDataValidation(true)
	validation.SetSqref("A1:A9")
	must(nil, validation.SetDropList([]string{"a", "b"}))
	must(nil, f.AddDataValidation("Sheet1", validation))
	style, err := f.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	must(nil, err)
	must(nil, f.SetCellStyle("Sheet1", "B2", "D2", style))
	must(nil, f.SetConditionalFormat("Sheet1", "A1:A9", []excelize.ConditionalFormatOptions{{Type: "cell", Criteria: ">", Value: "1", Format: &style}}))
	must(nil, f.SaveAs(path))
}

func TestLeavesEveryOtherPartAsPacked(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "book.xlsx")
	fullWorkbook(t, path)
	workbook.Rewrite(t, path, "docProps/app.xml", func(s string) string { return "<!-- kept -->" + s })
	before := packed(t, path)
	b := openBook(t, dir, "book.xlsx")
	b.mustPut(t, line(checksum.Str("a"), checksum.Num(1)), line(checksum.Str("b"), checksum.Num(2)))
	after := packed(t, path)
	var changed []string
	for name, bytes := range before {
		if after[name] != bytes {
			changed = append(changed, name)
		}
	}
	want := []string{"xl/workbook.xml", "xl/worksheets/sheet1.xml"}
	if diff := cmp.Diff(want, sorted(changed)); diff != "" {
		t.Errorf("parts that changed (-want +got):\n%s", diff)
	}
	if len(after) != len(before) {
		t.Errorf("%d parts became %d", len(before), len(after))
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if formula, _ := f.GetCellFormula("Other sheet", "C2"); formula != "SUM(Sheet1!C2:C9)" {
		t.Errorf("the formula became %q", formula)
	}
	if style, _ := f.GetCellStyle("Sheet1", "B2"); style == 0 {
		t.Error("the heading lost its style")
	}
	names := f.GetDefinedName()
	if len(names) != 2 || names[0].Name != "vat" {
		t.Errorf("names = %+v", names)
	}
}

// packed is each part as it stands in the file, not unpacked.
func packed(t testing.TB, path string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	parts := map[string]string{}
	for _, f := range r.File {
		in, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		parts[f.Name] = string(b)
	}
	return parts
}

func TestKeepsModeAndLeavesNoOtherFile(t *testing.T) {
	b := newBook(t)
	if err := os.Chmod(b.path(), 0o640); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(b.path(), 12, 34); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.Stat(b.path())
	if err != nil {
		t.Fatal(err)
	}
	b.mustPut(t, line(checksum.Num(1)))
	after, err := os.Stat(b.path())
	if err != nil {
		t.Fatal(err)
	}
	old, now := before.Sys().(*syscall.Stat_t), after.Sys().(*syscall.Stat_t)
	if before.Mode() != after.Mode() || old.Uid != now.Uid || old.Gid != now.Gid {
		t.Errorf("mode and owner %v %d:%d became %v %d:%d", before.Mode(), old.Uid, old.Gid, after.Mode(), now.Uid, now.Gid)
	}
	onlyFile(t, b.dir)
}

func onlyFile(t testing.TB, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want one file", entries, err)
	}
}

func TestAFailedWriteLeavesNothingBehind(t *testing.T) {
	b := newBook(t, zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData/><mergeCells><mergeCell ref="B2:C3"/></mergeCells>`)})
	before := fileHash(t, b.path())
	if err := b.put(t, line(checksum.Num(1))); err == nil {
		t.Fatal("Write over merged cells succeeded")
	}
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
	onlyFile(t, b.dir)
}

func TestSweepsOldUnfinishedFiles(t *testing.T) {
	b := newBook(t)
	old, young := filepath.Join(b.dir, ".~mooring-OLD.tmp"), filepath.Join(b.dir, ".~mooring-YOUNG.tmp")
	writeFile(t, old, nil)
	writeFile(t, young, nil)
	hours := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, hours, hours); err != nil {
		t.Fatal(err)
	}
	b.mustPut(t, line(checksum.Num(1)))
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old file is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the young file, which may be another process's, is gone: %v", err)
	}
}

func TestSeesAFileSavedWhileItIsWritten(t *testing.T) {
	b := newBook(t)
	s := hosttest.Open(t, b.host, b.block.Document)
	if _, err := hosttest.Read(s, b.block, checksum.Extent{Rows: 1, Columns: 1}); err != nil {
		t.Fatal(err)
	}
	// The same content saved again is another file: it is being worked on.
	handmade(t, b.dir, zipPart{"xl/worksheets/sheet1.xml", sheetXML(`<sheetData><row r="2"><c r="B2"><v>9</v></c></row></sheetData>`)})
	before := fileHash(t, b.path())
	g := table(line(checksum.Num(1)))
	_, err := hosttest.Write(s, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent()})
	var fault *placements.Fault
	if !errors.As(err, &fault) || fault.Class != placements.Transient {
		t.Errorf("Write: %v, want a transient fault", err)
	}
	if fileHash(t, b.path()) != before {
		t.Error("the file changed")
	}
}

const crashDir = "MOORING_XLSX_CRASH_DIR"

// TestCrashProcess is the process that TestSurvivesKills kills: it writes one number to all cells, then the next, for ever.
func TestCrashProcess(t *testing.T) {
	dir := os.Getenv(crashDir)
	if dir == "" {
		t.Skip("TestSurvivesKills runs this")
	}
	b := openBook(t, dir, "book.xlsx")
	for n := 1.0; ; n++ {
		b.mustPut(t, crashRows(n)...)
		os.Stdout.WriteString(".")
	}
}

func crashRows(n float64) [][]checksum.Cell {
	rows := make([][]checksum.Cell, 500)
	for i := range rows {
		rows[i] = line(checksum.Num(n), checksum.Str(strings.Repeat("x", 50)), checksum.Num(n))
	}
	return rows
}

func TestSurvivesKills(t *testing.T) {
	kills := 60
	if testing.Short() {
		kills = 10
	}
	b := newBook(t)
	b.mustPut(t, crashRows(0)...)
	for kill := range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrashProcess$")
		cmd.Env = append(os.Environ(), crashDir+"="+b.dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// One write done, the next has begun: it is killed a little further on each time.
		done := make([]byte, 1+kill%3)
		if _, err := io.ReadFull(out, done); err != nil || strings.Trim(string(done), ".") != "" {
			t.Fatalf("the process said %q (%v), not that it had written", done, err)
		}
		for spin := time.Now(); time.Since(spin) < time.Duration(kill)*97*time.Microsecond; {
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		wantWhole(t, b)
	}
	unfinished, _ := filepath.Glob(filepath.Join(b.dir, ".~mooring-*.tmp"))
	t.Logf("%d of %d kills came in the middle of a write", len(unfinished), kills)
}

// wantWhole checks that the file is one state in full: every cell has the same number.
func wantWhole(t *testing.T, b *bookPart) {
	t.Helper()
	v := b.read(t, 0, 0)
	if want := (checksum.Extent{Rows: 500, Columns: 3}); !v.Marked || v.Extent != want {
		t.Fatalf("marked %t, %+v", v.Marked, v.Extent)
	}
	first := v.Cells.Cells(0, nil)[0]
	for i := range v.Cells.Rows() {
		cells := v.Cells.Cells(i, nil)
		if cells[0] != first || cells[2] != first {
			t.Fatalf("row %d holds %v and %v, row 0 %v", i, cells[0], cells[2], first)
		}
	}
}
