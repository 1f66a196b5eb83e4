package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mooring/cmd/mooring/code"
	"mooring/cmd/mooring/process"
)

// signIn runs login with a token on stdin.
func signIn(t *testing.T, server, token string) (code int, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), []string{"login", "--token", "--server", server}, strings.NewReader(token), &out, &err, environment())
	if out.Len() > 0 {
		t.Errorf("stdout %q", out.String())
	}
	return code, err.String()
}

func TestLogin(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_, _ = w.Write([]byte(strings.TrimPrefix(planOf("unchanged", ""), "200 ")))
	}))
	defer server.Close()
	project := writeProject(t, sampleProject(), map[string]string{
		"project.yaml": "project: finance\nserver: " + server.URL + "\nenvironments: {dev: {deployment: 1}}\n",
	})
	plan := func() int {
		var out, err bytes.Buffer
		return run(t.Context(), []string{"plan", project}, nil, &out, &err, environment())
	}
	kept := filepath.Join(home, "mooring", "tokens.json")

	for token, status := range map[string]int{"": process.ExitUsage, "wrong\n": process.ExitDenied} {
		if code, stderr := signIn(t, server.URL, token); code != status {
			t.Errorf("login with %q: %d, %s", token, code, stderr)
		}
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("a token that the server refuses was kept")
	}
	if status := plan(); status != process.ExitDenied {
		t.Errorf("plan before login: %d", status)
	}
	code, stderr := signIn(t, server.URL+"/", "right\n")
	info, err := os.Stat(kept)
	if code != process.ExitDone || err != nil || info.Mode().Perm() != 0o600 || strings.Contains(stderr, "right") {
		t.Fatalf("login: %d, %v, %v, %s", code, info, err, stderr)
	}
	if status := plan(); status != process.ExitDone {
		t.Errorf("plan after login: %d", status)
	}
}

// A project that names no server is planned on the one that login signed in to last.
func TestLoginCarriesItsServer(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	asked := map[string]int{}
	answering := func(name string) *httptest.Server {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				asked[name]++
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.TrimPrefix(planOf("unchanged", ""), "200 ")))
		}))
		t.Cleanup(server.Close)
		return server
	}
	first, second := answering("first"), answering("second")
	nameless := writeProject(t, sampleProject())
	naming := writeProject(t, sampleProject(), map[string]string{
		"project.yaml": "project: finance\nserver: " + first.URL + "\nenvironments: {dev: {deployment: 1, roles: {viewers: 12}}}\n",
	})
	plan := func(project string, env ...string) (int, string) {
		var out, err bytes.Buffer
		return run(t.Context(), []string{"plan", project}, nil, &out, &err, environment(env...)), err.String()
	}
	if status, stderr := plan(nameless); status != process.ExitUsage || !strings.Contains(stderr, "sign in with mooring login --server URL") {
		t.Errorf("before any login: %d, %s", status, stderr)
	}
	for _, step := range []struct {
		login   *httptest.Server
		project string
		env     []string
		want    string
	}{
		{login: first, project: nameless, want: "first"},
		{login: second, project: nameless, want: "second"},
		{project: naming, want: "first"},
		{project: nameless, env: []string{"MOORING_SERVER", first.URL}, want: "first"},
		{login: first, project: nameless, want: "first"},
	} {
		if step.login != nil {
			if code, stderr := signIn(t, step.login.URL, "right\n"); code != process.ExitDone {
				t.Fatalf("login: %d, %s", code, stderr)
			}
		}
		clear(asked)
		if status, stderr := plan(step.project, step.env...); status != process.ExitDone || asked[step.want] != 1 || len(asked) != 1 {
			t.Errorf("%+v: status %d, asked %v\n%s", step, status, asked, stderr)
		}
	}
}

// lines collects what a command says, for a test that waits for a part of it.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// waitFor waits until a pattern matches, and returns its first group.
func (l *lines) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	compiled := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(patience); ; time.Sleep(poll) {
		if found := compiled.FindStringSubmatch(l.String()); found != nil {
			return found[1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s in %s", pattern, l)
		}
	}
}

// pairedLogin is a site whose user ana has approved a login, and the file that has its tokens.
func pairedLogin(t *testing.T) (s *exampleSite, file string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	s = newExampleSite(t)
	said, ended := new(lines), make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"login", "--server", s.base}, nil, io.Discard, said, environment())
	}()
	code := said.waitFor(t, `https://acme\.example\.com/console/device in a browser and approve the code ([A-Z]{4}-[A-Z]{4})\.`)
	status, body := s.send(exampleRequest{method: "POST", path: "/api/v1/device/" + code + "/approve", body: `{"deployments":[1],"actions":["ReportEdit"]}`})
	if status != http.StatusOK {
		t.Fatalf("approve: %d %s", status, body)
	}
	if got := <-ended; got != process.ExitDone || !strings.Contains(said.String(), "Signed in to "+s.base+" as ana@example.com of acme") {
		t.Fatalf("%d %s", got, said)
	}
	return s, filepath.Join(home, "mooring", "tokens.json")
}

// expire makes the kept access tokens seem to be at their end.
func expire(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, regexp.MustCompile(`"expires": "[^"]*"`).ReplaceAllString(string(text), `"expires": "2026-01-01T00:00:00Z"`))
}

func TestLoginByPairing(t *testing.T) {
	s, file := pairedLogin(t)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	command := &process.Invocation{Ctx: t.Context(), Env: environment()}
	token := func() string {
		t.Helper()
		token, err := code.TokenOf(command, s.base)
		if err != nil {
			t.Fatal(err)
		}
		s.tokens["login"] = token
		if status, body := s.send(exampleRequest{method: "GET", path: "/api/v1/me", as: "login"}); status != http.StatusOK {
			t.Errorf("%d %s", status, body)
		}
		return token
	}
	first := token()
	if again := token(); again != first {
		t.Error("a token was renewed before its end")
	}
	expire(t, file)
	var all sync.WaitGroup
	got := make([]string, 8)
	for i := range got {
		all.Go(func() { got[i], _ = code.TokenOf(command, s.base) })
	}
	all.Wait()
	for _, g := range got {
		if g == "" || g == first || g != got[0] {
			t.Errorf("commands at once have the tokens %q", got)
			break
		}
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	token()

	var me struct{ DeviceID string }
	_, body := s.send(exampleRequest{method: "GET", path: "/api/v1/me", as: "login"})
	if err := json.Unmarshal(body, &me); err != nil || me.DeviceID == "" {
		t.Fatalf("%v, %s", err, body)
	}
	if status, body := s.send(exampleRequest{method: "DELETE", path: "/api/v1/devices/" + me.DeviceID}); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	expire(t, file)
	_, err := code.TokenOf(command, s.base)
	if denied, ok := errors.AsType[*process.ExitError](err); !ok || denied.Status != process.ExitDenied || !strings.Contains(err.Error(), "signed out of "+s.base) {
		t.Errorf("after the device was signed out: %v", err)
	}
}

// An answer that was lost does not sign the machine out: the next command is given the same successor.
func TestARenewalWhoseAnswerIsLost(t *testing.T) {
	s, file := pairedLogin(t)
	expire(t, file)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	command := &process.Invocation{Ctx: t.Context(), Env: environment()}
	for range 2 {
		writeFile(t, file, string(before))
		if _, err := code.TokenOf(command, s.base); err != nil {
			t.Error(err)
		}
	}
}

func TestLoginsThatEnd(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for name, tt := range map[string]struct {
		codes, tokens string
		status        int
		says          string
	}{
		"denied":          {`200 {"device_code":"d","user_code":"BCDF-GHJK","interval":0,"expires_in":60}`, `400 {"error":"access_denied","error_description":"x"}`, process.ExitDenied, "the code was denied"},
		"expired":         {`200 {"device_code":"d","user_code":"BCDF-GHJK","interval":0,"expires_in":60}`, `400 {"error":"expired_token","error_description":"The code has expired."}`, process.ExitFailed, "The code has expired."},
		"not in time":     {`200 {"device_code":"d","user_code":"BCDF-GHJK","interval":0,"expires_in":2}`, `400 {"error":"authorization_pending","error_description":"x"}`, process.ExitFailed, "nobody has approved the code in time"},
		"an older server": {`404 {"message":"There is nothing at this path.","code":"no_route"}`, "", process.ExitFailed, "mooring login --token"},
		"another server":  {`200 "hello"`, "", process.ExitFailed, "not"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer := tt.codes
				if strings.HasSuffix(r.URL.Path, "/token") {
					answer = tt.tokens
				}
				status, body, _ := strings.Cut(answer, " ")
				w.Header().Set("Content-Type", "application/json")
				code, _ := strconv.Atoi(status)
				w.WriteHeader(code)
				_, _ = io.WriteString(w, body)
			}))
			defer server.Close()
			var err bytes.Buffer
			if status := run(t.Context(), []string{"login", "--server", server.URL}, nil, io.Discard, &err, environment()); status != tt.status || !strings.Contains(err.String(), tt.says) {
				t.Errorf("%d %s", status, err.String())
			}
		})
	}
}

// What versions before pairing have kept is read.
func TestKeptTokens(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	if err := os.Mkdir(filepath.Join(home, "mooring"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, "mooring", "tokens.json"), `{"https://a.example.com": "old", "https://b.example.com": {"access": "new"}}`)
	command := &process.Invocation{Ctx: t.Context(), Env: environment()}
	for server, want := range map[string]string{"https://a.example.com": "old", "https://b.example.com": "new"} {
		if got, err := code.TokenOf(command, server); got != want || err != nil {
			t.Errorf("%s: %q, %v", server, got, err)
		}
	}
}
