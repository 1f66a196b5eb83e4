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
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"mooring/web/docs"
)

// contract is the OpenAPI document, read once, as every answer of the test suite is held to it.
var contract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openAPI)
	if err != nil {
		return nil, err
	}
	for _, schema := range doc.Components.Schemas {
		closed(schema, map[*openapi3.SchemaRef]bool{})
	}
	return doc, nil
})

// closed makes objects that do not say otherwise refuse keys that the document does not name: what comes back must all be described.
func closed(s *openapi3.SchemaRef, seen map[*openapi3.SchemaRef]bool) {
	if s == nil || s.Value == nil || seen[s] {
		return
	}
	seen[s] = true
	if len(s.Value.Properties) > 0 && s.Value.AdditionalProperties.Has == nil && s.Value.AdditionalProperties.Schema == nil {
		no := false
		s.Value.AdditionalProperties.Has = &no
	}
	for _, p := range s.Value.Properties {
		closed(p, seen)
	}
	closed(s.Value.Items, seen)
	for _, p := range s.Value.AnyOf {
		closed(p, seen)
	}
}

// asOpenAPI30 selects kin-openapi's own validator. The one that it uses for OpenAPI 3.1 compiles a schema anew for each answer, and then
// leaves every schema with references, which bodies are, to its own one. TestTheDocumentIsValidOpenAPI keeps to keywords that both check.
var asOpenAPI30 = &openapi3.T{OpenAPI: "3.0.3"}

// described wraps a handler: each answer of one of the routes must be as the document says, and so must the body of each request that
// was accepted.
func described(t testing.TB, next http.Handler) http.Handler {
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if route, params := operationOf(doc, r); route != nil {
			checkAnswer(t, route, params, r, body, rec)
		}
		for name, v := range rec.Header() {
			w.Header()[name] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	})
}

func checkAnswer(t testing.TB, route *routers.Route, params map[string]string, r *http.Request, body []byte, rec *httptest.ResponseRecorder) {
	t.Helper()
	options := &openapi3filter.Options{
		ExcludeResponseBody:   !strings.Contains(rec.Header().Get("Content-Type"), "json"), // kin-openapi reads no HTML
		IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
	}
	in := &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route, QueryParams: r.URL.Query(), Options: options}
	err := openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: rec.Code, Header: rec.Header(), Body: io.NopCloser(bytes.NewReader(rec.Body.Bytes())), Options: options,
	})
	if err != nil {
		t.Errorf("%s %s: the answer %d is not as described: %v\n%s", r.Method, r.URL, rec.Code, err, clipped(rec.Body.String()))
	}
	if rec.Code >= 300 || len(body) == 0 {
		return
	}
	if err := openapi3filter.ValidateRequestBody(r.Context(), in, route.Operation.RequestBody.Value); err != nil {
		t.Errorf("%s %s: an accepted body is not as described: %v\n%s", r.Method, r.URL, err, clipped(string(body)))
	}
}

// operationOf finds the operation of a request; fixed segments win over parameters, as in gin.
func operationOf(doc *openapi3.T, r *http.Request) (*routers.Route, map[string]string) {
	var best string
	var bestParams map[string]string
	for path, item := range doc.Paths.Map() {
		params, ok := matchPath(path, r.URL.EscapedPath())
		if ok && item.GetOperation(r.Method) != nil && (best == "" || len(params) < len(bestParams)) {
			best, bestParams = path, params
		}
	}
	if best == "" {
		return nil, nil
	}
	item := doc.Paths.Value(best)
	return &routers.Route{Spec: asOpenAPI30, Path: best, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method)}, bestParams
}

func matchPath(pattern, path string) (map[string]string, bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	params := map[string]string{}
	for i, segment := range want {
		if name, is := strings.CutPrefix(segment, "{"); is {
			params[strings.TrimSuffix(name, "}")] = got[i]
		} else if segment != got[i] {
			return nil, false
		}
	}
	return params, true
}

func TestTheDocumentIsValidOpenAPI(t *testing.T) {
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
		t.Errorf("answers would not be held to %s: see asOpenAPI30", keyword)
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
		segments := strings.Split(r.path, "/")
		for i, s := range segments {
			if name, is := strings.CutPrefix(s, ":"); is {
				segments[i] = "{" + name + "}"
			}
		}
		path := strings.Join(segments, "/")
		served = append(served, r.method+" "+path)
		if r.scope == open != (doc.Paths.Value(path) != nil && doc.Paths.Value(path).GetOperation(r.method) != nil && doc.Paths.Value(path).GetOperation(r.method).Security != nil) {
			t.Errorf("%s %s: the document and the routes disagree on whether a token is needed", r.method, path)
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
	chromium, err := exec.LookPath("chromium")
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

func clipped(text string) string { return text[:min(len(text), 2000)] }
