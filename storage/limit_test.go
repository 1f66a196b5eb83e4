package storage_test

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// withLimits runs test on a storage that holds schedules to limits, with a report of that id.
func withLimits(t *testing.T, l record.ScheduleLimits, test func(t *testing.T, s *storage.Store, report int64)) {
	t.Helper()
	for name, address := range map[string]func(testing.TB) string{
		"embedded": func(testing.TB) string { return "embedded" },
		"redis":    storagetest.Redis,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := storage.Open(t.Context(), storage.Config{Address: address(t), Log: slog.New(slog.DiscardHandler), Schedules: l})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			test(t, s, create(t, s, shop, named("Sales", "select 1")).ID)
		})
	}
}

func schedule(t *testing.T, s *storage.Store, report, user int64, perHour int) (*record.Schedule, error) {
	spec := record.ScheduleSpec{Target: record.RunTarget{ReportID: report}, Cron: []string{"@daily"}, PerHour: perHour}
	return s.Schedules().Create(t.Context(), shop, spec, record.Actor{ID: user}, func(int64) record.Tick { return record.Tick{} })
}

// change makes a schedule fire so often.
func change(t *testing.T, s *storage.Store, id int64, perHour int) error {
	_, err := s.Schedules().Update(t.Context(), shop, id, record.Actor{ID: 7}, func(c *record.Schedule) (record.Tick, error) {
		c.Name, c.PerHour = c.Name+"x", perHour
		return record.Tick{}, nil
	})
	return err
}

func TestSimultaneousSchedulesDoNotPassTheLimits(t *testing.T) {
	withLimits(t, record.ScheduleLimits{PerUser: 3, PerTenant: 5}, func(t *testing.T, s *storage.Store, report int64) {
		var made [2]atomic.Int32
		var all sync.WaitGroup
		for i := range 24 {
			all.Go(func() {
				_, err := schedule(t, s, report, int64(i%2+1), 1)
				if err == nil {
					made[i%2].Add(1)
					return
				}
				var limit *placements.Error
				if !errors.Is(err, storage.ErrBusy) && (!errors.As(err, &limit) || limit.Code != placements.CodeScheduleLimit) {
					t.Errorf("refused with %v", err)
				}
			})
		}
		all.Wait()
		for i := range 6 { // what some did not get, since they waited too long for the others
			if _, err := schedule(t, s, report, int64(i%2+1), 1); err == nil {
				made[i%2].Add(1)
			}
		}
		one, two := made[0].Load(), made[1].Load()
		if one > 3 || two > 3 || one+two != 5 {
			t.Errorf("the users made %d and %d schedules, want 3 at most each, and 5 in all", one, two)
		}
	})
}

func TestScheduleLimits(t *testing.T) {
	withLimits(t, record.ScheduleLimits{PerUser: 2, PerTenant: 3}, func(t *testing.T, s *storage.Store, report int64) {
		limited := func(fact string, err error, want bool) {
			t.Helper()
			if want {
				wantConflict(t, err, placements.CodeScheduleLimit)
			} else if err != nil {
				t.Errorf("%s: %v", fact, err)
			}
		}
		often, err := schedule(t, s, report, 1, 23)
		limited("a schedule may take most of the ticks", err, false)
		_, err = schedule(t, s, report, 1, 2)
		limited("two schedules together fire too often", err, true)
		seldom, err := schedule(t, s, report, 1, 1)
		limited("a seldom one has room", err, false)
		_, err = schedule(t, s, report, 1, 0)
		limited("a third one of the user is one too many", err, true)
		limited("a change to more ticks than there is room for", change(t, s, seldom.ID, 2), true)
		limited("a change that leaves the ticks", change(t, s, often.ID, 23), false)
		limited("a change to fewer", change(t, s, often.ID, 22), false)
		limited("makes room for the other", change(t, s, seldom.ID, 2), false)
		_, err = schedule(t, s, report, 2, 1)
		limited("another user has a limit of their own", err, false)
		_, err = schedule(t, s, report, 3, 1)
		limited("but the tenant's is reached", err, true)
		if err := s.Schedules().Delete(t.Context(), shop, often.ID, ada, func(*record.Schedule) error { return nil }); err != nil {
			t.Fatal(err)
		}
		_, err = schedule(t, s, report, 1, 20)
		limited("what is deleted does not count", err, false)
	})
}

// Schedules that were stored before there were limits can be paused and renamed whatever the limits say now.
func TestASchedulesChangeIsNotHeldToALimitThatItWasOver(t *testing.T) {
	address := storagetest.Redis(t)
	before := storagetest.Open(t, address)
	report := create(t, before, shop, named("Sales", "select 1")).ID
	made, err := schedule(t, before, report, 1, 60)
	if err != nil {
		t.Fatal(err)
	}
	s, err := storage.Open(t.Context(), storage.Config{Address: address, Log: slog.New(slog.DiscardHandler), Schedules: record.ScheduleLimits{PerUser: 1, PerTenant: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := change(t, s, made.ID, 60); err != nil {
		t.Error(err)
	}
	before.Client().Del(t.Context(), before.SchedulesOf("acme", 1)) // as an older version left it
	if err := change(t, s, made.ID, 60); err != nil {
		t.Error(err)
	}
	wantConflict(t, change(t, s, made.ID, 61), placements.CodeScheduleLimit)
}

func TestQuotasAreSharedAndNotExceeded(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, s *storage.Store) {
		take := func(account string, n int) time.Duration {
			t.Helper()
			wait, err := s.Work().TakeQuota(t.Context(), account, 60, n)
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

func TestRateLimit(t *testing.T) {
	each(t, func(t *testing.T, s *storage.Store) {
		rate := record.Rate{PerSecond: 0.001, Burst: 3} // so slow that none comes back during the test
		left := map[string]int{}                        // what is to be left after the next one
		take := func(token string) time.Duration {
			t.Helper()
			taken, err := s.Tenants().TakeRequest(t.Context(), "acme", token, rate)
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
			if taken, err = s.Tenants().TakeRequest(t.Context(), "acme", "ada", rate); err != nil || time.Now().After(deadline) {
				t.Fatalf("%+v, %v", taken, err)
			}
			if taken.Wait > 0 {
				break
			}
		}
		<-time.After(taken.Wait)
		if taken, err := s.Tenants().TakeRequest(t.Context(), "acme", "ada", rate); taken.Wait != 0 || err != nil {
			t.Errorf("after the wait it told: %+v, %v", taken, err)
		}
	})
}
