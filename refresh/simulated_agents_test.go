package refresh

import (
	"slices"
	"testing/synctest"
	"time"

	"mooring/storage/queue"
)

// advance moves the clock on by d, while the agents work.
func (s *simulatedService) advance(d time.Duration) {
	s.Helper()
	s.advanceTo(time.Now().Add(d))
}

// How soon the agents look for work again.
const (
	busyInterval  = time.Second     // while an attempt is at work, which may leave something in the queues
	sweepInterval = 2 * time.Second // while entries of a crashed agent may be left
)

// advanceTo moves the clock on to a time. The agents take turns; between two events nothing happens, and the clock jumps over it.
func (s *simulatedService) advanceTo(to time.Time) {
	s.Helper()
	for turn := 0; ; turn++ {
		synctest.Wait()
		a := s.agents[turn%len(s.agents)]
		list, now, next, err := a.engine.queue.PopDue(s.Context(), dueLimit, dueLease)
		must(s.T, err)
		if len(list) > 0 {
			must(s.T, a.dispatch(s.Context(), list, now))
		}
		if s.startQueued(s.agents[(turn+1)%len(s.agents)]) || len(list) > 0 {
			continue
		}
		wait := to.Sub(now)
		if wait <= 0 {
			return
		}
		if !next.IsZero() {
			wait = min(wait, max(time.Millisecond, next.Sub(now)))
		}
		if s.crashed {
			wait = min(wait, sweepInterval)
		}
		if s.busy() {
			wait = min(wait, busyInterval)
		}
		time.Sleep(wait)
	}
}

// startQueued starts the attempts that are queued, and reports whether there were any.
func (s *simulatedService) startQueued(a *agent) bool {
	s.Helper()
	list, err := a.engine.queue.Queue.Take(s.Context(), a.name, cap(a.slots)-len(a.slots), -1)
	must(s.T, err)
	if s.crashed {
		orphans, err := a.engine.queue.Queue.Orphans(s.Context(), a.name, orphanAfter, time.Now().Add(time.Hour), 8)
		must(s.T, err)
		list = append(list, orphans...)
	}
	a.start(s.Context(), list, time.Now())
	return len(list) > 0
}

func (s *simulatedService) busy() bool {
	return slices.ContainsFunc(s.agents, func(a *agent) bool { return len(a.slots) > 0 })
}

// crashAgent has an agent take all that is queued, begin every second attempt, and end without completing any. It returns how many it took.
func (s *simulatedService) crashAgent() int {
	s.Helper()
	list, err := s.store.Work().Queue.Take(s.Context(), "crashed", 64, -1)
	must(s.T, err)
	for i, entry := range list {
		if i%2 == 0 {
			_, err := s.store.Work().Queue.Begin(s.Context(), "crashed", entry)
			if err != queue.ErrEnded {
				must(s.T, err)
			}
		}
	}
	s.crashed = s.crashed || len(list) > 0
	return len(list)
}
