package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// signIn runs login with a token on stdin.
func signIn(t *testing.T, server, token string) (code int, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), []string{"login", "--server", server}, strings.NewReader(token), &out, &err, environment())
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

	for token, status := range map[string]int{"": exitUsage, "wrong\n": exitDenied} {
		if code, stderr := signIn(t, server.URL, token); code != status {
			t.Errorf("login with %q: %d, %s", token, code, stderr)
		}
	}
	if _, err := os.Stat(kept); err == nil {
		t.Error("a token that the server refuses was kept")
	}
	if status := plan(); status != exitDenied {
		t.Errorf("plan before login: %d", status)
	}
	code, stderr := signIn(t, server.URL+"/", "right\n")
	info, err := os.Stat(kept)
	if code != exitDone || err != nil || info.Mode().Perm() != 0o600 || strings.Contains(stderr, "right") {
		t.Fatalf("login: %d, %v, %v, %s", code, info, err, stderr)
	}
	if status := plan(); status != exitDone {
		t.Errorf("plan after login: %d", status)
	}
}

func TestAddressesOfServers(t *testing.T) {
	for text, want := range map[string]string{
		"https://Acme.example.com/":     "https://acme.example.com",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"https://acme.example.com/m/":   "https://acme.example.com/m",
		"acme.example.com":              "",
		"ftp://acme.example.com":        "",
		"https://me:pw@acme.example.de": "",
		"https://acme.example.com/?a=b": "",
	} {
		if got, err := serverAddress(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}
