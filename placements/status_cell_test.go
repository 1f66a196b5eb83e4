package placements_test

import (
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

func TestStatusCellText(t *testing.T) {
	at := time.Date(2026, 11, 21, 7, 0, 59, 0, time.FixedZone("", 3600))
	const four = "Refreshed 2026-11-21 07:00 · 4 rows changed"
	for _, tc := range []struct {
		fact   string
		stands checksum.Cell
		rows   int
		want   string // empty: it is left alone
	}{
		{"an empty cell is written", checksum.Cell{}, 4, four},
		{"one row is told in the singular", checksum.Cell{}, 1, "Refreshed 2026-11-21 07:00 · 1 row changed"},
		{"no row is told in the plural", checksum.Cell{}, 0, "Refreshed 2026-11-21 07:00 · 0 rows changed"},
		{"what a refresh wrote is written over", checksum.Str("Refreshed 2026-11-20 23:59 · 1200 rows changed"), 4, four},
		{"also of one row", checksum.Str("Refreshed 2026-11-20 23:59 · 1 row changed"), 4, four},
		{"a text of a person stays", checksum.Str("see the notes"), 4, ""},
		{"so does one that adds to Mooring's", checksum.Str(four + "!"), 4, ""},
		{"and one on a second line", checksum.Str(four + "\nchecked by Ada"), 4, ""},
		{"a number stays", checksum.Num(0), 4, ""},
		{"false stays", checksum.Bool(false), 4, ""},
		{"an error stays", checksum.Err("#N/A"), 4, ""},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			if got, ok := placements.StatusCellText(tc.stands, at, tc.rows); got != tc.want || ok != (tc.want != "") {
				t.Errorf("got %q, %t, want %q", got, ok, tc.want)
			}
		})
	}
}
