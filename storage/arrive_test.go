package storage_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/keys"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// told is a hook's word that data has changed.
func told(id string) record.Arrival {
	return record.Arrival{Trigger: record.TriggerHook, ID: id, Keep: time.Hour}
}

// arrive tells the schedule that its data has changed.
func (c *clockwork) arrive(a record.Arrival) record.Arrived {
	c.Helper()
	stored := c.stored()
	target := stored.Target
	run := &record.Run{
		ScheduleID: stored.ID, RequestedBy: stored.Owner,
		ReportID: target.ReportID, PlacementID: target.PlacementID, ExternalWorkbookID: target.ExternalWorkbookID,
	}
	list, err := c.q.Queue.Arrive(c.Context(), c.d(), a, []queue.ArrivalRun{{Schedule: stored, Run: run}})
	must(c.T, err)
	if len(list) != 1 || list[0].ScheduleID != c.schedule {
		c.Fatalf("arrived: %+v", list)
	}
	return list[0]
}

func TestAnArrivalMakesARunLikeATick(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		next := c.stored().Next
		made := c.arrive(told("1"))
		run := c.run(made.RunID)
		if run.Trigger != record.TriggerHook || run.State != placements.RunQueued || run.ScheduleID != c.schedule || run.RequestedBy.ID != ada.ID {
			c.Errorf("run: %+v", run)
		}
		stored := c.stored()
		if stored.LastRunID != made.RunID || stored.Active != made.RunID || !stored.Next.Equal(next) {
			c.Errorf("schedule: last %s, active %s, next %s; want %s twice, and %s", stored.LastRunID, stored.Active, stored.Next, made.RunID, next)
		}
		must(c.T, c.end(c.beginNext("a", made.RunID), placements.RunSucceeded))
		if active := c.stored().Active; active != "" {
			c.Errorf("run %s is still the active one", active)
		}
		c.depth(0)
	})
}

func TestAnArrivalToldAgainMakesNoRun(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		first := c.arrive(told("1"))
		must(c.T, c.end(c.beginNext("a", first.RunID), placements.RunSucceeded))
		if diff := cmp.Diff(first, c.arrive(told("1"))); diff != "" {
			c.Errorf("told again (-first +again):\n%s", diff)
		}
		c.depth(0)
		if other := c.arrive(told("2")); other.RunID == first.RunID || other.RunID == "" {
			c.Errorf("another arrival: %+v", other)
		}
		unnamed := record.Arrival{Trigger: record.TriggerChange, Keep: time.Hour}
		if one, two := c.arrive(unnamed), c.arrive(unnamed); one.RunID == two.RunID {
			c.Errorf("two arrivals without a name have run %s", one.RunID)
		}
		k := keys.Of(c.d(), storage.DefaultPartitions)
		if ttl := c.s.Client().PTTL(c.Context(), k.Runs().Arrival("1")).Val(); ttl <= 59*time.Minute || ttl > time.Hour {
			c.Errorf("the arrival is kept for %s", ttl)
		}
	})
}

func TestOfManyThatTellAnArrivalOneMakesItsRun(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		const tellers = 50
		got := make([]record.Arrived, tellers)
		var group sync.WaitGroup
		for i := range tellers {
			group.Go(func() { got[i] = c.arrive(told("1")) })
		}
		group.Wait()
		for _, one := range got {
			if one != got[0] || one.RunID == "" {
				c.Fatalf("%+v and %+v", got[0], one)
			}
		}
		runs, err := c.s.Queue().Runs.OfSchedule(c.Context(), c.d(), c.schedule)
		must(c.T, err)
		if len(runs) != 1 {
			c.Errorf("%d runs", len(runs))
		}
		c.depth(1)
	})
}

// Under skip a run that has begun may have read the old data: one more follows, and one is enough.
func TestOverlapSkipLosesNoArrival(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		first := c.arrive(told("1")).RunID
		if joined := c.arrive(told("2")).RunID; joined != first {
			c.Errorf("a run was made beside one that is still to query: %s", joined)
		}
		begun := c.beginNext("a", first)
		if begun.Asked.IsZero() {
			c.Error("the attempt of a run that was joined does not know since when its data counts")
		}
		second := c.arrive(told("3")).RunID
		if second == first || c.arrive(told("4")).RunID != second {
			c.Errorf("runs %s and %s; want another one than the first, once", first, second)
		}
		c.again(begun) // it goes on with what it has queried
		if joined := c.arrive(told("5")).RunID; joined != second {
			c.Errorf("run %s, want %s, which waits", joined, second)
		}
		must(c.T, c.s.Queue().Runs.Stop(c.Context(), c.d(), second))
		third := c.arrive(told("6")).RunID
		if third == first || third == second {
			c.Errorf("run %s will be stopped or has queried", third)
		}
	})
}

// A run that waits for its next attempt has begun: what its first attempt has refreshed it does not refresh again.
func TestARunThatWaitsForItsNextAttemptIsNotJoined(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		first := c.arrive(told("1")).RunID
		c.again(c.beginNext("a", first))
		if second := c.arrive(told("2")).RunID; second == first {
			c.Error("a run was joined that has begun")
		}
	})
}

// A run that was made before the schedule was changed refreshes what the schedule was for then, with the rights of who owned it.
func TestARunOfAnotherTargetOrOwnerIsNotJoined(t *testing.T) {
	for name, change := range map[string]func(*record.Schedule){
		"document":  func(s *record.Schedule) { s.Target.ExternalWorkbookID = "book" },
		"placement": func(s *record.Schedule) { s.Target.PlacementID = "p" },
		"owner":     func(s *record.Schedule) { s.Owner = record.Actor{ID: ada.ID + 1} },
	} {
		t.Run(name, func(t *testing.T) {
			eachClockwork(t, "skip", func(c *clockwork) {
				first := c.arrive(told("1")).RunID
				_, err := c.s.Schedules().Update(c.Context(), c.d(), c.schedule, ada, func(stored *record.Schedule) (record.Tick, error) {
					change(stored)
					return at(stored.Next), nil
				})
				must(c.T, err)
				second := c.arrive(told("2")).RunID
				if second == first {
					c.Error("a run was joined that refreshes something else")
				}
				if third := c.arrive(told("3")).RunID; third != second {
					c.Errorf("run %s was made beside %s, which waits", third, second)
				}
			})
		})
	}
}

// A record that cannot be read must not end the script between the runs that it makes.
func TestARunThatCannotBeReadIsNotJoined(t *testing.T) {
	for _, text := range []string{"{", "7", `{"requestedBy": null}`} {
		eachClockwork(t, "skip", func(c *clockwork) {
			first := c.arrive(told("1")).RunID
			k := keys.Of(c.d(), storage.DefaultPartitions)
			must(c.T, c.s.Client().HSet(c.Context(), k.Runs().Record(first), "run", text).Err())
			if next := c.arrive(told("2")).RunID; next == first || next == "" {
				c.Errorf("%s: run %q", text, next)
			}
		})
	}
}

func TestOverlapQueueMakesARunOfEveryArrival(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		runs := []string{c.arrive(told("1")).RunID, c.arrive(told("2")).RunID, c.arrive(told("3")).RunID}
		for _, run := range runs {
			begun := c.beginNext("a", run)
			if !begun.Asked.IsZero() {
				c.Errorf("run %s was joined", run)
			}
			must(c.T, c.end(begun, placements.RunSucceeded))
		}
		c.depth(0)
	})
}

func TestAScheduleThatIsPausedOrGoneHasNoRunOfAnArrival(t *testing.T) {
	eachClockwork(t, "skip", func(c *clockwork) {
		read := c.stored()
		call := func(id string) record.Arrived {
			run := &record.Run{ScheduleID: read.ID, ReportID: c.report.ID}
			list, err := c.q.Queue.Arrive(c.Context(), c.d(), told(id), []queue.ArrivalRun{{Schedule: read, Run: run}})
			must(c.T, err)
			return list[0]
		}
		_, err := c.s.Schedules().Update(c.Context(), c.d(), c.schedule, ada, func(stored *record.Schedule) (record.Tick, error) {
			stored.Paused = true
			return record.Tick{}, nil
		})
		must(c.T, err)
		if got := call("1"); got.RunID != "" || got.Reason != queue.Paused {
			c.Errorf("paused since it was read: %+v", got)
		}
		must(c.T, c.s.Schedules().Delete(c.Context(), c.d(), c.schedule, ada, func(*record.Schedule) error { return nil }))
		if got := call("2"); got.RunID != "" || got.Reason != queue.Deleted {
			c.Errorf("deleted since it was read: %+v", got)
		}
		if got := call("1"); got.Reason != queue.Paused {
			c.Errorf("the first arrival again: %+v", got)
		}
		c.depth(0)
	})
}
