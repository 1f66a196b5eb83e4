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
	if got, want := cfg.Limits, (limits{600, 100, 10_000}); got != want {
		t.Errorf("limits that are not said are %+v, want %+v", got, want)
	}
	cfg, err = parseConfig("mooring.yaml", []byte(base+"limits: {schedulesPerUser: 0, schedulesPerTenant: 7}\n"), noVariables)
	if err != nil || cfg.Limits != (limits{0, 0, 7}) {
		t.Errorf("got %+v, %v", cfg, err)
	}
	for _, name := range []string{"requestsPerMinute", "schedulesPerUser", "schedulesPerTenant"} {
		_, err = parseConfig("mooring.yaml", []byte(base+"limits: {"+name+": -1}\n"), noVariables)
		if err == nil || !strings.Contains(err.Error(), "mooring.yaml:3:") || !strings.Contains(err.Error(), name+": must not be negative") {
			t.Errorf("a negative limit gives %v", err)
		}
	}
}

func TestOriginsAreRead(t *testing.T) {
	cfg, err := parseConfig("mooring.yaml", []byte(minimal+"cors: {origins: [https://addin.example.com, \"https://*.googleusercontent.com\"]}\n"), noVariables)
	if err != nil || len(cfg.CORS.Origins) != 2 {
		t.Errorf("got %+v, %v", cfg, err)
	}
	_, err = parseConfig("mooring.yaml", []byte(minimal+"cors:\n  origins:\n    - https://addin.example.com\n    - \"*\"\n"), noVariables)
	if err == nil || !strings.Contains(err.Error(), "mooring.yaml:7:") || !strings.Contains(err.Error(), `"*" is no origin`) {
		t.Errorf("a star alone gives %v", err)
	}
}

func noVariables(string) (string, bool) { return "", false }
