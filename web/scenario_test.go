package web

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/auth"
)

// step is one request of a scenario and what must come back. Texts may hold {{name}}: what an earlier step kept.
type step struct {
	name   string
	method string
	path   string // below /api/v1/deployments/1 unless it begins with /api or two slashes
	as     string // who sends it, see tokens of newAPI; empty: "editor"
	header map[string]string
	body   string

	status int
	holds  string            // JSON: every member must be in the answer with that value; arrays are compared element by element
	says   []string          // parts of the answer's text
	result string            // X-Mooring-Result; empty: any
	lacks  []string          // top-level keys that the answer must not have
	keep   map[string]string // name -> top-level key of the answer to keep under it
}

// api is a server under test with tokens for several kinds of callers.
type api struct {
	server *Server
	sut    http.Handler // the server's handler, its answers held to the OpenAPI document
	store  *storage.Store
	keys   *auth.Keyring
	tokens map[string]string
	vars   map[string]string
}

// each runs test against a server on the embedded storage and on a real Redis.
func each(t *testing.T, test func(t *testing.T, a *api)) {
	t.Helper()
	storagetest.Each(t, func(t *testing.T, s *storage.Store) { test(t, newAPI(t, s)) })
}

// onEmbedded runs test against a server on the embedded storage, for what does not depend on storage.
func onEmbedded(t *testing.T, change ...func(*Config)) *api {
	t.Helper()
	return newAPI(t, storagetest.Open(t, "embedded"), change...)
}

// secret is the key of the tests' servers.
var secret = []byte("an HS256 secret of at least 32 bytes")

func newAPI(t testing.TB, s *storage.Store, change ...func(*Config)) *api {
	t.Helper()
	keys, err := auth.NewKeyring("mooring", []auth.TokenKey{{ID: "main", Algorithm: "HS256", Secret: secret}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Rules: Rules{Keys: keys}, Store: s, Log: slog.New(slog.DiscardHandler),
		Tenants: map[string]Tenant{
			"acme":  {Hosts: []string{"acme.example.com"}, Deployments: []int64{1, 2}},
			"other": {Deployments: []int64{1}},
		},
	}
	for _, f := range change {
		f(&cfg)
	}
	a := &api{server: New(cfg), store: s, keys: keys, vars: map[string]string{}, tokens: map[string]string{}}
	a.sut = described(t, a.server.Handler())
	for name, c := range map[string]auth.Caller{
		"editor":   {Tenant: "acme", Actor: record.Actor{ID: 1, Email: "ed@acme.example", Name: "Ed", Actions: []string{"ReportEdit", "WorkbookEdit"}}},
		"editor2":  {Tenant: "acme", Actor: record.Actor{ID: 2, Actions: []string{"ReportEdit", "WorkbookEdit"}}},
		"viewer":   {Tenant: "acme", Actor: record.Actor{ID: 3, Actions: []string{"ReportRead", "WorkbookRead"}}},
		"manager":  {Tenant: "acme", Actor: record.Actor{ID: 4, Actions: []string{"ReportManage", "WorkbookManage"}}},
		"stranger": {Tenant: "acme", Actor: record.Actor{ID: 5}},
		"role7":    {Tenant: "acme", Actor: record.Actor{ID: 6, Roles: []int64{7}}},
		"reports":  {Tenant: "acme", Actor: record.Actor{ID: 8, Actions: []string{"ReportManage"}}},
		"admin":    {Tenant: "acme", Actor: record.Actor{ID: 9, Actions: []string{"All"}}},
		"only2":    {Tenant: "acme", Deployments: []int64{2}, Actor: record.Actor{ID: 1, Actions: []string{"All"}}},
		"foreign":  {Tenant: "other", Actor: record.Actor{ID: 1, Actions: []string{"All"}}},
	} {
		a.tokens[name] = a.token(t, c)
	}
	return a
}

func (a *api) token(t testing.TB, c auth.Caller) string {
	t.Helper()
	token, _, err := a.keys.Sign(c, a.server.now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// run plays a scenario. Each step is a sub-test named after the fact it proves.
func (a *api) run(t *testing.T, steps []step) {
	t.Helper()
	for _, s := range steps {
		ok := t.Run(s.name, func(t *testing.T) {
			t.Helper()
			a.check(t, s, a.send(s))
		})
		if !ok {
			return // later steps build on this one
		}
	}
}

// send sends the request of a step.
func (a *api) send(s step) *httptest.ResponseRecorder {
	path := a.fill(s.path)
	if !strings.HasPrefix(path, "/api") && !strings.HasPrefix(path, "//") {
		path = "/api/v1/deployments/1" + path
	}
	r := httptest.NewRequest(s.method, strings.Replace(path, "//", "/", 1), strings.NewReader(a.fill(s.body)))
	r.Host = "localhost"
	if s.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	as := s.as
	if as == "" {
		as = "editor"
	}
	if token := a.tokens[as]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for name, v := range s.header {
		r.Header.Set(name, a.fill(v))
		if name == "Host" {
			r.Host = v
		}
	}
	w := httptest.NewRecorder()
	a.sut.ServeHTTP(w, r)
	return w
}

func (a *api) fill(text string) string {
	for name, v := range a.vars {
		text = strings.ReplaceAll(text, "{{"+name+"}}", v)
	}
	return text
}

// check compares an answer with what its step says and keeps what it names.
func (a *api) check(t *testing.T, s step, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != s.status {
		t.Fatalf("status %d, want %d: %s", w.Code, s.status, w.Body)
	}
	if got := w.Header().Get("X-Mooring-Result"); s.result != "" && got != s.result {
		t.Fatalf("X-Mooring-Result %q, want %q", got, s.result)
	}
	var got any
	if w.Body.Len() > 0 && strings.Contains(w.Header().Get("Content-Type"), "json") {
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatalf("not JSON: %v: %s", err, w.Body)
		}
	}
	if s.holds != "" {
		var want any
		if err := json.Unmarshal([]byte(a.fill(s.holds)), &want); err != nil {
			t.Fatalf("holds: %v", err)
		}
		if diff := cmp.Diff(want, projected(want, got)); diff != "" {
			t.Fatalf("answer (-want +got):\n%s\nwhole answer: %s", diff, w.Body)
		}
	}
	for _, text := range s.says {
		if !strings.Contains(w.Body.String(), a.fill(text)) {
			t.Fatalf("the answer does not say %q: %s", a.fill(text), w.Body)
		}
	}
	object, _ := got.(map[string]any)
	for _, name := range s.lacks {
		if v, has := object[name]; has {
			t.Fatalf("the answer has %s: %v", name, v)
		}
	}
	for name, key := range s.keep {
		if key == "ETag" {
			a.vars[name] = w.Header().Get("ETag")
			continue
		}
		a.vars[name] = rendered(object[key])
	}
}

// projected is got reduced to the members that want has.
func projected(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return got
		}
		part := map[string]any{}
		for name := range maps.Keys(want) {
			if v, has := object[name]; has {
				part[name] = projected(want[name], v)
			}
		}
		return part
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return got
		}
		part := make([]any, len(list))
		for i := range list {
			part[i] = projected(want[i], list[i])
		}
		return part
	}
	return got
}

func rendered(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return fmt.Sprintf("%.0f", v)
	}
	text, _ := json.Marshal(v)
	return string(text)
}
