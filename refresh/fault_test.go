package refresh_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// faults is how many times agents are killed or paused: MOORING_FAULTS, or what fits into everybody's test run.
func faults(t *testing.T) int {
	t.Helper()
	n := 60
	if text := os.Getenv("MOORING_FAULTS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		must(t, err)
	}
	return n
}

// TestNoTickIsLostOrDoubledWhateverHappensToAgents kills and pauses four agents at every step of a run, and anywhere. Every schedule is so
// far behind that it has ticks to make good all the time.
func TestNoTickIsLostOrDoubledWhateverHappensToAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute")
	}
	t.Parallel()
	n := faults(t)
	c := newCrew(t, storagetest.Redis(t), agentKill+"=0.05", agentPause+"=0.012")
	behind := 3 * time.Minute * time.Duration(min(25, 1+n/300)) // a history has 100 runs
	moored := append(c.scheduled(fastTenant, 100, behind), c.scheduled(realTenant, 12, behind)...)
	c.keep(4, 400*time.Millisecond, func() bool {
		for range 5 {
			i := rand.N(100)
			c.change(moored[i])
		}
		if i := rand.N(100); i < 12 {
			c.change(moored[100+i])
		}
		return c.total() >= n
	})
	c.provesAll(moored)
}

// scheduled makes n reports, each with a schedule whose first tick was behind ago, and which makes every tick good.
func (c *crew) scheduled(tenant string, n int, behind time.Duration) []*mooredReport {
	c.Helper()
	list := c.reports(tenant, n)
	for _, r := range list {
		r.first = time.Now().UTC().Truncate(time.Minute).Add(-behind)
		spec := record.ScheduleSpec{
			Name: r.name(), Target: record.RunTarget{ReportID: r.id}, Cron: []string{"* * * * *"}, Timezone: "UTC",
			CatchUp: record.CatchUpAll, Overlap: record.OverlapQueue,
		}
		made, err := c.store.Schedules().Create(c.Context(), r.d, spec, record.Actor{ID: 7}, func(int64) record.Tick {
			return record.Tick{At: r.first, Due: r.first}
		})
		must(c.T, err)
		r.schedule = made.ID
	}
	return list
}

// total is how often agents were killed or paused so far.
func (c *crew) total() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for what, times := range c.counts {
		if what != "drain" {
			n += times
		}
	}
	return n
}

// caughtUp pauses the schedules that have no tick to make good, and reports whether all runs of all of them have ended.
func (c *crew) caughtUp(list []*mooredReport) bool {
	c.Helper()
	time.Sleep(300 * time.Millisecond)
	for _, r := range list {
		stored, err := c.store.Schedules().Get(c.Context(), r.d, r.schedule)
		must(c.T, err)
		if !stored.Paused {
			if stored.Next.Before(time.Now()) {
				return false
			}
			_, err := c.engine.Schedules().Update(c.Context(), r.d, r.schedule, record.Actor{ID: 7}, func(s *record.Schedule) error {
				s.Paused = true
				return nil
			})
			must(c.T, err)
		}
		for _, run := range c.history(r) {
			if run.EndedAt == "" {
				return false
			}
		}
	}
	return true
}

func (c *crew) history(r *mooredReport) []*record.Run {
	c.Helper()
	runs, err := c.store.Queue().Runs.OfSchedule(c.Context(), r.d, r.schedule)
	must(c.T, err)
	slices.Reverse(runs)
	return runs
}

// proveTicks checks that every schedule has one run a tick, that each succeeded, unless a later one took over what it waited for, and that
// none took a row of its own for a person's.
func (c *crew) proveTicks(list []*mooredReport) {
	c.Helper()
	for _, r := range list {
		var got, want []string
		for i, run := range c.history(r) {
			got = append(got, run.FireTime)
			want = append(want, placements.Time(r.first.Add(time.Duration(i)*time.Minute)))
			c.counts["runs"]++
			c.counts["attempts"] += run.Attempt
			if run.State != placements.RunSucceeded && !takenOver(run, c.history(r)[i+1:]) {
				c.Errorf("%s: run %s is %s: %s: %s", r.name(), run.ID, run.State, run.ErrorClass, run.Error)
			}
			for _, p := range run.Placements {
				if len(p.EditedRows) > 0 {
					c.Errorf("%s: run %s took rows %v for edited by hand", r.name(), run.ID, p.EditedRows)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
			c.Errorf("%s: %d ticks with a run (-want +got):\n%s", r.name(), len(got), diff)
		}
	}
	depth, err := c.store.Work().Queue.Depth(c.Context())
	must(c.T, err)
	if depth != 0 {
		c.Errorf("%d entries are left in the queues", depth)
	}
}

// takenOver reports whether a run ended since later ones took over all that it waited for.
func takenOver(run *record.Run, later []*record.Run) bool {
	left := func(p record.RunPlacement) bool {
		by := func(l *record.Run) bool { return l.ID == p.SupersededBy }
		return p.State != placements.RunSuperseded || !slices.ContainsFunc(later, by)
	}
	return run.State == placements.RunSuperseded && !slices.ContainsFunc(run.Placements, left)
}

// refreshAll refreshes every report once more.
func (c *crew) refreshAll(list []*mooredReport) {
	c.Helper()
	ids := make([]string, len(list))
	for i, r := range list {
		run, err := c.engine.Start(c.Context(), r.d, refresh.Request{Target: record.RunTarget{ReportID: r.id}})
		must(c.T, err)
		ids[i] = run.ID
	}
	c.keep(2, 0, func() bool {
		time.Sleep(100 * time.Millisecond)
		for i, r := range list {
			run, err := c.store.Queue().Runs.Get(c.Context(), r.d, ids[i])
			must(c.T, err)
			if run.EndedAt == "" {
				return false
			}
		}
		return true
	})
}

func (c *crew) proveSheets(list []*mooredReport) {
	c.Helper()
	for _, r := range list {
		if diff := cmp.Diff(r.want(), c.cells(r)); diff != "" {
			c.Errorf("%s is not what its source holds (-want +got):\n%s", r.name(), diff)
		}
	}
}

// report prints what happened.
func (c *crew) report() {
	var lines []string
	for what, n := range c.counts {
		lines = append(lines, fmt.Sprintf("%5d  %s", n, what))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[7:], b[7:]) })
	c.Logf("\n%s", strings.Join(lines, "\n"))
}
