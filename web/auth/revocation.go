package auth

import (
	"context"
	"strings"
	"sync"
	"time"

	"mooring/storage/record"
)

// revocationAge is how old a tenant's list of revoked tokens may be when a request is judged by it. A revocation thus
// takes effect within this time on every instance; decisions.md §3 allows 5 s.
const revocationAge = 2 * time.Second

// UnknownExpiry is how long the revocation of a token is remembered of which only the id is known.
const UnknownExpiry = 10 * 365 * 24 * time.Hour

// IsTokenID reports whether text has the form of a token's id (jti) as Keyring.Sign makes it.
func IsTokenID(text string) bool {
	return len(text) == tokenIDLength && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

const tokenIDLength = 26

// RevocationSource says which tokens of a tenant are revoked; *storage.Store does.
type RevocationSource interface {
	// Revoked returns the tenant's revoked tokens that have not expired yet.
	Revoked(ctx context.Context, tenant string) ([]record.Revocation, error)
}

// Revocations is a cache of each tenant's revoked tokens. When their source does not answer, requests fail rather than being judged by an
// old list. It is safe for concurrent use.
type Revocations struct {
	from RevocationSource

	mu       sync.Mutex
	byTenant map[string]revokedTokens
}

// revokedTokens is one tenant's list, as of asked.
type revokedTokens struct {
	ids   map[string]bool
	jtis  map[string]bool // of those that name their issuer
	asked time.Time
}

// include reports whether a token is among them, named by its id or, as who may revoke any token does, by its jti alone.
func (r *revokedTokens) include(id string) bool { return r.ids[id] || r.ids[record.JTI(id)] }

// includeApprover reports whether the token with which a device was approved is among them. A device that was approved before issuers were
// part of ids does not say of which issuer the token was: it may be any's, unless it has the form of ours.
func (r *revokedTokens) includeApprover(id string) bool {
	return r.include(id) || r.jtis[id] && !IsTokenID(id)
}

// NewRevocations makes an empty cache.
func NewRevocations(from RevocationSource) *Revocations {
	return &Revocations{from: from, byTenant: map[string]revokedTokens{}}
}

// Include reports whether the caller's token is revoked; or, for a device, its pairing or the token with which it was approved; or, for a key
// that was made, the token with which that was. Requests that find the list too old ask side by side: when the source hangs, none waits for
// another.
func (r *Revocations) Include(ctx context.Context, c *Caller, now time.Time) (bool, error) {
	list := r.of(c.Tenant)
	if now.Sub(list.asked) > revocationAge {
		var err error
		if list, err = r.ask(ctx, c.Tenant, now); err != nil {
			return false, err
		}
	}
	return list.include(c.TokenID) || list.include(c.Device) || list.includeApprover(c.Approver), nil
}

// ask returns a tenant's list as it is now.
func (r *Revocations) ask(ctx context.Context, tenant string, now time.Time) (revokedTokens, error) {
	tokens, err := r.from.Revoked(ctx, tenant)
	if err != nil {
		return revokedTokens{}, err
	}
	list := newRevokedTokens(tokens, now)
	r.keep(tenant, list)
	return list, nil
}

func (r *Revocations) of(tenant string) revokedTokens {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byTenant[tenant]
}

// keep caches a list, unless a younger one is there.
func (r *Revocations) keep(tenant string, list revokedTokens) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byTenant[tenant].asked.Before(list.asked) {
		r.byTenant[tenant] = list
	}
}

func newRevokedTokens(tokens []record.Revocation, asked time.Time) revokedTokens {
	made := revokedTokens{ids: make(map[string]bool, len(tokens)), jtis: map[string]bool{}, asked: asked}
	for _, t := range tokens {
		made.ids[t.TokenID] = true
		if record.IssuerOf(t.TokenID) != "" {
			made.jtis[record.JTI(t.TokenID)] = true
		}
	}
	return made
}
