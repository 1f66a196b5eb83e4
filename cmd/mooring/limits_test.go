package main

import (
	"strings"
	"testing"
)

func TestLimitsAreRead(t *testing.T) {
	base := "signing: {keys: [{id: main, algorithm: HS256, secret: " + strings.Repeat("s", 32) + "}]}\ntenants: {acme: {deployments: {1: {}}}}\n"
	cfg, err := parseConfig("mooring.yaml", []byte(base+"limits: {requestsPerMinute: 600}\n"), noVariables)
	if err != nil || cfg.Limits.RequestsPerMinute != 600 {
		t.Errorf("got %+v, %v", cfg, err)
	}
	_, err = parseConfig("mooring.yaml", []byte(base+"limits: {requestsPerMinute: -1}\n"), noVariables)
	if err == nil || !strings.Contains(err.Error(), "requestsPerMinute: must not be negative") {
		t.Errorf("a negative limit gives %v", err)
	}
}

func noVariables(string) (string, bool) { return "", false }
