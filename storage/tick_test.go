package storage_test

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/queue"
	"mooring/storage/record"

	"github.com/google/go-cmp/cmp"
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
							made, err := c.q.Queue.Ticks.Fire(c.Context(), []record.Firing{c.firing(stored)})
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
				runs, err := c.s.Queue().Runs.OfSchedule(c.Context(), c.d(), c.schedule)
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
		made, err := c.q.Queue.Ticks.Fire(c.Context(), []record.Firing{c.firing(stale)})
		if err != nil || made[0] {
			c.Errorf("the same tick fired again: %v, %v", made, err)
		}
		// A writer of the schedule that had read it before the tick puts the tick back: its run is there already.
		_, err = c.s.Schedules().Update(c.Context(), c.d(), c.schedule, record.Actor{ID: 7}, func(stored *record.Schedule) (record.Tick, error) {
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

// An agent that read a schedule before it was paused, by a person or by its failures, makes no run of it any more.
func TestATickThatWasReadBeforeAPauseIsNotFired(t *testing.T) {
	pauses := map[string]func(*clockwork){
		"by a person": func(c *clockwork) {
			_, err := c.s.Schedules().Update(c.Context(), c.d(), c.schedule, record.Actor{ID: 7}, func(stored *record.Schedule) (record.Tick, error) {
				stored.Paused = true
				return record.Tick{}, nil
			})
			must(c.T, err)
		},
		"by its failures": func(c *clockwork) {
			for range 5 {
				must(c.T, c.end(c.beginNext("a", c.fire(1)[0]), placements.RunFailed))
			}
		},
	}
	for how, pause := range pauses {
		t.Run(how, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				read := c.stored()
				pause(c)
				read.Next = read.Next.Add(time.Duration(len(c.runs())) * time.Minute)
				made, err := c.q.Queue.Ticks.Fire(c.Context(), []record.Firing{c.firing(read)})
				if err != nil || made[0] {
					c.Errorf("it made a run: %t, %v", made[0], err)
				}
				if due := c.due(); len(due) != 0 {
					c.Errorf("it is due again: %v", due)
				}
				c.depth(0)
			})
		})
	}
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
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), runs[2])) // while it waits
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

func entryOf(list []queue.Entry, run string) queue.Entry {
	for _, e := range list {
		if e.RunID == run {
			return e
		}
	}
	return queue.Entry{}
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

func TestRunIDNamesTheTick(t *testing.T) {
	if got, want := record.RunID(7, tick), "7:"+strconv.FormatInt(tick.UnixMilli(), 10); got != want {
		t.Errorf("RunID = %s, want %s", got, want)
	}
}

func TestTicksOfOneInstantAreTakenTogether(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		const schedules = 10
		wait := c.taken(wholeQueue)
		elsewhere := newClockwork(c.T, c.s, record.Deployment{Tenant: "in another partition", ID: 1}, "skip")
		firings := []record.Firing{elsewhere.firing(elsewhere.stored())}
		var want []string
		for range schedules {
			f := c.firing(c.newSchedule())
			firings, want = append(firings, f), append(want, f.Run.ID)
		}
		made, err := c.q.Queue.Ticks.Fire(c.Context(), append(firings, firings[1]))
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

func TestPoppedThingsAreLeased(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		for range 40 {
			c.newSchedule()
		}
		var mu sync.Mutex
		popped := map[int64]int{}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for {
					list, now, next, err := c.q.PopDue(c.Context(), 3, time.Hour)
					if err != nil {
						c.Error(err)
						return
					}
					if len(list) == 0 || c.Failed() {
						if !c.Failed() && next.Before(now.Add(59*time.Minute)) {
							c.Errorf("the next thing is due in %s, want the end of the leases", next.Sub(now))
						}
						return
					}
					mu.Lock()
					for _, d := range list {
						if popped[d.ScheduleID]++; popped[d.ScheduleID] == 2 {
							c.Errorf("schedule %d was popped again within its lease", d.ScheduleID)
						}
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if len(popped) != 41 {
			c.Errorf("%d schedules were popped, want 41", len(popped))
		}
	})
}

func TestWhoPopsAndDiesLosesNoTick(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		want := []record.Due{{Deployment: c.d(), ScheduleID: c.schedule}}
		for range 2 { // the lease of the first one runs out at once
			if diff := cmp.Diff(want, c.due()); diff != "" {
				c.Errorf("due (-want +got):\n%s", diff)
			}
		}
	})
}

func TestOneUnreadableScheduleHoldsNoOtherUp(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		broken, gone := c.newSchedule().ID, int64(99)
		c.s.BreakSchedule(c.T, c.d(), broken)
		c.s.MakeDue(c.T, c.d(), gone)
		list, _, _, err := c.q.PopDue(c.Context(), 1000, time.Hour)
		must(c.T, err)
		due := make([]record.Due, 3)
		for _, d := range list {
			due[slices.Index([]int64{broken, c.schedule, gone}, d.ScheduleID)] = d
		}
		if due[0].Err == nil || due[0].Schedule != nil {
			c.Errorf("the broken one is %+v, want an error: it must not be taken for one that is gone", due[0])
		}
		if due[1].Err != nil || due[1].Schedule.ID != c.schedule {
			c.Errorf("the good one is %+v", due[1])
		}
		if due[2].ScheduleID != gone || due[2].Err != nil || due[2].Schedule != nil {
			c.Errorf("the one that is gone is %+v", due[2])
		}
	})
}

func TestForgettingKeepsWhatWasResumedMeanwhile(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		paused := []record.Due{{Deployment: c.d(), ScheduleID: c.schedule}}
		must(c.T, c.q.Queue.Ticks.Forget(c.Context(), paused)) // an agent that read the schedule before it was resumed
		if diff := cmp.Diff(paused, c.due()); diff != "" {
			c.Errorf("due (-want +got):\n%s", diff)
		}
		must(c.T, c.s.Schedules().Delete(c.Context(), c.d(), c.schedule, ada, func(*record.Schedule) error { return nil }))
		c.s.MakeDue(c.T, c.d(), c.schedule)
		must(c.T, c.q.Queue.Ticks.Forget(c.Context(), paused))
		if due := c.due(); len(due) != 0 {
			c.Errorf("a schedule that is gone is due for ever: %v", due)
		}
	})
}

// Who fires a tick knows that its run was skipped, because the one before has not ended.
func TestWhoFiresKnowsOfASkippedRun(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		for _, want := range []placements.RunState{placements.RunQueued, placements.RunSkipped} {
			f := c.firing(c.stored())
			_, err := c.q.Queue.Ticks.Fire(c.Context(), []record.Firing{f})
			must(c.T, err)
			if f.Run.State != want || (f.Run.EndedAt == "") != (want == placements.RunQueued) {
				c.Errorf("the run is %s, ended %q, want %s", f.Run.State, f.Run.EndedAt, want)
			}
		}
	})
}
