package storage_test

import (
	"sync"
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/storagetest"
)

func TestQuotasAreSharedAndNotExceeded(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		take := func(account string, n int) time.Duration {
			t.Helper()
			wait, err := s.Quotas().Take(t.Context(), account, 60, n)
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		start := time.Now()
		var mu sync.Mutex
		taken := 0
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				if take("a", 1) == 0 {
					mu.Lock()
					taken++
					mu.Unlock()
				}
			})
		}
		all.Wait()
		// A second refills one.
		if refilled := int(time.Since(start).Seconds()) + 1; taken < 60 || taken > 60+refilled {
			t.Errorf("%d of 100 requests at once were let through at 60 a minute", taken)
		}
		if wait := take("a", 30); wait < 29*time.Second-time.Since(start) || wait > 30*time.Second {
			t.Errorf("30 more are to wait %s, want just under 30s", wait)
		}
		if wait := take("b", 1); wait != 0 {
			t.Errorf("another account waits %s", wait)
		}
		if wait := take("c", 1000); wait != 0 {
			t.Errorf("more than a minute's requests at once wait %s, want to count as a minute's", wait)
		}
	})
}
