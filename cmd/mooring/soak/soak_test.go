//go:build linux

package soak

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/cmd/mooring/programtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	programtest.Remove()
	os.Exit(code)
}

// The first minutes of a soak do not count: caches, pools and the histories of the reports fill.
const warmUp = 15

// TestSoak keeps the program at work for MOORING_SOAK hours with 100,000 schedules. It is a measurement, which scripts/soak makes.
func TestSoak(t *testing.T) {
	if os.Getenv("MOORING_SOAK") == "" {
		t.Skip("takes hours: scripts/soak")
	}
	hours, err := strconv.ParseFloat(os.Getenv("MOORING_SOAK"), 64)
	must(t, err)
	const schedules = 100_000
	minutes := int(hours*60) + warmUp
	w := &watch{site: newSite(t, schedules), runs: map[string]run{}}
	w.rdb = redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(w.redis, "redis://")})
	defer w.rdb.Close()
	w.watch(minutes)
	w.judge()
}

// watch follows a site through the minutes.
type watch struct {
	*site
	rdb     *redis.Client
	first   time.Time // minute whose ticks count
	end     time.Time // behind the last one
	samples []sample
	runs    map[string]run // by id, those whose ticks count
	faults  int
}

// maxReported is how many faults are printed.
const maxReported = 50

// fault notes that something is not as it should be.
func (w *watch) fault(format string, args ...any) {
	w.t.Helper()
	if w.faults++; w.faults <= maxReported {
		w.t.Errorf(format, args...)
	}
}

// watch takes a sample each minute until all minutes are over and their runs have ended.
func (w *watch) watch(minutes int) {
	w.t.Helper()
	w.first = time.Now().Truncate(time.Minute).Add(2 * time.Minute) // the agent is at work before
	w.end = w.first.Add(time.Duration(minutes) * time.Minute)
	w.print("%d schedules, %d of them each minute, %d blocks in %d documents; measured from %s to %s\n%s\n", w.calendar.schedules, w.calendar.always,
		blocks, documents, w.first.Format(time.RFC3339), w.end.Format(time.RFC3339), header)
	for at := w.first.Add(time.Minute); !at.After(w.end); at = at.Add(time.Minute) {
		w.wait(time.Until(at))
		w.look(at.Add(-5 * time.Minute))
		w.samples = append(w.samples, w.sample(w.rdb))
		w.printSample()
	}
	for deadline := time.Now().Add(programtest.Patience); len(w.missing())+w.states()["QUEUED"]+w.states()["RUNNING"] > 0 && time.Now().Before(deadline); {
		w.wait(time.Second)
		w.look(w.end.Add(-time.Hour)) // reports keep less than that
	}
}

func (w *watch) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-w.server.Ended:
		w.t.Fatalf("the server has ended: %s", w.server.Out)
	case <-w.agent.Ended:
		w.t.Fatalf("the agent has ended: %s", w.agent.Out)
	}
}

// look takes in the runs of the list that were made since.
func (w *watch) look(since time.Time) {
	w.t.Helper()
	for _, r := range w.site.runs(since) {
		if !r.FireTime.Before(w.first) && r.FireTime.Before(w.end) {
			w.runs[r.ID] = r
		}
	}
}

// states counts the runs by state.
func (w *watch) states() map[string]int {
	n := map[string]int{}
	for _, r := range w.runs {
		n[r.State]++
	}
	return n
}

// tick is one that was due: a schedule, by its index in the calendar, and a minute.
type tick struct {
	schedule int
	at       int64 // in seconds since 1970
}

// made are the runs of each tick.
func (w *watch) made() map[tick][]run {
	made := map[tick][]run{}
	for _, r := range w.runs {
		i, known := w.schedules[r.ScheduleID]
		if !known {
			i = -1
		}
		key := tick{i, r.FireTime.Unix()}
		made[key] = append(made[key], r)
	}
	return made
}

// due are the ticks of all minutes measured that are over.
func (w *watch) due() (list []tick) {
	for at := w.first; at.Before(w.end) && at.Add(time.Minute).Before(time.Now()); at = at.Add(time.Minute) {
		for _, i := range w.calendar.due(at) {
			list = append(list, tick{i, at.Unix()})
		}
	}
	return list
}

// missing are the ticks that are due and have no run.
func (w *watch) missing() (list []tick) {
	made := w.made()
	for _, one := range w.due() {
		if len(made[one]) == 0 {
			list = append(list, one)
		}
	}
	return list
}

const header = "time,server heap MB,server RSS MB,server goroutines,server CPU s,agent heap MB,agent RSS MB,agent goroutines,agent CPU s," +
	"Redis MB,Redis CPU s,runs,failed,skipped,superseded,ticks without a run yet"

func (w *watch) printSample() {
	last, n := w.samples[len(w.samples)-1], w.states()
	of := func(u usage) string {
		return fmt.Sprintf("%.2f,%.1f,%.0f,%.1f", u.heap, u.rss, u.goroutines, u.cpu.Seconds())
	}
	w.print("%s,%s,%s,%.1f,%.1f,%d,%d,%d,%d,%d\n", last.at.UTC().Format("15:04:05"), of(last.server), of(last.agent), last.redis,
		last.redisCPU.Seconds(), len(w.runs), n["FAILED"], n["SKIPPED"], n["SUPERSEDED"], len(w.missing()))
}

func (w *watch) print(format string, args ...any) {
	fmt.Printf(format, args...)
}

// judge says whether every tick had one run, whether all went well, and whether everything is flat.
func (w *watch) judge() {
	w.t.Helper()
	due, n := w.due(), w.states()
	made := w.made()
	for _, one := range due {
		if runs := made[one]; len(runs) != 1 {
			w.fault("schedule %d (%s) at %s has %d runs: %v", one.schedule, w.calendar.cron(one.schedule), time.Unix(one.at, 0).UTC(), len(runs), runs)
		}
		delete(made, one)
	}
	for one, runs := range made {
		w.fault("schedule %d at %s was not due: %v", one.schedule, time.Unix(one.at, 0).UTC(), runs)
	}
	for _, r := range w.runs {
		if r.State != "SUCCEEDED" && r.State != "SKIPPED" && r.State != "SUPERSEDED" {
			w.fault("run %s: %s %s", r.ID, r.State, r.Error)
		}
	}
	if len(due) == 0 || n["SUCCEEDED"] == 0 {
		w.fault("%d ticks were due, %v", len(due), n)
	}
	states := slices.Sorted(maps.Keys(n))
	w.print("%d ticks due, %d runs:", len(due), len(w.runs))
	for _, state := range states {
		w.print(" %d %s", n[state], state)
	}
	w.print("\n")
	w.print("%d faults\n", w.faults)
	w.judgeTrends()
}

// judgeTrends judges the figures of the samples after the first minutes.
func (w *watch) judgeTrends() {
	w.t.Helper()
	first, last := w.samples[0], w.samples[len(w.samples)-1]
	w.print("Redis has grown by %.1f MB, with the runs, which are kept for 90 days\n", last.redis-first.redis)
	for _, of := range []struct {
		name, unit string
		least      float64
		value      func(sample) float64
	}{
		{"server heap", "MB", 1, func(s sample) float64 { return s.server.heap }},
		{"server goroutines", "", 2, func(s sample) float64 { return s.server.goroutines }},
		{"server RSS", "MB", 8, func(s sample) float64 { return s.server.rss }},
		{"agent heap", "MB", 1, func(s sample) float64 { return s.agent.heap }},
		{"agent goroutines", "", 2, func(s sample) float64 { return s.agent.goroutines }},
		{"agent RSS", "MB", 8, func(s sample) float64 { return s.agent.rss }},
	} {
		figures := series{name: of.name, unit: of.unit, least: of.least}
		for _, one := range w.samples[min(warmUp, len(w.samples)/4):] {
			figures.values = append(figures.values, of.value(one))
		}
		text, flat := figures.verdict()
		w.print("%s\n", text)
		if !flat {
			w.t.Error(text)
		}
	}
}
