package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"mooring/cmd/mooring/demo"
)

// The token stands in no address that a server or a log sees, and leaves the address bar.
func TestDemoPageKeepsItsToken(t *testing.T) {
	t.Parallel()
	d := startDemoPage(t)
	token := tokenOf(d.p)
	if at := evalAs[string](d.page, "location.href"); strings.Contains(at, "#") || strings.Contains(d.url, token) {
		t.Errorf("the address is %s, and was %s", at, d.url)
	}
	if n := strings.Count(d.p.out.String(), token); n != 1 { // for curl
		t.Errorf("the token is printed %d times", n)
	}
}

// The printed link signs one browser in, to the sheet and to the console; another learns what to do.
func TestDemoLinkSignsInOnce(t *testing.T) {
	t.Parallel()
	d := startDemoPage(t)
	d.do(chromedp.Navigate(strings.Split(d.url, "/demo/")[0] + "/console/"))
	d.shows("Needs you")
	d.open() // the browser stays signed in

	other := newPage(t)
	other.size(1280, 800)
	other.do(chromedp.Navigate(d.url))
	other.shows("This link has signed a browser in before")
	other.allow("401")
	other.do(chromedp.Navigate(strings.Split(d.url, "/demo/")[0] + "/console/"))
	other.shows("the link that “mooring demo” printed signs you in, once")
	other.fill("Key", tokenOf(d.p))
	other.click("Sign in")
	other.shows("Needs you")
}

// A link is opened once, by a page of the demo's on this machine; what is no link opens nothing.
func TestDemoLink(t *testing.T) {
	t.Parallel()
	p, _, url := startDemo(t)
	server, code, _ := strings.Cut(url, "/demo/#enter=")
	token := tokenOf(p)
	enter := func(host, origin, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server+"/demo/actions/enter", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			r.Host = host
		}
		r.Header.Set("Origin", origin)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	asked := `{"code":"` + code + `"}`
	for _, tt := range []struct {
		name, host, origin, body string
		status                   int
		opened                   bool
	}{
		{"by a name that resolves to this machine", "evil.example.com", "http://evil.example.com", asked, http.StatusForbidden, false},
		{"by an address of the network", "192.168.1.5:8080", "http://192.168.1.5:8080", asked, http.StatusForbidden, false},
		{"from a page of another origin", "", "http://evil.example.com", asked, http.StatusForbidden, false},
		{"with another code", "", server, `{"code":"` + strings.Repeat("A", len(code)) + `"}`, http.StatusOK, false},
		{"with no code", "", server, `{"code":""}`, http.StatusOK, false},
		{"with no JSON", "", server, code, http.StatusBadRequest, false},
		{"the link", "", server, asked, http.StatusOK, true},
		{"the link again", "", server, asked, http.StatusOK, false},
	} {
		status, text := enter(tt.host, tt.origin, tt.body)
		if status != tt.status || strings.Contains(text, token) != tt.opened {
			t.Errorf("%s: %d %.60s", tt.name, status, text)
		}
	}
}

// The actions answer the demo's own page on this machine only.
func TestDemoActionsRefuse(t *testing.T) {
	t.Parallel()
	p, _, url := startDemo(t)
	server, token := strings.Split(url, "/demo/")[0], tokenOf(p)
	tests := []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"the page itself", func(*http.Request) {}, http.StatusOK},
		{"by the name localhost", func(r *http.Request) { r.Host = "localhost:1" }, http.StatusOK},
		{"without a token", func(r *http.Request) { r.Header.Del("Authorization") }, http.StatusForbidden},
		{"with another token", func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, http.StatusForbidden},
		{"by a name that resolves to this machine", func(r *http.Request) { r.Host = "evil.example.com" }, http.StatusForbidden},
		{"by an address of the network", func(r *http.Request) { r.Host = "192.168.1.5:8080" }, http.StatusForbidden},
		{"from a page of another origin", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example.com") }, http.StatusForbidden},
		{"from another site", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"from another port", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }, http.StatusForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/demo/actions/state", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			tt.change(r)
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if text, _ := io.ReadAll(answer.Body); answer.StatusCode != tt.status {
				t.Errorf("status %d, want %d: %s", answer.StatusCode, tt.status, text)
			}
		})
	}
}

// tagOf is the ETag of a file.
func tagOf(content []byte) string { return fmt.Sprintf("\"%x\"", sha256.Sum256(content)) }

// A file is saved only whole, only as a workbook, and only over the state that was read.
func TestDemoActionsSave(t *testing.T) {
	t.Parallel()
	p, dir, url := startDemo(t)
	server, token := strings.Split(url, "/demo/")[0], tokenOf(p)
	ask := func(method, action, tag string, body []byte) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, server+"/demo/actions/"+action, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("If-Match", tag)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	_, text := ask(http.MethodGet, "document", "", nil)
	read, tag := []byte(text), tagOf([]byte(text))
	template, err := demo.Data.ReadFile("demodata/states.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	held := filepath.Join(dir, "sheets", "~$"+demo.Workbook)
	tests := []struct {
		name, action, tag string
		body              []byte
		status            int
		holds             string
	}{
		{"without the state that was read", "document", "", template, http.StatusPreconditionRequired, "If-Match"},
		{"what is no workbook", "document", tag, []byte("hello"), http.StatusUnprocessableEntity, "damaged"},
		{"over another state", "document", tagOf(template), append(read, 0), http.StatusOK, `{"tag":null}`},
		{"over the state that was read", "document", tag, template, http.StatusOK, tagOf(template)[1:10]},
		{"again, since the answer was lost", "document", tag, template, http.StatusOK, tagOf(template)[1:10]},
		{"while a program has it open", "document", tagOf(template), read, http.StatusOK, "is open in a spreadsheet program"},
		{"an agent that neither runs nor not", "agent", "", []byte("{}"), http.StatusBadRequest, "running"},
		{"what is no action", "reboot", "", nil, http.StatusNotFound, ""},
	}
	for _, tt := range tests {
		if strings.HasPrefix(tt.name, "while a program") {
			writeFile(t, held, "")
		}
		status, text := ask(http.MethodPost, tt.action, tt.tag, tt.body)
		if status != tt.status || !strings.Contains(text, tt.holds) {
			t.Errorf("%s: %d %s, want %d and %q", tt.name, status, text, tt.status, tt.holds)
		}
	}
}

// The address is opened in the browser if that is asked for; a browser that does not open is only said.
func TestDemoOpensTheBrowser(t *testing.T) {
	for _, tt := range []struct{ name, script, says string }{
		{"opened", "#!/bin/sh\necho \"$1\" > \"$(dirname \"$0\")/opened\"\n", ""},
		{"not opened", "#!/bin/sh\nexit 3\n", "The browser could not be opened"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bin := t.TempDir()
			if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(tt.script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			p := start(t, "demo", "--open", "--listen", "127.0.0.1:0", "--dir", t.TempDir())
			if tt.says != "" {
				p.waitFor(tt.says)
				return
			}
			opened := filepath.Join(bin, "opened")
			for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
				if text, err := os.ReadFile(opened); err == nil && strings.Contains(string(text), "/demo/#enter=") {
					return
				}
				if time.Now().After(deadline) {
					t.Fatal("the browser was not opened")
				}
			}
		})
	}
}
