package refresh_test

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage/record"
)

// lateness is what TestBenchLateness measures on.
type lateness struct {
	*figures
	ids  []int64
	tick time.Time
	due  []time.Time // of each schedule; zero: it is not due
}

// TestBenchLateness holds 100,000 schedules and measures how late their runs start: of the 2,000 that are due within 20 seconds, as when each
// fires once in a quarter of an hour, and then of all of them, due within one minute. MOORING_SCHEDULES is how many it holds, if it is set; fewer are
// due within less time.
func TestBenchLateness(t *testing.T) {
	f := newFigures(t)
	n, err := strconv.Atoi(cmp.Or(os.Getenv("MOORING_SCHEDULES"), "100000"))
	must(t, err)
	l := &lateness{figures: f, ids: f.schedules(f.reports(), n)}
	l.measure("held", min(n, 2000), 20*time.Second)
	l.measure("lateness", n, time.Duration(n)*time.Minute/100_000)
}

// schedules makes n schedules that are due tomorrow and returns their ids.
func (f *figures) schedules(reports []int64, n int) []int64 {
	f.Helper()
	ids, tick := make([]int64, n), time.Now().Add(24*time.Hour).UTC().Truncate(time.Minute)
	f.each(n, func(i int) error {
		spec := record.ScheduleSpec{
			Name: "daily", Target: record.RunTarget{ReportID: reports[i%benchTenants]}, Cron: []string{"0 7 * * *"}, Timezone: "Europe/Berlin",
			CatchUp: record.CatchUpLatest, Overlap: record.OverlapSkip,
		}
		made, err := f.store.Schedules().Create(f.Context(), benchDeployment(i), spec, record.Actor{ID: 7}, func(int64) record.Tick {
			return record.Tick{At: tick, Due: tick}
		})
		if err == nil {
			ids[i] = made.ID
		}
		return err
	})
	return ids
}

// measure lets an agent fire n of the schedules, due at random moments of the window, and prints how late their runs start.
func (l *lateness) measure(name string, n int, window time.Duration) {
	l.Helper()
	start := time.Now().Add(time.Duration(n)*100*time.Microsecond + time.Second) // to move them takes less, even on a busy machine
	l.tick, l.due = start.UTC().Truncate(time.Millisecond), make([]time.Time, len(l.ids))
	for i := range n {
		l.due[i] = start.Add(rand.N(window))
	}
	l.move()
	if time.Now().After(start) {
		l.Logf("the ticks were moved %s late", time.Since(start))
	}
	own, server := processorTime(l.T), serverTime(l.T, l.rdb)
	end := l.agent(256)
	time.Sleep(time.Until(start.Add(window + time.Second)))
	l.untilEmpty()
	l.print(name+"_worker_cpu_us", (processorTime(l.T)-own)*1e6/float64(n))
	l.print(name+"_redis_cpu_us", (serverTime(l.T, l.rdb)-server)*1e6/float64(n))
	end()
	late := make([]float64, n)
	l.each(n, func(i int) error {
		run, err := l.store.Queue().Runs.Get(l.Context(), benchDeployment(i), record.RunID(l.ids[i], l.tick))
		if err != nil {
			return fmt.Errorf("schedule %d has not fired: %w", l.ids[i], err)
		}
		late[i] = between(l.T, placements.Time(l.due[i]), run.StartedAt)
		return nil
	})
	slices.Sort(late)
	l.print(name+"_p50_ms", quantile(late, 0.5))
	l.print(name+"_p99_ms", quantile(late, 0.99))
}

// move sets the next tick of the schedules that are due, as an update of them does.
func (l *lateness) move() {
	l.Helper()
	const together = 500
	l.each(len(l.ids)/together, func(batch int) error {
		p := l.rdb.Pipeline()
		for i := batch * together; i < (batch+1)*together; i++ {
			if l.due[i].IsZero() {
				continue
			}
			d := benchDeployment(i)
			partition := benchPartition(d.Tenant)
			p.HSet(l.Context(), fmt.Sprintf("%st:%s:d:%d:schedule:%d", partition, d.Tenant, d.ID, l.ids[i]), "next", l.tick.UnixMilli())
			member := fmt.Sprintf("s:%s:%d:%d", d.Tenant, d.ID, l.ids[i])
			p.ZAdd(l.Context(), partition+"due", redis.Z{Score: float64(l.due[i].UnixMilli()), Member: member})
		}
		if p.Len() == 0 {
			return nil
		}
		_, err := p.Exec(l.Context())
		return err
	})
}

// TestBenchScheduleBytes measures what a schedule takes in Redis that the API made: its record and what is listed of it, family by family, and
// beside that what every write leaves, an entry of the audit and an event.
func TestBenchScheduleBytes(t *testing.T) {
	f := newFiguresAlone(t)
	const schedules, reports = 30_000, 300
	d := benchDeployment(0)
	var ids []int64
	for range reports {
		ids = append(ids, f.report(d))
	}
	by := record.Actor{
		ID: 4711, Email: "anna.meyer@example.com", Name: "Anna Meyer", Roles: []int64{3, 12, 40},
		Via: record.Via{Token: "c0ffee00-5d0c-4f3a-9d55-1f0d3a2b7c11", Address: "203.0.113.7"},
	}
	before, families := f.memory(), f.families()
	scheduler := refresh.New(refresh.Config{Store: f.store}).Schedules()
	f.each(schedules, func(i int) error {
		_, err := scheduler.Create(t.Context(), d, record.ScheduleSpec{
			Name: fmt.Sprintf("Umsatz je Filiale, täglich %d", i), Target: record.RunTarget{ReportID: ids[i%reports]},
			Cron: []string{fmt.Sprintf("%d 7 * * 1-5", i%60)}, Timezone: "Europe/Berlin",
		}, by)
		return err
	})
	grown := f.memory() - before
	var log int64
	after := f.families()
	for _, family := range slices.Sorted(maps.Keys(after)) {
		n := after[family] - families[family]
		if strings.HasSuffix(family, ":audit") || strings.HasSuffix(family, ":events") {
			log += n
		}
		if n > schedules { // a byte a schedule
			f.print("bytes_of "+family, float64(n)/schedules)
		}
	}
	f.print("schedule_bytes", float64(grown-log)/schedules)
	f.print("schedule_log_bytes", float64(log)/schedules)
}

var numbers = regexp.MustCompile(`[0-9]+`)

// families returns the bytes of all keys by their names, without the tenant and the numbers in them.
func (f *figures) families() map[string]int64 {
	f.Helper()
	bytes := map[string]int64{}
	for keys := f.rdb.Scan(f.Context(), 0, "*", 1000).Iterator(); keys.Next(f.Context()); {
		used, err := f.rdb.MemoryUsage(f.Context(), keys.Val(), 0).Result()
		must(f.T, err)
		name := keys.Val()
		if _, inside, ok := strings.Cut(name, ":t:"); ok {
			_, name, _ = strings.Cut(inside, ":")
		}
		bytes[numbers.ReplaceAllString(name, "#")] += used
	}
	return bytes
}
