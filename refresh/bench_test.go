package refresh_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/refresh"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// figures is one measurement on a storage. It prints its figures, a name and a value a line.
type figures struct {
	*testing.T
	address string
	store   *storage.Store
	rdb     *redis.Client // nil on a cluster
}

// newFigures empties the Redis that scripts/bench-refresh started and measures on it.
func newFigures(t *testing.T) *figures {
	t.Helper()
	address := os.Getenv("MOORING_BENCH_REDIS")
	if address == "" {
		t.Skip("scripts/bench-refresh runs this on a Redis of its own")
	}
	options, err := redis.ParseURL(address)
	must(t, err)
	rdb := redis.NewClient(options)
	t.Cleanup(func() { rdb.Close() })
	must(t, rdb.FlushDB(t.Context()).Err())
	f := newFiguresOf(t, address)
	f.rdb = rdb
	return f
}

// newFiguresAlone measures on a Redis of its own.
func newFiguresAlone(t *testing.T) *figures {
	t.Helper()
	if os.Getenv("MOORING_BENCH") == "" {
		t.Skip("a script of scripts runs this")
	}
	server := storagetest.Server(t)
	f := newFiguresOf(t, storagetest.Addr(server))
	f.rdb = storagetest.Client(t, server)
	return f
}

// newFiguresOf measures on the storage at an address.
func newFiguresOf(t *testing.T, address string) *figures {
	t.Helper()
	f := &figures{T: t, address: address, store: storagetest.Open(t, address)}
	must(t, f.store.Work().Queue.Prepare(t.Context()))
	return f
}

func (f *figures) print(name string, value float64) { fmt.Printf("FIGURE %s %.3f\n", name, value) }

// each calls do for 0 … n-1, many at a time.
func (f *figures) each(n int, do func(i int) error) {
	f.Helper()
	var group sync.WaitGroup
	for worker := range 64 {
		group.Go(func() {
			for i := worker; i < n; i += 64 {
				if err := do(i); err != nil {
					f.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if f.Failed() {
		f.FailNow()
	}
}

// benchTenants is enough for every partition to have some.
const benchTenants = 64

func benchDeployment(i int) record.Deployment {
	return record.Deployment{Tenant: "tenant-" + strconv.Itoa(i%benchTenants), ID: 1}
}

// benchPartition returns what the keys of a tenant's partition begin with.
func benchPartition(tenant string) string {
	h := fnv.New32a()
	h.Write([]byte(tenant))
	return fmt.Sprintf("mooring:{p%02d}:", h.Sum32()%storage.DefaultPartitions)
}

// reports makes a report without placements for every tenant and returns their ids.
func (f *figures) reports() []int64 {
	f.Helper()
	ids := make([]int64, benchTenants)
	for i := range ids {
		ids[i] = f.report(benchDeployment(i))
	}
	return ids
}

// report makes a report without placements.
func (f *figures) report(d record.Deployment) int64 {
	f.Helper()
	report, err := f.store.Reports().Create(f.Context(), d, record.ReportInput{
		Name: placements.Sent("Nothing"), SQLQuery: placements.Sent("SELECT 1"), Source: placements.Sent("SHEETS_B"),
	}, record.Actor{ID: 7})
	must(f.T, err)
	return report.ID
}

// emptyRun is a run that finds nothing to do.
func emptyRun(report int64, i int) *record.Run {
	return &record.Run{ReportID: report, ExternalWorkbookID: strconv.Itoa(i), Placements: []record.RunPlacement{}}
}

// agent works until the returned function is called.
func (f *figures) agent(workers int) (end func()) {
	f.Helper()
	engine := refresh.New(refresh.Config{Store: f.store, Workers: workers, Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(f.Context())
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	return func() {
		cancel()
		must(f.T, <-done)
	}
}

func (f *figures) untilEmpty() {
	f.Helper()
	for {
		depth, err := f.store.Work().Queue.Depth(f.Context())
		must(f.T, err)
		if depth == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// TestBenchDrain measures how many runs without a target one agent ends in a second.
func TestBenchDrain(t *testing.T) {
	f := newFigures(t)
	reports := f.reports()
	const runs = 60_000
	f.each(runs, func(i int) error {
		return storagetest.Enqueue(t.Context(), f.store.Work(), benchDeployment(i), emptyRun(reports[i%benchTenants], i))
	})
	start, own, server := time.Now(), processorTime(t), serverTime(t, f.rdb)
	end := f.agent(512)
	f.untilEmpty()
	f.print("drain_per_second", runs/time.Since(start).Seconds())
	f.print("drain_worker_cpu_us", (processorTime(t)-own)*1e6/runs)
	f.print("drain_redis_cpu_us", (serverTime(t, f.rdb)-server)*1e6/runs)
	end()
}

// processorTime is what this process has used so far, in seconds. On a machine that others use too it says more than the clock.
func processorTime(t *testing.T) float64 {
	t.Helper()
	var u syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// serverTime is the CPU time that a redis-server has used so far, in seconds.
func serverTime(t *testing.T, rdb *redis.Client) float64 {
	return storagetest.UsedCPU(t, rdb).Seconds()
}

// TestBenchPickup measures how long a run that is asked for waits until it starts, on an idle agent.
func TestBenchPickup(t *testing.T) {
	f := newFigures(t)
	reports := f.reports()
	defer f.agent(32)()
	time.Sleep(300 * time.Millisecond)
	var waits []float64
	for i := range 300 {
		d := benchDeployment(i)
		run := &record.Run{ReportID: reports[i%benchTenants], Placements: []record.RunPlacement{}}
		must(t, storagetest.Enqueue(t.Context(), f.store.Work(), d, run))
		f.untilEmpty()
		ended, err := f.store.Queue().Runs.Get(t.Context(), d, run.ID)
		must(t, err)
		waits = append(waits, between(t, run.FireTime, ended.StartedAt))
	}
	slices.Sort(waits)
	f.print("pickup_p50_ms", quantile(waits, 0.5))
	f.print("pickup_p99_ms", quantile(waits, 0.99))
}

// between is the time from one moment to another in ms.
func between(t *testing.T, from, to string) float64 {
	t.Helper()
	a, err := time.Parse(time.RFC3339, from)
	must(t, err)
	b, err := time.Parse(time.RFC3339, to)
	must(t, err)
	return float64(b.Sub(a).Milliseconds())
}

func (f *figures) memory() int64 {
	f.Helper()
	var used int64
	info, err := f.rdb.InfoMap(f.Context(), "memory").Result()
	must(f.T, err)
	used, err = strconv.ParseInt(info["Memory"]["used_memory"], 10, 64)
	must(f.T, err)
	return used
}

// TestBenchMillion holds a million schedules in the due index, none of them due, and measures what each costs there and in an agent.
func TestBenchMillion(t *testing.T) {
	f := newFigures(t)
	const schedules = 1_000_000
	before, tick := f.memory(), time.Now().Add(time.Hour).UnixMilli()
	f.each(schedules/1000, func(i int) error {
		// As CreateSchedule does, without the records. Tenants go to partitions as they come: the sizes add up to the same.
		var members []redis.Z
		for n := range 1000 {
			d := benchDeployment(i)
			members = append(members, redis.Z{
				Score:  float64(tick + rand.Int64N(86_400_000)),
				Member: fmt.Sprintf("s:%s:%d:%d", url.QueryEscape(d.Tenant), d.ID, i*1000+n),
			})
		}
		return f.rdb.ZAdd(t.Context(), fmt.Sprintf("mooring:{p%02d}:due", i%storage.DefaultPartitions), members...).Err()
	})
	f.print("due_bytes", float64(f.memory()-before)/schedules)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	idle := heap()
	end := f.agent(32)
	time.Sleep(2 * time.Second)
	f.print("agent_bytes", max(0, float64(heap()-idle))/schedules)
	end()
}

// TestBenchRecovery measures how long the runs of a killed agent wait for their next attempt, at most, and how many get one while their agent
// stands still for 4 seconds. MOORING_KILLS is how often each happens, 3 times unless it is set.
func TestBenchRecovery(t *testing.T) {
	f := newFigures(t)
	c := newCrew(t, f.address, agentLag+"=1h")
	moored := c.reports(fastTenant, 8)
	times, _ := strconv.Atoi(cmp.Or(os.Getenv("MOORING_KILLS"), "3"))
	first := c.start()
	ids := make([]string, len(moored))
	for i, r := range moored {
		run, err := c.engine.Start(t.Context(), r.d, refresh.Request{Target: record.RunTarget{ReportID: r.id}})
		must(t, err)
		ids[i] = run.ID
	}
	begun := func(attempt int) (n int) {
		for i, r := range moored {
			run, err := c.store.Queue().Runs.Get(t.Context(), r.d, ids[i])
			must(t, err)
			if run.Attempt >= attempt {
				n++
			}
		}
		return n
	}
	until := func(attempt int) {
		for begun(attempt) < len(moored) {
			time.Sleep(time.Millisecond)
		}
	}
	until(1)
	longest, again := time.Duration(0), 0
	for attempt := 1; attempt <= times; attempt++ {
		second := c.start()
		time.Sleep(1500 * time.Millisecond) // its claims are as fresh as they ever are
		must(t, first.cmd.Process.Kill())
		killed := time.Now()
		until(attempt + 1)
		longest, first = max(longest, time.Since(killed)), second
	}
	f.print("recovery_seconds", longest.Seconds())
	c.start()
	time.Sleep(6 * time.Second) // it judges others
	for range times {
		must(t, first.cmd.Process.Signal(syscall.SIGSTOP))
		time.Sleep(4 * time.Second)
		must(t, first.cmd.Process.Signal(syscall.SIGCONT))
		time.Sleep(time.Second)
		again += begun(times + 2)
	}
	f.print("paused_taken", float64(again))
}
