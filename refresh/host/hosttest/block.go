package hosttest

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// anchor is where the suite places its blocks: C4, so that there is a neighbourhood on all sides.
var anchor = placements.Anchor{Row: 3, Column: 2}

func (b Spreadsheet) block() host.Block {
	return host.Block{Document: b.Document, PlacementID: "Plc-1.x", Sheet: b.Sheet, Anchor: anchor}
}

// grid makes a table.
func grid(rows ...[]checksum.Cell) *checksum.Grid {
	var b checksum.Builder
	for _, row := range rows {
		b.Append(row...)
	}
	return b.Grid()
}

func row(cells ...checksum.Cell) []checksum.Cell { return cells }

// people is a small table with a header, n rows below it.
func people(n int) *checksum.Grid {
	var b checksum.Builder
	b.Append(checksum.Str("name"), checksum.Str("age"), checksum.Str("member"))
	for i := range n {
		b.Append(checksum.Str(string(rune('a'+i%26))+"-person"), checksum.Num(float64(20+i)), checksum.Bool(i%2 == 0))
	}
	return b.Grid()
}

// session is an open document. Its methods end the test when the host refuses.
type session struct {
	host.Session
	t *testing.T
}

func open(t *testing.T, b Spreadsheet) session {
	t.Helper()
	s, err := b.Host.Open(t.Context(), b.Document)
	if err != nil {
		t.Fatalf("Open: %v (%v)", err, errors.Unwrap(err))
	}
	t.Cleanup(func() { s.Close() })
	return session{s, t}
}

// readAll reads several blocks at once, none of which may be in error.
func (s session) readAll(wanted ...host.Wanted) []host.View {
	s.t.Helper()
	found, err := s.Read(s.t.Context(), wanted)
	if err != nil {
		s.t.Fatalf("Read: %v (%v)", err, errors.Unwrap(err))
	}
	var views []host.View
	for _, f := range found {
		if f.Err != nil {
			s.t.Fatalf("Read: %v (%v)", f.Err, errors.Unwrap(f.Err))
		}
		views = append(views, f.View)
	}
	return views
}

func (s session) read(block host.Block, want checksum.Extent) host.View {
	s.t.Helper()
	return s.readAll(host.Wanted{Block: block, Extent: want})[0]
}

func (s session) writeAll(patches ...host.Patch) []host.Written {
	s.t.Helper()
	w, err := s.Write(s.t.Context(), patches)
	if err != nil {
		s.t.Fatalf("Write: %v (%v)", err, errors.Unwrap(err))
	}
	return w
}

func (s session) write(p host.Patch) host.Written {
	s.t.Helper()
	return s.writeAll(p)[0]
}

// read reads one block in a session of its own.
func read(t *testing.T, b Spreadsheet, block host.Block, want checksum.Extent) host.View {
	t.Helper()
	s := open(t, b)
	defer s.Close()
	return s.read(block, want)
}

// tryRead and tryWrite do one thing in a session of its own, and return the error of whatever step was refused.
func tryRead(ctx context.Context, b Spreadsheet, block host.Block, want checksum.Extent) (host.View, error) {
	s, err := b.Host.Open(ctx, block.Document)
	if err != nil {
		return host.View{}, err
	}
	defer s.Close()
	found, err := s.Read(ctx, []host.Wanted{{Block: block, Extent: want}})
	if err != nil {
		return host.View{}, err
	}
	return found[0].View, found[0].Err
}

func tryWrite(ctx context.Context, b Spreadsheet, p host.Patch) error {
	s, err := b.Host.Open(ctx, p.Block.Document)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.Write(ctx, []host.Patch{p})
	return err
}

// at is block where v found it.
func at(block host.Block, v host.View) host.Block {
	block.Sheet, block.SheetID, block.Anchor = v.Sheet, v.SheetID, v.Anchor
	return block
}

// place writes all of g at block and returns the block where it then stands.
func place(t *testing.T, b Spreadsheet, block host.Block, g *checksum.Grid) host.Block {
	t.Helper()
	s := open(t, b)
	defer s.Close()
	v := s.read(block, g.Extent())
	s.write(patchAll(block, v, g))
	return at(block, v)
}

// holds checks that v shows exactly want from the anchor on, byte by byte of the canonical encoding and thus with the same
// fingerprints, and nothing below or beside it.
func holds(t *testing.T, v host.View, want *checksum.Grid) {
	t.Helper()
	for i := range max(v.Cells.Rows(), want.Rows()) {
		got, wanted := encoded(v.Cells, i), encoded(want, i)
		if !bytes.Equal(got, wanted) {
			t.Errorf("row %d: got %+v, want %+v", i, cells(v.Cells, i), cells(want, i))
		}
	}
}

func encoded(g *checksum.Grid, i int) []byte {
	if i >= g.Rows() {
		return []byte{0} // a row without cells
	}
	return g.Row(i)
}

func cells(g *checksum.Grid, i int) []checksum.Cell {
	if i >= g.Rows() {
		return nil
	}
	return g.Cells(i, nil)
}

// wantClass checks that err is a fault of the class, with a message for a user.
func wantClass(t *testing.T, err error, class placements.Class) {
	t.Helper()
	var fault *placements.Fault
	if !errors.As(err, &fault) {
		t.Fatalf("got error %v, want a fault of class %s", err, class)
	}
	if fault.Class != class || fault.Message == "" {
		t.Errorf("got fault %s %q, want class %s", fault.Class, fault.Message, class)
	}
}

// wantCell checks what a cell of the document holds.
func wantCell(t *testing.T, b Spreadsheet, sheet, cell string, want checksum.Cell, wantFormula string) {
	t.Helper()
	got, formula := b.Editor.Get(t, sheet, cell)
	if got != want || formula != wantFormula {
		t.Errorf("%s!%s: got %+v with formula %q, want %+v with formula %q", sheet, cell, got, formula, want, wantFormula)
	}
}
