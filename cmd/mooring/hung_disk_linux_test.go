package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// hungDisk makes dir, and mounts a file system there whose every call hangs, as a network drive's does whose server is gone, until heal. Only
// root can.
func hungDisk(t *testing.T, dir string) (heal func()) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0) // which nobody answers
	if err != nil {
		t.Skipf("a disk that hangs cannot be made: %v", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device.Fd())
	if err := syscall.Mount("mooring", dir, "fuse", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		device.Close()
		t.Skipf("a disk that hangs cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		device.Close()
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return func() { device.Close() } // its calls end with an error
}

// hangsIn waits until so many threads of p hang in the disk.
func hangsIn(t *testing.T, p *program, want int) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		n := 0
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", p.cmd.Process.Pid))
		for _, thread := range threads {
			if where, err := os.ReadFile(thread); err == nil && strings.Contains(string(where), "fuse") {
				n++
			}
		}
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d threads hang in the disk, want %d\n%s", n, want, p.out)
		}
	}
}

// A disk that hangs keeps the runs of its own documents only, and only until they are stopped or the process is to end: what hangs is counted,
// and no document gets a second call.
func TestADiskThatHangs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	heal := hungDisk(t, filepath.Join(s.dir, "sheets", "drive"))
	lost, sound := s.placedIn("drive/book.xlsx", "States!C20"), s.placedIn("book.xlsx", "States!C20")

	run := s.runOf(lost)
	hangsIn(t, s.server, 1)
	if status, answer := s.send(http.MethodDelete, run, ""); status != http.StatusAccepted {
		t.Fatalf("stop: %d %s", status, answer)
	}
	if got := s.shown(run, "stopped", hasEnded); got.State != placements.RunStopped {
		t.Errorf("the run that hangs is %s (%s)", got.State, got.Error)
	}
	answers(t, s.client.base+"/metrics", "mooring_hung_calls 1")

	again := s.runOf(lost)
	s.shown(again, "told why it waits", func(run record.Run) bool {
		return run.State == placements.RunQueued && run.ErrorClass == placements.Transient && strings.Contains(run.Error, `"drive/book.xlsx" does not answer`)
	})
	hangsIn(t, s.server, 1)
	if got := s.shown(s.runOf(sound), "ended", hasEnded); got.State != placements.RunSucceeded {
		t.Errorf("the run of another document is %s (%s)", got.State, got.Error)
	}

	heal()
	answers(t, s.client.base+"/metrics", "mooring_hung_calls 0")
	hangsIn(t, s.server, 0)
	s.shown(again, "told what is wrong now", func(run record.Run) bool { return strings.Contains(run.Error, "could not be read or written now") })
}

// A call that hangs in the disk holds up no process that is to end.
func TestASignalEndsWhateverADiskDoes(t *testing.T) {
	t.Parallel() // it waits for a drain
	s := newSiteOn(t, storagetest.Redis(t), "--agent=false")
	hungDisk(t, filepath.Join(s.dir, "sheets", "drive"))
	run := s.runOf(s.placedIn("drive/book.xlsx", "States!C20"))
	agent := start(t, "agent", "--config", s.config)
	hangsIn(t, agent, 1)
	ends(t, agent)
	if got := s.shown(run, "in the queue again", func(run record.Run) bool { return run.State == placements.RunQueued }); got.EndedAt != "" {
		t.Errorf("the run is %s (%s)", got.State, got.Error)
	}
}
