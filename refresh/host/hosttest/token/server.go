package token

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Issuer issues access tokens (RFC 6749, section 5) and knows which of them are valid. It is safe for concurrent use.
type Issuer struct {
	// Check returns why a request for a token is refused, nil when it is not.
	Check func(*http.Request) error
	// Status and Code are the answer to a request that Check refuses.
	Status int
	Code   string

	mu     sync.Mutex
	issued int
	valid  map[string]bool
}

// ServeHTTP answers a request for a token.
func (s *Issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if err := s.Check(r); err != nil {
		w.WriteHeader(s.Status)
		json.NewEncoder(w).Encode(map[string]string{"error": s.Code, "error_description": err.Error()})
		return
	}
	json.NewEncoder(w).Encode(map[string]any{"access_token": s.Issue(), "token_type": "Bearer", "expires_in": 3599})
}

// Issue returns a new valid token.
func (s *Issuer) Issue() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.issued++
	token := fmt.Sprintf("fake-token-%d", s.issued)
	if s.valid == nil {
		s.valid = map[string]bool{}
	}
	s.valid[token] = true
	return token
}

// Admits reports whether a request bears a valid token.
func (s *Issuer) Admits(r *http.Request) bool {
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	return bearer && s.valid[token]
}

// Revoke makes every token issued so far invalid.
func (s *Issuer) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.valid)
}
