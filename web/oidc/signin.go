package oidc

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/url"
	"path"
	"strings"
	"time"

	"mooring/storage/record"
)

// Lifetime is how long a person may take at the provider.
const Lifetime = 10 * time.Minute

// Store keeps who was sent to a provider; *storage.Store does.
type Store interface {
	AddSignIn(ctx context.Context, state string, s *record.SignIn, until time.Time) error
	TakeSignIn(ctx context.Context, state string) (s *record.SignIn, found bool, err error)
}

// ErrGone is the error of a person who comes back without having been sent, twice, too late, or in another browser.
var ErrGone = errors.New("no such sign-in is under way in this browser")

// Begin returns where to send a person, and a secret for their browser to keep. The provider, which is ready, sends them back to callback,
// and then they want to see the page next.
func (p *Provider) Begin(ctx context.Context, store Store, callback, next string, now time.Time) (address, browser string, err error) {
	s := &record.SignIn{Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Browser: rand.Text(), Callback: callback, Next: next}
	state := rand.Text()
	if err := store.AddSignIn(ctx, state, s, now.Add(Lifetime)); err != nil {
		return "", "", err
	}
	return p.address(state, s), s.Browser, nil
}

// Finish returns for whom the provider vouches, and the page that the person wants to see. answer is the query with which they came back,
// browser the secret of Begin. The error is ErrGone or a *Refusal, unless the provider or the store did not answer.
func (p *Provider) Finish(ctx context.Context, store Store, answer url.Values, browser string) (who *Identity, next string, err error) {
	s, found, err := store.TakeSignIn(ctx, answer.Get("state"))
	if err != nil {
		return nil, "", err
	}
	if !found || subtle.ConstantTimeCompare([]byte(browser), []byte(s.Browser)) != 1 || !p.Ready() {
		return nil, "", ErrGone
	}
	code := answer.Get("code")
	if code == "" {
		return nil, "", &Refusal{Reason: "the provider says " + answer.Get("error"), Denied: true}
	}
	who, err = p.exchange(ctx, s, code)
	return who, s.Next, err
}

// PageBelow returns next if that is a path below root, which ends with a slash; root for any other address.
func PageBelow(root, next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.Opaque != "" || strings.Contains(next, `\`) ||
		!strings.HasPrefix(path.Clean(u.Path)+"/", root) {
		return root
	}
	return next
}
