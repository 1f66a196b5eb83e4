package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// site is what is recorded of where a document is, and the text of that for conditions; empty for a document without a link.
type site struct {
	placements.Whereabouts
	document, text string
}

// siteOf returns where the document with that id is, as this process last saw it unless fresh.
func (s *Store) siteOf(ctx context.Context, k keys.TenantKeys, document string, fresh bool) (site, error) {
	key := k.Prefix + placements.LinkID(document)
	if known, seen := s.sites.get(key); seen && !fresh {
		known.document = document
		return known, nil
	}
	text, err := s.rdb.HGet(ctx, k.Sites(), placements.LinkID(document)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return site{}, redis.Unavailable(err)
	}
	at, err := readSite(document, text)
	if err == nil {
		s.sites.put(key, at, 1)
	}
	return at, err
}

// sitesOf returns where the documents with those ids are, in their order.
func (s *Store) sitesOf(ctx context.Context, k keys.TenantKeys, documents []string) ([]site, error) {
	ids := make([]string, len(documents))
	for i, id := range documents {
		ids[i] = placements.LinkID(id)
	}
	texts, err := s.rdb.HMGet(ctx, k.Sites(), ids...).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	sites := make([]site, len(documents))
	for i, text := range texts {
		if sites[i], err = readSite(documents[i], redis.Text(text)); err != nil {
			return nil, err
		}
	}
	return sites, nil
}

func readSite(document, text string) (site, error) {
	at := site{document: document, text: text}
	if text == "" {
		return at, nil
	}
	if err := json.Unmarshal([]byte(text), &at.Whereabouts); err != nil {
		return at, fmt.Errorf("where the document %q is: %w", document, err)
	}
	return at, nil
}

// atSite calls write with where the document is that an id names, and again if that has changed since this process last saw it: what was
// decided then is not to be believed. Each call needs it unchanged, see site.need. An empty id is of no document.
func (s *Store) atSite(ctx context.Context, k keys.TenantKeys, document string, write func(site) error) error {
	if document == "" {
		return write(site{})
	}
	at, err := s.siteOf(ctx, k, document, false)
	for tries := 0; err == nil; tries++ {
		failed := write(at)
		if failed == nil || errors.Is(failed, ErrUnavailable) || tries == readTries {
			return failed
		}
		now, unread := s.siteOf(ctx, k, document, true)
		if unread != nil || now.text == at.text {
			return failed
		}
		at = now
	}
	return err
}

// need makes tx need that the document is where it was.
func (at site) need(tx *txn, k keys.TenantKeys) {
	if at.document != "" {
		tx.If(at.text, "HGET", k.Sites(), placements.LinkID(at.document))
	}
}

// home is the id by which the document is known.
func (at site) home() string {
	if at.Document != "" {
		return at.Document
	}
	return at.document
}

// Aim returns a target with the Home of its document.
func (s *Store) Aim(ctx context.Context, tenant string, t record.RunTarget) (record.RunTarget, error) {
	if t.ExternalWorkbookID == "" {
		return t, nil
	}
	var err error
	t.Home, err = s.Home(ctx, tenant, t.ExternalWorkbookID)
	return t, err
}

// Home returns the id by which the document is known that an id names: that id itself, unless it has a link.
func (s *Store) Home(ctx context.Context, tenant, document string) (string, error) {
	at, err := s.siteOf(ctx, s.tenant(tenant), document, true)
	return at.home(), err
}
