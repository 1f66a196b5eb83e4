package storage_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/work"
)

// A report repeats the placement recorded last as it stands now, and nothing once that one is gone.
func TestAReportRepeatsThePlacementRecordedLast(t *testing.T) {
	who := ada
	row := func(p *placements.Placement) record.Echo {
		return record.Echo{ExternalWorkbookID: p.WorkbookID, ResultLocation: p.ResultLocation, EndResultCell: p.EndResultCell, Host: p.Host}
	}
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		want := func(fact string, want record.Echo) {
			t.Helper()
			if diff := cmp.Diff(want, load(t, s, shop, r.ID).Echo); diff != "" {
				t.Errorf("%s (-want +got):\n%s", fact, diff)
			}
		}
		connect := func(c placements.Connection) *placements.Placement {
			t.Helper()
			c.ExternalWorkbookID = "book"
			done, err := s.Placements().Connect(t.Context(), shop, r.ID, c, who, nil, true)
			must(t, err)
			return done.Placement
		}
		disconnect := func(p *placements.Placement) *record.ReportView {
			t.Helper()
			r, _, err := s.Placements().Disconnect(t.Context(), shop, r.ID, placements.Target{PlacementID: p.ID}, who, nil, true)
			must(t, err)
			return r
		}
		want("never placed", record.Echo{})
		// Both have the same resultLocation: the echo does not go by its text.
		first := connect(placements.Connection{ResultLocation: "B2", SheetName: "Data", Host: placements.SheetsB, AddressOnly: true})
		want("the first", row(first))
		second := connect(placements.Connection{ResultLocation: "B2", SheetName: "Other", EndResultCell: "D9"})
		want("the second", row(second))

		disconnect(first)
		want("another one was disconnected", row(second))
		_, err := s.Placements().RecordRefresh(t.Context(), shop, r.ID, placements.Rewrite{Target: placements.Target{PlacementID: second.ID}, EndResultCell: "D20"}, who, nil)
		must(t, err)
		second.EndResultCell = "D20"
		want("it was rewritten", row(second))
		third := connect(placements.Connection{ResultLocation: "Data!H2", AddressOnly: true})
		_, err = s.Placements().RecordRefresh(t.Context(), shop, r.ID, placements.Rewrite{Target: placements.Target{PlacementID: second.ID}, EndResultCell: "D30"}, who, nil)
		must(t, err)
		want("another one was rewritten", row(third))
		shown := disconnect(third).LastRefresh
		want("it was disconnected", record.Echo{})
		if got := load(t, s, shop, r.ID).View().LastRefresh; shown != got {
			t.Errorf("the disconnect shows %s, a read %s", shown, got)
		}
	})
}

// A run that moves, resizes or names the placement recorded last makes the report repeat that.
func TestAReportRepeatsWhatARunMakesOfAPlacement(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		before, _ := load(c.T, c.s, c.d(), c.report.ID).Find(p.ID)
		after := before.Placement
		after.AnchorCell, after.ResultLocation, after.EndResultCell = "B2", "S!B2", "C9"
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, "2026-03-01T08:00:00.000Z"
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Placements: []work.PlacementOutcome{{Placement: after, Before: before, Written: true}}}))
		r := load(c.T, c.s, c.d(), c.report.ID)
		if r.ResultLocation != "S!B2" || r.EndResultCell != "C9" {
			c.Errorf("the report repeats %+v", r.Echo)
		}
	})
}

// What repeats the echo means the placement recorded last, also where its resultLocation names no sheet.
func TestKeysThatRepeatTheEchoMeanThatPlacement(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", "select 1"))
		c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "B2", SheetName: "Data", AddressOnly: true}
		_, err := s.Placements().Connect(t.Context(), shop, r.ID, c, ada, nil, true)
		must(t, err)
		before := load(t, s, shop, r.ID)
		var in record.ReportInput
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("B2")
		must(t, in.CheckPlace(false))
		_, err = s.Reports().Update(t.Context(), shop, r.ID, in, ada, anyone)
		must(t, err)
		wantSame(t, before, load(t, s, shop, r.ID))

		in.EndResultCell = placements.Sent("D9")
		got, err := s.Reports().Update(t.Context(), shop, r.ID, in, ada, anyone)
		must(t, err)
		after := load(t, s, shop, r.ID)
		if len(after.Placements) != 1 || after.Placements[0].EndResultCell != "D9" || after.EndResultCell != "D9" || got.EndResultCell != "D9" ||
			after.Placements[0].Claim != before.Placements[0].Claim || after.Placements[0].QueryChecksum != "" {
			t.Errorf("a new end: %+v, echo %+v", after.Placements, after.Echo)
		}
	})
}

// An address that a body repeats is no data write, however often, and a placement that was disconnected comes back only when it is named
// again.
func TestKeysWithoutAChecksumWriteNothing(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		in := named("Sales", "select 1")
		in.ExternalWorkbookID, in.ResultLocation = placements.Sent("book"), placements.Sent("Data!B2")
		r := upsert(t, s, shop, chosen, in)
		p := r.Placements[0]
		if p.PlacedAt != "" || p.RefreshedAt != "" || p.QueryChecksum != "" || r.RefreshedAt != "" {
			t.Errorf("an address passes for a data write: %+v, %+v", p, r.LastRefresh)
		}
		before := load(t, s, shop, r.ID)
		upsert(t, s, shop, chosen, in)
		wantSame(t, before, load(t, s, shop, r.ID))
	})
}
