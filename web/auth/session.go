package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mooring/storage/record"
)

// signInLifetime is how long a session lasts without a key: a provider does not say when a person has left.
const signInLifetime = 8 * time.Hour

// SessionStore keeps sessions; *storage.Store does.
type SessionStore interface {
	AddSession(ctx context.Context, cookie, holder string, s *record.Session) error
	Session(ctx context.Context, cookie string) (s *record.Session, found bool, err error)
	EndSession(ctx context.Context, cookie string) error
}

// Sessions keeps people signed in in their browsers. It is safe for concurrent use.
type Sessions struct{ store SessionStore }

// NewSessions returns those in a store.
func NewSessions(store SessionStore) *Sessions { return &Sessions{store} }

// Begin signs c in until c's key expires, and returns the value of the cookie. It is a new one each time: one that the browser had before
// may be known to others. c gets the CSRF of the session.
func (s *Sessions) Begin(ctx context.Context, c *Caller) (cookie string, err error) {
	cookie, c.CSRF = rand.Text()+rand.Text(), rand.Text()
	return cookie, s.store.AddSession(ctx, cookie, c.Holder(), &record.Session{
		CSRF: c.CSRF, Expires: c.Expires,
		UserID: c.ID, Issuer: c.Issuer, Subject: c.Subject, Email: c.Email, Name: c.Name, Shown: c.Shown, Tenant: c.Tenant,
		Deployments: c.Deployments, Roles: c.Roles, Actions: c.Actions, Bound: c.Bound, TokenID: c.TokenID,
		Device: c.Device, Approver: c.Approver, Grounds: c.Grounds,
	})
}

// keyless begins the token ids of sessions that were begun without a key. Those of keys have no hyphen.
const keyless = "session-"

// Vouched returns c, for whom a provider of identities vouches, with a session in the place of a key.
func Vouched(c Caller, now time.Time) *Caller {
	c.TokenID, c.Expires = keyless+rand.Text(), now.Add(signInLifetime)
	return &c
}

// Keyless reports whether c's session was begun without a key, so that what c granted to devices ends with it.
func (c *Caller) Keyless() bool { return len(c.Grounds) == 0 && strings.HasPrefix(c.TokenID, keyless) }

// Caller returns who is signed in with a cookie; nil if the session has ended.
func (s *Sessions) Caller(ctx context.Context, cookie string, now time.Time) (*Caller, error) {
	r, found, err := s.store.Session(ctx, cookie)
	if err != nil || !found || !now.Before(r.Expires) {
		return nil, err
	}
	return &Caller{
		Actor:  record.Actor{ID: r.UserID, Email: r.Email, Name: r.Name, Roles: r.Roles, Actions: r.Actions, Bound: r.Bound},
		Tenant: r.Tenant, Issuer: r.Issuer, Subject: r.Subject, Shown: r.Shown, Deployments: r.Deployments,
		TokenID: r.TokenID, Expires: r.Expires, Device: r.Device, Approver: r.Approver, CSRF: r.CSRF,
		Grounds: r.Grounds,
	}, nil
}

// End signs a cookie out.
func (s *Sessions) End(ctx context.Context, cookie string) error {
	return s.store.EndSession(ctx, cookie)
}

// CSRFHeader carries what the page read in /api/v1/me: a page of another origin cannot read it, nor set a header.
const CSRFHeader = "X-Mooring-CSRF"

// Intends reports whether a request with c's cookie was made by a page of ours: reads change nothing, anything else carries c's CSRF.
func (c *Caller) Intends(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	return c.CSRF != "" && subtle.ConstantTimeCompare([]byte(r.Header.Get(CSRFHeader)), []byte(c.CSRF)) == 1
}

// SameOrigin reports whether a request comes from a page of the host that it asks, as the browser says. Browsers say Sec-Fetch-Site to
// https and loopback addresses, and Origin with whatever may write; a request with neither is no other page's.
func SameOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	from, err := url.Parse(origin)
	return err == nil && (from.Scheme == "http" || from.Scheme == "https") && from.Host == r.Host
}

// The names of the cookies. Browsers take one of the prefix from the host itself only and over https only, not from its neighbours.
const (
	sessionCookie = "mooring"
	signInCookie  = "mooring-signin"
	hostPrefix    = "__Host-"
)

// Cookies reads and writes the cookies of one kind of address: of https, or of http.
type Cookies struct{ Secure bool }

// Session returns the value of a session's cookie; empty for none.
func (k Cookies) Session(r *http.Request) string { return k.value(r, sessionCookie) }

// SignIn returns the value of the cookie of a person who was sent to a provider; empty for none.
func (k Cookies) SignIn(r *http.Request) string { return k.value(r, signInCookie) }

// SetSession hands a browser the cookie of a session for as long; with 0 takes it back.
func (k Cookies) SetSession(w http.ResponseWriter, value string, lasts time.Duration) {
	k.set(w, sessionCookie, value, lasts)
}

// SetSignIn hands a browser the cookie of a person who is sent to a provider; with 0 takes it back.
func (k Cookies) SetSignIn(w http.ResponseWriter, value string, lasts time.Duration) {
	k.set(w, signInCookie, value, lasts)
}

func (k Cookies) name(of string) string {
	if k.Secure {
		return hostPrefix + of
	}
	return of
}

func (k Cookies) value(r *http.Request, of string) string {
	c, err := r.Cookie(k.name(of))
	if err != nil {
		return ""
	}
	return c.Value
}

func (k Cookies) set(w http.ResponseWriter, of, value string, lasts time.Duration) {
	age := int(lasts.Seconds())
	if age <= 0 {
		value, age = "", -1
	}
	http.SetCookie(w, &http.Cookie{ // #nosec G124 -- all three are set; Secure is not where the service is reached over http
		Name: k.name(of), Value: value, Path: "/", MaxAge: age, Secure: k.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
