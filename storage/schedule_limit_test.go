package storage_test

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/record"
	"mooring/storage/storagetest"
)

// withLimits runs test on a storage that holds schedules to limits, with a report of that id.
func withLimits(t *testing.T, l storage.ScheduleLimits, test func(t *testing.T, s *storage.Store, report int64)) {
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
	return s.CreateSchedule(t.Context(), shop, spec, record.Actor{ID: user}, func(int64) record.Tick { return record.Tick{} })
}

// change makes a schedule fire so often.
func change(t *testing.T, s *storage.Store, id int64, perHour int) error {
	_, err := s.UpdateSchedule(t.Context(), shop, id, func(c *record.Schedule) (record.Tick, error) {
		c.Name, c.PerHour = c.Name+"x", perHour
		return record.Tick{}, nil
	})
	return err
}

func TestSimultaneousSchedulesDoNotPassTheLimits(t *testing.T) {
	withLimits(t, storage.ScheduleLimits{PerUser: 3, PerTenant: 5}, func(t *testing.T, s *storage.Store, report int64) {
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
	withLimits(t, storage.ScheduleLimits{PerUser: 2, PerTenant: 3}, func(t *testing.T, s *storage.Store, report int64) {
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
		if err := s.DeleteSchedule(t.Context(), shop, often.ID, func(*record.Schedule) error { return nil }); err != nil {
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
	s, err := storage.Open(t.Context(), storage.Config{Address: address, Log: slog.New(slog.DiscardHandler), Schedules: storage.ScheduleLimits{PerUser: 1, PerTenant: 1}})
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
