package rest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/host"
)

// placed is a patch of a block of four rows below its header at B3, two columns wide, that fills the columns F and G.
func placed(rows int, shifts ...checksum.Shift) *PlacedPatch {
	return &PlacedPatch{
		Patch: &host.Patch{
			Block: host.Block{Sheet: "Data"}, Shifts: shifts, Extent: checksum.Extent{Rows: rows, Columns: 2},
			FillRight: checksum.Span{From: 5, To: 7},
		},
		Sheet: "0", Title: "Data", At: placements.Anchor{Row: 2, Column: 1}, Wide: 6, Had: checksum.Extent{Rows: 5, Columns: 2},
	}
}

func TestBand(t *testing.T) {
	for _, row := range []struct {
		fact    string
		fill    checksum.Span
		columns int // of the sheet
		want    int
	}{
		{"the block as it was or is", checksum.Span{}, 20, 3},
		{"up to the last column filled", checksum.Span{From: 5, To: 7}, 20, 6},
		{"as far as the sheet goes", checksum.Span{From: 5, To: 30}, 20, 19},
		{"a block that grew over what was filled", checksum.Span{From: 2, To: 3}, 20, 3},
	} {
		p := placed(5)
		p.FillRight = row.fill
		if p.Band(checksum.Extent{Rows: 5, Columns: 3}, row.columns); p.Wide != row.want {
			t.Errorf("%s: %d columns, want %d", row.fact, p.Wide, row.want)
		}
	}
}

func TestShiftsSayHowManyRowsThereWere(t *testing.T) {
	lost := checksum.Extent{Rows: 1, Columns: 2}
	for _, row := range []struct {
		fact string
		*PlacedPatch
		want int
	}{
		{"rows gained", placed(7, checksum.Shift{At: 5, Rows: 2}), 5},
		{"rows lost", placed(3, checksum.Shift{At: 1, Rows: 1}, checksum.Shift{At: 3, Rows: -3}), 5},
		{"no shifts", placed(7), 1},
	} {
		if row.Band(lost, 20); row.Had.Rows != row.want {
			t.Errorf("%s: %d rows, want %d", row.fact, row.Had.Rows, row.want)
		}
	}
}

func TestFilling(t *testing.T) {
	for _, row := range []struct {
		fact   string
		rows   int
		shifts []checksum.Shift
		want   host.Filling // without Gained: nothing is filled
	}{
		{"rows gained at the end", 7, []checksum.Shift{{At: 5, Rows: 2}}, host.Filling{Was: 4, Is: 4, Gained: []checksum.Span{{From: 5, To: 7}}}},
		{"rows gained without shifts", 7, nil, host.Filling{Was: 4, Is: 4, Gained: []checksum.Span{{From: 5, To: 7}}}},
		{
			"rows gained under the header", 6,
			[]checksum.Shift{{At: 1, Rows: 1}},
			host.Filling{Was: 4, Is: 5, Gained: []checksum.Span{{From: 1, To: 2}}},
		},
		{
			"rows gained in two places", 8,
			[]checksum.Shift{{At: 2, Rows: 1}, {At: 5, Rows: 2}},
			host.Filling{Was: 4, Is: 7, Gained: []checksum.Span{{From: 2, To: 3}, {From: 5, To: 7}}},
		},
		{
			"rows gained where the last one goes", 6,
			[]checksum.Shift{{At: 4, Rows: -1}, {At: 4, Rows: 2}},
			host.Filling{Was: 3, Is: 3, Gained: []checksum.Span{{From: 4, To: 6}}},
		},
		{"rows lost", 3, []checksum.Shift{{At: 2, Rows: -2}}, host.Filling{}},
		{"rows lost without shifts", 3, nil, host.Filling{}},
		{"no row left of those there were", 3, []checksum.Shift{{At: 1, Rows: -4}, {At: 1, Rows: 2}}, host.Filling{}},
	} {
		got, ok := placed(row.rows, row.shifts...).Filling()
		if ok != (row.want.Gained != nil) {
			t.Errorf("%s: %t", row.fact, ok)
		} else if diff := cmp.Diff(row.want, got); ok && diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.fact, diff)
		}
	}
}

func TestRowsBesideThatAreEmpty(t *testing.T) {
	cells := checksum.Builder{}
	cells.Append(checksum.Cell{}, checksum.Num(1))
	cells.Append()
	cells.Append(checksum.Str("mine"))
	filled := Filled(cells.Grid(), []host.Formula{{Position: host.Position{Row: 3}, Text: `=""`}})
	got := placed(10).Empty(checksum.Span{From: 5, To: 10}, 0, filled)
	if diff := cmp.Diff([]checksum.Span{{From: 5, To: 7}, {From: 9, To: 10}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestShiftsThatOthersDoNotSurvive(t *testing.T) {
	const torn, opened = "beyond the columns", "beside"
	inside, end := checksum.Shift{At: 3, Rows: 2}, checksum.Shift{At: 5, Rows: 2}
	for _, row := range []struct {
		fact          string
		anchor        string
		rows, columns int
		shifts        []checksum.Shift
		want          string // in the message; none: the patch is written
	}{
		{"below", "B12", 3, 2, []checksum.Shift{inside}, ""},
		{"below, over all columns that move", "B12", 3, 6, []checksum.Shift{inside}, ""},
		{"below, in part", "F12", 3, 4, []checksum.Shift{inside}, torn},
		{"below, in part, moved there and back", "F12", 3, 4, []checksum.Shift{inside, {At: 1, Rows: -2}}, ""},
		{"beside the columns that move", "H4", 3, 2, []checksum.Shift{inside}, ""},
		{"beside, where rows are inserted", "E4", 4, 2, []checksum.Shift{inside}, opened},
		{"beside, above where rows are inserted", "E4", 2, 2, []checksum.Shift{inside}, ""},
		{"beside, below where rows are inserted", "E6", 4, 2, []checksum.Shift{inside}, ""},
		{"beside, where a row is deleted", "E6", 1, 1, []checksum.Shift{{At: 3, Rows: -1}}, opened},
		{"beside, where a row is deleted after others came", "E6", 1, 1, []checksum.Shift{{At: 1, Rows: 1}, {At: 4, Rows: -1}}, opened},
		{"beside, reaching below the block", "E4", 9, 2, []checksum.Shift{end}, opened},
		{"a cell without a marker", "E6", 0, 0, []checksum.Shift{inside}, ""},
		{"nothing shifts", "E4", 9, 9, nil, ""},
	} {
		p := placed(5, row.shifts...)
		at, err := placements.ParseAnchor(row.anchor)
		if err != nil {
			t.Fatal(err)
		}
		other := standing{sheet: "0", Now: at, rows: row.rows, columns: row.columns}
		err = Faults{Service: "Service"}.CheckShifts("doc", []PlacedPatch{*p}, Standings{other})
		var fault *placements.Fault
		refused := errors.As(err, &fault)
		if refused != (row.want != "") || refused && (fault.Class != placements.Conflict || !strings.Contains(fault.Message, row.want)) {
			t.Errorf("%s: %v", row.fact, err)
		}
	}
}

func TestCellsBesideMoveWithTheRowsThatTheyStandIn(t *testing.T) {
	p := placed(6, checksum.Shift{At: 3, Rows: 2}, checksum.Shift{At: 1, Rows: -1})
	for cell, want := range map[string]string{"E5": "E4", "E6": "E7", "E20": "E21", "H6": "H6", "B3": "B3", "E4": "E4"} {
		at, _ := placements.ParseAnchor(cell)
		if got := movedBy([]PlacedPatch{*p}, "0", at).String(); got != want {
			t.Errorf("%s moved to %s, want %s", cell, got, want)
		}
	}
}

func TestTotalsGrow(t *testing.T) {
	end := []checksum.Shift{{At: 5, Rows: 2}}
	for _, row := range []struct {
		fact, text, want string
		shifts           []checksum.Shift
		moves            []checksum.RowMove
	}{
		{"over rows gained at the end", "=SUM(C4:C7)", "=SUM(C4:C9)", end, nil},
		{"over rows gained under the header", "=SUM(C4:C7)", "=SUM(C4:C8)", []checksum.Shift{{At: 1, Rows: 1}}, nil},
		{"not over those inside, as the service lets them", "=SUM(C4:C7)", "", []checksum.Shift{{At: 2, Rows: 1}}, nil},
		{"not over those of other ranges", "=SUM(C4:C6)+C8", "", end, nil},
		{"though rows move", "=SUM(C4:C7)", "=SUM(C4:C9)", end, []checksum.RowMove{{From: 2, Rows: 1, To: 4}}},
		{"unless they name one that moves", "=SUM(C4:C7)/C5", "", end, []checksum.RowMove{{From: 2, Rows: 1, To: 4}}},
	} {
		p := placed(7, row.shifts...)
		p.Moves = row.moves
		got := ""
		for _, f := range Grown([]PlacedPatch{*p}, []host.Formula{{Position: host.Position{Row: 5, Column: 1}, Text: row.text}}, nil) {
			got = f.Text
			if want := (host.Position{Row: 5 + p.Grows(), Column: 1}); f.Position != want {
				t.Errorf("%s: at %+v, want %+v", row.fact, f.Position, want)
			}
		}
		if got != row.want {
			t.Errorf("%s: %s became %q, want %q", row.fact, row.text, got, row.want)
		}
	}
}

func TestFollowersAreCountedOutsideTheBlock(t *testing.T) {
	p := placed(7, checksum.Shift{At: 5, Rows: 2})
	f := NewFollowers([]PlacedPatch{*p}, []string{"Data", "Other"})
	at := func(row, column int, text string) host.Formula {
		return host.Formula{Position: host.Position{Row: row, Column: column}, Text: text}
	}
	f.Add("Data", placements.Anchor{}, []host.Formula{
		at(5, 2, "=C8"),           // within the block
		at(7, 2, "=SUM(C4:C7)"),   // the total, directly below
		at(9, 9, "=C8"),           // elsewhere
		at(10, 9, "=SUM(C4:C7)"),  // which the service does not let grow
		at(6, 5, "=SUM(C$4:C7)"),  // beside
		at(11, 9, "=Other!C8*C1"), // of cells that stay
	})
	f.Add("Other", placements.Anchor{Row: 4}, []host.Formula{at(0, 0, "=Data!C8"), at(1, 0, "=C8")})
	if diff := cmp.Diff(host.Follow{Formulas: 3, Sheets: 2}, f.Follow()); diff != "" {
		t.Error(diff)
	}
}

func TestCellsThatAreReadAreBounded(t *testing.T) {
	size := checksum.Extent{Rows: 100, Columns: 10}
	for left, want := range map[int]int{5_000: 100, 1_000: 100, 999: 99, 10: 1, 9: 0, 0: 0} {
		if got := Cells(left, size); got.Rows != want {
			t.Errorf("of %d cells, %d rows, want %d", left, got.Rows, want)
		}
	}
	if got := Cells(5, checksum.Extent{}); got.Rows != 0 {
		t.Errorf("%+v of a sheet without cells", got)
	}
}
