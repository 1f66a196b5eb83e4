package storagetest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Server starts a redis-server with further lines of configuration for the length of the test, and returns its host:port.
func Server(t testing.TB, config ...string) string {
	t.Helper()
	return serve(t, nil, append([]string{`save ""`, "appendonly no"}, config...))
}

// Sentinel starts a Sentinel that watches the server at addr under that name, and returns its host:port.
func Sentinel(t testing.TB, addr, name string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, []string{"--sentinel"}, []string{"sentinel monitor " + name + " " + host + " " + port + " 1"})
}

// FreeAddr names a loopback address on which nothing listens now.
func FreeAddr(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts a server on a free port. Someone else may take the port before the server has it: then it tries another one.
func serve(t testing.TB, args, config []string) string {
	t.Helper()
	binary, dir := Binary(t, "redis-server"), t.TempDir()
	for range 5 {
		addr := FreeAddr(t)
		if start(t, binary, dir, addr, args, config) {
			return addr
		}
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	t.Fatalf("redis-server does not start: %s", log)
	return ""
}

// start runs a server and waits until it answers; it ends with the test.
func start(t testing.TB, binary, dir, addr string, args, config []string) bool {
	t.Helper()
	host, port, _ := net.SplitHostPort(addr)
	config = append([]string{
		"bind " + host, "port " + port, "dir " + dir, "logfile " + filepath.Join(dir, "log"), "daemonize no",
	}, config...)
	file := filepath.Join(dir, "redis.conf")
	if err := os.WriteFile(file, []byte(strings.Join(config, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, append([]string{file}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait()
	}()
	end := func() {
		_ = cmd.Process.Kill()
		<-exited
	}
	if !untilAnswering(cmd.Process.Pid, addr, exited) {
		end()
		return false
	}
	t.Cleanup(end)
	return true
}

// untilAnswering waits until the server of that pid answers on addr, and reports whether it does.
func untilAnswering(pid int, addr string, exited <-chan struct{}) bool {
	want := fmt.Appendf(nil, "process_id:%d\r", pid)
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
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

// answers reports whether the server on addr has want in its INFO: another process may have taken the port.
func answers(addr string, want []byte) bool {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return false
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(Patience)); err != nil {
		return false
	}
	if _, err := c.Write([]byte("INFO server\r\n")); err != nil {
		return false
	}
	var reply []byte
	buffer := make([]byte, 4096)
	for !bytes.Contains(reply, want) {
		n, err := c.Read(buffer)
		if err != nil {
			return false
		}
		reply = append(reply, buffer[:n]...)
	}
	return true
}
