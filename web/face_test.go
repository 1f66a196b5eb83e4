package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"mooring/web/face"
)

// The page of a face is asked for anew each time; what it leads to never changes. All of it is safe from pages of others.
func TestFaces(t *testing.T) {
	a := onEmbedded(t, func(c *Config) { c.FrameAncestors = []string{"https://sheets.example.com"} })
	a.tokens["nobody"] = ""
	get := func(path string, header map[string]string) (int, http.Header, string) {
		w := a.send(step{method: "GET", path: "/" + path, as: "nobody", header: header})
		return w.Code, w.Header(), w.Body.String()
	}
	base := regexp.MustCompile(`<base href="([0-9a-f]{16})/">`)
	for name, ancestors := range map[string]string{
		"addin": "frame-ancestors 'self' https://sheets.example.com", "console": "frame-ancestors 'none'",
	} {
		code, h, body := get("/"+name+"/", nil)
		found := base.FindStringSubmatch(body)
		if code != http.StatusOK || found == nil || h.Get("Cache-Control") != "no-cache" || h.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Fatalf("%s: %d %v %s", name, code, h, body)
		}
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "connect-src 'self'", ancestors} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy lacks %s: %s", name, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "https://appsforoffice.microsoft.com") != (name == "addin") {
			t.Errorf("%s: %s", name, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: %v", name, h)
		}
		if code, _, body := get("/"+name+"/", map[string]string{"If-None-Match": h.Get("ETag")}); code != http.StatusNotModified || body != "" {
			t.Errorf("%s again: %d %s", name, code, body)
		}
		below := "/" + name + "/" + found[1]
		code, h, _ = get(below+"/ui/style.css", nil)
		if code != http.StatusOK || !strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("Content-Type") != "text/css; charset=utf-8" {
			t.Errorf("%s: %d %v", below, code, h)
		}
		for _, path := range []string{
			"/" + name + "/none", "/" + name + "/index", "/" + name + "/0123456789abcdef/ui/style.css", below, below + "/", below + "/ui", below + "/none.mjs",
			below + "/addin/mooring.test.mjs", below + "/../../doc.go", below + "/addin/..%2f..%2fdoc.go", "/ui/style.css",
		} {
			if code, h, _ := get(path, nil); code != http.StatusNotFound || !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
				t.Errorf("%s: %d %v", path, code, h)
			}
		}
	}
	if code, _, _ := get("/demo/", nil); code != http.StatusNotFound {
		t.Errorf("without a demo, /demo/ is %d", code)
	}
}

// What people copy into a Google Sheet is text, at an address that stays.
func TestTheScriptForGoogleSheetsCanBeCopied(t *testing.T) {
	a := onEmbedded(t)
	for name, code := range map[string]int{"Code.js": 200, "sidebar.html": 200, "appsscript.json": 200, "tsconfig.json": 404, "../port.mjs": 404} {
		w := a.send(step{method: "GET", path: "//addin/apps-script/" + name})
		text := strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") && w.Header().Get("Cache-Control") == "no-cache"
		if w.Code != code || text != (code == http.StatusOK) {
			t.Errorf("%s: %d %v", name, w.Code, w.Header())
		}
	}
}

func TestFacesArePacked(t *testing.T) {
	a := onEmbedded(t)
	plain := a.send(step{method: "GET", path: "//addin/"}).Body.String()
	for _, tt := range []struct{ accepted, coding string }{
		{"gzip, deflate, br, zstd", "br"},
		{"gzip, deflate", "gzip"},
		{"gzip, br;q=0", "gzip"},
		{"identity", ""},
	} {
		w := a.send(step{method: "GET", path: "//addin/", header: map[string]string{"Accept-Encoding": tt.accepted}})
		var text io.Reader = w.Body
		switch tt.coding {
		case "br":
			text = brotli.NewReader(w.Body)
		case "gzip":
			var err error
			if text, err = gzip.NewReader(w.Body); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(text)
		if err != nil || string(got) != plain || w.Header().Get("Content-Encoding") != tt.coding || w.Header().Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %v, %v, %q, want %q", tt.accepted, err, w.Header(), got, plain)
		}
	}
}

func TestTheDemoHasItsPageAndActions(t *testing.T) {
	a := onEmbedded(t, func(c *Config) {
		c.Demo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Method+" "+r.URL.Path) })
	})
	if w := a.send(step{method: "GET", path: "//demo/"}); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<base href=") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := a.send(step{method: "POST", path: "//demo/actions/sort"}); w.Body.String() != "POST /demo/actions/sort" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// Every address of the manifest answers.
func TestTheManifestsAddresses(t *testing.T) {
	const public = "https://mooring.example.com"
	a := onEmbedded(t, func(c *Config) { c.PublicURL = public })
	a.tokens["nobody"] = ""
	w := a.send(step{method: "GET", path: "//addin/manifest.xml", as: "nobody"})
	addresses := regexp.MustCompile(`"`+public+`(/[^"?]*)`).FindAllStringSubmatch(w.Body.String(), -1)
	if w.Code != http.StatusOK || len(addresses) < 8 {
		t.Fatalf("%d, %d addresses", w.Code, len(addresses))
	}
	for _, address := range addresses {
		if got := a.send(step{method: "GET", path: "/" + address[1], as: "nobody"}); got.Code != http.StatusOK || got.Body.Len() == 0 {
			t.Errorf("%s: %d", address[1], got.Code)
		}
	}
	if w := onEmbedded(t).send(step{method: "GET", path: "//addin/manifest.xml"}); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "no_public_url") {
		t.Errorf("without publicURL: %d %s", w.Code, w.Body)
	}
}

// What one host loads of the task pane for any one of its screens and what is mostly done there, with what it is packed as. A screen is
// loaded when it is asked for, and so are its parts.
func TestThePaneIsSmallInEachHost(t *testing.T) {
	const most = 40_000
	tree, err := faceTree()
	if err != nil {
		t.Fatal(err)
	}
	site := face.New(tree, face.Config{})
	address := regexp.MustCompile(`(?:from|import|import\(|href=|src=)\s*"([^"]+\.(?:mjs|css|svg))"`)
	ports := []string{"addin/excel/excel.mjs", "addin/sheets/sheets.mjs", "addin/demo/demo.mjs", "addin/none.mjs"}
	screens := []string{"addin/block.mjs", "addin/place.mjs", "addin/signin.mjs"}
	parts := []string{ // each when it is asked for
		"addin/room.mjs", "addin/report.mjs", "addin/options.mjs", "addin/unlink.mjs", "addin/target.mjs", "addin/edits.mjs", "addin/changes.mjs", "addin/timing.mjs",
		"addin/asking.mjs", "addin/values.mjs", "addin/following.mjs", "addin/cells.mjs",
		"addin/parameters.mjs", "addin/excel/parameters.mjs", "addin/sheets/parameters.mjs",
		"addin/copy.mjs", "builder/builder.mjs",
	}
	others := slices.Concat(ports, screens, parts)
	for _, host := range ports[:2] {
		for _, screen := range screens {
			page, _ := site.Page("addin", "")
			bytes, files := len(page.Brotli()), 1
			seen := map[string]bool{}
			var load func(from string, text []byte)
			load = func(from string, text []byte) {
				for _, m := range address.FindAllSubmatch(text, -1) {
					name := path.Join(path.Dir(from), string(m[1]))
					if seen[name] || slices.Contains(others, name) && name != host && name != screen {
						continue
					}
					seen[name] = true
					f, ok := site.File("addin", site.Hash, name)
					if !ok {
						t.Fatalf("%s names %s, which is not there", from, name)
					}
					bytes, files = bytes+len(f.Brotli()), files+1
					load(name, f.Text)
				}
			}
			load("index.html", page.Text)
			if !seen[host] || !seen[screen] || !seen["addin/runs.mjs"] || bytes > most {
				t.Errorf("%s with %s: %d files of %d bytes packed; %d are allowed", host, screen, files, bytes, most)
			}
			t.Logf("%s with %s: %d files, %d bytes packed", host, screen, files, bytes)
		}
	}
}
