package placements

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
)

var (
	placedTime  = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	connectTime = time.Date(2026, 3, 2, 10, 30, 0, 5e6, time.FixedZone("CET", 3600))
	oldSum      = &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 16, Hash: "aa"}}}
	newSum      = &checksum.ResultChecksum{V: 9, Chunks: []checksum.Chunk{{From: 0, To: 3, Hash: "client's own"}}}
)

func stamp() Stamp {
	return Stamp{Now: connectTime, UserID: 42, QueryChecksum: "q2", NewID: "new"}
}

// moored is a placement recorded by an earlier data write.
func moored(id, document, sheet, anchor, end string) Placement {
	location := quoteSheet(sheet) + "!" + anchor
	return Placement{
		ID: id, WorkbookID: document, WorkbookName: "Book", Host: SheetsB, SheetID: "7", SheetName: sheet, AnchorCell: anchor,
		EndResultCell: end, ResultLocation: location, ResultChecksum: oldSum, QueryChecksum: "q1",
		PlacedAt: Time(placedTime), RefreshedAt: Time(placedTime), PlacedByUserID: 1, RefreshedByUserID: 1,
	}
}

func with(p Placement, edits ...func(*Placement)) Placement {
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// dataWrite is what a connect without addressOnly stamps on a placement that was there.
func dataWrite(p *Placement) {
	p.RefreshedAt, p.RefreshedByUserID, p.QueryChecksum, p.ResultChecksum = "2026-03-02T09:30:00.005Z", 42, "q2", nil
}

func firstWrite(p *Placement) {
	dataWrite(p)
	p.PlacedAt, p.PlacedByUserID = "2026-03-02T09:30:00.005Z", 42
}

func at(sheet, anchor, end, location string) func(*Placement) {
	return func(p *Placement) {
		p.SheetName, p.AnchorCell, p.EndResultCell, p.ResultLocation = sheet, anchor, end, location
	}
}

func TestConnect(t *testing.T) {
	bare := Placement{ID: "new", WorkbookID: "doc", Host: SheetsA}
	p1 := moored("p1", "doc", "Data", "B2", "D20")
	p2 := moored("p2", "doc", "Data", "H2", "")
	noID := Placement{WorkbookID: "doc", Host: SheetsA, SheetName: "Data", AnchorCell: "B2", ResultLocation: "Data!B2"}
	for _, tc := range []struct {
		rule     string
		existing []Placement
		c        Connection
		want     Change
	}{
		{
			"an address not yet recorded becomes a placement", nil,
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			Change{Placement: with(bare, firstWrite, at("Data", "B2", "", "Data!B2")), Index: -1, Created: true},
		},
		{
			"the same address upserts the placement",
			[]Placement{p2, p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			Change{Placement: with(p1, dataWrite), Index: 1},
		},
		{
			"the same address in another spelling",
			[]Placement{p2, p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "data!$b$2"},
			Change{Placement: with(p1, dataWrite, at("data", "B2", "D20", "data!$b$2")), Index: 1},
		},
		{
			"the same anchor of another sheet is another placement",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Other!B2"},
			Change{Placement: with(bare, firstWrite, at("Other", "B2", "", "Other!B2")), Index: -1, Created: true},
		},
		{
			"the same spot of another spreadsheet is another placement",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc2", ResultLocation: "Data!B2"},
			Change{Placement: with(bare, firstWrite, at("Data", "B2", "", "Data!B2"), func(p *Placement) { p.WorkbookID = "doc2" }), Index: -1, Created: true},
		},
		{
			"sheetName and anchorCell give the address", nil,
			Connection{ExternalWorkbookID: "doc", ResultLocation: "B2:D20", SheetName: "It's", AnchorCell: "$b$2"},
			Change{Placement: with(bare, firstWrite, at("It's", "B2", "D20", "B2:D20")), Index: -1, Created: true},
		},
		{
			"a range's anchor is its top-left corner, its end the block's", nil,
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!D20:B2"},
			Change{Placement: with(bare, firstWrite, at("Data", "B2", "D20", "Data!D20:B2")), Index: -1, Created: true},
		},
		{
			"endResultCell wins over the range", nil,
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2:D20", EndResultCell: "$e$30"},
			Change{Placement: with(bare, firstWrite, at("Data", "B2", "E30", "Data!B2:D20")), Index: -1, Created: true},
		},
		{
			"an unknown placementId is recorded", nil,
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "mine"},
			Change{Placement: with(bare, firstWrite, at("Data", "B2", "", "Data!B2"), func(p *Placement) { p.ID = "mine" }), Index: -1, Created: true},
		},
		{
			"a known placementId moves that placement, and its block keeps its size",
			[]Placement{p2, p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!C5", PlacementID: "p1"},
			Change{Placement: with(p1, dataWrite, at("Data", "C5", "E23", "Data!C5")), Index: 1},
		},
		{
			"a move to another sheet forgets the old sheet's id",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Other!B2", PlacementID: "p1"},
			Change{Placement: with(p1, dataWrite, at("Other", "B2", "D20", "Other!B2"), func(p *Placement) { p.SheetID = "" })},
		},
		{
			"a move to another spreadsheet forgets its name and the sheet's id",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc2", ResultLocation: "Data!B2", PlacementID: "p1"},
			Change{
				Placement: with(p1, dataWrite, func(p *Placement) { p.WorkbookID, p.WorkbookName, p.SheetID = "doc2", "", "" }),
			},
		},
		{
			"a known placementId where it stands is no move",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "p1"},
			Change{Placement: with(p1, dataWrite)},
		},
		{
			"a placement without an id takes the one sent",
			[]Placement{noID},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "mine"},
			Change{Placement: with(noID, firstWrite, func(p *Placement) { p.ID = "mine" })},
		},
		{
			"a placement without an id gets one",
			[]Placement{noID},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"},
			Change{Placement: with(noID, firstWrite, func(p *Placement) { p.ID = "new" })},
		},
		{
			"a checksum replaces the old one, whatever its version",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", ResultChecksum: newSum},
			Change{Placement: with(p1, dataWrite, func(p *Placement) { p.ResultChecksum = newSum })},
		},
		{
			"names and host that are sent replace the old ones",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", WorkbookName: "New", SheetID: "8", Host: SheetsA},
			Change{Placement: with(p1, dataWrite, func(p *Placement) { p.WorkbookName, p.SheetID, p.Host = "New", "8", SheetsA })},
		},
		{
			"addressOnly changes address, names and end, and no stamp",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true, WorkbookName: "New", EndResultCell: "D30", ResultChecksum: newSum},
			Change{Placement: with(p1, at("Data", "B2", "D30", "Data!B2"), func(p *Placement) { p.WorkbookName = "New" })},
		},
		{
			"addressOnly moves",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!A1", AddressOnly: true, PlacementID: "p1"},
			Change{Placement: with(p1, at("Data", "A1", "C19", "Data!A1"))},
		},
		{
			"addressOnly on a new address records no data write", nil,
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", AddressOnly: true},
			Change{Placement: with(bare, at("Data", "B2", "", "Data!B2")), Index: -1, Created: true},
		},
		{
			"an end that would leave the sheet stays on it",
			[]Placement{p1},
			Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!XFD1048576", AddressOnly: true, PlacementID: "p1"},
			Change{Placement: with(p1, at("Data", "XFD1048576", "XFD1048576", "Data!XFD1048576"))},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			got, err := Connect(tc.existing, tc.c, stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConnectDefaultHost(t *testing.T) {
	c := Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"}
	for _, tc := range []struct {
		fact           string
		sent, old, own Host
		want           Host
	}{
		{"SHEETS_A when nobody says", "", "", "", SheetsA},
		{"what the report's source says", "", "", SheetsB, SheetsB},
		{"what the record says before that", "", SheetsB, SheetsA, SheetsB},
		{"what is sent before all", SheetsA, SheetsB, SheetsB, SheetsA},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			var existing []Placement
			if tc.old != "" {
				existing = []Placement{{ID: "p1", WorkbookID: "doc", Host: tc.old, SheetName: "Data", AnchorCell: "B2"}}
			}
			c, s := c, stamp()
			c.Host, s.DefaultHost = tc.sent, tc.own
			got, err := Connect(existing, c, s)
			if err != nil || got.Placement.Host != tc.want {
				t.Errorf("host %q, %v, want %q", got.Placement.Host, err, tc.want)
			}
		})
	}
}

func TestConnectRefusesATakenAddress(t *testing.T) {
	existing := []Placement{moored("p1", "doc", "Data", "B2", ""), moored("p2", "doc", "Data", "H2", "")}
	for _, tc := range []struct {
		rule string
		c    Connection
	}{
		{"a move onto another placement", Connection{ExternalWorkbookID: "doc", ResultLocation: "data!$B$2", PlacementID: "p2"}},
		{"a new id where a placement of another id stands", Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", PlacementID: "p3"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			if _, err := Connect(existing, tc.c, stamp()); !errors.Is(err, ErrAddressTaken) {
				t.Errorf("got %v, want ErrAddressTaken", err)
			}
		})
	}
}
