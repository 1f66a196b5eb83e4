package web

import (
	"context"
	"sync"
	"time"

	"mooring/storage/record"
)

// revocationAge is how old a tenant's list of revoked tokens may be when a request is judged by it. A revocation thus
// takes effect within this time on every instance; decisions.md §3 allows 5 s.
const revocationAge = 2 * time.Second

// revocationWait is how long a request waits for the list, a free connection included.
const revocationWait = 3 * time.Second

// Revocations says which tokens of a tenant are revoked; *storage.Store does.
type Revocations interface {
	// Revoked lists the tenant's revoked tokens that have not expired yet.
	Revoked(ctx context.Context, tenant string) ([]record.Revocation, error)
}

// revocations remembers each tenant's revoked token ids for revocationAge. When the store does not answer, requests are refused rather
// than judged by an old list.
type revocations struct {
	from Revocations
	now  func() time.Time

	mu       sync.Mutex
	byTenant map[string]revoked
}

// revoked is one tenant's list, as of asked.
type revoked struct {
	ids   map[string]struct{}
	asked time.Time
}

func newRevocations(from Revocations, now func() time.Time) *revocations {
	return &revocations{from: from, now: now, byTenant: map[string]revoked{}}
}

// holds reports whether the caller's token is revoked. Requests that find the list too old ask side by side: when the storage hangs,
// none waits for another.
func (r *revocations) holds(ctx context.Context, c *Caller) (bool, error) {
	list, asked := r.of(c.Tenant), r.now()
	if asked.Sub(list.asked) > revocationAge {
		ctx, cancel := context.WithTimeout(ctx, revocationWait)
		defer cancel()
		tokens, err := r.from.Revoked(ctx, c.Tenant)
		if err != nil {
			return false, err
		}
		list = revoked{ids: idsOf(tokens), asked: asked}
		r.keep(c.Tenant, list)
	}
	_, is := list.ids[c.TokenID]
	return is, nil
}

func (r *revocations) of(tenant string) revoked {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byTenant[tenant]
}

// keep remembers a list, unless a younger one is known.
func (r *revocations) keep(tenant string, list revoked) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byTenant[tenant].asked.Before(list.asked) {
		r.byTenant[tenant] = list
	}
}

func idsOf(tokens []record.Revocation) map[string]struct{} {
	m := make(map[string]struct{}, len(tokens))
	for _, t := range tokens {
		m[t.TokenID] = struct{}{}
	}
	return m
}
