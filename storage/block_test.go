package storage_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// drawBlock draws a rectangle as an A1 range: small and huge ones, near to each other.
func drawBlock(t *rapid.T) placements.Location {
	size := rapid.SampledFrom([]int{1, 2, 7, 8, 9, 64, 65, 600, 5000, 300_000})
	return placements.Location{
		Sheet:  rapid.SampledFrom([]string{"Data", "data", "Other"}).Draw(t, "sheet"),
		Anchor: placements.Anchor{Row: rapid.IntRange(0, 700).Draw(t, "row"), Column: rapid.IntRange(0, 9).Draw(t, "column")},
		Rows:   size.Draw(t, "rows"), Columns: rapid.IntRange(1, 4).Draw(t, "columns"), Range: true,
	}
}

// TestOverlapsEqualTheModel: what a connect lists is what comparing with every other placement of the spreadsheet gives.
func TestOverlapsEqualTheModel(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		who := ada
		runs := 0
		rapid.Check(t, func(t *rapid.T) {
			runs++
			document := fmt.Sprint("doc", runs)
			r, err := s.Reports().Create(t.Context(), shop, named("Model", ""), ada)
			if err != nil {
				t.Fatal(err)
			}
			stand := map[string]placements.Placement{}
			for range rapid.IntRange(2, 15).Draw(t, "blocks") {
				id := rapid.SampledFrom([]string{"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9"}).Draw(t, "id")
				c := placements.Connection{ExternalWorkbookID: document, ResultLocation: drawBlock(t).String(), PlacementID: id}
				got, err := s.Placements().Connect(t.Context(), shop, r.ID, c, who, nil, true)
				if err != nil {
					continue // taken: that is another test's
				}
				id = got.Placement.ID // of what stood there already, where the one sent was unknown
				delete(stand, id)
				want := []string{}
				for other, p := range stand {
					if placements.Overlaps(p, *got.Placement) {
						want = append(want, other)
					}
				}
				stand[id] = *got.Placement
				found := []string{}
				for _, o := range got.Overlaps {
					found = append(found, o.Placement.ID)
				}
				slices.Sort(want)
				slices.Sort(found)
				if diff := cmp.Diff(want, found); diff != "" {
					t.Fatalf("%s at %s (-model +store):\n%s", id, c.ResultLocation, diff)
				}
			}
		})
	})
}

func TestWhoeverWroteLastOwnsTheCells(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		s.SetNow(func() time.Time { now = now.Add(time.Second); return now })
		who := ada
		first, second := create(t, s, shop, named("Sales", "")), create(t, s, other, named("Costs", ""))
		connect := func(d record.Deployment, report int64, location string) {
			t.Helper()
			c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: location, PlacementID: idIn(d)}
			if _, err := s.Placements().Connect(t.Context(), d, report, c, who, nil, true); err != nil {
				t.Fatal(err)
			}
		}
		newer := func(d record.Deployment, report int64) int {
			t.Helper()
			p, _ := load(t, s, d, report).Find(idIn(d))
			rect, _ := p.Rect()
			size := checksum.Extent{Rows: rect.Bottom - rect.Top + 1, Columns: rect.Right - rect.Left + 1}
			blocks, err := s.Work().Blocks(t.Context(), d.Tenant, []work.BlockQuery{{Deployment: d, ReportID: report, Known: p, Size: size}})
			if err != nil {
				t.Fatal(err)
			}
			return len(blocks[0].Newer)
		}
		want := func(fact string, ofFirst, ofSecond int) {
			t.Helper()
			if a, b := newer(shop, first.ID), newer(other, second.ID); a != ofFirst || b != ofSecond {
				t.Errorf("%s: %d newer than the first, %d than the second, want %d and %d", fact, a, b, ofFirst, ofSecond)
			}
		}
		connect(shop, first.ID, "Data!B2:D20")
		connect(other, second.ID, "Data!B2:F30")
		want("the second came later", 1, 0)
		connect(shop, first.ID, "Data!B2:D20")
		want("the first was connected again", 0, 1)
		if _, err := s.Placements().RecordRefresh(t.Context(), other, second.ID, placements.Rewrite{Target: placements.Target{PlacementID: idIn(other)}}, who, nil); err != nil {
			t.Fatal(err)
		}
		want("an add-in has rewritten the second", 1, 0)
		connect(other, second.ID, "Data!H1")
		want("the second was moved away", 0, 0)
	})
}

func TestWhatAClientSaysOfABlockHindersNoOther(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		here := record.Deployment{Tenant: c.tenant, ID: c.d().ID}
		second := create(c.T, c.s, here, named("Costs", ""))
		at := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!E1", PlacementID: "second", AddressOnly: true}
		_, err := c.s.Placements().Connect(c.Context(), here, second.ID, at, ada, nil, true)
		must(c.T, err)
		p := c.connect("S!A1")
		newer := func(fact string, want int) {
			c.Helper()
			known, _ := load(c.T, c.s, here, second.ID).Find("second")
			query := work.BlockQuery{Deployment: here, ReportID: second.ID, Known: known, Size: checksum.Extent{Rows: 20, Columns: 3}}
			blocks, err := c.q.Blocks(c.Context(), c.tenant, []work.BlockQuery{query})
			must(c.T, err)
			if got := len(blocks[0].Newer); got != want {
				c.Errorf("%s: %d newer blocks, want %d", fact, got, want)
			}
		}
		claim := func(end string) {
			c.Helper()
			w := placements.Rewrite{Target: placements.Target{PlacementID: p.ID}, EndResultCell: end}
			_, err := c.s.Placements().RecordRefresh(c.Context(), here, c.report.ID, w, adaReads, nil)
			must(c.T, err)
			if said := c.placed(p).EndResultCell; said != end {
				c.Errorf("the end that is told is %s, want %s", said, end)
			}
		}
		claim("ZZ999")
		newer("what a client says", 0)

		a := c.beginNext("a", c.manual())
		after := p
		after.EndResultCell, after.RefreshedAt, after.Own = "F30", placements.Time(tick), nil
		o := work.PlacementOutcome{Placement: after, Before: c.placed(p), Written: true, Rows: []byte("x")}
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Placements: []work.PlacementOutcome{o}}))
		newer("what a run has written", 1)
		claim("ZZ999")
		newer("what a run has written, whatever a client says", 1)
		claim("D30")
		newer("a client says that the block has shrunk", 0)
		claim("ZZ999")
		newer("what a client says again", 0)
	})
}

// idIn is the id of the one placement in a deployment: an id is a whole spreadsheet's.
func idIn(d record.Deployment) string { return fmt.Sprint("p", d.ID) }
