package refresh

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// TestADayOfSchedules lets two agents fire schedules in several zones through days on which clocks are put forward or back, on a simulated
// clock, and compares every run with an oracle that knows nothing of the parser and of how zones change.
func TestADayOfSchedules(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago"}
	specs := [][]string{
		{"*/30 0-4 * * *", "0 */8 * * *"},
		{"30 2 * * *"},
		{"0,15,45 1-3 * * *", "10 2 * * 0"},
		{"5 0 1,29 * 1"}, // the 1st, the 29th, and every Monday
	}
	for _, tt := range []struct {
		name  string
		from  string
		hours time.Duration
	}{
		{"a whole day on which Europe's clocks go back", "2026-10-24T21:59:59Z", 26},
		{"Europe's clocks go forward", "2026-03-28T22:59:59Z", 6},
		{"those of New York go forward", "2026-03-08T04:59:59Z", 6},
		{"those of New York go back", "2026-11-01T03:59:59Z", 6},
		{"those of Lord Howe go back half an hour, those of Santiago an hour", "2026-04-04T12:59:59Z", 18},
		{"those of Lord Howe go forward half an hour", "2026-10-03T12:59:59Z", 6},
		{"those of Santiago go forward at midnight", "2026-09-06T01:59:59Z", 6},
		{"a leap day", "2028-02-28T22:59:59Z", 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from, err := time.Parse(time.RFC3339, tt.from)
				must(t, err)
				to := from.Add(tt.hours * time.Hour)
				time.Sleep(time.Until(from)) // before there is anything that ticks
				d := newSimulation(t)
				for _, zone := range zones {
					for _, cron := range specs {
						d.schedule(cron, zone)
					}
				}
				d.until(to)
				d.compare(from, to)
			})
		})
	}
}

// simulation is a storage and two agents that take turns.
type simulation struct {
	*testing.T
	engine    *Engine
	agents    []*agent
	d         record.Deployment
	report    int64
	schedules []*record.Schedule
}

func newSimulation(t *testing.T) *simulation {
	t.Helper()
	s := storagetest.Open(t, "embedded")
	must(t, s.Work().Queue.Prepare(t.Context()))
	e := New(Config{Store: s, Log: slog.New(slog.DiscardHandler)})
	sim := &simulation{T: t, engine: e, d: record.Deployment{Tenant: "acme", ID: 1}}
	for _, name := range []string{"a", "b"} {
		sim.agents = append(sim.agents, &agent{engine: e, name: name, slots: make(chan struct{}, 1), work: t.Context()})
	}
	report, err := s.Reports().Create(t.Context(), sim.d, record.ReportInput{Name: placements.Sent("Sales")}, record.Actor{ID: 7})
	must(t, err)
	sim.report = report.ID
	return sim
}

func (s *simulation) schedule(cron []string, zone string) {
	s.Helper()
	c, err := s.engine.Schedules().Create(s.Context(), s.d, record.ScheduleSpec{
		Name: zone, Target: record.RunTarget{ReportID: s.report}, Cron: cron, Timezone: zone,
	}, record.Actor{ID: 7})
	must(s.T, err)
	s.schedules = append(s.schedules, c)
}

// until lets the clock jump from one due time to the next.
func (s *simulation) until(to time.Time) {
	s.Helper()
	for turn := 0; ; turn++ {
		a := s.agents[turn%2]
		list, now, next, err := a.engine.queue.PopDue(s.Context(), dueLimit, dueLease)
		must(s.T, err)
		if len(list) > 0 {
			must(s.T, a.dispatch(s.Context(), list, now))
			s.work(s.agents[(turn+1)%2])
			continue
		}
		if !next.Before(to) {
			time.Sleep(time.Until(to))
			return
		}
		time.Sleep(next.Sub(now))
	}
}

// work ends everything that is in the queues.
func (s *simulation) work(a *agent) {
	s.Helper()
	for {
		list, err := a.engine.queue.Queue.Take(s.Context(), a.name, 100, -1)
		must(s.T, err)
		if len(list) == 0 {
			return
		}
		for _, entry := range list {
			a.begin(context.WithoutCancel(s.Context()), entry, document.NewCohort(1)[0])
		}
	}
}

func (s *simulation) compare(from, to time.Time) {
	s.Helper()
	for _, c := range s.schedules {
		runs, err := s.engine.queue.Queue.Runs.OfSchedule(s.Context(), s.d, c.ID)
		must(s.T, err)
		slices.Reverse(runs)
		var got []string
		for _, run := range runs {
			got = append(got, run.FireTime)
			if run.State != placements.RunSucceeded || run.Trigger != record.TriggerSchedule || run.StartedAt != run.FireTime {
				s.Errorf("%v in %s: the run of %s is %s, %s, started %s", c.Cron, c.Timezone, run.FireTime, run.Trigger, run.State,
					run.StartedAt)
			}
		}
		loc, err := time.LoadLocation(c.Timezone)
		must(s.T, err)
		if diff := cmp.Diff(oracle(c.Cron, loc, from, to), got); diff != "" {
			s.Errorf("%v in %s (-oracle +agents):\n%s", c.Cron, c.Timezone, diff)
		}
	}
}

// oracle says when specs fire after from and before to, minute by minute: every wall time that matches, at the first instant that shows
// it, or, when none does, at the first that shows a later one.
func oracle(specs []string, loc *time.Location, from, to time.Time) []string {
	const more = 15 * time.Hour // than any zone is off
	wall := func(at time.Time) time.Time {
		_, offset := at.In(loc).Zone()
		return at.Add(time.Duration(offset) * time.Second)
	}
	var instants, walls []time.Time
	for at := from.Truncate(time.Minute).Add(-more); at.Before(to.Add(more)); at = at.Add(time.Minute) {
		instants, walls = append(instants, at), append(walls, wall(at))
	}
	var fires []string
	for w := wall(from).Truncate(time.Minute).Add(-4 * time.Hour); w.Before(wall(to).Add(4 * time.Hour)); w = w.Add(time.Minute) {
		if !slices.ContainsFunc(specs, func(spec string) bool { return matches(spec, w) }) {
			continue
		}
		i := slices.IndexFunc(walls, func(at time.Time) bool { return !at.Before(w) })
		if at := instants[i]; at.After(from) && at.Before(to) {
			fires = append(fires, placements.Time(at))
		}
	}
	slices.Sort(fires)
	return slices.Compact(fires)
}

// matches reports whether a wall time is one of a cron expression's, by the rules of cron(5).
func matches(spec string, w time.Time) bool {
	f := strings.Fields(spec)
	date, weekday := field(f[2], w.Day(), 1), field(f[4], int(w.Weekday()), 0)
	if f[2] != "*" && f[4] != "*" {
		date, weekday = date || weekday, true
	}
	return field(f[0], w.Minute(), 0) && field(f[1], w.Hour(), 0) && field(f[3], int(w.Month()), 1) && date && weekday
}

// field reports whether a value is one of a list of numbers, ranges and steps.
func field(list string, value, least int) bool {
	for _, part := range strings.Split(list, ",") {
		part, step, stepped := strings.Cut(part, "/")
		from, to, ranged := strings.Cut(part, "-")
		low, _ := strconv.Atoi(from)
		high := low
		if ranged {
			high, _ = strconv.Atoi(to)
		}
		if part == "*" {
			low, high = least, 59
		}
		each := 1
		if stepped {
			each, _ = strconv.Atoi(step)
		}
		if low <= value && value <= high && (value-low)%each == 0 {
			return true
		}
	}
	return false
}
