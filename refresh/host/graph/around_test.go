package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/graph/graphfake"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

// grow refreshes a block of 4 × 2 at B3 with a total below it, which a patch lets gain rows.
func (r rig) grow(t *testing.T, rows int, shift checksum.Shift) (host.Session, host.Patch) {
	t.Helper()
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(4, 2, nil))
	r.SetFormula(t, "Data", "C7", "SUM(C4:C6)", checksum.Num(0))
	g := hosttest.Numbers(rows, 2, nil)
	s, v := r.open(t, g.Extent())
	p := hosttest.Whole(doc, "p1", v, g)
	p.Shifts = []checksum.Shift{shift}
	r.Requests()
	return s, p
}

func (r rig) wantFormula(t *testing.T, cell, want string) {
	t.Helper()
	if _, got := r.Get(t, "Data", cell); got != want {
		t.Errorf("%s holds %q, want %q", cell, got, want)
	}
}

// ranges are the methods and addresses of the requests about cells so far.
func (r rig) ranges() (list []string) {
	for _, seen := range r.Requests() {
		for _, step := range seen.Steps {
			if _, address, ok := strings.Cut(step, "/range(address='"); ok {
				method, _, _ := strings.Cut(step, " ")
				address, verb, _ := strings.Cut(address, "')")
				verb, _, _ = strings.Cut(verb, "?")
				list = append(list, method+" "+address+verb)
			}
		}
	}
	return list
}

func TestATotalThatWasReadTakesNoFurtherRead(t *testing.T) {
	r := newRig(t)
	s, p := r.grow(t, 6, checksum.Shift{At: 4, Rows: 2})
	if w, err := hosttest.Write(s, p); err != nil || w.Calls != 1 {
		t.Fatalf("%d calls: %s", w.Calls, hosttest.Detail(err))
	}
	r.wantFormula(t, "C9", "SUM(C4:C8)")
	got := strings.Join(r.ranges(), ", ")
	if want := "GET B3:C8, GET B3:B9, POST B7:C8/insert, PATCH C9:C9, PATCH B3:C8"; got != want {
		t.Errorf("the ranges were %s, want %s", got, want)
	}
}

func TestRowsUnderTheHeaderDoNotLookLikeIt(t *testing.T) {
	r := newRig(t)
	s, p := r.grow(t, 5, checksum.Shift{At: 1, Rows: 1})
	r.SetNumberFormat(t, "Data", "B3", "0%")
	r.SetNumberFormat(t, "Data", "E3", "0%")
	r.SetNumberFormat(t, "Data", "E4", "0.0")
	p.FillRight = checksum.Span{From: 4, To: 5}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	for cell, want := range map[string]string{"B3": "0%", "B4": "", "E4": "0.0", "E5": "0.0"} {
		if got := r.NumberFormat(t, "Data", cell); got != want {
			t.Errorf("%s has the format %q, want %q", cell, got, want)
		}
	}
	r.wantFormula(t, "C8", "SUM(C4:C7)")
}

func TestManyFormulasAreFilledInSeveralRequests(t *testing.T) {
	r := newRig(t)
	r.SetFormula(t, "Data", "F6", "C6*2", checksum.Num(0))
	r.SetFormula(t, "Data", "G6", "1+1", checksum.Num(2))
	s, p := r.grow(t, 4_504, checksum.Shift{At: 4, Rows: 4_500})
	p.FillRight = checksum.Span{From: 5, To: 7}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	for _, row := range []int{7, 2_006, 2_007, 4_506} {
		r.wantFormula(t, fmt.Sprint("F", row), fmt.Sprintf("C%d*2", row))
		r.wantFormula(t, fmt.Sprint("G", row), "1+1")
	}
	r.wantFormula(t, "F4507", "")
	filled := 0
	for _, at := range r.ranges() {
		if strings.HasPrefix(at, "PATCH F") {
			filled++
		}
	}
	if filled != 3 {
		t.Errorf("%d requests filled a column, want 3", filled)
	}
}

func TestAFormulaThatWouldReferBeyondTheSheetIsNotFilled(t *testing.T) {
	r := newRig(t)
	r.SetFormula(t, "Data", "F6", fmt.Sprintf("Z%d", graphfake.Rows-1), checksum.Num(0))
	s, p := r.grow(t, 6, checksum.Shift{At: 4, Rows: 2})
	p.FillRight = checksum.Span{From: 5, To: 6}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	r.wantFormula(t, "F7", "")
}

func TestATotalThatBeganToMoveIsNotWritten(t *testing.T) {
	r := newRig(t)
	s, p := r.grow(t, 6, checksum.Shift{At: 4, Rows: 2})
	r.SetFormula(t, "Data", "C7", "SUM(C4:C6)*2", checksum.Num(0))
	_, err := hosttest.Write(s, p)
	hosttest.WantFault(t, err, placements.Transient)
	r.wantFormula(t, "C7", "SUM(C4:C6)*2")
}

func TestFollowersOfManySheetsAreCounted(t *testing.T) {
	r := newRig(t)
	r.Edit(doc, func(b *book.Book) {
		for i := range 45 {
			b.AddSheet(fmt.Sprint("S", i), graphfake.Rows, graphfake.Columns).SetFormula(i, 1, "=Data!C7", 0.)
		}
	})
	s, p := r.grow(t, 6, checksum.Shift{At: 4, Rows: 2})
	follow, err := s.(host.Follower).Follows(t.Context(), []host.Patch{p})
	if want := (host.Follow{Formulas: 46, Sheets: 46}); err != nil || follow != want {
		t.Errorf("%+v, %s; want %+v", follow, hosttest.Detail(err), want)
	}
}
