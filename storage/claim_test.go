package storage_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// mallory may read every report.
var mallory = record.Actor{ID: 666, Actions: []string{record.ActionReportRead}}

// What a reader tells of another's block while a run writes it is no reason not to record what the run has written.
func TestARunIsRecordedWhateverAReaderTellsMeanwhile(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		for range 2 { // the first write of the block, and another
			p := c.connect("S!A1") // which is remembered
			a := c.beginNext("a", c.manual())
			before := c.placed(p)
			tell := placements.Rewrite{Target: placements.Target{PlacementID: p.ID}, EndResultCell: "Z99", ResultChecksum: &checksum.ResultChecksum{V: 2}}
			_, err := c.s.Placements().RecordRefresh(c.Context(), c.d(), c.report.ID, tell, mallory, nil)
			must(c.T, err)
			if now := c.placed(p); now.RefreshedByUserID != mallory.ID || now.EndResultCell != "Z99" || !now.Disputed() || now.Claim != before.Claim {
				c.Errorf("what is told is kept as %+v, claim %d after %d", now.Placement, now.Claim, before.Claim)
			}
			after := before.Placement
			after.EndResultCell, after.RefreshedAt, after.RefreshedByUserID, after.QueryChecksum, after.Facts = "C9", placements.Time(tick), 7, "q", placements.Facts{}
			after.ResultChecksum = digestOf(5)
			a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
			must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Placements: []work.PlacementOutcome{
				{Placement: after, Before: before, Written: true, Rows: []byte("rows")},
			}}))
			if now := c.placed(p); now.EndResultCell != "C9" || now.RefreshedByUserID != 7 || now.Disputed() {
				c.Errorf("after the run: %+v", now.Placement)
			}
			c.rows(p, "rows", "")
		}
	})
}

// So it is with an address that a client sends again meanwhile, with or without an end.
func TestARunIsRecordedThoughItsPlacementIsConnectedMeanwhile(t *testing.T) {
	for _, end := range []string{"", "Z99"} {
		eachClockwork(t, "skip", func(c *clockwork) {
			for range 2 { // the first write of the block, and another
				p := c.connect("S!A1")
				a := c.beginNext("a", c.manual())
				before := c.placed(p)
				again := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!A1", AddressOnly: true, EndResultCell: end}
				_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, again, mallory, nil, true)
				must(c.T, err)
				after := before.Placement
				after.EndResultCell, after.RefreshedAt, after.QueryChecksum, after.ResultChecksum = "C9", placements.Time(tick), "q", digestOf(5)
				after.Own, after.Base = nil, nil
				a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
				must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Placements: []work.PlacementOutcome{
					{Placement: after, Before: before, Written: true, Rows: []byte("rows")},
				}}))
				if now := c.placed(p); now.EndResultCell != "C9" || now.QueryChecksum != "q" || now.Disputed() {
					c.Errorf("after the run, connected to %q meanwhile: %+v", end, now.Placement)
				}
			}
		})
	}
}

// digestOf is a checksum of that many rows.
func digestOf(rows int) *checksum.ResultChecksum {
	return &checksum.ResultChecksum{V: 2, Chunks: []checksum.Chunk{{From: 0, To: rows, Hash: strings.Repeat("0123456789abcdef", 4)}}}
}

// What a reader tells of another's block leaves what a refresh compares it with, the checksum too, whatever this process remembers. Others
// pay nothing for that: they are decided on memory.
func TestAReadersClaimLeavesTheBase(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		first := create(t, s, shop, named("Sales", ""))
		owner := record.Actor{ID: 77, Actions: []string{record.ActionReportRead}}
		tell := func(who record.Actor, sum *checksum.ResultChecksum) error {
			w := placements.Rewrite{Target: placements.Target{PlacementID: "first"}, ResultChecksum: sum}
			_, err := s.Placements().RecordRefresh(t.Context(), shop, first.ID, w, who, nil)
			return err
		}
		connect := func(who record.Actor, sum *checksum.ResultChecksum) error {
			c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "Data!B2:D6", PlacementID: "first", ResultChecksum: sum}
			_, err := s.Placements().Connect(t.Context(), shop, first.ID, c, who, nil, true)
			return err
		}
		trips := func(write func(record.Actor, *checksum.ResultChecksum) error) int {
			t.Helper()
			count := s.CrashAfter(math.MaxInt)
			if err := write(owner, digestOf(5)); err != nil {
				t.Error(err)
			}
			return count()
		}
		if err := connect(owner, digestOf(5)); err != nil {
			t.Fatal(err)
		}
		if err := tell(owner, digestOf(5)); err != nil {
			t.Fatal(err)
		}
		before, _ := load(t, s, shop, first.ID).Find("first")
		for range 2 {
			if err := tell(mallory, nil); err != nil {
				t.Fatal(err)
			}
			now, _ := load(t, s, shop, first.ID).Find("first")
			if diff := cmp.Diff(before.LastWrite(), now.LastWrite()); diff != "" || !placements.OnlyTold(before.Placement, now.Placement) {
				t.Errorf("the base before, and once a reader has told of another (-before +after):\n%s", diff)
			}
		}
		if tells, connects := trips(tell), trips(connect); tells != 1 || connects != 1 {
			t.Errorf("the owner's stamp takes %d round trips, their connect %d", tells, connects)
		}
		if now, _ := load(t, s, shop, first.ID).Find("first"); now.Disputed() {
			t.Error("the owner's word does not end the dispute")
		}
	})
}

// A reader's anchor in another's block does not take it; an editor's does.
func TestAReadersAddressTakesNoCellsOfOthers(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		first, second := create(t, s, shop, named("Sales", "")), create(t, s, shop, named("Costs", ""))
		connect := func(report int64, location, id string, who record.Actor) {
			t.Helper()
			c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: location, PlacementID: id, AddressOnly: true}
			if _, err := s.Placements().Connect(t.Context(), shop, report, c, who, nil, true); err != nil {
				t.Fatal(err)
			}
		}
		connect(first.ID, "Data!B2", "first", ada)
		connect(second.ID, "Data!C4:D90", "second", mallory)
		if n := len(newerThan(t, s, first.ID, "first")); n != 0 {
			t.Errorf("%d newer blocks once a reader has said so", n)
		}
		connect(second.ID, "Data!C4:D90", "second", ada)
		if n := len(newerThan(t, s, first.ID, "first")); n != 1 {
			t.Errorf("%d newer blocks once an editor has", n)
		}
	})
}

// A reader takes over what an editor placed on one sheet, and "renames" the sheet to another block's: the editor's access does not go along.
func TestASheetThatAReaderRenamesTakesNoCellsOfOthers(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		first, second := create(t, s, shop, named("Sales", "")), create(t, s, shop, named("Costs", ""))
		connect := func(report int64, c placements.Connection, who record.Actor) {
			t.Helper()
			if c.ExternalWorkbookID = "book"; report == second.ID {
				c.SheetID = "7"
			}
			if _, err := s.Placements().Connect(t.Context(), shop, report, c, who, nil, true); err != nil {
				t.Fatal(err)
			}
		}
		connect(first.ID, placements.Connection{ResultLocation: "Boss!B2", PlacementID: "first", AddressOnly: true}, ada)
		connect(second.ID, placements.Connection{ResultLocation: "Data!C4", PlacementID: "second", AddressOnly: true}, ada)
		connect(second.ID, placements.Connection{ResultLocation: "Data!C4", PlacementID: "second"}, mallory)
		connect(second.ID, placements.Connection{ResultLocation: "Boss!C4", PlacementID: "second"}, mallory)
		if n := len(newerThan(t, s, first.ID, "first")); n != 0 {
			t.Errorf("%d newer blocks", n)
		}
	})
}

// newerThan are those in the way of a block of nine rows and three columns.
func newerThan(t *testing.T, s *storage.Store, report int64, id string) []record.DocumentPlacement {
	t.Helper()
	p, _ := load(t, s, shop, report).Find(id)
	blocks, err := s.Work().Blocks(t.Context(), shop.Tenant, []work.BlockQuery{
		{Deployment: shop, ReportID: report, Known: p, Size: checksum.Extent{Rows: 9, Columns: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks[0].Newer
}
