//go:build unix

package waiting

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"

	"mooring/cmd/mooring/programtest"
)

// patience bounds every wait for something that must come.
const patience = programtest.Patience

func TestMain(m *testing.M) {
	code := m.Run()
	programtest.Remove()
	os.Exit(code)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// key makes a token with the command.
func (s *site) key(flags ...string) string {
	s.t.Helper()
	return programtest.Key(s.t, s.config, flags...)
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
