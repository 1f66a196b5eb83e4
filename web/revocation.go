package web

import (
	"context"
	"sync"
	"time"
)

// revocationAge is how old a tenant's list of revoked tokens may be when a request is judged by it. A revocation thus
// takes effect within this time on every instance; decisions.md §3 allows 5 s.
const revocationAge = 2 * time.Second

// Revocations says which tokens of a tenant are revoked; *storage.Store does.
type Revocations interface {
	// Revoked returns the ids (jti) of the tenant's revoked tokens that have not expired yet.
	Revoked(ctx context.Context, tenant string) ([]string, error)
}

// revocations remembers each tenant's revoked token ids for revocationAge. When the store does not answer, requests are refused rather
// than judged by an old list.
type revocations struct {
	from Revocations
	now  func() time.Time

	mu       sync.Mutex
	byTenant map[string]*revoked
}

// revoked is one tenant's list; its lock makes a refresh happen once however many requests wait for it.
type revoked struct {
	mu    sync.Mutex
	ids   map[string]struct{}
	asked time.Time
}

func newRevocations(from Revocations, now func() time.Time) *revocations {
	return &revocations{from: from, now: now, byTenant: map[string]*revoked{}}
}

// holds tells whether the caller's token is revoked.
func (r *revocations) holds(ctx context.Context, c *Caller) (bool, error) {
	list := r.of(c.Tenant)
	list.mu.Lock()
	defer list.mu.Unlock()
	if asked := r.now(); asked.Sub(list.asked) > revocationAge {
		ids, err := r.from.Revoked(ctx, c.Tenant)
		if err != nil {
			return false, err
		}
		list.ids, list.asked = idSet(ids), asked
	}
	_, is := list.ids[c.TokenID]
	return is, nil
}

func (r *revocations) of(tenant string) *revoked {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, known := r.byTenant[tenant]
	if !known {
		list = &revoked{}
		r.byTenant[tenant] = list
	}
	return list
}

func idSet(ids []string) map[string]struct{} {
	m := make(map[string]struct{}, len(ids))
	for _, id := range ids {
		m[id] = struct{}{}
	}
	return m
}
