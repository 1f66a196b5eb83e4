package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"mooring/cmd/mooring/process"
	"mooring/cmd/mooring/programtest"
)

// pseudoTerminal returns both ends of one: what is written to the person's end is typed at the program's.
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	var number, unlock int32
	for request, value := range map[uintptr]*int32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &unlock} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Skipf("no pseudo terminals: %v", errno)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// shows reports whether a terminal shows what is typed.
func shows(t *testing.T, terminal *os.File) bool {
	t.Helper()
	var state syscall.Termios
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&state))); errno != 0 {
		t.Fatal(errno)
	}
	return state.Lflag&syscall.ECHO != 0
}

// atTerminal runs the built program at a terminal, types an answer when it is ready, and returns what it shows.
func atTerminal(t *testing.T, env []string, ready func(*os.File, *programtest.Output) bool, answer string, args ...string) (status int, shown string) {
	t.Helper()
	person, program := pseudoTerminal(t)
	cmd := exec.Command(build(t), args...)
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR="), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out := programtest.NewOutput()
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			_, _ = out.Write(buf[:n])
			if err != nil {
				return // the program's end is closed
			}
		}
	}()
	for end := time.Now().Add(patience); !ready(program, out) && time.Now().Before(end); {
		time.Sleep(poll) // no event tells of a terminal's state
	}
	if _, err := person.WriteString(answer); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is in ProcessState
	program.Close()
	<-read
	return cmd.ProcessState.ExitCode(), out.String()
}

func TestApplyAsksAtATerminal(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed  string
		env    string
		status int
		shown  string
		colour bool
		asked  int
	}{
		"yes":             {"yes\n", "A=B", process.ExitDone, "Applied to deployment 1", true, 2},
		"y is not enough": {"y\n", "A=B", process.ExitFailed, "nothing was applied", true, 1},
		"the end":         {"\x04", "A=B", process.ExitFailed, "nothing was applied", true, 1},
		"NO_COLOR":        {"yes\n", "NO_COLOR=1", process.ExitDone, "Applied to deployment 1", false, 2},
		"a dumb terminal": {"yes\n", "TERM=dumb", process.ExitDone, "Applied to deployment 1", false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := &failing{answers: map[string]string{
				"POST /deployments/1/plans": planOf("update", ""), "POST /plans/P1/apply": `200 {"appliedAt":"2026-11-22T07:00:00Z"}`,
			}}
			server := httptest.NewServer(f)
			defer server.Close()
			env := []string{"MOORING_SERVER=" + server.URL, "MOORING_TOKEN=token", tt.env}
			asked := func(_ *os.File, out *programtest.Output) bool { return strings.Contains(out.String(), "Write yes") }
			status, shown := atTerminal(t, env, asked, tt.typed, "apply", writeProject(t, sampleProject()))
			if status != tt.status || !strings.Contains(shown, "Apply this to deployment 1 of ") || !strings.Contains(shown, tt.shown) ||
				strings.Contains(shown, "\x1b[33m~ update") != tt.colour || len(f.asked) != tt.asked {
				t.Errorf("status %d, asked %q\n%q", status, f.asked, shown)
			}
		})
	}
}

// What is typed as a token is not shown.
func TestLoginHidesTheToken(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(&failing{answers: map[string]string{"GET /me": `200 {"tenant":"acme"}`}})
	defer server.Close()
	hidden := func(terminal *os.File, _ *programtest.Output) bool { return !shows(t, terminal) }
	status, shown := atTerminal(t, []string{"XDG_CONFIG_HOME=" + t.TempDir()}, hidden, "s3cret\n", "login", "--token", "--server", server.URL)
	if status != process.ExitDone || !strings.Contains(shown, "Signed in to "+server.URL) || strings.Contains(shown, "s3cret") {
		t.Errorf("status %d, %q", status, shown)
	}
}
