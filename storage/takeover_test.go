package storage_test

import (
	"errors"
	"fmt"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"

	"github.com/google/go-cmp/cmp"
)

// claim has an attempt claim placements; from is whom it read as wanting them.
func (c *clockwork) claim(a *queue.Attempt, from *queue.Attempt, list ...placements.Placement) bool {
	c.Helper()
	claims := make([]queue.Claim, len(list))
	for i, p := range list {
		claims[i] = queue.Claim{PlacementID: p.ID, Takes: true}
		if from != nil {
			claims[i].Seen = fmt.Sprint(from.Fence)
		}
	}
	ok, err := c.q.Queue.Claim(c.Context(), a, claims, false)
	must(c.T, err)
	return ok
}

// manualOn asks for a run of one placement, beside one of the whole report.
func (c *clockwork) manualOn(p placements.Placement) string {
	c.Helper()
	run := &record.Run{ReportID: c.report.ID, PlacementID: p.ID}
	must(c.T, storagetest.Enqueue(c.Context(), c.q, c.d(), run))
	return run.ID
}

// waits completes an attempt whose run is to wait for placements.
func (c *clockwork) waits(a *queue.Attempt, list ...placements.Placement) error {
	now, err := c.q.Queue.Clock(c.Context())
	must(c.T, err)
	a.Run.State, a.Run.Placements = placements.RunQueued, nil
	for _, p := range list {
		a.Run.Placements = append(a.Run.Placements, record.RunPlacement{PlacementID: p.ID, State: placements.RunQueued})
	}
	return c.q.Complete(c.Context(), a, work.Outcome{Ending: queue.Ending{Again: now, Waits: true}})
}

// shown is the run that a placement shows, and its state.
func (c *clockwork) shown(p placements.Placement) string {
	c.Helper()
	last := c.placed(p).LastRun
	if last == nil {
		return ""
	}
	return last.RunID + " " + string(last.State)
}

func TestOnlyWhatAnOlderRunWasReadDoingIsTakenOver(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		older := c.beginNext("a", c.manual())
		if !c.claim(older, nil, p) {
			c.Fatal("what no run wants is not claimed")
		}
		must(c.T, c.waits(older, p))
		newer := c.beginNext("b", c.manual()) // which has read the older one as it waits
		must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
		again := c.beginNext("a", older.Run.ID)
		if c.claim(newer, older, p) {
			c.Error("what the older run works on was taken over as if it waited")
		}
		if c.shown(p) != older.Run.ID+" RUNNING" && c.shown(p) != "" {
			c.Errorf("the placement shows %s", c.shown(p))
		}
		if !c.claim(newer, again, p) {
			c.Error("it is not taken over by who knows what the older run does")
		}
		if c.shown(p) != newer.Run.ID+" RUNNING" {
			c.Errorf("the placement shows %s", c.shown(p))
		}
		if c.claim(again, newer, p) {
			c.Error("the older run claims without knowing that it was taken over")
		}
		if again.Taken(p.ID) != newer.Run.ID {
			c.Errorf("it knows of %q", again.Taken(p.ID))
		}
	})
}

func TestAnOlderAttemptClaimsNothing(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		older := c.beginNext("a", c.manual())
		c.begin("b", c.orphan("b")[0])
		before := c.s.Dump(c.T)
		ok, err := c.q.Queue.Claim(c.Context(), older, []queue.Claim{{PlacementID: p.ID, Takes: true}}, false)
		if ok || !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("it claims: %t, %v", ok, err)
		}
		if diff := cmp.Diff(before, c.s.Dump(c.T)); diff != "" {
			c.Errorf("the refused claim changed something:\n%s", diff)
		}
	})
}

// A run from which a newer one takes a placement need not wait for its next attempt to be settled: an agent is given it at once.
func TestARunIsSettledOnceItIsTakenOver(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		older := c.beginNext("a", c.manual())
		c.claim(older, nil, p)
		must(c.T, c.waits(older, p))
		c.claim(c.beginNext("b", c.manual()), older, p)
		if due := c.dueRuns(); len(due) != 0 {
			c.Errorf("it is due still: %v", due)
		}
		c.beginNext("a", older.Run.ID)
	})
}

// A run wants the placements that it waits for, and none that it is done with.
func TestARunThatIsDoneWithAPlacementWantsItNoMore(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		done, open := c.connect("S!A1"), c.connect("S!D1")
		older := c.beginNext("a", c.manual())
		c.claim(older, nil, done, open)
		now, err := c.q.Queue.Clock(c.Context())
		must(c.T, err)
		older.Run.State, older.Run.Placements = placements.RunQueued, []record.RunPlacement{
			{PlacementID: done.ID, State: placements.RunSucceeded}, {PlacementID: open.ID, State: placements.RunQueued},
		}
		must(c.T, c.q.Complete(c.Context(), older, work.Outcome{Ending: queue.Ending{Again: now, Waits: true}}))
		newer := c.beginNext("b", c.manual())
		if got := newer.Wanted(done.ID); got != "" {
			c.Errorf("what it is done with is wanted by %s", got)
		}
		if got := newer.Wanted(open.ID); got != older.Run.ID {
			c.Errorf("what it waits for is wanted by %q, want %s", got, older.Run.ID)
		}
	})
}

// A run that is to go on, for whatever reason, must know what was taken over from it: it would show itself over the newer one.
func TestARunThatGoesOnKnowsWhatWasTakenOver(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		for _, waits := range []bool{true, false} {
			c.report = create(c.T, c.s, c.d(), named("Sales", "select 1"))
			p := c.connect("S!A1")
			older := c.beginNext("a", c.manual())
			c.claim(older, nil, p)
			must(c.T, c.waits(older, p))
			must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
			older = c.beginNext("a", older.Run.ID)
			newer := c.beginNext("b", c.manualOn(p))
			if !c.claim(newer, older, p) {
				c.Fatal("it is not taken over")
			}
			now, err := c.q.Queue.Clock(c.Context())
			must(c.T, err)
			older.Run.State = placements.RunQueued
			goesOn := work.Outcome{Ending: queue.Ending{Again: now, Waits: waits}}
			if err := c.q.Complete(c.Context(), older, goesOn); !errors.Is(err, queue.ErrTaken) {
				c.Errorf("a run goes on, waiting: %t, with what was taken over from it: %v", waits, err)
			}
			must(c.T, c.q.Queue.ReadAgain(c.Context(), older))
			must(c.T, c.q.Complete(c.Context(), older, goesOn))
			must(c.T, c.end(newer, placements.RunSucceeded))
			must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
			must(c.T, c.end(c.beginNext("a", older.Run.ID), placements.RunStopped))
		}
	})
}

// What its run did nothing to in the end shows the run that is at work on it instead, if there is one, and leaves alone what another run shows.
func TestAPlacementThatIsLeftShowsNoRunThatHasEnded(t *testing.T) {
	for _, tt := range []struct {
		what       string
		newerEnds  bool // before the older one
		newerShows bool
		want       placements.RunState
		newer      bool
	}{
		{"the newer run waits", false, false, placements.RunQueued, true},
		{"the newer run has ended", true, false, placements.RunSuperseded, false},
		{"the newer run is shown", false, true, placements.RunRunning, true},
	} {
		t.Run(tt.what, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				p := c.connect("S!A1")
				newer := c.beginNext("b", c.manual())
				c.claim(newer, nil, p)
				must(c.T, c.waits(newer, p))
				before := c.placed(p)
				older := c.beginNext("a", c.manualOn(p))
				beside := queue.Claim{PlacementID: p.ID, Seen: fmt.Sprint(newer.Fence)}
				if ok, err := c.q.Queue.Claim(c.Context(), older, []queue.Claim{beside}, false); !ok || err != nil {
					c.Fatalf("it is not claimed beside the newer run: %v", err)
				}
				if tt.newerShows || tt.newerEnds {
					must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
					newer = c.beginNext("b", newer.Run.ID)
				}
				if tt.newerShows {
					c.claim(newer, nil, p)
				}
				if tt.newerEnds {
					newer.Run.Placements = []record.RunPlacement{{PlacementID: p.ID, State: placements.RunSucceeded}}
					must(c.T, c.end(newer, placements.RunSucceeded))
				}
				older.Run.Placements = []record.RunPlacement{{PlacementID: p.ID, State: placements.RunSuperseded}}
				older.Run.State, older.Run.EndedAt = placements.RunSuperseded, placements.Time(tick)
				must(c.T, c.q.Complete(c.Context(), older, work.Outcome{Placements: []work.PlacementOutcome{{
					Placement: p, Before: before, Untried: true,
					LastRun: placements.LastRun{RunID: older.Run.ID, State: placements.RunSuperseded},
					Newer:   &placements.LastRun{RunID: newer.Run.ID, State: placements.RunQueued},
				}}}))
				want := older.Run.ID
				if tt.newer {
					want = newer.Run.ID
				}
				if got := c.shown(p); got != want+" "+string(tt.want) {
					c.Errorf("the placement shows %s, want %s %s", got, want, tt.want)
				}
				c.checkCounts()
			})
		})
	}
}

// What waited when a backup was made waits no more when it is restored: the run that would go on was stopped.
func TestWhatWaitedIsStoppedByARestore(t *testing.T) {
	source, target := storagetest.Redis(t), storagetest.Redis(t)
	c := newClockwork(t, storagetest.Open(t, source), shop, "skip")
	p := c.connect("S!A1")
	a := c.beginNext("a", c.manual())
	c.claim(a, nil, p)
	waits := record.RunPlacement{
		PlacementID: p.ID, State: placements.RunQueued, ErrorClass: placements.Transient, Error: "It is open.", Reason: placements.ReasonLocked,
		Since: placements.Time(tick), NextAttemptAt: placements.Time(tick),
	}
	now, err := c.q.Queue.Clock(t.Context())
	must(t, err)
	a.Run.State, a.Run.Placements = placements.RunQueued, []record.RunPlacement{waits}
	must(t, c.q.Complete(t.Context(), a, work.Outcome{
		Ending: queue.Ending{Again: now, Waits: true},
		Placements: []work.PlacementOutcome{{Placement: p, Before: c.placed(p), LastRun: placements.LastRun{
			RunID: a.Run.ID, State: waits.State, ErrorClass: waits.ErrorClass, Error: waits.Error, Reason: waits.Reason, Since: waits.Since,
		}}},
	}))
	c.checkCounts()
	if counts, _, err := c.s.Standing().Counts(t.Context(), c.d()); err != nil || counts.Waiting != 1 {
		t.Fatalf("%d placements wait (%v), want 1", counts.Waiting, err)
	}
	at := storage.Config{Address: target, Log: quiet}
	_, err = restore(t.Context(), at, backedUp(t, storage.Config{Address: source}), restoring(false))
	must(t, err)
	c.s = storagetest.Open(t, target)
	c.q = c.s.Work()
	last := c.placed(p).LastRun
	if last == nil || last.State != placements.RunStopped || last.Reason != "" || last.Since != "" || last.NextAttemptAt != "" {
		t.Errorf("the placement shows %+v", last)
	}
	o := c.run(a.Run.ID).Placements[0]
	if o.State != placements.RunStopped || o.Reason != "" || o.Since != "" || o.NextAttemptAt != "" || o.Error != queue.Interrupted {
		t.Errorf("the run says %+v", o)
	}
	if counts, _, err := c.s.Standing().Counts(t.Context(), c.d()); err != nil || counts.Waiting != 0 {
		t.Errorf("%d placements wait (%v), want none", counts.Waiting, err)
	}
	c.checkCounts()
}
