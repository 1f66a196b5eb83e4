package storage_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
)

func TestEveryTickHasOneRunHoweverManyFireIt(t *testing.T) {
	const firers, ticks = 8, 25
	for _, overlap := range []string{"skip", "queue"} {
		t.Run(overlap, func(t *testing.T) {
			eachClockwork(t, overlap, func(c *clockwork) {
				var recorded atomic.Int64
				var group sync.WaitGroup
				for range firers {
					group.Go(func() {
						for stored := c.stored(); stored.Next.Before(tick.Add(ticks * time.Minute)); stored = c.stored() {
							made, err := c.s.Fire(c.Context(), []storage.Firing{c.firing(stored)})
							if err != nil {
								c.Error(err)
								return
							}
							if made[0] {
								recorded.Add(1)
							}
						}
					})
				}
				group.Wait()
				runs, err := c.s.ScheduleRuns(c.Context(), c.d(), c.schedule)
				must(c.T, err)
				var got, want []string
				for i := range ticks {
					got = append(got, runs[len(runs)-1-i].FireTime)
					want = append(want, placements.Time(tick.Add(time.Duration(i)*time.Minute)))
				}
				if diff := cmp.Diff(want, got); diff != "" || len(runs) != ticks {
					c.Errorf("%d records (-want +got):\n%s", len(runs), diff)
				}
				if n := recorded.Load(); n != ticks {
					c.Errorf("%d firings say that they made a run, want %d", n, ticks)
				}
				c.depth(1)
			})
		})
	}
}

func TestATickThatWasFiredIsNotFiredAgain(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		stale := c.stored()
		c.fire(1)
		made, err := c.s.Fire(c.Context(), []storage.Firing{c.firing(stale)})
		if err != nil || made[0] {
			c.Errorf("the same tick fired again: %v, %v", made, err)
		}
		// A writer of the schedule that had read it before the tick puts the tick back: its run is there already.
		_, err = c.s.UpdateSchedule(c.Context(), c.d(), c.schedule, func(stored *record.Schedule) (record.Tick, error) {
			stored.Name = "renamed"
			return at(tick), nil
		})
		must(c.T, err)
		c.fire(1)
		c.depth(1)
		if next := c.stored().Next; !next.Equal(tick.Add(time.Minute)) {
			c.Errorf("the schedule's next tick is %s, want the one after", next)
		}
	})
}

func TestOverlapSkipRecordsWhatItSkips(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		runs := c.fire(3)
		want := []placements.RunState{placements.RunQueued, placements.RunSkipped, placements.RunSkipped}
		if diff := cmp.Diff(want, c.states(runs)); diff != "" {
			c.Errorf("states (-want +got):\n%s", diff)
		}
		if run := c.run(runs[1]); run.Error == "" || run.EndedAt == "" {
			c.Errorf("a skipped run tells neither why nor when: %+v", run)
		}
		must(c.T, c.end(c.beginNext("a", runs[0]), placements.RunSucceeded))
		c.beginNext("a", c.fire(1)[0])
	})
}

func TestOverlapQueueRunsOneAfterTheOther(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		runs := c.fire(4)
		must(c.T, c.s.Stop(c.Context(), c.d(), runs[2])) // while it waits
		list := c.take("a")
		first := c.begin("a", entryOf(list, runs[0]))
		must(c.T, c.end(c.begin("a", entryOf(list, runs[2])), placements.RunStopped))
		c.depth(1)
		must(c.T, c.end(first, placements.RunFailed))
		must(c.T, c.end(c.beginNext("a", runs[1]), placements.RunSucceeded))
		must(c.T, c.end(c.beginNext("a", runs[3]), placements.RunSucceeded))
		c.depth(0)
		want := []placements.RunState{placements.RunFailed, placements.RunSucceeded, placements.RunStopped, placements.RunSucceeded}
		if diff := cmp.Diff(want, c.states(runs)); diff != "" {
			c.Errorf("states (-want +got):\n%s", diff)
		}
		if active := c.stored().Active; active != "" {
			c.Errorf("run %s is still the active one", active)
		}
	})
}

func entryOf(list []storage.Entry, run string) storage.Entry {
	for _, e := range list {
		if e.RunID == run {
			return e
		}
	}
	return storage.Entry{}
}

func TestAnActiveRunThatIsGoneHoldsNothingUp(t *testing.T) {
	for _, overlap := range []string{"skip", "queue"} {
		t.Run(overlap, func(t *testing.T) {
			eachClockwork(t, overlap, func(c *clockwork) {
				lost := c.fire(1)[0]
				c.take("a")
				c.s.ForgetRun(c.T, c.d(), lost)
				c.beginNext("a", c.fire(1)[0])
			})
		})
	}
}

func TestHistoryKeepsTheLastHundredRuns(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		runs := c.fire(130)
		for name, list := range map[string]func() ([]*record.Run, error){
			"schedule": func() ([]*record.Run, error) { return c.s.ScheduleRuns(c.Context(), c.d(), c.schedule) },
			"report":   func() ([]*record.Run, error) { return c.s.Runs(c.Context(), c.d(), c.report.ID) },
		} {
			history, err := list()
			must(c.T, err)
			if len(history) != 100 || history[0].ID != runs[129] || history[99].ID != runs[30] {
				c.Errorf("the history of the %s has %d runs, the latest %s", name, len(history), history[0].ID)
			}
		}
		if run := c.run(runs[0]); run.State != placements.RunQueued {
			c.Errorf("the first run, which has not ended, is %s", run.State)
		}
		if _, err := c.s.Run(c.Context(), c.d(), runs[1]); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("a run that no history lists any more is still stored: %v", err)
		}
	})
}

func TestARunIsKeptAsLongAsOneHistoryListsIt(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		mine := c.fire(2)[1]
		quiet := c.schedule
		c.schedule = c.newSchedule().ID
		c.fire(120) // push mine out of the report's history
		c.run(mine)
		c.schedule = quiet
		c.fire(120)
		if _, err := c.s.Run(c.Context(), c.d(), mine); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("run %s is in no history and still stored: %v", mine, err)
		}
	})
}

func TestHistoryOutlivesItsSchedule(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		runs := c.fire(3)
		must(c.T, c.s.DeleteSchedule(c.Context(), c.d(), c.schedule, func(*record.Schedule) error { return nil }))
		if due := c.due(); len(due) != 0 {
			c.Errorf("the deleted schedule is still due: %v", due)
		}
		must(c.T, c.end(c.beginNext("a", runs[0]), placements.RunSucceeded))
		for _, e := range c.take("a") {
			a := c.begin("a", e)
			if !a.Stopped {
				c.Errorf("run %s of a deleted schedule goes on", e.RunID)
			}
			must(c.T, c.end(a, placements.RunStopped))
		}
		history, err := c.s.ScheduleRuns(c.Context(), c.d(), c.schedule)
		must(c.T, err)
		if len(history) != 3 {
			c.Errorf("the history has %d runs, want 3", len(history))
		}
		want := []placements.RunState{placements.RunSucceeded, placements.RunStopped, placements.RunStopped}
		if diff := cmp.Diff(want, c.states(runs)); diff != "" {
			c.Errorf("states, none may be left waiting (-want +got):\n%s", diff)
		}
	})
}

func TestFireLoadsItsScriptWhereAServerDoesNotKnowIt(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		c.fire(1)
		c.s.ForgetScripts(c.T)
		runs := c.fire(2)
		if got := c.states(runs); got[1] != placements.RunQueued {
			c.Errorf("states are %v", got)
		}
	})
}

func TestOneManualRunAtATimeOnATarget(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		var made, refused atomic.Int64
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				err := c.s.Enqueue(c.Context(), c.d(), &record.Run{ReportID: c.report.ID})
				var conflict *placements.Error
				switch {
				case err == nil:
					made.Add(1)
				case errors.As(err, &conflict) && conflict.Code == placements.CodeRunning:
					refused.Add(1)
				default:
					c.Error(err)
				}
			})
		}
		group.Wait()
		if made.Load() != 1 || refused.Load() != 15 {
			c.Errorf("%d runs made, %d refused; want 1 and 15", made.Load(), refused.Load())
		}
		must(c.T, c.s.Enqueue(c.Context(), c.d(), &record.Run{ReportID: c.report.ID, ExternalWorkbookID: "book"}))
		if err := c.s.Enqueue(c.Context(), c.d(), &record.Run{ReportID: 99}); !errors.Is(err, storage.ErrNotFound) {
			c.Errorf("a run of no report: %v", err)
		}
	})
}

func TestRunIDNamesTheTick(t *testing.T) {
	if got, want := storage.RunID(7, tick), "7:"+strconv.FormatInt(tick.UnixMilli(), 10); got != want {
		t.Errorf("RunID = %s, want %s", got, want)
	}
}

// taken starts to take up to count entries for an agent, before there are any or after, and returns how to wait for what it took at once.
func (c *clockwork) taken(count int) (wait func() []storage.Entry) {
	c.Helper()
	got := make(chan []storage.Entry, 1)
	go func() {
		list, err := c.s.Take(c.Context(), "a", count, time.Minute)
		if err != nil {
			c.Error(err)
		}
		got <- list
	}()
	return func() []storage.Entry { return <-got }
}

// wholeQueue is a count that lets an agent take all there is in a partition.
const wholeQueue = 100 * storage.DefaultPartitions

func TestRunsAskedForTogetherAreTakenTogether(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const reports = 10
		wait := c.taken(wholeQueue)
		list := []storage.Order{{DeploymentID: c.d().ID, Run: &record.Run{ReportID: 99}}}
		for range reports {
			r := create(c.T, c.s, c.d(), named("Sales", "select 1"))
			list = append(list, storage.Order{DeploymentID: c.d().ID, Run: &record.Run{ReportID: r.ID, ExternalWorkbookID: "book"}})
		}
		list = append(list, storage.Order{DeploymentID: c.d().ID, Run: &record.Run{ReportID: list[1].Run.ReportID, ExternalWorkbookID: "book"}})
		refused, err := c.s.EnqueueAll(c.Context(), c.d().Tenant, list)
		must(c.T, err)
		for i, err := range refused {
			var busy *placements.Error
			switch {
			case i == 0 && errors.Is(err, storage.ErrNotFound):
			case i == len(list)-1 && errors.As(err, &busy) && busy.Code == placements.CodeRunning && busy.Details[0].RunID == list[1].Run.ID:
			case i > 0 && i < len(list)-1 && err == nil:
			default:
				c.Errorf("order %d: %v", i, err)
			}
		}
		var got, want []string
		for _, o := range list[1 : len(list)-1] {
			want = append(want, o.Run.ID)
		}
		for _, e := range wait() {
			got = append(got, e.RunID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.Errorf("an agent takes (-want +got):\n%s", diff)
		}
	})
}

func TestTicksOfOneInstantAreTakenTogether(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const schedules = 10
		wait := c.taken(wholeQueue)
		elsewhere := newClockwork(c.T, c.s, storage.Deployment{Tenant: "in another partition", ID: 1}, "skip")
		firings := []storage.Firing{elsewhere.firing(elsewhere.stored())}
		var want []string
		for range schedules {
			f := c.firing(c.newSchedule())
			firings, want = append(firings, f), append(want, f.Run.ID)
		}
		made, err := c.s.Fire(c.Context(), append(firings, firings[1]))
		must(c.T, err)
		for i := range made {
			if made[i] != (i <= schedules) {
				c.Errorf("firing %d made a run: %t", i, made[i])
			}
		}
		taken := wait()
		if len(taken) == 1 { // that of the other partition, which is another step
			taken = c.taken(wholeQueue)()
		}
		var got []string
		for _, e := range taken {
			if e.Deployment == c.d() {
				got = append(got, e.RunID)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.Errorf("an agent takes (-want +got):\n%s", diff)
		}
	})
}
