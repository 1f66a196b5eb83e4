package xlsx_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/xlsx"
)

func TestConformance(t *testing.T) {
	hosttest.Run(t, func(t *testing.T) hosttest.Spreadsheet {
		dir := t.TempDir()
		path := filepath.Join(dir, "report.xlsx")
		f := excelize.NewFile()
		if _, err := f.NewSheet("Other"); err != nil {
			t.Fatal(err)
		}
		if err := f.SaveAs(path); err != nil {
			t.Fatal(err)
		}
		x, err := xlsx.New(dir)
		if err != nil {
			t.Fatal(err)
		}
		return hosttest.Spreadsheet{
			Host: x, Document: "report.xlsx", Sheet: "Sheet1", Other: "Other", Editor: excelEditor{path},
			State:      func(t testing.TB) string { return fileHash(t, path) },
			SeesMerges: true,
			Count1904: func(t testing.TB) {
				rewritePart(t, path, "xl/workbook.xml", func(doc string) string {
					return strings.Replace(doc, "<workbookPr", `<workbookPr date1904="1"`, 1)
				})
			},
			Deny: func(t testing.TB) {
				if err := os.Chmod(path, 0o444); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

func fileHash(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// excelEditor edits a file through excelize, which shares no code with the host.
type excelEditor struct{ path string }

// edit opens the file, acts on it and saves it.
func (e excelEditor) edit(t testing.TB, act func(f *excelize.File) error) {
	t.Helper()
	f, err := excelize.OpenFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := act(f); err != nil {
		t.Fatal(err)
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

func (e excelEditor) Set(t testing.TB, sheet, cell string, c checksum.Cell) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error { return setExcelCell(f, sheet, cell, c) })
}

func setExcelCell(f *excelize.File, sheet, cell string, c checksum.Cell) error {
	switch c.Kind {
	case checksum.Number:
		return f.SetCellFloat(sheet, cell, c.Number, -1, 64)
	case checksum.Text:
		return f.SetCellStr(sheet, cell, c.Text)
	case checksum.True, checksum.False:
		return f.SetCellBool(sheet, cell, c.Kind == checksum.True)
	}
	return f.SetCellValue(sheet, cell, nil)
}

// SetFormula corrects the cell's type afterwards: the library saves every formula as one that returns text.
func (e excelEditor) SetFormula(t testing.TB, sheet, cell, formula string, shows checksum.Cell) {
	t.Helper()
	part := ""
	e.edit(t, func(f *excelize.File) error {
		if err := setExcelCell(f, sheet, cell, shows); err != nil {
			return err
		}
		index, err := f.GetSheetIndex(sheet)
		part = fmt.Sprintf("xl/worksheets/sheet%d.xml", index+1)
		if err != nil {
			return err
		}
		return f.SetCellFormula(sheet, cell, formula)
	})
	kind := map[checksum.CellKind]string{checksum.Text: "str", checksum.True: "b", checksum.False: "b", checksum.Error: "e"}[shows.Kind]
	if kind == "" {
		kind = "n"
	}
	tag := regexp.MustCompile(`(<c r="` + cell + `"[^>]*) t="str"`)
	rewritePart(t, e.path, part, func(doc string) string {
		doc = tag.ReplaceAllString(doc, `${1} t="`+kind+`"`)
		if shows.Kind != checksum.Error {
			return doc
		}
		return regexp.MustCompile(`(<c r="`+cell+`"[^>]*><f>[^<]*</f>)(<v></v>)?`).ReplaceAllString(doc, "${1}<v>"+shows.Text+"</v>")
	})
}

// rewritePart changes one part of a file as packed text, without any library that knows the format.
func rewritePart(t testing.TB, path, part string, change func(string) string) {
	t.Helper()
	parts := readParts(t, path)
	var out bytes.Buffer
	zw := zip.NewWriter(&out)
	for _, p := range parts {
		if p.name == part {
			p.doc = change(p.doc)
		}
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
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// zipPart is one part of a file, unpacked.
type zipPart struct{ name, doc string }

func readParts(t testing.TB, path string) []zipPart {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var parts []zipPart
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, zipPart{f.Name, string(doc)})
	}
	return parts
}

func (e excelEditor) Get(t testing.TB, sheet, cell string) (c checksum.Cell, formula string) {
	t.Helper()
	f, err := excelize.OpenFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	value, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	kind, err := f.GetCellType(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	if formula, err = f.GetCellFormula(sheet, cell); err != nil {
		t.Fatal(err)
	}
	return excelValue(t, kind, value), formula
}

func excelValue(t testing.TB, kind excelize.CellType, value string) checksum.Cell {
	switch kind {
	case excelize.CellTypeBool:
		return checksum.Bool(value == "1" || value == "TRUE")
	case excelize.CellTypeError:
		return checksum.Err(value)
	case excelize.CellTypeSharedString, excelize.CellTypeInlineString:
		return checksum.Str(value)
	}
	if value == "" {
		return checksum.Cell{}
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		t.Fatalf("cell of type %d holds %q", kind, value)
	}
	return checksum.Num(v)
}

func (e excelEditor) NumberFormat(t testing.TB, sheet, cell string) string {
	t.Helper()
	f, err := excelize.OpenFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	id, err := f.GetCellStyle(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	style, err := f.GetStyle(id)
	if err != nil {
		t.Fatal(err)
	}
	if style.CustomNumFmt == nil {
		return ""
	}
	return *style.CustomNumFmt
}

func (e excelEditor) SetNumberFormat(t testing.TB, sheet, cell, format string) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error {
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		if err != nil {
			return err
		}
		return f.SetCellStyle(sheet, cell, cell, style)
	})
}

func (e excelEditor) InsertRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error { return f.InsertRows(sheet, row, n) })
}

func (e excelEditor) InsertColumns(t testing.TB, sheet, column string, n int) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error { return f.InsertCols(sheet, column, n) })
}

func (e excelEditor) DeleteColumns(t testing.TB, sheet, column string, n int) {
	t.Helper()
	refs := e.refs(t)
	e.edit(t, func(f *excelize.File) error {
		for range n {
			if err := f.RemoveCol(sheet, column); err != nil {
				return err
			}
		}
		return nil
	})
	from, err := placements.ParseAnchor(column + "1")
	if err != nil {
		t.Fatal(err)
	}
	e.setRefs(t, sheet, refs, func(l placements.Location) (placements.Location, bool) {
		l.Anchor.Column, l.Columns = without(l.Anchor.Column, l.Columns, from.Column, n)
		return l, l.Columns > 0
	})
}

// without is where a run of lines is once some are deleted, and how many of its own are left.
func without(first, count, from, n int) (int, int) {
	gone := func(to int) int { return max(0, min(to, from+n)-from) }
	left := first - gone(first)
	return left, first + count - gone(first+count) - left
}

var nameElement = regexp.MustCompile(`(<definedName [^>]*>)([^<]*)<`)

// refs are what the names of the workbook refer to, in their order.
func (e excelEditor) refs(t testing.TB) (list []string) {
	t.Helper()
	for _, p := range readParts(t, e.path) {
		if p.name == "xl/workbook.xml" {
			for _, m := range nameElement.FindAllStringSubmatch(p.doc, -1) {
				list = append(list, strings.ReplaceAll(m[2], "&#39;", "'"))
			}
		}
	}
	return list
}

// setRefs has the names refer to what became of their cells, as Excel does: those of a sheet are moved.
func (e excelEditor) setRefs(t testing.TB, sheet string, refs []string, moved func(placements.Location) (placements.Location, bool)) {
	t.Helper()
	rewritePart(t, e.path, "xl/workbook.xml", func(doc string) string {
		return nameElement.ReplaceAllStringFunc(doc, func(element string) string {
			ref := refs[0]
			refs = refs[1:]
			if l, err := placements.ParseLocation(ref); err == nil && l.Sheet == sheet {
				if to, ok := moved(l); ok {
					ref = host.Reference(to.Sheet, to.Anchor, checksum.Extent{Rows: to.Rows, Columns: to.Columns})
				} else {
					ref = "#REF!"
				}
			}
			return element[:strings.Index(element, ">")+1] + ref + "<"
		})
	})
}

func (e excelEditor) Merge(t testing.TB, sheet, area string) {
	t.Helper()
	from, to, _ := strings.Cut(area, ":")
	e.edit(t, func(f *excelize.File) error { return f.MergeCell(sheet, from, to) })
}

// CopySheet gives the copy names of its own, as Excel does.
func (e excelEditor) CopySheet(t testing.TB, sheet, as string) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error {
		from, err := f.GetSheetIndex(sheet)
		if err != nil {
			return err
		}
		to, err := f.NewSheet(as)
		if err != nil {
			return err
		}
		if err := f.CopySheet(from, to); err != nil {
			return err
		}
		for _, n := range f.GetDefinedName() {
			l, err := placements.ParseLocation(n.RefersTo)
			if err != nil || l.Sheet != sheet {
				continue
			}
			own := &excelize.DefinedName{Name: n.Name, Scope: as, RefersTo: host.Reference(as, l.Anchor, checksum.Extent{Rows: l.Rows, Columns: l.Columns})}
			if err := f.SetDefinedName(own); err != nil {
				return err
			}
		}
		return nil
	})
}

// Cut moves values, and lets the names of cells that are cut follow, as Excel does.
func (e excelEditor) Cut(t testing.TB, sheet, area, on, cell string) {
	t.Helper()
	from, err := placements.ParseLocation(area)
	if err != nil {
		t.Fatal(err)
	}
	to, err := placements.ParseAnchor(cell)
	if err != nil {
		t.Fatal(err)
	}
	down, right := to.Row-from.Anchor.Row, to.Column-from.Anchor.Column
	e.edit(t, func(f *excelize.File) error {
		for i := range from.Rows * from.Columns {
			a := placements.Anchor{Row: from.Anchor.Row + i/from.Columns, Column: from.Anchor.Column + i%from.Columns}
			text, err := f.GetCellValue(sheet, a.String())
			if err == nil {
				err = f.SetCellValue(sheet, a.String(), nil)
			}
			if err == nil && text != "" {
				err = f.SetCellStr(on, placements.Anchor{Row: a.Row + down, Column: a.Column + right}.String(), text)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	e.setRefs(t, sheet, e.refs(t), func(l placements.Location) (placements.Location, bool) {
		end, last := l.End(), from.End()
		if l.Anchor.Row >= from.Anchor.Row && l.Anchor.Column >= from.Anchor.Column && end.Row <= last.Row && end.Column <= last.Column {
			l.Sheet, l.Anchor = on, placements.Anchor{Row: l.Anchor.Row + down, Column: l.Anchor.Column + right}
		}
		return l, true
	})
}

func (e excelEditor) HideRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error {
		for i := range n {
			if err := f.SetRowVisible(sheet, row+i, false); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e excelEditor) Hidden(t testing.TB, sheet string, row int) (hidden bool) {
	t.Helper()
	f, err := excelize.OpenFile(e.path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	visible, err := f.GetRowVisible(sheet, row)
	if err != nil {
		t.Fatal(err)
	}
	return !visible
}

func (e excelEditor) DeleteRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	refs := e.refs(t)
	e.edit(t, func(f *excelize.File) error {
		for range n {
			if err := f.RemoveRow(sheet, row); err != nil {
				return err
			}
		}
		return nil
	})
	e.setRefs(t, sheet, refs, func(l placements.Location) (placements.Location, bool) {
		l.Anchor.Row, l.Rows = without(l.Anchor.Row, l.Rows, row-1, n)
		return l, l.Rows > 0
	})
}

func (e excelEditor) RenameSheet(t testing.TB, sheet, name string) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error { return f.SetSheetName(sheet, name) })
}

func (e excelEditor) DeleteSheet(t testing.TB, sheet string) {
	t.Helper()
	e.edit(t, func(f *excelize.File) error { return f.DeleteSheet(sheet) })
}
