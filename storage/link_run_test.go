package storage_test

import (
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
		events, err := s.Queue().Events.After(t.Context(), c.d(), "0-0", 100)
		must(t, err)
		recovered := 0
		for _, e := range events {
			if e.Type == record.EventRunRecovered {
				recovered++
			}
		}
		if recovered != 1 {
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
