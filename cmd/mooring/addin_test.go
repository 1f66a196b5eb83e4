package main

import (
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mooring/storage/storagetest"
)

// manifestsServer is a server of a manifest for an address of people's.
type manifestsServer struct {
	*process
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
	return &manifestsServer{process: start(t, "serve", "--config", config)}
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
