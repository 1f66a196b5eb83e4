package storage_test

import (
	"testing"
	"time"

	"mooring/storage"
	"mooring/storage/record"
)

func TestRateLimit(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		rate := record.Rate{PerSecond: 0.001, Burst: 3} // so slow that none comes back during the test
		left := map[string]int{}                        // what is to be left after the next one
		take := func(token string) time.Duration {
			t.Helper()
			taken, err := s.TakeRequest(t.Context(), "acme", token, rate)
			if err != nil {
				t.Fatal(err)
			}
			if taken.Left != left[token] || taken.Full > 1000*time.Second*time.Duration(rate.Burst-taken.Left) {
				t.Errorf("%d requests are left, a burst in %v; want %d", taken.Left, taken.Full, left[token])
			}
			return taken.Wait
		}
		for i := range rate.Burst {
			left["ada"] = rate.Burst - i - 1
			if wait := take("ada"); wait != 0 {
				t.Errorf("request %d of a burst of %d waits %v", i+1, rate.Burst, wait)
			}
		}
		for range 2 { // what is refused costs nothing
			if wait := take("ada"); wait <= 500*time.Second || wait > 1000*time.Second {
				t.Errorf("one too many waits %v, want nearly 1000s", wait)
			}
		}
		left["bob"] = rate.Burst - 1
		if wait := take("bob"); wait != 0 {
			t.Errorf("another token waits %v", wait)
		}
	})
}

func TestRateLimitLetsThroughAgain(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		rate := record.Rate{PerSecond: 5, Burst: 1}
		var taken record.Taken
		for deadline := time.Now().Add(patience); ; {
			var err error
			if taken, err = s.TakeRequest(t.Context(), "acme", "ada", rate); err != nil || time.Now().After(deadline) {
				t.Fatalf("%+v, %v", taken, err)
			}
			if taken.Wait > 0 {
				break
			}
		}
		<-time.After(taken.Wait)
		if taken, err := s.TakeRequest(t.Context(), "acme", "ada", rate); taken.Wait != 0 || err != nil {
			t.Errorf("after the wait it told: %+v, %v", taken, err)
		}
	})
}
