package placements_test

import (
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/placements/placementstest"
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

func TestAFalseEndTakesNoCellForTheStatus(t *testing.T) {
	reader, editor := placementstest.Stamp(), placementstest.Stamp()
	reader.By, reader.MayEdit = placements.RunAs{UID: 8}, false
	p, err := placements.Refreshed(placementstest.Rewritten(), placements.Rewrite{EndResultCell: "ZZ999"}, reader)
	if err != nil {
		t.Fatal(err)
	}
	status := func(location, cell string, more ...func(*placements.Connection)) placements.Connection {
		c := placements.Connection{
			PlacementID: p.ID, ExternalWorkbookID: "doc", ResultLocation: location, AddressOnly: true, StatusCell: placements.Sent(cell),
		}
		for _, f := range more {
			f(&c)
		}
		return c
	}
	written := func(c *placements.Connection) { c.AddressOnly = false }
	for _, tc := range []struct {
		fact    string
		c       placements.Connection
		refused bool
	}{
		{"outside what was written", status("Data!B2", "K5"), false},
		{"inside what was written", status("Data!B2", "C5"), true},
		{"outside what the editor says", status("Data!B2", "K5", func(c *placements.Connection) { c.EndResultCell = "D9" }), false},
		{"outside the block that moves", status("Data!B30", "K35"), false},
		{"outside the block that moves with data", status("Data!B30", "K35", written), false},
		{"inside the block that moves with data", status("Data!B30", "C35", written), true},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			if _, err := placements.Connect([]placements.Placement{p}, tc.c, editor); (err != nil) != tc.refused {
				t.Errorf("got %v, want refused: %t", err, tc.refused)
			}
		})
	}
}

// A block that was never written takes its anchor alone, wherever a client says that it will end.
func TestAnEndThatWasNeverWrittenTakesNoCellForTheStatus(t *testing.T) {
	reader, editor := placementstest.Stamp(), placementstest.Stamp()
	reader.By, reader.MayEdit = placements.RunAs{UID: 8}, false
	placed := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "ZZ999", AddressOnly: true}
	p, err := placements.Connect(nil, placed, reader)
	if err != nil {
		t.Fatal(err)
	}
	with := placements.Connection{
		PlacementID: p.Placement.ID, ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true, StatusCell: placements.Sent("K5"),
	}
	if _, err := placements.Connect([]placements.Placement{p.Placement}, with, editor); err != nil {
		t.Error(err)
	}
}
