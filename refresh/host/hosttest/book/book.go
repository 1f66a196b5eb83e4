package book

import (
	"slices"
	"strings"
)

// ErrorValue is the value of a cell that shows an error, such as "#N/A".
type ErrorValue string

// Content is one cell. Value is nil, a float64, a string, a bool or an ErrorValue. Formula, with its leading =, is empty for a plain value.
type Content struct {
	Value   any
	Formula string
	Format  string // number format, empty for the general one
}

// Region is a rectangle of cells, from zero.
type Region struct{ Row, Column, Rows, Columns int }

// Name is a defined name. Its Sheet is nil once the cells that it marked are gone, or when it stands for a text.
type Name struct {
	ID, Name string
	Sheet    *Sheet
	Rect     Region
	Text     string
	Comment  string
	Hidden   bool
}

// Metadata is a text that the book keeps under a key, and shows nobody.
type Metadata struct {
	ID         int64
	Key, Value string
}

// Book is a document. Revision grows with every change made through its methods or those of its sheets.
type Book struct {
	Sheets   []*Sheet
	Names    []*Name
	Metadata []Metadata
	Revision int

	added int // sheets, by AddSheet
}

// Sheet is one sheet of a book. Rows and Columns are its size.
type Sheet struct {
	ID            int64
	Title         string
	Rows, Columns int

	book   *Book
	cells  [][]Content
	hidden map[int]Hiding // what hides rows; replaced, never changed
}

// New makes a book of empty sheets of the given size, their ids counting from 0.
func New(rows, columns int, titles ...string) *Book {
	b := &Book{}
	for i, title := range titles {
		b.Sheets = append(b.Sheets, &Sheet{ID: int64(i), Title: title, Rows: rows, Columns: columns, book: b})
	}
	return b
}

// AddSheet adds an empty sheet, whose id no sheet has had.
func (b *Book) AddSheet(title string, rows, columns int) *Sheet {
	b.added++
	s := &Sheet{ID: 1_000 + int64(b.added), Title: title, Rows: rows, Columns: columns, book: b}
	b.Sheets = append(b.Sheets, s)
	b.Revision++
	return s
}

// Sheet finds a sheet by its title, whatever the case; nil if there is none.
func (b *Book) Sheet(title string) *Sheet {
	for _, s := range b.Sheets {
		if strings.EqualFold(s.Title, title) {
			return s
		}
	}
	return nil
}

// SheetByID finds a sheet by its id; nil if there is none.
func (b *Book) SheetByID(id int64) *Sheet {
	for _, s := range b.Sheets {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// DeleteSheet removes a sheet; the names on it mark nothing from then on.
func (b *Book) DeleteSheet(title string) {
	gone := b.Sheet(title)
	b.Sheets = slices.DeleteFunc(b.Sheets, func(s *Sheet) bool { return s == gone })
	for _, n := range b.Names {
		if n.Sheet == gone {
			n.Sheet = nil
		}
	}
	b.Revision++
}

// Name finds a defined name, whatever the case; nil if there is none.
func (b *Book) Name(name string) *Name {
	for _, n := range b.Names {
		if strings.EqualFold(n.Name, name) {
			return n
		}
	}
	return nil
}

// AddName adds a defined name.
func (b *Book) AddName(n Name) {
	b.Names = append(b.Names, &n)
	b.Revision++
}

// DeleteName removes a defined name.
func (b *Book) DeleteName(name string) {
	b.Names = slices.DeleteFunc(b.Names, func(n *Name) bool { return strings.EqualFold(n.Name, name) })
	b.Revision++
}

// Clone copies the book, so that a request can be applied whole or not at all.
func (b *Book) Clone() *Book {
	c := &Book{Revision: b.Revision, added: b.added, Metadata: slices.Clone(b.Metadata)}
	twin := map[*Sheet]*Sheet{}
	for _, s := range b.Sheets {
		copied := *s
		copied.book = c
		copied.cells = make([][]Content, len(s.cells))
		for i, row := range s.cells {
			copied.cells[i] = slices.Clone(row)
		}
		twin[s] = &copied
		c.Sheets = append(c.Sheets, &copied)
	}
	for _, n := range b.Names {
		copied := *n
		copied.Sheet = twin[n.Sheet]
		c.Names = append(c.Names, &copied)
	}
	return c
}
