package main

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"mooring/cmd/mooring/programtest"
	"mooring/refresh/source/files"
	"mooring/refresh/source/sqlite"
	"mooring/web/webtest"
)

// patience bounds every wait of these tests; on a sound machine none comes near it.
const patience = programtest.Patience

// poll is how often a test looks again.
const poll = 50 * time.Millisecond

func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	files.RunAsChild()
	described, err := webtest.HoldClient("../../web/openapi.json")
	if err != nil {
		panic(err)
	}
	code := m.Run()
	programtest.Remove()
	os.Exit(described(code))
}

func build(t *testing.T) string {
	t.Helper()
	return programtest.Binary(t)
}

// process is the built program at work.
type program struct {
	t       *testing.T
	running *programtest.Process
	cmd     *exec.Cmd
	out     *programtest.Output // stdout and stderr, in one
	ended   <-chan struct{}     // closed when it has ended
}

// start runs the built program and ends it with the test.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := programtest.Start(t, args...)
	return &program{t: t, running: p, cmd: p.Cmd, out: p.Out, ended: p.Ended}
}

// waitFor waits for a line that holds mark and returns it.
func (p *program) waitFor(mark string) string {
	p.t.Helper()
	return p.running.WaitFor(mark)
}

// terminate asks the process to end and returns its exit status.
func (p *program) terminate() int {
	p.t.Helper()
	return p.running.Terminate()
}
