package storage_test

import (
	"errors"
	"sync"
	"testing"

	"mooring/storage/storagetest"
)

// Goroutines that count and look at the same time find nothing lost; a count that went back is noticed, and stays noted.
func TestACountThatWentBackTellsThatTheStorageFellBack(t *testing.T) {
	s := storagetest.Open(t, storagetest.Redis(t))
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		all.Go(func() {
			for range 100 {
				s.LeaveWitness(t.Context(), "acme")
				if since, err := s.BehindSince(t.Context(), "acme"); err != nil || since != "" {
					failed <- errors.Join(err, errors.New("behind since "+since))
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	rdb := s.Client()
	found, err := rdb.Keys(t.Context(), "*witness:*").Result()
	if err != nil || len(found) == 0 {
		t.Fatalf("%q, %v", found, err)
	}
	for _, key := range found {
		must(t, rdb.DecrBy(t.Context(), key, 1).Err())
	}
	since, err := s.BehindSince(t.Context(), "acme")
	if err != nil || since == "" {
		t.Fatalf("%q, %v", since, err)
	}
	s.LeaveWitness(t.Context(), "acme")
	if again, err := s.BehindSince(t.Context(), "acme"); err != nil || again != since {
		t.Errorf("then %q, %v; want %q", again, err, since)
	}
}
