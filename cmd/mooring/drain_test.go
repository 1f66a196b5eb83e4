package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// endlessCall is one call that would run for years, which nothing but the end of its process stops.
const endlessCall = "SELECT instr(zeroblob(60000000), zeroblob(3000000) || x'01')"

// A query that cannot be interrupted holds up neither a server nor an agent that is asked to end.
func TestASignalEndsWhateverAQueryDoes(t *testing.T) {
	t.Parallel() // it waits for two drains
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("needs /proc")
	}
	s := newSite(t)
	path, _ := s.report("1", endlessCall)
	s.connect(path, "book.xlsx", "States!C20")

	// The server has one query of a request and one of a run at work, the agent, later, the run.
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel(); <-done }()
	go func() {
		defer close(done)
		_ = s.client.do(ctx, http.MethodPost, path+"/result", map[string]any{}, nil) // its connection is cut
	}()
	if err := s.client.do(t.Context(), http.MethodPost, path+"/refreshes", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	queriesOf(t, s.server, 2)
	ends(t, s.server)

	agent := start(t, "agent", "--config", s.config)
	queriesOf(t, agent, 1)
	ends(t, agent)
}

// ends asks p to end, which it must within patience: the drain limit and much for a slow machine.
func ends(t *testing.T, p *process) {
	t.Helper()
	if status := p.terminate(); status != exitDone {
		t.Errorf("exit status %d\n%s", status, p.out)
	}
}

// queriesOf waits until p has so many children that run queries.
func queriesOf(t *testing.T, p *process, want int) {
	t.Helper()
	for deadline := time.Now().Add(patience); children(p.cmd.Process.Pid) < want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d queries run, want %d\n%s", children(p.cmd.Process.Pid), want, p.out)
		}
	}
}

func children(pid int) (n int) {
	lists, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		n += len(strings.Fields(string(text)))
	}
	return n
}
