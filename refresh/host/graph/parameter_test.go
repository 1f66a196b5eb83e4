package graph_test

import (
	"net/http"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

var parameterBlock = host.Block{Document: doc, PlacementID: "p1", Sheet: "Data", Anchor: placements.Anchor{Row: 2, Column: 1}}

// writeNamed writes a block, and names cells of the sheet Other, one below the other.
func writeNamed(t *testing.T, r rig, n int) (list []host.ParameterCells) {
	t.Helper()
	for i := range n {
		at := placements.Location{Sheet: "Other", Anchor: placements.Anchor{Row: i, Column: 1}, Rows: 1, Columns: 1}
		list = append(list, host.ParameterCells{ID: host.ParameterID("p1", i), At: at})
	}
	s := hosttest.Open(t, r.host, doc)
	defer s.Close()
	v, err := hosttest.Read(s, parameterBlock, checksum.Extent{})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(3, 2, nil))
	p.Parameters = list
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	return list
}

// readNamed reads cells alone, with or without the block, and returns the requests that took.
func readNamed(t *testing.T, r rig, cells []host.ParameterCells, wanted ...host.Wanted) ([]host.FoundParameter, []graphfake.Request) {
	t.Helper()
	r.Requests()
	s := hosttest.Open(t, r.host, doc)
	_, found, err := s.(host.ParameterReader).ReadParameters(t.Context(), wanted, cells)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	seen := r.Requests()
	if err := s.Close(); err != nil || r.Sessions() != 0 {
		t.Errorf("%d sessions of the service are open, %v", r.Sessions(), err)
	}
	return found, seen
}

func TestSeventeenParametersTakeOneBatch(t *testing.T) {
	r := newRig(t)
	cells := writeNamed(t, r, 18)
	r.Edit(doc, func(b *book.Book) { b.Sheet("Other").InsertRows(0, 3) })
	for _, row := range []struct{ parameters, requests int }{{1, 1}, {17, 1}, {18, 2}} {
		found, seen := readNamed(t, r, cells[:row.parameters])
		if len(seen) != row.requests || found[0].Calls != row.requests {
			t.Errorf("%d parameters took %d requests, and say %d; want %d", row.parameters, len(seen), found[0].Calls, row.requests)
		}
		for i, f := range found {
			if f.Err != nil || !f.Marked || f.At.Anchor.Row != i+3 || f.Date1904 {
				t.Errorf("parameter %d: at %s, marked %t, %v", i, f.At, f.Marked, f.Err)
			}
		}
	}
	for i := range cells {
		cells[i].At.Anchor.Row += 3
	}
	if _, seen := readNamed(t, r, cells[:10], host.Wanted{Block: parameterBlock, Extent: checksum.Extent{Rows: 3, Columns: 2}}); len(seen) != 1 {
		t.Errorf("with a block they took %d requests, want 1", len(seen))
	}
}

// TestParametersWhereFunctionsAreRefused reads them from a service that says no day's number.
func TestParametersWhereFunctionsAreRefused(t *testing.T) {
	r := newRig(t)
	cells := writeNamed(t, r, 2)
	for _, wanted := range [][]host.Wanted{nil, {{Block: parameterBlock, Extent: checksum.Extent{Rows: 3, Columns: 2}}}} {
		after := 2 // the sheets and the names
		if wanted != nil {
			after++ // and the tag
		}
		r.FailStep(after, http.StatusNotImplemented, "notImplemented", "")
		found, seen := readNamed(t, r, cells, wanted...)
		if len(seen) != 2 || found[1].Err != nil || !found[1].Marked || len(found[1].Cells) != 1 || found[1].Date1904 {
			t.Errorf("%d requests, %+v", len(seen), found[1])
		}
	}
}
