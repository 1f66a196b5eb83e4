package storage_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/storage/work"
)

func TestAnOlderAttemptLeavesNothing(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		id := c.fire(1)[0]
		older := c.beginNext("a", id)
		list := c.orphan("b")
		if len(list) != 1 || list[0].RunID != id {
			c.Fatalf("orphans are %v, want run %s", list, id)
		}
		newer := c.begin("b", list[0])
		before := c.s.Dump(c.T)

		if r := c.q.Queue.Renew(c.Context(), older.Pulse())[0]; !errors.Is(r.Err, storage.ErrLockLost) {
			c.Errorf("the older attempt renews its claim: %+v", r)
		}
		older.Run.State, older.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		err := c.q.Complete(c.Context(), older, work.Outcome{
			Placements: []work.PlacementOutcome{{Placement: p, Before: c.placed(p), Written: true, Rows: []byte("old")}},
			Refreshed:  adaShown(),
		})
		if !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("the older attempt completes: %v", err)
		}
		if diff := cmp.Diff(before, c.s.Dump(c.T)); diff != "" {
			c.Errorf("the refused completion changed something:\n%s", diff)
		}
		if _, err := c.q.Queue.Begin(c.Context(), "a", list[0]); !errors.Is(err, queue.ErrEnded) {
			c.Errorf("an agent begins an entry that is another's: %v", err)
		}
		must(c.T, c.end(newer, placements.RunSucceeded))
		if run := c.run(id); run.State != placements.RunSucceeded || run.Attempt != 2 {
			c.Errorf("the run is %s after attempt %d", run.State, run.Attempt)
		}
		c.depth(0)
	})
}

func TestACompletedAttemptDoesNotCompleteTwice(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		a := c.beginNext("a", c.fire(1)[0])
		must(c.T, c.end(a, placements.RunSucceeded))
		if err := c.end(a, placements.RunFailed); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("completing again: %v", err)
		}
		if got := c.run(a.Run.ID).State; got != placements.RunSucceeded {
			c.Errorf("the run is %s", got)
		}
	})
}

// connect places the report in a spreadsheet.
func (c *clockwork) connect(location string) placements.Placement {
	c.Helper()
	made, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
		ExternalWorkbookID: "book", ResultLocation: location, AddressOnly: true,
	}, adaReads, nil, false)
	must(c.T, err)
	p, ok := load(c.T, c.s, c.d(), c.report.ID).Find(made.Placement.ID)
	if !ok {
		c.Fatal("the placement is not there")
	}
	return p.Placement
}

// placed is a placement as it is stored now.
func (c *clockwork) placed(p placements.Placement) storage.Placed {
	c.Helper()
	stored, ok := load(c.T, c.s, c.d(), c.report.ID).Find(p.ID)
	if !ok {
		c.Fatal("the placement is not there")
	}
	return stored
}

func TestCompleteLeavesWhatWasWritten(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		must(c.T, c.q.Queue.MarkRunning(c.Context(), c.d(), a.Run, []string{p.ID, "gone"}))
		if got, _ := load(c.T, c.s, c.d(), c.report.ID).Find(p.ID); got.LastRun == nil || got.LastRun.State != placements.RunRunning {
			c.Errorf("the placement shows the run as %+v", got.LastRun)
		}
		after := p
		after.AnchorCell, after.ResultLocation, after.EndResultCell = "B5", "S!B5", "C9"
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{
			Placements: []work.PlacementOutcome{{
				Placement: after, Before: c.placed(p), Written: true, Rows: []byte("prints"),
				LastRun: placements.LastRun{RunID: a.Run.ID, State: placements.RunSucceeded},
			}},
			Refreshed: adaShown(),
		}))
		got, _ := load(c.T, c.s, c.d(), c.report.ID).Find(p.ID)
		if got.AnchorCell != "B5" || got.EndResultCell != "C9" || got.LastRun.State != placements.RunSucceeded {
			c.Errorf("the placement is %+v", got)
		}
		c.rows(p, "prints", "")
	})
}

// What a run leaves on one of many placements costs what it does on one of few: a run has as many as there are documents.
func TestCompleteReadsWhatItLeaves(t *testing.T) {
	address := storagetest.Redis(t)
	c := newClockwork(t, storagetest.Open(t, address), shop, "skip")
	p := c.connect("S!A1")
	complete := func() int64 {
		a, before := c.beginNext("a", c.manual()), c.placed(p)
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		_, bytes := storagetest.Asked(t, address, func() {
			must(t, c.q.Complete(t.Context(), a, work.Outcome{
				Placements: []work.PlacementOutcome{{Placement: before.Placement, Before: before, Written: true, Rows: []byte("x")}}, Refreshed: adaShown(),
			}))
		})
		return bytes
	}
	complete() // learns
	few := complete()
	for row := range 100 {
		c.connect("S!A" + strconv.Itoa(10*row+11))
	}
	if many := complete(); many > few+slack {
		t.Errorf("%d bytes are read of a report with a placement, %d of one with 101", few, many)
	}
}

func TestCompleteLeavesAMovedPlacementAlone(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a, before := c.beginNext("a", c.manual()), c.placed(p)
		_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
			ExternalWorkbookID: "book", ResultLocation: "S!H8", PlacementID: p.ID, AddressOnly: true,
		}, adaReads, nil, false)
		must(c.T, err)
		moved, _ := load(c.T, c.s, c.d(), c.report.ID).Find(p.ID)
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{
			Placements: []work.PlacementOutcome{{Placement: p, Before: before, Written: true, Rows: []byte("x")}},
		}))
		now, _ := load(c.T, c.s, c.d(), c.report.ID).Find(p.ID)
		if diff := cmp.Diff(moved, now, shownOnly); diff != "" {
			c.Errorf("the completion changed a placement that was moved meanwhile:\n%s", diff)
		}
	})
}

func TestCompleteLeavesToAnAddInWhatItWroteMeanwhile(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a, before := c.beginNext("a", c.manual()), c.placed(p)
		_, err := c.s.Placements().Connect(c.Context(), c.d(), c.report.ID, placements.Connection{
			ExternalWorkbookID: "book", ResultLocation: "S!A1", EndResultCell: "D9",
		}, adaReads, nil, false)
		must(c.T, err)
		written := c.placed(p)
		a.Run.State, a.Run.EndedAt = placements.RunSucceeded, placements.Time(tick)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{
			Placements: []work.PlacementOutcome{{Placement: p, Before: before, Written: true, Rows: []byte("x")}},
		}))
		if diff := cmp.Diff(written.Placement, c.placed(p).Placement); diff != "" {
			c.Errorf("the completion changed what an add-in had reported meanwhile:\n%s", diff)
		}
		c.rows(p, "", "")
	})
}

func TestRetryComesThroughTheDueSet(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		id := c.manual()
		first := c.beginNext("a", id)
		c.again(first)
		c.depth(0)
		waiting := c.run(id)
		if waiting.State != placements.RunQueued || waiting.NextAttemptAt == "" || waiting.EndedAt != "" {
			c.Errorf("between attempts the run is %+v", waiting)
		}
		var runs []string
		for _, d := range c.due() {
			if d.RunID != "" {
				runs = append(runs, d.RunID)
			}
		}
		if diff := cmp.Diff([]string{id}, runs); diff != "" {
			c.Fatalf("due runs (-want +got):\n%s", diff)
		}
		for range 3 { // agents that popped it one after the other
			must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), []record.Due{{Deployment: c.d(), RunID: id}}))
		}
		c.depth(1)
		second := c.beginNext("b", id)
		if second.Run.Attempt != 2 || second.Run.StartedAt != first.Run.StartedAt || second.Run.NextAttemptAt != "" {
			c.Errorf("the second attempt is %+v", second.Run)
		}
		must(c.T, c.end(second, placements.RunSucceeded))
		must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), []record.Due{{Deployment: c.d(), RunID: id}}))
		c.depth(0)
	})
}

func TestFiveFailuresInARowPauseASchedule(t *testing.T) {
	const failed, succeeded, stopped = placements.RunFailed, placements.RunSucceeded, placements.RunStopped
	for _, tt := range []struct {
		name   string
		ends   []placements.RunState
		outage bool // the failures are none that count
		paused bool
	}{
		{name: "four are not enough", ends: []placements.RunState{failed, failed, failed, failed}},
		{name: "five are", ends: []placements.RunState{failed, failed, failed, failed, failed}, paused: true},
		{name: "a success begins anew", ends: []placements.RunState{failed, failed, failed, failed, succeeded, failed}},
		{name: "a stopped run counts neither way", ends: []placements.RunState{failed, failed, failed, failed, stopped, failed}, paused: true},
		{name: "an outage never pauses", ends: []placements.RunState{failed, failed, failed, failed, failed, failed, failed}, outage: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				for _, state := range tt.ends {
					a := c.beginNext("a", c.fire(1)[0])
					a.Run.State, a.Run.EndedAt, a.Run.Error = state, placements.Time(tick), "there is no sheet named Sales"
					var o work.Outcome
					if state == failed && !tt.outage {
						o.Failure = a.Run.Error
					}
					must(c.T, c.q.Complete(c.Context(), a, o))
				}
				stored := c.stored()
				if stored.Paused != tt.paused {
					c.Fatalf("paused is %t after %v", stored.Paused, tt.ends)
				}
				if tt.paused != strings.Contains(stored.PausedReason, "there is no sheet named Sales") {
					c.Errorf("the reason is %q", stored.PausedReason)
				}
				if due := len(c.due()); (due == 0) != tt.paused {
					c.Errorf("%d things are due", due)
				}
			})
		})
	}
}

func TestResumingAPausedScheduleForgetsItsFailures(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		for range 5 {
			must(c.T, c.end(c.beginNext("a", c.fire(1)[0]), placements.RunFailed))
		}
		resumed, err := c.s.Schedules().Update(c.Context(), c.d(), c.schedule, record.Actor{ID: 7}, func(stored *record.Schedule) (record.Tick, error) {
			stored.Paused = false
			return at(tick.Add(time.Hour)), nil
		})
		must(c.T, err)
		if resumed.Paused || resumed.PausedReason != "" {
			c.Errorf("resumed, it is paused %t: %q", resumed.Paused, resumed.PausedReason)
		}
		must(c.T, c.end(c.beginNext("a", c.fire(1)[0]), placements.RunFailed))
		if stored := c.stored(); stored.Paused || stored.Failures != 1 {
			c.Errorf("paused %t after %d failures, want 1", stored.Paused, stored.Failures)
		}
	})
}

// rows checks the fingerprints that are kept for a placement.
func (c *clockwork) rows(p placements.Placement, completed, begun string) {
	c.Helper()
	blocks, err := c.q.Blocks(c.Context(), c.d().Tenant, []work.BlockQuery{{
		Deployment: c.d(), ReportID: c.report.ID, Known: storage.Placed{Placement: p},
	}})
	must(c.T, err)
	rows := blocks[0].Rows
	if string(rows.Completed) != completed || string(rows.Begun) != begun {
		c.Errorf("the fingerprints are %q, begun %q; want %q and %q", rows.Completed, rows.Begun, completed, begun)
	}
}
