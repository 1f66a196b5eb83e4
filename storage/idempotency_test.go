package storage_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mooring/storage"
)

func TestIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		begin := func(tenant, scope, key, body string) (*storage.Attempt, *storage.Response, error) {
			return s.BeginIdempotent(t.Context(), tenant, scope, key, []byte(body))
		}
		first, _, err := begin("acme", "ada POST /x", "k", "body")
		if first == nil || err != nil {
			t.Fatalf("the first request: %v", err)
		}
		_, _, err = begin("acme", "ada POST /x", "k", "body")
		wantConflict(t, err, storage.CodeInFlight)
		if _, _, err := begin("acme", "ada POST /x", "k", "other body"); !errors.Is(err, storage.ErrOtherBody) {
			t.Errorf("another body in flight: %v", err)
		}
		response := storage.Response{Status: 200, Header: map[string]string{"ETag": `"1"`}, Body: []byte(`{"id":1}`)}
		if err := first.Finish(t.Context(), response); err != nil {
			t.Fatal(err)
		}
		attempt, again, err := begin("acme", "ada POST /x", "k", "body")
		if attempt != nil || err != nil {
			t.Errorf("a repetition is a first request: %v", err)
		}
		if diff := cmp.Diff(&response, again); diff != "" {
			t.Error(diff)
		}
		if _, _, err := begin("acme", "ada POST /x", "k", "other body"); !errors.Is(err, storage.ErrOtherBody) {
			t.Errorf("another body: %v", err)
		}
		for _, apart := range [][3]string{{"globex", "ada POST /x", "k"}, {"acme", "bob POST /x", "k"}, {"acme", "ada POST /x", "k2"}, {"acme", "ada POST /", "xk"}} {
			if attempt, _, err := begin(apart[0], apart[1], apart[2], "body"); attempt == nil || err != nil {
				t.Errorf("%v is the same request: %v", apart, err)
			}
		}
	})
}

func TestAbandonedIdempotencyKeyIsFree(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		for range 2 {
			attempt, _, err := s.BeginIdempotent(t.Context(), "acme", "scope", "k", nil)
			if attempt == nil || err != nil {
				t.Fatalf("not free: %v", err)
			}
			if err := attempt.Abandon(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestLateAttemptDoesNotTouchTheNextOne(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		late, _, err := s.BeginIdempotent(t.Context(), "acme", "scope", "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.ExpireIdempotency(t, "acme")
		if next, _, err := s.BeginIdempotent(t.Context(), "acme", "scope", "k", nil); next == nil || err != nil {
			t.Fatalf("the claim of a dead process holds: %v", err)
		}
		for _, end := range []func() error{
			func() error { return late.Finish(t.Context(), storage.Response{Status: 200}) },
			func() error { return late.Abandon(t.Context()) },
		} {
			if err := end(); err != nil {
				t.Fatal(err)
			}
			_, _, err = s.BeginIdempotent(t.Context(), "acme", "scope", "k", nil)
			wantConflict(t, err, storage.CodeInFlight)
		}
	})
}

func TestIdempotencyKeyOfManyAtOnceHasOneFirst(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		var first atomic.Int32
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				if attempt, _, _ := s.BeginIdempotent(t.Context(), "acme", "scope", "k", nil); attempt != nil {
					first.Add(1)
				}
			})
		}
		wg.Wait()
		if first.Load() != 1 {
			t.Errorf("%d requests were the first", first.Load())
		}
	})
}

func TestIdempotencyRecordsExpire(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		attempt, _, err := s.BeginIdempotent(t.Context(), "acme", "scope", "k", nil)
		if err != nil {
			t.Fatal(err)
		}
		if ttl := s.IdempotencyTTL(t, "acme"); ttl <= time.Minute || ttl > 2*time.Minute {
			t.Errorf("in flight it is kept for %v", ttl)
		}
		if err := attempt.Finish(t.Context(), storage.Response{Status: 200}); err != nil {
			t.Fatal(err)
		}
		if ttl := s.IdempotencyTTL(t, "acme"); ttl <= 23*time.Hour || ttl > 24*time.Hour {
			t.Errorf("answered it is kept for %v", ttl)
		}
	})
}
