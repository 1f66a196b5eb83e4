package googlefake

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"

	"mooring/refresh/host/hosttest/book"
	"mooring/refresh/host/hosttest/token"
)

// Server is a running fake. URL is the API's address.
type Server struct {
	URL string

	key    *rsa.PrivateKey
	http   *httptest.Server
	tokens token.Issuer

	mu          sync.Mutex
	docs        map[string]*document
	nextName    int
	trouble     trouble
	beforeWrite func(*book.Book)
	requests    []Request

	quotaProject string
	quirks       Quirks
}

// Quirks are what the service may do and is not verified: a host must live with each, and without.
type Quirks struct {
	RangesFilterNames bool // a read of ranges lists only the names that meet them
	InsertNeedsRoom   bool // inserting cells fails where what is filled would be pushed beyond the sheet's end
	TextKeepsNumbers  bool // a number written to a cell of text format becomes text

	// What texts written may lose.
	TextLosesApostrophe bool // one at the beginning
	TextLosesReturns    bool // CRLF and CR become LF
	TextLosesControls   bool // control characters other than line ends
	TextLosesZeroWidth  bool // U+200B
}

// Quirk switches quirks on.
func (s *Server) Quirk(q Quirks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quirks = q
}

// WantQuotaProject refuses requests that do not say that a project bears their quota, as the service does with the credentials of users
// whose client has no project of its own.
func (s *Server) WantQuotaProject(project string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.quotaProject = project
}

// Request is what the fake saw of an API request. Body is its size in bytes; tokens are not requests.
type Request struct {
	Method, Path string
	Body         int
}

type document struct {
	*book.Book
	denied bool
}

// trouble is what the next requests get instead of an answer.
type trouble struct {
	after      int // requests that pass first
	left       int
	status     int
	retryAfter string
}

// serviceKey is the service account's key, made once: it takes its time.
var serviceKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// Close ends the fake.
func (s *Server) Close() { s.http.Close() }

// Add opens a document to the fake's account.
func (s *Server) Add(id string, b *book.Book) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[id] = &document{Book: b}
}

// Edit lets a person edit, or a test look at, a document.
func (s *Server) Edit(id string, edit func(*book.Book)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edit(s.docs[id].Book)
}

// Deny closes a document to the fake's account.
func (s *Server) Deny(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.docs[id].denied = true
}

// Fail answers the next n API requests with a status, and a Retry-After header unless it is empty.
func (s *Server) Fail(n, status int, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble{left: n, status: status, retryAfter: retryAfter}
}

// FailAfter lets n API requests pass and fails the one after them.
func (s *Server) FailAfter(n, status int, retryAfter string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble{after: n, left: 1, status: status, retryAfter: retryAfter}
}

// BeforeWrite edits the document just before the next write is applied.
func (s *Server) BeforeWrite(edit func(*book.Book)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beforeWrite = edit
}

// RevokeTokens makes the fake refuse every token handed out so far.
func (s *Server) RevokeTokens() { s.tokens.Revoke() }

// Requests returns the API requests so far and forgets them.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.requests
	s.requests = nil
	return seen
}

// admit refuses what comes without a valid token, and what the test wants refused.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) error {
	if t := &s.trouble; t.after > 0 {
		t.after--
	} else if t.left > 0 {
		t.left--
		if t.retryAfter != "" {
			w.Header().Set("Retry-After", t.retryAfter)
		}
		return &apiError{t.status, "told to fail"}
	}
	if !s.tokens.Admits(r) {
		return &apiError{http.StatusUnauthorized, "Request had invalid authentication credentials."}
	}
	if s.quotaProject != "" && r.Header.Get("X-Goog-User-Project") != s.quotaProject {
		return &apiError{http.StatusForbidden, "The sheets.googleapis.com API requires a quota project, which is not set by default."}
	}
	return nil
}

// apiError is an error as the API answers it.
type apiError struct {
	status  int
	message string
}

func (e *apiError) Error() string { return e.message }

// invalid is the answer to a request that the schema or the document does not allow.
func invalid(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

var statusNames = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
}

func writeJSON(w http.ResponseWriter, answer any, err error) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if err != nil {
		status := http.StatusInternalServerError
		if e, ok := err.(*apiError); ok {
			status = e.status
		}
		w.WriteHeader(status)
		answer = map[string]any{"error": map[string]any{"code": status, "message": err.Error(), "status": statusNames[status]}}
	}
	json.NewEncoder(w).Encode(answer) // a reader that went away is the test's own affair
}

func (s *Server) newNameID() string {
	s.nextName++
	return "name" + strconv.Itoa(s.nextName)
}

// TextCells sets the format of the first cells of all sheets of a document to text.
func (s *Server) TextCells(id string, rows, columns int) {
	s.Edit(id, func(b *book.Book) {
		for _, sheet := range b.Sheets {
			for i := range rows * columns {
				sheet.SetFormat(i/columns, i%columns, "@")
			}
		}
	})
}
