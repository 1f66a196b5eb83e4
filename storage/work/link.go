package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/journal"
	"mooring/storage/keys"
	"mooring/storage/layout"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// Links keeps where documents are.
type Links struct {
	db     *engine.DB
	reader *layout.Reader
	sites  *layout.Sites
}

// NewLinks returns the links of a storage.
func NewLinks(db *engine.DB, reader *layout.Reader, sites *layout.Sites) *Links {
	return &Links{db, reader, sites}
}

// Get returns what is known of where the document is that an id names, nil for nothing.
func (s *Links) Get(ctx context.Context, tenant, document string) (*record.Link, error) {
	k := s.db.Tenant(tenant)
	at, err := s.sites.Of(ctx, k, document, true)
	if err != nil {
		return nil, err
	}
	identity := document
	if at.Identity != "" {
		identity = at.Identity
	}
	l, _, err := s.readLink(ctx, k, identity)
	return l, err
}

// Of returns what is known of where the document is that says that it is this one, nil for nothing.
func (s *Links) Of(ctx context.Context, tenant, identity string) (*record.Link, error) {
	l, _, err := s.readLink(ctx, s.db.Tenant(tenant), identity)
	return l, err
}

// OfAll returns what is known of where documents are, by those of their ids that are asked for.
func (s *Links) OfAll(ctx context.Context, tenant string, documents []string) (map[string]*record.Link, error) {
	links := map[string]*record.Link{}
	if len(documents) == 0 {
		return links, nil
	}
	k, identities := s.db.Tenant(tenant), make([]string, len(documents))
	sites, err := s.sites.OfAll(ctx, k, documents)
	if err != nil {
		return nil, err
	}
	for i, at := range sites {
		identities[i] = cmp.Or(at.Identity, placements.LinkID(documents[i]))
	}
	texts, err := s.db.Redis.HMGet(ctx, k.Links(), identities...).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	for i, text := range texts {
		l, err := decodeLink(identities[i], redis.Text(text))
		if err != nil {
			return nil, err
		}
		if l != nil {
			links[documents[i]] = l
		}
	}
	return links, nil
}

func (s *Links) readLink(ctx context.Context, k keys.TenantKeys, identity string) (l *record.Link, text string, err error) {
	text, err = s.db.Redis.HGet(ctx, k.Links(), placements.LinkID(identity)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, "", redis.Unavailable(err)
	}
	l, err = decodeLink(identity, text)
	return l, text, err
}

func decodeLink(identity, text string) (l *record.Link, err error) {
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return nil, fmt.Errorf("link of document %s: %w", identity, err)
	}
	return l, nil
}

// The most documents that are looked for at once.
const (
	userLooks   = 10
	tenantLooks = 200
)

// LinkChange is a change to a link.
type LinkChange struct {
	Look time.Time // when to look for the document next; zero: not any more, or never
	// Looking is the user for whom it is being looked for from now on, or 0.
	Looking int64
	By      record.Actor // who changes where the document is, for the audit
}

// Change changes what is known of where a document is, in one step: change is asked with a copy of it, of a new one if there is none, and
// again when another writer was faster; its errors are returned as they are. Other errors: the *placements.Error CodeLooksLimit. A new one
// has the identity as links know it, and is known by the one that was sent, as which it is recorded.
func (s *Links) Change(
	ctx context.Context, tenant, identity string, change func(l *record.Link) (LinkChange, error),
) (l *record.Link, err error) {
	k, home := s.db.Tenant(tenant), identity
	identity = placements.LinkID(identity)
	for range writeTries {
		var text string
		if l, text, err = s.readLink(ctx, k, identity); err != nil {
			return nil, err
		}
		var before record.Link
		if l == nil {
			l = &record.Link{Identity: identity, Home: home, State: record.LinkNotFound, Since: s.db.Timestamp()}
		} else {
			before = *l
		}
		c, err := change(l)
		if err != nil {
			return nil, err
		}
		c = s.goOn(l, c)
		if l.State != before.State {
			l.Since = s.db.Timestamp()
		}
		var tx engine.Transaction
		tx.If(text, "HGET", k.Links(), identity)
		if err := s.countLook(ctx, &tx, k, identity, c.Looking); err != nil {
			return nil, err
		}
		tx.Set(k.Links(), identity, l)
		s.schedule(&tx, k, identity, c)
		resite(&tx, k, &before, l)
		noteLink(&tx, k, c.By, &before, l)
		if _, err = s.db.Write(ctx, &tx); !errors.Is(err, engine.ErrOvertaken) {
			s.sites.Forget(k, &before, l)
			return l, err
		}
	}
	return nil, engine.ErrBusy
}

// goOn has what is left to do of a link done, whatever a change to it says.
func (s *Links) goOn(l *record.Link, c LinkChange) LinkChange {
	const soon = 30 * time.Second // who changed it goes on itself; else it is found due
	asks := l.Ask != nil && l.Ask.ToldAt == ""
	switch {
	case !c.Look.IsZero():
	case asks || len(l.Unsettled) > 0:
		c.Look = s.db.Now().Add(soon)
	case l.Ask != nil && l.State != record.LinkLinked:
		c.Look = s.db.Now().Add(time.Hour)
	}
	if asks && c.Looking == 0 {
		c.Looking = l.Ask.By
	}
	return c
}

// writeTries is how often a change to a link is decided anew.
const writeTries = 20

// countLook makes tx need that no more documents are looked for at once than may be.
func (s *Links) countLook(ctx context.Context, tx *engine.Transaction, k keys.TenantKeys, identity string, user int64) error {
	if user == 0 {
		return nil
	}
	looks, err := s.db.Redis.HGetAll(ctx, k.Looks()).Result()
	if err != nil {
		return redis.Unavailable(err)
	}
	tx.If(len(looks), "HLEN", k.Looks())
	delete(looks, identity)
	own := 0
	for _, of := range looks {
		if of == fmt.Sprint(user) {
			own++
		}
	}
	if own < userLooks && len(looks) < tenantLooks {
		return nil
	}
	refused := placements.Errorf(placements.CodeLooksLimit,
		"%d documents of yours, and %d of all, are being looked for: ask again once some of them are found, in a minute.", own, len(looks))
	refused.RetryAfter = time.Minute
	return refused
}

// schedule adds when a document is looked for next, and that it is being looked for.
func (s *Links) schedule(tx *engine.Transaction, k keys.TenantKeys, identity string, c LinkChange) {
	if c.Look.IsZero() {
		tx.Then("ZREM", k.Due(), k.DueLook(identity))
	} else {
		tx.Then("ZADD", k.Due(), c.Look.UnixMilli(), k.DueLook(identity))
	}
	if c.Looking != 0 {
		tx.Then("HSET", k.Looks(), identity, c.Looking)
	} else {
		tx.Then("HDEL", k.Looks(), identity)
	}
}

// resite adds that the ids of a document lead where its link says, and those that it had before nowhere.
func resite(t *engine.Transaction, k keys.TenantKeys, before, now *record.Link) {
	for _, id := range before.IDs {
		if !slices.Contains(now.IDs, id) {
			t.Then("HDEL", k.Sites(), placements.LinkID(id))
		}
	}
	for _, id := range now.IDs {
		t.Set(k.Sites(), placements.LinkID(id), now.Whereabouts())
	}
}

// noteLink adds to the tenant's audit that a document is linked, to another file, or not any more.
func noteLink(t *engine.Transaction, k keys.TenantKeys, by record.Actor, before, now *record.Link) {
	moved := now.Target != before.Target || now.Spreadsheets != before.Spreadsheets
	switch {
	case now.Target != "" && moved:
		t.Fails(journal.Note(&t.Txn, k.Audit(), journal.Of(by, journal.Link, journal.OfDocument(now))))
	case now.Target == "" && moved, now.Unlinked && !before.Unlinked:
		was := *before
		was.Identity = now.Identity
		t.Fails(journal.Note(&t.Txn, k.Audit(), journal.Of(by, journal.Unlink, journal.OfDocument(&was))))
	}
}

// KeepNonce keeps the nonce with which an add-in names a document, if it is the first one.
func (s *Links) KeepNonce(ctx context.Context, tenant, identity, hash string) error {
	l, _, err := s.readLink(ctx, s.db.Tenant(tenant), identity)
	if err != nil || l != nil && l.Nonce != "" {
		return err
	}
	_, err = s.Change(ctx, tenant, identity, func(l *record.Link) (LinkChange, error) {
		if l.Nonce == "" {
			l.Nonce = hash
		}
		return LinkChange{}, nil
	})
	return err
}

// HoldLook leases a document that is due to be looked for: others find it due again after that.
func (s *Links) HoldLook(ctx context.Context, tenant, identity string, lease time.Duration) error {
	k := s.db.Tenant(tenant)
	due := redis.Z{Score: float64(s.db.Now().Add(lease).UnixMilli()), Member: k.DueLook(identity)}
	return redis.Unavailable(s.db.Redis.ZAddXX(ctx, k.Due(), due).Err())
}

// ForgetLook takes a document off what is due that is not to be looked for.
func (s *Links) ForgetLook(ctx context.Context, tenant, identity string) error {
	k := s.db.Tenant(tenant)
	return redis.Unavailable(s.db.Redis.ZRem(ctx, k.Due(), k.DueLook(identity)).Err())
}
