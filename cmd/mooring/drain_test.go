package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/process"
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
	var started struct{ RunID string }
	if err := s.client.do(t.Context(), http.MethodPost, path+"/refreshes", map[string]any{}, &started); err != nil {
		t.Fatal(err)
	}
	queriesOf(t, s.server, 2)
	stream := s.stream()
	defer stream.Close()
	drains(t, s, started.RunID)

	agent := start(t, "agent", "--config", s.config)
	queriesOf(t, agent, 1)
	ends(t, agent)
}

// drains ends a server that has a request, a stream and a run in flight: the log says so at once, and again, and how it went; probes are
// answered meanwhile, and others told to try again.
func drains(t *testing.T, s *site, run string) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ends(t, s.server)
	}()
	if line := s.server.waitFor("msg=draining"); !strings.Contains(line, "requests=1 streams=1 runs=1 runIds=["+run+"]") {
		t.Errorf("at once: %s", line)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/api/v1/me": 503} {
		if status, body := s.send(http.MethodGet, path, ""); status != want || want == 503 && !strings.Contains(body, `"retryable":true`) {
			t.Errorf("%s answers %d while the server drains: %s", path, status, body)
		}
	}
	s.server.waitFor("requests=1 streams=0 runs=1") // the second line: the stream has ended
	<-ended
	for _, want := range []string{"drain limit reached: runs at work go back to the queue", "runIds=[" + run, "what is left of requests is cut", "msg=drained cutRequests=1"} {
		if !strings.Contains(s.server.out.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, s.server.out)
		}
	}
}

// stream opens an event stream.
func (s *site) stream() io.Closer {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.client.base+"/api/v1/deployments/1/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.client.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%v, %v", resp, err)
	}
	return resp.Body
}

// ends asks p to end, which it must within patience: the drain limit and much for a slow machine.
func ends(t *testing.T, p *program) {
	t.Helper()
	if status := p.terminate(); status != process.ExitDone {
		t.Errorf("exit status %d\n%s", status, p.out)
	}
}

// queriesOf waits until p has so many children that run queries.
func queriesOf(t *testing.T, p *program, want int) {
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
