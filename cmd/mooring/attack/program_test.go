//go:build unix

package attack

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"mooring/cmd/mooring/programtest"
	"mooring/web/webtest"
)

// patience bounds every wait for something that must come.
const patience = programtest.Patience

func TestMain(m *testing.M) {
	described, err := webtest.HoldClient("../../../web/openapi.json")
	if err != nil {
		panic(err)
	}
	code := m.Run()
	programtest.Remove()
	os.Exit(described(code))
}

// command runs the program to its end in a folder, with further variables.
func command(t *testing.T, dir string, env []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.Command(programtest.Binary(t), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, env...), &out, &err
	_ = cmd.Run() // the status is in ProcessState
	if cmd.ProcessState == nil {
		t.Fatalf("%v does not start", cmd)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// server is the program at work.
type server struct {
	process *programtest.Process
	log     *programtest.Output
	base    string // its address
}

// serve starts a server and ends it with the test.
func serve(t *testing.T, config string) *server {
	t.Helper()
	p, base := programtest.Serve(t, config)
	return &server{process: p, log: p.Out, base: base}
}

// terminate asks the server to end and reports whether it did within limit.
func (s *server) terminate(limit time.Duration) bool {
	_ = s.process.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.process.Ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// until asks again and again whether what must come has come.
func until(t *testing.T, what string, came func() bool) {
	t.Helper()
	if !within(patience, came) {
		t.Fatalf("%s: not within %v", what, patience)
	}
}

// within reports whether something comes before a time is over.
func within(limit time.Duration, came func() bool) bool {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(limit); !came(); {
		select {
		case <-tick.C:
		case <-deadline:
			return false
		}
	}
	return true
}
