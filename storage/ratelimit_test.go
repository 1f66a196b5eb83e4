package storage_test

import (
	"testing"
	"time"

	"mooring/storage"
)

func TestRateLimit(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		rate := storage.Rate{PerSecond: 0.5, Burst: 3} // so slow that none comes back during the test
		take := func(token string) time.Duration {
			t.Helper()
			wait, err := s.TakeRequest(t.Context(), "acme", token, rate)
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		for i := range rate.Burst {
			if wait := take("ada"); wait != 0 {
				t.Errorf("request %d of a burst of %d waits %v", i+1, rate.Burst, wait)
			}
		}
		for range 2 { // what is refused costs nothing
			if wait := take("ada"); wait <= time.Second || wait > 2*time.Second {
				t.Errorf("one too many waits %v, want nearly 2s", wait)
			}
		}
		if wait := take("bob"); wait != 0 {
			t.Errorf("another token waits %v", wait)
		}
	})
}

func TestRateLimitLetsThroughAgain(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		rate := storage.Rate{PerSecond: 50, Burst: 1}
		var wait time.Duration
		for deadline := time.Now().Add(10 * time.Second); ; {
			var err error
			if wait, err = s.TakeRequest(t.Context(), "acme", "ada", rate); err != nil || time.Now().After(deadline) {
				t.Fatalf("wait %v, %v", wait, err)
			}
			if wait > 0 {
				break
			}
		}
		<-time.After(wait)
		if wait, err := s.TakeRequest(t.Context(), "acme", "ada", rate); wait != 0 || err != nil {
			t.Errorf("after the wait it told: %v, %v", wait, err)
		}
	})
}
