package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
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
	w := a.send(step{method: "GET", path: "//addin/", header: map[string]string{"Accept-Encoding": "br, gzip"}})
	r, err := gzip.NewReader(w.Body)
	if err != nil || w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v %v", err, w.Header())
	}
	if text, err := io.ReadAll(r); err != nil || string(text) != plain {
		t.Errorf("%v, %q, want %q", err, text, plain)
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
