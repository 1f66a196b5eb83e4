package refresh

import (
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/record"
)

func TestAFileThatStaysMissingFailsAndIsThenTriedOncePerTick(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonMissing, 29*time.Hour+30*time.Minute)
		c := s.createSchedule(0, "", "0 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(time.Hour)
		next := func() *record.Run {
			tick = tick.Add(time.Hour)
			s.advanceTo(tick.Add(settleTime))
			return s.run(record.RunID(c.ID, tick))
		}
		since := s.outcome(next(), flaky).Since
		for range 22 {
			if o := s.outcome(next(), flaky); o.State != placements.RunQueued || o.Since != since {
				t.Fatalf("%s after it was first missed, the file is %+v", tick.Sub(shownTime(since)), o)
			}
		}
		next() // the tick at 23 hours, whose run goes on until 24
		for range 4 {
			run := next()
			if o := s.outcome(run, flaky); tick.Sub(shownTime(since)) >= 24*time.Hour &&
				(o.State != placements.RunFailed || o.ErrorClass != placements.Structure || o.NextAttemptAt != "" || run.State != placements.RunFailed) {
				t.Errorf("%s after it was first missed, the file is %+v", tick.Sub(shownTime(since)), o)
			}
			if n := s.host.opened("flaky", tick); n != 1 && tick.Sub(shownTime(since)) > 24*time.Hour {
				t.Errorf("it was looked for %d times since the tick", n)
			}
		}
		next() // the file comes back half an hour after that tick
		if o := s.outcome(next(), flaky); o.State != placements.RunSucceeded {
			t.Errorf("the file is back, and is %s: %s", o.State, o.Error)
		}
	})
}

// A tick of which one placement waits, or was refreshed, does not count towards a pause, whatever failed beside it.
func TestAScheduleWithAPlacementThatWaitsIsNotPaused(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		i := s.report("q1")
		shut := s.place(i, "", "shut", placer, "").ID
		s.place(i, "", "flaky", placer, "")
		s.host.downtimes["shut"] = []downtime{{time.Now().Add(-time.Hour), time.Now().Add(100 * time.Hour), noAccess}}
		c := s.createSchedule(i, "", "*/10 * * * *", record.OverlapSkip)
		s.makeUnavailable(placements.ReasonLocked, 12*time.Hour)
		s.advance(2 * time.Hour)
		got, err := s.store.Schedules().Get(t.Context(), deskDeployment, c.ID)
		must(t, err)
		if got.PausedReason != "" {
			t.Errorf("the schedule is paused: %s", got.PausedReason)
		}
		if p := s.placement(i, shut); p.LastRun == nil || p.LastRun.State != placements.RunFailed ||
			p.LastRun.ErrorClass != placements.Auth || p.LastRun.NextAttemptAt != "" {
			t.Errorf("the document without access shows %+v", p.LastRun)
		}
	})
}

func TestOnlyARunThatQueriesOrWritesOverlaps(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		c := s.createSchedule(0, "", "*/5 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(5 * time.Minute).Add(5 * time.Minute)
		s.makeUnavailable(placements.ReasonLocked, 12*time.Minute)
		for range 2 {
			s.advanceTo(tick.Add(settleTime))
			if o := s.outcome(s.run(record.RunID(c.ID, tick)), healthy); o.State != placements.RunSucceeded {
				t.Errorf("the tick of %s refreshed what can be reached: %q", tick, o.State)
			}
			tick = tick.Add(5 * time.Minute)
		}
		s.advanceTo(tick.Add(settleTime))
		s.wantRefreshed(record.RunID(c.ID, tick), healthy, flaky)
		s.source.lag["q0"] = 8 * time.Minute
		tick = tick.Add(5 * time.Minute)
		s.advanceTo(tick.Add(5*time.Minute + settleTime))
		if run := s.run(record.RunID(c.ID, tick)); run.State != placements.RunRunning {
			t.Errorf("a run that queries is %s", run.State)
		}
		if run := s.run(record.RunID(c.ID, tick.Add(5*time.Minute))); run.State != placements.RunSkipped || run.Placements == nil {
			t.Errorf("a tick that meets a run that queries is %s", run.State)
		}
	})
}

func TestAgeGrowsWithWhatIsKnownOfTheBlock(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		i := s.report(steady)
		p := s.place(i, "", "flaky", placer, "").ID
		age := func() time.Time { return shownTime(s.placement(i, p).AsOf) }
		for _, step := range []struct {
			what  string
			do    func()
			grows bool
		}{
			{"written", func() {}, true},
			{"found to need no write", func() {}, true},
			{"locked", func() { s.makeUnavailable(placements.ReasonLocked, 30*time.Minute) }, false},
			{"closed to the service", func() { s.makeUnavailable(noAccess, 30*time.Minute) }, false},
			{"reached again", func() { s.makeUnavailable(noAccess, 0) }, true},
		} {
			before, at := age(), time.Now()
			step.do()
			run := s.ask(i, p, placements.Options{})
			s.advance(settleTime)
			after := age()
			if grew := after.After(before); grew != step.grows || grew && (after.Before(at) || after.After(time.Now())) {
				t.Errorf("a block that was %s is as of %s, before as of %s: %+v", step.what, after, before, s.outcome(s.run(run), p))
			}
		}
	})
}

func TestWhatOnlyAnAddInReachesIsLeftOut(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		reader := record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
		own := s.place(0, "", "7f3c9d54-63cf-4c2f-a1e9-8e5a3f0f7b11", placer, "").ID
		theirs := s.place(0, "", "a colleague's", reader, placements.SheetsA).ID
		run := s.wantRefreshed(s.ask(0, "", placements.Options{}), healthy, flaky)
		if run.State != placements.RunSucceeded {
			t.Errorf("the run is %s: %s", run.State, run.Error)
		}
		for _, p := range []string{own, theirs} {
			if o := s.outcome(run, p); o.State != placements.RunSkipped || o.Reason != placements.ReasonAddinOnly || o.NextAttemptAt != "" {
				t.Errorf("the run says %+v, want SKIPPED, addin_only", o)
			}
			if stands := s.placement(0, p); stands.LastRun == nil || stands.LastRun.Reason != placements.ReasonAddinOnly || stands.LastRun.RunID != run.ID {
				t.Errorf("the placement shows %+v, want what the run says", stands.LastRun)
			} else if status := placements.SyncStatus(stands.Placement, "", stands.LastRun); status != placements.Unknown {
				t.Errorf("the status has changed: %s", status)
			}
		}
	})
}
