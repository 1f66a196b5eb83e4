package main

import (
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// together runs a command so many times at one time and counts the exit statuses.
func (p *project) together(n int, args ...string) map[int]int {
	var wait sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for range n {
		wait.Go(func() {
			status, _, stderr := mooringAs(p.t, p.base, p.token, inFolder(args, p.dir)...)
			mu.Lock()
			defer mu.Unlock()
			statuses[status]++
			if status != process.ExitDone && status != process.ExitConflict {
				p.t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
	wait.Wait()
	return statuses
}

// 64 applies of one bundle, and of one plan, at one time have one effect.
func TestApplyAtOneTime(t *testing.T) {
	t.Parallel()
	p := &project{newCodeSite(t, storagetest.Redis(t), 2), writeProject(t, sampleProject())}
	if got := p.together(64, "apply", "{}", "--approve"); got[process.ExitDone] == 0 {
		t.Errorf("statuses %v: none is done", got)
	}
	p.applied("dev")
	p.once("1")

	plan := filepath.Join(t.TempDir(), "plan.json")
	p.run(process.ExitDone, "plan", "{}", "--env", "prod", "-o", plan)
	if got := p.together(64, "apply", plan, "--approve"); got[process.ExitDone] != 64 {
		t.Errorf("statuses %v: want 64 done", got)
	}
	p.applied("prod")
	p.once("2")
}

// once fails unless the assets of a deployment were written once.
func (p *project) once(deployment string) {
	p.t.Helper()
	for _, list := range []string{"reports", "workbooks", "refresh-schedules"} {
		var page struct{ Items []struct{ Version int64 } }
		if err := json.Unmarshal(p.send("GET", deployment+"/"+list, ""), &page); err != nil {
			p.t.Fatal(err)
		}
		if len(page.Items) != 1 || page.Items[0].Version != 1 {
			p.t.Errorf("%s of deployment %s: %+v, want one of version 1", list, deployment, page.Items)
		}
	}
}
