//go:build unix

package waiting

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/storage/storagetest"
)

// patience bounds every wait for something that must come.
const patience = storagetest.Patience

var binaryDir string

// program is the path of the program: that of MOORING_WAITING_BINARY, or one that is built once.
var program = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("MOORING_WAITING_BINARY"); given != "" {
		return filepath.Abs(given)
	}
	name := filepath.Join(binaryDir, "mooring")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "nomsgpack", "-o", name, "mooring/cmd/mooring")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	return name, cmd.Run()
})

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "mooring-waiting-")
	if err != nil {
		panic(err)
	}
	binaryDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// process is the program at work.
type process struct {
	cmd   *exec.Cmd
	log   *transcript
	ended chan struct{}
}

// start starts the program, and ends it with the test.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	name, err := program()
	must(t, err)
	p := &process{cmd: exec.Command(name, args...), log: new(transcript), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	must(t, p.cmd.Start())
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // the status is in ProcessState
	}()
	t.Cleanup(p.kill)
	return p
}

// kill ends the program at once.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // has no effect on one that ended
	<-p.ended
}

// says waits until the log matches, and returns the matches.
func (p *process) says(t *testing.T, mark *regexp.Regexp) []string {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := mark.FindStringSubmatch(p.log.String()); found != nil {
			return found
		}
		select {
		case <-p.ended:
			t.Fatalf("the program has ended: %s", p.log)
		default:
		}
	}
	t.Fatalf("the log never says %s: %s", mark, p.log)
	return nil
}

// transcript keeps what was written to it.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
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

// key makes a token with the command.
func (s *site) key(flags ...string) string {
	s.t.Helper()
	name, err := program()
	must(s.t, err)
	cmd := exec.Command(name, append([]string{"key", "create", "--config", s.config, "--tenant", "acme"}, flags...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	must(s.t, err)
	return strings.TrimSpace(string(out))
}

// send sends a request, and reads the answer into out, unless that is nil. It returns the status and the answer's text.
func (s *site) send(token, method, path string, body, out any) (int, string) {
	s.t.Helper()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		must(s.t, err)
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, sent)
	must(s.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	must(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	must(s.t, err)
	if out != nil && resp.StatusCode < http.StatusMultipleChoices {
		must(s.t, json.Unmarshal(text, out))
	}
	return resp.StatusCode, string(text)
}

// do is send for what has to be done.
func (s *site) do(token, method, path string, body, out any) {
	s.t.Helper()
	if status, text := s.send(token, method, path, body, out); status >= http.StatusMultipleChoices {
		s.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
}
