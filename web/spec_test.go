package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"mooring/web/docs"
	"mooring/web/webtest"
)

// held is the OpenAPI document, read once, as every answer of the test suite is held to it.
var held = sync.OnceValues(func() (*webtest.Contract, error) { return webtest.ReadContract(openAPI) })

// contract is the document itself.
func contract() (*openapi3.T, error) {
	c, err := held()
	if err != nil {
		return nil, err
	}
	return c.Document(), nil
}

// described wraps a handler: each of its answers must be as the document says, and so must the body of each request that was accepted.
func described(t testing.TB, next http.Handler) http.Handler {
	c, err := held()
	if err != nil {
		t.Fatal(err)
	}
	return c.Handler(next, func(fault error) { t.Error(fault) })
}

func TestTheDocumentIsValidOpenAPI(t *testing.T) {
	t.Parallel()
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi %s", doc.OpenAPI)
	}
	unchecked := regexp.MustCompile(`"(const|if|then|else|contains|prefixItems|patternProperties|propertyNames|(dependent|unevaluated)\w+|\$defs|contentSchema)":`)
	if keyword := unchecked.Find(openAPI); keyword != nil {
		t.Errorf("answers would not be held to %s: see asOpenAPI30 of webtest", keyword)
	}
}

func TestEveryRouteIsInTheDocumentAndTheOtherWayRound(t *testing.T) {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	var described, served []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	for _, r := range routes() {
		segments := strings.Split(r.Path, "/")
		for i, s := range segments {
			if name, is := strings.CutPrefix(s, ":"); is {
				segments[i] = "{" + name + "}"
			}
		}
		path := strings.Join(segments, "/")
		served = append(served, r.Method+" "+path)
		if r.Scope == open != (doc.Paths.Value(path) != nil && doc.Paths.Value(path).GetOperation(r.Method) != nil && doc.Paths.Value(path).GetOperation(r.Method).Security != nil) {
			t.Errorf("%s %s: the document and the routes disagree on whether a token is needed", r.Method, path)
		}
	}
	for _, x := range served {
		if !slices.Contains(described, x) {
			t.Errorf("%s is served but not described", x)
		}
	}
	for _, x := range described {
		if !slices.Contains(served, x) {
			t.Errorf("%s is described but not served", x)
		}
	}
}

func TestTheDocumentIsServed(t *testing.T) {
	a := onEmbedded(t)
	a.tokens["nobody"] = ""
	w := a.send(step{method: "GET", path: "/api/v1/spec", as: "nobody"})
	if w.Code != http.StatusOK || !json.Valid(w.Body.Bytes()) || !strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") {
		t.Errorf("%d %s", w.Code, w.Header())
	}
}

// Every address of the viewer and its files answers without a token, under a policy that admits nothing from elsewhere.
func TestTheViewerIsServed(t *testing.T) {
	t.Parallel()
	a := onEmbedded(t)
	a.tokens["nobody"] = ""
	address := regexp.MustCompile(`(?:href|src|data-spec)="([^"]*)"`)
	for _, page := range []string{"/docs", "/docs/api", "/api/v1/docs"} {
		w := a.send(step{method: "GET", path: "/" + page, as: "nobody"})
		if w.Code != http.StatusOK || w.Header().Get("Content-Security-Policy") != docs.Policy ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: %d %s", page, w.Code, w.Header())
		}
		base, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range address.FindAllStringSubmatch(w.Body.String(), -1) {
			to, err := base.Parse(link[1])
			if err != nil {
				t.Fatal(err)
			}
			if got := a.send(step{method: "GET", path: "/" + to.Path, as: "nobody"}); to.Host != "" || got.Code != http.StatusOK || got.Body.Len() == 0 {
				t.Errorf("%s leads to %s: %d", page, to, got.Code)
			}
		}
	}
	for _, path := range []string{"/docs/none", "/docs/assets/none.js", "/docs/assets/..%2flayout.html", "/docs/assets/oauth2-redirect.html"} {
		if w := a.send(step{method: "GET", path: "/" + path, as: "nobody"}); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

// An address with a slash too few or too many leads to its page, also below a proxy's prefix.
func TestPagesAreFoundWithOrWithoutTheirSlash(t *testing.T) {
	a := onEmbedded(t)
	for path, want := range map[string]string{"/console?signin=x": "/console/?signin=x", "/addin": "/addin/", "/docs/": "/docs"} {
		w := a.send(step{method: "GET", path: "/" + path, as: "nobody", header: map[string]string{"Accept": "text/html"}})
		for _, prefix := range []string{"", "/reports"} {
			base, err := url.Parse(prefix + path)
			if err != nil {
				t.Fatal(err)
			}
			to, err := base.Parse(w.Header().Get("Location"))
			if err != nil || w.Code != http.StatusFound || to.String() != prefix+want {
				t.Errorf("%s: %d %s, want %s", prefix+path, w.Code, to, want)
			}
		}
	}
}

// The page lists every operation without a script; a browser shows one, and neither breaks the policy nor asks another host.
func TestTheViewerShowsTheDocumentInABrowser(t *testing.T) {
	t.Parallel()
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		chromium, err = exec.LookPath("chromium")
	}
	if err != nil && os.Getenv("MOORING_TEST_REQUIRE") == "" {
		t.Skip("needs chromium")
	}
	server := httptest.NewServer(onEmbedded(t).sut)
	defer server.Close()
	cmd := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=60000", "--dump-dom", server.URL+"/docs/api#/Reports/getReport")
	var console bytes.Buffer
	cmd.Stderr = &console
	page, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &console)
	}
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(server.URL + "/docs/api")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	list, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if !bytes.Contains(list, []byte("/"+operation.OperationID+`"`)) {
				t.Errorf("%s %s is not listed", method, path)
			}
		}
	}
	if !regexp.MustCompile(`is-open" id="operations-Reports-getReport"`).Match(page) {
		t.Error("the operation that the address names is not open")
	}
	if bytes.Contains(list, []byte("swagger-ui-bundle")) {
		t.Error("the list loads the viewer before anybody asks for it")
	}
	if line := regexp.MustCompile(`.*(?:CONSOLE|Content Security Policy).*`).FindString(console.String()); line != "" {
		t.Errorf("the browser says: %s", line)
	}
}
