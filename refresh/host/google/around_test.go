package google_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/google/googlefake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// grow refreshes a block of 4 × 2 at B3 with a total below it, which a patch lets grow by two rows at its end.
func (r rig) grow(t *testing.T, patch func(*host.Patch)) (host.Session, host.Patch) {
	t.Helper()
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(4, 2, nil))
	r.SetFormula(t, "Data", "C7", "SUM(C4:C6)", checksum.Num(0))
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, checksum.Extent{Rows: 6, Columns: 2})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(6, 2, nil))
	p.Shifts = []checksum.Shift{{At: 4, Rows: 2}}
	patch(&p)
	r.Requests()
	return s, p
}

func (r rig) wantFormula(t *testing.T, cell, want string) {
	t.Helper()
	if _, got := r.Get(t, "Data", cell); got != want {
		t.Errorf("%s holds %q, want %q", cell, got, want)
	}
}

func TestATotalThatWasReadTakesOneLookAtAllNames(t *testing.T) {
	r := newRig(t)
	s, p := r.grow(t, func(*host.Patch) {})
	w, err := hosttest.Write(s, p)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if seen := r.Requests(); len(seen) != 3 || w.Calls != 3 {
		t.Errorf("%d calls, %+v; want one for the names, one for hidden rows, and one that writes", w.Calls, seen)
	}
	r.wantFormula(t, "C9", "SUM(C4:C8)")
}

func TestFormulasBesideTakeOneFurtherRead(t *testing.T) {
	r := newRig(t)
	r.SetFormula(t, "Data", "T6", "C6*2", checksum.Num(0))
	s, p := r.grow(t, func(p *host.Patch) { p.FillRight = checksum.Span{From: 10, To: 30} })
	w, err := hosttest.Write(s, p)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	seen := r.Requests()
	if len(seen) != 4 || w.Calls != 4 || seen[2].Method != http.MethodGet || seen[3].Method != http.MethodPost {
		t.Errorf("%d calls, %+v; want one for the names, two reads and a write", w.Calls, seen)
	}
	r.wantFormula(t, "T8", "C8*2") // the last column that the sheet has
	r.wantFormula(t, "C9", "SUM(C4:C8)")
}

func TestATotalInACellOfTextFormatStaysAFormula(t *testing.T) {
	r := newRig(t)
	r.Quirk(googlefake.Quirks{TextKeepsNumbers: true})
	s, p := r.grow(t, func(*host.Patch) {})
	r.SetNumberFormat(t, "Data", "C7", "@")
	s.Close()
	s = hosttest.Open(t, r.host, doc)
	if _, err := hosttest.Read(s, placedBlock, checksum.Extent{Rows: 6, Columns: 2}); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	r.wantFormula(t, "C9", "SUM(C4:C8)")
}

func TestABlockAtTheSheetsEndGrows(t *testing.T) {
	r := newRig(t)
	r.Edit(doc, func(b *book.Book) { b.Sheet("Data").Rows = 6 })
	g := hosttest.Numbers(4, 2, nil)
	hosttest.Refresh(t, r.host, placedBlock, g)
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, checksum.Extent{Rows: 6, Columns: 2})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(6, 2, nil))
	p.Shifts = []checksum.Shift{{At: 4, Rows: 2}}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if v, err = hosttest.ReadBlock(r.host, placedBlock, checksum.Extent{}); err != nil || v.Extent.Rows != 6 {
		t.Errorf("%+v, %s", v.Extent, hosttest.Detail(err))
	}
}

func TestASheetCutOffWhileItIsLookedAroundIsAChange(t *testing.T) {
	r := newRig(t)
	s, p := r.grow(t, func(p *host.Patch) { p.FillRight = checksum.Span{From: 10, To: 12} })
	r.FailAfter(1, http.StatusBadRequest, "") // the names pass
	_, err := hosttest.Write(s, p)
	hosttest.WantFault(t, err, placements.Transient)
	r.wantFormula(t, "C7", "SUM(C4:C6)")
}

func TestRowsThatMoveTakeTheFormulasBesideThemAlong(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(5, 2, nil)
	hosttest.Refresh(t, r.host, placedBlock, g) // B3:C7
	for _, cell := range []string{"4", "5", "6", "7"} {
		r.SetFormula(t, "Data", "E"+cell, "C"+cell+"*2", checksum.Num(0))
	}
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, g.Extent())
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, g)
	p.Rows, p.Moves, p.FillRight = nil, []checksum.RowMove{{From: 1, Rows: 1, To: 4}}, checksum.Span{From: 4, To: 5}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	for _, cell := range []string{"4", "5", "6", "7"} {
		r.wantFormula(t, "E"+cell, "C"+cell+"*2")
	}
}

// TestNotesBesideRowsThatMoveAreNotFilledDown moves the last row, which has a formula beside it, so that a row with a note is the last one
// of before that rows are gained below.
func TestNotesBesideRowsThatMoveAreNotFilledDown(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, placedBlock, hosttest.Numbers(5, 2, nil)) // B3:C7
	r.Set(t, "Data", "E6", checksum.Str("a note"))
	r.SetFormula(t, "Data", "E7", "C7*2", checksum.Num(0))
	s := hosttest.Open(t, r.host, doc)
	v, err := hosttest.Read(s, placedBlock, checksum.Extent{Rows: 7, Columns: 2})
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	p := hosttest.Whole(doc, "p1", v, hosttest.Numbers(7, 2, nil))
	p.Rows, p.FillRight = nil, checksum.Span{From: 4, To: 5}
	p.Moves, p.Shifts = []checksum.RowMove{{From: 4, Rows: 1, To: 1}}, []checksum.Shift{{At: 5, Rows: 2}}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	r.wantFormula(t, "E4", "C4*2")
	for _, cell := range []string{"E8", "E9"} { // as the row does that was the last one
		r.wantFormula(t, cell, "C"+cell[1:]+"*2")
	}
	if got, _ := r.Get(t, "Data", "E7"); got != checksum.Str("a note") {
		t.Errorf("E7 holds %v", got)
	}
}

// TestRowsThatAFilterHidesAreTold lets a block grow into a row that a filter hides, which the service does not show.
func TestRowsThatAFilterHidesAreTold(t *testing.T) {
	r := newRig(t)
	r.At(t, "Data", "A8", func(s *book.Sheet, row, _ int) { s.Hide(row, book.ByFilter) })
	s, p := r.grow(t, func(*host.Patch) {})
	w, err := hosttest.Write(s, p)
	if err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	if want := []checksum.Span{{From: 7, To: 8}}; !slices.Equal(w.Vanished, want) || w.Shown != nil {
		t.Errorf("vanished %v, shown %v; want %v and none", w.Vanished, w.Shown, want)
	}
}

func TestATotalStillSumsAllRowsOnceSomeMovedToAnEnd(t *testing.T) {
	for _, m := range []checksum.RowMove{
		{From: 1, Rows: 1, To: 5}, {From: 1, Rows: 3, To: 5}, {From: 4, Rows: 1, To: 1}, {From: 2, Rows: 2, To: 1}, {From: 2, Rows: 1, To: 5},
	} {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			r := newRig(t)
			g := hosttest.Numbers(5, 2, nil)
			hosttest.Refresh(t, r.host, placedBlock, g) // B3:C7
			r.SetFormula(t, "Data", "C8", "SUM(C4:C7)", checksum.Num(0))
			s := hosttest.Open(t, r.host, doc)
			v, err := hosttest.Read(s, placedBlock, g.Extent())
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			p := hosttest.Whole(doc, "p1", v, g)
			p.Rows, p.Moves = nil, []checksum.RowMove{m}
			if _, err := hosttest.Write(s, p); err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			r.wantFormula(t, "C8", "SUM(C4:C7)")
			moved, err := hosttest.ReadBlock(r.host, placedBlock, g.Extent())
			if err != nil {
				t.Fatal(hosttest.Detail(err))
			}
			to := m.To // of its first row
			if m.To > m.From {
				to -= m.Rows
			}
			if got, want := moved.Cells.Cells(to, nil), g.Cells(m.From, nil); !slices.Equal(got, want) {
				t.Errorf("row %d holds %v, want %v", to, got, want)
			}
		})
	}
}
