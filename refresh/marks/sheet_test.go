package marks

import (
	"strconv"
	"strings"

	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

// document is a document as a person sees and edits it: a sheet named Data and one named Other.
type document interface {
	look() seen
	edit(func(editor))
	close() // so that others can have it
}

// editor is what a person does in a document. Cells are those of the sheet Data, unless they begin another.
type editor interface {
	set(at placements.Anchor, text string) // a formula begins with =, an empty text clears the cell
	setOther(at placements.Anchor, text string)
	insertRow(row int)
	deleteRow(row int)
	moveRow(from, to int) // cuts a row and inserts it above another
	name(name string, at placements.Anchor)
	unname(name string)
	comment(at placements.Anchor, text string) // an empty text removes it
}

// seenColumns is how many columns of a sheet are looked at.
const seenColumns = 12

// bookDocument is a document that a fake service keeps.
type bookDocument struct {
	change func(func(*book.Book))
}

func (d bookDocument) edit(act func(editor)) {
	d.change(func(b *book.Book) { act(bookEditor{b}) })
}

func (d bookDocument) close() {}

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

func (e bookEditor) moveRow(from, to int) {
	s := e.Sheet("Data")
	s.InsertRows(to, 1)
	if from >= to {
		from++
	}
	s.MoveCells(book.Region{Row: from, Rows: 1, Columns: seenColumns}, to, 0)
	s.DeleteRows(from, 1)
}

func (e bookEditor) name(name string, at placements.Anchor) {
	e.AddName(book.Name{ID: name, Name: name, Sheet: e.Sheet("Data"), Rect: book.Region{Row: at.Row, Column: at.Column, Rows: 1, Columns: 1}})
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
