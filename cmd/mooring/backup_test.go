package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/cmd/mooring/process"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// shopConfig is the configuration of a tenant without a source.
const shopConfig = `
listen: 127.0.0.1:0
redis: %s
signing: {issuer: m, keys: [{id: main, algorithm: HS256, secret: "0123456789012345678901234567890123456789"}]}
tenants: {acme: {hosts: [acme.example.com], deployments: {1: {}}}}
`

// exited waits for a process to end and returns its status.
func (p *program) exited() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("does not end: %s", p.out)
	}
	return p.cmd.ProcessState.ExitCode()
}

// A backup is made beside a server; restored by a process that is killed on its way, nothing starts before it is done again.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	dir, source, target := t.TempDir(), storagetest.Redis(t), storagetest.Redis(t)
	storagetest.Fill(t, source, storagetest.Amounts{
		Deployment: record.Deployment{Tenant: "acme", ID: 1}, Reports: 100, Placements: 500, Documents: 50, Runs: 1000, Schedules: 10,
	})
	config, file := filepath.Join(dir, "mooring.yaml"), filepath.Join(dir, "all.backup")
	writeFile(t, config, fmt.Sprintf(shopConfig, source))
	server := start(t, "serve", "--config", config, "--agent=false")
	server.waitFor("msg=serving")
	if p := start(t, "backup", file, "--config", config); p.exited() != process.ExitDone || !strings.Contains(p.out.String(), "500 placements") {
		t.Fatal(p.out)
	}
	if p := start(t, "backup", dir, "--config", config); p.exited() != process.ExitFailed || !strings.Contains(p.out.String(), "no regular file") {
		t.Error(p.out)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if p := start(t, "restore", file, "--config", config, "--replace"); p.exited() != process.ExitFailed || !strings.Contains(p.out.String(), "in use by mooring serve on ") {
		t.Error(p.out)
	}
	if status := server.terminate(); status != process.ExitDone {
		t.Errorf("status %d: %s", status, server.out)
	}

	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{len(whole) / 2, len(whole) - 9} {
		changed := append([]byte(nil), whole...)
		changed[at] ^= 1
		damaged := filepath.Join(dir, "damaged")
		writeFile(t, damaged, string(changed))
		if p := start(t, "restore", damaged, "--config", config, "--redis", target); p.exited() != process.ExitFailed || !strings.Contains(p.out.String(), "was cut off or changed") {
			t.Errorf("changed at %d: %s", at, p.out)
		}
	}

	for {
		killed := start(t, "restore", file, "--config", config, "--redis", target)
		killed.waitFor("acme: 100 reports") // all is loaded, and nothing settled
		_ = killed.cmd.Process.Kill()
		if killed.exited() != process.ExitDone {
			break
		}
		target = storagetest.Redis(t) // it was quicker than its death: once more
	}
	if p := start(t, "serve", "--config", config, "--redis", target); p.exited() != process.ExitFailed || !strings.Contains(p.out.String(), "has not ended") {
		t.Errorf("a server starts on what is not whole: %s", p.out)
	}
	for { // until the one that was killed is taken for gone
		p := start(t, "restore", file, "--config", config, "--redis", target)
		if p.exited() == process.ExitDone {
			break
		}
		if !strings.Contains(p.out.String(), "in use by mooring restore on ") {
			t.Fatal(p.out)
		}
		time.Sleep(time.Second)
	}
	again := start(t, "serve", "--config", config, "--redis", target, "--agent=false")
	again.waitFor("msg=serving")
	if status := again.terminate(); status != process.ExitDone {
		t.Errorf("status %d: %s", status, again.out)
	}
}
