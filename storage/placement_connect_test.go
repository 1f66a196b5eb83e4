package storage_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

// A connect shows the placement that it has written without reading it back where it is the only one; a few it gets from its script, more by a reading
// among those of others, and many by one of their own.
func TestConnectShowsWhatAReadShows(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		r := create(t, s, shop, named("Sales", ""))
		reader := record.Actor{ID: 7, Actions: []string{record.ActionReportRead}}
		connect := func(location string, minimal bool) *record.ConnectResult {
			c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: location}
			done, err := s.Placements().Connect(t.Context(), shop, r.ID, c, reader, nil, minimal)
			if err != nil {
				t.Fatal(err)
			}
			return done
		}
		for _, tc := range []struct {
			location string
			others   int // placements beside it
		}{{"S!A1:B3", 0}, {"S!A1:C4", 0}, {"S!D1", 0}, {"S!A1:B3", 0}, {"S!E1", 20}, {"S!E1", 300}} {
			for row := range tc.others {
				connect(fmt.Sprint("Filled!A", row+1), true)
			}
			shown := connect(tc.location, false).Report.Placements
			if diff := cmp.Diff(load(t, s, shop, r.ID).View().Placements, shown); diff != "" {
				t.Errorf("%s beside %d (-read +connected):\n%s", tc.location, tc.others, diff)
			}
		}
	})
}

// A minimal answer shows the run that holds the placement now, which began after this process last saw the placement.
func TestAMinimalConnectShowsTheRunOfNow(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		must(c.T, c.q.Queue.MarkRunning(c.Context(), c.d(), a.Run, []string{p.ID}))
		done, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
			ExternalWorkbookID: p.WorkbookID, ResultLocation: p.ResultLocation,
		}, adaReads, nil, true)
		must(c.T, err)
		if diff := cmp.Diff(load(c.T, c.s, c.d(), c.report.ID).View().Placements, done.Report.Placements); diff != "" || done.Report.Placements[0].LastRun == nil {
			c.Errorf("(-read +connected):\n%s", diff)
		}
	})
}

// A placement that comes to a location while a disconnect by that location is decided is not overlooked.
func TestDisconnectByLocationSeesWhatComesThereMeanwhile(t *testing.T) {
	come := map[string]func(s *storage.Store, report int64) error{
		"is connected": func(s *storage.Store, report int64) error {
			_, err := s.Placements().Connect(t.Context(), shop, report, placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!B2", AddressOnly: true}, ada, nil, true)
			return err
		},
		"is moved there": func(s *storage.Store, report int64) error {
			c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!B2", AddressOnly: true, PlacementID: "elsewhere"}
			_, err := s.Placements().Connect(t.Context(), shop, report, c, ada, nil, true)
			return err
		},
	}
	for how, comes := range come {
		t.Run(how, func(t *testing.T) {
			each(t, func(t *testing.T, s *storage.Store) {
				r := create(t, s, shop, named("Sales", ""))
				c := placements.Connection{ExternalWorkbookID: "book", ResultLocation: "S!H2", AddressOnly: true, PlacementID: "elsewhere"}
				_, err := s.Placements().Connect(t.Context(), shop, r.ID, c, ada, nil, true)
				must(t, err)
				came := false
				meanwhile := func(*record.ReportHead) error { // asked between what is read and what is written
					if came {
						return nil
					}
					came = true
					return comes(s, r.ID)
				}
				shown, removed, err := s.Placements().Disconnect(t.Context(), shop, r.ID, placements.Target{ResultLocation: "S!B2"}, ada, meanwhile, false)
				must(t, err)
				for _, p := range load(t, s, shop, r.ID).Placements {
					if p.AnchorCell == "B2" {
						t.Errorf("what %s stands there after the disconnect, which shows %d placements and removed %s", how, len(shown.Placements), removed)
					}
				}
				if removed == nil {
					t.Error("nothing was removed")
				}
			})
		})
	}
}
