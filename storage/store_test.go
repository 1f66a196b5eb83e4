package storage_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

var quiet = slog.New(slog.DiscardHandler)

func TestPartitionCountIsFixedAtTheFirstStart(t *testing.T) {
	address := storagetest.Redis(t)
	open := func(partitions int) error {
		s, err := storage.Open(t.Context(), storage.Config{Address: address, Partitions: partitions, Log: quiet})
		if err != nil {
			return err
		}
		return s.Close()
	}
	if err := open(4); err != nil {
		t.Fatal(err)
	}
	if err := open(4); err != nil {
		t.Errorf("the same count again: %v", err)
	}
	if err := open(0); err == nil || !strings.Contains(err.Error(), "4 partitions") || !strings.Contains(err.Error(), "16") {
		t.Errorf("another count: %v", err)
	}
	for _, count := range []int{-1, 100_000} {
		if err := open(count); err == nil || !strings.Contains(err.Error(), "not between") {
			t.Errorf("%d partitions: %v", count, err)
		}
	}
}

func TestTenantsKeepApart(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for _, tenant := range []string{"acme", "acme:d:1", "acme%3Ad%3A1", "globex", "{p00}", ""} {
			d := record.Deployment{Tenant: tenant, ID: 1}
			if r := create(t, s, d, withPublicID(named(tenant, ""), chosen)); r.ID != 1 || r.PublicID != chosen {
				t.Errorf("%q: the first report is %d with publicId %s", tenant, r.ID, r.PublicID)
			}
		}
	})
}

func TestUnreachableStorage(t *testing.T) {
	_, err := storage.Open(t.Context(), storage.Config{Address: "redis://" + storagetest.FreeAddr(t), Log: quiet})
	if !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestSilentStorageIsGivenUpAtTheDeadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = storage.Open(ctx, storage.Config{Address: storagetest.Addr(l.Addr().String()), Log: quiet})
	if !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if waited := time.Since(start); waited >= patience { // what the address allows
		t.Errorf("waited %v past a deadline of 200ms", waited)
	}
}

func TestStorageThatGoesAway(t *testing.T) {
	s, err := storage.Open(t.Context(), storage.Config{Address: "embedded", Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	r := create(t, s, shop, named("Sales", ""))
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"ping": func() error { return s.Ping(t.Context()) },
		"get":  func() error { _, err := s.Reports().Get(t.Context(), shop, r.ID); return err },
		"update": func() error {
			_, err := s.Reports().Update(t.Context(), shop, r.ID, named("x", ""), ada, anyone)
			return err
		},
		"upsert": func() error {
			_, err := s.Reports().Upsert(t.Context(), shop, chosen, named("x", ""), ada, anyone)
			return err
		},
		"list": func() error {
			_, err := pageOf(1, s.Reports().List(t.Context(), shop, record.ListQuery{First: 1}, everyReport))
			return err
		},
		"workbook": func() error { _, err := s.Workbooks().Get(t.Context(), shop, 1); return err },
		"settings": func() error { _, err := s.Tenants().Settings(t.Context(), "acme"); return err },
		"revoked":  func() error { _, err := s.Tenants().Revoked(t.Context(), "acme"); return err },
		"rate": func() error {
			_, err := s.Tenants().TakeRequest(t.Context(), "acme", "jti", record.Rate{PerSecond: 1, Burst: 1})
			return err
		},
		"idempotency": func() error {
			_, _, err := s.Tenants().BeginIdempotent(t.Context(), "acme", record.IdempotencyKey{Key: "key"}, nil)
			return err
		},
	} {
		if err := call(); !errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCancelledCallerIsNotAnOutage(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.Reports().Get(ctx, shop, 1); !errors.Is(err, context.Canceled) || errors.Is(err, storage.ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	})
}
