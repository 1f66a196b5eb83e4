package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestAnAgentAnswersOperators(t *testing.T) {
	s := newSite(t)
	agent := start(t, "agent", "--config", s.config, "--listen", "127.0.0.1:0")
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(agent.waitFor("msg=operations"))
	for path, want := range map[string]string{"/readyz": "ready", "/metrics": "mooring_queue_depth"} {
		resp, err := http.Get("http://" + address[1] + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s answers %d without %q, %v", path, resp.StatusCode, want, err)
		}
	}
	if status := agent.terminate(); status != exitDone {
		t.Errorf("SIGTERM ends the agent with %d", status)
	}
}
