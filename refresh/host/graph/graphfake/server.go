package graphfake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"

	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/hosttest/token"
)

// What the fake knows: its one application, and the drive that holds its workbooks unless they are put elsewhere.
const (
	Tenant       = "fake-tenant"
	ClientID     = "fake-client"
	ClientSecret = "fake-secret"
	Drive        = "b!fake-drive"
)

// AdminToken is the access token of an administrator of SharePoint, who gives the application permissions on sites and does nothing else.
const AdminToken = "fake-administrator"

// Size of a worksheet.
const (
	Rows    = 1_048_576
	Columns = 16_384
)

// Server is a running fake. URL is the API's address with its version, TokenURL where to log in.
type Server struct {
	URL, TokenURL string

	http   *httptest.Server
	tokens token.Issuer

	mu sync.Mutex
	cloud
	trouble     trouble // of whole requests
	stepTrouble trouble // of requests within batches
	between     func(*book.Book)
	requests    []Request
}

// Request is what the fake saw of an API request: its own method and path, and of a batch those within. Tokens are not requests.
type Request struct {
	Method, Path string
	Body         int // bytes
	Steps        []string
}

// trouble is what some requests get instead of an answer.
type trouble struct {
	after      int // requests that pass first
	left       int
	status     int
	code       string
	retryAfter string
}

// next reports whether the next request fails.
func (t *trouble) next() bool {
	if t.after > 0 {
		t.after--
		return false
	}
	if t.left == 0 {
		return false
	}
	t.left--
	return true
}

// Close ends the fake.
func (s *Server) Close() { s.http.Close() }

// Add puts a workbook into the drive.
func (s *Server) Add(id string, b *book.Book) { s.AddTo(Drive, id+".xlsx", id, b) }

// Edit lets a person edit, or a test look at, a workbook.
func (s *Server) Edit(id string, edit func(*book.Book)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(s.docs[id].Book)
}

// Deny closes a workbook to the application.
func (s *Server) Deny(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[id].denied = true
}

// Fail lets after API requests pass and answers the next n with a status, and a Retry-After header unless it is empty.
func (s *Server) Fail(after, n, status int, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble{after: after, left: n, status: status, code: "toldToFail", retryAfter: retryAfter}
}

// FailStep lets after requests within batches pass and answers the next with a status and a code.
func (s *Server) FailStep(after, status int, code, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepTrouble = trouble{after: after, left: 1, status: status, code: code, retryAfter: retryAfter}
}

// FailSteps lets after requests within batches pass and answers the next n with a status and a code.
func (s *Server) FailSteps(after, n, status int, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepTrouble = trouble{after: after, left: n, status: status, code: code}
}

// BeforeWrite edits the workbook just before the next request that is not only reading.
func (s *Server) BeforeWrite(edit func(*book.Book)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beforeWrite = edit
}

// BetweenRequests edits every workbook after each API request.
func (s *Server) BetweenRequests(edit func(*book.Book)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.between = edit
}

// RevokeTokens makes the fake refuse every token handed out so far.
func (s *Server) RevokeTokens() { s.tokens.Revoke() }

// Sessions is how many sessions are open.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// Requests returns the API requests so far and forgets them.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.requests
	s.requests = nil
	return seen
}

// exchange is a request, of its own or within a batch. Path begins after the API's version and is still escaped.
type exchange struct {
	base   string // the API's address
	method string
	path   string
	query  url.Values
	header http.Header
	body   []byte
}

// admit refuses what comes without a valid token, and what the test wants refused.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) error {
	if s.trouble.next() {
		if s.trouble.retryAfter != "" {
			w.Header().Set("Retry-After", s.trouble.retryAfter)
		}
		return &apiError{s.trouble.status, s.trouble.code, "told to fail"}
	}
	administers := isAdministrator(r.Header)
	switch {
	case !administers && !s.tokens.Admits(r):
		return &apiError{http.StatusUnauthorized, "InvalidAuthenticationToken", "Access token is empty or not valid."}
	case administers && !strings.HasPrefix(r.URL.Path, "/v1.0/sites/"):
		return denied()
	}
	return nil
}

func isAdministrator(h http.Header) bool { return h.Get("Authorization") == "Bearer "+AdminToken }

// grant checks a request for an access token: it has the client's credentials.
func grant(r *http.Request) error {
	for name, want := range map[string]string{
		"grant_type": "client_credentials", "client_id": ClientID, "client_secret": ClientSecret,
		"scope": "https://graph.microsoft.com/.default",
	} {
		if r.PostFormValue(name) != want {
			return fmt.Errorf("wrong %s", name)
		}
	}
	return nil
}

// apiError is an error as the API answers it; code is that of the inner error.
type apiError struct {
	status  int
	code    string
	message string
}

func (e *apiError) Error() string { return e.message }

// invalid is the answer to a request that the reference or the workbook does not allow.
func invalid(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, "invalidArgument", fmt.Sprintf(format, args...)}
}

func missing(code, format string, args ...any) error {
	return &apiError{http.StatusNotFound, code, fmt.Sprintf(format, args...)}
}

var outerCodes = map[int]string{
	400: "badRequest", 401: "unauthorized", 403: "forbidden", 404: "notFound", 409: "conflict", 413: "payloadTooLarge", 423: "locked",
	429: "tooManyRequests", 500: "internalServerError", 503: "serviceUnavailable", 504: "gatewayTimeout",
}

// errorBody returns the status and body of an error.
func errorBody(err error) (int, any) {
	e, ok := err.(*apiError)
	if !ok {
		e = &apiError{http.StatusInternalServerError, "internalServerErrorUncategorized", err.Error()}
	}
	return e.status, map[string]any{"error": map[string]any{
		"code": outerCodes[e.status], "message": e.message,
		"innerError": map[string]any{"code": e.code, "message": e.message},
	}}
}

func writeJSON(w http.ResponseWriter, status int, answer any, err error) {
	if err != nil {
		status, answer = errorBody(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if answer != nil {
		json.NewEncoder(w).Encode(answer) // a reader that went away is the test's own affair
	}
}

// decodeStrict refuses properties that the reference does not have.
func decodeStrict(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return invalid("Unable to read JSON request payload: %v", err)
	}
	return nil
}
