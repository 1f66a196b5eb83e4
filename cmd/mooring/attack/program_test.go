//go:build unix

package attack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mooring/web/webtest"
)

// patience bounds every wait for something that must come.
const patience = 2 * time.Minute

var binaryDir string

// program is the path of the program under attack: that of MOORING_ATTACK_BINARY, or one that is built once.
var program = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("MOORING_ATTACK_BINARY"); given != "" {
		return filepath.Abs(given)
	}
	name := filepath.Join(binaryDir, "mooring")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nomsgpack", "-o", name, "mooring/cmd/mooring")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return name, cmd.Run()
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mooring-attack-")
	if err != nil {
		panic(err)
	}
	binaryDir = dir
	described, err := webtest.HoldClient("../../../web/openapi.json")
	if err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(described(code))
}

func binary(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	name, err := program()
	if err != nil {
		t.Fatalf("build: %v", err)
	}
	return name
}

// command runs the program to its end in a folder, with further variables.
func command(t *testing.T, dir string, env []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	cmd := exec.Command(binary(t), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append([]string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, env...), &out, &err
	_ = cmd.Run() // the status is in ProcessState
	if cmd.ProcessState == nil {
		t.Fatalf("%v does not start", cmd)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// server is the program at work.
type server struct {
	cmd   *exec.Cmd
	log   *transcript
	base  string // its address
	ended chan struct{}
}

var serving = regexp.MustCompile(`msg=serving.* address=(\S+)|address=(\S+).* msg=serving`)

// serve starts a server and ends it with the test.
func serve(t *testing.T, config string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(binary(t), "serve", "--config", config), log: new(transcript), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		_ = s.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.ended
	})
	until(t, "the server serves", func() bool {
		found := serving.FindStringSubmatch(s.log.String())
		if found != nil {
			s.base = "http://" + found[1] + found[2]
		}
		return found != nil || s.hasEnded()
	})
	if s.base == "" {
		t.Fatalf("the server has ended: %s", s.log)
	}
	return s
}

func (s *server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// terminate asks the server to end and reports whether it did within limit.
func (s *server) terminate(limit time.Duration) bool {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
		return true
	case <-time.After(limit):
		return false
	}
}

// transcript keeps what was written to it.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (r *transcript) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *transcript) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
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
