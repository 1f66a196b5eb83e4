package refresh

import (
	"testing"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

func TestTheNewestRunTakesOverWhatOlderOnesWaitFor(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, 10*time.Hour)
		first := s.ask(0, "", placements.Options{})
		since := s.wantWaiting(first, flaky, placements.ReasonLocked).Since
		alone := s.ask(0, flaky, placements.Options{}) // a run that only waits does not refuse one of a placement of it
		if o := s.wantWaiting(alone, flaky, placements.ReasonLocked); o.Since != since {
			t.Errorf("it waits since %s, want %s, as before", o.Since, since)
		}
		s.wantSuperseded(first, flaky, alone, placements.RunSucceeded)
		last := s.ask(0, "", placements.Options{})
		s.wantWaiting(last, flaky, placements.ReasonLocked)
		s.wantSuperseded(alone, flaky, last, placements.RunSuperseded)
		if p := s.placement(0, flaky); p.LastRun == nil || p.LastRun.RunID != last || p.LastRun.Since != since {
			t.Errorf("the placement shows %+v, want run %s, since %s", p.LastRun, last, since)
		}
		if p := s.placement(0, healthy); p.LastRun == nil || p.LastRun.RunID != last || p.LastRun.State != placements.RunSucceeded {
			t.Errorf("the other placement shows %+v", p.LastRun)
		}
	})
}

// An agent crashes with the older run, which another agent begins when the newer one waits already.
func TestTheNewestRunIsTheOneThatWasAcceptedLast(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, 10*time.Hour)
		older := s.ask(0, "", placements.Options{})
		if s.crashAgent() != 1 {
			t.Fatal("the agent that crashes has no run")
		}
		time.Sleep(time.Second)
		newer := s.ask(0, flaky, placements.Options{})
		s.wantWaiting(newer, flaky, placements.ReasonLocked)
		s.wantSuperseded(older, flaky, newer, placements.RunSucceeded)
	})
}

// Two agents work on the runs at the same time.
func TestOfRunsAtWorkTogetherTheNewestWaits(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonMissing, 10*time.Hour)
		s.source.lag["q0"] = 20 * time.Second
		older := s.ask(0, "", placements.Options{})
		s.advance(2 * time.Second)
		newer := s.ask(0, flaky, placements.Options{})
		s.wantWaiting(newer, flaky, placements.ReasonMissing)
		s.advance(time.Minute)
		s.wantSuperseded(older, flaky, newer, placements.RunSucceeded)
		s.wantWaiting(newer, flaky, placements.ReasonMissing)
	})
}

func TestARunThatMayNotRefreshAPlacementSupersedesNothing(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, 10*time.Hour)
		older := s.ask(0, "", placements.Options{})
		s.wantWaiting(older, flaky, placements.ReasonLocked)
		run, err := s.engine.Start(t.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: s.reports[0]}, By: record.Actor{ID: 9, Actions: []string{record.ActionReportRead}},
			Options: onEdit(placements.Overwrite),
		})
		must(t, err)
		s.advance(settleTime)
		if o := s.outcome(s.run(run.ID), flaky); o.State != placements.RunSkipped || o.Error == "" || o.NextAttemptAt != "" {
			t.Errorf("the run of a stranger says %+v, want SKIPPED and why", o)
		}
		s.wantWaiting(older, flaky, placements.ReasonLocked)
	})
}

// typeInto types over a cell of a block, as a user does who has the document open.
func (s *simulatedService) typeInto(document string) {
	s.host.enter(document, 2, 1, checksum.Str("typed"))
}

// typed reports whether what was typed still stands.
func (s *simulatedService) typed(document string) bool {
	s.host.mu.Lock()
	defer s.host.mu.Unlock()
	return s.host.book(document).cells[[2]int{2, 1}] == checksum.Str("typed")
}

func TestWhatAUserAskedForIsCarriedOutOnce(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		s.typeInto("flaky")
		asked := s.ask(0, flaky, onEdit(placements.Overwrite))
		s.wantWaiting(asked, flaky, placements.ReasonLocked)
		for range 2 { // taken over twice
			newer := s.ask(0, "", placements.Options{})
			s.wantWaiting(newer, flaky, placements.ReasonLocked)
		}
		s.advance(time.Hour)
		last := s.ask(0, "", placements.Options{})
		s.wantRefreshed(last, healthy, flaky)
		if s.typed("flaky") {
			t.Error("what was typed still stands: the run that took over did not overwrite it, as the older one requested")
		}
		s.typeInto("flaky")
		s.typeInto("healthy")
		s.wantRefreshed(s.ask(0, "", placements.Options{}), healthy, flaky)
		if !s.typed("flaky") || !s.typed("healthy") {
			t.Error("what was typed later was overwritten too")
		}
	})
}

// A run that begins late, after its agent has died, does not leave to a newer one that waits what its user asked for and the newer one was not.
func TestWhatAUserAskedForIsNotLeftToANewerRun(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		s.typeInto("flaky")
		s.ask(0, "", onEdit(placements.Overwrite))
		if s.crashAgent() != 1 {
			t.Fatal("the agent that crashes has no run")
		}
		time.Sleep(time.Second)
		newer := s.ask(0, flaky, placements.Options{})
		s.wantWaiting(newer, flaky, placements.ReasonLocked)
		s.advance(time.Hour + 20*time.Minute)
		if s.typed("flaky") {
			t.Error("what was typed still stands, though the older run was asked to overwrite it")
		}
	})
}

func TestRunsOfAddInsNeitherSupersedeNorAreSuperseded(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		waiting := s.ask(0, "", placements.Options{})
		since := s.wantWaiting(waiting, flaky, placements.ReasonLocked).Since
		g := &addinClient{simulatedService: s, id: flaky, document: "flaky"}
		must(t, g.begin())
		g.plan()
		s.advance(settleTime)
		if o := s.outcome(s.run(waiting), flaky); o.State != placements.RunQueued || o.Since != since {
			t.Errorf("while an add-in holds the document, the run that waits for it says %+v", o)
		}
		newer := s.ask(0, "", placements.Options{})
		s.advance(settleTime)
		if run := s.run(g.lease.RunID); run.State != placements.RunRunning {
			t.Errorf("the add-in's run is %s beside a newer one", run.State)
		}
		s.wantSuperseded(waiting, flaky, newer, placements.RunSucceeded)
		if run := g.complete(); run.State != placements.RunSucceeded {
			t.Errorf("the add-in's run is %s: %s", run.State, run.Error)
		}
		s.advance(time.Hour + 20*time.Minute)
		s.wantRefreshed(newer, healthy, flaky)
	})
}

func TestStoppingTheNewestRunBringsNothingBack(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonMissing, time.Hour)
		older := s.ask(0, "", placements.Options{})
		s.wantWaiting(older, flaky, placements.ReasonMissing)
		newest := s.ask(0, flaky, placements.Options{})
		s.wantWaiting(newest, flaky, placements.ReasonMissing)
		must(t, s.engine.Stop(t.Context(), deskDeployment, s.run(newest)))
		s.advance(settleTime)
		stopped := time.Now()
		if run := s.run(newest); run.State != placements.RunStopped || s.outcome(run, flaky).State != placements.RunStopped {
			t.Errorf("the run that was stopped is %s, the placement %+v", run.State, s.outcome(run, flaky))
		}
		s.advance(3 * time.Hour)
		if n := s.host.opened("flaky", stopped); n > 0 {
			t.Errorf("the document was looked for %d times after the run was stopped", n)
		}
		s.wantSuperseded(older, flaky, newest, placements.RunSucceeded)
		if p := s.placement(0, flaky); p.LastRun == nil || p.LastRun.State != placements.RunStopped ||
			p.LastRun.NextAttemptAt != "" || p.LastRun.Reason != "" {
			t.Errorf("the placement shows %+v", p.LastRun)
		}
	})
}
