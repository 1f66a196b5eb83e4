package refresh_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/storage/storagetest"
)

// TestBenchScale measures the CPU of a run that finds nothing to do, of agents and of Redis: with one agent on one server, and with four on
// a cluster of three nodes, in turn; and what both need in a second in which there is nothing to do.
func TestBenchScale(t *testing.T) {
	if os.Getenv("MOORING_BENCH") == "" {
		t.Skip("scripts/bench-scale runs this")
	}
	one, cluster := storagetest.Server(t), storagetest.ClusterNodes(t)
	for range 2 {
		drainApart(t, "one", []string{one}, 1)
		drainApart(t, "cluster", cluster, 4)
	}
}

// drainApart lets agents, each a process of its own, drain runs from the servers, and prints the CPU of a run.
func drainApart(t *testing.T, name string, servers []string, agents int) {
	t.Helper()
	const runs = 20_000
	f := newFiguresOf(t, storagetest.Addr(strings.Join(servers, ",")))
	reports := f.reports()
	f.each(runs, func(i int) error {
		return storagetest.Enqueue(t.Context(), f.store.Work(), benchDeployment(i), emptyRun(reports[i%benchTenants], i))
	})
	c := newCrew(t, f.address)
	defer c.end()
	server := redisTime(t, servers)
	var started sync.WaitGroup
	ready := make([]float64, agents)
	for i := range agents {
		started.Go(func() { ready[i] = processTime(t, c.start().cmd.Process.Pid) }) // without its start
	}
	f.untilEmpty()
	started.Wait()
	worked, served := c.processTime(), redisTime(t, servers)
	for _, before := range ready {
		worked -= before
	}
	f.print("scale_"+name+"_agents_us", worked*1e6/runs)
	f.print("scale_"+name+"_redis_us", (served-server)*1e6/runs)
	worked, served = c.processTime(), redisTime(t, servers)
	const idle = 2 * time.Second
	time.Sleep(idle)
	f.print("scale_"+name+"_agents_idle_percent", 100*(c.processTime()-worked)/idle.Seconds())
	f.print("scale_"+name+"_redis_idle_percent", 100*(redisTime(t, servers)-served)/idle.Seconds())
}

// processTime is the CPU that the agents have used so far, in seconds.
func (c *crew) processTime() (sum float64) {
	c.Helper()
	for _, a := range c.agents {
		sum += processTime(c.T, a.cmd.Process.Pid)
	}
	return sum
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
