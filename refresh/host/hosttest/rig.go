package hosttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// Numbers makes a table of rows × columns whose cells are numbers, but for changed ones.
func Numbers(rows, columns int, changed map[host.Position]checksum.Cell) *checksum.Grid {
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

// Whole is the patch that writes all of a table over what v shows.
func Whole(document, placement string, v host.View, g *checksum.Grid) host.Patch {
	return host.Patch{
		Block: host.Block{Document: document, PlacementID: placement, SheetID: v.SheetID, Sheet: v.Sheet, Anchor: v.Anchor},
		Grid:  g, Extent: g.Extent(), Rows: []checksum.Span{{From: 0, To: g.Rows()}},
	}
}

// Refresh reads a block and writes all of a table over it.
func Refresh(t testing.TB, h host.Driver, b host.Block, g *checksum.Grid) (host.View, host.Written) {
	t.Helper()
	s := Open(t, h, b.Document)
	defer s.Close()
	v, err := Read(s, b, g.Extent())
	if err != nil {
		t.Fatalf("Read: %v", Detail(err))
	}
	w, err := Write(s, Whole(b.Document, b.PlacementID, v, g))
	if err != nil {
		t.Fatalf("Write: %v", Detail(err))
	}
	return v, w
}

// Open opens a document for as long as the test runs.
func Open(t testing.TB, h host.Driver, document string) host.Session {
	t.Helper()
	s, err := h.Open(context.Background(), document)
	if err != nil {
		t.Fatalf("Open: %v", Detail(err))
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Read reads one block.
func Read(s host.Session, b host.Block, want checksum.Extent) (host.View, error) {
	found, err := s.Read(context.Background(), []host.Wanted{{Block: b, Extent: want}})
	if err != nil {
		return host.View{}, err
	}
	return found[0].View, found[0].Err
}

// Write writes one patch.
func Write(s host.Session, p host.Patch) (host.Written, error) {
	w, err := s.Write(context.Background(), []host.Patch{p})
	if err != nil {
		return host.Written{}, err
	}
	return w[0], nil
}

// ReadBlock reads one block in a session of its own, and returns the error of whatever step was refused.
func ReadBlock(h host.Driver, b host.Block, want checksum.Extent) (host.View, error) {
	s, err := h.Open(context.Background(), b.Document)
	if err != nil {
		return host.View{}, err
	}
	defer s.Close()
	return Read(s, b, want)
}

// WritePatch writes one patch in a session of its own, and returns the error of whatever step was refused.
func WritePatch(h host.Driver, p host.Patch) (host.Written, error) {
	s, err := h.Open(context.Background(), p.Block.Document)
	if err != nil {
		return host.Written{}, err
	}
	defer s.Close()
	return Write(s, p)
}

// Detail shows a fault's cause too.
func Detail(err error) string {
	var f *placements.Fault
	if errors.As(err, &f) {
		return fmt.Sprintf("%s: %s (%v)", f.Class, f.Message, f.Err)
	}
	return fmt.Sprint(err)
}

// WantFault checks an error's class and that its message gives nothing away.
func WantFault(t testing.TB, err error, class placements.Class) *placements.Fault {
	t.Helper()
	var f *placements.Fault
	if !errors.As(err, &f) {
		t.Fatalf("got error %v, want a fault of class %s", err, class)
	}
	if f.Class != class {
		t.Errorf("got %s, want class %s", Detail(err), class)
	}
	for _, secret := range []string{"http", "fake-token", "fake-secret", "127.0.0.1", "refresh-token"} {
		if strings.Contains(f.Message, secret) {
			t.Errorf("the message %q holds %q", f.Message, secret)
		}
	}
	return f
}
