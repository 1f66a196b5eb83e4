package refresh

import (
	"testing"
	"testing/synctest"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

// withSimulatedService runs a test with a report that was refreshed in two documents: "healthy", which is always available, and "flaky", which
// the test may make unavailable. healthy and flaky are the ids of the placements there.
func withSimulatedService(t *testing.T, test func(t *testing.T, s *simulatedService, healthy, flaky string)) {
	t.Helper()
	faults := hostFaults(t)
	synctest.Test(t, func(t *testing.T) {
		s := newSimulatedService(t, 2, faults)
		s.report("q0")
		healthy, flaky := s.place(0, "", "healthy", placer, "").ID, s.place(0, "", "flaky", placer, "").ID
		s.wantRefreshed(s.ask(0, "", placements.Options{}), healthy, flaky)
		test(t, s, healthy, flaky)
	})
}

// makeUnavailable makes "flaky" unavailable for that long from now on.
func (s *simulatedService) makeUnavailable(reason placements.Reason, d time.Duration) {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	s.host.downtimes["flaky"] = []downtime{{time.Now(), time.Now().Add(d), reason}}
}

// wantRefreshed checks that a run refreshes placements.
func (s *simulatedService) wantRefreshed(id string, list ...string) *record.Run {
	s.Helper()
	s.advance(settleTime)
	run := s.run(id)
	for _, p := range list {
		if o := s.outcome(run, p); o.State != placements.RunSucceeded {
			s.Errorf("placement %s is %s in run %s (%s), want SUCCEEDED", p, o.State, run.ID, o.Error)
		}
	}
	return run
}

// wantWaiting checks that a run waits for a placement alone.
func (s *simulatedService) wantWaiting(id, flaky string, reason placements.Reason) record.RunPlacement {
	s.Helper()
	s.advance(settleTime)
	run := s.run(id)
	o := s.outcome(run, flaky)
	if o.State != placements.RunQueued || o.Reason != reason || o.Error == "" || !shownTime(o.NextAttemptAt).After(time.Now()) || o.Since == "" {
		s.Errorf("run %s, %s, says of the placement: %+v, want QUEUED, %s", run.ID, run.State, o, reason)
	}
	if run.State != placements.RunQueued || run.EndedAt != "" {
		s.Errorf("run %s is %s, ended %q, want QUEUED", run.ID, run.State, run.EndedAt)
	}
	return o
}

// wantSuperseded checks that a run has left a placement to a newer one, and has ended in that state.
func (s *simulatedService) wantSuperseded(id, flaky, by string, state placements.RunState) {
	s.Helper()
	run := s.run(id)
	if o := s.outcome(run, flaky); o.State != placements.RunSuperseded || o.SupersededBy != by || o.NextAttemptAt != "" {
		s.Errorf("run %s says of the placement: %+v, want SUPERSEDED by %s", id, o, by)
	}
	if run.State != state || run.EndedAt == "" {
		s.Errorf("run %s is %s, ended %q, want %s", id, run.State, run.EndedAt, state)
	}
}
