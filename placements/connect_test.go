package placements_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/placements/placementstest"
)

func TestConnect(t *testing.T) {
	for _, tc := range placementstest.Connects() {
		t.Run(tc.Rule, func(t *testing.T) {
			got, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConnectDefaultHost(t *testing.T) {
	for _, tc := range placementstest.Hosts() {
		t.Run(tc.Fact, func(t *testing.T) {
			s := placementstest.Stamp()
			s.DefaultHost = tc.Default
			got, err := placements.Connect(tc.Existing(), tc.Connection(), s)
			if err != nil || got.Placement.Host != tc.Want {
				t.Errorf("host %q, %v, want %q", got.Placement.Host, err, tc.Want)
			}
		})
	}
}

func TestConnectRefusesATakenAddress(t *testing.T) {
	for _, tc := range placementstest.TakenAddresses() {
		t.Run(tc.Rule, func(t *testing.T) {
			if _, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp()); placements.CodeOf(err) != placements.CodeAddressTaken {
				t.Errorf("got %v, want %s", err, placements.CodeAddressTaken)
			}
		})
	}
}

func TestConnectRefusesATakenID(t *testing.T) {
	s := placementstest.Stamp()
	s.IDTaken = true
	for _, tc := range placementstest.TakenIDs() {
		t.Run(tc.Rule, func(t *testing.T) {
			if _, err := placements.Connect(tc.Existing, tc.Connection, s); placements.CodeOf(err) != placements.CodeIDTaken {
				t.Errorf("got %v, want %s", err, placements.CodeIDTaken)
			}
			if _, err := placements.Connect(tc.Existing, tc.Connection, placementstest.Stamp()); err != nil {
				t.Errorf("where it is free: %v", err)
			}
		})
	}
}

func TestAPlacementKeepsAnIDThatIsTaken(t *testing.T) {
	s := placementstest.Stamp()
	s.IDTaken = true
	for _, tc := range placementstest.Connects() {
		old := ""
		if !tc.Want.Created {
			old = tc.Existing[tc.Want.Index].ID
		}
		if tc.Connection.PlacementID == "" || tc.Want.Placement.ID != old || tc.Want.Placement.WorkbookID != "doc" {
			continue
		}
		t.Run(tc.Rule, func(t *testing.T) {
			if _, err := placements.Connect(tc.Existing, tc.Connection, s); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEditsStayWithTheCellsTheyAreIn(t *testing.T) {
	edited := placements.Placement{
		ID: "p", WorkbookID: "doc", Host: placements.SheetsA, SheetID: "7", SheetName: "Data", AnchorCell: "B2", ResultLocation: "Data!B2",
		Edits: &placements.EditSummary{Rows: 1, Cells: 2, Since: "2026-03-02T07:00:00.000Z"},
	}
	same := placements.Connection{PlacementID: "p", ExternalWorkbookID: "doc", ResultLocation: "data!$b$2:D9", AddressOnly: true}
	for _, tc := range []struct {
		fact string
		sent func(*placements.Connection)
		stay bool
	}{
		{"the same address", func(*placements.Connection) {}, true},
		{"a renamed sheet with the same sheetId", func(c *placements.Connection) { c.ResultLocation, c.SheetID = "New!B2", "7" }, true},
		{"another sheet", func(c *placements.Connection) { c.ResultLocation = "Other!B2" }, false},
		{"another anchor, whatever the sheetId", func(c *placements.Connection) { c.ResultLocation, c.SheetID = "New!B3", "7" }, false},
		{
			"another spreadsheet, whatever the sheetId", func(c *placements.Connection) { c.ExternalWorkbookID, c.SheetID = "copy", "7" },
			false,
		},
		{"a data write", func(c *placements.Connection) { c.AddressOnly = false }, false},
	} {
		t.Run(tc.fact, func(t *testing.T) {
			c := same
			tc.sent(&c)
			got, err := placements.Connect([]placements.Placement{edited}, c, placementstest.Stamp())
			if err != nil || got.Created || (got.Placement.Edits != nil) != tc.stay {
				t.Errorf("%+v, %v, want edits: %t", got, err, tc.stay)
			}
		})
	}
	got, err := placements.Refreshed(edited, placements.Rewrite{}, placementstest.Stamp())
	if err != nil || got.Edits != nil {
		t.Errorf("after a rewrite: %+v, %v", got, err)
	}
}

// A restored placement may stand elsewhere by now: its block is doubted where a connect says that it is, too.
func TestARestoredPlacementIsMarkedUntilItIsWritten(t *testing.T) {
	restored := placements.Placement{
		ID: "p", WorkbookID: "doc", Host: placements.SheetsA, SheetName: "Data", AnchorCell: "B2", ResultLocation: "Data!B2",
		RestoredAt: "2026-03-02T07:00:00.000Z",
	}
	c := placements.Connection{PlacementID: "p", ExternalWorkbookID: "doc", ResultLocation: "Other!B2", AddressOnly: true}
	got, err := placements.Connect([]placements.Placement{restored}, c, placementstest.Stamp())
	if err != nil || got.Placement.RestoredAt != restored.RestoredAt {
		t.Errorf("moved: %+v, %v", got, err)
	}
	c.AddressOnly = false
	got, err = placements.Connect([]placements.Placement{restored}, c, placementstest.Stamp())
	if err != nil || got.Placement.RestoredAt != "" {
		t.Errorf("written: %+v, %v", got, err)
	}
}

func TestNamingTheSheetOfAnotherPersonsPlacementNeedsEditAccess(t *testing.T) {
	for _, tc := range placementstest.OthersSheets() {
		t.Run(tc.Rule, func(t *testing.T) {
			s := placementstest.Stamp()
			got, err := placements.Connect(tc.Existing, tc.Connection, s)
			if err != nil || got.Placement.SheetName != "Renamed" || got.Placement.PlacedFor(s.By.UID) == tc.Connection.AddressOnly {
				t.Errorf("with edit access: %+v, %v", got, err)
			}
			s.MayEdit = false
			if _, err := placements.Connect(tc.Existing, tc.Connection, s); placements.CodeOf(err) != placements.CodeForbidden {
				t.Errorf("without: %v, want %s", err, placements.CodeForbidden)
			}
		})
	}
}

// That the sheet of a placement was renamed is what the client says: without edit access its block may as well be put on other cells.
func TestASheetIsRenamedWithEditAccessOnly(t *testing.T) {
	tc, s := placementstest.OwnSheet(), placementstest.Stamp()
	for _, edits := range []bool{true, false} {
		for _, addressOnly := range []bool{true, false} {
			s.MayEdit, tc.Connection.AddressOnly = edits, addressOnly
			ch, err := placements.Connect(tc.Existing, tc.Connection, s)
			if err != nil || ch.Created {
				t.Fatalf("edits %t: %+v, %v", edits, ch, err)
			}
			want := placements.PlacedByReader
			extent, _ := tc.Existing[0].Rect()
			own := checksum.Extent{Rows: 1, Columns: 1}
			if edits {
				want, own = placements.PlacedByEditor, extent.Extent()
			}
			p := ch.Placement
			_, owned, _ := p.Owned()
			if p.Placer != want || owned.Extent() != own || (p.Edits != nil) != (edits && addressOnly) || p.SheetName != "Renamed" {
				t.Errorf("edits %t, address only %t: by a %s, the service wrote %v, edits %v", edits, addressOnly, p.Placer, owned, p.Edits)
			}
		}
	}
}

func TestAnotherPersonsPlacementKeepsItsSheetID(t *testing.T) {
	theirs := placementstest.OthersSheets()[0].Existing
	s := placementstest.Stamp()
	s.MayEdit = false
	c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", SheetID: "8", AddressOnly: true}
	got, err := placements.Connect(theirs, c, s)
	if err != nil || got.Placement.SheetID != theirs[0].SheetID {
		t.Errorf("by a reader: %+v, %v", got, err)
	}
}

func TestDecidingOverAnotherPersonsPlacementNeedsEditAccess(t *testing.T) {
	for _, tc := range append(placementstest.OthersPlacements(), placementstest.OthersOptions()...) {
		t.Run(tc.Rule, func(t *testing.T) {
			s := placementstest.Stamp()
			got, err := placements.Connect(tc.Existing, tc.Connection, s)
			if runAs := got.Placement.RunAs; err != nil || tc.Connection.Options == (placements.Options{}) && (runAs == nil || runAs.UID != s.By.UID) {
				t.Errorf("with edit access: %+v, %v", got, err)
			}
			s.MayEdit = false
			if _, err := placements.Connect(tc.Existing, tc.Connection, s); placements.CodeOf(err) != placements.CodeForbidden {
				t.Errorf("without: %v, want %s", err, placements.CodeForbidden)
			}
			s.By = tc.Existing[0].Behalf()
			_, err = placements.Connect(tc.Existing, tc.Connection, s)
			if nobody := s.By.UID == 0; nobody != (placements.CodeOf(err) == placements.CodeForbidden) {
				t.Errorf("by the placer, who has no user: %t, %v", nobody, err)
			}
		})
	}
}

func TestOptionsOfWhatWasTakenOverNeedEditAccess(t *testing.T) {
	tc, s := placementstest.TakenOver(), placementstest.Stamp()
	if _, err := placements.Connect(tc.Existing, tc.Connection, s); err != nil {
		t.Errorf("with edit access: %v", err)
	}
	s.MayEdit = false
	if _, err := placements.Connect(tc.Existing, tc.Connection, s); placements.CodeOf(err) != placements.CodeForbidden {
		t.Errorf("got %v, want %s", err, placements.CodeForbidden)
	}
	tc.Existing[0].Base = nil
	if _, err := placements.Connect(tc.Existing, tc.Connection, s); err != nil {
		t.Errorf("once its rows are theirs: %v", err)
	}
}

func TestClaims(t *testing.T) {
	for _, tc := range placementstest.Claims() {
		sum := &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: 5, Hash: "claimed"}}}
		if !tc.Sum {
			sum = nil
		}
		s := placementstest.Stamp()
		s.By, s.MayEdit = placements.RunAs{UID: tc.By}, tc.Edits
		base := tc.Old.LastWrite()
		check := func(t *testing.T, got placements.Placement, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			if got.RefreshedAt != placements.Time(s.Now) || got.QueryChecksum != s.QueryChecksum || got.ResultChecksum != sum || got.EndResultCell != "E99" {
				t.Errorf("it is not shown as sent: %+v", got)
			}
			if now := got.LastWrite(); got.Disputed() == tc.Believed || reflect.DeepEqual(now, base) == tc.Believed || got.WrittenFor() != tc.Behalf {
				t.Errorf("a refresh compares with %+v for user %d, want believed: %t, user %d", now, got.WrittenFor(), tc.Believed, tc.Behalf)
			}
			_, own, _ := got.Owned()
			if _, was, _ := tc.Old.Owned(); own != was {
				t.Errorf("what the service has written is %v, want %v", own, was)
			}
		}
		t.Run("a connect "+tc.Rule, func(t *testing.T) {
			c := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "E99", ResultChecksum: sum}
			ch, err := placements.Connect([]placements.Placement{tc.Old}, c, s)
			check(t, ch.Placement, err)
			if by := ch.Placement.Behalf().UID; by != tc.By {
				t.Errorf("it is queried for user %d", by)
			}
		})
		t.Run("a refresh "+tc.Rule, func(t *testing.T) {
			got, err := placements.Refreshed(tc.Old, placements.Rewrite{EndResultCell: "E99", ResultChecksum: sum}, s)
			check(t, got, err)
		})
	}
}

// A reader who says less of a block than the service has written, or says it again and again, changes nothing of what it compares with.
func TestClaimsThatFollowEachOther(t *testing.T) {
	own := placementstest.Claims()[0].Old
	reader := placementstest.Stamp()
	reader.By, reader.MayEdit = placements.RunAs{UID: 8}, false
	p := own
	for _, end := range []string{"B2", "ZZ99", "C3"} {
		var err error
		if p, err = placements.Refreshed(p, placements.Rewrite{EndResultCell: end}, reader); err != nil {
			t.Fatal(err)
		}
		ch, err := placements.Connect([]placements.Placement{p}, placements.Connection{
			ExternalWorkbookID: "doc", ResultLocation: "Data!B2", EndResultCell: "B3", AddressOnly: true,
		}, reader)
		if p = ch.Placement; err != nil {
			t.Fatal(err)
		}
	}
	_, wrote, _ := p.Owned()
	if _, was, _ := own.Owned(); !reflect.DeepEqual(p.LastWrite(), own.LastWrite()) || p.WrittenFor() != 42 || wrote != was {
		t.Errorf("it compares with %+v for %d, the service's own is %v", p.LastWrite(), p.WrittenFor(), wrote)
	}
	if !placements.OnlyTold(own, p) {
		t.Error("more was changed than what is not believed")
	}
	if other := p; placements.OnlyTold(own, func() placements.Placement { other.SheetID = "9"; return other }()) {
		t.Error("another sheetId is told, too")
	}
}

func TestWhoPlacedIt(t *testing.T) {
	here := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!B2"}
	there := placements.Connection{ExternalWorkbookID: "doc", ResultLocation: "Data!H2", PlacementID: "new"}
	steps := []struct {
		fact  string
		c     placements.Connection
		edits bool
		want  placements.Placer
	}{
		{"a reader places it", here, false, placements.PlacedByReader},
		{"a reader again", here, false, placements.PlacedByReader},
		{"an editor sends the address again", with(here, func(c *placements.Connection) { c.AddressOnly = true }), true, placements.PlacedByEditor},
		{"a reader writes there", here, false, placements.PlacedByEditor},
		{"a reader moves it", there, false, placements.PlacedByReader},
		{"an editor moves it", with(there, func(c *placements.Connection) { c.ResultLocation = "Data!M2" }), true, placements.PlacedByEditor},
	}
	var list []placements.Placement
	for _, step := range steps {
		s := placementstest.Stamp()
		s.MayEdit = step.edits
		ch, err := placements.Connect(list, step.c, s)
		if err != nil {
			t.Fatal(err)
		}
		if list = []placements.Placement{ch.Placement}; ch.Placement.Placer != step.want {
			t.Errorf("%s: %q, want %q", step.fact, ch.Placement.Placer, step.want)
		}
	}
	before := list[0]
	before.Placer = ""
	if ch, err := placements.Connect([]placements.Placement{before}, with(there, func(c *placements.Connection) { c.ResultLocation = "Data!M2" }), placementstest.Stamp()); err != nil || ch.Placement.Placer != "" {
		t.Errorf("what was recorded before is %q, %v", ch.Placement.Placer, err)
	}
}

func with(c placements.Connection, edit func(*placements.Connection)) placements.Connection {
	edit(&c)
	return c
}
