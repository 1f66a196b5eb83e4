package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mooring/cmd/mooring/process"
	"mooring/storage/storagetest"
)

// manifestsServer is a server of a manifest for an address of people's.
type manifestsServer struct {
	*program
	base string
}

func serveManifest(t *testing.T, redis, publicURL string) *manifestsServer {
	t.Helper()
	config := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, config, `
listen: 127.0.0.1:0
redis: `+redis+`
publicURL: `+publicURL+`
addin: {csp: {connect-src: ["https://telemetry.example.com"]}}
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants: {acme: {deployments: {1: {}}}}
`)
	return &manifestsServer{program: start(t, "serve", "--config", config)}
}

// get returns an answer, from when the server serves.
func (s *manifestsServer) get(path string) (http.Header, string) {
	s.t.Helper()
	s.base = "http://" + regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(s.waitFor("msg=serving"))[1]
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d %s %v", path, resp.StatusCode, text, err)
	}
	return resp.Header, string(text)
}

func (s *manifestsServer) wantVersion(want string) {
	s.t.Helper()
	_, text := s.get("/addin/manifest.xml")
	if got := regexp.MustCompile(`<Version>(.*)</Version>`).FindStringSubmatch(text); len(got) < 2 || got[1] != want {
		s.t.Errorf("version %q, want %s", got, want)
	}
}

// The manifest has one version on all servers of a store, which grows when the settings change.
func TestManifestsOfServersAgree(t *testing.T) {
	t.Parallel()
	redis := storagetest.Redis(t)
	const before, after = "https://a.example.com", "https://b.example.com"
	one, other := serveManifest(t, redis, before), serveManifest(t, redis, before) // at once
	one.wantVersion("1.1.1.0")
	other.wantVersion("1.1.1.0")
	if _, text := one.get("/addin/manifest.xml"); !strings.Contains(text, "<TaskpaneId>Office.AutoShowTaskpaneWithDocument</TaskpaneId>") {
		t.Errorf("no pane that opens with a workbook in %s", text)
	}
	h, _ := one.get("/addin/")
	for _, part := range []string{"connect-src 'self' https://telemetry.example.com;", " https://*.cloud.microsoft"} {
		if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy, part) {
			t.Errorf("no %s in the pane's policy: %s", part, policy)
		}
	}
	one.terminate()
	one = serveManifest(t, redis, after)
	one.wantVersion("1.1.2.0")
	other.wantVersion("1.1.1.0") // still the older manifest
	other.terminate()
	other = serveManifest(t, redis, after)
	other.wantVersion("1.1.2.0")
	one.wantVersion("1.1.2.0")
}

// The script for Google Sheets is written with the server's address, and the project that clasp uploads to stays.
func TestAddinGoogle(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "addin")
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	runs := func(want string, args ...string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), build(t), append([]string{"addin", "google", "--out", dir}, args...)...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%v: %s", err, out)
		}
	}
	runs("write its script id into "+filepath.Join(dir, ".clasp.json"), "--server", "https://mooring.example.org/m/")
	code := read("Code.js")
	if !strings.Contains(code, "\nconst SERVER = \"https://mooring.example.org/m\";") || strings.Contains(code, "example.com") {
		t.Errorf("the address is missing in %.600s", code)
	}
	for name, want := range map[string]string{
		"Code.js": "createAddonMenu()", "sidebar.html": "<?= server ?>", "appsscript.json": "spreadsheets.currentonly", ".clasp.json": `"scriptId": ""`,
	} {
		if text := read(name); !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, name)
		}
	}
	writeFile(t, filepath.Join(dir, ".clasp.json"), `{"scriptId": "1abc", "rootDir": "src", "parentId": ["2def"]}`)
	config := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, config, `
publicURL: https://public.example.com
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants: {acme: {deployments: {1: {}}}}
`)
	runs("then: clasp push", "--config", config)
	want := "{\n  \"parentId\": [\n    \"2def\"\n  ],\n  \"rootDir\": \".\",\n  \"scriptId\": \"1abc\"\n}\n"
	if got := read(".clasp.json"); got != want {
		t.Errorf("clasp's file: %s", got)
	}
	if code := read("Code.js"); !strings.Contains(code, `const SERVER = "https://public.example.com";`) {
		t.Errorf("not publicURL in %.600s", code)
	}
}

func TestAddinGoogleRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "mooring.yaml")
	writeFile(t, config, `
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants: {acme: {deployments: {1: {}}}}
`)
	clasp := filepath.Join(dir, "broken", ".clasp.json")
	if err := os.Mkdir(filepath.Dir(clasp), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, clasp, "{")
	null := filepath.Join(dir, "null", ".clasp.json")
	if err := os.Mkdir(filepath.Dir(null), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, null, "null")
	for _, tt := range []struct {
		name, want string
		status     int
		args       []string
	}{
		{"no folder", "--out", process.ExitUsage, []string{"--server", "https://a.example.com"}},
		{"no address", "--server ADDRESS, or set publicURL", process.ExitUsage, []string{"--out", dir, "--config", config}},
		{"http", "expected an https address", process.ExitFailed, []string{"--out", dir, "--server", "http://a.example.com"}},
		{"a query", "expected an https address", process.ExitFailed, []string{"--out", dir, "--server", "https://a.example.com/?a"}},
		{"clasp's file of another form", clasp, process.ExitFailed, []string{"--out", filepath.Dir(clasp), "--server", "https://a.example.com"}},
		{"clasp's file without an object", null + " is not as clasp writes it: mend or remove it: it is null, not an object\n", process.ExitFailed, []string{"--out", filepath.Dir(null), "--server", "https://a.example.com"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, stderr := mooring(t, append([]string{"addin", "google"}, tt.args...)...)
			if status != tt.status || !strings.Contains(stderr, tt.want) {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "Code.js")); err == nil {
		t.Error("something was written")
	}
}

// A policy that lets in what it must not is named with its place.
func TestCheckNamesAPolicyThatIsTooWide(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), "mooring.yaml")
	writeFile(t, config, `
addin:
  csp:
    img-src: ["data:"]
    script-src: ["https://cdn.example.com", "'unsafe-eval'"]
signing: {keys: [{id: main, algorithm: HS256, secret: "0123456789abcdef0123456789abcdef"}]}
tenants: {acme: {deployments: {1: {}}}}
`)
	out, err := exec.CommandContext(t.Context(), build(t), "check", "--config", config).CombinedOutput()
	if want := "mooring.yaml:5:45: addin.csp: script-src takes origins only: \"'unsafe-eval'\" is no origin"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: got %s, want %s", err, out, want)
	}
}
