package auth

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"mooring/storage/record"
)

// MostKeys is how many keys that are good a person may have made.
const MostKeys = 100

// ErrTooManyKeys is the error of a key that is one more than MostKeys.
var ErrTooManyKeys = errors.New("the person has made as many keys as one may")

// KeyStore keeps which keys people have made; *tenants.Records does.
type KeyStore interface {
	AddKey(ctx context.Context, tenant string, k *record.Key, who record.Actor) error
	Keys(ctx context.Context, tenant string) ([]*record.Key, error)
	UseKey(ctx context.Context, tenant, id string, at time.Time) error
	EndKey(ctx context.Context, tenant string, k *record.Key, who record.Actor) error
}

// KeyDesk makes keys for people: each acts for who made it, goes no further than what was chosen for it, and ends with the token with which
// it was made. It is safe for concurrent use.
type KeyDesk struct {
	store   KeyStore
	ring    *Keyring
	revoked *Revocations
	trust   Trust
}

// NewKeyDesk returns one that makes keys signed by ring.
func NewKeyDesk(store KeyStore, ring *Keyring, revoked *Revocations, trust Trust) *KeyDesk {
	return &KeyDesk{store: store, ring: ring, revoked: revoked, trust: trust}
}

// Make makes a key of c's that does what the grant says, which c has, for as long, but no longer than c's own token is good. ErrUnsigned if the
// service has no key to sign with, ErrTooManyKeys.
func (d *KeyDesk) Make(ctx context.Context, c *Caller, name string, g Grant, lasts time.Duration, now time.Time) (*record.Key, string, error) {
	list, err := d.Good(ctx, c.Tenant, now)
	if err != nil {
		return nil, "", err
	}
	own := func(k *record.Key) bool { return k.Owner == c.Identity() }
	if len(slices.DeleteFunc(list, func(k *record.Key) bool { return !own(k) })) >= MostKeys {
		return nil, "", ErrTooManyKeys
	}
	key := &record.Key{
		Name: name, Made: now, Expires: earlier(now.Add(lasts), c.Expires).Truncate(time.Second), // as tokens say it
		UserID: c.ID, Email: c.Email, FirstName: c.Name,
		Deployments: g.Deployments, Actions: g.Actions, Bound: g.Bounds(),
		Maker: c.TokenID, Grounds: c.Grounds, Owner: c.Identity(),
	}
	token, id, err := d.ring.Sign(Caller{
		Actor:  record.Actor{ID: c.ID, Email: c.Email, Name: c.Name, Roles: c.Roles, Actions: key.Actions, Bound: key.Bound},
		Tenant: c.Tenant, Subject: c.Subject, Deployments: key.Deployments, Approver: key.Maker, Grounds: key.Grounds,
	}, now, key.Expires.Sub(now))
	if err != nil {
		return nil, "", err
	}
	key.ID = id
	return key, token, d.store.AddKey(ctx, c.Tenant, key, c.Actor)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// Good lists the keys of a tenant that are good at that time, in no order: those that expired, that were revoked, and whose maker's token is
// trusted no longer are left out.
func (d *KeyDesk) Good(ctx context.Context, tenant string, now time.Time) ([]*record.Key, error) {
	list, err := d.store.Keys(ctx, tenant)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	revoked, err := d.revoked.ask(ctx, tenant, now)
	distrusted := func(ground string) bool { return !d.trust.Trusts(ground) }
	return slices.DeleteFunc(list, func(k *record.Key) bool {
		return !now.Before(k.Expires) || revoked.include(k.ID) || revoked.includeApprover(k.Maker) || slices.ContainsFunc(k.Grounds, distrusted)
	}), err
}

// End ends a key within seconds, as who asks for it.
func (d *KeyDesk) End(ctx context.Context, tenant string, k *record.Key, who record.Actor) error {
	return d.store.EndKey(ctx, tenant, k, who)
}

// useNoted is how long a use of a key stands for those that follow, and mostUsed of how many keys that is remembered.
const (
	useNoted = 10 * time.Minute
	mostUsed = 10_000
)

// KeyUses tells a store, now and then, that keys which people have made are used. It is safe for concurrent use.
type KeyUses struct {
	store KeyStore

	mu    sync.Mutex
	noted map[string]time.Time // by id
}

// NewKeyUses returns one that has told of none.
func NewKeyUses(store KeyStore) *KeyUses {
	return &KeyUses{store: store, noted: map[string]time.Time{}}
}

// Note tells of a use, if the caller's token is such a key. That a store does not take it keeps no request from being answered.
func (u *KeyUses) Note(ctx context.Context, c *Caller, now time.Time) {
	if c.Made() && u.due(c.TokenID, now) {
		_ = u.store.UseKey(context.WithoutCancel(ctx), c.Tenant, c.TokenID, now)
	}
}

// due reports whether a use is to be told, and takes it for told.
func (u *KeyUses) due(id string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if before, told := u.noted[id]; told && now.Sub(before) < useNoted {
		return false
	}
	if len(u.noted) >= mostUsed {
		clear(u.noted)
	}
	u.noted[id] = now
	return true
}
