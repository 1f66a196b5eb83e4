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

var (
	// ErrGone is the error of a person who comes back without having been sent, twice, too late, or in another browser.
	ErrGone = errors.New("no such sign-in is under way in this browser")
	// ErrAway is the error of an issuer that is not configured, or has not answered yet.
	ErrAway = errors.New("the issuer of identities is not configured, or has not answered yet")
)

// Begin returns where to send a person, and a secret for their browser to keep. The issuer, which may be empty where there is only one, sends
// them back to callback, and then they want to see the page next. What is begun with an issuer is finished by no other one.
func (p *Provider) Begin(ctx context.Context, store Store, issuer, callback, next string, now time.Time) (address, browser string, err error) {
	c := p.client(issuer)
	if c == nil {
		return "", "", ErrAway
	}
	s := &record.SignIn{
		Issuer: c.config.Issuer, Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Browser: rand.Text(), Callback: callback, Next: next,
	}
	state := rand.Text()
	if err := store.AddSignIn(ctx, state, s, now.Add(Lifetime)); err != nil {
		return "", "", err
	}
	return c.address(state, s), s.Browser, nil
}

// Finish returns for whom the issuer vouches to which the person was sent, and the page that they want to see. answer is the query with which
// they came back, browser the secret of Begin. The error is ErrGone or a *Refusal, unless the issuer or the store did not answer.
func (p *Provider) Finish(ctx context.Context, store Store, answer url.Values, browser string) (who *Identity, next string, err error) {
	s, found, err := store.TakeSignIn(ctx, answer.Get("state"))
	if err != nil {
		return nil, "", err
	}
	if !found || subtle.ConstantTimeCompare([]byte(browser), []byte(s.Browser)) != 1 || p.client(s.Issuer) == nil {
		return nil, "", ErrGone
	}
	code, err := p.client(s.Issuer).accept(answer)
	if err != nil {
		return nil, "", err
	}
	who, err = p.exchange(ctx, s, code)
	return who, s.Next, err
}

// exchange returns for whom the issuer vouches to which the person was sent, by a code of that issuer.
func (p *Provider) exchange(ctx context.Context, s *record.SignIn, code string) (*Identity, error) {
	return p.client(s.Issuer).exchange(ctx, s, code)
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
