//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A storage in the process whose disk is full says so, keeps what it acknowledged even if it is killed then, and goes on by itself once
// there is room.
func TestAnEmbeddedStorageWhoseDiskIsFull(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 8<<20)
	data := filepath.Join(disk, "data")
	s := newSiteOn(t, "embedded", "--data", data)
	filler := filepath.Join(disk, "filler")
	fill(t, filler, 4<<20)
	const path = "/api/v1/deployments/1/reports"
	create := func(i int) (int, string) {
		return s.send(http.MethodPost, path, fmt.Sprintf(`{"name": "r%d", "sqlQuery": "SELECT '%d%s' FROM t"}`, i, i, strings.Repeat("x", 5_000)))
	}
	acknowledged := 0
	for ; ; acknowledged++ {
		status, body := create(acknowledged)
		if status == http.StatusServiceUnavailable && strings.Contains(body, `"storage_full"`) && strings.Contains(body, "--data") {
			break
		}
		if status != http.StatusOK {
			t.Fatalf("create %d: %d %s", acknowledged, status, body)
		}
		if acknowledged > 5_000 {
			t.Fatal("more was acknowledged than the disk holds")
		}
	}
	if status, body := s.send(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(body, "storage_full") {
		t.Errorf("/readyz: %d %s", status, body)
	}
	if status, body := s.send(http.MethodGet, path+"/1", ""); status != http.StatusOK {
		t.Errorf("a read: %d %.300s", status, body)
	}
	if status, body := s.send(http.MethodPut, path+"/1", `{"name": "other"}`); status != http.StatusServiceUnavailable {
		t.Errorf("a change: %d %.300s", status, body)
	}
	s.server.waitFor("snapshot not saved, writes are refused until it is")
	_ = s.server.cmd.Process.Kill()
	s.server.exited()

	s.serve("--data", data)
	if status, body := s.send(http.MethodGet, fmt.Sprintf("%s/%d", path, acknowledged), ""); status != http.StatusOK {
		t.Errorf("the last of %d reports: %d %.300s", acknowledged, status, body)
	}
	s.server.waitFor("snapshot not saved, writes are refused until it is")
	if status, body := create(acknowledged); status != http.StatusServiceUnavailable {
		t.Errorf("a create after the restart: %d %.300s", status, body)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.server.waitFor("writes are taken again")
	if status, body := create(acknowledged); status != http.StatusOK {
		t.Errorf("a create once there is room: %d %.300s", status, body)
	}
	if status, body := s.send(http.MethodGet, "/readyz", ""); status != http.StatusOK {
		t.Errorf("/readyz once there is room: %d %s", status, body)
	}
}

// fill makes a file of a size.
func fill(t *testing.T, name string, size int) {
	t.Helper()
	if err := os.WriteFile(name, bytes.Repeat([]byte{1}, size), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A folder of spreadsheets without room is told as that, not as one that may not be written to.
func TestCheckOfAFolderWhoseDiskIsFull(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, 64<<10)
	if err := os.WriteFile(filepath.Join(disk, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, file, fmt.Sprintf(`
signing: {keys: [{id: main, algorithm: HS256, secret: %s}]}
tenants: {acme: {deployments: {1: {}}, spreadsheets: {SHEETS_B: {kind: xlsx, dir: %s, documents: {}}}}}
`, testSecret, disk))
	if _, stdout, stderr := mooring(t, "check", "--config", file); !strings.Contains(stdout, "The disk of the folder of spreadsheets is full: make room there.") {
		t.Errorf("%s%s", stdout, stderr)
	}
}
