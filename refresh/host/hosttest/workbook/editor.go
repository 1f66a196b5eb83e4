package workbook

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/checksum"
)

// Editor is a hosttest.Editor of a file. It edits through excelize, which shares no code with the host.
type Editor struct{ Path string }

// Edit opens the file, acts on it and saves it.
func (e Editor) Edit(t testing.TB, act func(f *excelize.File) error) {
	t.Helper()
	f, err := excelize.OpenFile(e.Path)
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

// Set is hosttest.Editor's.
func (e Editor) Set(t testing.TB, sheet, cell string, c checksum.Cell) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error { return SetCell(f, sheet, cell, c) })
}

// SetCell puts a value into a cell of an open file, in place of what it holds.
func SetCell(f *excelize.File, sheet, cell string, c checksum.Cell) error {
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
func (e Editor) SetFormula(t testing.TB, sheet, cell, formula string, shows checksum.Cell) {
	t.Helper()
	part := ""
	e.Edit(t, func(f *excelize.File) error {
		if err := SetCell(f, sheet, cell, shows); err != nil {
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
	Rewrite(t, e.Path, part, func(doc string) string {
		doc = tag.ReplaceAllString(doc, `${1} t="`+kind+`"`)
		if shows.Kind != checksum.Error && shows.Kind != checksum.Text {
			return doc
		}
		shown := strings.ReplaceAll(html.EscapeString(shows.Text), "$", "$$")
		return regexp.MustCompile(`(<c r="`+cell+`"[^>]*><f>[^<]*</f>)(<v>[^<]*</v>)?`).ReplaceAllString(doc, "${1}<v>"+shown+"</v>")
	})
}

// Get is hosttest.Editor's.
func (e Editor) Get(t testing.TB, sheet, cell string) (c checksum.Cell, formula string) {
	t.Helper()
	f, err := excelize.OpenFile(e.Path)
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

// NumberFormat is hosttest.Editor's.
func (e Editor) NumberFormat(t testing.TB, sheet, cell string) string {
	t.Helper()
	f, err := excelize.OpenFile(e.Path)
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

// SetNumberFormat is hosttest.Editor's.
func (e Editor) SetNumberFormat(t testing.TB, sheet, cell, format string) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error {
		style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
		if err != nil {
			return err
		}
		return f.SetCellStyle(sheet, cell, cell, style)
	})
}

// HideRows is hosttest.Editor's.
func (e Editor) HideRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.Edit(t, func(f *excelize.File) error {
		for i := range n {
			if err := f.SetRowVisible(sheet, row+i, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// Hidden is hosttest.Editor's.
func (e Editor) Hidden(t testing.TB, sheet string, row int) (hidden bool) {
	t.Helper()
	f, err := excelize.OpenFile(e.Path)
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

// New makes a file of empty sheets.
func New(t testing.TB, path string, sheets ...string) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	if err := f.SetSheetName("Sheet1", sheets[0]); err != nil {
		t.Fatal(err)
	}
	for _, name := range sheets[1:] {
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
}
