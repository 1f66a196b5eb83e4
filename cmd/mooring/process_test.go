package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mooring/refresh/source/sqlite"
	"mooring/storage/storagetest"
	"mooring/web/webtest"
)

// patience bounds every wait of these tests; on a sound machine none comes near it.
const patience = storagetest.Patience

// binaryDir holds the built program; TestMain makes and removes it.
var binaryDir string

// binary builds the program once for all tests and returns its path.
var binary = sync.OnceValues(func() (string, error) {
	name := filepath.Join(binaryDir, "mooring")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nomsgpack", "-o", name, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as scripts/package builds it
	cmd.Stderr = os.Stderr
	return name, cmd.Run()
})

func TestMain(m *testing.M) {
	sqlite.RunAsChild()
	dir, err := os.MkdirTemp("", "mooring-binary-")
	if err != nil {
		panic(err)
	}
	binaryDir = dir
	described, err := webtest.HoldClient("../../web/openapi.json")
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(described(code))
}

func build(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	name, err := binary()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return name
}

// process is the built program at work.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   *watched      // stdout and stderr, in one
	ended chan struct{} // closed when it has ended
}

// start runs the built program and ends it with the test.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(build(t), args...), out: newWatched(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the status is in ProcessState
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill() // has no effect on one that ended
		<-p.ended
	})
	return p
}

// waitFor waits for a line that holds mark and returns it.
func (p *process) waitFor(mark string) string {
	p.t.Helper()
	line, ok := p.out.line(mark, p.ended)
	if !ok {
		p.t.Fatalf("no line with %q in\n%s", mark, p.out)
	}
	return line
}

// terminate asks the process to end and returns its exit status.
func (p *process) terminate() int {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// watched collects output and notifies tests that wait for a line.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed and replaced at every write
}

func newWatched() *watched { return &watched{more: make(chan struct{})} }

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.more)
	w.more = make(chan struct{})
	return w.text.Write(b)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// line waits for a whole line that holds mark, until the writer has ended.
func (w *watched) line(mark string, ended <-chan struct{}) (string, bool) {
	deadline, last := time.After(patience), false
	for {
		w.mu.Lock()
		text, more := w.text.String(), w.more
		w.mu.Unlock()
		for r := bufio.NewReader(strings.NewReader(text)); ; {
			line, err := r.ReadString('\n')
			if err == io.EOF {
				break
			}
			if strings.Contains(line, mark) {
				return strings.TrimSpace(line), true
			}
		}
		if last {
			return "", false
		}
		select {
		case <-more:
		case <-ended:
			last = true // one more look at what it wrote
		case <-deadline:
			return "", false
		}
	}
}
