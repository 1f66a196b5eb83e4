package google

import (
	"context"
	"errors"
	"net/http"

	"mooring/refresh/host"
	"mooring/refresh/host/rest"
)

var _ host.Identified = (*session)(nil)

// identityOf finds the developer metadata that says which document it is: the oldest, if several were added at once.
func (s *session) identityOf() (found metadata, ok bool) {
	for _, m := range s.stamps {
		if m.Key == host.DocumentKey && (!ok || m.ID < found.ID) {
			found, ok = m, true
		}
	}
	return found, ok
}

// Identity is host.Identified's.
func (s *session) Identity(ctx context.Context) (host.Identity, error) {
	if !s.known {
		page, err := s.overview(ctx, s.document)
		if err != nil {
			return host.Identity{}, err
		}
		s.learn(page, true)
	}
	m, _ := s.identityOf()
	return host.ParseIdentity(m.Value), nil
}

// Identify is host.Identified's.
func (s *session) Identify(i host.Identity) { s.identity = host.ParseIdentity(i.String()) }

// identityRequest has the document say which one it is, where it does not and has room for that.
func (w *writing) identityRequest(room int) map[string]any {
	old, ok := w.identityOf()
	text := w.identity.String()
	switch {
	case text == "" || w.silent || ok && old.Value == text:
		return nil
	case ok:
		return updateMetadata(old.ID, text)
	case room < len(host.DocumentKey)+len(text):
		return nil
	}
	return createMetadata(host.DocumentKey, text)
}

// isRefusedIdentity reports whether a batch was refused that would be sent again without what says which document it is: somebody may have
// taken the metadata away, or filled its room.
func (w *writing) isRefusedIdentity(err error) bool {
	var refused *rest.Refusal
	return errors.As(err, &refused) && refused.Status == http.StatusBadRequest && w.identityRequest(maxStamps) != nil
}
