package placements_test

import (
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
)

// What clients say of a block never makes its age younger, and makes it unknown only if they are believed and say that it has changed.
func TestAgeAfterWhatClientsSay(t *testing.T) {
	const asOf = "2026-03-02T07:00:00.000Z"
	sum := func(hash string) *checksum.ResultChecksum {
		return &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 3, Hash: hash}}}
	}
	stands := func() placements.Placement {
		return placements.Placement{
			ID: "p1", WorkbookID: "doc", Host: placements.SheetsB, SheetID: "7", SheetName: "Data", AnchorCell: "B2", EndResultCell: "D20",
			ResultLocation: "Data!B2", ResultChecksum: sum("stands"), QueryChecksum: "q1", PlacedAt: asOf, RefreshedAt: "2026-03-02T07:00:01.000Z",
			RunAs: &placements.RunAs{UID: 42}, AsOf: asOf,
		}
	}
	editor := placements.Stamp{
		Now: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC), By: placements.RunAs{UID: 42}, MayEdit: true, QueryChecksum: "q2", NewID: "new",
	}
	stranger := editor
	stranger.By, stranger.MayEdit = placements.RunAs{UID: 9}, false
	here := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"}
	with := func(edit func(*placements.Connection)) placements.Connection {
		c := here
		edit(&c)
		return c
	}
	same := with(func(c *placements.Connection) { c.ResultChecksum = sum("stands") })
	other := with(func(c *placements.Connection) { c.ResultChecksum = sum("other") })
	shorter := with(func(c *placements.Connection) { c.AddressOnly, c.EndResultCell = true, "D10" })
	address := with(func(c *placements.Connection) { c.AddressOnly = true })
	moved := with(func(c *placements.Connection) { c.AddressOnly, c.PlacementID, c.ResultLocation = true, "p1", "Data!H2" })
	renamed := with(func(c *placements.Connection) { c.AddressOnly, c.SheetID, c.ResultLocation = true, "7", "New!B2" })
	for _, tt := range []struct {
		fact string
		c    placements.Connection
		by   placements.Stamp
		want string
	}{
		{"a connect of the address only keeps it", address, editor, asOf},
		{"other cells make it unknown", other, editor, ""},
		{"a write that does not say of what makes it unknown", here, editor, ""},
		{"the same cells keep it", same, editor, asOf},
		{"a stranger's other cells keep it", other, stranger, asOf},
		{"a stranger's write that does not say of what keeps it", here, stranger, asOf},
		{"fewer rows make it unknown", shorter, editor, ""},
		{"a stranger's fewer rows keep it", shorter, stranger, asOf},
		{"a move makes it unknown", moved, editor, ""},
		{"a sheet's new name keeps it", renamed, editor, asOf},
	} {
		ch, err := placements.Connect([]placements.Placement{stands()}, tt.c, tt.by)
		if err != nil || ch.Placement.ID != "p1" || ch.Placement.AsOf != tt.want {
			t.Errorf("connect: %s: %s as of %q, want %q, error %v", tt.fact, ch.Placement.ID, ch.Placement.AsOf, tt.want, err)
		}
		declared, _, err := placements.Declare([]placements.Placement{stands()}, tt.c, tt.by)
		want := tt.want
		if tt.c == here {
			want = asOf // a report's body that repeats the address claims no write
		}
		if err != nil || declared.Placement.ID != "p1" || tt.c != moved && tt.c != renamed && declared.Placement.AsOf != want {
			t.Errorf("declare: %s: %s as of %q, want %q, error %v", tt.fact, declared.Placement.ID, declared.Placement.AsOf, want, err)
		}
	}
	for _, tt := range []struct {
		fact string
		w    placements.Rewrite
		by   placements.Stamp
		want string
	}{
		{"other cells make it unknown", placements.Rewrite{ResultChecksum: sum("other")}, editor, ""},
		{"a write that does not say of what makes it unknown", placements.Rewrite{}, editor, ""},
		{"the same cells keep it", placements.Rewrite{ResultChecksum: sum("stands")}, editor, asOf},
		{"the same cells and fewer rows make it unknown", placements.Rewrite{ResultChecksum: sum("stands"), EndResultCell: "D10"}, editor, ""},
		{"a stranger's write keeps it", placements.Rewrite{EndResultCell: "D10"}, stranger, asOf},
	} {
		p, err := placements.Refreshed(stands(), tt.w, tt.by)
		if err != nil || p.AsOf != tt.want {
			t.Errorf("rewrite: %s: as of %q, want %q, error %v", tt.fact, p.AsOf, tt.want, err)
		}
	}
	unknown := stands()
	unknown.AsOf = ""
	if p, err := placements.Refreshed(unknown, placements.Rewrite{ResultChecksum: sum("stands")}, editor); err != nil || p.AsOf != "" {
		t.Errorf("a client's write gives no age: %q, %v", p.AsOf, err)
	}
}
