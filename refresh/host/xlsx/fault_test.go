package xlsx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/xlsx"
)

func TestFaultsNameTheDocumentAndNoPath(t *testing.T) {
	rels := func(kind, target string) zipPart {
		return zipPart{
			"xl/_rels/workbook.xml.rels",
			relationships(`<Relationship Id="rId1" Type="` + relNS + "/" + kind + `" Target="` + target + `"/>`),
		}
	}
	sheet := func(doc string) func(testing.TB, string) {
		return func(t testing.TB, dir string) { handmade(t, dir, zipPart{"xl/worksheets/sheet1.xml", doc}) }
	}
	raw := func(b []byte) func(testing.TB, string) {
		return func(t testing.TB, dir string) { writeFile(t, filepath.Join(dir, "book.xlsx"), b) }
	}
	cells := func(inside string) func(testing.TB, string) {
		return sheet(sheetXML("<sheetData>" + inside + "</sheetData>"))
	}
	for name, test := range map[string]struct {
		make     func(t testing.TB, dir string)
		class    placements.Class
		say      string
		onlyRead bool
	}{
		"no file": {func(testing.TB, string) {}, placements.Structure, "does not exist", false},
		"a folder": {
			func(t testing.TB, dir string) { mkdir(t, filepath.Join(dir, "book.xlsx")) }, placements.Structure,
			"not a file", false,
		},
		"an empty file":          {aged(raw(nil)), placements.Structure, "damaged", false},
		"a file just begun":      {raw(nil), placements.Transient, "is being copied", false},
		"no zip":                 {raw([]byte("hello")), placements.Structure, "damaged", false},
		"a zip cut short":        {aged(cutShort), placements.Structure, "damaged", false},
		"a zip half copied":      {cutShort, placements.Transient, "is being copied", false},
		"a zip half overwritten": {halfOverwritten, placements.Transient, "is being copied", false},
		"an old .xls":            {raw(compoundFile("Workbook")), placements.Structure, "old .xls format", false},
		"an encrypted workbook":  {raw(compoundFile("EncryptedPackage")), placements.Structure, "encrypted", false},
		"a zip of something else": {
			func(t testing.TB, dir string) { handmade(t, dir, zipPart{"_rels/.rels", relationships("")}) },
			placements.Structure, "not an .xlsx", false,
		},
		"a broken workbook part": {
			func(t testing.TB, dir string) { handmade(t, dir, zipPart{"xl/workbook.xml", "<workbook><sheets>"}) },
			placements.Structure, "damaged", false,
		},
		"a chart sheet": {
			func(t testing.TB, dir string) { handmade(t, dir, rels("chartsheet", "chartsheets/sheet1.xml")) },
			placements.Structure, `no worksheet "Sheet1"`, false,
		},
		"a sheet part that is gone": {
			func(t testing.TB, dir string) { handmade(t, dir, rels("worksheet", "worksheets/none.xml")) },
			placements.Structure, "damaged", false,
		},
		"a sheet cut short": {
			sheet(`<worksheet xmlns="` + mainNS + `"><sheetData><row r="1">`), placements.Structure, "damaged",
			false,
		},
		"tags that do not match": {cells(`<row r="2"><c r="B2"></row></c>`), placements.Structure, "damaged", false},
		"a document type": {
			sheet(`<!DOCTYPE x [<!ENTITY a "b">]><worksheet xmlns="` + mainNS + `"><sheetData/></worksheet>`),
			placements.Structure, "damaged", false,
		},
		"UTF-16 cut short":         {sheet("\xff\xfe<\x00w\x00"), placements.Structure, "damaged", false},
		"an encoding nobody knows": {sheet(`<?xml version="1.0" encoding="klingon"?><worksheet xmlns="` + mainNS + `"><sheetData/></worksheet>`), placements.Structure, "damaged", false},
		"a number that is none":    {cells(`<row r="2"><c r="B2"><v>one</v></c></row>`), placements.Structure, "damaged", true},
		"a row that stands twice":  {cells(`<row r="2"/><row r="1"/><row r="2"/>`), placements.Structure, "damaged", false},
		"a cell that stands twice": {cells(`<row r="2"><c r="B2"/><c r="B2"/></row>`), placements.Structure, "damaged", false},
		"no such shared string":    {cells(`<row r="2"><c r="B2" t="s"><v>3</v></c></row>`), placements.Structure, "damaged", true},
		"open in Excel":            {besides("~$book.xlsx"), placements.Transient, "is open in a spreadsheet program", false},
		"open in LibreOffice":      {besides(".~lock.book.xlsx#"), placements.Transient, "is open in a spreadsheet program", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			test.make(t, dir)
			b := openBook(t, dir, "book.xlsx")
			_, readErr := hosttest.ReadBlock(b.host, b.block, checksum.Extent{Rows: 3, Columns: 3})
			g := table(line(checksum.Num(1)))
			_, writeErr := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent()})
			for _, err := range []error{readErr, writeErr} {
				if err == nil && test.onlyRead {
					continue // a write does not look at what it replaces
				}
				var fault *placements.Fault
				if !errors.As(err, &fault) || fault.Class != test.class {
					t.Fatalf("got %v (%v), want a %s fault", err, unwrap(err), test.class)
				}
				if !strings.Contains(fault.Message, test.say) || !strings.Contains(fault.Message, `"book.xlsx"`) {
					t.Errorf("%q: want it to name the document and say %q", fault.Message, test.say)
				}
				if strings.Contains(fault.Message, dir) {
					t.Errorf("%q shows the folder", fault.Message)
				}
			}
		})
	}
}

func TestPathsNeverLeaveTheFolder(t *testing.T) {
	outside := t.TempDir()
	handmade(t, outside)
	dir := filepath.Join(outside, "sheets")
	mkdir(t, dir)
	mkdir(t, filepath.Join(dir, "sub"))
	handmade(t, filepath.Join(dir, "sub"))
	for link, target := range map[string]string{
		"absolute.xlsx": filepath.Join(outside, "book.xlsx"), "up.xlsx": "../book.xlsx", "updir": "..", "loop.xlsx": "loop.xlsx",
		"inside.xlsx": "sub/book.xlsx", "again.xlsx": "inside.xlsx", "subdir": "sub",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for document, good := range map[string]bool{
		"sub/book.xlsx": true, "inside.xlsx": true, "again.xlsx": true, "subdir/book.xlsx": true,
		"": false, ".": false, "..": false, "../book.xlsx": false, "sub/../../book.xlsx": false, "/etc/passwd": false,
		"sub/./book.xlsx": false,
		`..\book.xlsx`:    false, `sub\book.xlsx`: false, "sub//book.xlsx": false, "absolute.xlsx": false, "up.xlsx": false,
		"updir/book.xlsx": false,
		"loop.xlsx":       false, "sub/book.xlsx/x": false, "book.xlsx\x00": false, strings.Repeat("x", 300): false,
		filepath.Join(outside, "book.xlsx"): false,
	} {
		t.Run(document, func(t *testing.T) {
			b := openBook(t, dir, document)
			err := b.put(t, line(checksum.Str("new")))
			if good {
				if err != nil {
					t.Fatalf("Write: %v (%v)", err, unwrap(err))
				}
				return
			}
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Structure {
				t.Errorf("Write: %v, want a structure fault", err)
			}
		})
	}
	if info, err := os.Lstat(filepath.Join(dir, "again.xlsx")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info, err)
	}
	if got := openBook(t, filepath.Join(dir, "sub"), "book.xlsx").read(t, 1, 1).Cells.Cells(0, nil); len(got) != 1 || got[0].Text != "new" {
		t.Errorf("the file behind the links holds %v", got)
	}
}

// TestBoundsWhatAFileUnpacksTo reads parts that are small as packed and large beyond all use.
func TestBoundsWhatAFileUnpacksTo(t *testing.T) {
	huge := strings.Repeat(" ", 65<<20)
	for name, part := range map[string]zipPart{
		"a part held whole": {"xl/workbook.xml", workbookXML(huge)},
		"one token":         {"xl/worksheets/sheet1.xml", sheetXML("<sheetData>" + huge + "</sheetData>")},
		"deep nesting":      {"xl/worksheets/sheet1.xml", sheetXML(strings.Repeat("<a>", 1000))},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, part)
			_, err := hosttest.ReadBlock(b.host, b.block, checksum.Extent{Rows: 1, Columns: 1})
			var fault *placements.Fault
			if !errors.As(err, &fault) || fault.Class != placements.Structure {
				t.Errorf("Read: %v, want a structure fault", err)
			}
		})
	}
}

func TestRefusesWhatACellCannotHold(t *testing.T) {
	dates1904 := zipPart{"xl/workbook.xml", strings.Replace(workbookXML(""), "<sheets>", `<workbookPr date1904="1"/><sheets>`, 1)}
	for name, test := range map[string]struct {
		parts []zipPart
		patch func(p *host.Patch)
		class placements.Class // empty: it is written
	}{
		"text of 32,768 characters": {patch: func(p *host.Patch) {
			p.Grid = table(line(checksum.Str(strings.Repeat("é", 32_768))))
		}, class: placements.Permanent},
		"text of 32,767 characters": {patch: func(p *host.Patch) {
			p.Grid = table(line(checksum.Str(strings.Repeat("é", 32_767))))
		}},
		"rows below the last one": {
			patch: func(p *host.Patch) { p.Block.Anchor.Row = placements.MaxRow; p.Extent.Rows = 2 },
			class: placements.Structure,
		},
		"columns beyond the last one": {
			patch: func(p *host.Patch) { p.Block.Anchor.Column = placements.MaxColumn; p.Extent.Columns = 2 },
			class: placements.Structure,
		},
		"the last cell of all": {patch: func(p *host.Patch) {
			p.Block.Anchor = placements.Anchor{Row: placements.MaxRow, Column: placements.MaxColumn}
		}},
		"dates where they count from 1904": {
			parts: []zipPart{dates1904},
			patch: func(p *host.Patch) { p.Formats = []string{"yyyy-mm-dd"} }, class: placements.Structure,
		},
		"numbers where dates are counted from 1904": {
			parts: []zipPart{dates1904},
			patch: func(p *host.Patch) { p.Formats = []string{`0.00 "days"`} },
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, test.parts...)
			p := host.Patch{
				Block: b.block, Grid: table(line(checksum.Num(1))), Rows: []checksum.Span{{From: 0, To: 1}},
				Extent: checksum.Extent{Rows: 1, Columns: 1},
			}
			test.patch(&p)
			_, err := hosttest.WritePatch(b.host, p)
			var fault *placements.Fault
			if test.class == "" && err != nil || test.class != "" && (!errors.As(err, &fault) || fault.Class != test.class) {
				t.Errorf("Write: %v (%v), want class %q", err, unwrap(err), test.class)
			}
		})
	}
}

func TestRefusesMoves(t *testing.T) {
	b := newBook(t)
	_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Moves: []checksum.RowMove{{From: 1, Rows: 1, To: 3}}})
	if err == nil || b.host.CanMove() {
		t.Errorf("Write: %v, CanMove %t", err, b.host.CanMove())
	}
}

func TestCheckSeesAFolderThatWent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sheets")
	mkdir(t, dir)
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Check(t.Context()); err != nil {
		t.Errorf("Check: %v", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	var fault *placements.Fault
	if err := x.Check(t.Context()); !errors.As(err, &fault) || strings.Contains(fault.Message, dir) {
		t.Errorf("Check: %v, want a fault without the folder", err)
	}
}

func mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func cutShort(t testing.TB, dir string) {
	handmade(t, dir)
	path := filepath.Join(dir, "book.xlsx")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, b[:len(b)/2])
}

// aged makes a file that was last changed an hour ago.
func aged(of func(testing.TB, string)) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		of(t, dir)
		hour := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(dir, "book.xlsx"), hour, hour); err != nil {
			t.Fatal(err)
		}
	}
}

// halfOverwritten is a file over which another was copied in place so far that the directory of the old one still stands at its end.
func halfOverwritten(t testing.TB, dir string) {
	handmade(t, dir)
	path := filepath.Join(dir, "book.xlsx")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := len("PK\x03\x04"); i < len(b)/2; i++ {
		b[i] = 0
	}
	writeFile(t, path, b)
}

// besides makes a sound workbook and a file beside it.
func besides(name string) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		handmade(t, dir)
		writeFile(t, filepath.Join(dir, name), nil)
	}
}

// compoundFile is the beginning of an OLE compound file whose directory has one stream.
func compoundFile(stream string) []byte {
	b := make([]byte, 8<<10)
	copy(b, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	binary.LittleEndian.PutUint32(b[48:], 2)
	var name bytes.Buffer
	for _, c := range stream {
		name.Write([]byte{byte(c), 0})
	}
	copy(b[3*512:], name.Bytes())
	return b
}

// A folder may be readable and still take no files: /proc is one that even root cannot write to.
func TestCheckWritesToTheFolder(t *testing.T) {
	dir := t.TempDir()
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
	if x, err = xlsx.New("/proc"); err != nil {
		t.Skip(err)
	}
	var fault *placements.Fault
	if err := x.Check(t.Context()); !errors.As(err, &fault) || fault.Class != placements.Auth || !strings.Contains(fault.Message, "let the service write") {
		t.Errorf("a folder that takes no files: %v", err)
	}
}
