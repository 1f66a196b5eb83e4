package storage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// ofDocument asks for a run of what is placed in a document under an id, and returns it, or the run that is refreshing the same.
func (c *clockwork) ofDocument(id string) (made, before string) {
	c.Helper()
	run := &record.Run{ReportID: c.report.ID, ExternalWorkbookID: id}
	err := storagetest.Enqueue(c.Context(), c.q, c.d(), run)
	if placements.CodeOf(err) == placements.CodeRunning {
		return "", placements.DetailsOf(err)[0].RunID
	}
	must(c.T, err)
	return run.ID, ""
}

// Of a document one run of a report goes on at a time, under whichever ids they were asked for, and also where it was linked since the first
// was.
func TestRunsOfALinkedDocumentMeet(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		c := newClockwork(t, s, shop, "skip")
		identity := identityOf(10)
		ids := []string{identity, "plan.xlsx", "share:plan.xlsx", strings.ToUpper(identity)}
		first, _ := c.ofDocument("plan.xlsx")
		linked(t, s, identity, "plan.xlsx")
		for _, id := range ids {
			if made, before := c.ofDocument(id); before != first {
				t.Errorf("under %s run %q was made beside %q", id, made, first)
			}
		}
		held := &record.Run{ReportID: c.report.ID, ExternalWorkbookID: identity}
		if err := s.Queue().Hold(t.Context(), c.d(), held); placements.CodeOf(err) != placements.CodeRunning {
			t.Errorf("a run that its caller works on: %v", err)
		}
		if _, before := c.ofDocument("other.xlsx"); before != "" {
			t.Errorf("another document has run %s", before)
		}
		unlinked(t, s, identity)
		if made, before := c.ofDocument(identity); made == "" {
			t.Errorf("unlinked, it still has run %s", before)
		}
	})
}

// A run that failed under one id of its document has recovered with one that succeeds under another.
func TestARunRecoversUnderAnotherID(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		c := newClockwork(t, s, shop, "skip")
		identity := identityOf(11)
		linked(t, s, identity, "plan.xlsx")
		failed, _ := c.ofDocument("plan.xlsx")
		must(t, c.end(c.beginNext("a", failed), placements.RunFailed))
		next, _ := c.ofDocument(identity)
		must(t, c.end(c.beginNext("a", next), placements.RunSucceeded))
		if recovered := c.recovered(); recovered != 1 {
			t.Errorf("%d runs have recovered, want 1", recovered)
		}
	})
}

// A run that waits finds the data for its schedule's document, however the schedule calls that by now.
func TestAnArrivalJoinsARunOfItsDocumentUnderAnyID(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		c := newClockwork(t, s, shop, "skip")
		identity := identityOf(12)
		aim := func(id string) {
			_, err := s.Schedules().Update(t.Context(), c.d(), c.schedule, ada, func(stored *record.Schedule) (record.Tick, error) {
				stored.Target.ExternalWorkbookID = id
				return at(stored.Next), nil
			})
			must(t, err)
		}
		aim("plan.xlsx")
		first := c.arrive(told("1")).RunID
		linked(t, s, identity, "plan.xlsx")
		for i, id := range []string{identity, "share:plan.xlsx", strings.ToUpper(identity)} {
			aim(id)
			if joined := c.arrive(told(id)).RunID; joined != first {
				t.Errorf("arrival %d, under %s, made run %s beside %s", i, id, joined, first)
			}
		}
		aim("other.xlsx")
		if joined := c.arrive(told("other")).RunID; joined == first {
			t.Error("a run of another document was joined")
		}
	})
}

// Of placements that became one there is one run at a time, and one failure to recover from, under whichever of their ids they were asked for, also
// where they say values of parameters.
func TestRunsOfPlacementsThatBecameOneMeet(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		for n, said := range []placements.ParameterSettings{nil, {"region": {Value: new(placements.OneValue(placements.TextScalar("North")))}}} {
			in := named("Sales", "select @region")
			in.Parameters = placements.Sent([]placements.Parameter{{Name: "region", Type: placements.ParameterText}})
			c := newClockwork(t, s, shop, "skip")
			c.report = create(t, s, shop, in)
			goes, stays := c.becomingOne(identityOf(20+n), fmt.Sprintf("plan%d.xlsx", n), said)
			at := c.beginNext("a", c.ofPlacement(goes))
			linked(t, s, identityOf(20+n), fmt.Sprintf("plan%d.xlsx", n))
			if one := load(t, s, shop, c.report.ID).Placements; len(one) != 1 || one[0].ID != stays || !slices.Equal(one[0].Merged, []string{goes}) {
				t.Fatalf("%v became one with %s: %+v", goes, stays, one)
			}
			if err := storagetest.Enqueue(t.Context(), c.q, c.d(), c.onPlacement(stays)); placements.CodeOf(err) != placements.CodeRunning {
				t.Errorf("%d parameters: beside the run of %s there is one of %s: %v", len(said), goes, stays, err)
			}
			must(t, c.end(at, placements.RunFailed))
			must(t, c.end(c.beginNext("a", c.ofPlacement(stays)), placements.RunSucceeded))
			if got := c.recovered(); got != n+1 {
				t.Errorf("%d parameters: %d runs have recovered, want %d", len(said), got, n+1)
			}
		}
	})
}

// becomingOne are two placements that become one once a document is linked with what it says that it is: the first goes.
func (c *clockwork) becomingOne(identity, target string, said placements.ParameterSettings) (goes, stays string) {
	c.Helper()
	var ids []string
	for _, name := range []string{identity, target} {
		done, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
			ExternalWorkbookID: name, ResultLocation: "Data!A1", Host: placements.SheetsB, AddressOnly: true, Parameters: placements.Sent(said),
		}, ada, nil, false)
		must(c.T, err)
		ids = append(ids, done.Placement.ID)
	}
	return ids[0], ids[1]
}

func (c *clockwork) onPlacement(id string) *record.Run {
	return &record.Run{ReportID: c.report.ID, PlacementID: id}
}

// ofPlacement makes a run of a placement.
func (c *clockwork) ofPlacement(id string) string {
	c.Helper()
	run := c.onPlacement(id)
	must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), run))
	return run.ID
}

// recovered is how many runs have, as events tell it.
func (c *clockwork) recovered() (n int) {
	c.Helper()
	events, err := c.s.Queue().Events.After(c.Context(), c.d(), "0-0", 1000)
	must(c.T, err)
	for _, e := range events {
		if e.Type == record.EventRunRecovered {
			n++
		}
	}
	return n
}
