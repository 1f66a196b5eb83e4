package hosttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/refresh/host"
)

// showsGained lets a block grow in place into the first of two hidden rows.
func showsGained(t *testing.T, b Spreadsheet) {
	place(t, b, b.block(), people(3))
	b.Editor.HideRows(t, b.Sheet, 8, 2)
	w := growPeople(t, b, 1, false)
	wantShown(t, b, w, []checksum.Span{{From: 7, To: 8}}, map[int]bool{8: false, 9: true})
}

// showsMoved inserts two rows between a block and its total: the second one, and the total, come to stand in hidden rows.
func showsMoved(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	place(t, b, b.block(), people(3))
	b.Editor.Set(t, b.Sheet, "D8", checksum.Str("total"))
	b.Editor.Set(t, b.Sheet, "H10", checksum.Str("beside"))
	b.Editor.HideRows(t, b.Sheet, 9, 3)
	w := growPeople(t, b, 2, true)
	wantCell(t, b, b.Sheet, "D10", checksum.Str("total"), "")
	wantShown(t, b, w, []checksum.Span{{From: 8, To: 10}}, map[int]bool{9: false, 10: false, 11: true})
}

// keepsHidden moves a total that is hidden into a hidden row, and nothing into others.
func keepsHidden(t *testing.T, b Spreadsheet) {
	if b.Host.MaxShifts() == 0 {
		t.Skip("the host shifts no cells")
	}
	place(t, b, b.block(), people(3))
	b.Editor.Set(t, b.Sheet, "D9", checksum.Str("total"))
	b.Editor.Set(t, b.Sheet, "H12", checksum.Str("beside"))
	b.Editor.HideRows(t, b.Sheet, 9, 2)
	b.Editor.HideRows(t, b.Sheet, 12, 1)
	w := growPeople(t, b, 1, true)
	wantCell(t, b, b.Sheet, "D10", checksum.Str("total"), "")
	wantShown(t, b, w, nil, map[int]bool{8: false, 9: true, 10: true, 12: true})
}

// growPeople lets a block of three people grow at its end.
func growPeople(t *testing.T, b Spreadsheet, rows int, shifts bool) host.Written {
	t.Helper()
	s := open(t, b)
	defer s.Close()
	p := hostPatch(b.block(), s.read(b.block(), people(3+rows).Extent()), people(3+rows), checksum.Span{From: 4, To: 4 + rows})
	if shifts {
		p.Shifts = []checksum.Shift{{At: 4, Rows: rows}}
	}
	return s.write(p)
}

// wantShown checks which rows a write told of as shown, and which are hidden, by their numbers from one.
func wantShown(t *testing.T, b Spreadsheet, w host.Written, shown []checksum.Span, hidden map[int]bool) {
	t.Helper()
	if diff := cmp.Diff(shown, w.Shown); diff != "" || w.Vanished != nil {
		t.Errorf("shown (-want +got):\n%s, and %v stay hidden", diff, w.Vanished)
	}
	for row, want := range hidden {
		if got := b.Editor.Hidden(t, b.Sheet, row); got != want {
			t.Errorf("row %d is hidden: %t, want %t", row, got, want)
		}
	}
}
