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

// Name is a defined name. Its Sheet is nil once the cells that it marked are gone, or when it stands for a text. One that is Local holds in
// its sheet only.
type Name struct {
	ID, Name string
	Local    bool
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
	Date1904 bool // numbers that stand for dates count from 1904
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
	merges []Region       // likewise
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

// CopySheet copies a sheet with its cells. Of each name that marks something on it the copy has one of its own.
func (b *Book) CopySheet(title, as string) {
	from := b.Sheet(title)
	to := b.AddSheet(as, from.Rows, from.Columns)
	for _, row := range from.cells {
		to.cells = append(to.cells, slices.Clone(row))
	}
	to.merges = from.merges
	for _, n := range slices.Clone(b.Names) {
		if n.Sheet == from && !n.Local {
			b.AddName(Name{ID: n.ID + "-copied", Name: n.Name, Local: true, Sheet: to, Rect: n.Rect})
		}
	}
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

// Name finds a defined name of the whole book, whatever the case; nil if there is none.
func (b *Book) Name(name string) *Name {
	for _, n := range b.Names {
		if !n.Local && strings.EqualFold(n.Name, name) {
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
	b.Names = slices.DeleteFunc(b.Names, func(n *Name) bool { return !n.Local && strings.EqualFold(n.Name, name) })
	b.Revision++
}

// Clone copies the book, so that a request can be applied whole or not at all.
func (b *Book) Clone() *Book {
	c := &Book{Revision: b.Revision, added: b.added, Date1904: b.Date1904, Metadata: slices.Clone(b.Metadata)}
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
