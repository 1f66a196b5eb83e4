package refresh

import (
	"context"
	"errors"
	"testing"
	"time"

	"mooring/placements"
	"mooring/refresh/document"
	"mooring/refresh/fault"
	"mooring/storage"
	"mooring/storage/record"
)

// What happens between two steps of an attempt.

// begin has an agent of its own begin the only run that is queued, and load its report.
func (s *simulatedService) begin(ctx context.Context) *attempt {
	s.Helper()
	list, err := s.store.Work().Queue.Take(s.Context(), "alone", 64, -1)
	must(s.T, err)
	if len(list) != 1 {
		s.Fatalf("%d runs are queued, want 1", len(list))
	}
	begun, err := s.store.Work().Queue.Begin(s.Context(), "alone", list[0])
	must(s.T, err)
	a := s.engine.attempts.newAttempt(ctx, deskDeployment, begun, document.NewCohort(1)[0])
	if fault := a.ledger.load(s.Context()); fault != nil {
		s.Fatal(fault)
	}
	return a
}

// queueDue queues what is due, and reports whether that was something.
func (s *simulatedService) queueDue() bool {
	s.Helper()
	due, now, _, err := s.store.Work().PopDue(s.Context(), dueLimit, dueLease)
	must(s.T, err)
	must(s.T, s.agents[0].dispatch(s.Context(), due, now))
	return len(due) > 0
}

// claimFails has the attempt claim its placements, the last ones of which it cannot: its context has ended, or the reply is lost.
func (a *attempt) claimFails(t *testing.T, applied bool) {
	t.Helper()
	targets := a.ledger.targets()
	if applied {
		_, err := a.claims.claimed(t.Context(), targets)
		must(t, err)
		return
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := a.claims.claimed(ended, targets); err == nil {
		t.Fatal("the claim was made")
	}
}

// goesOn completes the attempt after a fault that passes.
func (a *attempt) goesOn(t *testing.T) {
	t.Helper()
	o, done := a.ending.complete(t.Context(), fault.Of(storage.ErrUnavailable), nil)
	if !done || o.Again.IsZero() {
		t.Fatalf("the run does not go on: %+v, stored: %t", o, done)
	}
}

func TestWhatWasNotClaimedIsNotCarriedOut(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Minute)
		s.typeInto("flaky")
		asked := s.ask(0, flaky, onEdit(placements.Overwrite))
		s.wantWaiting(asked, flaky, placements.ReasonLocked)
		plain := s.ask(0, "", placements.Options{})
		a := s.begin(t.Context())
		a.claimFails(t, false)
		a.goesOn(t)
		s.crashed = true
		for s.typed("flaky") {
			s.advance(100 * time.Millisecond)
		}
		if run := s.run(asked); run.State != placements.RunSucceeded && s.outcome(s.run(plain), flaky).State == "" {
			t.Fatalf("what was typed was overwritten by another run than %+v", run)
		}
		s.typeInto("flaky")
		s.advance(time.Hour)
		s.wantRefreshed(plain, healthy)
		if !s.typed("flaky") {
			t.Error("what was typed later was overwritten too")
		}
	})
}

func TestWhatWasTakenOverBeforeItWasTriedIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.typeInto("flaky")
		asked := s.ask(0, flaky, onEdit(placements.Overwrite))
		a := s.begin(t.Context())
		a.claimFails(t, true) // its reply is lost
		a.goesOn(t)
		time.Sleep(time.Millisecond)
		s.makeUnavailable(placements.ReasonLocked, 10*time.Minute)
		plain := s.ask(0, "", placements.Options{})
		s.advance(time.Minute)
		s.wantSuperseded(asked, flaky, plain, placements.RunSuperseded)
		overwritten := 0
		for range 1200 {
			s.advance(time.Second)
			if !s.typed("flaky") {
				overwritten++
				s.typeInto("flaky")
			}
		}
		if overwritten != 1 {
			t.Errorf("what was typed was overwritten %d times", overwritten)
		}
		s.wantRefreshed(plain, healthy, flaky)
	})
}

func TestNoPlacementIsShownAsRefreshedThatWasClaimedInVain(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		for _, cause := range []error{errStopped, nil} {
			run := s.ask(0, "", placements.Options{})
			a := s.begin(t.Context())
			a.claimFails(t, true)
			fault := fault.Of(errors.New("no fault of a driver"))
			if cause == nil {
				fault.Class = placements.Permanent
			}
			if o, done := a.ending.complete(t.Context(), fault, cause); !done || !o.Again.IsZero() {
				t.Fatalf("the run goes on: %+v", o)
			}
			for _, p := range []string{healthy, flaky} {
				if last := s.placement(0, p).LastRun; last == nil || last.RunID != run || !last.State.Ended() {
					t.Errorf("ended by %v, the placement shows %+v", cause, last)
				}
			}
		}
	})
}

func TestAFaultThatPassesEndsNoWait(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		run := s.ask(0, "", placements.Options{})
		s.wantWaiting(run, flaky, placements.ReasonLocked)
		freed := time.Now().Add(time.Hour - settleTime)
		s.source.down["q0"] = []downtime{{freed.Add(-time.Minute), freed.Add(5 * time.Minute), ""}}
		s.advance(40 * time.Minute)
		for !s.queueDue() { // a fault of the whole attempt, when the run has waited for longer than such a fault may last
			time.Sleep(time.Second)
		}
		a := s.begin(t.Context())
		a.goesOn(t)
		if o := s.outcome(s.run(run), flaky); o.State != placements.RunQueued || o.Reason != placements.ReasonLocked {
			t.Errorf("after a fault that passes the placement says %+v", o)
		}
		s.advance(2 * time.Hour)
		s.wantRefreshed(run, healthy, flaky)
	})
}

func TestAFaultThatLastsEndsWhatWaitsForNothingElse(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		run := s.ask(0, "", placements.Options{})
		s.wantWaiting(run, flaky, placements.ReasonLocked)
		s.source.down["q0"] = []downtime{{time.Now(), time.Now().Add(100 * time.Hour), ""}}
		s.advance(time.Hour + 30*time.Minute)
		if o := s.outcome(s.run(run), flaky); o.State != placements.RunFailed || o.ErrorClass != placements.Transient {
			t.Errorf("half an hour after the source went down the placement says %+v", o)
		}
	})
}

func TestARunThatEndsAtItsFirstLookHasNotSucceeded(t *testing.T) {
	for _, why := range []error{errStopped, errRunLimit} {
		withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
			s.makeUnavailable(placements.ReasonLocked, time.Hour)
			s.typeInto("flaky")
			older := s.ask(0, flaky, onEdit(placements.Overwrite))
			s.wantWaiting(older, flaky, placements.ReasonLocked)
			newer := s.ask(0, flaky, placements.Options{})
			a := s.begin(t.Context())
			ctx, end := context.WithCancelCause(t.Context())
			s.host.beforeOpen = func() { end(why) }
			fault := a.work(ctx)
			s.host.beforeOpen = nil
			if fault == nil {
				t.Fatal("an attempt that was ended says nothing")
			}
			_, done := a.ending.complete(t.Context(), fault, why)
			if run := s.run(newer); !done || run.State == placements.RunSucceeded {
				t.Errorf("%v: the run is %s: %+v", why, run.State, run.Placements)
			}
			if why == errRunLimit {
				s.advance(2 * time.Hour)
				if s.wantRefreshed(newer, flaky); s.typed("flaky") {
					t.Error("what was asked of the older run was not carried out")
				}
			}
		})
	}
}

func TestARunThatCannotBeLoadedIsStoppedAtOnce(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		run := s.ask(0, "", placements.Options{})
		a := s.begin(t.Context())
		a.ledger.claim.Placements["p:"+flaky] = "no record"
		a.ledger.claim.Stopped = true
		fault, cause := s.engine.attempts.guarded(t.Context(), func(error) {}, a, a.ledger.claim)
		o, done := a.ending.complete(t.Context(), fault, cause)
		if !done || !o.Again.IsZero() || s.run(run).State != placements.RunStopped {
			t.Errorf("the run is %s, and goes on at %s", s.run(run).State, o.Again)
		}
	})
}

func TestAWaitBehindAnAddInGoesOn(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, 100*time.Hour)
		since := s.wantWaiting(s.ask(0, "", placements.Options{}), flaky, placements.ReasonLocked).Since
		s.advance(5 * time.Hour)
		g := &addinClient{simulatedService: s, id: flaky, document: "flaky"}
		must(t, g.begin())
		newer := s.ask(0, "", placements.Options{})
		s.advance(30 * time.Second)
		must(t, s.engine.Stop(t.Context(), deskDeployment, s.run(g.lease.RunID)))
		s.advance(5 * time.Minute)
		if got := s.outcome(s.run(newer), flaky).Since; got != since {
			t.Errorf("it waits since %s, want %s", got, since)
		}
	})
}

func TestAWaitEndsWithItsDocumentDuringAnAttempt(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, 5*time.Hour)
		s.host.downtimes["farther"] = []downtime{{time.Now(), time.Now().Add(100 * time.Hour), placements.ReasonLocked}}
		run := s.ask(0, "", placements.Options{})
		s.wantWaiting(run, flaky, placements.ReasonLocked)
		s.source.lag["q0"] = 20 * time.Second
		s.advance(5*time.Hour - 2*settleTime)
		for s.run(run).State != placements.RunRunning || s.outcome(s.run(run), flaky).State == "" || time.Now().Before(shownTime(s.host.downtimes["flaky"][0].to.Format(time.RFC3339))) {
			s.advance(time.Second)
		}
		s.advance(2 * time.Second)
		moved := time.Now()
		s.place(0, flaky, "farther", placer, "")
		s.advance(5 * time.Minute)
		if o := s.outcome(s.run(run), flaky); o.State != placements.RunQueued || shownTime(o.Since).Before(moved.Truncate(time.Millisecond)) {
			t.Errorf("moved at %s, the placement says %+v", moved, o)
		}
	})
}

// A run that is worked on by its holder alone does not wait for a file that is missing here.
func TestARunThatIsHeldTakesOverNoMissingFile(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonMissing, time.Hour)
		s.typeInto("flaky")
		asked := s.ask(0, flaky, onEdit(placements.Overwrite))
		s.wantWaiting(asked, flaky, placements.ReasonMissing)
		done := make(chan *record.Run)
		go func() {
			run, err := s.engine.Execute(context.WithoutCancel(t.Context()), deskDeployment, Request{
				Target: record.RunTarget{ReportID: s.reports[0], PlacementID: flaky}, By: placer,
			})
			if err != nil {
				t.Error(err)
			}
			done <- run
		}()
		s.advance(time.Minute)
		if held := <-done; held == nil || held.State != placements.RunFailed {
			t.Errorf("the run that is held: %+v", held)
		}
		s.advance(2 * time.Hour)
		if s.wantRefreshed(asked, flaky); s.typed("flaky") {
			t.Error("what was typed still stands")
		}
	})
}

func TestACrashIsNoWait(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		i := s.report("q1")
		s.place(i, "", "shut", placer, "")
		s.host.downtimes["shut"] = []downtime{{time.Now().Add(-time.Hour), time.Now().Add(1000 * time.Hour), noAccess}}
		c := s.createSchedule(i, "", "0 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(time.Hour)
		for n := range 5 {
			tick = tick.Add(time.Hour)
			if n == 3 {
				for s.advanceTo(tick.Add(-time.Millisecond)); s.crashAgent() == 0; time.Sleep(time.Millisecond) {
					s.queueDue()
				}
			}
			s.advanceTo(tick.Add(10 * time.Minute))
			if run := s.run(record.RunID(c.ID, tick)); run.State != placements.RunFailed || n == 3 && run.Attempt != 2 {
				t.Fatalf("tick %d: the run is %s after attempt %d", n, run.State, run.Attempt)
			}
		}
		got, err := s.store.Schedules().Get(t.Context(), deskDeployment, c.ID)
		must(t, err)
		if got.PausedReason == "" {
			t.Error("five ticks in a row failed permanently, one of them after a crash: the schedule is not paused")
		}
	})
}

func TestATickThatIsQueuedEndsWithItsSchedule(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		s.source.lag["q0"] = 3 * time.Minute
		c := s.createSchedule(0, "", "* * * * *", record.OverlapQueue)
		tick := time.Now().Truncate(time.Minute).Add(time.Minute)
		s.advanceTo(tick.Add(90 * time.Second))
		s.makeUnavailable(placements.ReasonLocked, 5*time.Hour)
		must(t, s.store.Schedules().Delete(t.Context(), deskDeployment, c.ID, placer, func(*record.Schedule) error { return nil }))
		s.advance(10 * time.Minute)
		first, second := s.run(record.RunID(c.ID, tick)), s.run(record.RunID(c.ID, tick.Add(time.Minute)))
		if first.State != placements.RunQueued || second.State != placements.RunStopped {
			t.Errorf("the run that waits is %s, the tick behind it %s", first.State, second.State)
		}
	})
}
