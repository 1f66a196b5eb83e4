package oidc

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// The bounds of fetching an issuer's keys.
const (
	fetchTimeout = 5 * time.Second
	fetchPause   = time.Minute     // between two attempts, whatever asks for them
	freshFor     = 5 * time.Minute // from then on keys are fetched again, so that one that was withdrawn is forgotten
	maxKeySet    = 64 << 10
	minRSABits   = 2048 // RFC 7518 §3.3
)

// ErrNoKeys is the error of a token whose issuer has not answered with keys yet.
var ErrNoKeys = errors.New("the keys of the issuer are not known yet")

// algorithms returns those that tokens may be signed with. Each kind of key has one, so that no token chooses.
func algorithms() []string { return []string{oidc.RS256, oidc.ES256, oidc.EdDSA} }

// keySet is the keys that an issuer publishes, as it last did. go-oidc's RemoteKeySet does not serve: it makes a request for every unknown
// kid, reads answers of any size and never forgets a key that was withdrawn.
type keySet struct {
	url    string
	client *http.Client
	log    *slog.Logger

	turn chan struct{} // held by who fetches

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	fetched time.Time // when these keys were answered
	tried   time.Time // when they were asked for
}

func newKeySet(url string, log *slog.Logger) *keySet {
	// A redirect would lead to an address that was not checked.
	client := &http.Client{Timeout: fetchTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &keySet{url: url, client: client, log: log, turn: make(chan struct{}, 1)}
}

// signatures verifies one token by a key set at a time.
type signatures struct {
	*keySet
	now    time.Time
	noKeys bool // the token could not be judged
}

// VerifySignature returns the payload of a token that one of the keys has signed.
func (s *signatures) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	var allowed []jose.SignatureAlgorithm
	for _, name := range algorithms() {
		allowed = append(allowed, jose.SignatureAlgorithm(name))
	}
	signed, err := jose.ParseSigned(token, allowed)
	if err != nil {
		return nil, err
	}
	head := signed.Signatures[0].Protected // the verifier has refused none and several
	key, err := s.find(ctx, head.KeyID, head.Algorithm, s.now)
	if err != nil {
		s.noKeys = s.none()
		return nil, err
	}
	return signed.Verify(key.Key)
}

// find returns the key that a token names and that signs with the token's algorithm.
func (s *keySet) find(ctx context.Context, id, algorithm string, now time.Time) (jose.JSONWebKey, error) {
	key, known := s.cached(id, algorithm)
	if !known || s.stale(now) {
		if err := s.refresh(ctx, now, known); err != nil {
			return key, err
		}
		key, known = s.cached(id, algorithm)
	}
	if !known {
		return key, fmt.Errorf("the issuer has no key %.80q that signs with %s", id, algorithm)
	}
	return key, nil
}

func (s *keySet) cached(id, algorithm string) (jose.JSONWebKey, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.keys {
		if key.KeyID == id && algorithmOf(key) == algorithm {
			return key, true
		}
	}
	return jose.JSONWebKey{}, false
}

func (s *keySet) stale(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.fetched) > freshFor
}

func (s *keySet) none() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fetched.IsZero()
}

// refresh fetches the keys, unless that was tried a moment ago. Only one caller fetches; others wait for it, or go on at once if they know
// the key that they need. When the issuer does not answer, the keys stay as they were.
func (s *keySet) refresh(ctx context.Context, now time.Time, known bool) error {
	if known {
		select {
		case s.turn <- struct{}{}:
		default:
			return nil
		}
	} else {
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	defer func() { <-s.turn }()
	s.mu.Lock()
	early := !s.tried.IsZero() && now.Sub(s.tried) < fetchPause
	s.mu.Unlock()
	if early {
		return nil
	}
	// The fetch is for others too: the end of this request is not its end.
	if err := s.fetch(context.WithoutCancel(ctx), now); err != nil {
		s.log.Warn("the keys of an issuer cannot be fetched: those known before stay in use", "error", err)
	}
	return nil
}

// fetch replaces the keys by those that the issuer publishes now.
func (s *keySet) fetch(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	s.tried = now
	s.mu.Unlock()
	text, err := s.read(ctx)
	if err != nil {
		return err
	}
	keys, err := usableKeys(text)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys, s.fetched = keys, now
	return nil
}

func (s *keySet) read(ctx context.Context) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s, not 200 with keys", s.url, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxKeySet+1))
	if err == nil && len(text) > maxKeySet {
		err = fmt.Errorf("%s answers with more than %d bytes", s.url, maxKeySet)
	}
	return text, err
}

// usableKeys returns the keys of a JWKS that verify tokens. Others, of which a set may have any, are left out.
func usableKeys(text []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("the answer is no JWKS: %w", err)
	}
	var usable []jose.JSONWebKey
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && key.KeyID != "" && algorithmOf(key) != "" {
			usable = append(usable, key)
		}
	}
	if usable == nil {
		return nil, fmt.Errorf("none of the %d keys there has a kid and signs with one of %q", len(set.Keys), algorithms())
	}
	return usable, nil
}

// algorithmOf returns the one algorithm that a public key verifies; empty for keys of other kinds and uses.
func algorithmOf(key jose.JSONWebKey) (name string) {
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		if public.N.BitLen() >= minRSABits {
			name = oidc.RS256
		}
	case *ecdsa.PublicKey:
		if public.Curve == elliptic.P256() {
			name = oidc.ES256
		}
	case ed25519.PublicKey:
		name = oidc.EdDSA
	}
	if key.Algorithm != "" && key.Algorithm != name || key.Use != "" && key.Use != "sig" {
		return ""
	}
	return name
}
