package google_test

import (
	"fmt"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// parameters are cells of the sheet Other, one below the other, of which so many take values from the same one.
func parameters(n, same int) (list []host.ParameterCells) {
	for i := range n {
		at := placements.Location{Sheet: "Other", Anchor: placements.Anchor{Row: max(i-same, 0), Column: 1}, Rows: 1, Columns: 1}
		list = append(list, host.ParameterCells{ID: host.ParameterID("p1", i), At: at})
	}
	return list
}

// writeNamed writes the block, and names cells.
func writeNamed(t *testing.T, r rig, cells []host.ParameterCells) {
	t.Helper()
	s := hosttest.Open(t, r.host, doc)
	found, _, err := s.(host.ParameterReader).ReadParameters(t.Context(), []host.Wanted{{Block: placedBlock}}, cells)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", found[0].View, hosttest.Numbers(3, 2, nil))
	p.Parameters = cells
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
}

func TestParametersTakeOneRequest(t *testing.T) {
	r := newRig(t)
	cells := parameters(40, 10)
	writeNamed(t, r, cells)
	r.Edit(doc, func(b *book.Book) { b.Sheet("Other").InsertRows(0, 3) })
	r.Requests()
	for _, wanted := range [][]host.Wanted{nil, {{Block: placedBlock, Extent: checksum.Extent{Rows: 3, Columns: 2}}}} {
		s := hosttest.Open(t, r.host, doc)
		_, found, err := s.(host.ParameterReader).ReadParameters(t.Context(), wanted, cells)
		if err != nil {
			t.Fatal(hosttest.Detail(err))
		}
		if seen := r.Requests(); len(seen) != 1 {
			t.Errorf("beside %d blocks %d requests, want 1", len(wanted), len(seen))
		}
		for i, f := range found {
			if f.Err != nil || !f.Marked || f.At.Anchor.Row != max(i-10, 0)+3 {
				t.Errorf("parameter %d: at %s, marked %t, %v", i, f.At, f.Marked, f.Err)
			}
			cells[i].At = f.At
		}
	}
}

func TestParametersWithoutTheirNames(t *testing.T) {
	r := newRig(t)
	cells := parameters(3, 0)
	writeNamed(t, r, cells)
	r.Edit(doc, func(b *book.Book) {
		for i, p := range cells {
			b.Sheet("Other").Set(p.At.Anchor.Row, 1, fmt.Sprint("value ", i))
		}
		b.DeleteName(b.Names[2].Name)
	})
	r.Requests()
	s := hosttest.Open(t, r.host, doc)
	_, found, err := s.(host.ParameterReader).ReadParameters(t.Context(), nil, cells)
	if seen := r.Requests(); err != nil || len(seen) != 3 || found[0].Calls != 3 {
		t.Fatalf("%d requests, %d calls, %s; want 3", len(seen), found[0].Calls, hosttest.Detail(err))
	}
	marked := 0
	for i, f := range found {
		if f.Err != nil || f.Cells[0].Value != checksum.Str(fmt.Sprint("value ", i)) {
			t.Errorf("parameter %d: %+v", i, f)
		}
		if f.Marked {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d have their names, want 2", marked)
	}
}

// TestParametersWhoseNameIsTaken names a cell again whose name marked one that was deleted.
func TestParametersWhoseNameIsTaken(t *testing.T) {
	r := newRig(t)
	cells := parameters(1, 0)
	writeNamed(t, r, cells)
	r.Edit(doc, func(b *book.Book) { b.Sheet("Other").DeleteRows(0, 1) })
	cells[0].At.Anchor.Row = 7
	writeNamed(t, r, cells)
	r.Edit(doc, func(b *book.Book) { b.Sheet("Other").InsertRows(0, 2) })
	s := hosttest.Open(t, r.host, doc)
	_, found, err := s.(host.ParameterReader).ReadParameters(t.Context(), nil, cells)
	if err != nil || found[0].Err != nil || !found[0].Marked || found[0].At.String() != "Other!B10" {
		t.Errorf("%s: %+v", hosttest.Detail(err), found[0])
	}
}
