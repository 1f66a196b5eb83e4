package storage_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/placements/placementstest"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

// importKept imports placements as another service may have kept them: two of them, in the spreadsheet "old", have no id.
func (c *clockwork) importKept() []storage.Placed {
	c.Helper()
	kept := asKept(placementstest.Moored())
	importAll(c.T, c.s, c.report.ID, kept...)
	return kept
}

// attempt begins a run on a target of the report.
func (c *clockwork) attempt(t record.RunTarget) *queue.Attempt {
	c.Helper()
	run := &record.Run{ReportID: c.report.ID, PlacementID: t.PlacementID, ExternalWorkbookID: t.ExternalWorkbookID}
	must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), run))
	return c.beginNext("a", run.ID)
}

// load loads the report that an attempt refreshes.
func (c *clockwork) load(a *queue.Attempt) *storage.Report {
	c.Helper()
	r, err := c.q.Load(c.Context(), a)
	must(c.T, err)
	return r
}

// moorings is all that is stored of placements, but for their revisions.
func (c *clockwork) moorings() map[string]map[string]string {
	c.Helper()
	dump := c.s.Dump(c.T)
	maps.DeleteFunc(dump, func(key string, content map[string]string) bool {
		for field, value := range content {
			if strings.HasPrefix(field, "a:") {
				content[field], _, _ = strings.Cut(value, "\t")
			}
		}
		return !slices.ContainsFunc([]string{":placements", ":spots", ":doc:", ":cells:", ":rows:"}, func(part string) bool {
			return strings.Contains(key, part)
		})
	})
	return dump
}

// byAddress maps where placements stand to their ids.
func byAddress(list []storage.Placed) map[string]string {
	ids := map[string]string{}
	for _, p := range list {
		ids[p.AddressKey()] = p.ID
	}
	return ids
}

func (c *clockwork) disconnectAll() {
	c.Helper()
	for _, p := range load(c.T, c.s, c.d(), c.report.ID).Placements {
		_, removed, err := c.s.Placements().Disconnect(c.Context(), c.d(), c.report.ID, placements.Target{PlacementID: p.ID}, adaReads, nil, true)
		if removed == nil || err != nil {
			c.Errorf("%+v: removed %s, %v", p.Placement, removed, err)
		}
	}
}

// Whatever was stored under the address of a placement without an id must be stored under the id that it is given, and nowhere else.
func TestAPlacementThatIsGivenAnIDIsKeptAsOneThatAlwaysHadIt(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		kept := c.importKept()
		ids := byAddress(c.load(c.attempt(record.RunTarget{})).Placements)
		got := c.moorings()
		c.disconnectAll()
		if left := c.moorings(); len(left) > 0 {
			c.Errorf("what was disconnected has left %v", left)
		}
		for i := range kept {
			id := ids[kept[i].AddressKey()]
			if id == "" || kept[i].ID != "" && id != kept[i].ID {
				c.Errorf("the id of %+v is %q now", kept[i].Placement, id)
			}
			kept[i].ID = id
		}
		importAll(c.T, c.s, c.report.ID, kept...)
		if diff := cmp.Diff(c.moorings(), got); diff != "" {
			c.Errorf("(-imported with ids +given ids):\n%s", diff)
		}
	})
}

func TestARunGivesIDsToWhatItRefreshes(t *testing.T) {
	for _, tt := range []struct {
		fact   string
		target record.RunTarget
		given  int // placements
	}{
		{"a run on the report to all", record.RunTarget{}, 2},
		{"a run on their spreadsheet to those in it", record.RunTarget{ExternalWorkbookID: "old"}, 2},
		{"a run on another spreadsheet to none", record.RunTarget{ExternalWorkbookID: "doc"}, 0},
		{"a run on a placement to none", record.RunTarget{PlacementID: "p1"}, 0},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				before := byAddress(c.importKept())
				a := c.attempt(tt.target)
				dump := c.s.Dump(c.T)
				loaded := c.load(a)
				given := map[string]bool{}
				for key, id := range byAddress(loaded.Placements) {
					if id != before[key] {
						given[id] = true
					}
				}
				if len(given) != tt.given {
					t.Errorf("%d ids were given, want %d", len(given), tt.given)
				}
				if diff := cmp.Diff(byAddress(load(t, c.s, c.d(), c.report.ID).Placements), byAddress(loaded.Placements)); diff != "" {
					t.Errorf("(-stored +loaded):\n%s", diff)
				}
				if tt.given > 0 {
					dump = c.s.Dump(t)
				}
				again := c.load(a)
				if diff := cmp.Diff(byAddress(loaded.Placements), byAddress(again.Placements)); diff != "" {
					t.Errorf("(-loaded +loaded again):\n%s", diff)
				}
				wantSameDump(t, dump, c.s.Dump(t))
			})
		})
	}
}

func TestACrashWhileIDsAreGivenLeavesAllOrNothing(t *testing.T) {
	for at := range 3 {
		t.Run(fmt.Sprintf("after %d round trips", at), func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				c.importKept()
				a := c.attempt(record.RunTarget{})
				before := c.s.Dump(t)
				revive := c.s.CrashAfter(at)
				if _, err := c.q.Load(t.Context(), a); !errors.Is(err, storage.ErrCrash) {
					t.Fatalf("not stopped: %v", err)
				}
				if revive() < 2 { // the second commits
					wantSameDump(t, before, c.s.Dump(t))
				}
				c.s.ExpireLocks(t)
				left := byAddress(load(t, c.s, c.d(), c.report.ID).Placements)
				given := byAddress(c.load(c.begin("b", c.orphan("b")[0])).Placements)
				for key, id := range given {
					if id == "" || left[key] != "" && left[key] != id {
						t.Errorf("the next attempt finds the id %q at %q, and gives %q", left[key], key, id)
					}
				}
				c.disconnectAll()
				if left := c.moorings(); len(left) > 0 {
					t.Errorf("what was disconnected has left %v", left)
				}
			})
		})
	}
}

// Both attempts have begun, and connects have been sent, before any of them has given an id.
func TestWhoGivesIDsAtOnceAgreesOnThem(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		c.importKept()
		whole := c.attempt(record.RunTarget{})
		again, run := *whole, *whole.Run // what another agent holds of it
		again.Run = &run
		attempts := []*queue.Attempt{whole, c.attempt(record.RunTarget{ExternalWorkbookID: "old"}), &again}
		loaded := make([]*storage.Report, len(attempts))
		var all sync.WaitGroup
		for i, a := range attempts {
			all.Go(func() {
				var err error
				if loaded[i], err = c.q.Load(c.Context(), a); err != nil {
					c.Error(err)
				}
			})
		}
		for _, location := range []string{"Data!A1", "'Older data'!C3"} {
			all.Go(func() {
				at := placements.Connection{ExternalWorkbookID: "old", ResultLocation: location, AddressOnly: true}
				if _, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, at, adaReads, nil, true); err != nil {
					c.Error(err)
				}
			})
		}
		all.Wait()
		want := byAddress(load(c.T, c.s, c.d(), c.report.ID).Placements)
		for i, r := range loaded {
			if diff := cmp.Diff(want, byAddress(r.Placements)); diff != "" {
				c.Errorf("attempt %d (-stored +loaded):\n%s", i, diff)
			}
		}
		c.disconnectAll()
		if left := c.moorings(); len(left) > 0 {
			c.Errorf("what was disconnected has left %v", left)
		}
	})
}

// A process decides on what it remembers of a placement, which may have had no id then.
func TestWhatIsRememberedFromBeforeAnIDWasGivenIsNotDecidedOn(t *testing.T) {
	who := adaReads
	eachClockwork(t, "skip", func(c *clockwork) {
		c.importKept()
		old := placements.Target{ExternalWorkbookID: "old", SheetName: "Data", AnchorCell: "A1"}
		older := placements.Target{ExternalWorkbookID: "old", SheetName: "Older data", AnchorCell: "C3"}
		for _, target := range []placements.Target{old, older} {
			_, err := c.s.Placements().RecordRefresh(c.Context(), c.d(), c.report.ID, placements.Rewrite{Target: target}, who, nil)
			must(c.T, err)
		}
		given := byAddress(c.load(c.attempt(record.RunTarget{})).Placements)

		at := placements.Connection{ExternalWorkbookID: "old", ResultLocation: "Data!A1"}
		made, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, at, who, nil, true)
		must(c.T, err)
		if want := given[made.Placement.AddressKey()]; made.Placement.ID != want {
			c.Errorf("a connect gives the id %q, want the one that the run gave: %q", made.Placement.ID, want)
		}
		_, removed, err := c.s.Placements().Disconnect(c.Context(), c.d(), c.report.ID, older, who, nil, true)
		if removed == nil || err != nil {
			c.Errorf("a disconnect by address removes %s, %v", removed, err)
		}
		c.disconnectAll()
		if left := c.moorings(); len(left) > 0 {
			c.Errorf("what was disconnected has left %v", left)
		}
	})
}

// Two placements without ids are told apart from the moment that a run has loaded them.
func TestARunCompletesEachPlacementThatHadNoID(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		c.importKept()
		a := c.attempt(record.RunTarget{ExternalWorkbookID: "old"})
		var ids []string
		var o work.Outcome
		for _, p := range c.load(a).Placements {
			if !a.Run.Target().Has(p.Placement) {
				continue
			}
			ids = append(ids, p.ID)
			after := p.Placement
			after.QueryChecksum = "written"
			o.Placements = append(o.Placements, work.PlacementOutcome{
				Placement: after, Before: p, Written: true, Rows: []byte("rows of " + p.ID),
				LastRun: placements.LastRun{RunID: a.Run.ID, State: placements.RunSucceeded},
			})
		}
		state := func(want placements.RunState, query string) {
			c.Helper()
			stored := load(c.T, c.s, c.d(), c.report.ID)
			for _, id := range ids {
				p, ok := stored.Find(id)
				if !ok || p.LastRun.State != want || p.LastRun.RunID != a.Run.ID || p.QueryChecksum != query {
					c.Errorf("placement %q: %t, %+v, last run %+v, want %s", id, ok, p.Placement, p.LastRun, want)
				}
			}
		}
		must(c.T, c.q.Queue.MarkRunning(c.Context(), c.d(), a.Run, ids))
		state(placements.RunRunning, "q")
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, o))
		state(placements.RunSucceeded, "written")
		for _, one := range o.Placements {
			c.rows(one.Placement, "rows of "+one.Placement.ID, "")
		}
		c.disconnectAll()
		if left := c.moorings(); len(left) > 0 {
			c.Errorf("what was disconnected has left %v", left)
		}
	})
}

func TestNoIDsAreGivenInAReportThatWasDeleted(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		c.importKept()
		a := c.attempt(record.RunTarget{})
		must(c.T, c.s.Reports().Delete(c.Context(), c.d(), c.report.ID, ada, anyone))
		if _, err := c.q.Load(c.Context(), a); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("got %v, want ErrNotFound", err)
		}
		if left := c.moorings(); len(left) > 0 {
			c.Errorf("the attempt leaves %v", left)
		}
	})
}
