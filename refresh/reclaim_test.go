package refresh

import (
	"errors"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
)

// askLater is ask for a run that is newer than all others.
func (s *simulatedService) askLater(i int, placement string, o placements.Options) string {
	s.Helper()
	time.Sleep(time.Millisecond)
	return s.ask(i, placement, o)
}

// claims has an agent of its own begin the only run that is queued, and claim its placements.
func (s *simulatedService) claims() *attempt {
	s.Helper()
	a := s.begin(s.Context())
	s.claim(a)
	return a
}

// claim has an attempt claim its placements.
func (s *simulatedService) claim(a *attempt) {
	s.Helper()
	var err error
	a.ledger.asked, err = a.claims.claimed(s.Context(), a.ledger.targets())
	must(s.T, err)
}

// waits completes an attempt that finds a placement locked, and returns its run as it is then.
func (s *simulatedService) waits(a *attempt, p string) (state placements.RunState, by string) {
	s.Helper()
	placed, found := a.ledger.placed(p)
	if !found {
		s.Fatal("there is no such placement")
	}
	a.ledger.failed(placed, &placements.Fault{Class: placements.Transient, Reason: placements.ReasonLocked, Message: "it is locked"})
	if _, done := a.ending.complete(s.Context(), nil, nil); !done {
		s.Fatal("the attempt is not completed")
	}
	o := s.outcome(s.run(a.ledger.run.ID), p)
	return o.State, o.SupersededBy
}

// keepsWaiting completes an attempt that finds a placement locked, for which its run is to wait.
func (s *simulatedService) keepsWaiting(a *attempt, p string) {
	s.Helper()
	if state, _ := s.waits(a, p); state != placements.RunQueued {
		s.Fatalf("run %s is %s", a.ledger.run.ID, state)
	}
}

// shifts are options that another run would not carry out.
var shifts = placements.Options{ShiftRows: placements.Sent(true)}

// A run that was kept beside one which has ended since is the one that wants what is to wait in it: a newer one takes that over.
func TestWhatIsToWaitIsWantedOnceNoOtherRunWantsIt(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.ask(0, flaky, shifts)
		asked := s.claims() // it is carried out: no other run takes it over
		beside := s.askLater(0, "", placements.Options{})
		b := s.claims()
		if _, done := asked.ending.complete(t.Context(), &placements.Fault{Class: placements.Permanent}, nil); !done {
			t.Fatal("the run is not ended")
		}
		s.keepsWaiting(b, flaky)
		newer := s.askLater(0, flaky, placements.Options{})
		if n := s.claims(); n.ledger.claim.Wanted(flaky) != newer {
			t.Errorf("it is wanted by %q, want %s", n.ledger.claim.Wanted(flaky), newer)
		}
		s.advance(settleTime)
		if o := s.outcome(s.run(beside), flaky); o.State != placements.RunSuperseded || o.SupersededBy != newer {
			t.Errorf("the run that waited says %+v", o)
		}
	})
}

// A run that is to wait for what a newer one wants leaves it to that.
func TestWhatIsToWaitIsLeftToANewerRun(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.ask(0, flaky, placements.Options{})
		list, err := s.store.Work().Queue.Take(t.Context(), "alone", 64, -1)
		must(t, err)
		newer := s.askLater(0, "", placements.Options{})
		s.claims()
		begun, err := s.store.Work().Queue.Begin(t.Context(), "alone", list[0])
		must(t, err)
		older := s.engine.attempts.newAttempt(t.Context(), deskDeployment, begun, document.NewCohort(1)[0])
		if fault := older.ledger.load(t.Context()); fault != nil {
			t.Fatal(fault)
		}
		s.claim(older)
		if state, by := s.waits(older, flaky); state != placements.RunSuperseded || by != newer {
			t.Errorf("it is %s by %q, want it left to %s", state, by, newer)
		}
	})
}

// A run that was kept beside one which waits since takes that over with what was requested of it, when it is to wait, too.
func TestWhatIsToWaitIsTakenOverFromAnOlderRun(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		asked := s.ask(0, flaky, shifts)
		a := s.claims()
		newer := s.askLater(0, "", placements.Options{})
		b := s.claims()
		s.keepsWaiting(a, flaky)
		s.keepsWaiting(b, flaky)
		if c := s.run(newer).Carried[flaky]; !c.ShiftRows.Or(false) {
			t.Errorf("it carries %+v", c)
		}
		s.advance(settleTime)
		if o := s.outcome(s.run(asked), flaky); o.State != placements.RunSuperseded || o.SupersededBy != newer {
			t.Errorf("the older run says %+v", o)
		}
	})
}

// An attempt fails as a whole, before it has read what is left to refresh, and a newer run has taken that over: the run ends as its placement
// says, be the fault one that passes or not.
func TestARunThatFailsWithNothingLeftIsOver(t *testing.T) {
	for _, f := range []*placements.Fault{fault.Of(errDown), {Class: placements.Permanent, Err: errDown}} {
		withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
			s.makeUnavailable(placements.ReasonLocked, time.Hour)
			older := s.ask(0, flaky, placements.Options{})
			s.wantWaiting(older, flaky, placements.ReasonLocked)
			newer := s.askLater(0, flaky, placements.Options{})
			s.claims()
			failing := s.begin(t.Context())
			failing.ledger.report = nil
			if _, done := failing.ending.complete(t.Context(), f, nil); !done {
				t.Fatal("the attempt is not completed")
			}
			s.wantSuperseded(older, flaky, newer, placements.RunSuperseded)
		})
	}
}

// A run that is stopped before it has read the report takes nothing over from an older one, which goes on.
func TestAStoppedRunTakesNothingOver(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		older := s.ask(0, flaky, shifts)
		a := s.claims()
		newer := s.askLater(0, "", placements.Options{})
		b := s.claims()
		s.keepsWaiting(b, flaky)
		s.keepsWaiting(a, flaky)
		must(t, s.engine.Stop(t.Context(), deskDeployment, s.run(newer)))
		stopped := s.begin(t.Context())
		stopped.ledger.report = nil
		if _, done := stopped.ending.complete(t.Context(), fault.Of(errDown), nil); !done {
			t.Fatal("the attempt is not completed")
		}
		s.wantRefreshed(older, flaky)
	})
}

// What a storage leaves unanswered is no fault of a document or a source.
func TestAStorageThatDoesNotAnswerIsNoMissingFile(t *testing.T) {
	for _, of := range []func(*placements.Fault) *placements.Fault{fault.OfDocument, fault.OfSource} {
		if f := of(fault.Of(errDown)); f.Reason != "" || !fault.Unclassified(f) || !errors.Is(f, errDown) {
			t.Errorf("it is %+v", f)
		}
	}
}
