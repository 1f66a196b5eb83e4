package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
	"mooring/refresh/host/hosttest"
	"mooring/refresh/host/hosttest/book"
)

func TestRangesHoldTenThousandCellsAtMost(t *testing.T) {
	r := newRig(t)
	g := hosttest.Numbers(4_000, 10, nil)
	hosttest.Refresh(t, r.host, block, g)
	r.read(t, g.Extent())
	for _, seen := range r.Requests() {
		for _, step := range seen.Steps {
			_, address, found := strings.Cut(step, "/range(address='")
			if !found {
				continue
			}
			l, err := placements.ParseLocation(address[:strings.Index(address, "'")])
			if err != nil || l.Rows*l.Columns > 10_000 {
				t.Errorf("a range has %d cells: %s", l.Rows*l.Columns, step)
			}
		}
	}
}

// longTexts is a table of 2 columns whose rows take about 60 kB in an answer's arrays of values.
func longTexts(rows int) *checksum.Grid {
	changed := map[host.Position]checksum.Cell{}
	for row := range rows {
		changed[host.Position{Row: row}] = checksum.Str(strings.Repeat("x", 30_000))
	}
	return hosttest.Numbers(rows, 2, changed)
}

func TestAnswersThatAreTooLargeAreAskedForInHalves(t *testing.T) {
	r := newRig(t)
	g := longTexts(400)
	hosttest.Refresh(t, r.host, block, g)
	v := r.read(t, g.Extent())
	if diff := cmp.Diff(g.Checksum(), v.Cells.Checksum()); diff != "" || !v.Marked {
		t.Errorf("marked %t, %s", v.Marked, diff)
	}
}

func TestStepsThatAreTooMuchAreRepeatedInHalves(t *testing.T) {
	for _, row := range []struct {
		fact   string
		status int
		code   string
	}{
		{"an answer over the limit", 400, "ResponsePayloadSizeLimitExceeded"},
		{"a range over the limit", 400, "rangeExceedsLimit"},
		{"a request over the limit", 413, "requestEntityTooLarge"},
		{"a range that took too long", 504, "gatewayTimeoutUncategorized"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			g := hosttest.Numbers(500, 4, map[host.Position]checksum.Cell{{Row: 99, Column: 3}: checksum.Str("x")})
			r := newRig(t)
			s, v := r.open(t, g.Extent())
			r.FailStep(stepsBefore, row.status, row.code, "")
			w, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, g))
			if err != nil || w.Calls != 2 {
				t.Fatalf("%d calls: %s", w.Calls, hosttest.Detail(err))
			}
			r.FailStep(3, row.status, row.code, "") // the range, after tag, sheets and names
			v = r.read(t, g.Extent())
			if diff := cmp.Diff(g.Checksum(), v.Cells.Checksum()); diff != "" || v.Calls != 2 {
				t.Errorf("%d calls, %s", v.Calls, diff)
			}
		})
	}
}

func TestRangeThatIsTooMuchHoweverSmallIsAFault(t *testing.T) {
	r := newRig(t)
	hosttest.Refresh(t, r.host, block, hosttest.Numbers(2, 2, nil))
	s, v := r.open(t, checksum.Extent{Rows: 2, Columns: 2})
	r.FailSteps(stepsBefore, 1000, 504, "gatewayTimeoutUncategorized")
	_, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(2, 2, nil)))
	hosttest.WantFault(t, err, placements.Transient)
}

func TestWritesWithoutASessionWhereNoneIsOpened(t *testing.T) {
	r := newRig(t)
	r.RefuseSessions()
	g := hosttest.Numbers(5, 2, nil)
	hosttest.Refresh(t, r.host, block, g)
	v := r.read(t, g.Extent())
	if diff := cmp.Diff(g.Checksum(), v.Cells.Checksum()); diff != "" || !v.Marked {
		t.Errorf("marked %t, %s", v.Marked, diff)
	}
	r.LoseWrites()
	s, v := r.open(t, g.Extent())
	_, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(5, 2, map[host.Position]checksum.Cell{{}: checksum.Str("new")})))
	if f := hosttest.WantFault(t, err, placements.Transient); !strings.Contains(f.Message, "did not keep it") {
		t.Errorf("the message is %q", f.Message)
	}
}

func TestLockedCells(t *testing.T) {
	for _, row := range []struct {
		fact string
		lock book.Region
		want string // the locked cells that the message names; empty: none is touched
	}{
		{"between the rows that change", book.Region{Row: 5, Column: 1, Rows: 1, Columns: 3}, ""},
		{"a cell that stays", book.Region{Row: 3, Column: 2, Rows: 1, Columns: 1}, ""},
		{"a cell that changes", book.Region{Row: 8, Column: 3, Rows: 1, Columns: 1}, "D9"},
		{"a row that changes", book.Region{Row: 3, Column: 1, Rows: 1, Columns: 3}, "B4"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			r := newRig(t)
			hosttest.Refresh(t, r.host, block, hosttest.Numbers(10, 3, nil))
			r.SetFormula(t, "Data", "C4", "1+2", checksum.Num(3))
			s, v := r.open(t, checksum.Extent{Rows: 10, Columns: 3})
			r.Lock(doc, "Data", row.lock)
			g := hosttest.Numbers(10, 3, map[host.Position]checksum.Cell{{Row: 1}: checksum.Str("a"), {Row: 6, Column: 2}: checksum.Str("b")})
			p := hosttest.Whole(doc, "p1", v, g)
			p.Rows = []checksum.Span{{From: 1, To: 2}, {From: 6, To: 7}}
			p.Formulas = []host.Formula{{Position: host.Position{Row: 1, Column: 1}}}
			_, err := hosttest.Write(s, p)
			if row.want == "" {
				if c, _ := r.Get(t, "Data", "D9"); err != nil || c != checksum.Str("b") {
					t.Errorf("D9 holds %+v: %s", c, hosttest.Detail(err))
				}
				if _, formula := r.Get(t, "Data", "C4"); formula != "1+2" {
					t.Errorf("the formula became %q", formula)
				}
				return
			}
			var f *placements.Fault
			if !errors.As(err, &f) || !strings.Contains(f.Message, row.want) {
				t.Errorf("got %s, want it to name %s", hosttest.Detail(err), row.want)
			}
		})
	}
}

func TestLockedCellsOfTheFirstStepAreAConflict(t *testing.T) {
	r := newRig(t)
	s, v := r.open(t, checksum.Extent{Rows: 10, Columns: 3})
	r.Lock(doc, "Data", book.Region{Row: 4, Column: 2, Rows: 2, Columns: 1})
	state := r.State(t)
	_, err := hosttest.Write(s, hosttest.Whole(doc, "p1", v, hosttest.Numbers(10, 3, nil)))
	f := hosttest.WantFault(t, err, placements.Conflict)
	if !strings.Contains(f.Message, "C5, C6") && !strings.Contains(f.Message, "C5:C6") {
		t.Errorf("the message is %q, want it to name C5 and C6", f.Message)
	}
	if r.State(t) != state {
		t.Error("the document changed")
	}
}

func TestNumbersInTextCellsStayNumbers(t *testing.T) {
	r := newRig(t)
	for cell, format := range map[string]string{"B4": "@", "C4": "@", "D4": "@", "B5": "0.0"} {
		r.At(t, "Data", cell, func(s *book.Sheet, row, column int) { s.SetFormat(row, column, format) })
	}
	var b checksum.Builder
	b.Append(checksum.Str("n"), checksum.Str("text"), checksum.Str("day"), checksum.Str("plain"))
	b.Append(checksum.Num(1.5), checksum.Str("0042"), checksum.Num(45000), checksum.Num(7))
	g := b.Grid()
	s, v := r.open(t, g.Extent())
	p := hosttest.Whole(doc, "p1", v, g)
	p.Formats = []string{"", "", "yyyy-mm-dd", ""}
	if _, err := hosttest.Write(s, p); err != nil {
		t.Fatal(hosttest.Detail(err))
	}
	for cell, want := range map[string]checksum.Cell{
		"B4": checksum.Num(1.5), "C4": checksum.Str("0042"), "D4": checksum.Num(45000), "E4": checksum.Num(7),
	} {
		if c, _ := r.Get(t, "Data", cell); c != want {
			t.Errorf("%s holds %+v, want %+v", cell, c, want)
		}
	}
	for cell, want := range map[string]string{"B4": "", "C4": "@", "D4": "yyyy-mm-dd", "E4": ""} {
		if format := r.NumberFormat(t, "Data", cell); format != want {
			t.Errorf("%s has the format %q, want %q", cell, format, want)
		}
	}
}
