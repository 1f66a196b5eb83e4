package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/process"
)

func TestAnAgentAnswersOperators(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	agent := start(t, "agent", "--config", s.config, "--listen", "127.0.0.1:0")
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(agent.waitFor("msg=operations"))
	for path, want := range map[string]string{"/readyz": "ready", "/metrics": "mooring_queue_depth"} {
		answers(t, "http://"+address[1]+path, want)
	}
	if status := agent.terminate(); status != process.ExitDone {
		t.Errorf("SIGTERM ends the agent with %d", status)
	}
}

// answers waits until address answers 200 with want: on a busy machine an agent may first be too late to ask the storage.
func answers(t *testing.T, address, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		resp, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode == http.StatusOK && strings.Contains(string(body), want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s answers %d without %q, %v", address, resp.StatusCode, want, err)
		}
	}
}
