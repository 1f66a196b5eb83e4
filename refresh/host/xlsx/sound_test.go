package xlsx_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/workbook"
)

// TestTakesSoundFilesThatLookDamaged writes a block at B2 into files that no library writes and spreadsheet programs read: it must come
// out as put in, beside an é in D2 that stays.
func TestTakesSoundFilesThatLookDamaged(t *testing.T) {
	const rows = `<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="D2" t="inlineStr"><is><t>é</t></is></c></row>`
	sheet := func(head, rows string) zipPart {
		return zipPart{
			"xl/worksheets/sheet1.xml",
			head + `<worksheet xmlns="` + mainNS + `"><sheetData>` + rows + `</sheetData></worksheet>`,
		}
	}
	latin1 := strings.ReplaceAll(rows, "é", "\xE9")
	for name, part := range map[string]zipPart{
		"a declaration UTF8":                sheet(`<?xml version="1.0" encoding="UTF8"?>`, rows),
		"ISO-8859-1":                        sheet(`<?xml version='1.0' encoding='ISO-8859-1'?>`, latin1),
		"latin1, another name for it":       sheet(`<?xml version="1.0" encoding="latin1"?>`, latin1),
		"Windows-1252":                      sheet(`<?xml version="1.0" encoding="windows-1252"?>`, latin1),
		"UTF-16 with a mark, little-endian": asUTF16(binary.LittleEndian, "\uFEFF", sheet(`<?xml version="1.0" encoding="UTF-16"?>`, rows)),
		"UTF-16 with a mark, big-endian":    asUTF16(binary.BigEndian, "\uFEFF", sheet("", rows)),
		"UTF-16 without a mark":             asUTF16(binary.LittleEndian, "", sheet(`<?xml version="1.0" encoding="utf-16"?>`, rows)),
		"UTF-16 only by name":               sheet(`<?xml version="1.0" encoding="utf-16"?>`, rows),
		"lower-case references": sheet("",
			`<row r="1"><c r="a1"><v>1</v></c></row><row r="2"><c r="b2"><v>3</v></c><c r="D2" t="inlineStr"><is><t>é</t></is></c></row>`),
		"rows out of order": sheet("",
			`<row r="2"><c r="D2" t="inlineStr"><is><t>é</t></is></c></row><row r="9"/><row r="1"><c r="A1"><v>1</v></c></row>`),
		"cells out of order": sheet("",
			`<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="D2" t="inlineStr"><is><t>é</t></is></c><c r="B2"/><c r="C2"><v>3</v></c></row>`),
		"out of order without references": sheet("",
			`<row r="2"><c/><c/><c/><c t="inlineStr"><is><t>é</t></is></c></row><row r="1"><c><v>1</v></c></row>`),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, part)
			b.read(t, 9, 9)
			b.mustPut(t, line(checksum.Str("ü"), checksum.Num(2)), line(checksum.Num(3)))
			wantAround(t, b)
		})
	}
}

// wantAround checks the cells that TestTakesSoundFilesThatLookDamaged has, through the host and another library.
func wantAround(t *testing.T, b *bookPart) {
	t.Helper()
	all := b.block
	all.PlacementID, all.Anchor = "other", placements.Anchor{}
	v, err := hosttest.ReadBlock(b.host, all, checksum.Extent{Rows: 3, Columns: 4})
	if err != nil {
		t.Fatalf("Read: %v (%v)", err, unwrap(err))
	}
	empty := checksum.Cell{}
	want := [][]checksum.Cell{{checksum.Num(1)}, {empty, checksum.Str("ü"), checksum.Num(2), checksum.Str("é")}, {empty, checksum.Num(3)}}
	for i, row := range want {
		if diff := cmp.Diff(row, v.Cells.Cells(i, nil)); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i+1, diff)
		}
	}
	if got, _ := (workbook.Editor{Path: b.path()}).Get(t, "Sheet1", "D2"); got != checksum.Str("é") {
		t.Errorf("another library reads %v in D2, want é", got)
	}
}

func asUTF16(order binary.AppendByteOrder, mark string, p zipPart) zipPart {
	var b []byte
	for _, unit := range utf16.Encode([]rune(mark + p.doc)) {
		b = order.AppendUint16(b, unit)
	}
	return zipPart{p.name, string(b)}
}

func TestTakesAWholeWorkbookInUTF16(t *testing.T) {
	b := newBook(t, asUTF16(binary.LittleEndian, "\uFEFF", zipPart{"xl/workbook.xml", `<?xml version="1.0" encoding="UTF-16" standalone="yes"?>` + workbookXML("")}),
		asUTF16(binary.BigEndian, "\uFEFF", zipPart{"_rels/.rels", relationships(`<Relationship Id="rId1" Type="` + relNS + `/officeDocument" Target="xl/workbook.xml"/>`)}))
	b.mustPut(t, line(checksum.Num(1)))
	if got, want := b.part(t, "xl/workbook.xml"), `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><workbook`; !strings.HasPrefix(got, want) {
		t.Errorf("the workbook begins with %.80q, want %q", got, want)
	}
	if !b.read(t, 1, 1).Marked {
		t.Error("the marker is lost")
	}
}

// TestKeepsFolderEntries writes a file with folder entries as some programs pack them: deflated, two bytes of nothing.
func TestKeepsFolderEntries(t *testing.T) {
	b := newBook(t)
	var file bytes.Buffer
	zw := zip.NewWriter(&file)
	r, err := zip.OpenReader(b.path())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := zw.CreateRaw(&zip.FileHeader{Name: "xl/X", Method: zip.Deflate, CompressedSize64: 2})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = raw.Write([]byte{3, 0})
	for _, f := range r.File {
		if err := zw.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	writeFile(t, b.path(), bytes.ReplaceAll(file.Bytes(), []byte("xl/X"), []byte("xlX/")))
	b.mustPut(t, line(checksum.Num(1)))
	after := packed(t, b.path())
	if content, ok := after["xlX/"]; !ok || content != "" {
		t.Errorf("the folder's entry: %t, %q; want it, empty", ok, content)
	}
	b.read(t, 1, 1)
}

func TestFindsPartsWrittenWithBackslashes(t *testing.T) {
	b := newBook(t)
	content, err := os.ReadFile(b.path())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/workbook.xml", "xl/worksheets/sheet1.xml"} {
		content = bytes.ReplaceAll(content, []byte(name), []byte(strings.ReplaceAll(name, "/", `\`)))
	}
	writeFile(t, b.path(), content)
	b.mustPut(t, line(checksum.Num(1)))
	if v := b.read(t, 1, 1); !v.Marked {
		t.Error("the marker is lost")
	}
}

// TestPartsWhoseNamesDifferByCase has two sheets in parts of one name but for case: a report goes into its own.
func TestPartsWhoseNamesDifferByCase(t *testing.T) {
	for _, sheet := range []string{"Sheet1", "Two"} {
		t.Run(sheet, func(t *testing.T) {
			b := newBook(t,
				zipPart{"xl/worksheets/Sheet1.xml", sheetXML(`<sheetData><row r="9"><c r="A9"><v>2</v></c></row></sheetData>`)},
				zipPart{
					"xl/_rels/workbook.xml.rels",
					relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>` +
						`<Relationship Id="rId2" Type="` + relNS + `/worksheet" Target="worksheets/Sheet1.xml"/>`),
				},
				zipPart{"xl/workbook.xml", strings.Replace(workbookXML(""), "</sheets>", `<sheet name="Two" sheetId="9" r:id="rId2"/></sheets>`, 1)})
			b.block.Sheet = sheet
			b.mustPut(t, line(checksum.Str("mine")))
			want := map[string]bool{"xl/worksheets/sheet1.xml": sheet == "Sheet1", "xl/worksheets/Sheet1.xml": sheet == "Two"}
			for part, mine := range want {
				if got := b.part(t, part); strings.Contains(got, "mine") != mine {
					t.Errorf("%s = %s, want the report in it: %t", part, got, mine)
				}
			}
		})
	}
}

// TestWritesStylesWhereThereIsNoList writes a date with its format in styles parts without cellXfs.
func TestWritesStylesWhereThereIsNoList(t *testing.T) {
	const head = `<styleSheet xmlns="` + mainNS + `">`
	const formats = `<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/></numFmts>`
	const styles = `<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs>`
	for name, test := range map[string]struct{ before, after string }{
		"before what comes behind it": {
			head + `<fonts/><dxfs count="0"/></styleSheet>`,
			head + formats + `<fonts/>` + styles + `<dxfs count="0"/></styleSheet>`,
		},
		"at the end": {head + `<fonts/></styleSheet>`, head + formats + `<fonts/>` + styles + `</styleSheet>`},
		"alone":      {head + `</styleSheet>`, head + formats + styles + `</styleSheet>`},
		"in place of an empty list": {
			head + `<cellXfs count="0"/><dxfs/></styleSheet>`,
			head + formats + styles + `<dxfs/></styleSheet>`,
		},
		"in a list without entries": {head + `<cellXfs></cellXfs></styleSheet>`, head + formats + styles + `</styleSheet>`},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)}, zipPart{"xl/styles.xml", test.before})
			putDates(t, b, "yyyy-mm-dd")
			if diff := cmp.Diff(test.after, b.part(t, "xl/styles.xml")); diff != "" {
				t.Errorf("styles (-want +got):\n%s", diff)
			}
			if got := b.rowsOf(t); !strings.Contains(got, `<c r="B3" s="1"><v>45000</v></c>`) {
				t.Errorf("rows = %s, want B3 in style 1", got)
			}
		})
	}
	t.Run("in an empty part", func(t *testing.T) {
		b := newBook(t, zipPart{"xl/_rels/workbook.xml.rels", relationships(stylesRels)},
			zipPart{"xl/styles.xml", `<styleSheet xmlns="` + mainNS + `"/>`})
		putDates(t, b, "yyyy-mm-dd")
		if format := (workbook.Editor{Path: b.path()}).NumberFormat(t, "Sheet1", "B3"); format != "yyyy-mm-dd" {
			t.Errorf("number format %q", format)
		}
	})
}

// TestFindsItsFolderAnew replaces a folder by another while a host has it: the report goes into the one that stands there now.
func TestFindsItsFolderAnew(t *testing.T) {
	parent := t.TempDir()
	dir, away := filepath.Join(parent, "sheets"), filepath.Join(parent, "away")
	swap := func() {
		if err := os.Rename(dir, away); err != nil {
			t.Fatal(err)
		}
		mkdir(t, dir)
		handmade(t, dir)
	}
	mkdir(t, dir)
	handmade(t, dir)
	b := openBook(t, dir, "book.xlsx")
	b.mustPut(t, line(checksum.Str("first")))
	swap()
	b.mustPut(t, line(checksum.Str("second")))
	if got := b.rowsOf(t); !strings.Contains(got, "second") {
		t.Errorf("the file that stands there holds %s, want second", got)
	}

	s := hosttest.Open(t, b.host, "book.xlsx")
	if _, err := hosttest.Read(s, b.block, checksum.Extent{Rows: 1, Columns: 1}); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(away); err != nil {
		t.Fatal(err)
	}
	swap()
	before := fileHash(t, filepath.Join(away, "book.xlsx"))
	g := table(line(checksum.Str("third")))
	_, err := hosttest.Write(s, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: 1}}, Extent: g.Extent()})
	if fault := hosttest.WantFault(t, err, placements.Transient); !strings.Contains(fault.Message, "moved away") {
		t.Errorf("message %q, want it to say that the file was moved away", fault.Message)
	}
	if fileHash(t, filepath.Join(away, "book.xlsx")) != before {
		t.Error("the file in the folder moved away was written")
	}
}
