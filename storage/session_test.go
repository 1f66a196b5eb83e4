package storage_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
)

func TestASignInIsTakenOnce(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		want := record.SignIn{Nonce: "n", Verifier: "v", Browser: "b", Callback: "https://m.example/back", Next: "/console/"}
		if err := s.Tenants().AddSignIn(t.Context(), "state", &want, time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		var taken atomic.Int64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				got, found, err := s.Tenants().TakeSignIn(t.Context(), "state")
				if err != nil || found && *got != want {
					t.Errorf("%+v, %v", got, err)
				}
				if found {
					taken.Add(1)
				}
			})
		}
		all.Wait()
		if taken.Load() != 1 {
			t.Errorf("taken %d times", taken.Load())
		}
	})
}

func TestAPersonHasOneNumber(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		const login = "https://login.example.com"
		number := func(issuer, subject string) int64 {
			uid, err := s.Tenants().UserOf(t.Context(), "acme", issuer, subject)
			if err != nil || uid <= 1<<40 {
				t.Errorf("%d, %v", uid, err)
			}
			return uid
		}
		ana := number(login, "ana")
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if again := number(login, "ana"); again != ana {
					t.Errorf("ana is %d and %d", ana, again)
				}
			})
		}
		all.Wait()
		bob, namesake := number(login, "bob"), number("https://other.example.com", "ana")
		if bob == ana || namesake == ana || bob == namesake {
			t.Errorf("ana %d, bob %d, another issuer's ana %d", ana, bob, namesake)
		}
	})
}

func TestASessionIsKeptUntilItEnds(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for _, cookie := range []string{"first", "another"} {
			session := record.Session{CSRF: cookie, Expires: time.Now().Add(time.Hour), Tenant: "acme", Deployments: []int64{}}
			if err := s.Tenants().AddSession(t.Context(), cookie, "ana", &session); err != nil {
				t.Fatal(err)
			}
		}
		got, found, err := s.Tenants().Session(t.Context(), "first")
		if err != nil || !found || got.CSRF != "first" || got.Deployments == nil {
			t.Errorf("%+v %t %v", got, found, err)
		}
		if err := s.Tenants().EndSession(t.Context(), "first"); err != nil {
			t.Fatal(err)
		}
		if _, found, err := s.Tenants().Session(t.Context(), "first"); found || err != nil {
			t.Errorf("an ended one: %t %v", found, err)
		}
	})
}

// A holder has a bounded number of sessions: the next one ends the oldest, and no other holder's.
func TestAHoldersSessionsAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		begin := func(cookie, tenant, holder string) {
			t.Helper()
			session := record.Session{Tenant: tenant, Expires: time.Now().Add(time.Hour)}
			if err := s.Tenants().AddSession(t.Context(), cookie, holder, &session); err != nil {
				t.Fatal(err)
			}
		}
		lives := func(cookie string) bool {
			_, found, err := s.Tenants().Session(t.Context(), cookie)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		begin("bob", "acme", "bob")
		begin("another tenant's", "rival", "ana")
		begin("ended", "acme", "ana")
		if err := s.Tenants().EndSession(t.Context(), "ended"); err != nil {
			t.Fatal(err)
		}
		const most = 50
		for i := range most {
			begin(fmt.Sprint("ana", i), "acme", "ana")
		}
		if !lives("ana0") {
			t.Errorf("of %d sessions the first has ended", most)
		}
		for i := range 2 {
			begin(fmt.Sprint("more", i), "acme", "ana")
		}
		for cookie, want := range map[string]bool{
			"ana0": false, "ana1": false, "ana2": true, "ana49": true, "more0": true, "more1": true, "bob": true, "another tenant's": true,
		} {
			if got := lives(cookie); got != want {
				t.Errorf("session %s lives: %t, want %t", cookie, got, want)
			}
		}
	})
}
