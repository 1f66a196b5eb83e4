package refresh

import (
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// crashAfterClaim has an agent begin the only run that is queued, claim its placements, and crash.
func (s *simulatedService) crashAfterClaim() {
	s.Helper()
	a := s.begin(s.Context())
	_, err := a.claims.claimed(s.Context(), a.ledger.targets())
	must(s.T, err)
	s.crashed = true
}

// shows checks what a placement of the first report shows of a run that is over with it.
func (s *simulatedService) shows(p, run string, state placements.RunState) {
	s.Helper()
	last := s.placement(0, p).LastRun
	if last == nil || last.RunID != run || last.State != state || last.Reason != "" || last.Since != "" || last.NextAttemptAt != "" {
		s.Errorf("the placement shows %+v, want %s of run %s", last, state, run)
	}
}

// A newer run takes the placement over and refreshes it; then the agent of the older one crashes.
func TestARunThatIsTriedAgainLeavesWhatWasTakenOver(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		older := s.ask(0, "", placements.Options{})
		s.crashAfterClaim()
		s.crashed = false // nothing is looked for yet
		time.Sleep(time.Millisecond)
		newer := s.ask(0, flaky, placements.Options{})
		s.wantRefreshed(newer, flaky)
		s.crashed = true
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		s.wantRefreshed(older, healthy)
		s.wantSuperseded(older, flaky, newer, placements.RunSucceeded)
		s.shows(flaky, newer, placements.RunSucceeded)
	})
}

func TestWhatIsMovedAwayWaitsNoMore(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		run, err := s.engine.Start(t.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: s.reports[0], ExternalWorkbookID: "flaky"}, By: placer,
		})
		must(t, err)
		s.wantWaiting(run.ID, flaky, placements.ReasonLocked)
		s.place(0, flaky, "another", placer, "")
		s.advance(5 * time.Minute)
		if got := s.run(run.ID); got.State != placements.RunSkipped || s.outcome(got, flaky).State != placements.RunSkipped {
			t.Errorf("the run is %s, the placement %+v", got.State, s.outcome(got, flaky))
		}
		s.shows(flaky, run.ID, placements.RunSkipped)
	})
}

func TestWhatIsMovedAwayDuringItsQueryIsRefreshedNoMore(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.source.lag["q0"] = 20 * time.Second
		run, err := s.engine.Start(t.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: s.reports[0], ExternalWorkbookID: "flaky"}, By: placer,
		})
		must(t, err)
		s.advance(2 * time.Second)
		s.place(0, flaky, "another", placer, "")
		s.advance(settleTime)
		s.shows(flaky, run.ID, placements.RunSkipped)
	})
}

func TestWhatIsMovedOutOfTheReachOfAgentsWaitsNoMore(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		run := s.ask(0, "", placements.Options{})
		s.wantWaiting(run, flaky, placements.ReasonLocked)
		s.place(0, flaky, "7f3c9d54-63cf-4c2f-a1e9-8e5a3f0f7b11", placer, "")
		s.advance(5 * time.Minute)
		if got := s.run(run); got.State != placements.RunSucceeded || s.outcome(got, flaky).Reason != placements.ReasonAddinOnly {
			t.Errorf("the run is %s, the placement %+v", got.State, s.outcome(got, flaky))
		}
		if last := s.placement(0, flaky).LastRun; last == nil || last.State != placements.RunSkipped || last.NextAttemptAt != "" {
			t.Errorf("the placement shows %+v", last)
		}
	})
}

// How long a placement has waited speaks of the document where it did.
func TestAWaitEndsWithItsDocument(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, 100*time.Hour)
		s.host.downtimes["farther"] = []downtime{{time.Now(), time.Now().Add(100 * time.Hour), placements.ReasonLocked}}
		run := s.ask(0, "", placements.Options{})
		since := s.wantWaiting(run, flaky, placements.ReasonLocked).Since
		s.advance(5 * time.Hour)
		s.place(0, flaky, "farther", placer, "")
		moved := time.Now()
		s.advance(10 * time.Minute)
		o := s.outcome(s.run(run), flaky)
		if o.State != placements.RunQueued || o.Since == since || shownTime(o.Since).Before(moved.Truncate(time.Millisecond)) {
			t.Errorf("moved at %s, the placement says %+v", moved, o)
		}
		s.advance(10 * time.Hour)
		if o = s.outcome(s.run(run), flaky); o.State != placements.RunQueued {
			t.Errorf("30 hours after the first document was locked and 10 after the second one, the placement says %+v", o)
		}
	})
}

func TestAFileThatIsBackAndOpenIsWaitedForAnew(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
		s.makeUnavailable(placements.ReasonMissing, 30*time.Hour)
		given := s.ask(0, "", placements.Options{})
		s.advance(29 * time.Hour)
		if o := s.outcome(s.run(given), flaky); o.State != placements.RunFailed || o.Reason != placements.ReasonMissing {
			t.Fatalf("a file that stayed away is %+v", o)
		}
		s.advance(time.Hour)
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		now := time.Now()
		run := s.ask(0, "", placements.Options{})
		if o := s.wantWaiting(run, flaky, placements.ReasonLocked); shownTime(o.Since).Before(now.Truncate(time.Millisecond)) {
			t.Errorf("it waits since %s, before %s", o.Since, now)
		}
	})
}

// The persons of the tests below have edit access to the report, or read access.
var (
	editor = record.Actor{ID: 9, Actions: []string{record.ActionReportRead, record.ActionReportEdit}}
	reader = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
)

func (s *simulatedService) askAs(by record.Actor, placement string, o placements.Options) string {
	s.Helper()
	run, err := s.engine.Start(s.Context(), deskDeployment, Request{
		Target: record.RunTarget{ReportID: s.reports[0], PlacementID: placement}, By: by, Options: o,
	})
	must(s.T, err)
	return run.ID
}

func TestWhatPeopleAskedForTogetherIsCarriedOutTogether(t *testing.T) {
	withSimulatedService(t, func(t *testing.T, s *simulatedService, healthy, flaky string) {
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		s.typeInto("flaky")
		s.wantWaiting(s.askAs(editor, flaky, onEdit(placements.Overwrite)), flaky, placements.ReasonLocked)
		shifts := s.ask(0, flaky, placements.Options{ShiftRows: placements.Sent(true)})
		s.wantWaiting(shifts, flaky, placements.ReasonLocked)
		last := s.ask(0, "", placements.Options{})
		s.wantWaiting(last, flaky, placements.ReasonLocked)
		if c := s.run(last).Carried[flaky]; !c.Destroys() || !c.ShiftRows.Or(false) || c.By.ID != editor.ID {
			t.Errorf("it carries %+v", c)
		}
		s.advance(time.Hour)
		s.wantRefreshed(last, healthy, flaky)
		if s.typed("flaky") {
			t.Error("what was typed still stands")
		}
	})
}

// Who may only read the report asks that what was typed is kept, and, of another run, that it is overwritten: neither changes what an editor
// asked for, nor gains by it.
func TestWhatAnEditorAskedForIsNotUndoneByAReader(t *testing.T) {
	t.Parallel()
	for _, o := range []placements.Options{onEdit(placements.Keep), {BreakSignature: placements.Sent(true)}} {
		withSimulatedService(t, func(t *testing.T, s *simulatedService, _, flaky string) {
			s.makeUnavailable(placements.ReasonLocked, time.Hour)
			s.typeInto("flaky")
			edits := s.askAs(editor, flaky, onEdit(placements.Overwrite))
			s.wantWaiting(edits, flaky, placements.ReasonLocked)
			reads := s.askAs(reader, "", o)
			s.advance(settleTime)
			if o := s.outcome(s.run(edits), flaky); o.State != placements.RunQueued {
				t.Errorf("the editor's run says %+v", o)
			}
			if c, carried := s.run(reads).Carried[flaky]; carried {
				t.Errorf("the reader's run carries %+v", c)
			}
			s.advance(2 * time.Hour)
			s.wantRefreshed(edits, flaky)
			if s.typed("flaky") {
				t.Error("what was typed still stands")
			}
			if run := s.run(reads); run.EndedAt == "" {
				t.Errorf("the reader's run is %s", run.State)
			}
			if last := s.placement(0, flaky).LastRun; last == nil || !last.State.Ended() {
				t.Errorf("the placement shows %+v", last)
			}
		})
	}
}

// More placements than are claimed at once.
func TestManyPlacementsAreTakenOver(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		i := s.report("q1")
		var list []string
		for n := range queue.MaxClaims + 1 {
			at := placements.Anchor{Row: 10 * n}.String()
			c, err := s.store.Placements().Connect(t.Context(), deskDeployment, s.reports[i], placements.Connection{
				ExternalWorkbookID: "flaky", ResultLocation: "Data!" + at, AddressOnly: true,
			}, placer, nil, false)
			must(t, err)
			list = append(list, c.Placement.ID)
		}
		s.makeUnavailable(placements.ReasonLocked, time.Hour)
		older := s.ask(i, "", placements.Options{})
		s.advance(settleTime)
		newer := s.ask(i, "", placements.Options{})
		s.advance(settleTime)
		before, after := s.run(older), s.run(newer)
		for _, p := range list {
			if o := s.outcome(before, p); o.State != placements.RunSuperseded || o.SupersededBy != newer {
				t.Fatalf("the older run says %+v", o)
			}
			if o := s.outcome(after, p); o.State != placements.RunQueued {
				t.Fatalf("the newer run says %+v", o)
			}
		}
	})
}

// The run of a tick that is stopped while it waits for one placement, after another one failed permanently, counts neither way.
func TestATickThatIsStoppedCountsTowardsNoPause(t *testing.T) {
	t.Parallel()
	withSimulatedService(t, func(t *testing.T, s *simulatedService, _, _ string) {
		i := s.report("q1")
		s.place(i, "", "shut", placer, "")
		s.host.downtimes["shut"] = []downtime{{time.Now().Add(-time.Hour), time.Now().Add(100 * time.Hour), noAccess}}
		c := s.createSchedule(i, "", "0 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(time.Hour)
		fires := func() string {
			tick = tick.Add(time.Hour)
			s.advanceTo(tick.Add(settleTime))
			return record.RunID(c.ID, tick)
		}
		paused := func() bool {
			got, err := s.store.Schedules().Get(t.Context(), deskDeployment, c.ID)
			must(t, err)
			return got.PausedReason != ""
		}
		for range 4 {
			fires()
		}
		s.makeUnavailable(placements.ReasonLocked, time.Hour+time.Minute)
		waits := s.place(i, "", "flaky", placer, "")
		stopped := s.run(fires())
		must(t, s.engine.Stop(t.Context(), deskDeployment, stopped))
		s.advance(settleTime)
		if run := s.run(stopped.ID); run.State != placements.RunFailed || s.outcome(run, waits.ID).State != placements.RunStopped || paused() {
			t.Fatalf("the run that was stopped is %s, the schedule is paused: %t", run.State, paused())
		}
		_, _, err := s.store.Placements().Disconnect(t.Context(), deskDeployment, s.reports[i], placements.Target{PlacementID: waits.ID}, placer, nil, true)
		must(t, err)
		if fires(); !paused() {
			t.Error("five ticks that failed permanently, with one between that was stopped, do not pause the schedule")
		}
	})
}
