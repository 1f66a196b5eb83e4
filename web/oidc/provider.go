package oidc

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"mooring/storage/record"
)

// How long the provider may take to answer, and how long to wait between two attempts to reach it at first, doubled up to a bound.
const (
	answerTimeout = 10 * time.Second
	firstRetry    = time.Second
	lastRetry     = time.Minute
)

// Provider is a provider of identities. It is safe for concurrent use.
type Provider struct {
	config Config
	client *http.Client
	found  atomic.Pointer[discovered] // nil: the issuer has not answered yet
}

// discovered is what the issuer says of itself.
type discovered struct {
	verifier *oidc.IDTokenVerifier
	flow     oauth2.Config
}

// New returns the provider of a configuration that Check found nothing wrong with. It is ready when Run has reached the issuer.
func New(c Config) *Provider {
	return &Provider{config: c, client: &http.Client{Timeout: answerTimeout}}
}

// Run asks the issuer about itself until it answers, or ctx ends.
func (p *Provider) Run(ctx context.Context, log *slog.Logger) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := p.discover(ctx)
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

func (p *Provider) discover(ctx context.Context) error {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.client), p.config.Issuer)
	if err != nil {
		return err
	}
	var says struct {
		Scopes []string `json:"scopes_supported"`
	}
	if err := provider.Claims(&says); err != nil {
		return err
	}
	scopes := []string{oidc.ScopeOpenID, "profile", "email"}
	if slices.Contains(says.Scopes, groupsClaim) {
		scopes = append(scopes, groupsClaim)
	}
	p.found.Store(&discovered{
		verifier: provider.Verifier(&oidc.Config{ClientID: p.config.ClientID}),
		flow: oauth2.Config{
			ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, Endpoint: provider.Endpoint(), Scopes: scopes,
		},
	})
	return nil
}

// Ready reports whether people can sign in: the issuer has answered. No provider is never ready.
func (p *Provider) Ready() bool { return p != nil && p.found.Load() != nil }

// address returns where to send a person.
func (p *Provider) address(state string, s *record.SignIn) string {
	flow := p.found.Load().flow
	flow.RedirectURL = s.Callback
	return flow.AuthCodeURL(state, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier))
}

// exchange returns for whom the provider vouches, by the code with which a person came back.
func (p *Provider) exchange(ctx context.Context, s *record.SignIn, code string) (*Identity, error) {
	found := p.found.Load()
	flow := found.flow
	flow.RedirectURL = s.Callback
	ctx = oidc.ClientContext(ctx, p.client)
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
	return p.config.identity(token, said)
}

// refusedBy tells a provider that refuses a code from one that does not answer.
func refusedBy(err error) error {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	if ok && answer.Response.StatusCode < http.StatusInternalServerError {
		return &Refusal{Reason: "the provider refuses the code: " + cmp.Or(answer.ErrorCode, answer.Response.Status)}
	}
	return err
}
