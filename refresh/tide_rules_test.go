package refresh

import (
	"testing"
	"testing/synctest"
	"time"

	"mooring/checksum"
	"mooring/placements"
	"mooring/storage/record"
)

// inHarbour runs a test on a simulated clock, with a report that was refreshed in two documents: "near", which can be reached, and "far", which
// the test may put out of reach. near and far are the placements there.
func inHarbour(t *testing.T, test func(t *testing.T, h *harbour, near, far string)) {
	t.Helper()
	faults := hostFaults(t)
	synctest.Test(t, func(t *testing.T) {
		h := newHarbour(t, 2, faults)
		h.report("q0")
		near, far := h.place(0, "", "near", clerk, "").ID, h.place(0, "", "far", clerk, "").ID
		h.refreshed(h.ask(0, "", placements.Options{}), near, far)
		test(t, h, near, far)
	})
}

// away puts "far" out of reach for a time from now on.
func (h *harbour) away(reason placements.Reason, d time.Duration) {
	h.books.mu.Lock()
	defer h.books.mu.Unlock()
	h.books.outages["far"] = []ebb{{time.Now(), time.Now().Add(d), reason}}
}

// refreshed lets a run refresh placements.
func (h *harbour) refreshed(id string, list ...string) *record.Run {
	h.Helper()
	h.pass(settled)
	run := h.run(id)
	for _, p := range list {
		if o := h.outcome(run, p); o.State != placements.RunSucceeded {
			h.Errorf("placement %s is %s in run %s (%s), want SUCCEEDED", p, o.State, run.ID, o.Error)
		}
	}
	return run
}

// waits lets a run refresh all but one placement, for which it waits.
func (h *harbour) waits(id, far string, reason placements.Reason) record.RunPlacement {
	h.Helper()
	h.pass(settled)
	run := h.run(id)
	o := h.outcome(run, far)
	if o.State != placements.RunQueued || o.Reason != reason || o.Error == "" || !shownTime(o.NextAttemptAt).After(time.Now()) || o.Since == "" {
		h.Errorf("run %s, %s, says of the placement: %+v, want QUEUED, %s", run.ID, run.State, o, reason)
	}
	if run.State != placements.RunQueued || run.EndedAt != "" {
		h.Errorf("run %s is %s, ended %q, want QUEUED", run.ID, run.State, run.EndedAt)
	}
	return o
}

// superseded checks that a run has left a placement to a newer one, and has ended in a state.
func (h *harbour) superseded(id, far, by string, state placements.RunState) {
	h.Helper()
	run := h.run(id)
	if o := h.outcome(run, far); o.State != placements.RunSuperseded || o.SupersededBy != by || o.NextAttemptAt != "" {
		h.Errorf("run %s says of the placement: %+v, want SUPERSEDED by %s", id, o, by)
	}
	if run.State != state || run.EndedAt == "" {
		h.Errorf("run %s is %s, ended %q, want %s", id, run.State, run.EndedAt, state)
	}
}

func TestTheNewestRunTakesOverWhatOlderOnesWaitFor(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		h.away(placements.ReasonLocked, 10*time.Hour)
		first := h.ask(0, "", placements.Options{})
		since := h.waits(first, far, placements.ReasonLocked).Since
		alone := h.ask(0, far, placements.Options{}) // of that placement alone: refused by nothing that only waits
		if o := h.waits(alone, far, placements.ReasonLocked); o.Since != since {
			t.Errorf("it waits since %s, want %s, as before", o.Since, since)
		}
		h.superseded(first, far, alone, placements.RunSucceeded)
		last := h.ask(0, "", placements.Options{})
		h.waits(last, far, placements.ReasonLocked)
		h.superseded(alone, far, last, placements.RunSuperseded)
		if p := h.standing(0, far); p.LastRun == nil || p.LastRun.RunID != last || p.LastRun.Since != since {
			t.Errorf("the placement shows %+v, want run %s, since %s", p.LastRun, last, since)
		}
		if p := h.standing(0, near); p.LastRun == nil || p.LastRun.RunID != last || p.LastRun.State != placements.RunSucceeded {
			t.Errorf("the other placement shows %+v", p.LastRun)
		}
	})
}

// An agent dies with the older run; it is worked on again when the newer one waits already.
func TestTheNewestRunIsTheOneThatWasAcceptedLast(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonLocked, 10*time.Hour)
		older := h.ask(0, "", placements.Options{})
		if h.die() != 1 {
			t.Fatal("the agent that dies has no run")
		}
		time.Sleep(time.Second)
		newer := h.ask(0, far, placements.Options{})
		h.waits(newer, far, placements.ReasonLocked)
		h.superseded(older, far, newer, placements.RunSucceeded)
	})
}

// Both agents begin at once.
func TestOfRunsAtWorkTogetherTheNewestWaits(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonMissing, 10*time.Hour)
		h.source.lag["q0"] = 20 * time.Second
		older := h.ask(0, "", placements.Options{})
		h.pass(2 * time.Second)
		newer := h.ask(0, far, placements.Options{})
		h.waits(newer, far, placements.ReasonMissing)
		h.pass(time.Minute)
		h.superseded(older, far, newer, placements.RunSucceeded)
		h.waits(newer, far, placements.ReasonMissing)
	})
}

func TestARunThatMayNotRefreshAPlacementSupersedesNothing(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonLocked, 10*time.Hour)
		older := h.ask(0, "", placements.Options{})
		h.waits(older, far, placements.ReasonLocked)
		run, err := h.engine.Start(t.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: h.reports[0]}, By: record.Actor{ID: 9, Actions: []string{record.ActionReportRead}},
			Options: onEdit(placements.Overwrite),
		})
		must(t, err)
		h.pass(settled)
		if o := h.outcome(h.run(run.ID), far); o.State != placements.RunSkipped || o.Error == "" || o.NextAttemptAt != "" {
			t.Errorf("the run of a stranger says %+v, want SKIPPED and why", o)
		}
		h.waits(older, far, placements.ReasonLocked)
	})
}

// typeInto types over what a block shows, as the person does who has the document open.
func (h *harbour) typeInto(document string) {
	h.books.enter(document, 2, 1, checksum.Str("typed"))
}

func (h *harbour) typed(document string) bool {
	h.books.mu.Lock()
	defer h.books.mu.Unlock()
	return h.books.book(document).cells[[2]int{2, 1}] == checksum.Str("typed")
}

func TestWhatAPersonAskedForIsCarriedOutOnce(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		h.away(placements.ReasonLocked, time.Hour)
		h.typeInto("far")
		asked := h.ask(0, far, onEdit(placements.Overwrite))
		h.waits(asked, far, placements.ReasonLocked)
		for range 2 { // taken over twice
			newer := h.ask(0, "", placements.Options{})
			h.waits(newer, far, placements.ReasonLocked)
		}
		h.pass(time.Hour)
		last := h.ask(0, "", placements.Options{})
		h.refreshed(last, near, far)
		if h.typed("far") {
			t.Error("what was typed still stands: the run that took over did not overwrite it, as was asked for")
		}
		h.typeInto("far")
		h.typeInto("near")
		h.refreshed(h.ask(0, "", placements.Options{}), near, far)
		if !h.typed("far") || !h.typed("near") {
			t.Error("what was typed later was overwritten too")
		}
	})
}

func TestRunsOfAddInsNeitherSupersedeNorAreSuperseded(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		h.away(placements.ReasonLocked, time.Hour)
		waiting := h.ask(0, "", placements.Options{})
		since := h.waits(waiting, far, placements.ReasonLocked).Since
		g := &guest{harbour: h, id: far, document: "far"}
		must(t, g.arrive())
		g.plan()
		h.pass(settled)
		if o := h.outcome(h.run(waiting), far); o.State != placements.RunQueued || o.Since != since {
			t.Errorf("while an add-in holds the document, the run that waits for it says %+v", o)
		}
		newer := h.ask(0, "", placements.Options{})
		h.pass(settled)
		if run := h.run(g.lease.RunID); run.State != placements.RunRunning {
			t.Errorf("the add-in's run is %s beside a newer one", run.State)
		}
		h.superseded(waiting, far, newer, placements.RunSucceeded)
		if run := g.depart(); run.State != placements.RunSucceeded {
			t.Errorf("the add-in's run is %s: %s", run.State, run.Error)
		}
		h.pass(time.Hour + 20*time.Minute)
		h.refreshed(newer, near, far)
	})
}

func TestStoppingTheNewestRunBringsNothingBack(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonMissing, time.Hour)
		older := h.ask(0, "", placements.Options{})
		h.waits(older, far, placements.ReasonMissing)
		newest := h.ask(0, far, placements.Options{})
		h.waits(newest, far, placements.ReasonMissing)
		must(t, h.engine.Stop(t.Context(), deskDeployment, h.run(newest)))
		h.pass(settled)
		stopped := time.Now()
		if run := h.run(newest); run.State != placements.RunStopped || h.outcome(run, far).State != placements.RunStopped {
			t.Errorf("the run that was stopped is %s, the placement %+v", run.State, h.outcome(run, far))
		}
		h.pass(3 * time.Hour)
		if n := h.books.opened("far", stopped); n > 0 {
			t.Errorf("the document was looked for %d times after the run was stopped", n)
		}
		h.superseded(older, far, newest, placements.RunSucceeded)
		if p := h.standing(0, far); p.LastRun == nil || p.LastRun.State != placements.RunStopped || p.LastRun.NextAttemptAt != "" || p.LastRun.Reason != "" {
			t.Errorf("the placement shows %+v", p.LastRun)
		}
	})
}

func TestAFileThatStaysAwayIsGivenUpAndThenTriedOncePerTick(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonMissing, 29*time.Hour+30*time.Minute)
		c := h.schedule(0, "", "0 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(time.Hour)
		next := func() *record.Run {
			tick = tick.Add(time.Hour)
			h.until(tick.Add(settled))
			return h.run(record.RunID(c.ID, tick))
		}
		since := h.outcome(next(), far).Since
		for range 22 {
			if o := h.outcome(next(), far); o.State != placements.RunQueued || o.Since != since {
				t.Fatalf("%s after it was first missed, the file is %+v", tick.Sub(shownTime(since)), o)
			}
		}
		next() // at 23 hours, and on to 24
		for range 4 {
			run := next()
			if o := h.outcome(run, far); tick.Sub(shownTime(since)) >= 24*time.Hour &&
				(o.State != placements.RunFailed || o.ErrorClass != placements.Structure || o.NextAttemptAt != "" || run.State != placements.RunFailed) {
				t.Errorf("%s after it was first missed, the file is %+v", tick.Sub(shownTime(since)), o)
			}
			if n := h.books.opened("far", tick); n != 1 && tick.Sub(shownTime(since)) > 24*time.Hour {
				t.Errorf("it was looked for %d times since the tick", n)
			}
		}
		next() // when the file is back it is half an hour old
		if o := h.outcome(next(), far); o.State != placements.RunSucceeded {
			t.Errorf("the file is back, and is %s: %s", o.State, o.Error)
		}
	})
}

// What is one thing for a schedule is that one of its placements waits, or was refreshed: neither counts towards a pause.
func TestAScheduleWithAPlacementThatWaitsIsNotPaused(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, _ string) {
		i := h.report("q1")
		shut := h.place(i, "", "shut", clerk, "").ID
		h.place(i, "", "far", clerk, "")
		h.books.outages["shut"] = []ebb{{time.Now().Add(-time.Hour), time.Now().Add(100 * time.Hour), noAccess}}
		c := h.schedule(i, "", "*/10 * * * *", record.OverlapSkip)
		h.away(placements.ReasonLocked, 12*time.Hour)
		h.pass(2 * time.Hour)
		got, err := h.store.Schedule(t.Context(), deskDeployment, c.ID)
		must(t, err)
		if got.PausedReason != "" {
			t.Errorf("the schedule is paused: %s", got.PausedReason)
		}
		if p := h.standing(i, shut); p.LastRun == nil || p.LastRun.State != placements.RunFailed || p.LastRun.ErrorClass != placements.Auth || p.LastRun.NextAttemptAt != "" {
			t.Errorf("the document without access shows %+v", p.LastRun)
		}
	})
}

func TestOnlyARunThatQueriesOrWritesOverlaps(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		c := h.schedule(0, "", "*/5 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(5 * time.Minute).Add(5 * time.Minute)
		h.away(placements.ReasonLocked, 12*time.Minute)
		for range 2 {
			h.until(tick.Add(settled))
			if o := h.outcome(h.run(record.RunID(c.ID, tick)), near); o.State != placements.RunSucceeded {
				t.Errorf("the tick of %s refreshed what can be reached: %q", tick, o.State)
			}
			tick = tick.Add(5 * time.Minute)
		}
		h.until(tick.Add(settled))
		h.refreshed(record.RunID(c.ID, tick), near, far)
		h.source.lag["q0"] = 8 * time.Minute
		tick = tick.Add(5 * time.Minute)
		h.until(tick.Add(5*time.Minute + settled))
		if run := h.run(record.RunID(c.ID, tick)); run.State != placements.RunRunning {
			t.Errorf("a run that queries is %s", run.State)
		}
		if run := h.run(record.RunID(c.ID, tick.Add(5*time.Minute))); run.State != placements.RunSkipped || run.Placements == nil {
			t.Errorf("a tick that meets a run that queries is %s", run.State)
		}
	})
}

func TestAgeGrowsWithWhatIsKnownOfTheBlock(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, _ string) {
		i := h.report(steady)
		p := h.place(i, "", "far", clerk, "").ID
		age := func() time.Time { return shownTime(h.standing(i, p).AsOf) }
		for _, step := range []struct {
			what  string
			do    func()
			grows bool
		}{
			{"written", func() {}, true},
			{"found to need no write", func() {}, true},
			{"locked", func() { h.away(placements.ReasonLocked, 30*time.Minute) }, false},
			{"closed to the service", func() { h.away(noAccess, 30*time.Minute) }, false},
			{"reached again", func() { h.away(noAccess, 0) }, true},
		} {
			before, at := age(), time.Now()
			step.do()
			run := h.ask(i, p, placements.Options{})
			h.pass(settled)
			after := age()
			if grew := after.After(before); grew != step.grows || grew && (after.Before(at) || after.After(time.Now())) {
				t.Errorf("a block that was %s is as of %s, before as of %s: %+v", step.what, after, before, h.outcome(h.run(run), p))
			}
		}
	})
}

func TestWhatOnlyAnAddInReachesIsLeftOut(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		reader := record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
		own := h.place(0, "", "7f3c9d54-63cf-4c2f-a1e9-8e5a3f0f7b11", clerk, "").ID
		theirs := h.place(0, "", "a colleague's", reader, placements.SheetsA).ID
		run := h.refreshed(h.ask(0, "", placements.Options{}), near, far)
		if run.State != placements.RunSucceeded {
			t.Errorf("the run is %s: %s", run.State, run.Error)
		}
		for _, p := range []string{own, theirs} {
			if o := h.outcome(run, p); o.State != placements.RunSkipped || o.Reason != placements.ReasonAddinOnly || o.NextAttemptAt != "" {
				t.Errorf("the run says %+v, want SKIPPED, addin_only", o)
			}
			if stands := h.standing(0, p); stands.LastRun != nil {
				t.Errorf("the status has changed: %+v", stands.LastRun)
			}
		}
	})
}
