package refresh_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mooring/storage/storagetest"
)

// TestBenchScale measures the CPU of a run that finds nothing to do, of agents and of Redis: with one agent on one server, and with four on
// a cluster of three nodes, in turn.
func TestBenchScale(t *testing.T) {
	if os.Getenv("MOORING_BENCH") == "" {
		t.Skip("scripts/bench-scale runs this")
	}
	one, cluster := storagetest.Server(t), storagetest.ClusterNodes(t)
	for range 1 {
		drainApart(t, "one", []string{one}, 1)
		drainApart(t, "cluster", cluster, 4)
	}
}

// drainApart lets agents, each a process of its own, drain runs from the servers, and prints the CPU of a run.
func drainApart(t *testing.T, name string, servers []string, agents int) {
	t.Helper()
	const runs = 30_000
	f := newFiguresOf(t, storagetest.Addr(strings.Join(servers, ",")))
	reports := f.reports()
	f.each(runs, func(i int) error {
		return storagetest.Enqueue(t.Context(), f.store.Work(), benchDeployment(i), emptyRun(reports[i%benchTenants], i))
	})
	c := newCrew(t, f.address)
	defer c.end()
	for _, address := range servers {
		storagetest.Client(t, address).ConfigResetStat(t.Context())
	}
	server := redisTime(t, servers)
	var started sync.WaitGroup
	ready := make([]float64, agents)
	for i := range agents {
		started.Go(func() { ready[i] = processTime(t, c.start().cmd.Process.Pid) }) // without its start
	}
	f.untilEmpty()
	started.Wait()
	var worked float64
	for _, a := range c.agents {
		worked += processTime(t, a.cmd.Process.Pid)
	}
	for _, before := range ready {
		worked -= before
	}
	for _, address := range servers {
		info, _ := storagetest.Client(t, address).Info(t.Context(), "commandstats").Result()
		for _, line := range strings.Split(info, "\n") {
			if i := strings.Index(line, "calls="); i > 0 {
				var calls, us int
				fmt.Sscanf(line[i:], "calls=%d,usec=%d", &calls, &us)
				if calls > runs/30 {
					fmt.Println(name, line[:i], float64(calls)/runs, float64(us)/runs)
				}
			}
		}
		storagetest.Client(t, address).ConfigResetStat(t.Context())
	}
	f.print("scale_"+name+"_agents_us", worked*1e6/runs)
	f.print("scale_"+name+"_redis_us", (redisTime(t, servers)-server)*1e6/runs)
}

// redisTime is the CPU that servers have used so far, in seconds.
func redisTime(t *testing.T, servers []string) (sum float64) {
	t.Helper()
	for _, address := range servers {
		sum += serverTime(t, storagetest.Client(t, address))
	}
	return sum
}

// processTime is the CPU that a process has used so far, in seconds, to 1/100.
func processTime(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	var ticks int
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		must(t, err)
		ticks += n
	}
	return float64(ticks) / 100
}
