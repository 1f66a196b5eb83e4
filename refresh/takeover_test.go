package refresh

import (
	"testing"
	"time"

	"mooring/placements"
	"mooring/storage/queue"
	"mooring/storage/record"
)

// claimsAndDies has an agent begin the only run that is queued, claim its placements, and die.
func (h *harbour) claimsAndDies() {
	h.Helper()
	list, err := h.store.Work().Take(h.Context(), "mortal", 64, -1)
	must(h.T, err)
	if len(list) != 1 {
		h.Fatalf("%d runs are queued, want 1", len(list))
	}
	begun, err := h.store.Work().Begin(h.Context(), "mortal", list[0])
	must(h.T, err)
	a := h.engine.newAttempt(h.Context(), deskDeployment, begun, newCohort(1)[0])
	if fault := a.load(h.Context()); fault != nil {
		h.Fatal(fault)
	}
	_, err = a.claimed(h.Context(), a.targets())
	must(h.T, err)
	h.dead = true
}

// shows checks what a placement of the first report shows of a run that is over with it.
func (h *harbour) shows(p, run string, state placements.RunState) {
	h.Helper()
	last := h.standing(0, p).LastRun
	if last == nil || last.RunID != run || last.State != state || last.Reason != "" || last.Since != "" || last.NextAttemptAt != "" {
		h.Errorf("the placement shows %+v, want %s of run %s", last, state, run)
	}
}

// A newer run takes the placement over and refreshes it; then the agent of the older one dies.
func TestARunThatIsTriedAgainIsSupersededByNoneThatHasEnded(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		older := h.ask(0, "", placements.Options{})
		h.claimsAndDies()
		h.dead = false // nothing is looked for yet
		h.refreshed(h.ask(0, far, placements.Options{}), far)
		h.dead = true
		h.away(placements.ReasonLocked, time.Hour)
		h.waits(older, far, placements.ReasonLocked)
		h.pass(time.Hour)
		h.refreshed(older, near, far)
		h.shows(far, older, placements.RunSucceeded)
	})
}

func TestWhatIsMovedAwayWaitsNoMore(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonLocked, time.Hour)
		run, err := h.engine.Start(t.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: h.reports[0], ExternalWorkbookID: "far"}, By: clerk,
		})
		must(t, err)
		h.waits(run.ID, far, placements.ReasonLocked)
		h.place(0, far, "elsewhere", clerk, "")
		h.pass(settled)
		if got := h.run(run.ID); got.State != placements.RunSkipped || h.outcome(got, far).State != placements.RunSkipped {
			t.Errorf("the run is %s, the placement %+v", got.State, h.outcome(got, far))
		}
		h.shows(far, run.ID, placements.RunSkipped)
	})
}

func TestWhatIsMovedAwayDuringItsQueryIsRefreshedNoMore(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.source.lag["q0"] = 20 * time.Second
		run, err := h.engine.Start(t.Context(), deskDeployment, Request{
			Target: record.RunTarget{ReportID: h.reports[0], ExternalWorkbookID: "far"}, By: clerk,
		})
		must(t, err)
		h.pass(2 * time.Second)
		h.place(0, far, "elsewhere", clerk, "")
		h.pass(settled)
		h.shows(far, run.ID, placements.RunSkipped)
	})
}

func TestWhatIsMovedOutOfTheReachOfAgentsWaitsNoMore(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonLocked, time.Hour)
		run := h.ask(0, "", placements.Options{})
		h.waits(run, far, placements.ReasonLocked)
		h.place(0, far, "7f3c9d54-63cf-4c2f-a1e9-8e5a3f0f7b11", clerk, "")
		h.pass(settled)
		if got := h.run(run); got.State != placements.RunSucceeded || h.outcome(got, far).Reason != placements.ReasonAddinOnly {
			t.Errorf("the run is %s, the placement %+v", got.State, h.outcome(got, far))
		}
		if last := h.standing(0, far).LastRun; last == nil || last.State != placements.RunSkipped || last.NextAttemptAt != "" {
			t.Errorf("the placement shows %+v", last)
		}
	})
}

// How long a placement has waited speaks of the document where it did.
func TestAWaitEndsWithItsDocument(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonLocked, 100*time.Hour)
		h.books.outages["farther"] = []ebb{{time.Now(), time.Now().Add(100 * time.Hour), placements.ReasonLocked}}
		run := h.ask(0, "", placements.Options{})
		since := h.waits(run, far, placements.ReasonLocked).Since
		h.pass(20 * time.Hour)
		h.place(0, far, "farther", clerk, "")
		moved := time.Now()
		h.pass(10 * time.Minute)
		o := h.outcome(h.run(run), far)
		if o.State != placements.RunQueued || o.Since == since || shownTime(o.Since).Before(moved.Truncate(time.Millisecond)) {
			t.Errorf("moved at %s, the placement says %+v", moved, o)
		}
		h.pass(10 * time.Hour)
		if o = h.outcome(h.run(run), far); o.State != placements.RunQueued {
			t.Errorf("30 hours after the first document was locked and 10 after the second one, the placement says %+v", o)
		}
	})
}

func TestAFileThatIsBackAndOpenIsWaitedForAnew(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
		h.away(placements.ReasonMissing, 30*time.Hour)
		given := h.ask(0, "", placements.Options{})
		h.pass(29 * time.Hour)
		if o := h.outcome(h.run(given), far); o.State != placements.RunFailed || o.Reason != placements.ReasonMissing {
			t.Fatalf("a file that stayed away is %+v", o)
		}
		h.pass(time.Hour)
		h.away(placements.ReasonLocked, time.Hour)
		now := time.Now()
		run := h.ask(0, "", placements.Options{})
		if o := h.waits(run, far, placements.ReasonLocked); shownTime(o.Since).Before(now.Truncate(time.Millisecond)) {
			t.Errorf("it waits since %s, before %s", o.Since, now)
		}
	})
}

// The persons of the tests below have edit access to the report, or read access.
var (
	editor = record.Actor{ID: 9, Actions: []string{record.ActionReportRead, record.ActionReportEdit}}
	reader = record.Actor{ID: 8, Actions: []string{record.ActionReportRead}}
)

func (h *harbour) askAs(by record.Actor, placement string, o placements.Options) string {
	h.Helper()
	run, err := h.engine.Start(h.Context(), deskDeployment, Request{
		Target: record.RunTarget{ReportID: h.reports[0], PlacementID: placement}, By: by, Options: o,
	})
	must(h.T, err)
	return run.ID
}

func TestWhatPeopleAskedForTogetherIsCarriedOutTogether(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, near, far string) {
		h.away(placements.ReasonLocked, time.Hour)
		h.typeInto("far")
		h.waits(h.askAs(editor, far, onEdit(placements.Overwrite)), far, placements.ReasonLocked)
		shifts := h.ask(0, far, placements.Options{ShiftRows: placements.Sent(true)})
		h.waits(shifts, far, placements.ReasonLocked)
		last := h.ask(0, "", placements.Options{})
		h.waits(last, far, placements.ReasonLocked)
		if c := h.run(last).Carried[far]; !c.Destroys() || !c.ShiftRows.Or(false) || c.By.ID != editor.ID {
			t.Errorf("it carries %+v", c)
		}
		h.pass(time.Hour)
		h.refreshed(last, near, far)
		if h.typed("far") {
			t.Error("what was typed still stands")
		}
	})
}

// Who may only read the report asks that what was typed is kept, and, of another run, that it is overwritten: neither changes what an editor
// asked for, nor gains by it.
func TestWhatAnEditorAskedForIsNotUndoneByAReader(t *testing.T) {
	for _, o := range []placements.Options{onEdit(placements.Keep), {BreakSignature: placements.Sent(true)}} {
		inHarbour(t, func(t *testing.T, h *harbour, _, far string) {
			h.away(placements.ReasonLocked, time.Hour)
			h.typeInto("far")
			edits := h.askAs(editor, far, onEdit(placements.Overwrite))
			h.waits(edits, far, placements.ReasonLocked)
			reads := h.askAs(reader, "", o)
			h.pass(settled)
			if o := h.outcome(h.run(edits), far); o.State != placements.RunQueued {
				t.Errorf("the editor's run says %+v", o)
			}
			if c, carried := h.run(reads).Carried[far]; carried {
				t.Errorf("the reader's run carries %+v", c)
			}
			h.pass(2 * time.Hour)
			h.refreshed(edits, far)
			if h.typed("far") {
				t.Error("what was typed still stands")
			}
			if run := h.run(reads); run.EndedAt == "" {
				t.Errorf("the reader's run is %s", run.State)
			}
			if last := h.standing(0, far).LastRun; last == nil || !last.State.Ended() {
				t.Errorf("the placement shows %+v", last)
			}
		})
	}
}

// More placements than are claimed at once.
func TestManyPlacementsAreTakenOver(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, _ string) {
		i := h.report("q1")
		var list []string
		for n := range 2*queue.MaxClaims + 1 {
			at := placements.Anchor{Row: 10 * n}.String()
			c, err := h.store.Connect(t.Context(), deskDeployment, h.reports[i], placements.Connection{
				ExternalWorkbookID: "far", ResultLocation: "Data!" + at, AddressOnly: true,
			}, clerk, nil, false)
			must(t, err)
			list = append(list, c.Placement.ID)
		}
		h.away(placements.ReasonLocked, time.Hour)
		older := h.ask(i, "", placements.Options{})
		h.pass(settled)
		newer := h.ask(i, "", placements.Options{})
		h.pass(settled)
		before, after := h.run(older), h.run(newer)
		for _, p := range list {
			if o := h.outcome(before, p); o.State != placements.RunSuperseded || o.SupersededBy != newer {
				t.Fatalf("the older run says %+v", o)
			}
			if o := h.outcome(after, p); o.State != placements.RunQueued {
				t.Fatalf("the newer run says %+v", o)
			}
		}
	})
}

// The run of a tick that is stopped while it waits for one placement, after another one failed for good, counts neither way.
func TestATickThatIsStoppedCountsTowardsNoPause(t *testing.T) {
	inHarbour(t, func(t *testing.T, h *harbour, _, _ string) {
		i := h.report("q1")
		h.place(i, "", "shut", clerk, "")
		h.books.outages["shut"] = []ebb{{time.Now().Add(-time.Hour), time.Now().Add(100 * time.Hour), noAccess}}
		c := h.schedule(i, "", "0 * * * *", record.OverlapSkip)
		tick := time.Now().Truncate(time.Hour)
		fires := func() string {
			tick = tick.Add(time.Hour)
			h.until(tick.Add(settled))
			return record.RunID(c.ID, tick)
		}
		paused := func() bool {
			got, err := h.store.Schedule(t.Context(), deskDeployment, c.ID)
			must(t, err)
			return got.PausedReason != ""
		}
		for range 4 {
			fires()
		}
		h.away(placements.ReasonLocked, time.Hour+time.Minute)
		waits := h.place(i, "", "far", clerk, "")
		stopped := h.run(fires())
		must(t, h.engine.Stop(t.Context(), deskDeployment, stopped))
		h.pass(settled)
		if run := h.run(stopped.ID); run.State != placements.RunFailed || h.outcome(run, waits.ID).State != placements.RunStopped || paused() {
			t.Fatalf("the run that was stopped is %s, the schedule is paused: %t", run.State, paused())
		}
		_, _, err := h.store.Disconnect(t.Context(), deskDeployment, h.reports[i], placements.Target{PlacementID: waits.ID}, clerk, nil, true)
		must(t, err)
		if fires(); !paused() {
			t.Error("five ticks that failed for good, with one between that was stopped, do not pause the schedule")
		}
	})
}
