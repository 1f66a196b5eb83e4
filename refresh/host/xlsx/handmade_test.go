package xlsx_test

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/xlsx"
)

const (
	mainNS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relNS  = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

// handmade is a workbook written by hand, so that it can hold what no library writes. Parts may replace its own or add to them.
func handmade(t testing.TB, dir string, parts ...zipPart) {
	t.Helper()
	all := []zipPart{
		{
			"[Content_Types].xml",
			`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
		},
		{
			"_rels/.rels",
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + relNS + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		},
		{
			"xl/_rels/workbook.xml.rels",
			relationships(`<Relationship Id="rId1" Type="` + relNS + `/worksheet" Target="worksheets/sheet1.xml"/>`),
		},
		{"xl/workbook.xml", workbookXML("")},
		{"xl/worksheets/sheet1.xml", sheetXML("<sheetData/>")},
	}
	for _, p := range parts {
		replaced := false
		for i := range all {
			if all[i].name == p.name {
				all[i], replaced = p, true
			}
		}
		if !replaced {
			all = append(all, p)
		}
	}
	f, err := os.Create(filepath.Join(dir, "book.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zw := zip.NewWriter(f)
	for _, p := range all {
		w, err := zw.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, p.doc); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
}

func workbookXML(behindSheets string) string {
	return `<workbook xmlns="` + mainNS + `" xmlns:r="` + relNS + `"><sheets><sheet name="Sheet1" sheetId="7" r:id="rId1"/></sheets>` + behindSheets + `</workbook>`
}

func sheetXML(inside string) string {
	return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" + `<worksheet xmlns="` + mainNS + `" xmlns:r="` + relNS + `">` + inside + `</worksheet>`
}

func relationships(more string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + more + `</Relationships>`
}

// bookPart is a document of one folder, read and written through the host.
type bookPart struct {
	dir   string
	host  *xlsx.Folder
	block host.Block
}

// newBook makes a handmade workbook with a block at B2.
func newBook(t testing.TB, parts ...zipPart) *bookPart {
	t.Helper()
	dir := t.TempDir()
	handmade(t, dir, parts...)
	return openBook(t, dir, "book.xlsx")
}

func openBook(t testing.TB, dir, document string) *bookPart {
	t.Helper()
	x, err := xlsx.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &bookPart{dir, x, host.Block{Document: document, PlacementID: "p1", Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 1}}}
}

func (b *bookPart) path() string { return filepath.Join(b.dir, filepath.FromSlash(b.block.Document)) }

func (b *bookPart) read(t testing.TB, rows, columns int) host.View {
	t.Helper()
	v, err := hosttest.ReadBlock(b.host, b.block, checksum.Extent{Rows: rows, Columns: columns})
	if err != nil {
		t.Fatalf("Read: %v (%v)", err, unwrap(err))
	}
	return v
}

// put writes all of a table at the block's anchor.
func (b *bookPart) put(t testing.TB, rows ...[]checksum.Cell) error {
	t.Helper()
	g := table(rows...)
	_, err := hosttest.WritePatch(b.host, host.Patch{Block: b.block, Grid: g, Rows: []checksum.Span{{From: 0, To: g.Rows()}}, Extent: g.Extent()})
	return err
}

func (b *bookPart) mustPut(t testing.TB, rows ...[]checksum.Cell) {
	t.Helper()
	if err := b.put(t, rows...); err != nil {
		t.Fatalf("Write: %v (%v)", err, unwrap(err))
	}
}

// part is the text of a part of the file, empty if there is none.
func (b *bookPart) part(t testing.TB, name string) string {
	t.Helper()
	for _, p := range readParts(t, b.path()) {
		if p.name == name {
			return p.doc
		}
	}
	return ""
}

// rowsOf cuts what stands inside sheetData out of the sheet.
func (b *bookPart) rowsOf(t testing.TB) string {
	t.Helper()
	_, inside, _ := strings.Cut(b.part(t, "xl/worksheets/sheet1.xml"), "<sheetData>")
	inside, _, _ = strings.Cut(inside, "</sheetData>")
	return inside
}

func table(rows ...[]checksum.Cell) *checksum.Grid {
	var b checksum.Builder
	for _, r := range rows {
		b.Append(r...)
	}
	return b.Grid()
}

func line(cells ...checksum.Cell) []checksum.Cell { return cells }

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return nil
}
