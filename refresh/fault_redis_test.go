package refresh_test

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"mooring/placements"
	"mooring/refresh"

	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// server is a redis-server that a test kills and starts again.
type server struct {
	*testing.T
	addr string
	args []string
	cmd  *exec.Cmd
}

// newServer starts a server that writes every command to its append-only file before it answers.
func newServer(t *testing.T, args ...string) *server {
	t.Helper()
	dir, addr := t.TempDir(), storagetest.FreeAddr(t)
	host, port, _ := net.SplitHostPort(addr)
	s := &server{T: t, addr: addr, args: append([]string{
		"--bind", host, "--port", port, "--dir", dir, "--logfile", filepath.Join(dir, "log"), "--save", "", "--appendonly", "yes",
	}, args...)}
	s.start()
	t.Cleanup(s.kill)
	return s
}

func (s *server) start() {
	s.Helper()
	s.cmd = exec.Command(storagetest.Binary(s.T, "redis-server"), s.args...)
	must(s.T, s.cmd.Start())
	s.until("PONG", func(rdb *redis.Client) string { return rdb.Ping(context.Background()).Val() })
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// until waits until what ask returns contains want.
func (s *server) until(want string, ask func(*redis.Client) string) {
	s.Helper()
	rdb := storagetest.Client(s, s.addr)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(ask(rdb), want) {
			return
		}
	}
	s.Fatalf("the server does not say %s", want)
}

// provesAll lets the agents finish without further trouble and checks everything.
func (c *crew) provesAll(moored []*mooredReport) {
	c.Helper()
	c.calm()
	c.keep(2, 0, func() bool { return c.caughtUp(moored) })
	c.proveTicks(moored)
	for _, r := range moored {
		c.change(r)
	}
	c.refreshAll(moored)
	c.proveSheets(moored)
	c.report()
}

func TestRedisRestartsInMidRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	s := newServer(t)
	c := newCrew(t, storagetest.Addr(s.addr), agentLag+"=150ms")
	moored := c.scheduled(fastTenant, 20, 4*time.Minute)
	c.start()
	c.start()
	for range 4 {
		time.Sleep(700 * time.Millisecond) // runs are at work at any time
		s.kill()
		time.Sleep(200 * time.Millisecond)
		s.start()
		c.count("restart of Redis")
	}
	if n := len(c.alive()); n != 2 {
		t.Errorf("%d agents have lived through it, want both", n)
	}
	c.provesAll(moored)
}

func TestRedisFailsOverInMidRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	master := newServer(t)
	host, port, _ := net.SplitHostPort(master.addr)
	replica := newServer(t, "--replicaof", host, port, "--repl-diskless-sync-delay", "0")
	replica.until("master_link_status:up", func(rdb *redis.Client) string { return rdb.Info(context.Background(), "replication").Val() })
	sentinel := storagetest.Sentinel(t, master.addr, "main")
	watcher := redis.NewSentinelClient(&redis.Options{Addr: sentinel, ReadTimeout: storagetest.Patience})
	defer watcher.Close()
	must(t, watcher.Set(t.Context(), "main", "down-after-milliseconds", "1000").Err())
	must(t, watcher.Set(t.Context(), "main", "failover-timeout", "5000").Err())
	for len(watcher.Replicas(t.Context(), "main").Val()) == 0 {
		time.Sleep(50 * time.Millisecond)
	}
	c := newCrew(t, storagetest.Addr("redis+sentinel://"+sentinel+"/main"), agentLag+"=150ms")
	moored := c.scheduled(fastTenant, 20, 4*time.Minute)
	c.start()
	c.start()
	time.Sleep(1500 * time.Millisecond)
	master.kill()
	c.count("failover of Redis")
	replica.until("role:master", func(rdb *redis.Client) string { return rdb.Info(context.Background(), "replication").Val() })
	for c.store.Ping(t.Context()) != nil { // until our own connections have moved
		time.Sleep(50 * time.Millisecond)
	}
	c.provesAll(moored)
}

func TestAClusterOfThreeNodes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	t.Parallel()
	c := newCrew(t, storagetest.Cluster(t), agentKill+"=0.1")
	var moored []*mooredReport
	for i := range moreTenants {
		moored = append(moored, c.scheduled(fastTenantOf(i), 3, 2*time.Minute)...)
	}
	until := time.Now().Add(15 * time.Second)
	c.keep(3, 0, func() bool { return c.total() >= 12 || time.Now().After(until) })
	c.provesAll(moored)
}

// ask asks for a run of every report and returns their ids.
func (c *crew) ask(moored []*mooredReport) []string {
	c.Helper()
	ids := make([]string, len(moored))
	for i, r := range moored {
		run, err := c.engine.Start(c.Context(), r.d, refresh.Request{Target: record.RunTarget{ReportID: r.id}})
		must(c.T, err)
		ids[i] = run.ID
	}
	return ids
}

// until waits until every run is as it should be.
func (c *crew) until(moored []*mooredReport, ids []string, as func(*record.Run) bool) {
	c.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		all := true
		for i, r := range moored {
			run, err := c.store.Queue().Runs.Get(c.Context(), r.d, ids[i])
			must(c.T, err)
			all = all && as(run)
		}
		if all {
			return
		}
	}
	c.Fatal("the runs do not become as they should be")
}

func TestSIGTERMLetsRunsEnd(t *testing.T) {
	t.Parallel()
	c := newCrew(t, storagetest.Redis(t), agentLag+"=1s", agentDrain+"=1h")
	moored := c.reports(fastTenant, 6)
	ids := c.ask(moored)
	a := c.start()
	c.until(moored, ids, func(run *record.Run) bool { return run.State != placements.RunQueued }) // on a busy machine some have ended
	took := c.terminate(a)
	if !a.cmd.ProcessState.Success() || took > patience {
		t.Errorf("the agent ended after %s with %s", took, a.cmd.ProcessState)
	}
	c.until(moored, ids, func(run *record.Run) bool { return run.State == placements.RunSucceeded && run.Attempt == 1 })
}

func TestSIGTERMHandsBackWhatCannotEnd(t *testing.T) {
	t.Parallel()
	c := newCrew(t, storagetest.Redis(t), agentLag+"=1h", agentDrain+"=300ms")
	moored := c.reports(fastTenant, 40) // more than an agent works on at once
	ids := c.ask(moored)
	a := c.start()
	c.until(moored[:20], ids, func(run *record.Run) bool {
		return run.Attempt == 1 || run.Attempt == 0 && run.State == placements.RunQueued
	})
	time.Sleep(500 * time.Millisecond)
	took := c.terminate(a)
	if !a.cmd.ProcessState.Success() || took > patience {
		t.Errorf("the agent ended after %s with %s, its limit was 300ms", took, a.cmd.ProcessState)
	}
	for i, r := range moored {
		run, err := c.store.Queue().Runs.Get(t.Context(), r.d, ids[i])
		must(t, err)
		if run.State != placements.RunQueued || run.ErrorClass != "" {
			t.Errorf("run %s is %s (%s) after the agent has ended, want QUEUED", run.ID, run.State, run.Error)
		}
	}
	c.env = nil
	began := time.Now()
	c.start()
	c.until(moored, ids, func(run *record.Run) bool { return run.State == placements.RunSucceeded })
	t.Logf("40 runs were handed back in %s and ended %s after another agent started", took, time.Since(began))
}

// terminate asks an agent to end and says how long that took.
func (c *crew) terminate(a *agentProcess) time.Duration {
	c.Helper()
	began := time.Now()
	must(c.T, a.cmd.Process.Signal(syscall.SIGTERM))
	<-a.exited
	return time.Since(began)
}
