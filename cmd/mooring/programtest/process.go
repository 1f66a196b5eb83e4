package programtest

import (
	"bytes"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Patience bounds every wait for something that must come; on a sound machine none comes near it.
const Patience = 10 * time.Minute

// Process is the program at work.
type Process struct {
	Cmd   *exec.Cmd
	Out   *Output         // stdout and stderr, in one
	Ended <-chan struct{} // closed when it has ended; its status is in Cmd.ProcessState

	t testing.TB
}

// Start runs the program and kills it at the end of the test.
func Start(t testing.TB, args ...string) *Process {
	t.Helper()
	return StartBinary(t, Binary(t), args...)
}

// StartBinary is Start with the program at that path.
func StartBinary(t testing.TB, binary string, args ...string) *Process {
	t.Helper()
	ended := make(chan struct{})
	p := &Process{Cmd: exec.Command(binary, args...), Out: NewOutput(), Ended: ended, t: t}
	p.Cmd.Stdout, p.Cmd.Stderr = p.Out, p.Out
	if err := p.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(ended)
		_ = p.Cmd.Wait() // the status is in ProcessState
	}()
	t.Cleanup(p.Kill)
	return p
}

// Kill ends the process at once; it has no effect on one that has ended.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill() // of one that has ended
	<-p.Ended
}

// Terminate asks the process to end and returns its exit status; after Patience it is killed.
func (p *Process) Terminate() int {
	p.t.Helper()
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	late := time.AfterFunc(Patience, func() { _ = p.Cmd.Process.Kill() })
	defer late.Stop()
	<-p.Ended
	return p.Cmd.ProcessState.ExitCode()
}

// HasEnded reports whether the process has ended.
func (p *Process) HasEnded() bool {
	select {
	case <-p.Ended:
		return true
	default:
		return false
	}
}

// WaitFor waits for a line of output that contains mark and returns it, trimmed.
func (p *Process) WaitFor(mark string) string {
	p.t.Helper()
	line, ok := p.Out.Line(mark, p.Ended)
	if !ok {
		p.t.Fatalf("no line with %q in\n%s", mark, p.Out)
	}
	return line
}

var serving = regexp.MustCompile(`address="?([^\s"]+)`)

// Address waits until the process serves and returns its base URL.
func (p *Process) Address() string {
	p.t.Helper()
	return "http://" + serving.FindStringSubmatch(p.WaitFor("msg=serving"))[1]
}

// Serve starts a server with a configuration file and further flags, and returns it with its base URL once it serves.
func Serve(t testing.TB, config string, flags ...string) (server *Process, base string) {
	t.Helper()
	server = Start(t, append([]string{"serve", "--config", config}, flags...)...)
	return server, server.Address()
}

// Key makes a token with the command key create and further flags, for the tenant acme.
func Key(t testing.TB, config string, flags ...string) string {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.Command(Binary(t), append([]string{"key", "create", "--config", config, "--tenant", "acme"}, flags...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("key create: %v: %s", err, &said)
	}
	return strings.TrimSpace(string(out))
}
