package storage_test

import (
	"errors"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
	"mooring/storage/record"
	"mooring/storage/work"
)

// hold makes a run that the test holds, and begins its first attempt.
func (c *clockwork) hold() *queue.Attempt {
	c.Helper()
	run := &record.Run{ReportID: c.report.ID}
	must(c.T, c.q.Queue.Hold(c.Context(), c.d(), run))
	return c.beginHeld(run)
}

func (c *clockwork) beginHeld(run *record.Run) *queue.Attempt {
	c.Helper()
	a, err := c.q.Queue.BeginHeld(c.Context(), c.d(), run)
	must(c.T, err)
	return a
}

// dueRuns are the runs that are due now; they are leased for no time.
func (c *clockwork) dueRuns() (list []record.Due) {
	c.Helper()
	for _, d := range c.due() {
		if d.RunID != "" {
			list = append(list, d)
		}
	}
	return list
}

func TestAHeldRunIsItsHoldersAlone(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		a := c.hold()
		if run := c.run(a.Run.ID); run.State != placements.RunRunning || run.Attempt != 1 || run.Trigger != record.TriggerManual {
			c.Errorf("the run is %+v", run)
		}
		c.depth(0)
		if due := c.dueRuns(); len(due) > 0 {
			c.Errorf("%v is due while it is held", due)
		}
		var conflict *placements.Error
		err := c.q.Queue.Hold(c.Context(), c.d(), &record.Run{ReportID: c.report.ID})
		if !errors.As(err, &conflict) || conflict.Code != placements.CodeRunning {
			c.Errorf("another run on the same target: %v", err)
		}
		if err := c.q.Queue.Hold(c.Context(), c.d(), &record.Run{ReportID: 999}); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("a run of no report: %v", err)
		}
		if r := c.q.Queue.Renew(c.Context(), a.Pulse())[0]; r.Stop || r.Err != nil {
			c.Errorf("its holder renews it: %+v", r)
		}
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), a.Run.ID))
		if r := c.q.Queue.Renew(c.Context(), a.Pulse())[0]; !r.Stop || r.Err != nil {
			c.Errorf("after a stop Renew says %+v", r)
		}
		must(c.T, c.end(a, placements.RunStopped))
		c.depth(0)
		c.hold()
	})
}

func TestAHeldRunThatIsTriedAgainIsLeftToItsHolderFirst(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		a := c.hold()
		now, err := c.q.Queue.Clock(c.Context())
		must(c.T, err)
		a.Run.State, a.Run.NextAttemptAt = placements.RunQueued, placements.Time(now)
		must(c.T, c.q.Complete(c.Context(), a, work.Outcome{Ending: queue.Ending{Again: now}}))
		if due := c.dueRuns(); len(due) > 0 {
			c.Errorf("%v is due for everybody as soon as for its holder", due)
		}
		b := c.beginHeld(a.Run)
		if b.Run.Attempt != 2 || b.Run.StartedAt != a.Run.StartedAt {
			c.Errorf("the second attempt is %+v", b.Run)
		}
		must(c.T, c.end(b, placements.RunSucceeded))
		if _, err := c.q.Queue.BeginHeld(c.Context(), c.d(), b.Run); !errors.Is(err, queue.ErrEnded) {
			c.Errorf("an attempt of a run that has ended: %v", err)
		}
	})
}

func TestAHeldRunWhoseHolderDiesGoesToTheAgents(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		for _, begun := range []bool{false, true} {
			c.report = create(c.T, c.s, c.d(), named("Sales", "select 1"))
			run := &record.Run{ReportID: c.report.ID}
			must(c.T, c.q.Queue.Hold(c.Context(), c.d(), run))
			var lost *queue.Attempt
			if begun {
				lost = c.beginHeld(run)
			}
			c.s.LapseHold(c.T, c.d(), run.ID)
			must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
			a := c.beginNext("b", run.ID)
			if begun {
				if r := c.q.Queue.Renew(c.Context(), lost.Pulse())[0]; !errors.Is(r.Err, storage.ErrLockLost) {
					c.Errorf("the holder that came back renews: %+v", r)
				}
				if err := c.end(lost, placements.RunFailed); !errors.Is(err, storage.ErrLockLost) {
					c.Errorf("the holder that came back completes: %v", err)
				}
			}
			if _, err := c.q.Queue.BeginHeld(c.Context(), c.d(), run); !errors.Is(err, queue.ErrEnded) {
				c.Errorf("the holder that came back begins: %v", err)
			}
			must(c.T, c.end(a, placements.RunSucceeded))
			c.depth(0)
			if due := c.dueRuns(); len(due) > 0 {
				c.Errorf("%v is due after the run has ended", due)
			}
		}
	})
}

func TestARecordLeavesItsRunRunning(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.beginNext("a", c.manual())
		_, lease, release, err := c.q.LockDocument(c.Context(), shop.Tenant, "book")
		must(c.T, err)
		defer release()
		must(c.T, c.writeAhead(lease, a, p, "prints"))
		after := p
		after.QueryChecksum, after.RefreshedAt = c.report.CurrentChecksum, placements.Time(tick)
		a.Run.Placements = []record.RunPlacement{{PlacementID: p.ID, State: placements.RunSucceeded}}
		o := work.Outcome{
			Placements: []work.PlacementOutcome{{Placement: after, Before: c.placed(p), Written: true, Rows: []byte("prints")}},
			Refreshed:  adaShown(),
		}
		must(c.T, c.q.Record(c.Context(), a, o))
		c.rows(p, "prints", "")
		if run := c.run(a.Run.ID); run.State != placements.RunRunning || len(run.Placements) != 1 {
			c.Errorf("after the record the run is %+v", run)
		}
		if r := load(c.T, c.s, c.d(), c.report.ID); r.RefreshedBy != ada.ID {
			c.Error("the report does not show who refreshed it")
		}
		next := c.begin("b", c.orphan("b")[0])
		if len(next.Run.Placements) != 1 {
			c.Errorf("the next attempt knows of %v", next.Run.Placements)
		}
		o.Placements[0].Rows = []byte("late")
		if err := c.q.Record(c.Context(), a, o); !errors.Is(err, storage.ErrLockLost) {
			c.Errorf("the older attempt records: %v", err)
		}
		c.rows(p, "prints", "")
		must(c.T, c.end(next, placements.RunSucceeded))
	})
}

func TestWhatCameTogetherIsTakenTogether(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const runs = 20
		for range runs {
			c.schedule = c.newSchedule().ID
			c.fire(1)
		}
		list, err := c.q.Queue.Take(c.Context(), "a", 32, time.Second)
		must(c.T, err)
		if len(list) != runs {
			c.Errorf("an idle agent took %d of %d runs of one tenant", len(list), runs)
		}
		for range runs {
			c.schedule = c.newSchedule().ID
			c.fire(1)
		}
		if list, err = c.q.Queue.Take(c.Context(), "a", 7, time.Second); err != nil || len(list) != 7 {
			c.Errorf("an agent with 7 free slots took %d: %v", len(list), err)
		}
	})
}

// What is taken over from a run that is held and waits is settled by its holder.
func TestARunThatIsHeldIsGivenToNoAgent(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		p := c.connect("S!A1")
		a := c.hold()
		c.claim(a, nil, p)
		must(c.T, c.waits(a, p))
		newer := c.beginNext("b", c.manualOn(p))
		if !c.claim(newer, a, p) {
			c.Fatal("it is not taken over")
		}
		must(c.T, c.end(newer, placements.RunSucceeded))
		c.depth(0)
		if held := c.beginHeld(a.Run); held.Taken(p.ID) != newer.Run.ID {
			c.Errorf("its holder knows of %q", held.Taken(p.ID))
		}
	})
}

// A holder that was not heard of for so long that its run was given to the agents may still come first.
func TestAHeldRunThatItsHolderBeginsIsNoAgents(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		a := c.hold()
		must(c.T, c.waits(a))
		c.s.LapseHold(c.T, c.d(), a.Run.ID)
		must(c.T, c.q.Queue.Ticks.Requeue(c.Context(), c.dueRuns()))
		list := c.take("b")
		if len(list) != 1 || list[0].RunID != a.Run.ID {
			c.Fatalf("the queues hold %v", list)
		}
		held := c.beginHeld(a.Run)
		if _, err := c.q.Queue.Begin(c.Context(), "b", list[0]); !errors.Is(err, queue.ErrEnded) {
			c.Errorf("an agent begins what its holder works on: %v", err)
		}
		c.depth(0)
		if r := c.q.Queue.Renew(c.Context(), held.Pulse())[0]; r.Stop || r.Err != nil {
			c.Errorf("its holder renews it: %+v", r)
		}
		must(c.T, c.end(held, placements.RunSucceeded))
	})
}
