package storage_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// ticking makes a schedule whose next tick is so long ago, negative for one to come.
func ticking(t *testing.T, s *storage.Store, report int64, ago time.Duration, change func(*record.ScheduleSpec)) *record.Schedule {
	t.Helper()
	spec := record.ScheduleSpec{Target: record.RunTarget{ReportID: report}, Cron: []string{"@daily"}}
	change(&spec)
	made, err := s.Schedules().Create(t.Context(), shop, spec, ada, func(int64) record.Tick {
		if spec.Paused {
			return record.Tick{}
		}
		at := time.Now().Add(-ago).Truncate(time.Millisecond)
		return record.Tick{At: at, Due: at.Add(time.Duration(spec.JitterSeconds) * time.Second)}
	})
	must(t, err)
	return made
}

func TestBacklog(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		must(t, s.Work().Queue.Prepare(t.Context()))
		backlog := func() record.Backlog {
			t.Helper()
			b, err := s.Queue().Agents.Backlog(t.Context(), []record.Deployment{shop, {Tenant: "acme", ID: 99}})
			must(t, err)
			return *b
		}
		want := func(fact string, want record.Backlog) {
			t.Helper()
			if diff := cmp.Diff(want, backlog()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", fact, diff)
			}
		}
		want("nothing is there", record.Backlog{})
		report := create(t, s, shop, named("Sales", "select 1")).ID
		plain := func(*record.ScheduleSpec) {}
		ticking(t, s, report, -time.Hour, plain)
		ticking(t, s, report, -5*time.Second, plain)
		ticking(t, s, report, 30*time.Second, plain)
		ticking(t, s, report, 2*time.Minute, func(c *record.ScheduleSpec) { c.JitterSeconds = 90 })
		ticking(t, s, report, 0, func(c *record.ScheduleSpec) { c.Paused = true })
		want("none is due for over a minute", record.Backlog{Active: 4, Paused: 1})
		ticking(t, s, report, 2*time.Minute, plain)
		want("one is", record.Backlog{Active: 5, Paused: 1, Late: 1})

		due, _, _, err := s.Work().PopDue(t.Context(), 100, 10*time.Second)
		must(t, err)
		if len(due) != 3 {
			t.Errorf("%d are due", len(due))
		}
		want("an agent that leases it and does not fire it changes nothing", record.Backlog{Active: 5, Paused: 1, Late: 1})

		must(t, storagetest.Enqueue(t.Context(), s.Work(), shop, &record.Run{ID: "r1", ReportID: report}))
		must(t, s.Queue().Agents.Beat(t.Context(), &record.Agent{ID: "one"}))
		must(t, s.Queue().Agents.Beat(t.Context(), &record.Agent{ID: "two", Draining: true}))
		must(t, s.Queue().Agents.Beat(t.Context(), &record.Agent{ID: "three", Left: true}))
		want("a run, and an agent that takes it", record.Backlog{Depth: 1, Active: 5, Paused: 1, Late: 1, Agents: 1})
	})
}

// Of many processes one reports what is the same for all: another one when it ends, and within a minute after its death.
func TestOneProcessReports(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		reports := func(process string) bool {
			t.Helper()
			b, err := s.Queue().Agents.Report(t.Context(), process, nil)
			must(t, err)
			return b != nil
		}
		for range 3 {
			if !reports("one") || reports("two") || reports("three") {
				t.Fatal("not the first process reports, or not alone")
			}
		}
		left, err := s.Client().PTTL(t.Context(), keys.Reporter).Result()
		must(t, err)
		if left <= 0 || left > 45*time.Second {
			t.Errorf("when it dies, none reports for %v: with a scrape every 15 s, another one would not within a minute", left)
		}
		must(t, s.Client().PExpire(t.Context(), keys.Reporter, time.Millisecond).Err()) // as time does
		for deadline := time.Now().Add(patience); !reports("two"); {
			if time.Now().After(deadline) {
				t.Fatal("none follows a process that died")
			}
		}
		if reports("one") {
			t.Error("it reports although another one does")
		}
		must(t, s.Queue().Agents.EndReports(t.Context(), "one"))
		if reports("one") {
			t.Error("the end of one that does not report let it report")
		}
		must(t, s.Queue().Agents.EndReports(t.Context(), "two"))
		if !reports("one") {
			t.Error("none follows a process that has ended")
		}
	})
}
