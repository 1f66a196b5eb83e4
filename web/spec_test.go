package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
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
	return &routers.Route{Spec: doc, Path: best, PathItem: item, Method: r.Method, Operation: item.GetOperation(r.Method)}, bestParams
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

func TestTheDocumentIsAPageToo(t *testing.T) {
	if _, err := docsOf(openAPI); err != nil {
		t.Fatal(err)
	}
	a := onEmbedded(t)
	a.tokens["nobody"] = ""
	page := a.send(step{method: "GET", path: "/api/v1/docs", as: "nobody"}).Body.String()
	for _, want := range []string{
		"/api/v1/deployments/{deploymentId}/reports/by-public-id/{publicId}", "If-Match", `href="#schema-ReportInput"`, `id="schema-ReportInput"`, "A conflict with the present state",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, outside := range []string{"http://", "https://", "<script", "//cdn"} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
}

func clipped(text string) string { return text[:min(len(text), 2000)] }
