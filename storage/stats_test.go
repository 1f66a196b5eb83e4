package storage_test

import (
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// wantStats compares what is counted with the lists themselves.
func (c *clockwork) wantStats() {
	c.Helper()
	stats, err := c.s.Queue().Runs.Stats(c.Context(), c.d(), 24)
	must(c.T, err)
	count := func(state placements.RunState) int64 {
		return int64(len(listed(c.T, c.s, c.d(), record.RunFilter{State: state, Since: stats.Since})))
	}
	want := record.RunCounts{
		Total: count(""), Succeeded: count(placements.RunSucceeded), Failed: count(placements.RunFailed), Conflict: count(record.RunConflict),
		Skipped: count(placements.RunSkipped), Superseded: count(placements.RunSuperseded),
	}
	if stats.Runs != want {
		c.Errorf("%+v are counted, the lists have %+v", stats.Runs, want)
	}
	var succeeded, failed int64
	for _, hour := range stats.Hours {
		succeeded, failed = succeeded+hour.Succeeded, failed+hour.Failed
	}
	if succeeded != want.Succeeded || failed != want.Failed || len(stats.Hours) != 24 {
		c.Errorf("%d hours have %d and %d runs, the lists %+v", len(stats.Hours), succeeded, failed, want)
	}
	paused := 0
	for range c.schedules(func(one *record.Schedule) bool { return one.Paused }) {
		paused++
	}
	if n := int64(len(c.schedules(nil))); stats.Schedules != (record.ScheduleCounts{Total: n, Paused: int64(paused)}) {
		c.Errorf("%+v are counted of %d schedules, of which %d are paused", stats.Schedules, n, paused)
	}
}

// schedules are those of the deployment that are wanted, all without wants.
func (c *clockwork) schedules(wants func(*record.Schedule) bool) []*record.Schedule {
	c.Helper()
	page, err := c.s.Schedules().List(c.Context(), c.d(), record.ListQuery{First: 500}, func(one *record.Schedule) (bool, error) {
		return wants == nil || wants(one), nil
	})
	must(c.T, err)
	return page.Items
}

// A run of a schedule is counted by how long after it was due it began first, in the hour in which it was made, once it has ended.
func TestLatenessOfRuns(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		for _, late := range []time.Duration{0, time.Second, time.Hour} {
			f := c.firing(c.stored())
			f.Run.Due = time.Now().Add(-late)
			_, err := c.q.Queue.Ticks.Fire(c.Context(), []record.Firing{f})
			must(c.T, err)
			a := c.beginNext("agent", f.Run.ID)
			if stats, err := c.s.Queue().Runs.Stats(c.Context(), c.d(), 24); err != nil || len(stats.Lateness()) != 0 && late == 0 {
				c.Errorf("before any end: %v, %v", stats, err)
			}
			must(c.T, c.end(a, placements.RunSucceeded))
		}
		c.manual()
		for _, e := range c.take("agent") {
			must(c.T, c.end(c.begin("agent", e), placements.RunSucceeded))
		}
		stats, err := c.s.Queue().Runs.Stats(c.Context(), c.d(), 24)
		must(c.T, err)
		l := stats.Lateness()
		var count int64
		for _, n := range l {
			count += n
		}
		p50, p99 := *l.Quantile(0.5), *l.Quantile(0.99)
		if count != 3 || p50 < 1000 || p50 > 20_000 || p99 < 3_600_000 || p99 > 4_000_000 {
			c.Errorf("%d runs, half within %d ms, nearly all within %d ms", count, p50, p99)
		}
		if last := stats.Hours[22:]; len(last[0].Lateness)+len(last[1].Lateness) != len(l) {
			c.Errorf("by hour: %v, together %v", last, l)
		}
	})
}

// The service pauses a schedule whose runs fail one after the other; it is counted then, and no more once it is resumed or deleted.
func TestPausedSchedulesAreCounted(t *testing.T) {
	eachClockwork(t, "queue", func(c *clockwork) {
		c.wantStats()
		for range 5 {
			id := c.fire(1)[0]
			must(c.T, c.end(c.beginNext("agent", id), placements.RunFailed))
		}
		if !c.stored().Paused {
			c.Fatal("the schedule is not paused")
		}
		c.wantStats()
		pause := func(paused bool) {
			_, err := c.s.Schedules().Update(c.Context(), c.d(), c.schedule, ada, func(one *record.Schedule) (record.Tick, error) {
				one.Paused = paused
				return record.Tick{}, nil
			})
			must(c.T, err)
			c.wantStats()
		}
		pause(false)
		pause(true)
		c.newSchedule()
		c.wantStats()
		must(c.T, c.s.Schedules().Delete(c.Context(), c.d(), c.schedule, ada, func(*record.Schedule) error { return nil }))
		c.wantStats()
	})
}
