package oidc

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mooring/storage/record"
	"mooring/web/oidc/oidcfake"
)

const ourCallback = "https://mooring.acme.com/console/signed-in"

// world is issuers at their real addresses, and people who were sent to them.
type world struct {
	t       *testing.T
	issuers []*oidcfake.Issuer
	sent    map[string]record.SignIn
}

func newWorld(t *testing.T, addresses ...string) *world {
	t.Helper()
	w := &world{t: t, sent: map[string]record.SignIn{}}
	for _, address := range addresses {
		i := oidcfake.New(t, address)
		i.Callback = ourCallback
		w.issuers = append(w.issuers, i)
	}
	return w
}

// RoundTrip lets the issuer answer whose address is asked.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	for _, i := range w.issuers {
		if i.Serves(r.URL) {
			i.ServeHTTP(answer, r)
			return answer.Result(), nil
		}
	}
	w.t.Errorf("%s is asked, which is nobody's", r.URL)
	return nil, http.ErrServerClosed
}

func (w *world) AddSignIn(_ context.Context, state string, s *record.SignIn, _ time.Time) error {
	w.sent[state] = *s
	return nil
}

func (w *world) TakeSignIn(_ context.Context, state string) (*record.SignIn, bool, error) {
	s, found := w.sent[state]
	delete(w.sent, state)
	return &s, found, nil
}

// provider returns one that has reached the issuers of its configurations.
func (w *world) provider(configs ...Config) *Provider {
	w.t.Helper()
	for _, c := range configs {
		if err := c.Check(); err != nil {
			w.t.Fatalf("%s: %v", c.Issuer, err)
		}
	}
	p := New(configs...)
	for _, c := range p.clients {
		c.http = &http.Client{Transport: w}
	}
	p.Run(w.t.Context(), slog.New(slog.DiscardHandler))
	return p
}

// goes sends a person to an issuer, who vouches for them, and returns the answer with which they come back.
func (w *world) goes(p *Provider, issuer string) (answer url.Values, browser string) {
	w.t.Helper()
	at, browser, err := p.Begin(w.t.Context(), w, issuer, ourCallback, "/console/", time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	request := httptest.NewRequestWithContext(w.t.Context(), http.MethodGet, at, http.NoBody)
	response, err := w.RoundTrip(request)
	if err != nil {
		w.t.Fatal(err)
	}
	back, err := response.Location()
	if err != nil || !strings.HasPrefix(back.String(), ourCallback) {
		w.t.Fatalf("%d %s", response.StatusCode, back)
	}
	return back.Query(), browser
}

// signsIn sends a person to an issuer and back.
func (w *world) signsIn(p *Provider, issuer string) (*Identity, error) {
	w.t.Helper()
	answer, browser := w.goes(p, issuer)
	who, _, err := p.Finish(w.t.Context(), w, answer, browser)
	return who, err
}

// recorded returns the body of an ID token as a service writes it, with changes.
func recorded(t *testing.T, name string, changes map[string]any) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "tokens", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	body := map[string]any{}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for claim, v := range changes {
		body[claim] = v
		if v == nil {
			delete(body, claim)
		}
	}
	return body
}
