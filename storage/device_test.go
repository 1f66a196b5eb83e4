package storage_test

import (
	"strings"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
)

func pairingOf(userCode string) *record.Pairing {
	now := time.Now()
	return &record.Pairing{
		UserCode: userCode, ClientName: "Laptop", State: record.PairingPending, Requested: now, Expires: now.Add(10 * time.Minute), Interval: 5,
	}
}

func TestPairing(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		add := func(deviceCode, userCode string, want bool) {
			t.Helper()
			if added, err := s.Tenants().AddPairing(t.Context(), deviceCode, pairingOf(userCode)); added != want || err != nil {
				t.Fatalf("added %t, %v", added, err)
			}
		}
		add("device1", "BCDFGHJK", true)
		add("device2", "BCDFGHJK", false) // the user code is taken
		if _, found, err := s.Tenants().Pairing(t.Context(), "device2"); found || err != nil {
			t.Errorf("the pairing without a user code: %t, %v", found, err)
		}
		p, found, err := s.Tenants().PairingOf(t.Context(), "BCDFGHJK")
		if !found || err != nil || p.ClientName != "Laptop" {
			t.Fatalf("%+v, %t, %v", p, found, err)
		}
		if n, err := s.Tenants().PendingPairings(t.Context()); n != 1 || err != nil {
			t.Errorf("%d are pending, %v", n, err)
		}
		late := *p
		p.State = record.PairingApproved
		if saved, err := s.Tenants().SavePairing(t.Context(), p); !saved || err != nil {
			t.Fatalf("%t, %v", saved, err)
		}
		late.State = record.PairingDenied
		if saved, err := s.Tenants().SavePairing(t.Context(), &late); saved || err != nil {
			t.Errorf("a writer that lost the race: %t, %v", saved, err)
		}
		if _, found, err := s.Tenants().PairingOf(t.Context(), "BCDFGHJK"); found || err != nil {
			t.Errorf("a user code is good once: %t, %v", found, err)
		}
		if n, err := s.Tenants().PendingPairings(t.Context()); n != 0 || err != nil {
			t.Errorf("%d are pending, %v", n, err)
		}
		p, _, err = s.Tenants().Pairing(t.Context(), "device1")
		if err != nil || p.State != record.PairingApproved {
			t.Fatalf("%+v, %v", p, err)
		}
		for _, want := range []bool{true, false} {
			if ended, err := s.Tenants().EndPairing(t.Context(), p); ended != want || err != nil {
				t.Errorf("ended %t, %v, want %t", ended, err, want)
			}
		}
	})
}

// Neither code is in the storage, nor does anything stay there.
func TestPairingsAreKeptUnderHashes(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		if _, err := s.Tenants().AddPairing(t.Context(), "DEVICECODE", pairingOf("BCDFGHJK")); err != nil {
			t.Fatal(err)
		}
		keys, err := s.Client().Keys(t.Context(), "*").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if strings.Contains(key, "DEVICECODE") || strings.Contains(key, "BCDFGHJK") {
				t.Errorf("key %s", key)
			}
			ttl := s.Client().TTL(t.Context(), key).Val()
			if strings.Contains(key, "{device}") && !strings.HasSuffix(key, ":pending") && (ttl <= 0 || ttl > 21*time.Minute) {
				t.Errorf("%s lives for %v", key, ttl)
			}
		}
	})
}

func TestDevices(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		now := time.Now()
		d := &record.Device{ID: "D1", Tenant: "acme", UserID: 7, Generation: 1, Expires: now.Add(time.Hour)}
		if err := s.Tenants().AddDevice(t.Context(), "ada", d); err != nil {
			t.Fatal(err)
		}
		list, err := s.Tenants().Devices(t.Context(), "acme", "ada")
		if err != nil || len(list) != 1 || list[0].UserID != 7 {
			t.Fatalf("%v, %v", list, err)
		}
		if list, err := s.Tenants().Devices(t.Context(), "acme", "bob"); err != nil || len(list) != 0 {
			t.Errorf("another's: %v, %v", list, err)
		}
		if _, found, err := s.Tenants().Device(t.Context(), "globex", "D1"); found || err != nil {
			t.Errorf("another tenant's: %t, %v", found, err)
		}
		first, second := *list[0], *list[0]
		first.Generation, second.Generation = 2, 3
		if saved, err := s.Tenants().SaveDevice(t.Context(), &first); !saved || err != nil {
			t.Fatalf("%t, %v", saved, err)
		}
		if saved, err := s.Tenants().SaveDevice(t.Context(), &second); saved || err != nil {
			t.Errorf("a writer that lost the race: %t, %v", saved, err)
		}
		if err := s.Tenants().EndDevice(t.Context(), "ada", &first, ada); err != nil {
			t.Fatal(err)
		}
		if _, found, err := s.Tenants().Device(t.Context(), "acme", "D1"); found || err != nil {
			t.Errorf("one that ended: %t, %v", found, err)
		}
		revoked, err := s.Tenants().Revoked(t.Context(), "acme")
		if err != nil || len(revoked) != 1 || revoked[0].TokenID != "D1" {
			t.Errorf("revoked: %v, %v", revoked, err)
		}
	})
}
