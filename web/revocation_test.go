package web

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

func TestARevokedTokenIsRefusedWithinFiveSeconds(t *testing.T) {
	each(t, func(t *testing.T, a *api) {
		other := newAPI(t, a.store) // a second instance on the same storage
		now := time.Now()
		for _, s := range []*Server{a.server, other.server} {
			s.revocations.now = func() time.Time { return now }
		}
		token, id, err := a.keys.Sign(Caller{Tenant: "acme", UserID: 1, Actions: []string{"All"}}, time.Hour)
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
		if err := a.store.Revoke(t.Context(), "acme", id, now.Add(time.Hour)); err != nil {
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
			if err := s.Revoke(t.Context(), "acme", id, until); err != nil {
				t.Fatal(err)
			}
		}
		ids, err := s.Revoked(t.Context(), "acme")
		if err != nil || len(ids) != 1 || ids[0].TokenID != "kept" {
			t.Errorf("revoked: %v, %v", ids, err)
		}
		if ids, _ := s.Revoked(t.Context(), "other"); len(ids) != 0 {
			t.Errorf("another tenant's: %v", ids)
		}
	})
}

// silent is a store of revocations that counts the questions and answers the last ones with an error.
type silent struct{ asked, answers int }

func (s *silent) Revoked(context.Context, string) ([]record.Revocation, error) {
	s.asked++
	if s.asked > s.answers {
		return nil, errors.New("no answer")
	}
	return nil, nil
}

func TestRevocationsAreAskedOnceInAWhileAndFailClosed(t *testing.T) {
	from, now := &silent{answers: 1}, time.Now()
	r := newRevocations(from, func() time.Time { return now })
	c := &Caller{Tenant: "acme", TokenID: "j"}
	for range 10 {
		if held, err := r.holds(t.Context(), c); held || err != nil {
			t.Fatal(held, err)
		}
	}
	if from.asked != 1 {
		t.Errorf("asked %d times within the age of a list", from.asked)
	}
	now = now.Add(revocationAge + time.Millisecond)
	if _, err := r.holds(t.Context(), c); err == nil {
		t.Error("an old list was used when the store did not answer")
	}
}
