package layout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mooring/placements"
	"mooring/storage/engine"
	"mooring/storage/keys"
	"mooring/storage/record"
	"mooring/storage/redis"
)

// DocumentSite is what is recorded of where a document is, and the text of that for conditions; empty for a document without a link.
type DocumentSite struct {
	placements.Whereabouts
	ID, text string
}

// Sites knows where documents are, and where the reports of each deployment may be placed.
type Sites struct {
	db        *engine.DB
	known     *cache[string, DocumentSite] // by the tenant's prefix and an id of the document
	Documents map[record.Deployment]placements.Documents
}

// Forget forgets what this process remembers of where a document is.
func (s *Sites) Forget(k keys.TenantKeys, links ...*record.Link) {
	for _, l := range links {
		for _, id := range l.IDs {
			s.known.remove(k.Prefix + placements.LinkID(id))
		}
	}
}

// Bounded returns a *placements.Error, CodeDocument, for a placement in a spreadsheet where the configuration lets the deployment place
// nothing.
func (s *Sites) Bounded(d record.Deployment, p placements.Placement) error {
	if s.Documents[d].Allow(p) {
		return nil
	}
	const pointer = "/externalWorkbookId"
	message := fmt.Sprintf("Reports of deployment %d may not be placed in the spreadsheet %.80q: "+
		"choose one that documents in the configuration allows, or have it added there.", d.ID, p.WorkbookID)
	return placements.Faulty(placements.Detail{Pointer: pointer, Code: placements.CodeDocument, Message: message})
}

// Admitted reports whether documents in the configuration names the spreadsheet of p among those of the deployment.
func (s *Sites) Admitted(d record.Deployment, p placements.Placement) bool {
	return s.Documents[d].Admit(p)
}

// NewSites returns the sites of documents in db. documents bounds where the reports of each deployment may be placed.
func NewSites(db *engine.DB, documents map[record.Deployment]placements.Documents) *Sites {
	return &Sites{db, newCache[string, DocumentSite](maxHeads), documents}
}

// Of returns where the document with that id is, as this process last saw it unless fresh.
func (s *Sites) Of(ctx context.Context, k keys.TenantKeys, document string, fresh bool) (DocumentSite, error) {
	key := k.Prefix + placements.LinkID(document)
	if known, seen := s.known.get(key); seen && !fresh {
		known.ID = document
		return known, nil
	}
	text, err := s.db.Redis.HGet(ctx, k.Sites(), placements.LinkID(document)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return DocumentSite{}, redis.Unavailable(err)
	}
	at, err := ReadSite(document, text)
	if err == nil {
		s.known.put(key, at, 1)
	}
	return at, err
}

// OfAll returns where the documents with those ids are, in their order.
func (s *Sites) OfAll(ctx context.Context, k keys.TenantKeys, documents []string) ([]DocumentSite, error) {
	ids := make([]string, len(documents))
	for i, id := range documents {
		ids[i] = placements.LinkID(id)
	}
	texts, err := s.db.Redis.HMGet(ctx, k.Sites(), ids...).Result()
	if err != nil {
		return nil, redis.Unavailable(err)
	}
	sites := make([]DocumentSite, len(documents))
	for i, text := range texts {
		if sites[i], err = ReadSite(documents[i], redis.Text(text)); err != nil {
			return nil, err
		}
	}
	return sites, nil
}

// ReadSite makes the site of a document of its stored text; empty for none.
func ReadSite(document, text string) (DocumentSite, error) {
	at := DocumentSite{ID: document, text: text}
	if text == "" {
		return at, nil
	}
	if err := json.Unmarshal([]byte(text), &at.Whereabouts); err != nil {
		return at, fmt.Errorf("where the document %q is: %w", document, err)
	}
	return at, nil
}

// At calls write with where the document is that an id names, and again if that has changed since this process last saw it: what was
// decided then is not to be believed. Each call needs it unchanged, see DocumentSite.Need. An empty id is of no document.
func (s *Sites) At(ctx context.Context, k keys.TenantKeys, document string, write func(DocumentSite) error) error {
	if document == "" {
		return write(DocumentSite{})
	}
	at, err := s.Of(ctx, k, document, false)
	for tries := 0; err == nil; tries++ {
		failed := write(at)
		if failed == nil || errors.Is(failed, redis.ErrUnavailable) || tries == engine.ReadTries {
			return failed
		}
		now, unread := s.Of(ctx, k, document, true)
		if unread != nil || now.text == at.text {
			return failed
		}
		at = now
	}
	return err
}

// Need makes tx need that the document is where it was.
func (at DocumentSite) Need(tx *engine.Transaction, k keys.TenantKeys) {
	if at.ID != "" {
		tx.If(at.text, "HGET", k.Sites(), placements.LinkID(at.ID))
	}
}

// Home is the id by which the document is known.
func (at DocumentSite) Home() string {
	if at.Document != "" {
		return at.Document
	}
	return at.ID
}

// Aim returns a target with the Home of its document.
func (s *Sites) Aim(ctx context.Context, tenant string, t record.RunTarget) (record.RunTarget, error) {
	if t.ExternalWorkbookID == "" {
		return t, nil
	}
	var err error
	t.Home, err = s.Home(ctx, tenant, t.ExternalWorkbookID)
	return t, err
}

// Home returns the id by which the document is known that an id names: that id itself, unless it has a link.
func (s *Sites) Home(ctx context.Context, tenant, document string) (string, error) {
	at, err := s.Of(ctx, s.db.Tenant(tenant), document, true)
	return at.Home(), err
}
