package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// mooring runs the program in this process, with an empty environment.
func mooring(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, &out, &err, environment())
	return code, out.String(), err.String()
}

func TestExitStatus(t *testing.T) {
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml")
	writeFile(t, good, minimal)
	writeFile(t, bad, "listn: x\npartition: 3\n")
	tests := []struct {
		name   string
		args   []string
		status int
		stderr string // what it holds
		lines  int    // of stderr
	}{
		{"help is no failure", []string{"--help"}, exitDone, "", 0},
		{"help of a command", []string{"serve", "--help"}, exitDone, "", 0},
		{"version", []string{"version"}, exitDone, "", 0},
		{"no command is usage", nil, exitUsage, "expected one of", 1},
		{"an unknown command is usage", []string{"moor"}, exitUsage, "moor", 1},
		{"an unknown flag is usage", []string{"version", "--loud"}, exitUsage, "--loud", 1},
		{"a missing flag is usage", []string{"serve"}, exitUsage, "--config", 1},
		{"a value of another kind is usage", []string{"key", "create", "--config", good, "--tenant", "acme", "--user", "ana"}, exitUsage, "--user", 1},
		{"a negative lifetime is usage", []string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--ttl=-1h"}, exitUsage, "--ttl", 1},
		{"a user below 1 is usage", []string{"key", "create", "--config", good, "--tenant", "acme", "--user", "0"}, exitUsage, "--user", 1},
		{"no such file is one line", []string{"serve", "--config", filepath.Join(dir, "gone.yaml")}, exitFailed, "gone.yaml", 1},
		{"a bad file is a line a fault", []string{"check", "--config", bad}, exitFailed, "bad.yaml:1:1: unknown key", 2},
		{"an unknown tenant", []string{"key", "create", "--config", good, "--tenant", "emca", "--user", "7"}, exitFailed, `tenant "emca"`, 1},
		{"an unknown deployment", []string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--deployment", "9"}, exitFailed, "no deployment 9", 1},
		{"an agent shares a Redis", []string{"agent", "--config", good}, exitFailed, "needs a Redis", 1},
		{"a revocation does", []string{"key", "revoke", "--config", good, "ABC"}, exitFailed, "needs a Redis", 1},
		{"a refresh does", []string{"refresh", "--config", good, "--tenant", "acme", "--deployment", "1", "--report", "1"}, exitFailed, "needs a Redis", 1},
		{"data is for embedded storage", []string{"serve", "--config", good, "--redis", "redis://127.0.0.1:1", "--data", dir}, exitUsage, "--data", 1},
		{"a dead Redis is one line", []string{"key", "revoke", "--config", good, "--redis", "redis://127.0.0.1:1", "ABC"}, exitFailed, "redis does not answer", 1},
		{"an address that is none", []string{"key", "revoke", "--config", good, "--redis", "ftp://user:hunter2@x", "ABC"}, exitFailed, "unknown scheme", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := mooring(t, tt.args...)
			if status != tt.status || !strings.Contains(stderr, tt.stderr) || strings.Count(stderr, "\n") != tt.lines {
				t.Errorf("status %d, stderr %q; want %d, %d lines with %q", status, stderr, tt.status, tt.lines, tt.stderr)
			}
			if status == exitDone && stdout == "" {
				t.Error("nothing on stdout")
			}
			if strings.Contains(stderr, "hunter2") {
				t.Errorf("stderr %q holds a password", stderr)
			}
		})
	}
}

func TestKeyCreate(t *testing.T) {
	name := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, name, minimal)
	status, stdout, stderr := mooring(t, "key", "create", "--config", name, "--tenant", "acme", "--user", "7",
		"--email", "ana@example.com", "--name", "Ana", "--deployment", "1", "--role", "4", "--role", "5", "--action", "ReportEdit")
	if status != exitDone {
		t.Fatalf("status %d: %s", status, stderr)
	}
	token, rest, _ := strings.Cut(stdout, "\n")
	if rest != "" || strings.Count(token, ".") != 2 {
		t.Errorf("stdout %q, want the token alone", stdout)
	}
	cfg, err := loadConfig(name, environment())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := cfg.keyring()
	if err != nil {
		t.Fatal(err)
	}
	c, err := keys.Verify(token)
	if err != nil {
		t.Fatal(err)
	}
	if c.TokenID != strings.TrimSpace(stderr) {
		t.Errorf("jti %q, stderr %q: want the same", c.TokenID, stderr)
	}
	if c.Tenant != "acme" || c.UserID != 7 || c.Email != "ana@example.com" || c.Name != "Ana" || len(c.Deployments) != 1 || len(c.Roles) != 2 || c.Actions[0] != "ReportEdit" {
		t.Errorf("the token speaks for %+v", c)
	}
}
