package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// minimalFile writes the shortest configuration and returns its name.
func minimalFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, name, strings.Replace(minimal, testSecret, "b6f3a1907c5de24818cf02a97e6b35d4", 1))
	return name
}

// commandsOf returns a function that has a server run commands.
func commandsOf(t *testing.T, addr string) func(command string) {
	t.Helper()
	rdb := storagetest.Client(t, addr)
	return func(command string) {
		t.Helper()
		var args []any
		for word := range strings.FieldsSeq(command) {
			args = append(args, word)
		}
		if err := rdb.Do(t.Context(), args...).Err(); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
}

// nearlyFull lets a server have little more memory than it uses.
func nearlyFull(t *testing.T, addr string) {
	t.Helper()
	rdb := storagetest.Client(t, addr)
	used := rdb.InfoMap(t.Context(), "memory").Item("Memory", "used_memory")
	var n int64
	if _, err := fmt.Sscan(used, &n); err != nil {
		t.Fatal(err)
	}
	if err := rdb.ConfigSet(t.Context(), "maxmemory", fmt.Sprint(n*115/100)).Err(); err != nil {
		t.Fatal(err)
	}
}

const loginRules = "user mooring on >secret ~mooring:* &* "

func TestCheckWarnsOfARedisThatMayLoseData(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact   string
		config []string
		before func(addr string)
		login  string
		want   []string // lines of the answer, from their beginnings
		status int
	}{
		{fact: "nothing to warn of", config: []string{"appendonly yes"}, want: []string{"ok      redis"}},
		{
			fact:   "no persistence",
			config: []string{`save ""`, "appendonly no"},
			want:   []string{"ok      redis", "warning redis: it saves nothing to its disk: everything is gone when it restarts; set appendonly yes"},
		},
		{
			fact:   "snapshots only",
			config: []string{"save 3600 1"},
			want:   []string{"ok      redis", "warning redis: it saves snapshots only (save 3600 1)"},
		},
		{
			fact:   "eviction",
			config: []string{"appendonly yes", "maxmemory-policy volatile-ttl"},
			want:   []string{"ok      redis", "warning redis: maxmemory-policy volatile-ttl deletes data"},
		},
		{
			fact:   "little memory left",
			config: []string{"appendonly yes"},
			before: func(addr string) { nearlyFull(t, addr) },
			want:   []string{"ok      redis", "warning redis: "},
		},
		{
			fact:   "a hosted one, that hides its state",
			config: []string{loginRules + "+@all -@admin -@dangerous"}, login: "mooring:secret@",
			want: []string{"ok      redis", "warning redis: its state could not be looked at"},
		},
		{
			fact:   "a hosted one that answers INFO",
			config: []string{loginRules + "+@all -@admin -@dangerous +info"}, login: "mooring:secret@",
			want: []string{"ok      redis", "warning redis: whether it saves to its disk could not be looked at"},
		},
		{
			fact:   "a login with the rights that README.md names",
			config: []string{"appendonly yes", loginRules + "+@all -@admin -@dangerous +info +config|get"}, login: "mooring:secret@",
			want: []string{"ok      redis"},
		},
		{
			fact:   "a login that may not run all that is needed",
			config: []string{"appendonly yes", loginRules + "+@all -hset -zadd"}, login: "mooring:secret@",
			want: []string{
				"FAILED  redis: storage does not let the service in. An operator must correct the user and the password of the storage in " +
					"the configuration, or what that user may do (the login may not run HSET, ZADD on keys mooring:*)",
			},
			status: process.ExitFailed,
		},
		{
			fact:   "a login for other keys",
			config: []string{"user mooring on >secret ~other:* &* +@all"}, login: "mooring:secret@",
			want:   []string{"FAILED  redis: storage does not let the service in."},
			status: process.ExitFailed,
		},
		{
			fact:   "a wrong password",
			config: []string{loginRules + "+@all"}, login: "mooring:guess@",
			want:   []string{"FAILED  redis: storage does not let the service in."},
			status: process.ExitFailed,
		},
		{
			fact:   "a replica",
			before: func(addr string) { commandsOf(t, addr)("REPLICAOF 127.0.0.1 1") },
			want: []string{
				"FAILED  redis: storage is a replica, which takes no writes. An operator must name the primary in the configuration, " +
					"or make this server the primary (READONLY ",
			},
			status: process.ExitFailed,
		},
		{
			fact:   "a replica that takes writes and loses them",
			config: []string{"replica-read-only no"},
			before: func(addr string) { commandsOf(t, addr)("REPLICAOF 127.0.0.1 1") },
			want:   []string{"FAILED  redis: storage is a replica, which takes no writes."},
			status: process.ExitFailed,
		},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			addr := storagetest.Server(t, tt.config...)
			if tt.before != nil {
				tt.before(addr)
			}
			wantCheck(t, storagetest.Addr("redis://"+tt.login+addr), tt.status, append([]string{"ok      configuration"}, tt.want...))
		})
	}
}

// wantCheck checks the lines of mooring check, of which only the beginnings are given.
func wantCheck(t *testing.T, address string, status int, begins []string) {
	t.Helper()
	got, stdout, stderr := mooring(t, "check", "--config", minimalFile(t), "--redis", address)
	lines := strings.Split(strings.TrimRight(stdout, "\n"), "\n")
	if got != status || len(lines) != len(begins) {
		t.Fatalf("status %d, want %d, with %d lines:\n%s%s", got, status, len(begins), stdout, stderr)
	}
	for i, begin := range begins {
		if !strings.HasPrefix(lines[i], begin) {
			t.Errorf("line %d is %q, want one that begins %q", i+1, lines[i], begin)
		}
	}
}

func TestCheckLooksAtEveryNode(t *testing.T) {
	t.Parallel()
	t.Run("of a cluster", func(t *testing.T) {
		nodes := storagetest.ClusterNodes(t)
		commandsOf(t, nodes[0])("CONFIG SET appendonly yes")
		commandsOf(t, nodes[1])("CONFIG SET appendonly yes")
		commandsOf(t, nodes[1])("CONFIG SET maxmemory-policy allkeys-lru")
		wantCheck(t, storagetest.Addr(strings.Join(nodes, ",")), process.ExitDone, []string{
			"ok      configuration", "ok      redis",
			"warning redis: it saves nothing to its disk: everything is gone when it restarts; set appendonly yes (" + nodes[2] + ")",
			"warning redis: maxmemory-policy allkeys-lru deletes data when memory runs short: set maxmemory-policy noeviction (" + nodes[1] + ")",
		})
	})
	t.Run("behind a Sentinel its master", func(t *testing.T) {
		sentinel := storagetest.Sentinel(t, storagetest.Server(t), "main")
		wantCheck(t, storagetest.Addr("redis+sentinel://"+sentinel+"/main"), process.ExitDone, []string{
			"ok      configuration", "ok      redis", "warning redis: it saves nothing to its disk",
		})
	})
	t.Run("of none, the embedded one", func(t *testing.T) {
		wantCheck(t, "embedded", process.ExitDone, []string{"ok      configuration", "ok      redis", "warning redis: embedded storage is for trials"})
	})
}

func TestServersSayAtTheStartWhatMayLoseData(t *testing.T) {
	t.Parallel()
	address := storagetest.Redis(t)
	for _, command := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"agent"}} {
		t.Run(command[0], func(t *testing.T) {
			p := start(t, append(command, "--config", minimalFile(t), "--redis", address)...)
			p.waitFor("agent started")
			if n := strings.Count(p.out.String(), `level=WARN msg="redis: it saves nothing to its disk`); n != 1 {
				t.Errorf("it is said %d times:\n%s", n, p.out)
			}
		})
	}
}

func TestServersRefuseToStartOnAReplica(t *testing.T) {
	t.Parallel()
	addr := storagetest.Server(t, "replica-read-only no")
	commandsOf(t, addr)("REPLICAOF 127.0.0.1 1")
	for _, command := range []string{"serve", "agent"} {
		out, err := exec.Command(build(t), command, "--config", minimalFile(t), "--redis", storagetest.Addr(addr)).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "mooring: storage is a replica, which takes no writes. An operator must name the primary") {
			t.Errorf("%s: error %v, output %s", command, err, out)
		}
	}
}
