package xlsx_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
)

// segmentedBook is a workbook with a block of many segments, in editions of its rows.
func segmentedBook(t *testing.T) (b *bookPart, editions []int) {
	b, editions = newBook(t), make([]int, segmentedRows)
	g := segmentedGrid(editions)
	p := host.Patch{Block: b.block, Grid: g, Extent: g.Extent(), Rows: []checksum.Span{{From: 0, To: g.Rows()}}}
	if _, err := hosttest.WritePatch(b.host, p); err != nil {
		t.Fatal(err)
	}
	if !hasIndex(t, b.path()) {
		t.Fatal("the sheet has no segments")
	}
	return b, editions
}

// reads returns what stands in a rectangle from a block's first cell on, of which something is likely.
func reads(t *testing.T, s host.Session, block host.Block, columns int, g *checksum.Grid) host.View {
	t.Helper()
	found, err := s.Read(t.Context(), []host.Wanted{{Block: block, Extent: checksum.Extent{Rows: g.Rows(), Columns: columns}, Likely: likely(g)}})
	if err != nil || found[0].Err != nil {
		t.Fatal(err, found[0].Err)
	}
	return found[0].View
}

func TestRowsThatAreOtherThanLikelyAreRead(t *testing.T) {
	b, editions := segmentedBook(t)
	stands := segmentedGrid(editions)
	for i := 7; i < segmentedRows; i += 1000 {
		editions[i]++
	}
	expected := segmentedGrid(editions)
	v := reads(t, hosttest.Open(t, b.host, "book.xlsx"), b.block, 4, expected)
	if !sameGrid(v.Cells.Crop(stands.Extent()), stands) {
		t.Error("what is likely was taken for what stands there")
	}
	if n := knownRows(v.Cells, expected); n < segmentedRows/2 {
		t.Errorf("%d of %d rows were not read", n, segmentedRows)
	}
}

func TestWhatAnotherBlockWritesIsNotKnown(t *testing.T) {
	b, editions := segmentedBook(t)
	g := segmentedGrid(editions)
	s := hosttest.Open(t, b.host, "book.xlsx")
	reads(t, s, b.block, 8, g)
	beside := host.Block{Document: "book.xlsx", PlacementID: "beside", Sheet: "Sheet1", Anchor: placements.Anchor{Row: 1, Column: 6}}
	if _, err := hosttest.Write(s, host.Patch{Block: beside, Grid: g, Extent: g.Extent(), Rows: []checksum.Span{{From: 0, To: g.Rows()}}}); err != nil {
		t.Fatal(err)
	}
	v := reads(t, hosttest.Open(t, b.host, "book.xlsx"), b.block, 8, g)
	if got := v.Cells.Cells(1000, nil); len(got) < 6 || got[5] != g.Cells(1000, nil)[0] {
		t.Errorf("row 1000 reads %+v", got)
	}
}

func TestAFormulaInASegmentIsRead(t *testing.T) {
	b, editions := segmentedBook(t)
	g := segmentedGrid(editions)
	f := formulaAt(1200, 1, "=1200+0.5")
	p := host.Patch{Block: b.block, Grid: g, Extent: g.Extent(), Rows: []checksum.Span{{From: 1200, To: 1201}}, Formulas: []host.Formula{f}}
	if _, err := hosttest.WritePatch(b.host, p); err != nil {
		t.Fatal(err)
	}
	s := hosttest.Open(t, b.host, "book.xlsx")
	reads(t, s, b.block, 4, g)
	if _, err := hosttest.Write(s, host.Patch{Block: b.block, Grid: g, Extent: g.Extent(), Rows: []checksum.Span{{From: 7, To: 8}}}); err != nil {
		t.Fatal(err)
	}
	v := reads(t, hosttest.Open(t, b.host, "book.xlsx"), b.block, 4, g)
	if diff := cmp.Diff([]host.Formula{f}, v.Formulas); diff != "" {
		t.Error(diff)
	}
	if n := knownRows(v.Cells, g); n < segmentedRows/2 {
		t.Errorf("%d of %d rows were not read", n, segmentedRows)
	}
}
