package marks

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
)

// fileDocument is a workbook on disk, which a person opens with a library that is not ours.
type fileDocument struct {
	*testing.T
	path string
	file *excelize.File // nil while it is closed
}

// newFile makes an empty workbook.
func newFile(t *testing.T, dir, name string) *fileDocument {
	f := excelize.NewFile()
	must(t, f.SetSheetName("Sheet1", "Data"))
	_, err := f.NewSheet("Other")
	must(t, err)
	d := &fileDocument{T: t, path: filepath.Join(dir, name)}
	must(t, f.SaveAs(d.path))
	return d
}

// open opens the workbook, unless it is open.
func (d *fileDocument) open() *excelize.File {
	d.Helper()
	if d.file == nil {
		f, err := excelize.OpenFile(d.path)
		must(d.T, err)
		d.file = f
	}
	return d.file
}

// close saves the workbook.
func (d *fileDocument) close() {
	d.Helper()
	if d.file != nil {
		must(d.T, d.file.Save())
		must(d.T, d.file.Close())
		d.file = nil
	}
}

func (d *fileDocument) edit(act func(editor)) {
	d.Helper()
	act(fileEditor{d.T, d.open()})
}

func (d *fileDocument) look() seen {
	d.Helper()
	f := d.open()
	s := seen{data: d.cells(f, "Data", seenRows, seenColumns), other: d.cells(f, "Other", others, 1), comments: cells{}, names: map[string]string{}}
	for _, n := range f.GetDefinedName() {
		s.names[n.Name] = plain(n.RefersTo)
	}
	comments, err := f.GetComments("Data")
	must(d.T, err)
	for _, c := range comments {
		at, err := placements.ParseAnchor(c.Cell)
		must(d.T, err)
		s.comments[at] = c.Text
	}
	return s
}

// seenRows is how many rows of the sheet Data are looked at.
const seenRows = 100

func (d *fileDocument) cells(f *excelize.File, sheet string, height, width int) cells {
	d.Helper()
	found := cells{}
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	must(d.T, err)
	for row := range height {
		for column := range width {
			at := placements.Anchor{Row: row, Column: column}
			if row < len(rows) && column < len(rows[row]) && rows[row][column] != "" {
				found[at] = rows[row][column]
			}
			formula, err := f.GetCellFormula(sheet, at.String())
			must(d.T, err)
			if formula != "" {
				found[at] = "=" + plain(formula)
			}
		}
	}
	return found
}

type fileEditor struct {
	*testing.T
	*excelize.File
}

func (e fileEditor) set(at placements.Anchor, text string)      { e.setIn("Data", at, text) }
func (e fileEditor) setOther(at placements.Anchor, text string) { e.setIn("Other", at, text) }

func (e fileEditor) setIn(sheet string, at placements.Anchor, text string) {
	number, err := strconv.ParseFloat(text, 64)
	cell := at.String()
	switch {
	case text == "":
		must(e.T, e.SetCellValue(sheet, cell, nil))
	case strings.HasPrefix(text, "="):
		must(e.T, e.SetCellFormula(sheet, cell, text[1:]))
	case err == nil:
		must(e.T, e.SetCellFloat(sheet, cell, number, -1, 64))
	default:
		must(e.T, e.SetCellStr(sheet, cell, text))
	}
}

func (e fileEditor) insertRow(row int) {
	must(e.T, e.InsertRows("Data", row+1, 1))
	e.moveComments(row, 1)
}

func (e fileEditor) deleteRow(row int) {
	must(e.T, e.RemoveRow("Data", row+1))
	e.moveComments(row, -1)
}

// moveRow is never called: the library cannot.
func (e fileEditor) moveRow(int, int) { e.Fatal("rows of a file are not moved") }

// moveComments moves the comments from a row on, which the library forgets, and removes those of a row that was deleted.
func (e fileEditor) moveComments(row, by int) {
	list, err := e.GetComments("Data")
	must(e.T, err)
	for _, c := range list {
		must(e.T, e.DeleteComment("Data", c.Cell))
	}
	for _, c := range list {
		at, err := placements.ParseAnchor(c.Cell)
		must(e.T, err)
		if at.Row == row && by < 0 {
			continue
		}
		if at.Row >= row {
			at.Row += by
		}
		e.comment(at, c.Text)
	}
}

func (e fileEditor) name(name string, at placements.Anchor) {
	column, row := split(at)
	must(e.T, e.SetDefinedName(&excelize.DefinedName{Name: name, RefersTo: "Data!$" + column + "$" + row}))
}

func (e fileEditor) unname(name string) {
	must(e.T, e.DeleteDefinedName(&excelize.DefinedName{Name: name}))
}

func (e fileEditor) comment(at placements.Anchor, text string) {
	if text == "" {
		must(e.T, e.DeleteComment("Data", at.String()))
		return
	}
	must(e.T, e.AddComment("Data", excelize.Comment{Cell: at.String(), Author: "Ann", Text: text}))
}
