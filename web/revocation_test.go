package web

import (
	"net/http"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
	"mooring/web/auth"
)

func TestARevokedTokenIsRefusedWithinFiveSeconds(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		other := newAPI(t, a.store) // a second instance on the same storage
		now := time.Now()
		for _, s := range []*Server{a.server, other.server} {
			s.now = func() time.Time { return now }
		}
		token, id, err := a.keys.Sign(auth.Caller{Tenant: "acme", Actor: record.Actor{ID: 1, Actions: []string{"All"}}}, time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		a.tokens["revoked"], other.tokens["revoked"] = token, token
		ask := step{method: "GET", path: "/reports/1", as: "revoked"}
		for _, x := range []*api{a, other} {
			if w := x.send(ask); w.Code != http.StatusNotFound {
				t.Fatalf("before the revocation: %d %s", w.Code, w.Body)
			}
		}
		if err := a.store.Tenants().Revoke(t.Context(), "acme", id, now.Add(time.Hour), record.Actor{}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(5 * time.Second)
		for _, x := range []*api{a, other} {
			if w := x.send(ask); w.Code != http.StatusUnauthorized {
				t.Errorf("five seconds after the revocation: %d %s", w.Code, w.Body)
			}
			if w := x.send(step{method: "GET", path: "/reports/1"}); w.Code != http.StatusNotFound {
				t.Errorf("another token: %d %s", w.Code, w.Body)
			}
		}
	})
}

func TestARevocationIsForgottenWhenTheTokenHasExpired(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		past, future := time.Now().Add(-time.Minute), time.Now().Add(time.Hour)
		for id, until := range map[string]time.Time{"gone": past, "kept": future} {
			if err := s.Tenants().Revoke(t.Context(), "acme", id, until, record.Actor{}); err != nil {
				t.Fatal(err)
			}
		}
		ids, err := s.Tenants().Revoked(t.Context(), "acme")
		if err != nil || len(ids) != 1 || ids[0].TokenID != "kept" {
			t.Errorf("revoked: %v, %v", ids, err)
		}
		if ids, _ := s.Tenants().Revoked(t.Context(), "other"); len(ids) != 0 {
			t.Errorf("another tenant's: %v", ids)
		}
	})
}
