package hosttest

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// unmarked reads what stands at the stored address before anything was placed.
func unmarked(t *testing.T, b Spreadsheet) {
	b.Editor.Set(t, b.Sheet, "C4", checksum.Str("mine"))
	b.Editor.Set(t, b.Sheet, "D6", checksum.Num(5))
	b.Editor.Set(t, b.Sheet, "F4", checksum.Str("beyond"))
	block := b.block()
	block.Sheet = strings.ToUpper(block.Sheet) // names compare without regard to case
	v := read(t, b, block, checksum.Extent{Rows: 3, Columns: 2})
	if v.Marked || v.Extent != (checksum.Extent{}) {
		t.Errorf("got Marked %t, Extent %+v, want neither", v.Marked, v.Extent)
	}
	if v.Sheet != b.Sheet || v.Anchor != anchor {
		t.Errorf("stands at %s!%s, want %s!%s", v.Sheet, v.Anchor, b.Sheet, anchor)
	}
	holds(t, v, grid(row(checksum.Str("mine")), row(), row(checksum.Cell{}, checksum.Num(5))))
}

// foreign shows cells that are not ours, where the block would grow into them.
func foreign(t *testing.T, b Spreadsheet) {
	block := place(t, b, b.block(), people(2))
	b.Editor.Set(t, b.Sheet, "D8", checksum.Str("not ours"))
	b.Editor.Set(t, b.Sheet, "F4", checksum.Num(9))
	v := read(t, b, block, checksum.Extent{Rows: 5, Columns: 4})
	if !v.Marked || v.Extent != people(2).Extent() {
		t.Errorf("got Marked %t, Extent %+v, want the block as placed", v.Marked, v.Extent)
	}
	old := people(2)
	holds(t, v, grid(append(cells(old, 0), checksum.Num(9)), cells(old, 1), cells(old, 2), row(), row(checksum.Cell{}, checksum.Str("not ours"))))
}

// formulas are seen where they stand, with their texts and the values they show.
func formulas(t *testing.T, b Spreadsheet) {
	block := place(t, b, b.block(), people(3))
	const quoted = `IF("<a> & ""b"""="",1,20+1)`
	b.Editor.SetFormula(t, b.Sheet, "D6", quoted, checksum.Num(21))
	b.Editor.SetFormula(t, b.Sheet, "E5", "1=1", checksum.Bool(true))
	b.Editor.SetFormula(t, b.Sheet, "C9", "1+1", checksum.Num(2))
	b.Editor.SetFormula(t, b.Sheet, "B5", "2+2", checksum.Num(4))
	v := read(t, b, block, checksum.Extent{Rows: 6, Columns: 3})
	want := []host.Formula{
		{Position: host.Position{Row: 1, Column: 2}, Text: "=1=1"},
		{Position: host.Position{Row: 2, Column: 1}, Text: "=" + quoted},
		{Position: host.Position{Row: 5, Column: 0}, Text: "=1+1"},
	}
	if diff := cmp.Diff(want, v.Formulas); diff != "" {
		t.Errorf("formulas (-want +got):\n%s", diff)
	}
	old := people(3)
	holds(t, v, grid(cells(old, 0), cells(old, 1), cells(old, 2), cells(old, 3), row(), row(checksum.Num(2))))
}

// overwrites puts a value where a person's formula stood.
func overwrites(t *testing.T, b Spreadsheet) {
	block := place(t, b, b.block(), people(3))
	b.Editor.SetFormula(t, b.Sheet, "D6", "20+1", checksum.Num(21))
	b.Editor.SetFormula(t, b.Sheet, "H6", "D6*2", checksum.Num(42))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	s.write(patchAll(block, v, people(3)))
	v = read(t, b, block, checksum.Extent{})
	holds(t, v, people(3))
	if len(v.Formulas) > 0 {
		t.Errorf("formulas at %v, want none", v.Formulas)
	}
	if _, formula := b.Editor.Get(t, b.Sheet, "H6"); formula != "D6*2" {
		t.Errorf("the formula that reads the block became %q", formula)
	}
}

// missing documents and sheets are for a person to put right; the message names them and no place of the machine.
func missing(t *testing.T, b Spreadsheet) {
	gone := b.block()
	gone.Document = "missing-" + b.Document
	_, err := tryRead(t.Context(), b, gone, checksum.Extent{Rows: 1, Columns: 1})
	wantClass(t, err, placements.Structure)
	if !strings.Contains(err.Error(), gone.Document) {
		t.Errorf("%q does not name the document", err)
	}
	wantClass(t, b.Host.Has(t.Context(), gone.Document), placements.Structure)
	if err := b.Host.Has(t.Context(), b.Document); err != nil {
		t.Errorf("a document that is there: %v", err)
	}
	wantClass(t, tryWrite(t.Context(), b, patchAll(gone, host.View{Sheet: b.Sheet, Anchor: anchor}, people(1))), placements.Structure)

	block := b.block()
	block.Sheet = "No such sheet"
	_, err = tryRead(t.Context(), b, block, checksum.Extent{Rows: 1, Columns: 1})
	wantClass(t, err, placements.Structure)
	if !strings.Contains(err.Error(), block.Sheet) {
		t.Errorf("%q does not name the sheet", err)
	}
}

func denied(t *testing.T, b Spreadsheet) {
	block := place(t, b, b.block(), people(2))
	s := open(t, b)
	v := s.read(block, checksum.Extent{})
	b.Deny(t)
	_, err := s.Write(t.Context(), []host.Patch{patchAll(block, v, people(3))})
	wantClass(t, err, placements.Auth)
}

// concurrent reads one document several times at once; run with the race detector, it shows state shared without a lock.
func concurrent(t *testing.T, b Spreadsheet) {
	g := people(20)
	block := place(t, b, b.block(), g)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			v, err := tryRead(t.Context(), b, block, g.Extent())
			if err != nil {
				t.Errorf("Read: %v", err)
				return
			}
			holds(t, v, g)
		})
	}
	group.Wait()
}
