package oidc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"mooring/storage/record"
)

// client is this service as one issuer knows it.
type client struct {
	config Config
	http   *http.Client
	found  atomic.Pointer[discovered] // nil: the issuer has not answered yet
}

// discovered is what an issuer says of itself.
type discovered struct {
	verifier *oidc.IDTokenVerifier
	flow     oauth2.Config
	signs    bool // its answers name their issuer (RFC 9207 §3)
}

// run asks the issuer about itself until it answers, or ctx ends.
func (c *client) run(ctx context.Context, log *slog.Logger) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := c.discover(ctx)
		if err == nil {
			return
		}
		log.Warn("the issuer of identities does not answer: people sign in with keys until it does", "error", err, "retry", wait)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// metadata is what is read of an issuer's metadata beside what the library reads.
type metadata struct {
	Issuer string   `json:"issuer"`
	Scopes []string `json:"scopes_supported"`
	Signs  bool     `json:"authorization_response_iss_parameter_supported"`
}

func (c *client) discover(ctx context.Context) error {
	provider, says, err := c.metadata(oidc.ClientContext(ctx, c.http))
	if err != nil {
		return err
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if slices.Contains(says.Scopes, fromGroups) {
		scopes = append(scopes, fromGroups)
	}
	c.found.Store(&discovered{
		// The issuer of an address with a hole is that of the token's tid, see Config.identity.
		verifier: provider.Verifier(&oidc.Config{ClientID: c.config.ClientID, SkipIssuerCheck: c.config.hasHole()}),
		flow: oauth2.Config{
			ClientID: c.config.ClientID, ClientSecret: c.config.ClientSecret, Endpoint: provider.Endpoint(), Scopes: scopes,
		},
		signs: says.Signs,
	})
	return nil
}

// metadata asks for that of the issuer. Where its address has a hole, people of any directory are sent to the same place, whose metadata
// says {tenantid} where tokens have their tid.
func (c *client) metadata(ctx context.Context) (*oidc.Provider, metadata, error) {
	var says metadata
	at, expected := c.config.Issuer, c.config.Issuer
	if c.config.hasHole() {
		at, expected = c.config.of("organizations"), c.config.of("{tenantid}")
		ctx = oidc.InsecureIssuerURLContext(ctx, expected) // it is compared below
	}
	provider, err := oidc.NewProvider(ctx, at)
	if err != nil {
		return nil, says, err
	}
	if err := provider.Claims(&says); err != nil {
		return nil, says, err
	}
	if says.Issuer != expected {
		return nil, says, fmt.Errorf("%s says that its issuer is %q, not %q", at, says.Issuer, expected)
	}
	return provider, says, nil
}

// address returns where to send a person.
func (c *client) address(state string, s *record.SignIn) string {
	flow := c.found.Load().flow
	flow.RedirectURL = s.Callback
	return flow.AuthCodeURL(state, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier))
}

// accept returns the code of an answer with which a person came back, unless another issuer has sent them: it would be told the code.
func (c *client) accept(answer url.Values) (code string, err error) {
	code = answer.Get("code")
	foreign := func(iss string) bool { return !slices.Contains(c.config.issuers(), iss) }
	switch {
	case slices.ContainsFunc(answer["iss"], foreign):
		return "", &Refusal{Reason: "the answer is not of the issuer to which the person was sent"}
	case code == "":
		return "", &Refusal{Reason: "the provider says " + answer.Get("error"), Code: Denied}
	case c.found.Load().signs && !answer.Has("iss"):
		return "", &Refusal{Reason: "the answer names no issuer, as every answer of this one does"}
	}
	return code, nil
}

// exchange returns for whom the issuer vouches, by a code.
func (c *client) exchange(ctx context.Context, s *record.SignIn, code string) (*Identity, error) {
	found := c.found.Load()
	flow := found.flow
	flow.RedirectURL = s.Callback
	ctx = oidc.ClientContext(ctx, c.http)
	tokens, err := flow.Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return nil, refusedBy(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := found.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, &Refusal{Reason: "the ID token is not good: " + err.Error()}
	}
	if token.Nonce != s.Nonce {
		return nil, &Refusal{Reason: "the ID token was issued for another sign-in"}
	}
	said := claims{}
	if err := token.Claims(&said); err != nil {
		return nil, &Refusal{Reason: "the ID token has no claims: " + err.Error()}
	}
	return c.config.identity(token, said)
}

// refusedBy tells a provider that refuses a code from one that does not answer.
func refusedBy(err error) error {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if ok && answer.Response.StatusCode < http.StatusInternalServerError {
		return &Refusal{Reason: "the provider refuses the code: " + cmp.Or(answer.ErrorCode, answer.Response.Status)}
	}
	return err
}
