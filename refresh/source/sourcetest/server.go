//go:build unix

package sourcetest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// startServer starts a server, returns once it says that it is ready, and ends it with the test.
func startServer(t *testing.T, server *exec.Cmd, readyWords string) {
	t.Helper()
	log, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ready, said := make(chan bool, 1), new(strings.Builder)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if strings.Contains(lines.Text(), readyWords) {
				ready <- true
				continue
			}
			fmt.Fprintln(said, lines.Text())
		}
		ready <- false
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(stopSignal(server))
		<-drained
		_ = server.Wait()
	})
	if !<-ready {
		t.Fatalf("the server does not start:\n%s", said)
	}
}

// stopSignal is what makes a server stop without waiting for its clients.
func stopSignal(server *exec.Cmd) os.Signal {
	if strings.HasSuffix(server.Path, "postgres") {
		return syscall.SIGINT
	}
	return syscall.SIGTERM
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// serverUser is whom to run a server as, of that name if there is one: databases refuse to run as root. It is nil for the test's own user.
func serverUser(t *testing.T, name string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{name, "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	t.Fatalf("running as root, and there is no user to run %s as", name)
	return nil
}

// giveTo makes files those of the user that a server runs as.
func giveTo(t *testing.T, as *syscall.Credential, paths ...string) {
	t.Helper()
	if as == nil {
		return
	}
	for _, path := range paths {
		if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
}
