package marks

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

// document is a document as a person sees and edits it: a sheet named Data and one named Other.
type document interface {
	look() seen
	edit(func(editor))
}

// editor is what a person does in a document. Cells are those of the sheet Data, unless they begin another.
type editor interface {
	set(at placements.Anchor, text string) // a formula begins with =, an empty text clears the cell
	setOther(at placements.Anchor, text string)
	insertRow(row int)
	deleteRow(row int)
	name(name string, at placements.Anchor)
	unname(name string)
	comment(at placements.Anchor, text string) // an empty text removes it
}

// seenRows and seenColumns are how much of a sheet is looked at.
const (
	seenRows    = 120
	seenColumns = 16
)

// bookDocument is a document that a fake service keeps.
type bookDocument struct {
	change func(func(*book.Book))
}

func (d bookDocument) edit(act func(editor)) {
	d.change(func(b *book.Book) { act(bookEditor{b}) })
}

func (d bookDocument) look() (s seen) {
	d.change(func(b *book.Book) {
		s = seen{data: bookCells(b.Sheet("Data")), other: bookCells(b.Sheet("Other")), names: map[string]string{}}
		for _, n := range b.Names {
			s.names[n.Name] = "#REF!"
			if n.Sheet != nil {
				s.names[n.Name] = placements.Anchor{Row: n.Rect.Row, Column: n.Rect.Column}.String()
			}
		}
	})
	return s
}

func bookCells(s *book.Sheet) cells {
	found := cells{}
	for row := range s.Used() {
		for column := range seenColumns {
			at := placements.Anchor{Row: row, Column: column}
			switch c := s.Cell(row, column); v := c.Value.(type) {
			case float64:
				found[at] = strconv.FormatFloat(v, 'f', -1, 64)
			case string:
				found[at] = v
			}
			if f := s.Cell(row, column).Formula; f != "" {
				found[at] = plain(f)
			}
		}
	}
	return found
}

type bookEditor struct{ *book.Book }

func (e bookEditor) set(at placements.Anchor, text string)      { setIn(e.Sheet("Data"), at, text) }
func (e bookEditor) setOther(at placements.Anchor, text string) { setIn(e.Sheet("Other"), at, text) }

func (e bookEditor) insertRow(row int) { e.Sheet("Data").InsertRows(row, 1) }

func (e bookEditor) deleteRow(row int)                 { e.Sheet("Data").DeleteRows(row, 1) }
func (e bookEditor) unname(name string)                { e.DeleteName(name) }
func (e bookEditor) comment(placements.Anchor, string) {}

func (e bookEditor) name(name string, at placements.Anchor) {
	e.AddName(book.Name{ID: name, Name: name, Sheet: e.Sheet("Data"), Rect: book.Rect{Row: at.Row, Column: at.Column, Rows: 1, Columns: 1}})
}

func setIn(s *book.Sheet, at placements.Anchor, text string) {
	number, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		s.Set(at.Row, at.Column, nil)
	case strings.HasPrefix(text, "="):
		s.SetFormula(at.Row, at.Column, text, 1.0)
	case err == nil:
		s.Set(at.Row, at.Column, number)
	default:
		s.Set(at.Row, at.Column, text)
	}
}

// fileDocument is a workbook on disk, which a person opens with a library that is not ours.
type fileDocument struct {
	*testing.T
	path string
}

// newFile makes an empty workbook.
func newFile(t *testing.T, dir, name string) fileDocument {
	f := excelize.NewFile()
	must(t, f.SetSheetName("Sheet1", "Data"))
	_, err := f.NewSheet("Other")
	must(t, err)
	d := fileDocument{t, filepath.Join(dir, name)}
	must(t, f.SaveAs(d.path))
	return d
}

func (d fileDocument) edit(act func(editor)) {
	d.Helper()
	f, err := excelize.OpenFile(d.path)
	must(d.T, err)
	defer f.Close()
	act(fileEditor{d.T, f})
	must(d.T, f.Save())
}

func (d fileDocument) look() seen {
	d.Helper()
	f, err := excelize.OpenFile(d.path)
	must(d.T, err)
	defer f.Close()
	s := seen{data: d.cells(f, "Data"), other: d.cells(f, "Other"), comments: cells{}, names: map[string]string{}}
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

func (d fileDocument) cells(f *excelize.File, sheet string) cells {
	d.Helper()
	found := cells{}
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	must(d.T, err)
	for row := range seenRows {
		for column := range seenColumns {
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
