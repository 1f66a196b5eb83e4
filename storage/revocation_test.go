package storage_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
	"mooring/storage/record"
)

func TestRevocation(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		now := time.Now()
		s.SetNow(func() time.Time { return now })
		revoke := func(tenant, id string, until time.Time) {
			t.Helper()
			if err := s.Tenants().Revoke(t.Context(), tenant, id, until, ada); err != nil {
				t.Fatal(err)
			}
		}
		want := func(tenant string, ids ...string) {
			t.Helper()
			list, err := s.Tenants().Revoked(t.Context(), tenant)
			var got []string
			for _, r := range list {
				got = append(got, r.TokenID)
			}
			if !cmp.Equal(got, ids) && len(got)+len(ids) > 0 || err != nil {
				t.Errorf("%s: %v, %v; want %v", tenant, got, err, ids)
			}
		}
		revoke("acme", "short", now.Add(time.Minute))
		revoke("acme", "long", now.Add(time.Hour))
		revoke("globex", "theirs", now.Add(time.Hour))
		want("acme", "short", "long")
		want("globex", "theirs")
		now = now.Add(2 * time.Minute)
		want("acme", "long")
		revoke("acme", "third", now.Add(30*time.Minute))
		want("acme", "third", "long")
		if n := s.Client().ZCard(t.Context(), s.RevokedKey("acme")).Val(); n != 2 {
			t.Errorf("%d ids are remembered, want the 2 that have not expired", n)
		}
		must(t, s.Tenants().Revoke(t.Context(), "acme", "long", now.Add(time.Hour), record.Actor{ID: 8, Email: "bob@example.com"}))
		list, err := s.Tenants().Revocations(t.Context(), "acme")
		must(t, err)
		for _, r := range list {
			if r.By == nil || r.By.ID != ada.ID {
				t.Errorf("%s was revoked by %+v, want who did it first", r.TokenID, r.By)
			}
		}
	})
}
