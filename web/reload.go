package web

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/oidc"
	"mooring/web/overview"
)

// Reload makes requests follow other rules: those that come from now on, and streams and long answers from their next check of rights on.
func (s *Server) Reload(r Rules) { s.rules.Store(s.newRules(r)) }

func (s *Server) newRules(r Rules) *rules {
	made := &rules{
		Rules: r, store: s.store, issuers: map[string]*oidc.Issuer{},
		tokens: auth.NewTokens(r.Keys),
	}
	made.pairing = auth.NewPairing(s.store.Tenants(), r.Keys, s.revocations, made)
	for _, i := range r.Issuers {
		made.issuers[i.Name()] = i
	}
	made.overview = overview.Operations{
		Store: s.store, Engine: s.engine, Tokens: made, Tenants: s.deployments(), RequestsPerMinute: r.RatePerMinute,
	}
	return made
}

// Verify returns who a token speaks for. One that names another issuer is verified by that issuer's keys only, any other by ours only. An
// error that is not classified is about the token.
func (r *rules) Verify(ctx context.Context, token string, now time.Time) (*auth.Caller, error) {
	if len(r.issuers) > 0 {
		if issuer := r.issuers[auth.IssuerOf(token)]; issuer != nil {
			return r.bearer(ctx, issuer, token, now)
		}
	}
	return r.tokens.Caller(token, now)
}

// Names reports whether a text may be the id of a token.
func (r *rules) Names(id string) bool {
	return auth.IsTokenID(id) || len(r.issuers) > 0 && oidc.IsTokenID(id)
}

// bearer returns who a token of another issuer speaks for.
func (r *rules) bearer(ctx context.Context, issuer *oidc.Issuer, token string, now time.Time) (*auth.Caller, error) {
	who, err := issuer.Verify(ctx, token, now)
	refusal, refused := errors.AsType[*oidc.Refusal](err)
	switch {
	case refused:
		return nil, placements.Errorf(placements.CodeUnauthorized, "This token of %s is refused: %s.", issuer.Name(), refusal.Reason).Because(err)
	case errors.Is(err, oidc.ErrNoKeys):
		e := placements.Errorf(placements.CodeUnavailable, "The keys of %s cannot be fetched right now; try again.", issuer.Name()).Because(err)
		e.RetryAfter = outageRetry
		return nil, e
	case err != nil:
		return nil, placements.Errorf(placements.CodeUnauthorized,
			"This is no good token of %s: its signature, audience or expiry is wrong. Send a fresh one.", issuer.Name()).Because(err)
	}
	if who.UID == 0 {
		if who.UID, err = r.store.Tenants().UserOf(ctx, who.Tenant, who.Issuer, who.Subject); err != nil {
			return nil, err
		}
	}
	return &auth.Caller{
		Actor:  record.Actor{ID: who.UID, Email: who.Email, Name: who.Name, Actions: who.Actions},
		Tenant: who.Tenant, Issuer: who.Issuer, Subject: who.Subject, Deployments: who.Deployments, Shown: who.Shown,
		TokenID: record.TokenOf(who.Issuer, who.TokenID), Expires: who.Expires, Grounds: []string{issuer.Ground()},
	}, nil
}

// trust reports whether all that the caller's rights rest on is trusted.
func (r *rules) trust(c *auth.Caller) bool {
	return !slices.ContainsFunc(c.Grounds, func(ground string) bool { return !r.Trusts(ground) })
}

// Trusts is auth.Trust's: a ground is one of our keys, or the entry of another issuer.
func (r *rules) Trusts(ground string) bool {
	return r.Keys.Vouches(ground) || slices.ContainsFunc(r.Issuers, func(i *oidc.Issuer) bool { return i.Ground() == ground })
}
