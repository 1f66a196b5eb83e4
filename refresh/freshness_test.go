package refresh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/refresh/probe"
	"mooring/refresh/source"
	"mooring/refresh/watch"
	"mooring/storage/record"
)

// observed is a source that counts the queries of reports, and how often it was probed.
type observed struct {
	source.Source
	queries, looks atomic.Int64
	fault          error // of every look
}

func (s *observed) Query(ctx context.Context, q source.Query, b *checksum.Builder) ([]source.Column, error) {
	s.queries.Add(1)
	return s.Source.Query(ctx, q, b)
}

func (s *observed) Probes(p source.Probe) error { return s.Source.(source.Prober).Probes(p) }

func (s *observed) Probe(ctx context.Context, query string) (string, error) {
	s.looks.Add(1)
	if s.fault != nil {
		return "", s.fault
	}
	return s.Source.(source.Prober).Probe(ctx, query)
}

// quick is the timing of probes in tests.
var quick = probe.Timing{Every: 20 * time.Millisecond, Debounce: 10 * time.Millisecond}

// watch probes the rig's source.
func (r *rig) watch(list ...watch.Freshness) *observed {
	at := r.engine.tenants[r.d.Tenant].Deployments
	d := at[r.d.ID]
	s := &observed{Source: d.Source}
	d.Source, d.Freshness = s, list
	at[r.d.ID] = d
	return s
}

// looked waits for some more looks, after which what was seen by the first of them has been told or kept.
func (r *rig) looked(s *observed, more int64) {
	r.Helper()
	until := s.looks.Load() + more
	r.eventually("the source is looked at", func() bool { return s.looks.Load() >= until })
}

// people changes the data, and waits until it stands in the sheet.
func (r *rig) people(n int) {
	r.Helper()
	r.exec(fmt.Sprintf("UPDATE cities SET people = %d WHERE id = 1", n))
	want := fmt.Sprintf("Oslo|%d", n)
	r.eventually("the change is in the sheet", func() bool { return strings.Contains(strings.Join(r.cells("book.xlsx"), "\n"), want) })
}

// runs are those of the rig's report, when all have ended.
func (r *rig) runs() (runs []*record.Run) {
	r.Helper()
	r.eventually("all runs have ended", func() bool {
		var err error
		runs, err = r.engine.queue.Queue.Runs.OfReport(r.Context(), r.d, r.report)
		must(r.T, err)
		for _, run := range runs {
			if run.EndedAt == "" {
				return false
			}
		}
		return true
	})
	return runs
}

// counted looks at the data by a query whose value is another after each change, while a file may be seen in the midst of one.
var counted = watch.Freshness{Probe: source.Probe{Query: "SELECT sum(people) FROM cities"}, Timing: quick}

func TestChangedDataIsRefreshed(t *testing.T) {
	t.Parallel()
	const changes = 3
	for name, f := range map[string]watch.Freshness{"seen in the file": {Timing: quick}, "seen by a query": counted} {
		t.Run(name, func(t *testing.T) {
			eachRig(t, func(r *rig) {
				r.connect("Sheet1!B2")
				r.schedule(record.ScheduleSpec{Name: "yearly", Cron: []string{"@yearly"}})
				s := r.watch(f)
				stop := r.serve()
				r.looked(s, 10)
				if n := s.queries.Load(); n != 0 {
					t.Errorf("%d queries before the data changed", n)
				}
				for n := range changes {
					r.people(700_001 + n)
				}
				r.looked(s, 15)
				runs := r.runs()
				if n := len(runs); n < changes || n > changes && f.Query != "" {
					t.Errorf("%d runs for %d changes", n, changes)
				}
				queries := s.queries.Load()
				r.looked(s, 15)
				if n := s.queries.Load(); n != queries {
					t.Errorf("%d queries while the data did not change", n-queries)
				}
				for _, run := range runs {
					if run.Trigger != record.TriggerChange || run.State != placements.RunSucceeded || run.RequestedBy.ID != 7 {
						t.Errorf("run %+v", run)
					}
				}
				stop()
				r.exec("UPDATE cities SET people = 5 WHERE id = 2")
				defer r.serve()()
				r.eventually("a change that no agent saw is in the sheet", func() bool {
					return strings.Contains(strings.Join(r.cells("book.xlsx"), "\n"), "Bergen|5")
				})
			})
		})
	}
}

func TestOfManyAgentsOneMakesTheRunsOfAChange(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.schedule(record.ScheduleSpec{Name: "yearly", Cron: []string{"@yearly"}})
		s := r.watch(counted)
		for range 4 {
			defer r.serve()()
		}
		r.looked(s, 2)
		for n := range 5 {
			r.people(800_001 + n)
		}
		r.looked(s, 10)
		if n := len(r.runs()); n != 5 {
			t.Errorf("%d runs of 5 changes", n)
		}
	})
}

func TestAChangeRunsTheSchedulesThatAreNamed(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		fact  string
		named []string
		want  []string
	}{
		{"those with the keys", []string{"b", "paused", "gone"}, []string{"b"}},
		{"every one that is not paused", nil, []string{"", "a", "b"}},
	} {
		t.Run(row.fact, func(t *testing.T) {
			eachRig(t, func(r *rig) {
				r.connect("Sheet1!B2")
				keys := map[int64]string{}
				for _, key := range []string{"", "a", "b", "paused"} {
					c := r.schedule(record.ScheduleSpec{Key: key, Name: "named " + key, Cron: []string{"@yearly"}, Paused: key == "paused"})
					keys[c.ID] = key
				}
				named := counted
				named.Schedules = row.named
				s := r.watch(named)
				defer r.serve()()
				r.looked(s, 2)
				r.people(900_000)
				r.eventually("all have run", func() bool { return len(r.runs()) >= len(row.want) })
				r.looked(s, 10)
				ran := map[string]int{}
				for _, run := range r.runs() {
					ran[keys[run.ScheduleID]]++
				}
				if len(ran) != len(row.want) {
					t.Errorf("ran %v, want %v", ran, row.want)
				}
				for _, key := range row.want {
					if ran[key] != 1 {
						t.Errorf("%q ran %d times", key, ran[key])
					}
				}
			})
		})
	}
}

// An agent that dies after it has made the runs, before it has kept the value, is followed by one that tells the same change.
func TestAChangeThatIsToldTwiceMakesOneRun(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.schedule(record.ScheduleSpec{Name: "yearly", Cron: []string{"@yearly"}})
		r.watch(watch.Freshness{Timing: quick})
		target := (&agent{engine: r.engine, name: "a"}).watchers()[0].Target
		for _, row := range []struct {
			fact    string
			changes int64
			value   string
			runs    int
		}{
			{"a change", 1, "b", 1},
			{"told again", 1, "b", 1},
			{"another, after one that was not kept", 1, "c", 2},
			{"the same value, later", 3, "b", 3},
		} {
			must(r.T, target.Tell(r.Context(), probe.Seen{Value: "a", Changes: row.changes}, row.value))
			r.workAll()
			if n := len(r.runs()); n != row.runs {
				t.Errorf("%s: %d runs, want %d", row.fact, n, row.runs)
			}
		}
	})
}

// Announcements have no value by which a change that is told again can be known from a later one, which must have its run.
func TestAnAnnouncementThatWasNotKeptMakesARunAgain(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.schedule(record.ScheduleSpec{Name: "yearly", Cron: []string{"@yearly"}})
		r.watch(watch.Freshness{Probe: source.Probe{Listen: "cities"}})
		target := (&agent{engine: r.engine, name: "a"}).watchers()[0].Target
		for want := 1; want <= 2; want++ {
			must(r.T, target.Tell(r.Context(), probe.Seen{Changes: 1}, ""))
			r.workAll()
			if n := len(r.runs()); n != want {
				t.Errorf("%d runs, want %d", n, want)
			}
		}
	})
}

// A probe that fails says so once, and hinders neither the others nor their runs.
func TestAProbeThatFails(t *testing.T) {
	t.Parallel()
	eachRig(t, func(r *rig) {
		r.connect("Sheet1!B2")
		r.schedule(record.ScheduleSpec{Name: "yearly", Cron: []string{"@yearly"}})
		var log lines
		r.engine.useLog(slog.New(slog.NewTextHandler(&log, nil)))
		s := r.watch(watch.Freshness{Probe: source.Probe{Query: "SELECT broken"}, Timing: quick}, watch.Freshness{Timing: quick})
		stop := r.serve()
		r.looked(s, 10)
		r.people(900_000)
		stop()
		if n := strings.Count(log.String(), "probe of a source failed"); n != 1 {
			t.Errorf("said %d times:\n%s", n, log.String())
		}
	})
}

// What a database says of a query may quote what stands in a table.
func TestTheLogQuotesNothingOfAProbe(t *testing.T) {
	refused := errors.New(`invalid input syntax for type integer: "Oslo"`)
	for _, row := range []struct {
		fact  string
		query string
		fault error
		want  string
	}{
		{"a query is refused", "SELECT name::int FROM cities", source.Structure(refused, "the query does not run: %v", refused), "mooring check says why"},
		{"a query is too large", "SELECT name FROM cities", source.Structure(nil, "too many rows"), "too many rows"},
		{"no query is refused", "", source.Structure(errors.New("cause"), "the file does not exist"), "the file does not exist (cause)"},
		{"a server is away", "SELECT 1", source.Fault(placements.Transient, errors.New("cause"), "not reached"), "not reached (cause)"},
	} {
		t.Run(row.fact, func(t *testing.T) {
			eachRig(t, func(r *rig) {
				var log lines
				r.engine.useLog(slog.New(slog.NewTextHandler(&log, nil)))
				r.watch(watch.Freshness{Probe: source.Probe{Query: row.query}}).fault = row.fault
				if _, ok := (&agent{engine: r.engine}).watchers()[0].Target.Look(r.Context()); ok {
					t.Error("a look that failed saw something")
				}
				if text := log.String(); !strings.Contains(text, row.want) || strings.Contains(text, "Oslo") {
					t.Errorf("%s, want %q", text, row.want)
				}
			})
		})
	}
}

// lines is a log that may be written to from anywhere.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
