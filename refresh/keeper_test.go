package refresh

import (
	"context"
	"errors"
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage"
	"mooring/storage/queue"
)

// untilTaken looks for entries of agents that died, as often as agents do, and returns after how long there was one, at most limit.
func (s *simulatedService) untilTaken(limit time.Duration) (after time.Duration) {
	s.Helper()
	for ; after < limit; after += DefaultRhythm().Sweep {
		list, err := s.store.Work().Queue.Orphans(s.Context(), "other", orphanAfter, time.Now().Add(time.Hour), 8)
		must(s.T, err)
		if len(list) > 0 {
			break
		}
		time.Sleep(DefaultRhythm().Sweep)
	}
	return after
}

func TestRunsThatLiveAreKeptAndThoseOfTheDeadAreTakenWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		s.ask(0, "", placements.Options{})
		a, ctx := s.begin(t.Context()), context.WithoutCancel(t.Context())
		leave := s.engine.attempts.keeper.keep(ctx, a.ledger.claim.Pulse(), func(err error) { t.Errorf("it is ended: %v", err) })
		if after := s.untilTaken(time.Minute); after < time.Minute {
			t.Errorf("it is taken after %v, while its agent lives", after)
		}
		leave()
		if after := s.untilTaken(time.Minute); after < 4*time.Second || after > 4800*time.Millisecond {
			t.Errorf("it is taken %v after its agent has died", after)
		}
	})
}

func TestAnEntryByWhichAnAttemptIsBeingBegunIsKept(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, _ string) {
		run, a := s.ask(0, healthy, placements.Options{}), s.agents[0]
		list, err := a.engine.queue.Queue.Take(t.Context(), a.name, 1, -1)
		must(t, err)
		s.slow.Store(int64(10 * time.Second))
		a.start(t.Context(), list, time.Now())
		if after := s.untilTaken(9 * time.Second); after < 9*time.Second {
			t.Errorf("it is taken after %v, while its agent begins it", after)
		}
		s.slow.Store(0)
		a.running.Wait()
		if run := s.run(run); run.State != placements.RunSucceeded || run.Attempt != 1 {
			t.Errorf("the run is %s after %d attempts", run.State, run.Attempt)
		}
	})
}

func TestAnEntryThatAnotherAgentHasIsNotTakenBack(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		s.ask(0, "", placements.Options{})
		q := s.store.Work().Queue
		list, err := q.Take(t.Context(), "slow", 1, -1)
		must(t, err)
		if r := q.Renew(t.Context(), q.Pulse("slow", list[0]))[0]; r.Err != nil {
			t.Fatal(r.Err)
		}
		taken, err := q.Orphans(t.Context(), "other", 0, time.Now().Add(time.Hour), 1)
		must(t, err)
		if r := q.Renew(t.Context(), q.Pulse("slow", list[0]))[0]; !errors.Is(r.Err, storage.ErrLockLost) {
			t.Errorf("%v", r.Err)
		}
		if r := q.Renew(t.Context(), q.Pulse("other", taken[0]))[0]; r.Err != nil {
			t.Errorf("who has it now: %v", r.Err)
		}
	})
}

func TestAnAttemptThatDoesNotEndIsLeftToAnother(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		s.ask(0, "", placements.Options{})
		a := s.begin(t.Context())
		ctx, end := context.WithCancelCause(t.Context())
		defer s.engine.attempts.keeper.keep(ctx, a.ledger.claim.Pulse(), end)()
		end(errRunLimit)
		if after := s.untilTaken(time.Minute); after < endingFor || after > endingFor+5*time.Second {
			t.Errorf("it is taken after %v", after)
		}
	})
}

func TestWhatEndsAnAttemptFromOutside(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name string
		said time.Duration // how long ago it was last said that it lives
		is   queue.Renewal
		want error
	}{
		{"nothing, when the storage answers", 0, queue.Renewal{}, nil},
		{"a stop", 0, queue.Renewal{Stop: true}, errStopped},
		{"another attempt", 0, queue.Renewal{Err: storage.ErrLockLost}, storage.ErrLockLost},
		{"nothing, while the storage is away for some seconds", 7 * time.Second, queue.Renewal{Err: errDown}, nil},
		{"a storage that is away for longer", giveUpAfter, queue.Renewal{Err: errDown}, storage.ErrLockLost},
	} {
		var got error
		l := &life{said: now.Add(-c.said), end: func(err error) { got = err }}
		if l.renewed(c.is, now); !errors.Is(got, c.want) {
			t.Errorf("%s: it is ended by %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWhenAnAgentJudgesOthers(t *testing.T) {
	begin := time.UnixMilli(1_700_000_000_000)
	for _, c := range []struct {
		name string
		at   []time.Duration // the answers of the storage
		want bool
	}{
		{"it never asked", nil, false},
		{"it has just started", []time.Duration{0, time.Second, 2 * time.Second}, false},
		{"it has been there for longer than an attempt may be silent", seconds(0, 1, 2, 3, 4, 5), true},
		{"the storage was away", seconds(0, 1, 2, 3, 4, 5, 7, 8), false},
		{"the storage has been back for as long", seconds(0, 5, 6, 7, 8, 9, 10), true},
		{"another server has taken over, whose clock is behind", seconds(10, 11, 12, 13, 14, 15, 14), false},
	} {
		k := &contact{longest: time.Second}
		for _, at := range c.at {
			k.answered(begin.Add(at))
		}
		until, may := k.judges()
		if may != c.want || may && !until.Equal(k.last.Add(time.Second)) {
			t.Errorf("%s: it judges: %t, until %s", c.name, may, until)
		}
	}
}

func seconds(list ...int) (all []time.Duration) {
	for _, n := range list {
		all = append(all, time.Duration(n)*time.Second)
	}
	return all
}
