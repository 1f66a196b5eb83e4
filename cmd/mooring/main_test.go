package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/config"
	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// root is the module's directory, seen from this package's.
const root = "../.."

const testSecret = "0123456789abcdef0123456789abcdef"

// minimal is the shortest configuration that is whole.
const minimal = `
signing: {keys: [{id: main, algorithm: HS256, secret: 0123456789abcdef0123456789abcdef}]}
tenants: {acme: {deployments: {1: {}}}}
`

// environment returns the lookup of an environment with these names and values.
func environment(pairs ...string) config.Lookup {
	env := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { value, set := env[name]; return value, set }
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mooring runs the program in this process, with an empty environment.
func mooring(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &err, environment())
	return code, out.String(), err.String()
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
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
		{"help is no failure", []string{"--help"}, process.ExitDone, "", 0},
		{"help of a command", []string{"serve", "--help"}, process.ExitDone, "", 0},
		{"help by name", []string{"help"}, process.ExitDone, "", 0},
		{"help of a command by name", []string{"help", "key", "create"}, process.ExitDone, "", 0},
		{"version", []string{"version"}, process.ExitDone, "", 0},
		{"version as a flag", []string{"--version"}, process.ExitDone, "", 0},
		{"no command is usage", nil, process.ExitUsage, "expected one of", 1},
		{"an unknown command is usage", []string{"moor"}, process.ExitUsage, "moor", 1},
		{"an unknown flag is usage", []string{"version", "--loud"}, process.ExitUsage, "--loud", 1},
		{
			"an address of no Redis",
			[]string{"key", "list", "--config", good, "--redis", "redis://127.0.0.1:1?read_timeout=soon"},
			process.ExitFailed,
			`--redis, or MOORING_REDIS: read_timeout: "soon" is not a time longer than none, such as 10s or 500ms`, 1,
		},
		{"a missing flag is usage", []string{"serve"}, process.ExitUsage, "--config", 1},
		{"a folder without mooring.yaml is usage", []string{"check"}, process.ExitUsage, "mooring.yaml is not in this folder: name the configuration file with --config", 1},
		{
			"a value of another kind is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "ana"},
			process.ExitUsage,
			"--user", 1,
		},
		{
			"a negative lifetime is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--ttl=-1h"},
			process.ExitUsage, "--ttl", 1,
		},
		{"a user below 1 is usage", []string{"key", "create", "--config", good, "--tenant", "acme", "--user", "0"}, process.ExitUsage, "--user", 1},
		{
			"a key without an action is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--role", "4"},
			process.ExitUsage, "--no-actions", 1,
		},
		{
			"an unknown action is usage",
			[]string{
				"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--action", "ReportRead", "--action",
				"ReportWrite",
			},
			process.ExitUsage, `"ReportWrite" is none of ReportRead, `, 1,
		},
		{
			"an action and none is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--action", "All", "--no-actions"},
			process.ExitUsage,
			"--no-actions", 1,
		},
		{
			"an unknown bound is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--only", "Reports"},
			process.ExitUsage, `--only: "Reports" is none of ReportRead, `, 1,
		},
		{
			"an action beyond the bound is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--action", "ReportEdit", "--only", "ReportRead"},
			process.ExitUsage, "--action: ReportEdit goes further than --only", 1,
		},
		{
			"days that are none are usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--action", "All", "--ttl", "1.5d"},
			process.ExitUsage,
			"days such as 90d", 1,
		},
		{
			"a lifetime that is none is usage",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--action", "All", "--ttl", "long"},
			process.ExitUsage,
			"90d or 12h", 1,
		},
		{
			"what is neither token nor jti is not revoked",
			[]string{"key", "revoke", "--config", good, "--redis", "redis://127.0.0.1:1", "ABC"},
			process.ExitUsage, "neither a token nor a jti", 1,
		},
		{
			"nor is what looks like a token",
			[]string{"key", "revoke", "--config", good, "--redis", "redis://127.0.0.1:1", "a.b.c"},
			process.ExitFailed, "no token that the configured keys accept", 1,
		},
		{"a list of keys shares a Redis", []string{"key", "list", "--config", good}, process.ExitFailed, "needs a Redis", 1},
		{"no such file is one line", []string{"serve", "--config", filepath.Join(dir, "gone.yaml")}, process.ExitFailed, "gone.yaml", 1},
		{"a bad file is a line a fault", []string{"check", "--config", bad}, process.ExitFailed, "bad.yaml:1:1: unknown key", 2},
		{
			"an unknown tenant",
			[]string{"key", "create", "--config", good, "--tenant", "emca", "--user", "7"},
			process.ExitFailed,
			`tenant "emca"`, 1,
		},
		{
			"an unknown deployment",
			[]string{"key", "create", "--config", good, "--tenant", "acme", "--user", "7", "--deployment", "9"},
			process.ExitFailed, "no deployment 9", 1,
		},
		{"an agent shares a Redis", []string{"agent", "--config", good}, process.ExitFailed, "needs a Redis", 1},
		{"a revocation does", []string{"key", "revoke", "--config", good, "AAAAAAAAAAAAAAAAAAAAAAAAAA"}, process.ExitFailed, "needs a Redis", 1},
		{
			"a refresh does",
			[]string{"refresh", "--config", good, "--tenant", "acme", "--deployment", "1", "--report", "1"},
			process.ExitFailed,
			"needs a Redis", 1,
		},
		{
			"data is for embedded storage",
			[]string{"serve", "--config", good, "--redis", "redis://127.0.0.1:1", "--data", dir},
			process.ExitUsage,
			"--data", 1,
		},
		{
			"a dead Redis is one line",
			[]string{"key", "revoke", "--config", good, "--redis", "redis://127.0.0.1:1", "AAAAAAAAAAAAAAAAAAAAAAAAAA"},
			process.ExitFailed,
			"redis does not answer", 1,
		},
		{
			"an address that is none",
			[]string{"key", "revoke", "--config", good, "--redis", "ftp://user:hunter2@x", "AAAAAAAAAAAAAAAAAAAAAAAAAA"},
			process.ExitFailed,
			"unknown scheme", 1,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := mooring(t, tt.args...)
			if status != tt.status || !strings.Contains(stderr, tt.stderr) || strings.Count(stderr, "\n") != tt.lines {
				t.Errorf("status %d, stderr %q; want %d, %d lines with %q", status, stderr, tt.status, tt.lines, tt.stderr)
			}
			if status == process.ExitDone && stdout == "" {
				t.Error("nothing on stdout")
			}
			if strings.Contains(stderr, "hunter2") {
				t.Errorf("stderr %q holds a password", stderr)
			}
		})
	}
}

func TestKeyCreate(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, name, minimal)
	status, stdout, stderr := mooring(t, "key", "create", "--config", name, "--tenant", "acme", "--user", "7",
		"--email", "ana@example.com", "--name", "Ana", "--deployment", "1", "--role", "4", "--role", "5", "--action", "ReportEdit")
	if status != process.ExitDone {
		t.Fatalf("status %d: %s", status, stderr)
	}
	token, rest, _ := strings.Cut(stdout, "\n")
	if rest != "" || strings.Count(token, ".") != 2 {
		t.Errorf("stdout %q, want the token alone", stdout)
	}
	cfg, err := config.Load(name, environment(), process.Drivers())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := cfg.Keyring()
	if err != nil {
		t.Fatal(err)
	}
	c, err := keys.Verify(token, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if c.TokenID != strings.TrimSpace(stderr) {
		t.Errorf("jti %q, stderr %q: want the same", c.TokenID, stderr)
	}
	if c.Tenant != "acme" || c.ID != 7 || c.Email != "ana@example.com" || c.Name != "Ana" || len(c.Deployments) != 1 || len(c.Roles) != 2 || c.Actions[0] != "ReportEdit" {
		t.Errorf("the token speaks for %+v", c)
	}
}

func TestLifetimesOfTokens(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, name, minimal)
	cfg, err := config.Load(name, environment(), process.Drivers())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := cfg.Keyring()
	if err != nil {
		t.Fatal(err)
	}
	const day = 24 * time.Hour
	for _, tt := range []struct {
		args []string
		want time.Duration
	}{
		{nil, 90 * day},
		{[]string{"--ttl", "30d"}, 30 * day},
		{[]string{"--ttl", "12h"}, 12 * time.Hour},
		{[]string{"--ttl=1h30m"}, 90 * time.Minute},
	} {
		before := time.Now().Truncate(time.Second)
		status, stdout, stderr := mooring(t, append([]string{"key", "create", "--config", name, "--tenant", "acme", "--user", "7", "--no-actions"}, tt.args...)...)
		if status != process.ExitDone {
			t.Fatalf("%q: %s", tt.args, stderr)
		}
		c, err := keys.Verify(strings.TrimSpace(stdout), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if c.Expires.Before(before.Add(tt.want)) || c.Expires.After(time.Now().Add(tt.want)) || len(c.Actions) != 0 {
			t.Errorf("%q: expires %v, want %v from now", tt.args, c.Expires, tt.want)
		}
	}
}

// The bound of a key is what --only names; its actions are those too, unless they are said.
func TestKeysWithABound(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, name, minimal)
	cfg, err := config.Load(name, environment(), process.Drivers())
	if err != nil {
		t.Fatal(err)
	}
	keys, err := cfg.Keyring()
	if err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{
		"--action ReportEdit":                                   "[ReportEdit] true []",
		"--only ReportRead":                                     "[ReportRead] false [ReportRead]",
		"--only ReportRead --only WorkbookRead":                 "[ReportRead WorkbookRead] false [ReportRead WorkbookRead]",
		"--only ReportEdit --action ReportRead":                 "[ReportRead] false [ReportEdit]",
		"--only ReportEdit --no-actions":                        "[] false [ReportEdit]",
		"--no-actions":                                          "[] true []",
		"--only WorkbookManage --action WorkbookEdit --role 12": "[WorkbookEdit] false [WorkbookManage]",
	} {
		args := append([]string{"key", "create", "--config", name, "--tenant", "acme", "--user", "7"}, strings.Fields(flags)...)
		status, stdout, stderr := mooring(t, args...)
		if status != process.ExitDone {
			t.Fatalf("%s: %s", flags, stderr)
		}
		c, err := keys.Verify(strings.TrimSpace(stdout), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(c.Actions, c.Bound == nil, c.Bound); got != want {
			t.Errorf("%s: %s, want %s", flags, got, want)
		}
	}
}

func TestKeyListShowsWhatWasRevoked(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, name, minimal+"redis: "+storagetest.Redis(t)+"\n")
	var made []string
	for range 2 {
		status, token, id := mooring(t, "key", "create", "--config", name, "--tenant", "acme", "--user", "7", "--action", "All", "--ttl", "30d")
		if status != process.ExitDone {
			t.Fatal(id)
		}
		made = append(made, strings.TrimSpace(token), strings.TrimSpace(id))
	}
	for _, one := range []string{made[0], made[3]} { // the first as a token, the second by its jti
		if status, _, stderr := mooring(t, "key", "revoke", "--config", name, one); status != process.ExitDone {
			t.Fatal(stderr)
		}
	}
	status, list, stderr := mooring(t, "key", "list", "--config", name)
	lines := strings.Split(strings.TrimSpace(list), "\n")
	if status != process.ExitDone || len(lines) != 3 {
		t.Fatalf("%d %q %q", status, list, stderr)
	}
	for i, id := range []string{made[1], made[3]} {
		if !strings.HasPrefix(lines[i+1], "acme ") || !strings.Contains(lines[i+1], id) {
			t.Errorf("line %q, want tenant acme and %s", lines[i+1], id)
		}
	}
}

func TestTheConfigurationFileOfAFolderIsTheDefault(t *testing.T) {
	t.Parallel()
	binary, dir := build(t), t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "other.yaml")
	writeFile(t, elsewhere, strings.Replace(minimal, "acme", "other", 1))
	check := func(env string, args ...string) string {
		t.Helper()
		cmd := exec.Command(binary, append([]string{"key", "create", "--user", "7", "--action", "All"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		return fmt.Sprintf("%v %s", err, out)
	}
	const ended = "<nil> "
	if out := check("A=", "--tenant", "acme"); !strings.Contains(out, "mooring.yaml is not in this folder: name the configuration file with --config or MOORING_CONFIG") {
		t.Errorf("without one: %s", out)
	}
	writeFile(t, filepath.Join(dir, "mooring.yaml"), minimal)
	if out := check("A=", "--tenant", "acme"); !strings.HasPrefix(out, ended) {
		t.Errorf("with one: %s", out)
	}
	if out := check("MOORING_CONFIG="+elsewhere, "--tenant", "other"); !strings.HasPrefix(out, ended) {
		t.Errorf("the variable does not win over the folder: %s", out)
	}
	if out := check("MOORING_CONFIG=none.yaml", "--tenant", "other", "--config", elsewhere); !strings.HasPrefix(out, ended) {
		t.Errorf("the flag does not win over the variable: %s", out)
	}
}
