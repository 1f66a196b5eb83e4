// Package storagetest gives tests a storage: the embedded one, and a real redis-server that the test starts and ends itself.
package storagetest

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mooring/storage"
)

// Each runs test on the embedded storage and on a real Redis, each empty.
func Each(t *testing.T, test func(t *testing.T, s *storage.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) { test(t, Open(t, "embedded")) })
	t.Run("redis", func(t *testing.T) { test(t, Open(t, Redis(t))) })
}

// Open connects to address for the length of the test.
func Open(t testing.TB, address string) *storage.Store {
	t.Helper()
	s, err := storage.Open(t.Context(), storage.Config{Address: address, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Redis starts an empty redis-server for the length of the test and gives its address. Without a redis-server on the machine the test is
// skipped, or fails when MOORING_TEST_REQUIRE is set.
func Redis(t testing.TB) string {
	t.Helper()
	return "redis://" + Server(t)
}

// Server is Redis with further arguments for redis-server; it gives host:port.
func Server(t testing.TB, args ...string) string {
	t.Helper()
	binary := Binary(t, "redis-server")
	dir := t.TempDir()
	// A free port may be taken by someone else before the server has it.
	for range 5 {
		addr := FreeAddr(t)
		if start(t, binary, dir, addr, args) {
			return addr
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("redis-server does not start: %s", log)
	return ""
}

// Binary finds a program that a test needs.
func Binary(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("MOORING_TEST_REQUIRE") != "" {
		t.Fatalf("%s is needed: %v", name, err)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// FreeAddr names a loopback address that nobody listens on now.
func FreeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server and waits until it accepts; it ends with the test.
func start(t testing.TB, binary, dir, addr string, args []string) bool {
	host, port, _ := net.SplitHostPort(addr)
	args = append([]string{
		"--bind", host, "--port", port, "--dir", dir, "--save", "", "--appendonly", "no",
		"--logfile", filepath.Join(dir, "log"), "--daemonize", "no",
	}, args...)
	cmd := exec.Command(binary, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
	if !accepts(cmd.Process.Pid, addr, exited) {
		_ = cmd.Process.Kill()
		<-exited
		return false
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	return true
}

// accepts waits until the server of that pid answers on addr, and tells whether it does.
func accepts(pid int, addr string, exited <-chan struct{}) bool {
	want := fmt.Appendf(nil, "process_id:%s\r", strconv.Itoa(pid))
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		select {
		case <-exited:
			return false
		case <-time.After(10 * time.Millisecond):
		}
		if answers(addr, want) {
			return true
		}
	}
	return false
}
