package hosttest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host/hosttest/book"
)

// Clock is a settable time.
type Clock struct{ Time time.Time }

// NewClock returns a clock that stands at the present time.
func NewClock() *Clock { return &Clock{time.Now()} }

// Now returns the time that was set.
func (c *Clock) Now() time.Time { return c.Time }

// BookEditor is the Editor of a fake's document.
type BookEditor struct {
	Change func(func(*book.Book))
}

func (e BookEditor) on(t testing.TB, sheet string, act func(*book.Sheet)) {
	t.Helper()
	e.Change(func(b *book.Book) {
		s := b.Sheet(sheet)
		if s == nil {
			t.Fatalf("no sheet %q", sheet)
		}
		act(s)
	})
}

// At acts on a cell.
func (e BookEditor) At(t testing.TB, sheet, cell string, act func(s *book.Sheet, row, column int)) {
	t.Helper()
	a, err := placements.ParseAnchor(cell)
	if err != nil {
		t.Fatal(err)
	}
	e.on(t, sheet, func(s *book.Sheet) { act(s, a.Row, a.Column) })
}

// Set is Editor's.
func (e BookEditor) Set(t testing.TB, sheet, cell string, c checksum.Cell) {
	t.Helper()
	e.At(t, sheet, cell, func(s *book.Sheet, row, column int) { s.Set(row, column, bookValue(c)) })
}

// SetFormula is Editor's.
func (e BookEditor) SetFormula(t testing.TB, sheet, cell, formula string, shows checksum.Cell) {
	t.Helper()
	e.At(t, sheet, cell, func(s *book.Sheet, row, column int) { s.SetFormula(row, column, "="+formula, bookValue(shows)) })
}

// Get is Editor's.
func (e BookEditor) Get(t testing.TB, sheet, cell string) (c checksum.Cell, formula string) {
	t.Helper()
	e.At(t, sheet, cell, func(s *book.Sheet, row, column int) {
		found := s.Cell(row, column)
		c, formula = cellOf(found.Value), strings.TrimPrefix(found.Formula, "=")
	})
	return c, formula
}

// NumberFormat is Editor's.
func (e BookEditor) NumberFormat(t testing.TB, sheet, cell string) (format string) {
	t.Helper()
	e.At(t, sheet, cell, func(s *book.Sheet, row, column int) { format = s.Cell(row, column).Format })
	return format
}

// SetNumberFormat is Editor's.
func (e BookEditor) SetNumberFormat(t testing.TB, sheet, cell, format string) {
	t.Helper()
	e.At(t, sheet, cell, func(s *book.Sheet, row, column int) { s.SetFormat(row, column, format) })
}

// InsertRows is Editor's.
func (e BookEditor) InsertRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.InsertRows(row-1, n) })
}

// DeleteRows is Editor's.
func (e BookEditor) DeleteRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.DeleteRows(row-1, n) })
}

// InsertColumns is Editor's.
func (e BookEditor) InsertColumns(t testing.TB, sheet, column string, n int) {
	t.Helper()
	e.At(t, sheet, column+"1", func(s *book.Sheet, _, column int) { s.InsertColumns(column, n) })
}

// DeleteColumns is Editor's.
func (e BookEditor) DeleteColumns(t testing.TB, sheet, column string, n int) {
	t.Helper()
	e.At(t, sheet, column+"1", func(s *book.Sheet, _, column int) { s.DeleteColumns(column, n) })
}

// region is an area of a sheet.
func region(t testing.TB, area string) book.Region {
	t.Helper()
	l, err := placements.ParseLocation(area)
	if err != nil {
		t.Fatal(err)
	}
	return book.Region{Row: l.Anchor.Row, Column: l.Anchor.Column, Rows: l.Rows, Columns: l.Columns}
}

// Cut is Editor's.
func (e BookEditor) Cut(t testing.TB, sheet, area, on, cell string) {
	t.Helper()
	to := region(t, cell)
	e.Change(func(b *book.Book) { b.Sheet(sheet).MoveTo(b.Sheet(on), region(t, area), to.Row, to.Column) })
}

// Merge is Editor's.
func (e BookEditor) Merge(t testing.TB, sheet, area string) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.Merge(region(t, area)) })
}

// CopySheet is Editor's.
func (e BookEditor) CopySheet(_ testing.TB, sheet, as string) {
	e.Change(func(b *book.Book) { b.CopySheet(sheet, as) })
}

// HideRows is Editor's.
func (e BookEditor) HideRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) {
		for i := range n {
			s.Hide(row-1+i, book.ByHand)
		}
	})
}

// Hidden is Editor's.
func (e BookEditor) Hidden(t testing.TB, sheet string, row int) (hidden bool) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { hidden = s.Hidden(row-1) != book.Shown })
	return hidden
}

// RenameSheet is Editor's.
func (e BookEditor) RenameSheet(t testing.TB, sheet, name string) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.Rename(name) })
}

// DeleteSheet is Editor's.
func (e BookEditor) DeleteSheet(_ testing.TB, sheet string) {
	e.Change(func(b *book.Book) { b.DeleteSheet(sheet) })
}

// State is a text that changes whenever the document does.
func (e BookEditor) State(testing.TB) (state string) {
	e.Change(func(b *book.Book) { state = fmt.Sprint(b.Revision) })
	return state
}

func bookValue(c checksum.Cell) any {
	switch c.Kind {
	case checksum.Number:
		return c.Number
	case checksum.Text:
		return c.Text
	case checksum.True, checksum.False:
		return c.Kind == checksum.True
	case checksum.Error:
		return book.ErrorValue(c.Text)
	}
	return nil
}

func cellOf(v any) checksum.Cell {
	switch v := v.(type) {
	case float64:
		return checksum.Num(v)
	case string:
		return checksum.Str(v)
	case bool:
		return checksum.Bool(v)
	case book.ErrorValue:
		return checksum.Err(string(v))
	}
	return checksum.Cell{}
}
