package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"mooring/storage/storagetest"
)

// paneSite is the built program with a real Redis, and before it a proxy that puts the tests' port in the place of the demo's and fails
// when a test says so. Its pane stands beside the document book-1 of SHEETS_A.
type paneSite struct {
	*codeSite
	proxy *httptest.Server
	away  atomic.Bool  // connections break
	busy  atomic.Int64 // how many times on it is asked who is signed in until that is answered with 503, once; 0: it never is

	manyBlocks int // of a document that stands for the proxy's only

	mu    sync.Mutex
	known map[string]any                       // what is known of where a document is; nil: agents reach it
	look  func(asked linkAsked) map[string]any // in place of that
	asked []linkAsked
}

// linkAsked is a request to have a document looked for.
type linkAsked struct {
	ID               string `json:"-"`
	Name, Nonce, URL string
}

// link answers in the place of the service, which looks for documents on its hosts. The service is asked, too, and finds no fault
// with what the pane sends.
func (s *paneSite) link(w http.ResponseWriter, r *http.Request, service http.Handler) {
	asked := linkAsked{ID: path.Base(path.Dir(r.URL.Path))}
	body, err := io.ReadAll(r.Body)
	if err := errors.Join(err, json.Unmarshal(body, &asked)); err != nil {
		s.t.Error(err)
	}
	own := httptest.NewRecorder()
	r.Body = io.NopCloser(bytes.NewReader(body))
	service.ServeHTTP(own, r)
	if own.Code == http.StatusBadRequest || own.Code == http.StatusInternalServerError {
		s.t.Errorf("the service answers %d to %s: %s", own.Code, body, own.Body)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, asked)
	answer := map[string]any{"id": asked.ID, "state": "linked", "host": "Finance", "message": "Agents refresh this workbook too (Finance)."}
	maps.Copy(answer, s.known)
	if s.look != nil {
		maps.Copy(answer, s.look(asked))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_ = json.NewEncoder(w).Encode(answer)
}

// isKnown sets what is known of where documents are.
func (s *paneSite) isKnown(known map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = known
}

// looks returns the requests to have a document looked for so far, and forgets them.
func (s *paneSite) looks() []linkAsked {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func newPaneSite(t *testing.T) *paneSite {
	t.Helper()
	return newPaneSiteOn(t, storagetest.Redis(t))
}

// newPaneSiteOn does the same on a Redis at an address.
func newPaneSiteOn(t *testing.T, redis string, args ...string) *paneSite {
	t.Helper()
	return paneSiteOf(t, newCodeSite(t, redis, 1, args...))
}

// paneSiteOf is the site before a program that runs.
func paneSiteOf(t *testing.T, code *codeSite) *paneSite {
	t.Helper()
	s := &paneSite{codeSite: code}
	target, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	behind := httputil.NewSingleHostReverseProxy(target)
	behind.FlushInterval = -1 // events
	s.proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.away.Load():
			panic(http.ErrAbortHandler)
		case strings.HasSuffix(r.URL.Path, "/v1/me") && s.busy.Add(-1) == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasSuffix(r.URL.Path, "/addin/demo/demo.mjs"):
			w.Header().Set("Content-Type", "text/javascript")
			http.ServeFile(w, r, "testdata/port.mjs")
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/link"):
			s.link(w, r, behind)
		case s.manyBlocks > 0 && strings.HasSuffix(r.URL.Path, "/book-1/placements"):
			s.many(w, r)
		default:
			behind.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.proxy.Close)
	return s
}

// report makes a report and returns its id.
func (s *paneSite) report(name, query string) int {
	s.t.Helper()
	var made struct{ ID int }
	body, err := json.Marshal(map[string]string{"name": name, "sqlQuery": query})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(s.send("POST", "1/reports", string(body)), &made); err != nil {
		s.t.Fatal(err)
	}
	return made.ID
}

// place records that a report stands somewhere in a document of the add-in.
func (s *paneSite) place(report int, document, at string) {
	s.t.Helper()
	s.send("PUT", fmt.Sprintf("1/reports/%d/connect-workbook", report), fmt.Sprintf(
		`{"externalWorkbookId": %q, "resultLocation": %q, "host": "SHEETS_A", "addressOnly": true, "workbookName": "Quarterly report.xlsx"}`,
		document, at))
}

// open opens the pane beside a document, signed in with a token if there is one; start are members that the document begins with.
func (s *paneSite) open(token, start string) *page {
	s.t.Helper()
	p := newPage(s.t)
	p.allow("favicon.ico") // of the first page, which is no face
	p.do(chromedp.Navigate(s.proxy.URL + "/healthz"))
	if token != "" {
		p.eval(fmt.Sprintf("localStorage.setItem(`mooring.session:${location.origin}`, JSON.stringify({access: %q, expires: 1e15}))", token))
	}
	if start != "" {
		p.beforeLoad("window.bookAtStart = " + start)
	}
	p.do(chromedp.Navigate(s.proxy.URL + "/addin/?host=demo"))
	return p
}

// jsonOf returns a value as JavaScript writes it.
func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// placements are the ids of what stands in a document.
func (s *paneSite) placements(document string) (ids []string) {
	s.t.Helper()
	var page struct {
		Items []struct{ Placement struct{ ID string } }
	}
	address := s.base + "/api/v1/external-documents/" + document + "/placements"
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.bobs)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		s.t.Fatal(err)
	}
	for _, item := range page.Items {
		ids = append(ids, item.Placement.ID)
	}
	return ids
}
