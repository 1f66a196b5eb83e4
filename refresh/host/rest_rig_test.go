package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest/book"
)

// clock is a settable time.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Now()} }

func (c *clock) Now() time.Time { return c.now }

// bookEditor is hosttest's Editor over a fake's document.
type bookEditor struct {
	edit func(func(*book.Book))
}

func (e bookEditor) on(t testing.TB, sheet string, act func(*book.Sheet)) {
	t.Helper()
	e.edit(func(b *book.Book) {
		s := b.Sheet(sheet)
		if s == nil {
			t.Fatalf("no sheet %q", sheet)
		}
		act(s)
	})
}

func (e bookEditor) at(t testing.TB, sheet, cell string, act func(s *book.Sheet, row, column int)) {
	t.Helper()
	a, err := placements.ParseAnchor(cell)
	if err != nil {
		t.Fatal(err)
	}
	e.on(t, sheet, func(s *book.Sheet) { act(s, a.Row, a.Column) })
}

func (e bookEditor) Set(t testing.TB, sheet, cell string, c checksum.Cell) {
	t.Helper()
	e.at(t, sheet, cell, func(s *book.Sheet, row, column int) { s.Set(row, column, bookValue(c)) })
}

func (e bookEditor) SetFormula(t testing.TB, sheet, cell, formula string, shows checksum.Cell) {
	t.Helper()
	e.at(t, sheet, cell, func(s *book.Sheet, row, column int) { s.SetFormula(row, column, "="+formula, bookValue(shows)) })
}

func (e bookEditor) Get(t testing.TB, sheet, cell string) (c checksum.Cell, formula string) {
	t.Helper()
	e.at(t, sheet, cell, func(s *book.Sheet, row, column int) {
		found := s.Cell(row, column)
		c, formula = cellOf(found.Value), strings.TrimPrefix(found.Formula, "=")
	})
	return c, formula
}

func (e bookEditor) NumberFormat(t testing.TB, sheet, cell string) (format string) {
	t.Helper()
	e.at(t, sheet, cell, func(s *book.Sheet, row, column int) { format = s.Cell(row, column).Format })
	return format
}

func (e bookEditor) InsertRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.InsertRows(row-1, n) })
}

func (e bookEditor) DeleteRows(t testing.TB, sheet string, row, n int) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.DeleteRows(row-1, n) })
}

func (e bookEditor) RenameSheet(t testing.TB, sheet, name string) {
	t.Helper()
	e.on(t, sheet, func(s *book.Sheet) { s.Rename(name) })
}

func (e bookEditor) DeleteSheet(_ testing.TB, sheet string) {
	e.edit(func(b *book.Book) { b.DeleteSheet(sheet) })
}

// state is a text that changes whenever the document does.
func (e bookEditor) state(testing.TB) (state string) {
	e.edit(func(b *book.Book) { state = fmt.Sprint(b.Revision) })
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
		return book.Error(c.Text)
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
	case book.Error:
		return checksum.Err(string(v))
	}
	return checksum.Cell{}
}

// grid makes a table of rows × columns whose cells are numbers, but for changed ones.
func grid(rows, columns int, changed map[host.Position]checksum.Cell) *checksum.Grid {
	var b checksum.Builder
	for row := range rows {
		cells := make([]checksum.Cell, columns)
		for column := range cells {
			cells[column] = checksum.Num(float64(row*columns + column))
			if c, ok := changed[host.Position{Row: row, Column: column}]; ok {
				cells[column] = c
			}
		}
		b.Append(cells...)
	}
	return b.Grid()
}

// whole is the patch that writes all of a table over what v shows.
func whole(document, placement string, v host.View, g *checksum.Grid) host.Patch {
	return host.Patch{
		Block: host.Block{Document: document, PlacementID: placement, SheetID: v.SheetID, Sheet: v.Sheet, Anchor: v.Anchor},
		Grid:  g, Extent: g.Extent(), Rows: []checksum.Span{{From: 0, To: g.Rows()}},
	}
}

// refresh reads a block and writes all of a table over it.
func refresh(t testing.TB, h host.Host, b host.Block, g *checksum.Grid) (host.View, host.Written) {
	t.Helper()
	s := open(t, h, b.Document)
	defer s.Close()
	v, err := readIn(s, b, g.Extent())
	if err != nil {
		t.Fatalf("Read: %v", detail(err))
	}
	w, err := writeIn(s, whole(b.Document, b.PlacementID, v, g))
	if err != nil {
		t.Fatalf("Write: %v", detail(err))
	}
	return v, w
}

func open(t testing.TB, h host.Host, document string) host.Session {
	t.Helper()
	s, err := h.Open(context.Background(), document)
	if err != nil {
		t.Fatalf("Open: %v", detail(err))
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// readIn reads one block.
func readIn(s host.Session, b host.Block, want checksum.Extent) (host.View, error) {
	found, err := s.Read(context.Background(), []host.Wanted{{Block: b, Extent: want}})
	if err != nil {
		return host.View{}, err
	}
	return found[0].View, found[0].Err
}

// writeIn writes one patch.
func writeIn(s host.Session, p host.Patch) (host.Written, error) {
	w, err := s.Write(context.Background(), []host.Patch{p})
	if err != nil {
		return host.Written{}, err
	}
	return w[0], nil
}

// readBlock and writePatch do one thing in a session of its own, and return the error of whatever step was refused.
func readBlock(h host.Host, b host.Block, want checksum.Extent) (host.View, error) {
	s, err := h.Open(context.Background(), b.Document)
	if err != nil {
		return host.View{}, err
	}
	defer s.Close()
	return readIn(s, b, want)
}

func writePatch(h host.Host, p host.Patch) (host.Written, error) {
	s, err := h.Open(context.Background(), p.Block.Document)
	if err != nil {
		return host.Written{}, err
	}
	defer s.Close()
	return writeIn(s, p)
}

// detail shows a fault's cause too.
func detail(err error) string {
	var f *placements.Fault
	if errors.As(err, &f) {
		return fmt.Sprintf("%s: %s (%v)", f.Class, f.Message, f.Err)
	}
	return fmt.Sprint(err)
}

// wantFault checks an error's class and that its message gives nothing away.
func wantFault(t testing.TB, err error, class placements.Class) *placements.Fault {
	t.Helper()
	var f *placements.Fault
	if !errors.As(err, &f) {
		t.Fatalf("got error %v, want a fault of class %s", err, class)
	}
	if f.Class != class {
		t.Errorf("got %s, want class %s", detail(err), class)
	}
	for _, secret := range []string{"http", "fake-token", "fake-secret", "127.0.0.1", "refresh-token"} {
		if strings.Contains(f.Message, secret) {
			t.Errorf("the message %q holds %q", f.Message, secret)
		}
	}
	return f
}
