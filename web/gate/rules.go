package gate

import (
	"context"
	"errors"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/web/auth"
	"mooring/web/hook"
	"mooring/web/oidc"
	"mooring/web/request"
)

// Rules are what a server can be told anew while it serves.
type Rules struct {
	Keys          *auth.Keyring
	Issuers       []*oidc.Issuer // whose tokens count beside those that Keys sign
	RatePerMinute int            // requests a token may make; 0: no limit
	Origins       auth.Origins   // whose pages may use the interface from a browser; none: no other ones
	Hooks         hook.Hooks     // take word that data has changed
}

// ruling is Rules made ready for requests. It has a cache of verified tokens of its own, so that no token outlives its key.
type ruling struct {
	Rules
	store   *storage.Store
	issuers map[string]*oidc.Issuer
	tokens  *auth.Tokens
	pairing *auth.DeviceSignIn
	desk    *auth.KeyDesk
}

// Reload makes requests follow other rules: those that come from now on, and streams and long answers from their next check of rights on.
func (g *Gate) Reload(r Rules) {
	made := &ruling{Rules: r, store: g.store, issuers: map[string]*oidc.Issuer{}, tokens: auth.NewTokens(r.Keys)}
	made.pairing = auth.NewPairing(g.store.Tenants(), r.Keys, g.revocations, made)
	made.desk = auth.NewKeyDesk(g.store.Tenants(), r.Keys, g.revocations, made)
	for _, i := range r.Issuers {
		made.issuers[i.Name()] = i
	}
	g.rules.Store(made)
}

// Pairing signs devices in.
func (g *Gate) Pairing() *auth.DeviceSignIn { return g.rules.Load().pairing }

// Keys makes keys for people.
func (g *Gate) Keys() *auth.KeyDesk { return g.rules.Load().desk }

// Hooks take word that data has changed.
func (g *Gate) Hooks() hook.Hooks { return g.rules.Load().Hooks }

// RatePerMinute is how many requests a token may make; 0: no limit.
func (g *Gate) RatePerMinute() int { return g.rules.Load().RatePerMinute }

// Origins are whose pages may use the interface from a browser.
func (g *Gate) Origins() auth.Origins { return g.rules.Load().Origins }

// Verify returns who a token speaks for. An error that is not classified is about the token.
func (g *Gate) Verify(ctx context.Context, token string, now time.Time) (*auth.Caller, error) {
	return g.rules.Load().verify(ctx, token, now)
}

// Names reports whether a text may be the id of a token.
func (g *Gate) Names(id string) bool { return g.rules.Load().names(id) }

// verify returns who a token speaks for. One that names another issuer is verified by that issuer's keys only, any other by ours only. An
// error that is not classified is about the token.
func (r *ruling) verify(ctx context.Context, token string, now time.Time) (*auth.Caller, error) {
	if len(r.issuers) > 0 {
		if issuer := r.issuers[auth.IssuerOf(token)]; issuer != nil {
			return r.bearer(ctx, issuer, token, now)
		}
	}
	return r.tokens.Caller(token, now)
}

// names reports whether a text may be the id of a token.
func (r *ruling) names(id string) bool {
	return auth.IsTokenID(id) || len(r.issuers) > 0 && oidc.IsTokenID(id)
}

// bearer returns who a token of another issuer speaks for.
func (r *ruling) bearer(ctx context.Context, issuer *oidc.Issuer, token string, now time.Time) (*auth.Caller, error) {
	who, err := issuer.Verify(ctx, token, now)
	refusal, refused := errors.AsType[*oidc.Refusal](err)
	switch {
	case refused:
		return nil, placements.Errorf(placements.CodeUnauthorized, "This token of %s is refused: %s.", issuer.Name(), refusal.Reason).Because(err)
	case errors.Is(err, oidc.ErrNoKeys):
		e := placements.Errorf(placements.CodeUnavailable, "The keys of %s cannot be fetched right now; try again.", issuer.Name()).Because(err)
		e.RetryAfter = request.OutageRetry
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
func (r *ruling) trust(c *auth.Caller) bool {
	return !slices.ContainsFunc(c.Grounds, func(ground string) bool { return !r.Trusts(ground) })
}

// Trusts is auth.Trust's: a ground is one of our keys, or the entry of another issuer.
func (r *ruling) Trusts(ground string) bool {
	return r.Keys.Vouches(ground) || slices.ContainsFunc(r.Issuers, func(i *oidc.Issuer) bool { return i.Ground() == ground })
}
